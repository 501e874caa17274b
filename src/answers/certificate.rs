//! Making a certificate of a rank mod p: from an invertible minor to vectors that a [verifier](crate::certify) can check.
//!
//! Let I = I₁ ∪ I₂ and J = J₁ ∪ J₂ be rows and columns of the minor, A\[I₁, J₁\] its triangular chain, F the other columns. Both
//! kinds of vectors come from one dense system with the Schur complement S = A\[I₂, J₂\] - A\[I₂, J₁\]·A\[I₁, J₁\]⁻¹·A\[I₁, J₂\],
//! whose order s is that of what the chain leaves:
//!
//! - x with M·x = (0, b): S·x\[J₂\] = b;
//! - w with A·w = 0 and w\[F\] given: with w\[J₂\] = 0 and w\[J₁\] by substitution the rows I₂ give some ρ, and S·w\[J₂\] = -ρ.
//!
//! S itself is A\[I₂, :\] times the unit vectors of J₂ after substitution, some dozens side by side. Cost: s products with
//! the rows of the minor, s³/3 dense. Entry: [`certificate`].

use crate::certify::{self, Certificate, Challenge, Claim, Lanes, Upper, repetitions};
use crate::dense::{DenseMatrix, Row};
use crate::field::{Field, Modulus, PrimeField};
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result};
use rayon::prelude::*;
use std::collections::VecDeque;

/// Rows and columns of an invertible minor whose order is the rank.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Minor {
    /// Its rows, those of the triangular chain first.
    pub rows: Vec<u32>,
    /// Its columns, those of the triangular chain first.
    pub cols: Vec<u32>,
    /// The length t of the chain: row `rows[k]` has no entry in `cols[l]` for l < k < t, and one in `cols[k]`.
    pub triangular: usize,
}

impl Minor {
    /// The minor of the given lines in an order with as long a chain as singletons give: a column with one entry begins what is
    /// left of the chain, a row with one entry ends it, and both leave smaller minors with new singletons.
    ///
    /// # Panics
    /// If there are not as many rows as columns, or a line is out of range.
    pub fn peeled(a: &SparseMatrix, rows: Vec<u32>, cols: Vec<u32>) -> Minor {
        assert_eq!(rows.len(), cols.len(), "a minor is square");
        let r = rows.len();
        let mut place = vec![u32::MAX; a.cols()];
        cols.iter().enumerate().for_each(|(l, &j)| place[j as usize] = l as u32);
        let local = |k: usize| -> Vec<u32> {
            a.row(rows[k] as usize).0.iter().map(|&j| place[j as usize]).filter(|&l| l != u32::MAX).collect()
        };
        let by_row: Vec<Vec<u32>> = (0..r).map(local).collect();
        let mut by_col: Vec<Vec<u32>> = vec![vec![]; r];
        by_row.iter().enumerate().for_each(|(k, row)| row.iter().for_each(|&l| by_col[l as usize].push(k as u32)));
        // Side 0 are the rows, side 1 the columns: lists, live entries, whether a line is still there.
        let lists = [by_row, by_col];
        let mut live = lists.each_ref().map(|side| side.iter().map(Vec::len).collect::<Vec<_>>());
        let mut there = [vec![true; r], vec![true; r]];
        let (mut front, mut back) = (vec![], vec![]);
        // Columns first: they keep the order of the rows where both sides offer the same pairs.
        let mut queue: VecDeque<(usize, usize)> =
            [1, 0].into_iter().flat_map(|side| (0..r).map(move |line| (side, line))).collect();
        while let Some((side, line)) = queue.pop_front() {
            if !there[side][line] || live[side][line] != 1 {
                continue;
            }
            let other = lists[side][line].iter().copied().find(|&o| there[1 - side][o as usize]);
            let other = other.expect("one live entry") as usize;
            let pair = if side == 0 { (line, other) } else { (other, line) };
            if side == 0 { &mut back } else { &mut front }.push(pair);
            (there[0][pair.0], there[1][pair.1]) = (false, false);
            for (side, gone) in [(0, pair.0), (1, pair.1)] {
                for &o in &lists[side][gone] {
                    live[1 - side][o as usize] -= 1;
                    queue.push_back((1 - side, o as usize));
                }
            }
        }
        let chain: Vec<(usize, usize)> = front.into_iter().chain(back.into_iter().rev()).collect();
        let left = |side: usize| (0..r).filter(|&line| there[side][line]).collect::<Vec<_>>();
        let order = |chain: Vec<usize>, left: Vec<usize>, names: &[u32]| -> Vec<u32> {
            chain.into_iter().chain(left).map(|line| names[line]).collect()
        };
        Minor {
            rows: order(chain.iter().map(|&(k, _)| k).collect(), left(0), &rows),
            cols: order(chain.iter().map(|&(_, l)| l).collect(), left(1), &cols),
            triangular: chain.len(),
        }
    }

    /// A minor of the order of the rank, by dense elimination of the whole matrix: for some thousands of rows.
    ///
    /// Row rank profile × column rank profile is invertible: the rows span the row space, so that the same columns are
    /// independent in them.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn by_dense_elimination(a: &SparseMatrix, observer: &dyn Observer) -> Result<Minor> {
        let rows: Vec<Row<'_>> = (0..a.rows()).map(|i| a.row(i)).collect();
        let mut echelon = crate::dense::Echelon::new(a.modulus(), a.cols());
        echelon.absorb(&rows, observer)?;
        let rows = echelon.pivot_rows().iter().map(|&i| i as u32).collect();
        let cols = echelon.pivot_cols().iter().map(|&j| j as u32).collect();
        Ok(Minor::peeled(a, rows, cols))
    }
}

/// A certificate that `a` has the rank of `minor`, checked by [`certify::verify`] before it is returned. `digest` is
/// that of the integer matrix ([`Triplets::digest`](crate::sparse::Triplets::digest)); `lines` are rows and columns, together
/// as many as the rank, that meet every entry, where the caller knows such (a minimum vertex cover): with them the upper bound
/// is proven. The non-empty rows, or columns, are tried without being asked.
///
/// # Errors
/// [`Error::Check`] if the minor is singular, no chain where it says so, or smaller than the rank; [`Error::Interrupted`].
///
/// # Panics
/// If `minor` has not as many rows as columns, names lines out of range, or a chain longer than itself.
pub fn certificate(
    a: &SparseMatrix,
    digest: &str,
    minor: &Minor,
    lines: Option<(Vec<u32>, Vec<u32>)>,
    observer: &dyn Observer,
) -> Result<Certificate> {
    assert!(minor.rows.len() == minor.cols.len() && minor.triangular <= minor.rows.len(), "a minor with its chain");
    let upper = lines.or_else(|| all_lines(a, minor.rows.len())).map(|(rows, cols)| Upper::Lines { rows, cols });
    let by_lines = upper.is_some();
    let mut certificate = Certificate {
        digest: digest.to_owned(),
        modulus: a.modulus(),
        rows: a.rows(),
        cols: a.cols(),
        triangular: minor.triangular,
        minor_rows: minor.rows.clone(),
        minor_cols: minor.cols.clone(),
        lower: vec![],
        upper: upper.unwrap_or(Upper::Combinations(vec![])),
    };
    certify::check_chain(&certificate, a)?;
    if certificate.beyond_chain() > 0 {
        let (x, w) = vectors(a, &certificate, !by_lines, observer)?;
        certificate.lower = x;
        if !by_lines {
            certificate.upper = Upper::Combinations(w);
        }
    }
    certify::verify(&certificate, a, digest, observer)?;
    Ok(certificate)
}

/// The non-empty rows, or else columns, if they are r.
fn all_lines(a: &SparseMatrix, r: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    let rows: Vec<u32> = (0..a.rows() as u32).filter(|&i| !a.row(i as usize).0.is_empty()).collect();
    if rows.len() == r {
        return Some((rows, vec![]));
    }
    let mut used = vec![false; a.cols()];
    (0..a.rows()).for_each(|i| a.row(i).0.iter().for_each(|&j| used[j as usize] = true));
    let cols: Vec<u32> = (0..a.cols() as u32).filter(|&j| used[j as usize]).collect();
    (cols.len() == r).then_some((vec![], cols))
}

/// Unit vectors that are substituted side by side: a cache line each, eight times over.
const WIDTH: usize = 64;

/// The vectors x, and the vectors w if `both`, on J₂ in the layout of [`Certificate::lower`].
fn vectors(a: &SparseMatrix, c: &Certificate, both: bool, observer: &dyn Observer) -> Result<(Vec<u64>, Vec<u64>)> {
    let (t, s, k) = (c.triangular, c.beyond_chain(), repetitions(c.modulus));
    let (chain_rows, last_rows) = c.minor_rows.split_at(t);
    let (chain_cols, last_cols) = c.minor_cols.split_at(t);
    let wide = s + if both { 2 * k } else { k };
    // (S | b | -ρ), row by row.
    let mut system = vec![0; s * wide];

    observer.phase("certificate: Schur complement", s as u64);
    let mut lanes = Lanes::zeros(c.modulus, a.cols(), WIDTH);
    let mut product = [0; WIDTH];
    for (block, units) in last_cols.chunks(WIDTH).enumerate() {
        observer.check()?;
        lanes.clear();
        units.iter().enumerate().for_each(|(lane, &j)| lanes.get_mut(j)[lane] = 1);
        lanes.substitute(a, chain_rows, chain_cols);
        for (row, &i) in system.chunks_mut(wide).zip(last_rows) {
            lanes.product(a, i, &mut product);
            row[block * WIDTH..][..units.len()].copy_from_slice(&product[..units.len()]);
        }
        observer.progress((block * WIDTH + units.len()) as u64);
    }

    let mut challenge = Challenge::new(c, Claim::Lower);
    system.chunks_mut(wide).for_each(|row| challenge.fill(&mut row[s..s + k]));
    if both {
        let mut w = Lanes::zeros(c.modulus, a.cols(), k);
        let mut chosen = vec![false; a.cols()];
        c.minor_cols.iter().for_each(|&j| chosen[j as usize] = true);
        let mut challenge = Challenge::new(c, Claim::Upper);
        (0..a.cols() as u32).filter(|&j| !chosen[j as usize]).for_each(|j| challenge.fill(w.get_mut(j)));
        w.substitute(a, chain_rows, chain_cols);
        for (row, &i) in system.chunks_mut(wide).zip(last_rows) {
            w.product(a, i, &mut row[s + k..]);
            row[s + k..].iter_mut().for_each(|x| *x = c.modulus.neg(*x));
        }
    }
    let solution = solve(c.modulus, s, wide, &mut system, observer)?;
    let part = |range: std::ops::Range<usize>| {
        solution.chunks(wide - s).flat_map(|row| row[range.clone()].iter().copied()).collect::<Vec<_>>()
    };
    Ok((part(0..k), if both { part(k..2 * k) } else { vec![] }))
}

/// S⁻¹·R for the s × `wide` system (S | R), row-major, which is overwritten: s³/3 multiply-adds in S.
///
/// # Errors
/// [`Error::Check`] if S is singular, [`Error::Interrupted`].
fn solve(modulus: Modulus, s: usize, wide: usize, system: &mut [u64], observer: &dyn Observer) -> Result<Vec<u64>> {
    let field = PrimeField(modulus);
    observer.phase("certificate: dense solution", s as u64);
    for k in 0..s {
        observer.check()?;
        let pivot = (k..s).find(|&i| system[i * wide + k] != 0);
        let pivot = pivot.ok_or_else(|| Error::Check("the minor that should show the rank is singular".into()))?;
        let (done, rest) = system.split_at_mut((k + 1) * wide);
        let own = &mut done[k * wide..];
        if pivot > k {
            own.swap_with_slice(&mut rest[(pivot - k - 1) * wide..][..wide]);
        }
        let inverse = modulus.inv(own[k]);
        own[k..].iter_mut().for_each(|x| *x = modulus.mul(*x, inverse));
        rest.par_chunks_mut(wide).for_each(|row| {
            let factor = modulus.neg(row[k]);
            field.axpy(&mut row[k..], factor, &own[k..]);
        });
        observer.progress(k as u64 + 1);
    }
    // S is upper triangular now, with ones on its diagonal.
    let mut solution = DenseMatrix::zeros(s, wide - s);
    for i in (0..s).rev() {
        let row = &system[i * wide..][..wide];
        let mut own = row[s..].to_vec();
        for l in i + 1..s {
            field.axpy(&mut own, modulus.neg(row[l]), solution.row(l));
        }
        solution.row_mut(i).copy_from_slice(&own);
    }
    Ok(solution.data().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::{Certainty, verify};
    use crate::field::Rng;
    use crate::sparse::Triplets;
    use crate::{Silent, families};
    use rand::{RngExt, SeedableRng};

    const PRIMES: [u64; 5] = [2, 3, 65521, (1 << 31) - 1, (1 << 63) - 25];

    /// A sparse matrix with empty and repeated lines.
    fn random(rng: &mut Rng, rows: usize, cols: usize, nnz: usize) -> Triplets {
        let half = |n: usize| n.div_ceil(2);
        let entries: Vec<_> = (0..nnz)
            .map(|_| (rng.random_range(0..half(rows)), rng.random_range(0..cols), rng.random_range(-3..4)))
            .collect();
        // The second half repeats the first, shuffled by one, but for the last row.
        let copies = entries.clone().into_iter().map(|(i, j, v)| (rows - 1 - i, j, v)).filter(|e| e.0 != rows - 1);
        Triplets::from_entries(rows, cols, entries.into_iter().chain(copies))
    }

    fn check(triplets: &Triplets, p: u64) -> Certificate {
        let a = triplets.reduce(Modulus::new(p).unwrap());
        let minor = Minor::by_dense_elimination(&a, &Silent).unwrap();
        let digest = triplets.digest();
        let c = certificate(&a, &digest, &minor, None, &Silent).unwrap();
        let data: Vec<u64> = (0..a.rows())
            .flat_map(|i| {
                let mut line = vec![0; a.cols()];
                a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| line[j as usize] = v);
                line
            })
            .collect();
        let rank = DenseMatrix::from_entries(a.rows(), a.cols(), data).rank(&PrimeField(a.modulus()));
        assert_eq!(verify(&c, &a, &digest, &Silent).unwrap().rank, rank);
        c
    }

    #[test]
    fn random_and_degenerate_matrices() {
        let mut rng = Rng::seed_from_u64(1);
        for p in PRIMES {
            for (rows, cols, nnz) in [
                (0, 5, 0),
                (5, 0, 0),
                (4, 4, 0),
                (1, 1, 1),
                (30, 40, 60),
                (40, 30, 200),
                (90, 80, 2000),
                (200, 150, 700),
            ] {
                check(&random(&mut rng, rows, cols, nnz), p);
            }
            // Full rank is proven where a chain shows it, and random vectors where none does.
            let upper = (0..9).flat_map(|i| (i..12).map(move |j| (i, j, 1)));
            let c = check(&Triplets::from_entries(9, 12, upper), p);
            assert_eq!((c.triangular, c.lower.len()), (9, 0));
            assert_eq!(c.upper, Upper::Lines { rows: (0..9).collect(), cols: vec![] });
        }
    }

    #[test]
    fn transposed_full_rank_is_bounded_by_columns() {
        let triplets = families::generate("bibd_9_5").unwrap().transpose();
        let c = check(&triplets, 65521);
        assert_eq!(c.upper, Upper::Lines { rows: vec![], cols: (0..36).collect() });
    }

    #[test]
    fn boundary_matrices_and_designs() {
        for name in ["ch5-5-b2", "mk9-b3", "bibd_9_5", "ch4-4-b2"] {
            let triplets = families::generate(name).unwrap();
            for p in [2, 3, 65521] {
                let c = check(&triplets, p);
                assert_eq!(c.lower.len(), c.beyond_chain() * repetitions(c.modulus), "{name} mod {p}");
            }
        }
    }

    #[test]
    fn peeling_gives_chains() {
        let mut rng = Rng::seed_from_u64(2);
        let p = Modulus::new(65521).unwrap();
        // A triangular matrix whose lines are shuffled is all chain.
        for n in [0, 1, 2, 50] {
            let (mut rows, mut cols): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
            for k in (1..n).rev() {
                rows.swap(k, rng.random_range(0..=k));
                cols.swap(k, rng.random_range(0..=k));
            }
            let mut entries: Vec<_> = (0..n).map(|k| (rows[k], cols[k], 1)).collect();
            for _ in 0..3 * n {
                let (k, l) = (rng.random_range(0..n), rng.random_range(0..n));
                entries.push((rows[k.min(l)], cols[k.max(l)], 1));
            }
            let a = Triplets::from_entries(n, n, entries).reduce(p);
            let all: Vec<u32> = (0..n as u32).collect();
            let minor = Minor::peeled(&a, all.clone(), all);
            assert_eq!(minor.triangular, n);
            certificate(&a, &"0".repeat(64), &minor, None, &Silent).unwrap();
        }
        // A dense minor has none.
        let a = Triplets::from_entries(3, 3, (0..9).map(|k| (k / 3, k % 3, 1 + (k * k) as i64))).reduce(p);
        assert_eq!(Minor::peeled(&a, vec![0, 2], vec![1, 2]).triangular, 0);
    }

    #[test]
    fn lines_that_are_given_make_the_bound_proven() {
        // A cross: row 1 and column 2, rank 2, on 4 rows and 4 columns.
        let cross = (0..4).map(|k| (1, k, 1)).chain((0..4).filter(|&k| k != 1).map(|k| (k, 2, 2)));
        let triplets = Triplets::from_entries(4, 4, cross);
        let a = triplets.reduce(Modulus::new(5).unwrap());
        let minor = Minor::by_dense_elimination(&a, &Silent).unwrap();
        let certainty = |lines| {
            let c = certificate(&a, &triplets.digest(), &minor, lines, &Silent).unwrap();
            verify(&c, &a, &triplets.digest(), &Silent).unwrap().certainty()
        };
        assert_eq!(certainty(Some((vec![1], vec![2]))), Certainty::Proven);
        assert!(matches!(certainty(None), Certainty::MonteCarlo { error_bound } if error_bound < 1e-19));
    }

    #[test]
    fn wrong_minors_are_caught() {
        let triplets = families::generate("bibd_9_5").unwrap();
        let a = triplets.reduce(Modulus::new(3).unwrap());
        let good = Minor::by_dense_elimination(&a, &Silent).unwrap();
        let fails = |minor: &Minor| {
            let result = certificate(&a, &triplets.digest(), minor, None, &Silent);
            assert!(matches!(result, Err(Error::Check(_))), "{result:?}");
        };
        let mut small = good.clone();
        (small.rows.pop(), small.cols.pop());
        small.triangular = small.triangular.min(small.rows.len());
        let shorter = Minor::peeled(&a, small.rows.clone(), small.cols.clone());
        fails(&shorter);
        let mut twice = good.clone();
        *twice.rows.last_mut().unwrap() = twice.rows[0];
        fails(&twice);
    }
}
