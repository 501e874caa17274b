//! The lines of a substitution by columns.

use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
pub(super) const LINES: &str = "the lines of a substitution";

/// The sparse vectors of a [`PushSolve`](super::PushSolve), first those of the slots to be solved, in their order, then
/// the inputs.
#[derive(Debug)]
pub struct PushLines {
    pub(super) modulus: Modulus,
    pub(super) spans: Vec<Span>,
    /// Line after line the slots of the entries +1, then of -1, then of the others.
    pub(super) slots: Vec<u32>,
    /// The other entries' residues.
    pub(super) values: Vec<u64>,
    minus: Vec<u32>,
    valued: Vec<u32>,
}

/// Where a line begins, and how many of its entries are +1 and -1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub slot: usize,
    pub value: usize,
    pub plus: u32,
    pub minus: u32,
}

impl PushLines {
    /// No lines yet, with room for so many with `nnz` entries.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn with_capacity(modulus: Modulus, lines: usize, nnz: usize) -> Result<Self> {
        let (spans, slots) = (memory::with_capacity(lines + 1, LINES)?, memory::with_capacity(nnz, LINES)?);
        Ok(PushLines { modulus, spans, slots, values: vec![], minus: vec![], valued: vec![] })
    }
    /// Appends a line of (slot, non-zero residue) pairs, no slot twice.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn push(&mut self, entries: impl Iterator<Item = (u32, u64)>) -> Result<()> {
        let (slot, value) = (self.slots.len(), self.values.len());
        for (s, v) in entries {
            if v == 1 {
                self.slots.push(s);
            } else if v == self.modulus.get() - 1 {
                memory::push(&mut self.minus, s, LINES)?;
            } else {
                memory::push(&mut self.valued, s, LINES)?;
                memory::reserve(&mut self.values, 1, LINES)?;
                self.values.push(v);
            }
        }
        let plus = (self.slots.len() - slot) as u32;
        let minus = self.minus.len() as u32;
        memory::reserve(&mut self.slots, self.minus.len() + self.valued.len(), LINES)?;
        self.slots.append(&mut self.minus);
        self.slots.append(&mut self.valued);
        self.spans.push(Span { slot, value, plus, minus });
        Ok(())
    }
    /// The lines of all `parts`, one part after the other.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn joined(mut parts: Vec<PushLines>, modulus: Modulus) -> Result<Self> {
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let count = |of: fn(&PushLines) -> usize| parts.iter().map(of).sum::<usize>();
        let mut all =
            PushLines::with_capacity(modulus, count(|part| part.spans.len()), count(|part| part.slots.len()))?;
        memory::reserve_exact(&mut all.values, count(|part| part.values.len()), LINES)?;
        for part in parts {
            let (slots, values) = (all.slots.len(), all.values.len());
            let moved = |span: Span| Span { slot: span.slot + slots, value: span.value + values, ..span };
            all.spans.extend(part.spans.into_iter().map(moved));
            all.slots.extend_from_slice(&part.slots);
            all.values.extend_from_slice(&part.values);
        }
        Ok(all)
    }
}
