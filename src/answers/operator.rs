//! Answers about an operator that is known by its products alone: a caller's own [`Operator`], which no matrix
//! describes. All of them by block Wiedemann, since nothing but products can be asked for.
//!
//! The random choices are keyed by the shape of the operator, the modulus and the seed: the error bounds hold for an
//! operator that was chosen without knowledge of them. For a sequence of one's own see
//! [`Krylov`](crate::sequence::Krylov) and [`GeneratorSearch`](crate::sigma_basis::GeneratorSearch).

use super::polynomials::{MatrixPolynomial, minimal_polynomial};
use super::rank::{Method, Rank, RankOptions};
use crate::blackbox::{Operator, Scratch};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::field::Rng;
use crate::invariants::{RUNS, Runs, by_wiedemann, missing};
use crate::report::{Phases, Step};
use crate::sparse::SparseMatrix;
use crate::spmv::Block;
use crate::wiedemann::{Parameters, Place, Problem, parameters, trials};
use crate::{DeviceReason, Error, Observer, Result};
use std::time::Instant;

/// Entries that a line is taken to have, for the block size: what a product costs is not known.
const WEIGHT: usize = 16;
/// Pairs of vectors by which both products of an operator are compared.
const WITNESSES: usize = 64;
/// So many random vectors miss a part of a minimal polynomial with at most this probability.
const MISSED: ErrorBound = ErrorBound::of_bits(64);

/// The rank of `a` by block Wiedemann, with the certainty that [`Method::Wiedemann`] has for a matrix. Of the options,
/// `block`, `trials`, `error`, `early_termination`, `route`, `seed` and `max_memory` count.
///
/// Both products are needed, and have to be of one matrix: random vectors tell, as the rank would be that of none. The
/// block size is chosen as if a line had 16 entries; set it where a product costs much more or less than that.
///
/// # Errors
/// [`Error::Usage`] for a method other than `Auto` and `Wiedemann`, a proof or a minor demanded, or an error bound that
/// no extension field reaches; [`Error::Memory`] if it does not fit or memory ends; [`Error::Device`] if GPUs are asked
/// for; [`Error::Check`] if the products are not of one matrix; [`Error::Interrupted`] when the observer says so; what
/// `a` returns.
pub fn operator_rank(a: &dyn Operator, options: &RankOptions, observer: &dyn Observer) -> Result<Rank> {
    check(options)?;
    let (rows, cols, mut phases) = (a.rows(), a.cols(), Phases::default());
    if rows.min(cols) == 0 {
        let reason = "no rows or no columns".to_string();
        return Ok(Rank::proven(0, Method::Wiedemann, reason, vec![], phases));
    }
    let chosen = parameters_for(a, options)?;
    let streams = Streams::of_shape(a.modulus(), [rows, cols], options.seed);
    let start = Instant::now();
    phases.time("check", || check_transpose(a, chosen.block, &mut streams.stream(Domain::Transposes, 0)))?;
    let outcome = trials(Place::Processor(a), &chosen, &options.wiedemann(), &streams, &mut phases, observer)?;
    let step = Step {
        name: "block Wiedemann",
        found: format!("rank {}", outcome.rank),
        why: "of an operator nothing but products is known".into(),
        rank: Some(outcome.rank),
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    let reason = format!("{}; {}", chosen.reason, outcome.ground);
    let (certainty, wiedemann) = (outcome.certainty, Some(outcome.report));
    let rank = Rank::proven(outcome.rank, Method::Wiedemann, reason, vec![step], phases);
    Ok(Rank { certainty, wiedemann, ..rank })
}

/// The minimal polynomial of a square operator `a`, monic; 1 for order 0. Of the options, `block` (the number of random
/// vectors; `None`: enough for 2⁻⁶⁴) and the seed count.
///
/// What is returned divides the minimal polynomial for certain. It is proven to be the whole if the vectors generated
/// the whole space, and otherwise misses a part with at most the probability stated. An operator of so small an order
/// that the vectors would be all vectors is written down as a matrix and answered by
/// [`minimal_polynomial`](super::minimal_polynomial).
///
/// # Errors
/// [`Error::Matrix`] unless `a` is square; otherwise as [`operator_rank`], and [`Error::Check`] if the computation
/// contradicts itself.
pub fn operator_minimal_polynomial(
    a: &dyn Operator,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<MatrixPolynomial> {
    check(options)?;
    let (n, p, mut phases) = (a.rows(), a.modulus(), Phases::default());
    if a.cols() != n {
        return Err(Error::Matrix(format!("{n} x {}: a minimal polynomial is of a square operator", a.cols())));
    }
    let one = |coefficients, certainty, reason, path, phases| {
        Ok(MatrixPolynomial { coefficients, certainty, reason, invariant_factors: None, path, phases })
    };
    let enough = (1..).find(|&s| missing(p, n, s).any(RUNS as usize) <= MISSED).expect("a power of p");
    if n <= enough {
        // So many vectors are all vectors.
        return minimal_polynomial(&written_down(a)?, &options.clone().method(Method::Auto), observer);
    }
    let block = options.block.unwrap_or(enough);
    let (streams, start) = (Streams::of_shape(p, [n, n], options.seed), Instant::now());
    let found = by_wiedemann(a, &Runs { block, streams: &streams, number: 0 }, &mut phases, observer)?;
    let rng = &mut streams.stream(Domain::Extension, 0);
    let determinant = phases.time("determinant", || found.determinant(rng, observer))?;
    let factors = phases.time("invariant factors", || found.invariant_factors(&determinant, rng, observer))?;
    let polynomial = factors.into_iter().next_back().expect("at least one vector");
    let (dimension, vectors) = (found.dimension(), found.vectors());
    let step = Step {
        name: "block Wiedemann",
        found: format!("{vectors} vectors generate {dimension} of {n} dimensions"),
        why: "of an operator nothing but products is known".into(),
        rank: None,
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    if dimension == n {
        let reason = "vectors whose relations are proven generate the whole space".to_string();
        return one(polynomial, Certainty::Proven, reason, vec![step], phases);
    }
    let bound = missing(p, n, vectors).any(RUNS as usize);
    let reason = format!("random vectors see all of it except with probability n/p^s <= {bound}");
    one(polynomial, Certainty::with_bound(bound), reason, vec![step], phases)
}

/// Refuses products that are not of one matrix and its transpose: y·(A·x) = (Aᵀ·y)·x for [`WITNESSES`] random pairs or
/// more, `width` at a time, of which one sees a difference at least once in four.
fn check_transpose(a: &dyn Operator, width: usize, rng: &mut Rng) -> Result<()> {
    let (p, lane, mut scratch) = (a.modulus(), a.lane(), Scratch::new());
    let (mut ax, mut ay) = (Block::zeros(lane, a.rows(), width)?, Block::zeros(lane, a.cols(), width)?);
    let product =
        |u: &Block, v: &Block, l: usize| (0..u.rows()).fold(0, |sum, i| p.add(sum, p.mul(u.get(i, l), v.get(i, l))));
    for _ in 0..WITNESSES.div_ceil(width) {
        let x = Block::random(lane, a.cols(), width, p, rng)?;
        let y = Block::random(lane, a.rows(), width, p, rng)?;
        a.apply(&x, &mut ax, &mut scratch)?;
        a.apply_transpose(&y, &mut ay, &mut scratch)?;
        if (0..width).any(|l| product(&y, &ax, l) != product(&ay, &x, l)) {
            let message = "the products with an operator and with its transpose are not of one matrix";
            return Err(Error::Check(message.into()));
        }
    }
    Ok(())
}

/// The matrix of an operator, by its product with the identity.
fn written_down(a: &dyn Operator) -> Result<SparseMatrix> {
    let (rows, cols) = (a.rows(), a.cols());
    let (mut x, mut y) = (Block::zeros(a.lane(), cols, cols)?, Block::zeros(a.lane(), rows, cols)?);
    (0..cols).for_each(|j| x.set(j, j, 1));
    a.apply(&x, &mut y, &mut Scratch::new())?;
    let entry = |i: usize| (0..cols).map(move |j| (i, j));
    let entries: Vec<_> = (0..rows).flat_map(entry).map(|(i, j)| (i, j, y.get(i, j))).collect();
    Ok(SparseMatrix::from_triplets(a.modulus(), rows, cols, &entries))
}

/// What block Wiedemann on an operator cannot do is refused.
fn check(options: &RankOptions) -> Result<()> {
    options.check()?;
    let usage = |message: &str| Err(Error::Usage(message.into()));
    match () {
        () if !matches!(options.method, Method::Auto | Method::Wiedemann) => {
            usage("an operator has no entries to eliminate: choose the method auto or wiedemann")
        }
        () if options.proven => usage("a proof needs the entries of a matrix, and an operator has none"),
        () if options.minor => usage("a minor is made of the entries of a matrix, and an operator has none"),
        () if options.devices.are_demanded() => {
            Err(Error::device(DeviceReason::NoKernel, "the products of an operator are made on the processor"))
        }
        () => Ok(()),
    }
}

fn parameters_for(a: &dyn Operator, options: &RankOptions) -> Result<Parameters> {
    let (modulus, rows, cols) = (a.modulus(), a.rows(), a.cols());
    let nnz = WEIGHT.saturating_mul(rows.max(cols));
    let problem =
        Problem { modulus, rows, cols, nnz, valued: 0, symmetric: false, grid: 1, scratch: 0, levels: 0, gpu: None };
    let chosen = parameters(&problem, &options.wiedemann().within(rows.min(cols)), &options.machine)?;
    match options.max_memory.filter(|&limit| chosen.bytes > limit) {
        None => Ok(chosen),
        Some(limit) => {
            let (needed, limit) = (chosen.bytes.div_ceil(1 << 20), limit >> 20);
            Err(Error::Memory(format!("block Wiedemann needs about {needed} MB, {limit} MB are allowed")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::rank;
    use crate::field::{Modulus, Rng};
    use crate::gpu::Devices;
    use crate::oracles::dense_rank;
    use crate::spmv::Lane;
    use crate::{Silent, families};
    use rand::{RngExt, SeedableRng};

    /// A matrix behind the interface of an operator, by the plainest loops, and what is said to be its transpose.
    struct Naive(SparseMatrix, SparseMatrix);

    impl Naive {
        fn of(a: SparseMatrix) -> Self {
            let transpose = a.transpose().unwrap();
            Naive(a, transpose)
        }
        fn product(&self, a: &SparseMatrix, x: &Block, y: &mut Block) {
            let p = a.modulus();
            for i in 0..a.rows() {
                let (cols, values) = a.row(i);
                for l in 0..x.width() {
                    let term = |(&j, &v): (&u32, &u64)| p.mul(v, x.get(j as usize, l));
                    y.set(i, l, cols.iter().zip(values).map(term).fold(0, |sum, v| p.add(sum, v)));
                }
            }
        }
    }

    impl Operator for Naive {
        fn modulus(&self) -> Modulus {
            self.0.modulus()
        }
        fn rows(&self) -> usize {
            self.0.rows()
        }
        fn cols(&self) -> usize {
            self.0.cols()
        }
        fn lane(&self) -> Lane {
            Lane::narrowest(self.0.modulus())
        }
        fn apply(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
            self.product(&self.0, x, y);
            Ok(())
        }
        fn apply_transpose(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
            self.product(&self.1, x, y);
            Ok(())
        }
    }

    fn random(p: Modulus, rows: usize, cols: usize, nnz: usize, rng: &mut Rng) -> SparseMatrix {
        let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
        let entries: Vec<_> = (0..nnz).map(entry).collect();
        SparseMatrix::from_triplets(p, rows, cols, &entries)
    }

    #[test]
    fn operators_have_the_ranks_of_their_matrices() {
        let mut rng = Rng::seed_from_u64(31);
        for p in [2, 3, 65521, (1 << 61) - 1, 9_223_372_036_854_775_783] {
            let p = Modulus::new(p).unwrap();
            for (rows, cols, nnz) in [(0, 0, 0), (0, 4, 0), (4, 0, 0), (3, 5, 0), (1, 1, 1), (12, 20, 30), (25, 9, 90)]
            {
                let a = random(p, rows, cols, nnz, &mut rng);
                let found = operator_rank(&Naive::of(a.clone()), &RankOptions::default().trials(3), &Silent).unwrap();
                let expected = dense_rank(&a);
                // Never above, and equal where a bound says so.
                assert!(found.rank <= expected, "{rows} x {cols} mod {p}");
                if found.certainty != Certainty::Heuristic {
                    assert_eq!(found.rank, expected, "{rows} x {cols} mod {p}");
                }
                assert_eq!(found.path.iter().filter_map(|step| step.rank).sum::<usize>(), found.rank);
            }
        }
        let a = families::generate("bibd_9_5").unwrap().reduce(Modulus::new((1 << 61) - 1).unwrap());
        let found = operator_rank(&Naive::of(a.clone()), &RankOptions::default(), &Silent).unwrap();
        assert_eq!((found.rank, found.method), (36, Method::Wiedemann));
        assert_eq!(found.rank, rank(&a, &RankOptions::default(), &Silent).unwrap().rank);
    }

    /// One entry is enough, whatever the block: its sequence would say more than the rank.
    #[test]
    fn products_that_are_not_of_one_matrix_are_refused() {
        let mut rng = Rng::seed_from_u64(33);
        for p in [2, 3, 251, 65521, (1 << 61) - 1] {
            let p = Modulus::new(p).unwrap();
            let a = random(p, 14, 10, 12, &mut rng);
            let row = |i: usize| {
                let (cols, values) = a.row(i);
                cols.iter().zip(values).map(move |(&j, &v)| (i, j as usize, v))
            };
            let mut entries: Vec<_> = (0..14).flat_map(row).collect();
            entries.push((rng.random_range(0..14), rng.random_range(0..10), 1));
            let other = SparseMatrix::from_triplets(p, 14, 10, &entries);
            let crossed = Naive(a.clone(), other.transpose().unwrap());
            for block in [1, 2, 8] {
                let found = operator_rank(&crossed, &RankOptions::default().block(block), &Silent);
                assert!(matches!(found, Err(Error::Check(_))), "p = {p}, block {block}: {found:?}");
            }
            let found = operator_rank(&Naive::of(a.clone()), &RankOptions::default(), &Silent);
            assert!(found.unwrap().rank <= dense_rank(&a));
        }
    }

    #[test]
    fn operators_have_the_minimal_polynomials_of_their_matrices() {
        let mut rng = Rng::seed_from_u64(32);
        for p in [2, 3, 65521, 9_223_372_036_854_775_783] {
            let p = Modulus::new(p).unwrap();
            // The small ones are written down over a small field.
            for (n, nnz) in [(0, 0), (1, 0), (1, 1), (5, 0), (8, 20), (20, 30)] {
                let a = random(p, n, n, nnz, &mut rng);
                let options = RankOptions::default();
                let expected = minimal_polynomial(&a, &options.clone().proven(true), &Silent).unwrap();
                let found = operator_minimal_polynomial(&Naive::of(a), &options, &Silent).unwrap();
                assert_eq!(found.coefficients, expected.coefficients, "order {n} mod {p}");
                assert_ne!(found.certainty, Certainty::Heuristic);
            }
        }
        // One vector may see little over GF(3), and the answer says so.
        let a = random(Modulus::new(3).unwrap(), 60, 60, 90, &mut rng);
        let whole = minimal_polynomial(&a, &RankOptions::default(), &Silent).unwrap();
        let found = operator_minimal_polynomial(&Naive::of(a), &RankOptions::default().block(1), &Silent).unwrap();
        assert!(found.certainty == Certainty::Heuristic || found.degree() == 60, "{found:?}");
        assert!(found.degree() <= whole.degree());
    }

    #[test]
    fn what_products_cannot_tell_is_refused() {
        let a = Naive::of(SparseMatrix::from_triplets(Modulus::new(7).unwrap(), 2, 3, &[(0, 0, 1)]));
        let refused = |options: RankOptions| operator_rank(&a, &options, &Silent).unwrap_err();
        let default = RankOptions::default;
        for options in
            [default().proven(true), default().minor(true), default().method(Method::Hybrid), default().trials(0)]
        {
            assert!(matches!(refused(options), Error::Usage(_)));
        }
        assert!(matches!(refused(default().devices(Devices::Gpus)), Error::Device(_)));
        assert!(matches!(refused(default().max_memory(1)), Error::Memory(_)));
        let square = operator_minimal_polynomial(&a, &default(), &Silent);
        assert!(matches!(square, Err(Error::Matrix(_))), "{square:?}");
    }

    /// A sequence of one's own, from the rooms below: powers of a permutation.
    #[test]
    fn a_sequence_of_a_plain_operator_has_the_generator_of_its_powers() {
        use crate::blackbox::Preconditioned;
        use crate::field::PrimeField;
        use crate::sequence::{Krylov, Projection, SequenceSource, Start};
        use crate::sigma_basis::GeneratorSearch;
        let (p, n) = (Modulus::new(65521).unwrap(), 9);
        let cycle: Vec<_> = (0..n).map(|i| (i, (i + 1) % n, 1)).collect();
        let a = Naive::of(SparseMatrix::from_triplets(p, n, n, &cycle));
        let (field, rng) = (PrimeField(p), &mut Rng::seed_from_u64(5));
        let (plain, projection) = (Preconditioned::plain(&a), Projection::dense(&field, n, 1, rng).unwrap());
        let mut krylov = Krylov::new(&field, &plain, projection, 1, Start::X, rng).unwrap();
        let (mut terms, mut search) = (vec![], GeneratorSearch::new(field, 1).unwrap());
        krylov.extend(3 * n, &mut terms, &Silent).unwrap();
        assert!((n..3 * n).all(|i| terms[i] == terms[i - n]), "A^n = 1: {terms:?}");
        search.extend(&terms, &Silent).unwrap();
        assert_eq!(search.rank_bound(), n);
    }
}
