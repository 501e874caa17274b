//! The proof that a rank mod p is that over ℚ, by the method predicted to be cheaper.

use super::null_space::{Found, NullSpace, Outcome};
use super::search::{Drawn, Search, non_empty_lines};
use crate::answers::Minor;
use crate::field::Modulus;
use crate::integers::{hadamard_log2, primes_below};
use crate::sparse::Triplets;
use crate::words::{counted, duration};
use crate::{Result, Step, memory};
use std::borrow::Cow;
use std::time::Instant;

/// Work on null vectors that turns out more expensive than predicted is given up beyond this multiple of the other
/// way's price.
const PATIENCE: f64 = 2.0;
/// From so many primes on it is seen whether fewer, larger ones take less time.
const MANY_PRIMES: usize = 8;
/// Primes that may divide many invariant factors, tried in this order as long as they do, the first two in any case.
const SMALL_PRIMES: [u64; 6] = [2, 3, 5, 7, 11, 13];

impl Search<'_> {
    /// Predicted seconds for the null vectors' system, with so many columns of the minor beyond the chain.
    pub fn setup_seconds(&self, beyond: usize) -> f64 {
        NullSpace::setup_seconds(&self.a, beyond, self.machine())
    }

    /// Predicted seconds of all threads for the proof by enough primes, if one takes `seconds`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn seconds_by_primes(&self, seconds: f64) -> Result<f64> {
        let missing = self.product.missing(self.minor_bits_above()?, 31);
        Ok(missing as f64 * seconds * rayon::current_num_threads() as f64)
    }

    /// Null vectors over the integers that prove the rank mod p to be that over ℚ, if they are predicted to take less
    /// than `dearest` seconds of one thread: what was found, in words. `None` if there is no such proof, or none so
    /// cheap.
    pub fn by_null_space(&mut self, drawn: &Drawn, dearest: f64) -> Result<Option<String>> {
        let Some(minor) = &drawn.minor else { return Ok(None) };
        let start = Instant::now();
        let (order, beyond) = (drawn.rank, drawn.rank - minor.triangular);
        let (rows, cols) = non_empty_lines(&self.a)?;
        let transposed = rows < cols;
        let needed = NullSpace::memory(&self.a, order, beyond, rayon::current_num_threads());
        let setup = self.setup_seconds(beyond);
        let decline = |search: &mut Self, why: String| search.note("null space", "not taken".into(), why, None, start);
        if let Some(limit) = self.options.rank.max_memory.filter(|&limit| needed > limit) {
            decline(self, format!("it needs {} MB, {} MB are allowed", needed.div_ceil(1 << 20), limit >> 20));
            return Ok(None);
        }
        if setup > dearest {
            decline(self, format!("its system would take {}, primes {}", duration(setup), duration(dearest)));
            return Ok(None);
        }
        let minor_bits = hadamard_log2(&self.a, order)?;
        let (matrix, minor) = oriented(&self.a, minor, transposed)?;
        let space = NullSpace::new(&matrix, drawn.modulus, &minor, minor_bits, self.machine(), self.observer)?;
        drop(matrix);
        let Some(mut space) = space else {
            decline(self, "entries beyond 64 bits".into());
            return Ok(None);
        };
        let (mut outcome, predicted) = space.sample(dearest, self.observer)?;
        if outcome == Outcome::Complete && predicted > dearest {
            outcome = Outcome::TooDear;
        } else if outcome == Outcome::Complete {
            outcome = space.complete(PATIENCE * dearest, self.observer)?;
        }
        let side = if transposed { "left null vector" } else { "null vector" };
        let why =
            format!("predicted to take one thread {}; up to {} is worth it", duration(predicted), duration(dearest));
        let Found { vectors, lifted, digits, bits } = space.found;
        match outcome {
            Outcome::Complete => {
                let large = match lifted {
                    0 => String::new(),
                    _ => format!(", {lifted} of them lifted to up to {}", counted(digits, "digit")),
                };
                let found = format!(
                    "{} over the integers, entries of at most {}{large}",
                    counted(vectors, side),
                    counted(bits, "bit")
                );
                self.note("null space", found.clone(), why, Some(predicted), start);
                Ok(Some(format!("{found}: no larger rank is possible")))
            }
            Outcome::Larger => {
                let found = format!("the rank over Q exceeds {order}");
                self.note("null space", found, "a null vector mod p is none over Q".into(), None, start);
                self.exceeds(order);
                Ok(None)
            }
            Outcome::TooDear => {
                self.note(
                    "null space",
                    format!("given up after {}", counted(vectors, "null vector")),
                    why,
                    Some(predicted),
                    start,
                );
                Ok(None)
            }
        }
    }

    /// Primes until no minor of the order above the rank can be a multiple of all but 0; `None` if a larger rank shows
    /// up. `seconds` is what a rank mod a prime of 31 bits took.
    pub fn by_primes(&mut self, seconds: f64) -> Result<Option<String>> {
        let (start, bits, before) = (Instant::now(), self.minor_bits_above()?, self.proving.len());
        let (value, many) = (self.value, self.product.missing(bits, 31));
        let predicted = many as f64 * seconds;
        self.observer.phase("primes", many as u64);
        for (k, q) in SMALL_PRIMES.into_iter().enumerate() {
            let missing = self.product.missing(bits, 31);
            if missing < MANY_PRIMES || self.product.contains(q) {
                break;
            }
            let before = self.product.bits();
            let (rank, _) = self.modular(false, Modulus::new(q)?, false, true)?;
            self.path.pop();
            self.proving.push(rank);
            if self.value > value {
                return Ok(None);
            }
            if k > 0 && self.product.bits() < before + 31.0 {
                break;
            }
        }
        let [mut small, mut large] = [31, 62].map(|bits| primes_below(1 << bits));
        let mut speed = [31.0 / seconds.max(1e-9), f64::INFINITY];
        while !self.product.exceeds(bits) {
            // The first large one is tried where many are to come; then what gives more bits a second.
            let few = self.product.missing(bits, 31) < MANY_PRIMES;
            let size = usize::from(!(few && speed[1].is_infinite()) && speed[1] > speed[0]);
            let next = self.product.next([&mut small, &mut large][size]);
            let p = Modulus::new(next.expect("there are more primes of 31 bits than a minor has"))?;
            let (rank, drawn) = self.modular(false, p, false, true)?;
            speed[size] = [31.0, 62.0][size] / drawn.seconds.max(1e-9);
            self.path.pop();
            self.proving.push(rank);
            self.observer.progress((many - self.product.missing(bits, 31).min(many)) as u64);
            if self.value > value {
                return Ok(None);
            }
        }
        let found = self.words_of_primes(bits);
        let more = self.proving.len() - before;
        self.note("enough primes", found.clone(), format!("{more} more primes"), Some(predicted), start);
        Ok(Some(found))
    }

    fn note(&mut self, name: &'static str, found: String, why: String, predicted: Option<f64>, start: Instant) {
        let predicted = predicted.filter(|seconds| seconds.is_finite());
        let seconds = start.elapsed().as_secs_f64();
        self.path.push(Step { name, found, why, rank: Some(0), predicted, seconds });
    }
}

/// The matrix and its minor, or both transposed: the chain in the reverse order.
fn oriented<'m>(a: &'m Triplets, minor: &'m Minor, transposed: bool) -> Result<(Cow<'m, Triplets>, Cow<'m, Minor>)> {
    if !transposed {
        return Ok((Cow::Borrowed(a), Cow::Borrowed(minor)));
    }
    let turned = |lines: &[u32]| {
        let (chain, beyond) = lines.split_at(minor.triangular);
        memory::collect(chain.iter().rev().chain(beyond).copied(), "the lines of a minor")
    };
    let minor = Minor::new(turned(&minor.cols)?, turned(&minor.rows)?, minor.triangular);
    Ok((Cow::Owned(a.try_transpose()?), Cow::Owned(minor)))
}
