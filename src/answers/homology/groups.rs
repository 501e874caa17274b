//! From ranks and invariant factors to groups.

use super::coefficients::Coefficients;
use crate::certify::Certainty;
use crate::{Error, Result, Step};
use num_bigint::BigUint;
use std::fmt;

/// A homology or cohomology group: free of rank `betti`, and torsion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Group {
    /// The degree.
    pub degree: i64,
    /// The number of free summands; over a field the dimension.
    pub betti: usize,
    /// The torsion coefficients: orders d > 1, each a multiple of the one before, and how many summands ℤ/d there are.
    pub torsion: Vec<(BigUint, usize)>,
}

/// The groups over some coefficients.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Groups {
    /// The coefficients.
    pub coefficients: Coefficients,
    /// The groups, degrees ascending.
    pub groups: Vec<Group>,
    /// How sure all of them together are.
    pub certainty: Certainty,
    /// What the certainty rests on.
    pub reason: String,
    /// The steps taken, in order.
    pub path: Vec<Step>,
}

impl Groups {
    /// Σ (-1)^k β_k: the Euler characteristic of the complex, over every field.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let sign = |degree: i64| if degree.rem_euclid(2) == 0 { 1 } else { -1 };
        self.groups.iter().map(|group| sign(group.degree) * group.betti as i64).sum()
    }
}

/// As in `Z^2 + (Z/3)^8 + Z/6`, `0` for the group of one element.
impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = |name: String, count: usize| match count {
            0 => None,
            1 => Some(name),
            _ if name.contains('/') => Some(format!("({name})^{count}")),
            _ => Some(format!("{name}^{count}")),
        };
        let free = power("Z".to_string(), self.betti);
        let torsion = self.torsion.iter().filter_map(|(d, count)| power(format!("Z/{d}"), *count));
        let summands: Vec<String> = free.into_iter().chain(torsion).collect();
        f.write_str(if summands.is_empty() { "0" } else { "" })?;
        f.write_str(&summands.join(" + "))
    }
}

/// A rank and the invariant factors beyond 1, with how often each occurs: those of one boundary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Invariants {
    pub rank: usize,
    pub torsion: Vec<(BigUint, usize)>,
}

/// The groups of a complex with so many `cells` in each degree from `lowest` on, `boundaries[k]` those from the degree
/// of `cells[k + 1]` to that of `cells[k]`. Degree -1 of an augmented complex is left out where its group is 0.
///
/// # Errors
/// [`Error::Check`] if the ranks are too large for the cells.
pub(super) fn groups(lowest: i64, cells: &[usize], boundaries: &[Invariants], cohomology: bool) -> Result<Vec<Group>> {
    let none = Invariants::default();
    let mut groups = Vec::with_capacity(cells.len());
    for (k, (degree, &count)) in (lowest..).zip(cells).enumerate() {
        let at = |k: Option<usize>| k.and_then(|k| boundaries.get(k)).unwrap_or(&none);
        let (below, above) = (at(k.checked_sub(1)), at(Some(k)));
        let betti = count.checked_sub(below.rank + above.rank).ok_or_else(|| {
            let (below, above) = (below.rank, above.rank);
            Error::Check(format!(
                "ranks {below} and {above} of boundaries that meet in {count} cells of degree {degree}"
            ))
        })?;
        let torsion = if cohomology { &below.torsion } else { &above.torsion };
        let group = Group { degree, betti, torsion: torsion.clone() };
        if degree >= 0 || betti > 0 || !group.torsion.is_empty() {
            groups.push(group);
        }
    }
    Ok(groups)
}
