//! The rank over ℚ of an integer matrix, from its ranks modulo random primes, and which primes make it smaller.
//!
//! The rank mod p never exceeds the rank r over ℚ. It is smaller only if p divides every minor of order r; take one that is
//! not 0, |D| ≤ 2^h by [`hadamard_log2`]. At most ⌊h/(b-1)⌋ primes of b bits divide D, of at least π_b by
//! [`primes_of_size`], so that
//!
//! **P(rank mod p < r) ≤ δ = ⌊h/(b-1)⌋ / π_b** for a random prime p of b bits,
//!
//! and the largest of several ranks fails with at most the product of (δ + ε), ε the error bound of each modular rank.
//!
//! The size of the primes: 31 bits, where arithmetic mod p is fast, for the usual h of some thousands of bits δ is some
//! 10⁻⁶, and two primes give 10⁻¹², three 10⁻¹⁸. Primes of 62 bits are taken where 31 bits leave δ above 10⁻³ (entries of
//! thousands of digits), and for block Wiedemann, whose own ε falls with p.
//!
//! **Small primes.** If A has the Smith form diag(d₁, …, d_r, 0, …), its rank mod q is the number of dᵢ that q does not
//! divide. So exactly r - rank_q of the invariant factors are multiples of q; for the boundary matrix of a complex, so many
//! cyclic summands of the homology have an order divisible by q.

use super::{Method, RankOptions, Route, hadamard_log2, primes_of_size, rank};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::field::{Modulus, random_prime};
use crate::matching::maximum_matching;
use crate::sparse::{Pattern, Triplets};
use crate::{Error, Observer, Result};
use std::time::Instant;

/// What may be asked of [`rational_rank`].
#[derive(Clone, Debug)]
pub struct RationalOptions {
    /// How each rank mod p is computed; its seed is that of the primes, too.
    pub rank: RankOptions,
    /// The error probability to go on for.
    pub error: ErrorBound,
    /// Primes that the caller wants to know about.
    pub moduli: Vec<Modulus>,
    /// An upper bound of the rank over ℚ that the caller can prove. The numbers of non-empty rows and columns and the size of
    /// a maximum matching are found without it.
    pub rank_bound: Option<usize>,
}

impl Default for RationalOptions {
    fn default() -> Self {
        let error = ErrorBound::new(1e-12).expect("a probability");
        RationalOptions { rank: RankOptions::default(), error, moduli: vec![], rank_bound: None }
    }
}

/// A rank mod p.
#[derive(Clone, Debug, PartialEq)]
pub struct ModularRank {
    /// The modulus.
    pub modulus: Modulus,
    /// The rank.
    pub rank: usize,
    /// How sure it is. The value never exceeds the rank mod p.
    pub certainty: Certainty,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A rank over ℚ with what it rests on.
#[derive(Clone, Debug)]
pub struct RationalRank {
    /// The rank: the largest of the modular ranks.
    pub rank: usize,
    /// How sure it is. The value never exceeds the rank over ℚ.
    pub certainty: Certainty,
    /// What the certainty rests on.
    pub reason: String,
    /// log₂ of the bound of the minors: h.
    pub minor_bits: f64,
    /// The size of the random primes: b.
    pub prime_bits: u32,
    /// The bound of the probability that one random prime makes the rank smaller: δ.
    pub bad_prime: f64,
    /// The ranks modulo random primes, in the order drawn.
    pub drawn: Vec<ModularRank>,
    /// The ranks modulo [`RationalOptions::moduli`], in their order.
    pub asked: Vec<ModularRank>,
}

/// Most random primes for one answer.
const MAX_PRIMES: usize = 64;

impl RationalRank {
    /// How many invariant factors of the Smith form are multiples of a prime, by its rank: exactly so many if both ranks are
    /// right.
    pub fn multiples_of(&self, q: &ModularRank) -> usize {
        self.rank - q.rank
    }
    /// A line for each prime that makes the rank smaller, those asked for first.
    pub fn explanations(&self) -> impl Iterator<Item = String> {
        self.asked.iter().chain(&self.drawn).filter(|q| q.rank < self.rank).map(|q| {
            let (p, count) = (q.modulus, self.multiples_of(q));
            let factors =
                if count == 1 { "1 invariant factor is a multiple" } else { "invariant factors are multiples" };
            let number = if count == 1 { String::new() } else { format!("{count} ") };
            let sure = match (self.certainty, q.certainty) {
                (Certainty::Proven, Certainty::Proven) => "",
                _ => ", if both ranks are right",
            };
            format!("rank {} mod {p}: {number}{factors} of {p}{sure}", q.rank)
        })
    }
}

/// The rank over ℚ.
///
/// ```
/// use blackfield::{Silent, answers::{RationalOptions, rational_rank}, field::Modulus, sparse::Triplets};
/// let a = Triplets::from_entries(3, 3, [(0, 0, 1), (1, 1, 2), (2, 2, 6)]);
/// let options = RationalOptions { moduli: vec![Modulus::new(2)?, Modulus::new(3)?], ..Default::default() };
/// let answer = rational_rank(&a, &options, &Silent)?;
/// assert_eq!((answer.rank, answer.asked[0].rank, answer.asked[1].rank), (3, 1, 2));
/// assert_eq!(answer.multiples_of(&answer.asked[0]), 2); // 2 and 6
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for options out of range, and the errors of [`rank()`].
pub fn rational_rank(a: &Triplets, options: &RationalOptions, observer: &dyn Observer) -> Result<RationalRank> {
    if options.error.is_vacuous() {
        return Err(Error::Usage("an error bound of 1 is out of range: 0 < error < 1 is needed".into()));
    }
    if options.rank.route == Route::CoDegree {
        return Err(Error::Usage("the route codegree may exceed the rank: nothing follows for the rank over Q".into()));
    }
    // The rank, and the minors that are not 0, are those of the non-empty lines.
    let compact = a.compact()?;
    let a = &*compact.matrix;
    let mut bound = options.rank_bound.unwrap_or(usize::MAX).min(fewest_lines(a));
    let minor_bits = hadamard_log2(a, bound);
    let chance = |bits: u32| (minor_bits / f64::from(bits - 1)).floor() / primes_of_size(bits) * (1.0 + 1e-12);
    let prime_bits = if options.rank.method == Method::Wiedemann || chance(31) > 1e-3 { 62 } else { 31 };
    let bad_prime = chance(prime_bits);

    let mut rng = Streams::of_integers(&a.digest(), options.rank.seed).stream(Domain::Primes, 0);
    let modular = |modulus: Modulus| -> Result<ModularRank> {
        let start = Instant::now();
        let answer = rank(&a.try_reduce(modulus)?, &options.rank, observer)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(ModularRank { modulus, rank: answer.rank, certainty: answer.certainty, seconds })
    };
    let (mut drawn, mut value, mut failure) = (vec![], 0, ErrorBound::VACUOUS);
    let mut sure = false;
    while value < bound && failure > options.error && drawn.len() < MAX_PRIMES {
        let p = random_prime(prime_bits, &mut rng);
        let answer = modular(p)?;
        let of_rank = match answer.certainty {
            Certainty::Proven => None,
            Certainty::MonteCarlo { error_bound } => Some(error_bound),
            Certainty::Heuristic => Some(ErrorBound::VACUOUS),
        };
        let one = match (ErrorBound::new(bad_prime), of_rank) {
            (Some(a), Some(b)) => Some(a.either(b)),
            (a, b) => a.or(b),
        };
        value = value.max(answer.rank);
        drawn.push(answer);
        if drawn.len() == 1 && value < bound {
            bound = bound.min(maximum_matching(&Pattern::from(a)).size);
        }
        let Some(one) = one else {
            sure = true;
            break;
        };
        if one.is_vacuous() {
            break; // No theorem speaks, and more primes would not make it.
        }
        failure = failure.both(one);
    }
    let mut asked = vec![];
    for &q in &options.moduli {
        asked.push(modular(q)?);
    }
    let value = asked.iter().map(|q| q.rank).fold(value, usize::max);
    let primes = format!("{} random primes of {prime_bits} bits", drawn.len());
    let (certainty, reason) = if value == bound {
        (Certainty::Proven, format!("no rank mod p exceeds that over Q, which the pattern bounds by {bound}"))
    } else if sure {
        let why =
            format!("no minor that is not 0 has {prime_bits} bits, so that a random prime of that size divides none");
        (Certainty::Proven, why)
    } else if !failure.is_vacuous() {
        let why =
            format!("{primes}, each wrong with at most {bad_prime:.1e}: minors have at most {minor_bits:.0} bits");
        (Certainty::MonteCarlo { error_bound: failure }, why)
    } else {
        (Certainty::Heuristic, format!("{primes}; no rank mod p exceeds that over Q"))
    };
    Ok(RationalRank { rank: value, certainty, reason, minor_bits, prime_bits, bad_prime, drawn, asked })
}

/// The smaller one of the numbers of non-empty rows and columns.
fn fewest_lines(a: &Triplets) -> usize {
    let (mut row, mut col) = (vec![false; a.rows()], vec![false; a.cols()]);
    a.entries().for_each(|(i, j, _)| (row[i], col[j]) = (true, true));
    let count = |lines: Vec<bool>| lines.into_iter().filter(|&used| used).count();
    count(row).min(count(col))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::{Silent, families};
    use num_bigint::BigInt;
    use rand::{RngExt, SeedableRng};

    fn moduli(primes: &[u64]) -> Vec<Modulus> {
        primes.iter().map(|&p| Modulus::new(p).unwrap()).collect()
    }

    /// A matrix with the given Smith form: L·diag·R with random unimodular L, R, products of elementary matrices.
    fn with_smith_form(rows: usize, cols: usize, factors: &[BigInt], seed: u64) -> Triplets {
        let mut rng = Rng::seed_from_u64(seed);
        let mut a = vec![vec![BigInt::ZERO; cols]; rows];
        factors.iter().enumerate().for_each(|(k, d)| a[k][k] = d.clone());
        for _ in 0..3 * (rows + cols) {
            let (i, j) = (rng.random_range(0..rows), rng.random_range(0..rows));
            let factor = rng.random_range(-2..3);
            if i != j {
                let other = a[j].clone();
                a[i].iter_mut().zip(other).for_each(|(x, y)| *x += y * factor);
            }
            let (i, j) = (rng.random_range(0..cols), rng.random_range(0..cols));
            if i != j {
                a.iter_mut().for_each(|row| row[i] = &row[i] + &row[j] * factor);
            }
        }
        Triplets::from_entries(
            rows,
            cols,
            (0..rows * cols).map(|k| (k / cols, k % cols, a[k / cols][k % cols].clone())),
        )
    }

    #[test]
    fn known_smith_forms() {
        // Each divides the next; the last beyond 64 bits.
        let huge: BigInt = BigInt::from(210) << 90;
        for (factors, shape) in [
            (vec![1, 1, 2, 6, 30], (5, 5)),
            (vec![1, 3, 3, 15, 0], (8, 6)),
            (vec![7, 7, 7], (3, 9)),
            (vec![], (4, 4)),
            (vec![2], (1, 1)),
        ] {
            for last in [None, Some(huge.clone())] {
                let mut d: Vec<BigInt> = factors.iter().map(|&d| d.into()).filter(|d| *d != BigInt::ZERO).collect();
                if d.len() < shape.0.min(shape.1) {
                    d.extend(last);
                }
                let a = with_smith_form(shape.0, shape.1, &d, 3);
                let options = RationalOptions { moduli: moduli(&[2, 3, 5, 7]), ..Default::default() };
                let answer = rational_rank(&a, &options, &Silent).unwrap();
                assert_eq!(answer.rank, d.len());
                for q in &answer.asked {
                    let multiples = d.iter().filter(|&x| x % q.modulus.get() == BigInt::ZERO).count();
                    assert_eq!(answer.multiples_of(q), multiples, "{d:?} mod {}", q.modulus);
                }
                if let Certainty::MonteCarlo { error_bound } = answer.certainty {
                    assert!(error_bound <= options.error && d.len() < shape.0.min(shape.1));
                }
                assert_ne!(answer.certainty, Certainty::Heuristic);
                let smaller = answer.asked.iter().filter(|q| q.rank < d.len()).count();
                assert_eq!(answer.explanations().count(), smaller);
            }
        }
    }

    /// Whoever knows the seed, and the primes that it draws for one matrix, makes another whose entries are multiples of them.
    #[test]
    fn primes_that_are_known_are_not_drawn_again() {
        let of = |entry: &BigInt| Triplets::from_entries(4, 4, (0..16).map(|k| (k / 4, k % 4, entry * (1 + k / 8))));
        for seed in 0..5 {
            let rank = RankOptions { seed, ..Default::default() };
            let options = RationalOptions { rank, ..Default::default() };
            let mut entry = BigInt::from(1) << 31;
            for _ in 0..4 {
                let answer = rational_rank(&of(&entry), &options, &Silent).unwrap();
                assert_eq!((answer.rank, answer.drawn[0].rank), (1, 1), "seed {seed}, entry {entry}");
                assert!(
                    matches!(answer.certainty, Certainty::MonteCarlo { error_bound } if error_bound <= options.error)
                );
                answer.drawn.iter().for_each(|q| entry *= q.modulus.get());
            }
        }
    }

    #[test]
    fn small_minors_and_full_shapes_are_proven() {
        // Rank 1 with minors below 2³⁰: every prime of 31 bits is good.
        let a = Triplets::from_entries(2, 2, (0..4).map(|k| (k / 2, k % 2, 1)));
        let answer = rational_rank(&a, &RationalOptions::default(), &Silent).unwrap();
        assert_eq!(
            (answer.rank, answer.certainty, answer.bad_prime, answer.drawn.len()),
            (1, Certainty::Proven, 0.0, 1)
        );
        let b = families::generate("bibd_9_5").unwrap();
        let options = RationalOptions { moduli: moduli(&[2, 3, 5]), ..Default::default() };
        let answer = rational_rank(&b, &options, &Silent).unwrap();
        assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (36, Certainty::Proven, 1));
        assert_eq!(answer.asked.iter().map(|q| q.rank).collect::<Vec<_>>(), [27, 36, 35]);
        let lines: Vec<_> = answer.explanations().collect();
        assert_eq!(lines[0], "rank 27 mod 2: 9 invariant factors are multiples of 2");
        assert_eq!(lines[1], "rank 35 mod 5: 1 invariant factor is a multiple of 5");
        // A cross is of structural rank 2 = rank on more lines; 2³¹ prevents that small minors decide.
        let cross = (0..4).map(|k| (1, k, 1i64 << 31)).chain((0..4).filter(|&k| k != 1).map(|k| (k, 2, 1)));
        let answer = rational_rank(&Triplets::from_entries(4, 4, cross), &RationalOptions::default(), &Silent).unwrap();
        assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (2, Certainty::Proven, 1));
        assert!(answer.bad_prime > 0.0);
        // A bound that the caller knows proves a rank that the shape does not.
        let c = families::generate("ch5-5-b2").unwrap();
        let known = RationalOptions { rank_bound: Some(176), ..Default::default() };
        assert_eq!(rational_rank(&c, &known, &Silent).unwrap().certainty, Certainty::Proven);
        let answer = rational_rank(&c, &RationalOptions::default(), &Silent).unwrap();
        assert!(answer.rank == 176 && answer.drawn.len() >= 2, "{answer:?}");
        assert!(
            matches!(answer.certainty, Certainty::MonteCarlo { error_bound } if error_bound <= RationalOptions::default().error)
        );
    }

    #[test]
    fn degenerate_shapes_and_options() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0), (2, 2)] {
            let zero = Triplets::from_entries(rows, cols, Vec::<(usize, usize, i64)>::new());
            let answer = rational_rank(&zero, &RationalOptions::default(), &Silent).unwrap();
            assert_eq!((answer.rank, answer.certainty, answer.drawn.len()), (0, Certainty::Proven, 0));
        }
        let a = Triplets::from_entries(1, 1, [(0, 0, 1)]);
        let options = RationalOptions { error: ErrorBound::VACUOUS, ..Default::default() };
        assert!(matches!(rational_rank(&a, &options, &Silent), Err(Error::Usage(_))));
        let rank = RankOptions { route: Route::CoDegree, ..Default::default() };
        let options = RationalOptions { rank, ..Default::default() };
        assert!(matches!(rational_rank(&a, &options, &Silent), Err(Error::Usage(_))));
    }

    #[test]
    fn large_primes_for_huge_entries_and_for_wiedemann() {
        // Minors of two million bits: two 31-bit primes in 10³ might divide.
        let huge: BigInt = BigInt::from(1) << 50_000;
        let board = |k: usize| if k.is_multiple_of(2) { huge.clone() } else { 1.into() };
        let a = Triplets::from_entries(41, 41, (0..41 * 41).map(|k| (k / 41, k % 41, board(k))));
        let answer = rational_rank(&a, &RationalOptions::default(), &Silent).unwrap();
        assert_eq!((answer.rank, answer.prime_bits), (2, 62));
        let b = families::generate("ch4-4-b2").unwrap();
        let method = RankOptions { method: Method::Wiedemann, ..Default::default() };
        let by_wiedemann = rational_rank(&b, &RationalOptions { rank: method, ..Default::default() }, &Silent).unwrap();
        let answer = rational_rank(&b, &RationalOptions::default(), &Silent).unwrap();
        assert_eq!((by_wiedemann.rank, by_wiedemann.prime_bits), (answer.rank, 62));
        assert!(
            matches!(by_wiedemann.certainty, Certainty::MonteCarlo { error_bound } if error_bound <= RationalOptions::default().error)
        );
    }
}
