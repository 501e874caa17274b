//! What accompanies the work on one component: options, prices, what was done, and who watches.

use super::{Machine, Phases, RankOptions};
use crate::certify::Streams;
use crate::{Observer, Step};

/// What accompanies the work.
pub(super) struct Work<'a> {
    pub options: &'a RankOptions,
    pub streams: &'a Streams<'a>,
    /// The prices, as far as steps have not shown that they are others.
    pub machine: Machine,
    pub path: Vec<Step>,
    pub phases: &'a mut Phases,
    pub observer: &'a dyn Observer,
}
