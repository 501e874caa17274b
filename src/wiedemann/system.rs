//! Linear systems A·X = B and random null vectors, for an operator A known by its products alone.
//!
//! Let B be the preconditioned operator of A ([`Preconditioned`]): D₁·AᵀD₂A on the columns, or D₁·AD₂Aᵀ on the rows,
//! whichever are fewer. But for the chances named there (a polynomial of degree r = rank A in D₂ and one in D₁ that
//! must not vanish: at most 2r/(q - 1) over GF(q)) it has **index 1**, Kⁿ = im B ⊕ ker B, and rank B = rank A. A system
//! A·x = b becomes B·u = c with c in im B ([`Preconditioned::right_side`]). The columns of C, B·C, B²·C, … satisfy Σ
//! Bᵏ·(B·C)·Gₖ = 0 for a matrix generator G of the sequence Yᵀ·Bᵏ·(B·C), transposed to be read from the right, and det
//! G₀ ≠ 0, since B is bijective on im B. So U = -Σ Bᵏ⁻¹·C·Gₖ·G₀⁻¹ is the one solution in im B: a second pass evaluates
//! it ([`evaluate`](super::evaluate)).
//!
//! Y may be D₁⁻¹·C ([`Gram`]): where the eigenvalues of B on im B are distinct, what the columns of C span there is,
//! over an algebraic closure, a sum of eigenspaces that are orthogonal for the form D₁⁻¹, which degenerates on none.
//!
//! **Uniformly random.** X = x(B - A·Z) + Z with Z uniformly random: what x(·) makes of its right side depends on that
//! alone, so that X is uniform among the solutions, and among the null vectors for B = 0 (Kaltofen, Saunders 1991,
//! theorem 4). Z is drawn once; an attempt that fails is made again with other D₁, D₂ and Y, and the same Z.
//!
//! **Checked.** A·X = B is multiplied out. A column that is not solved is shown to have no solution by a vector y with
//! Aᵀy = 0 and yᵀb ≠ 0 ([`Preconditioned::left_null_vector`]): Columns form, r = b - A·x has AᵀD₂r = 0; rows form, D₁r
//! = c - B·u is in ker B = ker Aᵀ. What is neither solved nor refuted is tried again.
//!
//! Sources: D. Coppersmith, Math. Comp. 62 (1994); E. Kaltofen, B. D. Saunders, *On Wiedemann's method of solving
//! sparse linear systems*, AAECC-9, 1991; W. Eberly, E. Kaltofen, ISSAC 1997, for the preconditioner. Small p: over K =
//! GF(pᵏ). A null vector over K is k null vectors mod p, its digits. A right side mod p is one over K, digit 0 of which
//! is not zero: the digits of its solutions are a solution, and null vectors. Entry: [`System::solve`].

use super::evaluate::evaluate;
use super::parameters::Parameters;
use super::reading::{GROWTH, next_length};
use super::searches::{CHECK, STABLE_TERMS};
use super::state::{Counted, Saved};
use crate::blackbox::{Diagonals, Operator, Preconditioned, Scratch};
use crate::certify::Domain;
use crate::field::{ExtensionField, Field, PrimeField, Rng};
use crate::poly::PolyMatrix;
use crate::report::{Bytes, Phases, Quiet, State};
use crate::sequence::{Gram, Krylov, Projection, SequenceSource};
use crate::sigma_basis::GeneratorSearch;
use crate::spmv::{Block, Lane};
use crate::{Error, Observer, Result, dense, memory};

/// Attempts with other random choices before a system is given up.
pub const ATTEMPTS: u64 = 6;
/// What the memory is for.
const TERMS: &str = "the terms of a sequence";
const PAIRS: &str = "the check of a system";

/// A system's operator, and how block Wiedemann runs on it.
#[derive(Clone, Copy)]
pub struct System<'a> {
    /// A.
    pub operator: &'a dyn Operator,
    /// Field and block size.
    pub parameters: &'a Parameters,
}

/// Uniformly random solutions, independent of each other.
#[derive(Debug)]
pub struct Solutions {
    /// X: A·X = B in the columns over K that have a solution; without meaning in the others.
    pub x: Block,
    /// The columns over K that have none, ascending: this is proven.
    pub inconsistent: Vec<usize>,
    /// A lower bound of rank A, as a rule the rank.
    pub rank: usize,
    /// Attempts made.
    pub attempts: u64,
}

/// The forms of residues, by their numbers in a state.
const LANES: [Lane; 6] = [Lane::U8, Lane::U16, Lane::U32, Lane::U64, Lane::F32, Lane::F64];

impl Bytes for Solutions {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Solutions { x, inconsistent, rank, attempts } = self;
        (
            LANES.iter().position(|&lane| lane == x.lane()),
            (x.rows(), x.width()),
            x.to_residues()?,
            inconsistent,
            (rank, attempts),
        )
            .write(to)
    }
}

impl State for Solutions {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (lane, (rows, width)): (Option<usize>, (usize, usize)) = State::read(from)?;
        let (residues, inconsistent, (rank, attempts)): (Vec<u64>, _, _) = State::read(from)?;
        if rows.checked_mul(width) != Some(residues.len()) {
            return None;
        }
        let x = Block::from_residues(*LANES.get(lane?)?, rows, width, &residues).ok()?;
        Some(Solutions { x, inconsistent, rank, attempts })
    }
}

/// A random stream for a use, by the number of the attempt.
pub type Draw<'d> = dyn Fn(Domain, u64) -> Rng + 'd;

impl std::fmt::Debug for System<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (rows, cols) = (self.operator.rows(), self.operator.cols());
        write!(f, "{rows} x {cols} over GF({}), {:?}", self.operator.modulus(), self.parameters)
    }
}

impl System<'_> {
    /// Vectors that are made together: s·k.
    pub fn width(&self) -> usize {
        self.parameters.block * self.parameters.degree
    }

    /// Solves A·X = B for a block of [`System::width`] right sides; null vectors where they are zero.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`]; [`Error::Check`] if no attempt succeeds; those of the observer's
    /// keeper.
    ///
    /// # Panics
    /// If B has another shape, or A no row or column.
    pub fn solve(&self, b: &Block, draw: &Draw<'_>, phases: &mut Phases, observer: &dyn Observer) -> Result<Solutions> {
        let (a, p, scratch) = (self.operator, self.operator.modulus(), &mut Scratch::new());
        assert_eq!((b.rows(), b.width()), (a.rows(), self.width()), "a block of right sides");
        assert!(a.rows() > 0 && a.cols() > 0, "a system without equations or unknowns");
        let z = Block::random(a.lane(), a.cols(), b.width(), p, &mut draw(Domain::Solutions, 0))?;
        // B - A·Z.
        let mut right = Block::zeros(a.lane(), a.rows(), b.width())?;
        let mut product = Block::zeros(a.lane(), a.rows(), b.width())?;
        a.apply(&z, &mut product, scratch)?;
        right.copy_rows(0, b, 0, b.rows());
        right.subtract(p, &product);
        drop(product);
        for attempt in 0..ATTEMPTS {
            let stream = |domain| draw(domain, attempt);
            let found = if self.parameters.degree == 1 {
                self.attempt(&PrimeField(p), &right, &stream, phases, observer)?
            } else {
                let field = ExtensionField::new(p, self.parameters.degree, &mut stream(Domain::Extension));
                self.attempt(&field, &right, &stream, phases, observer)?
            };
            if let Some(found) = found {
                // x + Z, as -(−Z − x).
                let mut x = Block::zeros(a.lane(), a.cols(), b.width())?;
                x.subtract(p, &z);
                x.subtract(p, &found.x);
                let mut sum = Block::zeros(a.lane(), a.cols(), b.width())?;
                sum.subtract(p, &x);
                return Ok(Solutions { x: sum, attempts: attempt + 1, ..found });
            }
        }
        let (rows, cols) = (a.rows(), a.cols());
        Err(Error::Check(format!("block Wiedemann solved no system of {rows} x {cols} in {ATTEMPTS} attempts")))
    }

    /// One attempt at a block of right sides; `None` if it neither solves nor refutes each of them.
    fn attempt<F: Field>(
        &self,
        field: &F,
        b: &Block,
        stream: &dyn Fn(Domain) -> Rng,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Option<Solutions>> {
        let (a, p, scratch) = (self.operator, self.operator.modulus(), &mut Scratch::new());
        let (lane, w) = (a.lane(), b.width());
        let rng = &mut stream(Domain::Preconditioner);
        let diagonals = Diagonals::random(field, a.rows(), a.cols(), false, rng)?;
        let gram = if self.parameters.own { Some(Gram::of(field, &diagonals)?) } else { None };
        let operator = Preconditioned::new(a, diagonals)?;
        let mut c = Block::zeros(lane, operator.order(), w)?;
        operator.right_side(b, &mut c, scratch)?;
        let n = operator.order();
        let mut first = Block::zeros(lane, n, w)?;
        let (mut source, kind) = if let Some(gram) = gram {
            first.copy_rows(0, &c, 0, n);
            (Krylov::at(field, &operator, gram, first)?, "own, of a system")
        } else {
            operator.apply(&c, &mut first, scratch)?;
            let projection = Projection::sparse(field, n, self.parameters.block, &mut stream(Domain::Projection))?;
            (Krylov::at(field, &operator, projection, first)?, "sparse, of a system")
        };
        let mut saved = Saved::of(&mut source, field.degree(), kind, observer)?;
        let found = self.generator(field, n, &mut source, &mut saved, stream, phases, observer)?;
        drop(source);
        let Some((generator, rank)) = found else { return Ok(None) };
        let u = phases.time("evaluation", || evaluate(field, &operator, &c, &generator, &mut saved, observer))?;
        let Some(u) = u else { return Ok(None) };
        drop((c, generator));
        let mut x = Block::zeros(lane, a.cols(), w)?;
        operator.solution(&u, &mut x, scratch)?;
        drop(u);
        // What is left of B.
        let (mut left, mut product) = (Block::zeros(lane, a.rows(), w)?, Block::zeros(lane, a.rows(), w)?);
        a.apply(&x, &mut product, scratch)?;
        left.copy_rows(0, b, 0, b.rows());
        left.subtract(p, &product);
        drop(product);
        let inconsistent = match (0..left.rows()).all(|i| left.is_zero(i)) {
            true => Some(vec![]),
            false => refuted(a, &operator, b, left)?,
        };
        Ok(inconsistent.map(|inconsistent| Solutions { x, inconsistent, rank, attempts: 0 }))
    }

    /// The generator of the sequence of an operator of order n, transposed, and the sum of its degrees; `None` if it
    /// does not settle.
    #[expect(clippy::too_many_arguments, reason = "what a run has")]
    fn generator<F: Field>(
        &self,
        field: &F,
        n: usize,
        source: &mut Krylov<'_, F>,
        saved: &mut Saved<'_>,
        stream: &dyn Fn(Domain) -> Rng,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Option<(PolyMatrix<F::Elem>, usize)>> {
        let s = self.parameters.block;
        let expected = 2 * n.div_ceil(s) + 2;
        let last_resort = 2 * n + 2 + STABLE_TERMS;
        let mut search = GeneratorSearch::new(field.clone(), s)?;
        observer.phase("sequence", expected as u64);
        let mut length = 0;
        while search.stable_terms() < STABLE_TERMS {
            if length >= last_resort {
                return Ok(None);
            }
            let target = next_length(length, expected, Some(GROWTH)).next_multiple_of(source.together());
            let mut terms = memory::with_capacity((target - length).saturating_mul(s * s), TERMS)?;
            let counted = Counted { observer, before: length, expected };
            phases.time("sequence", || saved.extend(field, source, (length, target), &mut terms, &counted))?;
            terms.chunks_exact_mut(s * s).for_each(|term| transpose(s, term));
            length = target;
            phases.time("sigma_basis", || search.extend(&terms, &Quiet(observer)))?;
        }
        phases.time("sigma_basis", || search.verify(CHECK, &mut stream(Domain::Verification)))?;
        let rank = search.rank_bound();
        Ok(Some((search.generator()?.matrix, rank)))
    }
}

/// The columns of B over K without a solution, where `left` is B - A·X: those that are not solved, if all of these are
/// refuted by left null vectors of A.
fn refuted(a: &dyn Operator, operator: &Preconditioned<'_>, b: &Block, left: Block) -> Result<Option<Vec<usize>>> {
    let (p, m, w, scratch) = (a.modulus(), a.rows(), b.width(), &mut Scratch::new());
    let k = operator.degree();
    let unsolved: Vec<usize> =
        (0..w / k).filter(|&l| (0..m).any(|i| (l * k..(l + 1) * k).any(|d| left.get(i, d) != 0))).collect();
    let mut y = left;
    operator.left_null_vector(&mut y);
    let mut zero = Block::zeros(a.lane(), a.cols(), w)?;
    a.apply_transpose(&y, &mut zero, scratch)?;
    if !(0..zero.rows()).all(|i| zero.is_zero(i)) {
        return Ok(None);
    }
    let mut turned = memory::zeros(m * w, PAIRS)?;
    for (i, row) in y.to_residues()?.chunks_exact(w).enumerate() {
        row.iter().enumerate().for_each(|(l, &v)| turned[l * m + i] = v);
    }
    let mut pairs = memory::zeros(w * w, PAIRS)?;
    dense::gemm(p, w, m, w, &turned, &b.to_residues()?, &mut pairs)?;
    let is_refuted = |l: usize| (0..w).any(|i| pairs[i * w + l * k..][..k].iter().any(|&pair| pair != 0));
    Ok(unsolved.iter().all(|&l| is_refuted(l)).then_some(unsolved))
}

/// Transposes an s × s matrix.
fn transpose<E>(s: usize, term: &mut [E]) {
    for i in 0..s {
        (0..i).for_each(|j| term.swap(i * s + j, j * s + i));
    }
}
