//! Which way to finish.

use super::finish::{Finish, HOPE, WORTH, is_short, largest};
use super::rest::Rest;
use crate::cost::Machine;
use crate::{Error, Result};

/// A step with its price and reason.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Decision {
    pub finish: Finish,
    pub seconds: f64,
    pub reason: String,
}

/// The next step on S. `wiedemann` is the predicted worst case of block Wiedemann in seconds, `None` where it is out of
/// the question; `larger` is a rank up to which the row space was sought in vain.
///
/// # Errors
/// [`Error::Memory`] if nothing fits.
pub(in super::super) fn decide(
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
