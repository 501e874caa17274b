//! What a plan must know about CUDA GPUs: how many operations a step of a thread takes, how many steps its sum can
//! hold, and how large a group should be. The GPUs themselves are in [`cuda`](super::cuda).

use super::program::{Kind, Program};
use super::walk::Digit;
use num_bigint::BigInt;

/// Registers that a thread has for rows and values.
const SPARE_REGISTERS: usize = 200;
/// How many operations of a step the instruction cache holds.
const CACHED_OPERATIONS: f64 = 1200.0;
/// A plan for GPUs has 2 to this power groups, unless a thread's walk gets too short: enough to share evenly among many
/// GPUs.
const GROUPS_LOG2: u32 = 18;
/// The number of digits that a thread of a GPU walks, if there are that many: fewer steps would not hide the
/// processor's share of the work.
const LEAST_DIGITS: u32 = 10;

/// The largest number of digits for which the sum of a thread stays in its limbs: with C, A, B, D bounds of the tail's
/// operands, each of the t tails per step, in 2^digits steps, adds at most 4 C A B D / 2¹⁵⁰ + 1 to the highest limb,
/// and carries add 2 more, together below 2⁶²:
///
/// ```text
/// (4 C A B D / 2¹⁵⁰ + 3) t 2^digits < 2⁶²
/// ```
pub(super) fn most_digits(bounds: [u128; 4], tails: usize) -> u32 {
    let product: BigInt = bounds.into_iter().map(BigInt::from).product();
    let step: BigInt = (((product * 4u32) >> 150u32) + 4u32) * tails;
    (62u64.saturating_sub(step.bits())) as u32
}

/// An estimate of the time of one step of a thread, in operations: the constants count what the kernel does.
///
/// Double precision has half the rate of the rest. Values beyond the registers go through memory, and a program beyond
/// the instruction cache through the cache of the whole GPU.
pub(super) fn operations(program: &Program, rows: usize, modular: bool) -> f64 {
    let (mut all, mut double) = (20.0, 0.0);
    for (kind, range) in &program.runs {
        let (operations, in_double) = match kind {
            Kind::Entry if modular => (3.0, 0.0),
            Kind::Tail32 if modular => (40.0, 0.0),
            _ if modular => (5.0, 0.0),
            Kind::Entry | Kind::Mul16 | Kind::Widen32 | Kind::Mul32 => (1.0, 0.0),
            Kind::Extend32 => (0.0, 0.0),
            Kind::Widen64 => (5.0, 3.0),
            Kind::Extend64 => (2.0, 1.0),
            Kind::Mul64 => (1.0, 1.0),
            Kind::Tail32 => (64.0, 47.0),
            Kind::Tail64 => (54.0, 44.0),
        };
        all += operations * range.len() as f64;
        double += in_double * range.len() as f64;
    }
    let [narrow, middle, wide] = program.slots;
    // Two thirds of the slots are live at the same time in the kernel's order; residues modulo 2⁶⁴ take two registers.
    let registers = if modular { 2 * (rows + narrow) } else { rows + 2 * (narrow + middle + 2 * wide) / 3 };
    let spilled = registers.saturating_sub(SPARE_REGISTERS) as f64;
    let fetched = (all - CACHED_OPERATIONS).max(0.0);
    f64::max(all, 2.0 * double) + 8.0 * spilled + 3.0 * fetched
}

/// The digits of a group: plain ones, as many as leave about 2^[`GROUPS_LOG2`] groups and let the thread's sum fit.
pub(super) fn group_digits(walk: &[Digit], positions: u64, modular: bool, program: &Program) -> u32 {
    let plain = walk.iter().take_while(|digit| digit.is_plain()).count() as u32;
    let fitting = if modular { 24 } else { most_digits(program.tail_bounds, program.tails.len()).min(24) };
    positions.ilog2().saturating_sub(GROUPS_LOG2).max(LEAST_DIGITS).min(plain).min(fitting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permanent::gray::program::WIDEST;

    #[test]
    fn the_digits_of_a_group_leave_room_for_the_highest_limb() {
        let sum = |bounds: [u128; 4], tails: usize, digits: u32| {
            let product: BigInt = bounds.into_iter().map(BigInt::from).product();
            ((((product * 4u32) >> 150u32) + 4u32) * tails) << digits
        };
        let limit = BigInt::from(1) << 62u32;
        for bounds in [[1; 4], [1 << 37; 4], [1 << 45, 1 << 49, 1 << 44, 1 << 46], [WIDEST; 4]] {
            for tails in [1, 8, 32] {
                let digits = most_digits(bounds, tails);
                assert!(sum(bounds, tails, digits) <= limit, "{bounds:?}");
                assert!(sum(bounds, tails, digits + 2) > limit, "{bounds:?}: two more would do");
            }
        }
        assert!(most_digits([WIDEST; 4], 32) >= 6);
    }
}
