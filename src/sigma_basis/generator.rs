//! The minimal matrix generator of a sequence of s×s matrices, found while the sequence grows.
//!
//! **What is computed.** For the terms S_0 … S_{L-1}, let S(x) = Σ S_i x^i and take the minimal order basis at order L
//! of the 2s×s series [S; -I] for the shift (0^s, 1^s). A row (v | w) of it says v·S ≡ w mod x^L with δ = max(deg v,
//! deg w + 1). Reversed with δ, the coefficients f_k = v_{δ-k} satisfy Σ_k f_k S_{j+k} = 0 for 0 ≤ j < L - δ: a left
//! generator. The s rows of smallest δ are the [`Generator`].
//!
//! **The rank theorem.** Let H_{a,b} = (S_{j+k}), 0 ≤ k < a, 0 ≤ j < b, be the block Hankel matrix with a + b = L + 1.
//! For every sequence and every L, with δ_1 ≤ … ≤ δ_{2s},
//!
//! > δ_1 + … + δ_s = max over a + b = L + 1 of rank H_{a,b}.
//!
//! *Proof.* u = (u_0, …, u_{a-1}) is in the left kernel of H_{a,b} if and only if v = Σ u_k x^(a-1-k) has (v·S)_i = 0
//! for a - 1 ≤ i < L, that is v·S ≡ w mod x^L with deg w < a - 1: (v | w) is in the module and has shifted degree at
//! most a - 1. The basis is reduced, so (predictable degrees) these form a space of dimension Σ_i max(0, a - δ_i), and
//! rank H_{a,b} = s·a - Σ_i max(0, a - δ_i). As a function of a this is concave with slope s - #{i : δ_i < a}, hence
//! largest at a = δ_s, where it is δ_1 + … + δ_s. And that a is allowed: [S; -I] maps K\[x\]^{2s} onto (K\[x\]/x^L)^s,
//! so the module has codimension s·L and Σ δ_i = s·L + s; as δ_i ≥ δ_s for i ≥ s, (s + 1)·δ_s ≤ s·(L + 1), thus δ_s ≤
//! L. ∎
//!
//! For S_i = Yᵀ B^(i+1) X, the sequence started at BX, block (k, j) of H_{a,b} is (Yᵀ B^k)·B·(B^j X): the matrix is a
//! product with B in the middle. So [`GeneratorSearch::rank_bound`] **never exceeds rank B**, whatever the random
//! choices and however early one stops. (Started at X it never exceeds the order of B.) And it never decreases with L:
//! every H of L terms is a part of one of L + 1.
//!
//! **In exact arithmetic**, that is. Products of small p go through floating-point transforms where these are cheaper,
//! and their integers have passed only a random check ([`ProductPlan::may_round`]). So [`GeneratorSearch::verify`]
//! multiplies V·S once more without them where any may have taken part: one product, of the many that the basis took.
//! What it lets pass is a reduced basis for certain, and its degrees are those of the theorem.
//!
//! **What is stored.** Only the left half V (2s×s) of the basis: W = V·S mod x^L is known from it, and the residual of
//! the whole at order k ≥ L is (V·S)_k - W_k, where deg W_i < δ_i ≤ L + 1 leaves W_L alone, which is non-zero only in a
//! row that was a pivot at every step: it is still x^L·(0 | e_i).
//!
//! Sources: Coppersmith, Math. Comp. 62 (1994); Villard, ISSAC 1997; Kaltofen and Yuhasz, ACM TALG 9 (2013) on
//! termination; Giorgi, Jeannerod and Villard 2003 for the order bases. Entry point: [`GeneratorSearch`].

use super::cuda::{GpuBases, Resident};
use super::pm_basis::Params;
use super::products::residual_without_rounding;
use super::residuals::first_residual;
use super::trail::Before;
use crate::field::{Field, Rng};
use crate::poly::{Kept, PolyMatrix, ProductPlan};
use crate::report::{ErrorBound, Observer};
use crate::{DeviceReason, Error, Result};
use rayon::prelude::*;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Coefficients of V whose products are one sum.
const TOGETHER: usize = 16;

/// A matrix generator: s rows f with Σ_k f_k S_{j+k} = 0 for all j for which the terms are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator<E> {
    /// F(x) = Σ F_k x^k (s×s). Row i is the reversal, with its degree δ_i, of a row of the order basis: it has no
    /// coefficient beyond x^δ_i.
    pub matrix: PolyMatrix<E>,
    /// The degrees δ_i, ascending. Row i annihilates the terms from S_0 to S_{L-1}: 0 = Σ_k F_k S_{j+k} for j < L -
    /// δ_i.
    pub row_degrees: Vec<usize>,
}

/// A search for the generator of a sequence that is still being computed.
///
/// ```
/// use blackfield::Silent;
/// use blackfield::field::{Modulus, PrimeField};
/// use blackfield::sigma_basis::GeneratorSearch;
///
/// // Fibonacci numbers: S_{j+2} = S_{j+1} + S_j.
/// let mut search = GeneratorSearch::new(PrimeField(Modulus::new(101)?), 1)?;
/// search.extend(&[0, 1, 1, 2, 3, 5, 8, 13], &Silent)?;
/// assert_eq!(search.rank_bound(), 2);
/// assert_eq!(search.stable_terms(), 4); // the first four terms tell, and foretell the others
/// # Ok::<(), blackfield::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GeneratorSearch<F: Field> {
    pub(super) field: F,
    pub(super) s: usize,
    pub(super) params: Params,
    /// The terms so far: the s×s coefficients S_0 … S_{L-1}.
    pub(super) series: PolyMatrix<F::Elem>,
    /// The left half of the order basis at order L, 2s×s; not where there is a later one on a GPU.
    pub(super) left: PolyMatrix<F::Elem>,
    /// Terms and left half on the GPU that makes the basis.
    pub(super) resident: Option<Resident>,
    /// A copy of that left half, once one has been asked for.
    pub(super) copied: OnceLock<PolyMatrix<F::Elem>>,
    pub(super) degrees: Vec<i64>,
    pub(super) last_change: Vec<usize>,
    /// Where bases and products are made, if not on the processor.
    pub(super) gpu: Option<Arc<Mutex<GpuBases>>>,
    /// The order of the basis: L, unless a state of another run is waited for.
    pub(super) order: usize,
    /// The digest of the first terms, if states are kept, and the state that another run has left.
    pub(super) name: Option<[u8; 32]>,
    pub(super) before: Option<Before<F::Elem>>,
    /// Its products follow each other.
    _kept: Kept,
}

impl<F: Field> GeneratorSearch<F> {
    /// A search that knows no term yet, for s×s matrices. Panics if s = 0.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(field: F, s: usize) -> Result<Self> {
        let params = Params::for_field(&field);
        Self::with_params(field, s, params)
    }

    /// As [`GeneratorSearch::new`], with thresholds of the caller's.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn with_params(field: F, s: usize, params: Params) -> Result<Self> {
        assert!(s > 0, "the terms are at least 1 x 1 matrices");
        let mut left = PolyMatrix::zeros(2 * s, s, 1)?;
        (0..s).for_each(|i| left.set(i, i, 0, field.one()));
        let degrees = (0..2 * s).map(|i| i64::from(i >= s)).collect();
        let series = PolyMatrix::zeros(s, s, 0)?;
        let (last_change, _kept) = (vec![0; 2 * s], Kept::new());
        let (order, name, before, resident, gpu) = (0, None, None, None, None);
        let copied = OnceLock::new();
        let search = GeneratorSearch {
            field,
            s,
            params,
            series,
            left,
            resident,
            copied,
            degrees,
            last_change,
            gpu,
            order,
            name,
            before,
            _kept,
        };
        Ok(search)
    }

    /// The same search with its bases and products on a GPU, as long as that has the memory for them: the same bits.
    ///
    /// # Panics
    /// If the kernels are for another field, or not for 2s×s series.
    #[must_use]
    pub fn on_gpu(mut self, bases: GpuBases) -> Self {
        assert_eq!(bases.shape(), (2 * self.s, self.s), "kernels for series of another shape");
        assert_eq!((bases.modulus(), 1), (self.field.modulus(), self.field.degree()), "kernels for another field");
        self.gpu = Some(Arc::new(Mutex::new(bases)));
        self
    }
    /// Whether a GPU makes the basis.
    pub fn is_on_gpu(&self) -> bool {
        self.gpu.is_some()
    }

    /// Appends terms (s×s matrices, row-major, one after the other) and brings the order basis to the new length L.
    ///
    /// One call with all terms costs what [`pm_basis`](super::pm_basis()) costs; a call that adds t terms to L costs
    /// about as much as the top level of the recursion at order L + t, besides the t terms' own basis. So calls in
    /// blocks of L/8 or more stay within twice the one-shot cost. Progress is the length that is reached.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the observer asks to stop, [`Error::Memory`]: the search is then at some length
    /// between the old and the new one, and later terms are discarded.
    ///
    /// # Panics
    /// If `terms` is not a whole number of matrices.
    pub fn extend(&mut self, terms: &[F::Elem], observer: &dyn Observer) -> Result<()> {
        self.series.extend(terms)?;
        let done = self.catch_up(observer);
        if done.is_err() {
            // Each piece of `advance` is carried out whole or not at all.
            self.series.truncate(self.order);
            if let Some(resident) = &mut self.resident {
                resident.forget_from(self.order);
            }
        }
        done
    }

    /// The number L of terms seen.
    pub fn length(&self) -> usize {
        self.series.len()
    }
    /// The shifted degrees δ of all 2s rows of the order basis; their sum is s·(L + 1).
    pub fn degrees(&self) -> Vec<usize> {
        self.degrees.iter().map(|&d| d as usize).collect()
    }
    /// The sum of the s smallest degrees: the largest rank of a block Hankel matrix of the terms, and so a **lower
    /// bound** of the rank behind the sequence, always (the rank theorem, proven at the head of `generator.rs`).
    pub fn rank_bound(&self) -> usize {
        self.generator_rows().iter().map(|&i| self.degrees[i] as usize).sum()
    }
    /// How many of the last terms the rows of the generator predicted: they are found from the terms before these. (The
    /// generator itself may be younger, when larger rows have outgrown rows that already stood.)
    ///
    /// **Proven**: nothing about the terms to come, which may be anything. If no generator of degree sum ρ =
    /// `rank_bound()` continues the sequence, its rank is larger than ρ; so for operators of known rank at most ρ the
    /// search is over. **Expected**: for random projections over a large field, a row of the generator that is not yet
    /// right meets a residual that behaves like a random vector of K^s, zero with probability about q^-s, each step
    /// anew. Some steps past L = δ_s + (column degree) the s rows are either stable for good or wrong at once.
    ///
    /// 0 while a state of another run is waited for.
    pub fn stable_terms(&self) -> usize {
        if self.order < self.length() {
            return 0;
        }
        self.length() - self.generator_rows().iter().map(|&i| self.last_change[i]).max().unwrap_or(0)
    }

    /// The s rows of smallest degree, of smallest index among equals, ascending.
    fn generator_rows(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..2 * self.s).collect();
        rows.sort_unstable_by_key(|&i| (self.degrees[i], i));
        rows.truncate(self.s);
        rows
    }

    /// The left half of the basis, from wherever it is.
    pub(super) fn left(&self) -> Result<&PolyMatrix<F::Elem>> {
        let (Some(resident), Some(gpu)) = (&self.resident, &self.gpu) else { return Ok(&self.left) };
        if let Some(copy) = self.copied.get() {
            return Ok(copy);
        }
        let copy = resident.left(&mut gpu.lock().unwrap_or_else(PoisonError::into_inner), &self.field)?;
        Ok(self.copied.get_or_init(|| copy))
    }

    /// The generator of the terms so far.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Device`] where a GPU has the basis and fails.
    pub fn generator(&self) -> Result<Generator<F::Elem>> {
        let left = self.left()?;
        let rows = self.generator_rows();
        let row_degrees: Vec<usize> = rows.iter().map(|&i| self.degrees[i] as usize).collect();
        let mut matrix = PolyMatrix::zeros(self.s, self.s, row_degrees[self.s - 1] + 1)?;
        for (to, (&from, &degree)) in rows.iter().zip(&row_degrees).enumerate() {
            for k in 0..=degree.min(left.len() - 1) {
                let row = &left.coefficient(k)[from * self.s..][..self.s];
                matrix.coefficient_mut(degree - k)[to * self.s..][..self.s].copy_from_slice(row);
            }
        }
        Ok(Generator { matrix, row_degrees })
    }

    /// Checks the basis against the terms, independently of how it was found. Afterwards `rank_bound()` is the rank of
    /// a Hankel matrix of the terms, **for certain**: no random choice enters where the products that found the basis
    /// were exact, and where some may have been rounded, (3) is an exact proof.
    ///
    /// With V the left half:
    /// 1. for a random column z and a random point of an extension of the field, the coefficients δ_i … L-1 of row i of
    ///    V·(S·z) add up to 0 there (the module `residuals`);
    /// 2. no row is longer than its degree, Σ δ_i = s·(L + 1), and the leading matrix of (V | V·S mod x^L) for the
    ///    shift (0^s, 1^s) is invertible.
    ///
    /// 3. where products over the field may be rounded ([`ProductPlan::may_round`]), those coefficients themselves, by
    ///    a product without floating point, vanish.
    ///
    /// By (1) or (3) all rows are in the module, by (2) they are a reduced basis of it, since its codimension is s·L.
    ///
    /// (1) is by other arithmetic than that of the products, so that it guards against all errors of theirs: a wrong
    /// row passes with probability at most `error` ([`residual_failure`](super::residual_failure)). (2) and (3) are
    /// exact.
    ///
    /// # Errors
    /// [`Error::Check`] with what failed; [`Error::Device`] where a GPU has the basis and fails.
    pub fn verify(&self, error: ErrorBound, rng: &mut Rng) -> Result<()> {
        let (field, s, length) = (&self.field, self.s, self.length());
        let left = self.left()?;
        let failed = |what: &str| Err(Error::Check(format!("matrix generator of {length} terms: {what}")));
        let windows: Vec<(usize, usize)> = self.degrees.iter().map(|&degree| (degree as usize, length)).collect();
        let seen = first_residual(field, left, &self.series, &windows, error, rng);
        let seen = match seen {
            None if ProductPlan::may_round(field.modulus()) => self.residual_row(left)?,
            seen => seen,
        };
        if let Some(i) = seen {
            return failed(&format!("row {i} of degree {} has a residual", self.degrees[i]));
        }
        for (i, &degree) in self.degrees.iter().enumerate() {
            // A row of degree L + 1 is x^L·(0 | e_i): see `residual`.
            let allowed = if degree as usize > length { 0 } else { degree as usize + 1 };
            let row = |k: usize| &left.coefficient(k)[i * s..][..s];
            if (allowed..left.len()).any(|k| row(k).iter().any(|&a| a != field.zero())) {
                return failed(&format!("row {i} is longer than its degree {degree}"));
            }
        }
        if self.degrees.iter().sum::<i64>() != (s * (length + 1)) as i64 {
            return failed("the degrees do not add up");
        }
        if super::order_basis::rank(field, self.leading_matrix(left), 2 * s) != 2 * s {
            return failed("the leading matrix is singular");
        }
        Ok(())
    }

    /// The first row i of V·S that does not vanish at the coefficients δ_i … L-1, all of them computed without floating
    /// point.
    fn residual_row(&self, left: &PolyMatrix<F::Elem>) -> Result<Option<usize>> {
        let (zero, length) = (self.field.zero(), self.length());
        let Some(least) = self.degrees.iter().map(|&degree| degree as usize).min() else { return Ok(None) };
        let from = least.min(length);
        let product = match self.residual_on_gpu(from)? {
            Some(product) => product,
            None => residual_without_rounding(&self.field, left, &self.series, from, length - from)?,
        };
        let found = (0..2 * self.s).find(|&i| {
            let row = |k: usize| &product.coefficient(k - from)[i * self.s..][..self.s];
            (self.degrees[i] as usize..length).any(|k| row(k).iter().any(|&x| x != zero))
        });
        Ok(found)
    }

    /// The coefficients from `from` to L-1 of V·S by the GPU that has both, whose products are of integers; none where
    /// there is no such GPU, or its memory does not suffice.
    pub(super) fn residual_on_gpu(&self, from: usize) -> Result<Option<PolyMatrix<F::Elem>>> {
        let (Some(resident), Some(gpu)) = (&self.resident, &self.gpu) else { return Ok(None) };
        let mut bases = gpu.lock().unwrap_or_else(PoisonError::into_inner);
        match resident.residual(&mut bases, &self.field, (from, self.length())) {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => Ok(None),
            done => done,
        }
    }

    /// The leading matrix of (V | V·S mod x^L), 2s×2s: in row i the coefficients of x^δ_i on the left, x^(δ_i - 1) on
    /// the right.
    fn leading_matrix(&self, of: &PolyMatrix<F::Elem>) -> Vec<F::Elem> {
        let (field, s) = (&self.field, self.s);
        let mut leading = vec![field.zero(); 4 * s * s];
        for (i, row) in leading.chunks_exact_mut(2 * s).enumerate() {
            let (degree, (left, right)) = (self.degrees[i] as usize, row.split_at_mut(s));
            if degree < of.len() {
                left.copy_from_slice(&of.coefficient(degree)[i * s..][..s]);
            }
            if i >= s && degree == self.length() + 1 {
                right[i - s] = field.one();
            }
        }
        let mut rows: Vec<usize> = (0..2 * s).filter(|&i| i < s || self.degrees[i] as usize <= self.length()).collect();
        rows.sort_by_key(|&i| self.degrees[i]);
        for rows in rows.chunk_by(|&i, &j| self.degrees[i] == self.degrees[j]) {
            let right = self.next_to_degree(of, rows, self.degrees[rows[0]] as usize);
            for (&i, right) in rows.iter().zip(right.chunks_exact(s)) {
                leading[i * 2 * s + s..][..s].copy_from_slice(right);
            }
        }
        leading
    }

    /// The coefficients of x^(degree - 1) of these rows of V·S, row-major: Σ_k V_k S_(degree-1-k), by sums of products
    /// of a few coefficients at a time.
    fn next_to_degree(&self, left: &PolyMatrix<F::Elem>, rows: &[usize], degree: usize) -> Vec<F::Elem> {
        let (field, s) = (&self.field, self.s);
        let none = || vec![field.zero(); rows.len() * s];
        let coefficients = |mut sums: Vec<F::Elem>, ks: &[usize]| {
            // Column j of all these terms together.
            let mut columns = Vec::with_capacity(s * s * ks.len());
            for j in 0..s {
                let terms = ks.iter().map(|k| self.series.coefficient(degree - 1 - k));
                columns.extend(terms.flat_map(|term| term[j..].iter().step_by(s)));
            }
            for (sums, &i) in sums.chunks_exact_mut(s).zip(rows) {
                let row: Vec<F::Elem> = ks.iter().flat_map(|&k| &left.coefficient(k)[i * s..][..s]).copied().collect();
                for (sum, column) in sums.iter_mut().zip(columns.chunks_exact(s * ks.len())) {
                    *sum = field.add(*sum, field.dot(&row, column));
                }
            }
            sums
        };
        let add = |mut a: Vec<F::Elem>, b: Vec<F::Elem>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = field.add(*a, b));
            a
        };
        let ks: Vec<usize> = (0..left.len().min(degree)).collect();
        ks.par_chunks(TOGETHER).fold(none, coefficients).reduce(none, add)
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
