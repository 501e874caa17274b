//! Lanczos' method over GF(p) for a large prime p: rank, and null vectors, of a matrix S that is known by its products.
//!
//! With random diagonal matrices D₁, D₂ without zeros let M = Sᵀ·D₂·S and C = D₁·M, and ⟨x, y⟩ = xᵀ·M·y, for which C
//! is self-adjoint: ⟨C·x, y⟩ = xᵀ·M·D₁·M·y. For random w₀,
//!
//! > w_{i+1} = C·w_i - a·w_i - b·w_{i-1},  a = ⟨C·w_i, w_i⟩/⟨w_i, w_i⟩,  b = ⟨w_i, w_i⟩/⟨w_{i-1}, w_{i-1}⟩,
//!
//! is orthogonal to w₀ … w_i: to the last two by the choice of a and b, to w_j before them since ⟨C·w_i, w_j⟩ = ⟨w_i,
//! C·w_j⟩ and C·w_j lies in the span of w₀ … w_{j+1}. It ends with t steps as soon as M·w_t = 0. If ⟨w_i, w_i⟩ = 0
//! without that, it has *broken down*, and begins again with other diagonals.
//!
//! **Never above the rank.** w₀ … w_{t-1} are orthogonal for M and none to itself: so t ≤ rank M ≤ rank S. Always.
//!
//! **Seldom below.** Except with probability (r² + 2r)/|Σ|, Σ the numbers that the diagonals are drawn from, C has rank
//! r = rank S, r distinct eigenvalues that are not 0, and 0 is semisimple
//! ([`Preconditioned`](crate::blackbox::Preconditioned)). Then t < r only if w₀ has no part in one of these
//! eigenspaces: r/p. In all at most [`rank_failure`](crate::certify::rank_failure) for |Σ| elements.
//!
//! **Seldom broken down.** Eigenvectors of different eigenvalues are orthogonal for M, so that M is diagonal in a basis
//! of them with r entries μ ≠ 0. It breaks down only where a Gram matrix of w₀, C·w₀, …, C^(k-1)·w₀, k ≤ r, is
//! singular: Wᵀ·diag(μ·x²)·W with W Vandermonde of distinct eigenvalues and x the coordinates of w₀. Its determinant is
//! Σ_I det(W_I)²·Π_{i∈I} μᵢ·xᵢ² (Cauchy–Binet), of degree 2k and not 0: in all at most r(r + 1)/p (Schwartz–Zippel).
//!
//! **Null vectors.** w_t itself is in the null space of M, and so is, for any z, its projection z - Σ_i ⟨w_i, z⟩/⟨w_i,
//! w_i⟩·w_i if t = r; all of them together are random vectors of it. Each is multiplied by S before anyone sees it.
//!
//! A step multiplies by S and Sᵀ and takes five products of residues for each column, two more for each z. Block
//! Wiedemann needs twice as many products by S, as its solutions are evaluated after the sequence, and its generator.
//!
//! Sources: C. Lanczos, J. Res. Nat. Bur. Standards 49 (1952); B. A. LaMacchia, A. M. Odlyzko, CRYPTO 1990; W. Eberly,
//! E. Kaltofen, ISSAC 1997, on D₁·Sᵀ·D₂·S.

use super::arithmetic::Arithmetic;
use super::complement::Complement;
use super::state::{Residues, elements};
use crate::field::Rng;
use crate::parallel::Each;
use crate::report::Kept;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigUint;
use rand::RngExt;
use rayon::prelude::*;

/// What the memory is for.
const VECTORS: &str = "vectors mod a large prime";
/// Coordinates that one task handles, or more.
const COORDINATES: usize = 512;
/// Entries of the diagonals are below this, and below p.
const WORD: u64 = 1 << 62;

/// log₂ of 1 and the number of elements that entries of the diagonals are drawn from, if p has this logarithm; of at
/// most 62 bits.
pub(crate) fn choices(log2_order: f64) -> f64 {
    log2_order.min(62.0)
}

/// S with its diagonals.
#[derive(Debug)]
pub(crate) struct Lanczos<'a, F: Arithmetic> {
    field: &'a F,
    s: &'a Complement<F>,
    /// D₂ and D₁.
    diagonals: [Vec<u64>; 2],
}

/// What one run found.
#[derive(Debug)]
pub(crate) struct Run<E> {
    /// At most the rank of S.
    pub(crate) rank: usize,
    /// Whether it broke down.
    pub(crate) broken: bool,
    /// Vectors of the null space, one after the other; checked.
    pub(crate) vectors: Vec<E>,
}

/// What changes from step to step.
struct State<F: Arithmetic> {
    /// w_i and w_{i-1}.
    w: Vec<F::Element>,
    before: Vec<F::Element>,
    /// M·w_i and C·w_i.
    u: Vec<F::Element>,
    v: Vec<F::Element>,
    /// What else is projected, one vector after the other.
    others: Vec<F::Element>,
    rooms: [Vec<F::Loose>; 2],
}

impl<'a, F: Arithmetic> Lanczos<'a, F> {
    /// S with random diagonals.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(field: &'a F, s: &'a Complement<F>, rng: &mut Rng) -> Result<Self> {
        let mut digits = field.modulus().iter_u64_digits();
        let (first, second) = (digits.next().unwrap_or(0), digits.next());
        let end = if second.is_none() { first.min(WORD) } else { WORD };
        let mut diagonal = |count: usize| memory::collect((0..count).map(|_| rng.random_range(1..end)), VECTORS);
        Ok(Lanczos { field, s, diagonals: [diagonal(s.rows())?, diagonal(s.cols())?] })
    }

    /// The rank, and up to 1 + `others` null vectors of S.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted);
    /// [`Error::Check`](crate::Error::Check) for more steps than S has lines.
    pub(crate) fn run(&self, others: usize, rng: &mut Rng, observer: &dyn Observer) -> Result<Run<F::Element>> {
        let (field, n, least) = (self.field, self.s.cols(), self.s.rows().min(self.s.cols()));
        observer.phase("Lanczos", least as u64);
        let mut random =
            |count: usize| memory::collect(std::iter::repeat_with(|| field.random(rng)).take(count), VECTORS);
        let zeros = || memory::filled(field.zero(), n, VECTORS);
        let mut state: State<F> = State {
            w: random(n)?,
            before: zeros()?,
            u: zeros()?,
            v: zeros()?,
            others: random(n * others)?,
            rooms: self.s.room(field)?,
        };
        let ([steps, end], mut last) = (self.kept(&mut state, others, observer)?, field.one());
        if let Some((rank, broken, vectors)) = end.load::<(usize, bool, Vec<BigUint>)>()? {
            return Ok(Run { rank, broken, vectors: elements(field, &vectors)? });
        }
        let first = self.restore(&mut state, &mut last, &steps)?;
        observer.restored(first as u64);
        for rank in first..=least {
            observer.check()?;
            if steps.is_due() {
                let [w, before, others] = [&state.w, &state.before, &state.others].map(|list| Residues(field, list));
                steps.store(&(rank, field.integer(&last), w, before, others))?;
            }
            self.symmetric(&mut state);
            let at_end = state.u.iter().all(|u| field.is_zero(u));
            let norm = dot(field, &state.w, &state.u);
            if at_end || field.is_zero(&norm) {
                let vectors = if at_end { self.null_vectors(state)? } else { vec![] };
                end.complete(&(rank, !at_end, Residues(field, &vectors)))?;
                return Ok(Run { rank, broken: !at_end, vectors });
            }
            let inverse = field.inverse(&norm);
            self.step(&mut state, &inverse, &field.mul(&norm, &last));
            last = inverse;
            observer.progress(rank as u64 + 1);
        }
        Err(Error::Check(format!("Lanczos' method found {} independent vectors of {least}", least + 1)))
    }

    /// What is kept of the run that begins with this state: its steps, and its end. What they depend on beyond p is
    /// told by the diagonals, w₀ and M·w₀.
    fn kept<'o>(&self, state: &mut State<F>, others: usize, observer: &'o dyn Observer) -> Result<[Kept<'o>; 2]> {
        let of = |step: &str, state: &State<F>| {
            let [w, u] = [&state.w, &state.u].map(|list| Residues(self.field, list));
            Kept::of(step, || (&self.diagonals, others, w, u), observer)
        };
        if observer.keeper().is_some() {
            self.symmetric(state);
        }
        Ok([of("lanczos", state)?, of("lanczos-run", state)?])
    }

    /// Goes on from what was kept of the steps, of which there were so many, and 1/⟨w, w⟩ of the last one.
    fn restore(&self, state: &mut State<F>, last: &mut F::Element, steps: &Kept<'_>) -> Result<usize> {
        type Steps = (usize, BigUint, Vec<BigUint>, Vec<BigUint>, Vec<BigUint>);
        let (field, n) = (self.field, state.w.len());
        let fits =
            |(_, _, w, before, others): &Steps| w.len() == n && before.len() == n && others.len() == state.others.len();
        let Some((rank, inverse, w, before, others)) = steps.load::<Steps>()?.filter(fits) else { return Ok(0) };
        *last = field.element(&inverse);
        [state.w, state.before, state.others] =
            [elements(field, &w)?, elements(field, &before)?, elements(field, &others)?];
        Ok(rank)
    }

    /// u = M·w.
    fn symmetric(&self, state: &mut State<F>) {
        let (field, s, [x, y]) = (self.field, self.s, &mut state.rooms);
        let columns = s.columns(x).par_iter_mut().zip(&state.w).with_min_len(COORDINATES);
        columns.each(|(x, w)| *x = field.loose(w));
        s.apply(field, x, y);
        let rows = s.lines(y).par_iter_mut().zip(&self.diagonals[0]).with_min_len(COORDINATES);
        rows.each(|(y, &d)| *y = field.loose(&field.times_word(&field.tight(y), d)));
        s.apply_transpose(field, y, x);
        let columns = state.u.par_iter_mut().zip(s.columns(x)).with_min_len(COORDINATES);
        columns.each(|(u, x)| *u = field.tight(x));
    }

    /// From w_i to w_{i+1}, 1/⟨w_i, w_i⟩ and b being known.
    fn step(&self, state: &mut State<F>, inverse: &F::Element, b: &F::Element) {
        let (field, State { w, before, u, v, others, .. }) = (self.field, state);
        let scaled = v.par_iter_mut().zip(&*u).zip(&self.diagonals[1]).with_min_len(COORDINATES);
        scaled.each(|((v, u), &d)| *v = field.times_word(u, d));
        let a = field.neg(&field.mul(&dot(field, v, u), inverse));
        let b = field.neg(b);
        for z in others.chunks_exact_mut(w.len()) {
            let c = field.neg(&field.mul(&dot(field, u, z), inverse));
            let pairs = z.par_iter_mut().zip(&*w).with_min_len(COORDINATES);
            pairs.each(|(z, w)| *z = field.add(z, &field.mul(&c, w)));
        }
        let next = before.par_iter_mut().zip(&*w).zip(&*v).with_min_len(COORDINATES);
        next.each(|((before, w), v)| {
            let mut sum = field.products();
            field.plus_product(&mut sum, &a, w);
            field.plus_product(&mut sum, &b, before);
            *before = field.add(v, &field.reduced_products(sum));
        });
        std::mem::swap(w, before);
    }

    /// Those of the vectors that S maps to 0, without zeros.
    fn null_vectors(&self, mut state: State<F>) -> Result<Vec<F::Element>> {
        let (field, s, [x, y]) = (self.field, self.s, &mut state.rooms);
        let mut found = vec![];
        for z in std::iter::once(&state.w[..]).chain(state.others.chunks_exact(state.w.len().max(1))) {
            s.columns(x).iter_mut().zip(z).for_each(|(x, z)| *x = field.loose(z));
            s.apply(field, x, y);
            let zero = s.lines(y).iter().all(|y| field.is_zero(&field.tight(y)));
            if zero && z.iter().any(|z| !field.is_zero(z)) {
                memory::reserve(&mut found, z.len(), VECTORS)?;
                found.extend_from_slice(z);
            }
        }
        Ok(found)
    }
}

/// Σ xᵢ·yᵢ.
fn dot<F: Arithmetic>(field: &F, x: &[F::Element], y: &[F::Element]) -> F::Element {
    let piece = |(x, y): (&[F::Element], &[F::Element])| {
        let mut sum = field.products();
        x.iter().zip(y).for_each(|(x, y)| field.plus_product(&mut sum, x, y));
        field.reduced_products(sum)
    };
    let pieces = x.par_chunks(COORDINATES).zip(y.par_chunks(COORDINATES));
    pieces.make(piece).iter().fold(field.zero(), |x, y| field.add(&x, y))
}
