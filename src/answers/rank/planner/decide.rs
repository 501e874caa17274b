//! Which way to finish.

use super::finish::{Finish, HOPE, LITTLE_HOPE, SKETCH, WORTH, is_short, largest};
use super::rest::Rest;
use crate::cost::Machine;
use crate::spmv::LANES;
use crate::words::duration;
use crate::{Error, Result};

/// A step with its price and reason.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Decision {
    pub finish: Finish,
    pub seconds: f64,
    /// Whether a GPU has a part in it.
    pub gpu: bool,
    pub reason: String,
}

/// The next step on S. `wiedemann` is the predicted worst case of block Wiedemann in seconds, `None` where it is out of
/// the question; `larger` is a rank up to which the row space was searched without success.
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
    let rest = &rest.within(max_memory);
    let Rest { rows, cols, rank_bound, .. } = *rest;
    if rank_bound == 0 {
        return Ok(Decision { finish: Finish::Nothing, seconds: 0.0, gpu: false, reason: "nothing is left".into() });
    }
    let what = if rest.pivots == 0 { "matrix" } else { "Schur complement" };
    let shape = format!("{what} {rows} x {cols} of rank up to {rank_bound}");
    let worst = rest.row_space_seconds(machine, rank_bound);
    // A proof after combinations is cheapest if the rank attains its bound.
    let others = wiedemann.map_or(worst, |w| worst.min(WORTH * w));
    if let Some((finish, seconds)) = rest.by_every_row(machine, others, max_memory) {
        let rows = match finish {
            Finish::EveryRow { pivots: false } => "the rows of the matrix, pivots and all,",
            _ => "its rows",
        };
        let reason = format!(
            "{shape}: {rows} eliminated densely take {} (combinations of them {})",
            duration(seconds),
            duration(worst)
        );
        return Ok(Decision { finish, seconds, gpu: false, reason });
    }
    let hope = rest.hope(machine).filter(|_| larger.is_none());
    let choice = Choice { rest, machine, max_memory, larger, shape, worst, hope };
    match wiedemann {
        None => choice.without_wiedemann(),
        Some(wiedemann) => Ok(choice.with_wiedemann(wiedemann)),
    }
}

/// What there is to choose from.
struct Choice<'a> {
    rest: &'a Rest,
    machine: &'a Machine,
    max_memory: Option<u64>,
    larger: Option<usize>,
    /// S in words.
    shape: String,
    /// Seconds of the row space of the largest rank.
    worst: f64,
    /// A small rank that is looked for first, however it ends.
    hope: Option<usize>,
}

impl Choice<'_> {
    /// Whether a row space of this rank fits in memory.
    fn fits(&self, r: usize) -> bool {
        !self.rest.refused.row_space && self.max_memory.is_none_or(|limit| self.rest.row_space_bytes(r) <= limit)
    }
    /// The same of a sketch.
    fn sketch_fits(&self, r: usize) -> bool {
        !self.rest.refused.sketch && self.max_memory.is_none_or(|limit| self.rest.sketch_bytes(r) <= limit)
    }
    /// The row space, given up beyond a rank.
    fn row_space(&self, give_up: usize, why: &str) -> Decision {
        let seconds = self.rest.row_space_seconds(self.machine, give_up.min(self.rest.rank_bound));
        let reason = format!("{}: {why}", self.shape);
        Decision { finish: Finish::RowSpace { give_up }, seconds, gpu: false, reason }
    }
    /// Block Wiedemann, as what was not chosen: if it would take less than `seconds`, why.
    fn beside(wiedemann: f64, seconds: f64) -> String {
        let why = if wiedemann < seconds { ", for a less certain answer" } else { "" };
        format!("(block Wiedemann {}{why})", duration(wiedemann))
    }
    /// The row space up to the rank that is hoped for.
    fn hope_first(&self, hope: usize) -> Decision {
        self.row_space(
            hope,
            &format!("its row space up to rank {hope}; whatever its rank, at most {}", duration(self.worst)),
        )
    }
    /// Nothing fits: the limit, and the need.
    fn refusal(&self) -> Error {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let allowed = self.max_memory.map_or(String::new(), |limit| format!(", {} MB are left for it", limit >> 20));
        let reached = self.larger.map_or(1, |than| (2 * than).clamp(1, self.rest.rank_bound));
        let [least, most] = [reached, self.rest.rank_bound].map(|r| mib(self.rest.row_space_bytes(r)));
        let needed = if least == most { format!("{most} MB") } else { format!("{least} MB to {most} MB by its rank") };
        Error::Memory(format!("{}: its row space needs {needed}{allowed}", self.shape))
    }
    fn without_wiedemann(self) -> Result<Decision> {
        let (bound, worst) = (self.rest.rank_bound, self.worst);
        if !self.fits(bound) {
            // The rank may well be smaller: continue until memory runs out.
            let most = largest(bound, |r| self.fits(r));
            if most == 0 || self.larger.is_some_and(|than| most <= than) {
                return Err(self.refusal());
            }
            return Ok(self.row_space(most, &format!("its row space, which fits in memory up to rank {most}")));
        }
        Ok(match self.hope {
            Some(hope) => self.hope_first(hope),
            None => self.row_space(usize::MAX, &format!("its row space takes at most {}", duration(worst))),
        })
    }
    fn with_wiedemann(self, wiedemann: f64) -> Decision {
        let (Choice { rest, machine, .. }, bound, worst) = (&self, self.rest.rank_bound, self.worst);
        // A sketch to the end is no proof either, and may be far cheaper.
        let sketched = rest.sketch_seconds(machine, bound).filter(|_| self.sketch_fits(bound));
        if self.fits(bound) && is_short(worst, wiedemann) && sketched.is_none_or(|seconds| is_short(worst, seconds)) {
            let why = format!("its row space takes at most {} {}", duration(worst), Self::beside(wiedemann, worst));
            return self.hope.map_or_else(|| self.row_space(usize::MAX, &why), |hope| self.hope_first(hope));
        }
        // The largest rank that a sketch finds in good time: whatever the rank, if that is worth its negligible error.
        let (hope, sketch) = if rest.generic { (LITTLE_HOPE, 0.0) } else { (HOPE, SKETCH) };
        let share = if sketched.is_some_and(|seconds| is_short(seconds, wiedemann)) { f64::INFINITY } else { sketch };
        let in_time = |r: usize| {
            let seconds = rest.sketch_seconds(machine, r);
            self.sketch_fits(r) && seconds.is_some_and(|seconds| seconds <= share * wiedemann)
        };
        let most = largest(bound, in_time);
        let by_wiedemann =
            |reason| Decision { finish: Finish::Wiedemann { pivots: true }, seconds: wiedemann, gpu: false, reason };
        if let Some(than) = self.larger {
            return match most > 2 * than || most == bound {
                true => self.sketch(most, wiedemann),
                false => {
                    by_wiedemann(format!("{}: its rank exceeds {than}, so that the plan was made anew", self.shape))
                }
            };
        }
        let hope = largest(bound, |r| self.fits(r) && rest.row_space_seconds(machine, r) <= hope * wiedemann);
        let hope = match rest.first_row_space(machine) {
            Some(first) if most > 2 * hope => hope.min(first.max(2 * LANES)),
            _ => hope,
        };
        match hope {
            0 if most > 0 => self.sketch(most, wiedemann),
            0 => {
                let lost = if self.fits(bound) { "" } else { ", in more memory than is allowed" };
                let shape = &self.shape;
                by_wiedemann(format!(
                    "{shape}: block Wiedemann takes at most {} (row space {}{lost})",
                    duration(wiedemann),
                    duration(worst)
                ))
            }
            _ => self.row_space(
                hope,
                &format!(
                    "its row space up to rank {hope}; beyond, block Wiedemann takes at most {}",
                    duration(wiedemann)
                ),
            ),
        }
    }
    /// Sketches up to the rank `most`.
    fn sketch(&self, most: usize, wiedemann: f64) -> Decision {
        let seconds = self.rest.sketch_seconds(self.machine, most).expect("it is in time");
        let reason = format!(
            "{}: sketches up to rank {most} take at most {} {}",
            self.shape,
            duration(seconds),
            Self::beside(wiedemann, seconds)
        );
        let give_up = if most == self.rest.rank_bound { usize::MAX } else { most };
        Decision { finish: Finish::Sketch { give_up }, seconds, gpu: false, reason }
    }
}
