//! The state of pivots that are taken one by one over ℤ, whole: what goes on from it takes the same pivots.

use super::buckets::Buckets;
use super::entry::Entry;
use super::units::{Active, Course};
use super::worth::Worth;
use crate::Result;
use crate::report::{Bytes, State};

impl<V: Entry> Bytes for Active<V> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Active { rows, lists, bits, limit, nnz, work, buckets } = self;
        (rows, lists, bits).write(to)?;
        (limit, nnz, work).write(to)?;
        (&buckets.rows, &buckets.cols, buckets.least).write(to)
    }
}

impl<V: Entry> State for Active<V> {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (rows, lists, bits) = State::read(from)?;
        let (limit, nnz, work) = State::read(from)?;
        let (of_rows, cols, least) = State::read(from)?;
        Some(Active { rows, lists, bits, limit, nnz, work, buckets: Buckets { rows: of_rows, cols, least } })
    }
}

impl Bytes for Course {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Course { count, last, distance, worth: Worth { work, seconds, spent, losses }, done } = self;
        (count, last, distance, (work, seconds, spent, losses), done).write(to)
    }
}

impl State for Course {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (count, last, distance, (work, seconds, spent, losses), done) = State::read(from)?;
        Some(Course { count, last, distance, worth: Worth { work, seconds, spent, losses }, done })
    }
}
