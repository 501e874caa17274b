//! The Smith form, from the question to the answer.

use super::core::invariant_factors;
use super::kept_pieces::pieces;
use super::pieces::{Piece, Pieces};
use super::small;
use super::{SmithForm, SmithOptions};
use crate::answers::Phases;
use crate::answers::kernel::check;
use crate::certify::Certainty;
use crate::integers::Hadamard;
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::time::Instant;

/// The Smith normal form of `a`. Of the options of a rank the seed, the memory, the prices, the patience and `proven`
/// count; block Wiedemann is refused.
///
/// ```
/// use blackfield::{Silent, answers::{SmithOptions, smith}, sparse::Triplets};
/// let a = Triplets::from_entries(2, 3, [(0, 0, 2), (0, 1, 4), (1, 1, 6), (1, 2, 8)]);
/// let form = smith(&a, &SmithOptions::default(), &Silent)?;
/// assert_eq!(form.factors, [(2u32.into(), 2)]);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for options out of range, [`Error::Memory`] if nothing fits or memory ends, [`Error::Interrupted`]
/// when the observer says so, and [`Error::Check`] if a computation contradicts itself.
pub fn smith(a: &Triplets, options: &SmithOptions, observer: &dyn Observer) -> Result<SmithForm> {
    if options.error.is_vacuous() {
        return Err(Error::Usage("an error bound of 1 is out of range: 0 < error < 1 is needed".into()));
    }
    check(&options.rank)?;
    let mut phases = Phases::default();
    let start = Instant::now();
    let compact = a.compact()?;
    let whole = Hadamard::of(&compact.matrix)?;
    let pieces = phases.time("units", || pieces(compact.matrix.into_owned(), &options.rank, observer))?;
    let Pieces { mut diagonal, cores, units } = pieces;
    let mut form = SmithForm {
        rank: 0,
        factors: vec![],
        certainty: Certainty::Proven,
        primes: Certainty::Proven,
        reason: String::new(),
        path: vec![],
        phases: Phases::default(),
    };
    form.path.push(Step {
        name: "units",
        found: format!(
            "{}, {} without any left{}",
            counted(units, "unit"),
            counted(cores.len(), "component"),
            largest(&cores)
        ),
        why: String::new(),
        rank: Some(units),
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    });
    if cores.iter().all(|core| small::is_small(&core.matrix)) {
        form.reason = "units and common divisors leave nothing but small components".into();
    }
    // The error that may be made is shared out.
    let large = cores.iter().filter(|core| !small::is_small(&core.matrix)).count().max(1);
    let options = &SmithOptions { error: options.error.share(large), ..options.clone() };
    for core in &cores {
        if small::is_small(&core.matrix) {
            for (s, count) in phases.time("cores", || small::invariant_factors(&core.matrix, observer))? {
                diagonal.add(s * &core.scale, count);
            }
            continue;
        }
        let found = phases.time("cores", || {
            invariant_factors(&core.matrix, |order| whole.log2(core.before + order), options, observer)
        })?;
        // The reason of the first is given, unless a later one is less sure.
        if form.reason.is_empty() || form.certainty == Certainty::Proven && found.certainty != Certainty::Proven {
            form.reason = found.reason;
        }
        form.certainty = form.certainty.and(found.certainty);
        form.primes = form.primes.and(found.primes);
        form.path.extend(found.path);
        for (s, count) in found.factors {
            diagonal.add(s * &core.scale, count);
        }
    }
    form.rank = diagonal.len();
    form.factors = diagonal.invariant_factors(observer)?;
    if let Some(p) = options.local {
        form.factors = powers(form.factors, p.get());
    }
    form.phases = phases;
    Ok(form)
}

/// The powers of p in invariant factors.
fn powers(factors: Vec<(BigUint, usize)>, p: u64) -> Vec<(BigUint, usize)> {
    let mut local: Vec<(BigUint, usize)> = vec![];
    for (mut s, count) in factors {
        let mut power = BigUint::one();
        while (&s % p).is_zero() {
            s /= p;
            power *= p;
        }
        match local.last_mut() {
            Some(last) if last.0 == power => last.1 += count,
            _ => local.push((power, count)),
        }
    }
    local
}

/// The shape of the largest component, in words.
fn largest(cores: &[Piece]) -> String {
    let largest = cores.iter().map(|core| &core.matrix).max_by_key(|a| a.rows().max(a.cols()));
    largest.map_or_else(String::new, |a| format!(", at most {} x {} with {} non-zeros", a.rows(), a.cols(), a.nnz()))
}
