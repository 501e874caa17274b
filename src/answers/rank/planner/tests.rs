//! Plans for complements of many shapes, by the prices of the reference.

use super::super::RankOptions;
use super::super::options::CHECK;
use super::finish::{HOPE, LITTLE_HOPE, SKETCH, WORTH, largest};
use super::*;
use crate::certify::ErrorBound;
use crate::cost::Machine;
use crate::dense::{Echelon, Factors};
use crate::field::{Modulus, Rng};
use crate::schur::WORKSPACES;
use crate::sparse::SparseMatrix;
use crate::spmv::LANES;
use crate::{Error, Result};
use rand::{RngExt, SeedableRng};

fn rest(rows: usize, cols: usize, nnz: usize) -> Rest {
    Rest {
        modulus: Modulus::new(65521).unwrap(),
        pivots: 1000,
        rows,
        cols,
        nnz,
        valued: 0,
        rank_bound: rows.min(cols),
        generic: false,
        minor: false,
        proven: false,
        check: CHECK,
        levels: 0,
        gpu: None,
        threads: None,
        refused: Default::default(),
    }
}
impl Rest {
    fn with_pivots(self, pivots: usize) -> Rest {
        Rest { pivots, ..self }
    }
}
fn finish(rest: Rest, wiedemann: Option<f64>, memory: Option<u64>) -> Result<Finish> {
    decide(&rest, &Machine::reference(), wiedemann, memory, None).map(|d| d.finish)
}

/// Where the row space of the largest rank does not fit, bytes are those of the threads there are, and no more.
#[test]
fn tight_memory_is_counted_as_it_is_needed() {
    let loose = rest(48_437, 48_437, 846_720).with_pivots(92_683);
    let limit = loose.row_space_bytes(48_437);
    assert_eq!(loose.within(None).threads, None);
    assert_eq!(loose.within(Some(limit)).threads, None);
    let tight = loose.within(Some(limit - 1));
    assert!(tight.threads.is_some_and(|threads| threads > 0));
    let one = Rest { threads: Some(1), ..tight };
    for r in [0, 300, 48_437] {
        let bytes = [Some(1), Some(2), Some(8), None].map(|threads| Rest { threads, ..one }.row_space_bytes(r));
        assert!(bytes.is_sorted() && bytes[0] < bytes[3], "rank {r}: {bytes:?}");
        let bytes = [Some(1), Some(8), None].map(|threads| Rest { threads, ..one }.sketch_bytes(r));
        assert!(bytes.is_sorted(), "rank {r}: {bytes:?}");
    }
    // Short rows of wide residues, of which many are made at once.
    for p in [251, (1 << 31) - 1, (1 << 63) - 25] {
        let short = Rest { modulus: Modulus::new(p).unwrap(), ..rest(5000, 5000, 80_000).with_pivots(9000) };
        for r in [0, 300, 5000] {
            let of = |threads| Rest { threads, ..short };
            let rows = [Some(1), Some(2), Some(8), None].map(|threads| of(threads).row_space_bytes(r));
            let sketches = [Some(1), Some(2), Some(8), None].map(|threads| of(threads).sketch_bytes(r));
            assert!(rows.is_sorted() && sketches.is_sorted(), "rank {r} mod {p}: {rows:?}, {sketches:?}");
        }
    }
    // ch7-8-b5, whose row space has rank 276, in 200 MB.
    assert!(Rest { threads: Some(2), ..one }.row_space_bytes(300) < 200 << 20);
    let found = finish(Rest { threads: None, ..one }, Some(40.0), Some(200 << 20)).unwrap();
    assert!(matches!(found, Finish::RowSpace { .. } | Finish::Sketch { .. } | Finish::Wiedemann { .. }), "{found:?}");
}

#[test]
fn predicted_bytes_end_at_the_edge_of_a_word() {
    let side = (1 << 32) - 1;
    for p in [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25] {
        for minor in [false, true] {
            let largest = Rest { modulus: Modulus::new(p).unwrap(), minor, ..rest(side, side, 1 << 40) };
            // The basis alone: rank²/2 residues or more, or as many bits.
            let least = if p < 4 { 1 << 60 } else { u64::MAX / 4 };
            assert!(largest.row_space_bytes(side) >= least, "mod {p}: {}", largest.row_space_bytes(side));
            assert!(largest.every_row_bytes() >= least && largest.with_pivots(0).every_row_bytes() >= least);
            // It grows with the rank, and never wraps around.
            let bytes = [0, 1 << 10, 1 << 20, 1 << 30, 1 << 31, side].map(|r| largest.row_space_bytes(r));
            assert!(bytes.is_sorted() && bytes[0] > 1 << 40, "mod {p}: {bytes:?}");
        }
    }
    assert_eq!(Factors::memory(Modulus::new((1 << 63) - 25).unwrap(), side, side), u64::MAX);
    assert_eq!(Echelon::memory(Modulus::new((1 << 63) - 25).unwrap(), side, side), u64::MAX);
    // At sides of 2³⁰ and one byte a residue, all of it fits.
    let fits = Rest { modulus: Modulus::new(251).unwrap(), ..rest(1 << 30, 1 << 30, 1 << 32) };
    assert!(fits.row_space_bytes(1 << 30) < u64::MAX / 8);
}

#[test]
fn small_complements_get_their_row_space_and_large_ones_a_chance() {
    assert_eq!(finish(rest(10, 0, 100), Some(1.0), None).unwrap(), Finish::Nothing);
    assert_eq!(finish(rest(5000, 600, 50_000), Some(1.0), None).unwrap(), Finish::RowSpace { give_up: usize::MAX });
    let Finish::RowSpace { give_up } = finish(rest(60_000, 50_000, 900_000), Some(20.0), None).unwrap() else {
        panic!("there is hope for a small rank")
    };
    assert!((100..20_000).contains(&give_up), "{give_up}");
    assert_eq!(finish(rest(60_000, 50_000, 900_000), Some(1e-3), None).unwrap(), Finish::Wiedemann { pivots: true });
    // Once it is seen to be large, and where block Wiedemann would take even longer.
    let large = Rest { proven: true, ..rest(60_000, 50_000, 900_000) };
    let then = |wiedemann| decide(&large, &Machine::reference(), wiedemann, None, Some(give_up)).unwrap().finish;
    assert_eq!(then(Some(20.0)), Finish::Wiedemann { pivots: true });
    assert_eq!(then(None), Finish::RowSpace { give_up: usize::MAX });
    assert_eq!(then(Some(1e6)), Finish::RowSpace { give_up: usize::MAX });
    let first = finish(rest(60_000, 50_000, 900_000), Some(1e6), None).unwrap();
    assert!(matches!(first, Finish::RowSpace { give_up } if give_up < 20_000), "{first:?}");
}

#[test]
fn a_rank_far_below_the_shape_is_sketched() {
    let machine = Machine::reference();
    let large = Rest { nnz: 5_000_000, ..rest(300_000, 250_000, 0) }.with_pivots(600_000);
    let wiedemann = 1000.0;
    let decide = |rest: &Rest, memory, larger| decide(rest, &machine, Some(wiedemann), memory, larger).unwrap().finish;
    let Finish::RowSpace { give_up: first } = decide(&large, None, None) else { panic!("a small rank is hoped for") };
    assert!((64..1000).contains(&first), "{first}");
    let Finish::Sketch { give_up } = decide(&large, None, Some(first)) else { panic!("sketches come next") };
    // As far as half of block Wiedemann's time goes, or the memory; then it is that.
    let seconds = |r: usize| large.sketch_seconds(&machine, r).unwrap();
    assert!(seconds(give_up) <= SKETCH * wiedemann && SKETCH * wiedemann < seconds(give_up + 1));
    // Where memory is tight, bytes are those of this number of threads.
    let tight = large.within(Some(0));
    let limit = tight.sketch_bytes(give_up / 2);
    let Finish::Sketch { give_up: fewer } = decide(&large, Some(limit), Some(first)) else { panic!("they fit") };
    assert!(fewer < give_up && tight.sketch_bytes(fewer) <= limit);
    assert_eq!(decide(&large, None, Some(give_up)), Finish::Wiedemann { pivots: true });
    // A rank that is bounded well enough needs no end.
    let bounded = Rest { rank_bound: give_up / 2, ..large };
    assert_eq!(decide(&bounded, None, Some(first)), Finish::Sketch { give_up: usize::MAX });
    // Sketches give no proof and no minor, and need multipliers.
    let packed = [2, 3].map(|p| Rest { modulus: Modulus::new(p).unwrap(), ..large });
    for other in [Rest { proven: true, ..large }, Rest { minor: true, ..large }].into_iter().chain(packed) {
        assert!(!matches!(decide(&other, None, Some(first)), Finish::Sketch { .. }));
    }
}

/// No small rank is expected of many values: little is spent on the hope for one, by block Wiedemann's measure.
#[test]
fn little_is_hoped_for_where_values_are_many() {
    let machine = Machine::reference();
    let plain = Rest { nnz: 5_000_000, ..rest(300_000, 250_000, 0) }.with_pivots(600_000);
    let generic = Rest { generic: true, ..plain };
    let decide = |rest: &Rest, larger| decide(rest, &machine, Some(1000.0), None, larger).unwrap().finish;
    let Finish::RowSpace { give_up } = decide(&generic, None) else { panic!("it may be very small") };
    assert!(generic.row_space_seconds(&machine, give_up) <= LITTLE_HOPE * 1000.0);
    assert!(generic.row_space_seconds(&machine, give_up + 1) > LITTLE_HOPE * 1000.0);
    assert!(matches!(decide(&plain, Some(give_up)), Finish::Sketch { .. }));
    assert_eq!(decide(&generic, Some(give_up)), Finish::Wiedemann { pivots: true });
    // A sketch that is worth it is made to its end.
    let bounded = |rest: Rest| Rest { rank_bound: 10_000, ..rest };
    assert_eq!(decide(&bounded(generic), Some(give_up)), Finish::Sketch { give_up: usize::MAX });
    assert_eq!(decide(&bounded(plain), Some(give_up)), Finish::Sketch { give_up: usize::MAX });
}

#[test]
fn a_matrix_of_many_values_is_generic() {
    let mut rng = Rng::seed_from_u64(9);
    let mut of = |p: u64, nnz: usize, value: &dyn Fn(usize, u64) -> u64| {
        let entries: Vec<_> =
            (0..nnz).map(|k| (k / 20, 5 * (k % 20), value(k % 20, rng.random_range(1..p)) % p)).collect();
        let a = SparseMatrix::from_triplets(Modulus::new(p).unwrap(), nnz.div_ceil(20), 100, &entries);
        Rest::of(&a, 0, &RankOptions::default()).generic
    };
    for p in [251, 65521, (1 << 61) - 1] {
        assert!(of(p, 5000, &|_, random| random) && of(p, 5000, &|_, random| 1 + random % 200));
        assert!(!of(p, 50, &|_, random| random) && !of(p, 0, &|_, random| random), "too few entries to tell");
        assert!(
            !of(p, 5000, &|_, random| [1, p - 1][random as usize % 2]) && !of(p, 5000, &|_, random| 1 + random % 20)
        );
        // Rows alike: one column of many values, and one of few.
        assert!(!of(p, 5120, &|column, random| if column == 0 { random } else { 1 }));
        assert!(of(p, 5120, &|column, random| if column == 0 { 1 } else { random }));
    }
    assert!(!of(2, 5000, &|_, random| random) && !of(31, 5000, &|_, random| random));
}

/// Block Wiedemann would leave a doubt that a sketch does not.
#[test]
fn a_sketch_that_is_worth_it_goes_on_to_its_end() {
    let machine = Machine::reference();
    let large = Rest { nnz: 5_000_000, rank_bound: 20_000, ..rest(300_000, 250_000, 0) }.with_pivots(600_000);
    let seconds = large.sketch_seconds(&machine, large.rank_bound).unwrap();
    let to_its_end = |wiedemann| {
        let found = decide(&large, &machine, Some(wiedemann), None, Some(64)).unwrap().finish;
        let Finish::Sketch { give_up } = found else { panic!("{found:?}") };
        give_up == usize::MAX
    };
    assert!(to_its_end(1.01 * seconds / SKETCH) && to_its_end(1.01 * seconds / WORTH));
    assert!(!to_its_end(0.99 * seconds / WORTH));
}

#[test]
fn a_large_rank_is_worth_an_expensive_complement() {
    let (machine, large) = (Machine::reference(), rest(60_000, 50_000, 900_000));
    let before = large.round_seconds(&machine, Some(20.0), false);
    assert_eq!(before, WORTH * large.probe_seconds(&machine));
    // Seen to be large; otherwise a probe is to come.
    assert_eq!(large.round_seconds(&machine, Some(20.0), true), HOPE * 20.0);
    assert!(large.round_seconds(&machine, Some(1e6), true) > 10.0 * before);
    assert_eq!(large.round_seconds(&machine, Some(1e6), false), before);
    assert!(large.round_seconds(&machine, None, true) > 10.0 * before);
    // Without block Wiedemann there is hope all the same, where the dense elimination is most of the price.
    assert_eq!(large.round_seconds(&machine, None, false), before);
    let small = rest(5000, 600, 50_000);
    assert_eq!(small.round_seconds(&machine, Some(1.0), false), small.round_seconds(&machine, Some(1.0), true));
}

#[test]
fn hope_for_a_small_rank_needs_no_rival() {
    let (machine, large) = (Machine::reference(), rest(60_000, 50_000, 900_000));
    let first = |rest: &Rest| decide(rest, &machine, None, None, None).unwrap().finish;
    let Finish::RowSpace { give_up } = first(&large) else { panic!("there is no other way") };
    assert!((100..20_000).contains(&give_up), "{give_up}");
    let worst = large.row_space_seconds(&machine, large.rank_bound);
    assert!(large.row_space_seconds(&machine, give_up + 1) < HOPE * HOPE * worst);
    // A short row space, and one of which the combinations are the greater part, are made at once.
    for at_once in [rest(5000, 600, 50_000), Rest { rank_bound: 3000, ..rest(900_000, 3000, 90_000_000) }] {
        assert_eq!(first(&at_once), Finish::RowSpace { give_up: usize::MAX }, "{at_once:?}");
    }
}

#[test]
fn what_is_dense_is_eliminated_as_it_stands() {
    let machine = Machine::reference();
    let matrix = |rows: usize, cols: usize, nnz| Rest { pivots: 0, valued: nnz, ..rest(rows, cols, nnz) };
    for (rows, cols, nnz) in [(2000, 2000, 4_000_000), (500, 20_000, 10_000_000), (20_000, 500, 10_000_000)] {
        let dense = matrix(rows, cols, nnz);
        assert!(dense.is_dense(&machine, None) && dense.is_dense(&machine, Some(dense.every_row_bytes())));
        assert!(!dense.is_dense(&machine, Some(dense.every_row_bytes() - 1)));
        assert!(!dense.with_pivots(1).is_dense(&machine, None));
    }
    // Half of its places are enough, whatever p costs.
    let full = |nnz| Rest { modulus: Modulus::new((1 << 61) - 1).unwrap(), ..matrix(9000, 9000, nnz) };
    assert!(full(9000 * 4500).is_dense(&machine, None) && !full(9000 * 4499).is_dense(&machine, None));
    // Few entries; or many, but far more rows than there may be dimensions.
    for (rows, cols, nnz) in [(2000, 2000, 20_000), (50_000, 50_000, 5_000_000), (3_000_000, 3000, 100_000_000)] {
        assert!(!matrix(rows, cols, nnz).is_dense(&machine, None));
    }
}

#[test]
fn rows_that_add_nothing_are_left_to_a_check() {
    let machine = Machine::reference();
    let tall = Rest { pivots: 0, valued: 200_000_000, ..rest(100_000, 2000, 200_000_000) };
    let checked = |rest: &Rest, r, done| rest.is_checked(&machine, r, done);
    assert!(checked(&tall, 1999, 4096) && !checked(&tall, 1999, 90_000) && !checked(&tall, 20, 4096));
    for demanding in [Rest { proven: true, ..tall }, Rest { minor: true, ..tall }, tall.with_pivots(1)] {
        assert!(!checked(&demanding, 1999, 4096));
    }
    // Nor where it would take more combinations than its memory is predicted for.
    assert!(!checked(&Rest { check: ErrorBound::of_bits(100_000), ..tall }, 1999, 4096));
    // A rank below its bound costs little more than one at it, unless all rows are to be taken.
    let below = |rest: &Rest| rest.every_row_seconds(&machine, 1999) / rest.every_row_seconds(&machine, 2000);
    assert!(below(&tall) < 10.0 && below(&Rest { proven: true, ..tall }) > 20.0, "{}", below(&tall));
    // So a wide one is better transposed.
    assert!(tall.transposed().every_row_at_worst(&machine) > 3.0 * tall.every_row_at_worst(&machine));
}

#[test]
fn rows_are_taken_as_they_are_where_combinations_save_nothing() {
    let machine = Machine::reference();
    let all = |rest: &Rest, seconds| rest.by_every_row(&machine, seconds, None).map(|(finish, _)| finish);
    let worst = |rest: &Rest| rest.row_space_seconds(&machine, rest.rank_bound);
    // A small complement of many entries; one of few, whose combinations are cheap and end with the rank; a tall one,
    // of which they are fewer; one whose rows must all be mapped in vain if its rank is small.
    let square = rest(300, 300, 200_000);
    assert_eq!(all(&square, worst(&square)), Some(Finish::EveryRow { pivots: true }));
    let sparse = rest(3000, 3000, 400_000);
    assert_eq!(all(&sparse, worst(&sparse)), None);
    let tall = rest(300_000, 3000, 3_000_000);
    assert_eq!(all(&tall, worst(&tall)), None);
    let large = rest(60_000, 50_000, 900_000);
    assert_eq!(all(&large, 20.0), None);
    // Few pivots before a dense rest are not worth the triangular solves; a minor keeps them.
    let dense = rest(3000, 3000, 4_000_000).with_pivots(5);
    assert_eq!(all(&dense, worst(&dense)), Some(Finish::EveryRow { pivots: false }));
    let minor = Rest { minor: true, ..dense };
    assert_eq!(all(&minor, worst(&minor)), None);
    assert_eq!(square.by_every_row(&machine, worst(&square), Some(1 << 16)), None);
}

#[test]
fn memory_bounds_the_row_space() {
    let big = rest(60_000, 50_000, 900_000);
    let Finish::RowSpace { give_up } = finish(big, None, Some(600 << 20)).unwrap() else { panic!("it may be small") };
    let tight = big.within(Some(600 << 20));
    assert!(tight.row_space_bytes(give_up) <= 600 << 20 && tight.row_space_bytes(give_up + 1) > 600 << 20);
    assert!(matches!(finish(big, None, Some(1 << 20)), Err(Error::Memory(_))));
    // The factors of a minor take their share.
    let Finish::RowSpace { give_up: fewer } = finish(Rest { minor: true, ..big }, None, Some(600 << 20)).unwrap()
    else {
        panic!("it may be small")
    };
    assert!((1..give_up).contains(&fewer), "{fewer} of {give_up}");
}

#[test]
fn a_larger_rank_never_takes_less() {
    for p in [2, 65521, (1 << 61) - 1] {
        let rest = Rest { modulus: Modulus::new(p).unwrap(), ..rest(3000, 2000, 10_000) };
        let mut most = 0;
        for r in (0..=2000).step_by(8) {
            // But for the last block of the basis, which is the shorter the nearer to the corner it ends.
            let bytes = rest.row_space_bytes(r);
            assert!(most <= bytes + bytes / 100, "{most} before rank {r}, then {bytes} mod {p}");
            most = most.max(bytes);
        }
    }
}

#[test]
fn every_pivot_has_its_place_in_the_blocks() {
    let few = rest(60_000, 50_000, 900_000);
    let many = Rest { pivots: few.pivots + 1_000_000, ..few };
    // Two bytes a residue.
    let more = (1_000_000 * LANES * 2 * WORKSPACES) as u64;
    assert_eq!(many.row_space_bytes(100) - few.row_space_bytes(100), more);
    // Too little for one row.
    let limit = Some(many.within(Some(0)).row_space_bytes(1) - 1);
    assert!(matches!(finish(few, Some(1e9), limit).unwrap(), Finish::RowSpace { give_up } if give_up > 0));
    assert_eq!(finish(many, Some(1e9), limit).unwrap(), Finish::Wiedemann { pivots: true });
}

#[test]
fn the_largest_is_found_by_halving() {
    for most in 0..20 {
        for edge in 0..25 {
            assert_eq!(largest(most, |r| r <= edge), most.min(edge), "{most} {edge}");
        }
    }
}

/// A GPU makes the passes of sketches cheaper, but for waits, and eliminations of wide rows.
#[test]
fn a_gpu_changes_the_prices_of_what_it_makes() {
    let machine = Machine::reference();
    let plain = Rest { nnz: 5_000_000, ..rest(300_000, 250_000, 0) }.with_pivots(600_000);
    let gpu = Rest { gpu: Some(16), ..plain };
    let seconds = |rest: &Rest| rest.sketch_seconds(&machine, 5000).unwrap();
    assert!(seconds(&gpu) < seconds(&plain));
    assert!(gpu.row_space_seconds(&machine, 5000) < plain.row_space_seconds(&machine, 5000));
    assert!(gpu.every_row_at_worst(&machine) < plain.every_row_at_worst(&machine));
    // Levels are waited for once for 256 combinations, by sixteen threads, and by the processor not at all.
    let deep = |rest: Rest| Rest { levels: 10_000, ..rest };
    let waits = seconds(&deep(gpu)) - seconds(&gpu);
    let least = (5000 / 256 * 10_000 * 16) as f64 * machine.device.level;
    assert!((least..1.5 * least).contains(&waits), "{waits}, {least}");
    assert_eq!(seconds(&deep(plain)), seconds(&plain));
    // Short rows, and rows that a minor is made from, are eliminated by the processor.
    let narrow = |gpu| Rest { gpu, ..rest(3000, 3000, 50_000) };
    assert_eq!(narrow(Some(16)).every_row_at_worst(&machine), narrow(None).every_row_at_worst(&machine));
    let minor = |rest: &Rest| Rest { minor: true, ..*rest }.row_space_seconds(&machine, 5000);
    assert_eq!(minor(&gpu), minor(&plain));
}
