//! A basis over GF(3) as bytes: groups as they lie in memory, so that what goes on from them is the same bit for bit.

use super::Trits;
use super::group::Group;
use super::strip::{COLUMNS, Strip, WORDS};
use crate::report::{Bytes, State};
use crate::{Result, memory};

/// What the memory is for.
const BASIS: &str = "the basis of an elimination mod 3";

impl Bytes for Trits {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Trits { strips: _, cols, groups, pivot_rows, pivot_cols, rows_seen } = self;
        (cols, rows_seen, pivot_rows, pivot_cols, groups.len()).write(to)?;
        groups.iter().try_for_each(|Group { pivots, rows }| {
            pivots.write(to)?;
            rows.iter().try_for_each(|Strip(planes)| u64::write_all(planes.as_flattened(), to))
        })
    }
}

impl State for Trits {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (cols, rows_seen, pivot_rows, pivot_cols, count): (usize, _, Vec<usize>, Vec<u32>, usize) =
            State::read(from)?;
        let mut basis = Trits { pivot_rows, pivot_cols, rows_seen, ..Trits::new(cols) };
        for _ in 0..count {
            let pivots = Vec::<u32>::read(from)?;
            let strips = cols.div_ceil(COLUMNS).checked_mul(pivots.len())?;
            let words = u64::read_all(strips.checked_mul(2 * WORDS)?, from)?;
            let plane = |words: &[u64]| words.try_into().expect("a plane of words");
            let rows =
                words.chunks_exact(2 * WORDS).map(|strip| Strip([plane(&strip[..WORDS]), plane(&strip[WORDS..])]));
            let rows = memory::collect(rows, BASIS).ok()?;
            memory::push(&mut basis.groups, Group { pivots, rows }, BASIS).ok()?;
        }
        let found = basis.groups.iter().flat_map(|group| &group.pivots);
        let all_full = basis.groups.iter().rev().skip(1).all(Group::is_full);
        let is_whole = found.eq(&basis.pivot_cols) && all_full && basis.pivot_rows.len() == basis.pivot_cols.len();
        (is_whole && basis.pivot_cols.iter().all(|&j| (j as usize) < cols)).then_some(basis)
    }
}
