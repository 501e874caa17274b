//! What to do with the Schur complement that structural pivots leave: data with reasons, decided before the work is done.
//!
//! Two ways find the rank s of S, and neither is known to be better before s is: its row space from random combinations takes
//! s·nnz + s²·cols/2 multiply-adds, the second term dense, and an answer sure to p⁻ᵏ that can be proven; block Wiedemann takes
//! 4·s·nnz and more certainty costs more. So the row space is sought first, up to a rank where it has cost a fraction
//! of what Wiedemann would at worst; then the plan is made anew: S may be formed at a higher price than before.
//!
//! What a step takes is said beside it (`schur`, `dense`, `wiedemann`); here that is put together and compared.

mod rest;
#[cfg(test)]
mod tests;

pub(super) use rest::Rest;

use crate::cost::Machine;
use crate::{Error, Result};

/// A method that ends with an answer that is proven, or sure beyond doubt, may be predicted to take so many times longer.
const WORTH: f64 = 3.0;
/// Below so many seconds nothing else is considered.
const SHORT: f64 = 0.1;
/// Below so many seconds a row space without rival is sought to its end: what is repeated if the rank is not small must not count.
const LONG: f64 = 2.0;
/// Below so many seconds a Schur complement is not formed.
const IMMEDIATE: f64 = 0.02;
/// The share of block Wiedemann's worst case that is spent on the hope for a small rank.
const HOPE: f64 = 0.25;

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// S is zero.
    Nothing,
    /// All rows in a dense echelon form: of S, or of A without regard to the `pivots` that were found.
    EveryRow { pivots: bool },
    /// The row space of S, given up once its rank exceeds this (`usize::MAX`: never).
    RowSpace { give_up: usize },
    /// Block Wiedemann on S.
    Wiedemann,
}

/// A step with its price and reason.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub finish: Finish,
    pub seconds: f64,
    pub reason: String,
}

/// The next step on S. `wiedemann` is the predicted worst case of block Wiedemann in seconds, `None` where it is out of the
/// question; `larger` is a rank up to which the row space was sought in vain.
///
/// # Errors
/// [`Error::Memory`] if nothing fits.
pub(super) fn decide(
    rest: &Rest,
    machine: &Machine,
    wiedemann: Option<f64>,
    max_memory: Option<u64>,
    larger: Option<usize>,
) -> Result<Decision> {
    let Rest { rows, cols, rank_bound, .. } = *rest;
    let decision = |finish, seconds, reason| Ok(Decision { finish, seconds, reason });
    if rank_bound == 0 {
        return decision(Finish::Nothing, 0.0, "nothing is left".into());
    }
    let what = if rest.pivots == 0 { "matrix" } else { "Schur complement" };
    let shape = format!("{what} {rows} x {cols} of rank up to {rank_bound}");
    let worst = rest.row_space_seconds(machine, rank_bound);
    let fits = |r: usize| max_memory.is_none_or(|limit| rest.row_space_bytes(r) <= limit);
    // A proof of what combinations find is at its cheapest where the rank is what it may be.
    let others = wiedemann.map_or(worst, |w| worst.min(WORTH * w));
    if let Some((finish, seconds)) = rest.by_every_row(machine, others, max_memory) {
        let rows = match finish {
            Finish::EveryRow { pivots: false } => "the rows of the matrix, pivots and all,",
            _ => "its rows",
        };
        let reason = format!("{shape}: {rows} eliminated densely take {seconds:.2} s (combinations {worst:.2} s)");
        return decision(finish, seconds, reason);
    }
    let hope = rest.hope(machine).filter(|_| larger.is_none());
    let hope_first = |hope: usize| {
        let reason = format!("{shape}: row space up to rank {hope}, at worst it would take {worst:.1} s");
        decision(Finish::RowSpace { give_up: hope }, rest.row_space_seconds(machine, hope), reason)
    };
    let Some(wiedemann) = wiedemann else {
        if !fits(rank_bound) {
            // The rank may well be smaller: go on until memory ends.
            let most = largest(rank_bound, fits);
            if most == 0 {
                let needed = rest.row_space_bytes(rank_bound).div_ceil(1 << 20);
                return Err(Error::Memory(format!("{shape}: its row space may need {needed} MB")));
            }
            let reason = format!("{shape}: row space, which fits in memory up to rank {most}");
            return decision(Finish::RowSpace { give_up: most }, rest.row_space_seconds(machine, most), reason);
        }
        if let Some(hope) = hope {
            return hope_first(hope);
        }
        return decision(
            Finish::RowSpace { give_up: usize::MAX },
            worst,
            format!("{shape}: row space, at most {worst:.2} s"),
        );
    };
    if fits(rank_bound) && is_short(worst, wiedemann) {
        if let Some(hope) = hope {
            return hope_first(hope);
        }
        let reason = format!("{shape}: row space takes at most {worst:.2} s (block Wiedemann {wiedemann:.2} s)");
        return decision(Finish::RowSpace { give_up: usize::MAX }, worst, reason);
    }
    if let Some(than) = larger {
        let reason = format!("the rank of the complement exceeds {than}: the plan is made anew");
        return decision(Finish::Wiedemann, wiedemann, reason);
    }
    let hope = largest(rank_bound, |r| fits(r) && rest.row_space_seconds(machine, r) <= HOPE * wiedemann);
    if hope == 0 {
        let reason = format!("{shape}: block Wiedemann {wiedemann:.2} s at most (row space {worst:.2} s)");
        return decision(Finish::Wiedemann, wiedemann, reason);
    }
    let reason = format!(
        "{shape}: row space up to rank {hope}, at worst it would take {worst:.1} s, block Wiedemann {wiedemann:.1} s"
    );
    decision(Finish::RowSpace { give_up: hope }, rest.row_space_seconds(machine, hope), reason)
}

/// Whether a row space of `worst` seconds is sought to its end, though block Wiedemann takes `wiedemann`.
fn is_short(worst: f64, wiedemann: f64) -> bool {
    worst <= (WORTH * wiedemann).max(SHORT)
}

/// The largest r ≤ `most` for which `holds`, which is true up to some r and false beyond; 0 if there is none above.
fn largest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}
