//! Triangular solves by pushing, against their definition.

use super::*;
use crate::field::Rng;
use rand::{RngExt, SeedableRng};

const PRIMES: [u64; 9] = [2, 3, 251, 65521, 65537, (1 << 31) - 1, 4_294_967_291, (1 << 61) - 1, (1 << 63) - 25];

/// Lines of a random solve; duplicates of a slot are left out.
fn random_lines(p: Modulus, outputs: usize, solved: usize, inputs: usize, rng: &mut Rng) -> Vec<Vec<(u32, u64)>> {
    let line = |end: usize, rng: &mut Rng| {
        let mut slots: Vec<u32> = (0..rng.random_range(0..6)).map(|_| rng.random_range(0..end.max(1)) as u32).collect();
        slots.retain(|&s| (s as usize) < end);
        slots.sort_unstable();
        slots.dedup();
        let value = |rng: &mut Rng| [1, p.get() - 1, rng.random_range(1..p.get())][rng.random_range(0..3)];
        slots.into_iter().map(|s| (s, value(rng))).collect()
    };
    (0..solved + inputs).map(|k| line(outputs + k.min(solved), rng)).collect()
}

#[test]
fn what_remains_is_what_the_definition_leaves_whatever_came_before() {
    let mut rng = Rng::seed_from_u64(1);
    for p in PRIMES.map(|p| Modulus::new(p).unwrap()) {
        for (outputs, solved, inputs) in [(0, 0, 1), (5, 0, 3), (0, 9, 4), (1, 1, 1), (30, 200, 40), (64, 64, 1)] {
            let lines = random_lines(p, outputs, solved, inputs, &mut rng);
            let mut pushed = SolveLines::with_capacity(p, lines.len(), 0).unwrap();
            lines.iter().for_each(|line| pushed.push(line.iter().copied()).unwrap());
            let solve = PushSolve::new(outputs, solved, pushed).unwrap();
            let mut space = solve.space().unwrap();
            for _ in 0..3 {
                // The unit vectors of some lanes, and a line with multipliers in all of them, zeros too.
                let mut x = vec![[0u64; LANES]; inputs];
                for lane in (0..LANES).filter(|l| l % 3 != 0) {
                    let input = rng.random_range(0..inputs);
                    x[input][lane] = p.add(x[input][lane], 1);
                    solve.add_unit(&mut space, input, lane);
                }
                let (input, factors) =
                    (rng.random_range(0..inputs), [(); LANES].map(|()| rng.random_range(0..p.get())));
                x[input].iter_mut().zip(factors).for_each(|(x, f)| *x = p.add(*x, f));
                solve.add(&mut space, input, &factors);
                let mut kept = vec![7];
                let keeps = rng.random();
                let found = match keeps {
                    true => solve.solve_keeping(&mut space, &mut kept).unwrap(),
                    false => solve.solve(&mut space),
                };

                let mut sums = vec![[0u64; LANES]; outputs + solved];
                let add = |sums: &mut Vec<[u64; LANES]>, line: &[(u32, u64)], x: [u64; LANES]| {
                    for &(s, v) in line {
                        (0..LANES).for_each(|l| sums[s as usize][l] = p.add(sums[s as usize][l], p.mul(v, x[l])));
                    }
                };
                (0..inputs).for_each(|j| add(&mut sums, &lines[solved + j], x[j]));
                for slot in (outputs..outputs + solved).rev() {
                    let x = sums[slot];
                    add(&mut sums, &lines[slot - outputs], x);
                }
                if keeps {
                    let solved = (outputs..outputs + solved).rev().filter(|&slot| sums[slot] != [0; LANES]);
                    assert_eq!(kept, solved.map(|slot| slot as u32).collect::<Vec<_>>());
                    kept.iter().for_each(|&slot| assert_eq!(space.take(slot), sums[slot as usize]));
                }
                let lanes = |sum: &[u64; LANES]| (0..LANES).fold(0, |m, l| m | ((sum[l] != 0) as u32) << l);
                let all = sums[..outputs].iter().enumerate().rev().map(|(output, sum)| (output as u32, lanes(sum)));
                let expected: Vec<_> =
                    all.filter(|r| r.1 != 0).map(|(output, lanes)| Remainder { output, lanes }).collect();
                assert_eq!(found, expected, "p = {p}, {outputs} outputs, {solved} solved");
                assert!(
                    space.marks.iter().all(|m| *m == 0) && space.sums.to_residues().unwrap().iter().all(|x| *x == 0)
                );
            }
        }
    }
}

#[test]
fn only_what_is_reached_is_paid_for() {
    let p = Modulus::new(65521).unwrap();
    let mut lines = SolveLines::with_capacity(p, 1001, 1001).unwrap();
    // A chain down to the one output; the first input enters it at slot 10, the second not at all.
    (0..1000).for_each(|k| lines.push([(k, 1)].into_iter()).unwrap());
    lines.push([(10, 5)].into_iter()).unwrap();
    lines.push([].into_iter()).unwrap();
    let solve = PushSolve::new(1, 1000, lines).unwrap();
    let mut space = solve.space().unwrap();
    solve.add_unit(&mut space, 0, 7);
    assert_eq!(solve.solve(&mut space), [Remainder { output: 0, lanes: 1 << 7 }]);
    assert_eq!((space.take_work(), space.take_work()), (11, 0));
    solve.add_unit(&mut space, 1, 7);
    assert!(solve.solve(&mut space).is_empty() && space.take_work() == 0);
}

#[test]
#[should_panic(expected = "line 1 has an entry in slot 3, and not below 3")]
fn a_line_that_needs_its_own_slot_is_refused() {
    let p = Modulus::new(7).unwrap();
    let mut lines = SolveLines::with_capacity(p, 2, 2).unwrap();
    lines.push([(1, 3)].into_iter()).unwrap();
    lines.push([(3, 3)].into_iter()).unwrap();
    PushSolve::new(2, 2, lines).unwrap();
}
