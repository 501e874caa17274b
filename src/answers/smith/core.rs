//! A component without units: its rank, a nonsingular minor, and its invariant factors.

use super::diagonal::Diagonal;
use super::modular::smith_mod;
use super::{RankOptions, SmithOptions};
use crate::answers::{RationalOptions, determinant, rank, rational_rank};
use crate::certify::{Certainty, Domain, Streams};
use crate::field::{Modulus, random_prime};
use crate::integers::{Bound, Multimodular, hadamard_log2};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, Step, memory};

/// The invariant factors of a component, and how sure its rank is.
pub(super) struct Core {
    pub factors: Diagonal,
    pub certainty: Certainty,
    pub reason: String,
    pub path: Vec<Step>,
}

/// # Errors
/// Those of [`rational_rank`], [`Error::Check`] if a computation contradicts itself.
pub(super) fn invariant_factors(a: &Triplets, options: &SmithOptions, observer: &dyn Observer) -> Result<Core> {
    let rational = RationalOptions::default().rank(options.rank.clone()).error(options.error);
    let over_q = rational_rank(a, &rational, observer)?;
    let r = over_q.rank;
    let mut rng = Streams::of_integers(&a.digest(), options.rank.seed).stream(Domain::Solutions, 0);
    // The rank mod a random prime is smaller for few of them.
    let minor = loop {
        let p = random_prime(31, &mut rng);
        let options = RankOptions { minor: true, proven: false, ..options.rank.clone() };
        let found = rank(&a.try_reduce(p)?, &options, observer)?;
        if found.rank == r {
            break found.minor.ok_or_else(|| Error::Check("a rank without the minor asked for".into()))?;
        }
    };
    let b = restricted(a, minor.rows(), minor.cols())?;
    let bits = hadamard_log2(a, r)?.ceil() as u64;
    let primes = Multimodular {
        bound: Bound { bits, rule: "Hadamard" },
        prime_bits: 31,
        group: 1,
        phase: "determinant of a minor",
        observer,
    };
    let residue = |p: &[Modulus]| Ok(vec![determinant(&b.try_reduce(p[0])?, &options.rank, observer)?.value]);
    let det = primes.proven(residue)?.value;
    let factors = smith_mod(a, &(det.magnitude() << 1u32), observer)?;
    if factors.len() != r {
        return Err(Error::Check(format!("{} invariant factors of a matrix of rank {r}", factors.len())));
    }
    Ok(Core { factors, certainty: over_q.certainty, reason: over_q.reason, path: over_q.path })
}

/// The minor in these lines.
fn restricted(a: &Triplets, rows: &[u32], cols: &[u32]) -> Result<Triplets> {
    let places = |lines: &[u32], len: usize| {
        let mut place = memory::filled(u32::MAX, len, "the lines of a minor")?;
        lines.iter().zip(0..).for_each(|(&line, k)| place[line as usize] = k);
        Ok::<_, Error>(place)
    };
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let inside = a.entries().map(|(i, j, v)| (row[i] as usize, col[j] as usize, v));
    let inside = inside.filter(|&(i, j, _)| i < rows.len() && j < cols.len());
    Triplets::try_from_entries(rows.len(), cols.len(), inside.map(|(i, j, v)| (i, j, v.to_bigint())))
}
