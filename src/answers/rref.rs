//! The reduced row echelon form: the one basis of the row space in which pivots are 1, the first entries of their rows,
//! and alone in their columns; pivot columns ascend.
//!
//! Where all structural pivots are first entries of their rows ([`Rule::Leading`]; J.-C. Faugère, S. Lachartre, PASCO
//! 2010), complements and the dense echelon form at the end keep the columns in order, and together have their pivots
//! in the columns that do not depend on columns before them: the column rank profile. The form is then (I T) up to the
//! order of columns, and (-T; I) the basis of the null space that belongs to the free columns: a column of T is a null
//! vector ([`kernel`](super::kernel())), checked by multiplication. Columns are made in blocks, in the memory of a few.
//! Entry: [`rref()`].

use super::Rank;
use super::kernel::{Kernel, NullVectors, decompose};
use super::profile::Profile;
use super::rank::RankOptions;
use crate::certify::Certainty;
use crate::pivots::{Effort, Rule, find, find_by};
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, memory};

/// What the memory is for.
const COLUMNS: &str = "the columns of an echelon form";
/// By what factor pivots in any order have to leave fewer columns than those that are first entries: what is done in
/// vain otherwise grows with the cube of these columns.
const FEWER: usize = 8;

/// A reduced row echelon form, ready to be written down.
#[derive(Debug)]
#[must_use]
pub struct RowEchelon {
    kernel: Kernel,
    profile: Profile,
}

/// The entries of some columns without a pivot.
#[derive(Clone, Copy, Debug)]
pub struct FreeColumns<'a> {
    vectors: &'a NullVectors,
    of: &'a RowEchelon,
}

impl FreeColumns<'_> {
    /// How many free columns there are up to these, and with them.
    pub fn end(&self) -> usize {
        self.vectors.first() + self.vectors.len()
    }
    /// The entries (row, column, residue), column by column, rows ascending.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let (modulus, profile) = (self.of.kernel.modulus(), &self.of.profile);
        (0..self.vectors.len()).flat_map(move |k| {
            let (at, values) = self.vectors.vector(k);
            let own = profile.free_among(at).expect("its own column");
            at.iter().zip(values).filter_map(move |(&j, &v)| Some((profile.row(j)?, own, modulus.neg(v))))
        })
    }
}

/// The reduced row echelon form of `a`, its columns in their order. Of the options, the seed, the memory, the prices
/// and the patience count; block Wiedemann is refused.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, rref}, field::Modulus, sparse::SparseMatrix};
/// let p = Modulus::new(7)?;
/// let a = SparseMatrix::from_csr(p, 3, &[0, 3, 6], &[0, 1, 2, 0, 1, 2], &[2, 4, 6, 1, 2, 1])?;
/// let form = rref(a, &RankOptions::default(), &Silent)?;
/// assert_eq!(form.pivots(), [0, 2]);
/// assert_eq!(form.matrix(&Silent)?, SparseMatrix::from_csr(p, 3, &[0, 2, 3], &[0, 1, 2], &[1, 2, 1])?);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) for options out of range, [`Error::Memory`](crate::Error::Memory) if no way
/// fits or memory ends, [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so, and
/// [`Error::Check`](crate::Error::Check) if a computation contradicts itself.
pub fn rref(a: SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<RowEchelon> {
    if other_pivots_pay(&a, observer)? {
        let kernel = decompose(a.try_clone()?, Rule::Aside(0), options, observer)?;
        if kernel.rank().rank == a.non_empty_cols()?.len() {
            let profile = Profile::of(&kernel)?;
            return Ok(RowEchelon { kernel, profile });
        }
    }
    let kernel = decompose(a, Rule::Leading, options, observer)?;
    let profile = Profile::of(&kernel)?;
    Ok(RowEchelon { kernel, profile })
}

/// Whether structural pivots that are no first entries of their rows leave so few columns that it pays to see by them,
/// first of all, whether all columns with an entry are independent: then all of these are pivots in any order.
fn other_pivots_pay(a: &SparseMatrix, observer: &dyn Observer) -> Result<bool> {
    // A few visits of each entry, whatever they find.
    let effort = Effort { reward: u64::MAX, ..Effort::default() };
    let leading = find_by(a, Rule::Leading, &effort, observer)?;
    if leading.free_cols == 0 || leading.free_rows < leading.free_cols {
        return Ok(false);
    }
    Ok(find(a, &effort, observer)?.free_cols.saturating_mul(FEWER) <= leading.free_cols)
}

impl RowEchelon {
    /// The rank, how it was found and how sure it is.
    pub fn rank(&self) -> &Rank {
        self.kernel.rank()
    }
    /// The column of each row's leading 1, ascending: the column rank profile.
    pub fn pivots(&self) -> &[u32] {
        self.profile.pivots()
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.profile.cols()
    }
    /// Makes the entries in the columns without a pivot, some columns after the others: `make` is called in parallel,
    /// `take` with what it returns in the order of the columns. What is returned is how sure it is that this is the
    /// form: a proof.
    ///
    /// # Errors
    /// Those of `make` and `take`; [`Error::Check`](crate::Error::Check) if a column is refuted, which happens with the
    /// probability of [`Rank::certainty`] at most; [`Error::Interrupted`](crate::Error::Interrupted),
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn free_columns<T: Send>(
        &self,
        make: impl Fn(FreeColumns<'_>) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        self.free_columns_after(0, make, take, observer)
    }
    /// The same without the first `done` free columns, which another process has taken of the same form: all of some of
    /// the blocks in which they come.
    ///
    /// # Errors
    /// As [`RowEchelon::free_columns`]; [`Error::Usage`](crate::Error::Usage) where no block ends with number `done`.
    pub fn free_columns_after<T: Send>(
        &self,
        done: usize,
        make: impl Fn(FreeColumns<'_>) -> Result<T> + Sync,
        take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<Certainty> {
        self.kernel.basis_after(done, |vectors| make(FreeColumns { vectors, of: self }), take, observer)
    }
    /// The whole form, rank × columns.
    ///
    /// # Errors
    /// As [`RowEchelon::free_columns`].
    pub fn matrix(&self, observer: &dyn Observer) -> Result<SparseMatrix> {
        let rows = self.pivots().len();
        let mut turned: Vec<Vec<(u32, u64)>> = vec![];
        memory::reserve(&mut turned, self.cols(), COLUMNS)?;
        turned.resize(self.cols(), vec![]);
        let take = |entries: Vec<(u32, u32, u64)>| {
            entries.into_iter().try_for_each(|(i, j, v)| memory::push(&mut turned[j as usize], (i, v), COLUMNS))
        };
        let _ = self.free_columns(|some| memory::collect(some.entries(), COLUMNS), take, observer)?;
        let nnz = turned.iter().map(Vec::len).sum::<usize>() + rows;
        let mut columns = SparseMatrix::empty(self.kernel.modulus(), rows, self.cols(), nnz)?;
        for (j, mut entries) in (0..).zip(turned) {
            entries.extend(self.profile.row(j).map(|row| (row, 1)));
            columns.push_row(&mut entries);
        }
        columns.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::{Kind, Machine};
    use crate::dense::DenseMatrix;
    use crate::field::{Modulus, Rng};
    use crate::{Silent, families};
    use rand::{RngExt, SeedableRng};

    /// Against the textbook: the reduced echelon form of the dense matrix, column by column.
    fn check(a: &SparseMatrix, machine: &Machine) {
        let (p, n) = (a.modulus(), a.cols());
        let form = rref(a.try_clone().unwrap(), &RankOptions::default().machine(machine.clone()), &Silent).unwrap();
        let mut rows: Vec<Vec<u64>> = vec![vec![0; n]; a.rows()];
        for (i, row) in rows.iter_mut().enumerate() {
            a.row(i).0.iter().zip(a.row(i).1).for_each(|(&j, &v)| row[j as usize] = v);
        }
        let (mut done, mut pivots) = (0, vec![]);
        for j in 0..n {
            let Some(pivot) = (done..rows.len()).find(|&i| rows[i][j] != 0) else { continue };
            rows.swap(done, pivot);
            let inverse = p.inv(rows[done][j]);
            rows[done].iter_mut().for_each(|v| *v = p.mul(*v, inverse));
            let own = rows[done].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(i, row)| *i != done && row[j] != 0) {
                let by = row[j];
                row.iter_mut().zip(&own).for_each(|(v, &own)| *v = p.sub(*v, p.mul(by, own)));
            }
            (done, pivots) = (done + 1, [pivots, vec![j as u32]].concat());
        }
        assert_eq!((form.pivots(), form.rank().rank, form.cols()), (&pivots[..], done, n), "{:?}", form.rank().path);
        let entries = rows[..done].iter().enumerate();
        let entries: Vec<_> =
            entries.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &v)| (i, j, v))).collect();
        assert_eq!(form.matrix(&Silent).unwrap(), SparseMatrix::from_triplets(p, done, n, &entries), "mod {p}");
    }

    #[test]
    fn forms_are_those_of_the_textbook() {
        let mut rng = Rng::seed_from_u64(51);
        let reference = Machine::reference();
        let formed = reference.scaled(Kind::Passes, 1e6).scaled(Kind::Dense, 1e6).scaled(Kind::Sparse, 1e-6);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (rows, cols, nnz) in
                [(0, 0, 0), (0, 5, 0), (5, 0, 0), (3, 4, 0), (1, 1, 1), (30, 50, 80), (60, 30, 120), (50, 60, 2500)]
            {
                let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
                let entries: Vec<_> = (0..nnz).map(entry).collect();
                let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
                for machine in [&reference, &formed] {
                    check(&a, machine);
                }
            }
            for name in ["mk7-b2", "ch4-4-b2", "bibd_9_5"] {
                for machine in [&reference, &formed] {
                    check(&families::generate(name).unwrap().reduce(p), machine);
                }
            }
        }
    }

    /// All rows begin in one column, so that one of them has a first entry that is a pivot: as quick as a rank where
    /// all columns are independent; of one that is not, and of empty ones, the textbook knows.
    #[test]
    fn full_columns_are_pivots_in_any_order() {
        let mut rng = Rng::seed_from_u64(53);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for n in [2, 3, 40, 200] {
                let (cols, unit) = (n + n / 3, |rng: &mut Rng| rng.random_range(1..p.get()));
                let at = |j: usize| j + j / 3;
                let mut arrow: Vec<_> = (0..n).flat_map(|i| [(i, i), (i, 0), (0, i)]).collect();
                arrow.sort_unstable();
                arrow.dedup();
                let arrow: Vec<_> = arrow.into_iter().map(|(i, j)| (i, at(j), unit(&mut rng))).collect();
                // Rows that make a triangle of all columns; the last column once more, which depends on the others.
                let more = (1..n).map(|j| (n + j, at(j), unit(&mut rng))).collect();
                let twice = arrow.iter().filter(|e| e.1 == at(n - 1)).map(|&(i, _, v)| (i, cols, v)).collect();
                for (extra, wide) in [(vec![], cols), (more, cols), (twice, cols + 1)] {
                    let entries = [&arrow[..], &extra].concat();
                    let a = SparseMatrix::from_triplets(p, 2 * n, wide, &entries);
                    check(&a, &Machine::reference());
                    let full = a.non_empty_cols().unwrap();
                    let form = rref(a, &RankOptions::default(), &Silent).unwrap();
                    assert!(form.pivots() != full || form.rank().certainty == Certainty::Proven);
                }
            }
        }
        let (p, n) = (Modulus::new(65521).unwrap(), 100_000);
        let arrow = (1..n).flat_map(|i| [(0, i, 1), (i, 0, 1), (i, i, 2)]);
        let column = (0..n).flat_map(|i| [(i, 0, 1), (i, i, 2)]);
        for entries in [arrow.chain([(0, 0, 5)]).collect::<Vec<_>>(), column.collect()] {
            let a = SparseMatrix::from_triplets(p, n, n, &entries);
            assert_eq!(rref(a, &RankOptions::default(), &Silent).unwrap().pivots().len(), n);
        }
    }

    /// The dense echelon form agrees on which columns come first.
    #[test]
    fn pivots_are_the_column_rank_profile() {
        let mut rng = Rng::seed_from_u64(52);
        let p = Modulus::new(7).unwrap();
        let data: Vec<u64> =
            (0..40 * 30).map(|_| if rng.random_range(0..9) == 0 { rng.random_range(0..7) } else { 0 }).collect();
        let entries: Vec<_> = data.iter().enumerate().map(|(k, &v)| (k / 30, k % 30, v)).collect();
        let a = SparseMatrix::from_triplets(p, 40, 30, &entries);
        let echelon = DenseMatrix::from_entries(40, 30, data).echelon(p, &Silent).unwrap();
        assert_eq!(rref(a, &RankOptions::default(), &Silent).unwrap().pivots(), echelon.pivot_cols().unwrap());
    }
}
