//! Whether a matrix is so dense that pivots are not worth looking for, by a glimpse of it.

use crate::matching::components_of;
use crate::pivots::{self, Effort};
use crate::sparse::SparseMatrix;
use crate::{Result, Silent};

/// Lines of each side that are looked at.
const GLIMPSE: usize = 512;
/// A matrix of which fewer than one place in so many has an entry is not dense.
const SPARSE: u128 = 16;
/// Structural pivots among the lines that are looked at are few if there are fewer than one in so many.
const FEW: usize = 4;
/// 2⁶⁴ by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether `a` has many entries, and what is seen of it no more than a few structural pivots: a guess, on which no
/// answer depends.
///
/// Of n × n places, a share d of them with entries at random, the pivots are some (2/d)·ln(d·n), so that their share is
/// smaller in the whole than among the lines seen. A matrix that is triangular up to the order of its lines, or falls
/// into blocks, shows the same among lines drawn from it.
pub(super) fn looks_dense(a: &SparseMatrix) -> Result<bool> {
    let (rows, cols) = (a.rows(), a.cols());
    if rows.min(cols) < GLIMPSE || a.nnz() as u128 * SPARSE < rows as u128 * cols as u128 {
        return Ok(false);
    }
    let mut seen = a.submatrix(&some_lines(rows), &some_lines(cols))?;
    let most = seen.rows().min(seen.cols());
    seen.drop_empty_lines()?;
    if 2 * seen.rows().min(seen.cols()) < most || components_of(&seen)?.count > 1 {
        return Ok(false);
    }
    let effort = Effort { covers: 0, search: 0, reward: u64::MAX };
    Ok(FEW * pivots::find(&seen, &effort, &Silent)?.pivots.len() < most)
}

/// Place k of a sequence that spreads over `count` places, at no regular distance, which a matrix of blocks may repeat:
/// multiples of the golden ratio.
pub(super) fn spread(k: usize, count: usize) -> usize {
    ((u128::from((k as u64).wrapping_mul(GOLDEN)) * count as u128) >> 64) as usize
}

/// At most [`GLIMPSE`] of so many lines, and most of these, ascending.
fn some_lines(count: usize) -> Vec<u32> {
    let mut lines: Vec<u32> = (0..GLIMPSE).map(|k| spread(k, count) as u32).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::{RankOptions, rank};
    use crate::field::{Modulus, Rng};
    use crate::oracles::dense_rank;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    /// A matrix with an entry where `has` says so, its lines shuffled.
    fn shuffled(
        rows: usize,
        cols: usize,
        rng: &mut Rng,
        mut has: impl FnMut(usize, usize, &mut Rng) -> bool,
    ) -> SparseMatrix {
        let (mut row, mut col): (Vec<usize>, Vec<usize>) = ((0..rows).collect(), (0..cols).collect());
        row.shuffle(rng);
        col.shuffle(rng);
        let mut entries = vec![];
        for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
            if has(i, j, rng) {
                entries.push((row[i], col[j], rng.random_range(1..251)));
            }
        }
        SparseMatrix::from_triplets(Modulus::new(251).unwrap(), rows, cols, &entries)
    }

    #[test]
    fn lines_are_spread() {
        for count in (GLIMPSE..6000).step_by(7).chain([1 << 20, u32::MAX as usize]) {
            let lines = some_lines(count);
            let most = GLIMPSE - GLIMPSE * GLIMPSE / (2 * count);
            assert!(lines.len() >= most && lines[lines.len() - 1] < count as u32, "{} of {count}", lines.len());
            let gap = lines.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(gap as usize <= 3 * count / GLIMPSE + 1, "{gap} lines of {count} unseen");
        }
    }

    #[test]
    fn matrices_without_structure_look_dense_and_others_do_not() {
        let mut rng = Rng::seed_from_u64(74);
        let dense = |share| move |_: usize, _: usize, rng: &mut Rng| rng.random_bool(share);
        for (rows, cols, share, looks) in [
            (600, 700, 0.5, true),
            (1200, 600, 0.25, true),
            (900, 900, 0.12, true),
            (600, 600, 1.0, true),
            (900, 900, 0.03, false),
            (500, 900, 0.5, false),
        ] {
            let a = shuffled(rows, cols, &mut rng, dense(share));
            assert_eq!(looks_dense(&a).unwrap(), looks, "{rows} x {cols}, {share} of it filled");
        }
        // A triangle; blocks of their own, of ninety lines; a half that is an identity.
        let triangle = shuffled(800, 800, &mut rng, |i, j, _| j >= i);
        let blocks = shuffled(720, 720, &mut rng, |i, j, _| i / 90 == j / 90);
        let border = shuffled(1000, 1000, &mut rng, |i, j, _| i.min(j) >= 500 || i == j);
        // Two parts, each of which looks dense.
        let half = |i: usize, j: usize, rng: &mut Rng| i / 600 == j / 600 && rng.random_bool(0.5);
        let parts = shuffled(1200, 1200, &mut rng, half);
        assert!(looks_dense(&shuffled(600, 600, &mut rng, half)).unwrap());
        for a in [&triangle, &blocks, &border, &parts] {
            assert!(a.nnz() as u128 * SPARSE >= a.rows() as u128 * a.cols() as u128);
            assert!(!looks_dense(a).unwrap(), "{} x {}", a.rows(), a.cols());
        }
    }

    /// Whatever its rank, none of the steps that look for structure is taken.
    #[test]
    fn what_looks_dense_is_eliminated_at_once() {
        let mut rng = Rng::seed_from_u64(75);
        let a = shuffled(640, 600, &mut rng, |_, j, rng| j < 500 && rng.random_bool(0.3));
        // Columns that others repeat.
        let mut entries: Vec<(usize, usize, u64)> = vec![];
        for i in 0..a.rows() {
            let (cols, values) = a.row(i);
            entries.extend(cols.iter().zip(values).map(|(&j, &v)| (i, j as usize, v)));
            entries.extend(cols.iter().zip(values).filter(|(j, _)| **j < 90).map(|(&j, &v)| (i, 600 + j as usize, v)));
        }
        let b = SparseMatrix::from_triplets(a.modulus(), 640, 690, &entries);
        let found = rank(&b, &RankOptions::default(), &Silent).unwrap();
        assert_eq!(found.rank, dense_rank(&b));
        let names: Vec<&str> = found.path.iter().map(|step| step.name).collect();
        assert!(looks_dense(&b.without_empty_lines().unwrap()).unwrap());
        assert!(found.rank <= 500 && !names.contains(&"structural pivots"), "{names:?}");
    }
}
