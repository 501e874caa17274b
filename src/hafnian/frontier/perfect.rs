//! Perfect matchings: one run modulo each modulus.

use super::plan::{PRIME_BITS, Plan};
use super::run::{Values, run};
use crate::hafnian::residues::{Pass, assemble, passes};
use crate::integers::Bound;
use crate::permanent::Exact;
use crate::{Observer, Result};

/// How many passes a hafnian within the bound takes.
///
/// # Errors
/// None in practice, as [`passes`].
pub fn pass_count(bound: Bound) -> Result<usize> {
    Ok(passes(bound, PRIME_BITS)?.len())
}

/// Σ over the perfect matchings, proven.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub fn hafnian(plan: &Plan, bound: Bound, observer: &dyn Observer) -> Result<Exact> {
    let passes = passes(bound, PRIME_BITS)?;
    observer.phase("frontier", (passes.len() * plan.program.ops.len()) as u64);
    let mut values = Values::with_width(plan.width())?;
    let mut residues = Vec::with_capacity(passes.len());
    for (k, &pass) in passes.iter().enumerate() {
        let base = (k * plan.program.ops.len()) as u64;
        residues.push(run(&plan.program, pass, 0, &mut values, &|done| {
            observer.progress(base + done);
            observer.check()
        })?);
    }
    let value = assemble(&passes, &residues);
    let moduli = passes.into_iter().map(Pass::modulus).collect();
    Ok(Exact { value, moduli, bound: Some(bound), resumed: None })
}
