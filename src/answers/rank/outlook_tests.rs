//! What is decided with a GPU at hand.

use super::outlook::{FEW_ROWS, Outlook};
use super::planner::{Finish, Rest};
use super::{Machine, Method, RankOptions};
use crate::field::Modulus;
use crate::gpu::Devices;
use crate::sparse::SparseMatrix;

/// Where a GPU will be asked for if the rank is not small, a small one is looked for no longer than its prices are
/// worth; and not on the GPU.
#[test]
fn less_is_hoped_for_where_a_gpu_is_next() {
    let none = SparseMatrix::empty(Modulus::new(65521).unwrap(), 0, 0, 0).unwrap();
    let decided = |devices, [rows, nnz]: [usize; 2], larger| {
        let options = RankOptions { devices, ..Default::default() };
        let rest = Rest { rows, cols: rows, nnz, rank_bound: rows, pivots: 2 * rows, ..Rest::of(&none, 0, &options) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
        let outlook = Outlook { rest, options: &options, unformed: None };
        pool.install(|| outlook.decide(&Machine::reference(), larger)).unwrap().0
    };
    let large = [286_139, 5_675_670];
    let (here, either) = (decided(Devices::Processor, large, None), decided(Devices::Auto, large, None));
    assert!(either.finish.ends_before(here.finish) && !either.gpu, "{either:?} {here:?}");
    assert!(either.reason.contains("before a GPU is ready"), "{}", either.reason);
    let Finish::RowSpace { give_up } = either.finish else { unreachable!("it ends before another") };
    let next = decided(Devices::Auto, large, Some(give_up));
    assert!(next.gpu && matches!(next.finish, Finish::Sketch { .. }), "{next:?}");
    // What is short stays as it is.
    let short = [3000, 30_000];
    assert_eq!(decided(Devices::Auto, short, None).finish, decided(Devices::Processor, short, None).finish);
    // Few rows are no work for a GPU that is demanded.
    let demanded = decided(Devices::Gpus, large, None);
    assert!(!demanded.gpu && demanded.reason.contains("so few"), "{demanded:?}");
}

/// A bound on what pivots are worth: only where a GPU may be asked for, and is worth its start.
#[test]
fn a_gpu_that_is_sooner_has_its_seconds_told() {
    let none = SparseMatrix::empty(Modulus::new(65521).unwrap(), 0, 0, 0).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
    let told = |devices, rows: usize, refused| {
        let options = RankOptions { devices, ..Default::default() };
        let mut rest = Rest { rows, cols: rows, nnz: 7 * rows, rank_bound: rows, ..Rest::of(&none, 0, &options) };
        rest.refused.gpu = refused;
        let outlook = Outlook { rest, options: &options, unformed: None };
        let machine = Machine::reference();
        let here = Outlook { rest: Rest { gpu: None, ..rest }, ..outlook };
        let here = here.seconds(&here.wiedemann(&machine).unwrap().unwrap()) / 16.0;
        pool.install(|| outlook.wiedemann_on_gpu(&machine)).unwrap().map(|there| there / here)
    };
    for devices in [Devices::Auto, Devices::Gpus] {
        let ratio = told(devices, 2_000_000, false).expect("a GPU is sooner");
        assert!(ratio > 0.0 && ratio < 1.0, "{ratio}");
        assert_eq!([told(devices, 20, false), told(devices, 2_000_000, true)], [None, None]);
    }
    assert_eq!(told(Devices::Processor, 2_000_000, false), None);
}

/// Many levels make block Wiedemann on a GPU so slow that the row space is preferred: a small rank is looked for on
/// the processor first all the same, and the GPU has the rest.
#[test]
fn a_small_rank_is_looked_for_before_a_gpu_is_open() {
    let none = SparseMatrix::empty(Modulus::new(65521).unwrap(), 0, 0, 0).unwrap();
    let options = RankOptions { devices: Devices::Gpus, ..Default::default() };
    let decided = |levels, larger| {
        let [rows, cols] = [288_453, 100_293];
        let (rest, pivots) = (Rest::of(&none, 0, &options), 276_027);
        let rest = Rest { rows, cols, nnz: 3_386_880, rank_bound: cols, pivots, levels, ..rest };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
        let outlook = Outlook { rest, options: &options, unformed: None };
        pool.install(|| outlook.decide(&Machine::reference(), larger)).unwrap().0
    };
    for levels in [0, 100, 1000, 10_000] {
        let first = decided(levels, None);
        assert!(matches!(first.finish, Finish::RowSpace { give_up: 1..FEW_ROWS }), "{levels}: {first:?}");
        assert!(!first.gpu && first.reason.contains("on the processor"), "{levels}: {first:?}");
        let Finish::RowSpace { give_up } = first.finish else { unreachable!("a row space it is") };
        let next = decided(levels, Some(give_up));
        assert!(next.gpu, "{levels}: {next:?}");
    }
}

/// Where a sketch is out of the question, a GPU need not wait for the levels of the pivots.
#[test]
fn products_without_pivots_are_chosen_where_levels_take_longer() {
    let none = SparseMatrix::empty(Modulus::new(65521).unwrap(), 0, 0, 0).unwrap();
    let decided = |devices, levels, method| {
        let options = RankOptions { devices, method, ..Default::default() };
        let (rows, cols, pivots) = (964_881, 963_949, 990_000);
        let rest = Rest::of(&none, 0, &options);
        let mut rest = Rest { rows, cols, nnz: 38_222_123, rank_bound: cols, pivots, levels, ..rest };
        rest.refused.sketch = true;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
        let outlook = Outlook { rest, options: &options, unformed: None };
        pool.install(|| outlook.decide(&Machine::reference(), Some(65_536))).unwrap().0
    };
    for devices in [Devices::Auto, Devices::Gpus] {
        let (few, many) = (decided(devices, 4, Method::Auto), decided(devices, 10_000, Method::Auto));
        assert_eq!([few.finish, many.finish], [true, false].map(|pivots| Finish::Wiedemann { pivots }));
        assert!(many.gpu && many.reason.contains("levels"), "{many:?}");
        let asked = decided(devices, 10_000, Method::Hybrid);
        assert_eq!(asked.finish, Finish::Wiedemann { pivots: true });
    }
    // The processor waits for none.
    assert_eq!(decided(Devices::Processor, 10_000, Method::Auto).finish, Finish::Wiedemann { pivots: true });
}
