//! Rows of a sparse map by slices: sliced ELL.

use crate::{DeviceReason, Error, Result, memory};

/// Rows of a slice.
pub(super) const SLICE: usize = 32;
/// Entries of a row that a thread reads at once.
pub(super) const GROUP: usize = 4;
/// Slices that one task fills.
pub(super) const BAND: usize = 256;

/// What the memory is for.
pub(super) const LAYOUT: &str = "a matrix for a GPU";

/// Entries of one kind, by slices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Slices {
    /// The number of groups of a row before each slice.
    pub bases: Vec<u32>,
    /// Entry e of a row in slot t of slice k is at `((bases[k] + e / GROUP) * SLICE + t) * GROUP + e % GROUP`.
    pub indices: Vec<u32>,
    /// The residues at the same places; empty for ±1.
    pub values: Vec<u64>,
}

impl Slices {
    /// Room for lines in this order.
    pub fn new(order: &[u32], count: impl Fn(u32) -> u32, any: bool, valued: bool) -> Result<Slices> {
        if !any {
            return Ok(Slices::default());
        }
        let (mut bases, mut groups) = (memory::with_capacity(order.len().div_ceil(SLICE), LAYOUT)?, 0u64);
        for slice in order.chunks(SLICE) {
            let message = || format!("{groups} groups of entries are more than a GPU's layout numbers");
            let too_many = |_| Error::device(DeviceReason::NoMemory, message());
            bases.push(u32::try_from(groups).map_err(too_many)?);
            let longest = slice.iter().map(|&k| count(k)).max().unwrap_or(0);
            groups += u64::from(longest).div_ceil(GROUP as u64);
        }
        let len = groups as usize * SLICE * GROUP;
        let values = if valued { memory::zeros(len, LAYOUT)? } else { Vec::new() };
        Ok(Slices { bases, indices: memory::zeros(len, LAYOUT)?, values })
    }

    /// What belongs to each [`BAND`] of so many slices.
    pub fn bands(&mut self, slices: usize) -> Vec<Band<'_>> {
        let Slices { bases, indices, values } = self;
        let (mut indices, mut values, mut first) = (&mut indices[..], &mut values[..], 0);
        let mut bands = Vec::with_capacity(slices.div_ceil(BAND));
        for begin in (0..slices).step_by(BAND) {
            let own = bases.get(begin..bases.len().min(begin + BAND)).unwrap_or_default();
            let end = bases.get(begin + BAND).map(|&groups| groups as usize * SLICE * GROUP);
            let count = end.map_or(indices.len(), |end| end - first);
            let (own_indices, other_indices) = indices.split_at_mut(count);
            let (own_values, other_values) = values.split_at_mut(count.min(values.len()));
            bands.push(Band { bases: own, indices: own_indices, values: own_values });
            (indices, values, first) = (other_indices, other_values, first + count);
        }
        bands
    }
}

/// Slices that one task fills.
pub(super) struct Band<'a> {
    bases: &'a [u32],
    pub indices: &'a mut [u32],
    pub values: &'a mut [u64],
}

impl Band<'_> {
    /// Where entry `e` of the row in `slot` lies, both counted from the first of the band.
    pub fn place(&self, slot: usize, e: u32) -> usize {
        let (group, entry) = (e as usize / GROUP, e as usize % GROUP);
        (((self.bases[slot / SLICE] - self.bases[0]) as usize + group) * SLICE + slot % SLICE) * GROUP + entry
    }
}
