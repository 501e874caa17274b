//! `--max-memory` as a limit that holds: every request of the [`allocator`](crate::allocator), and every map of the
//! library, is charged here and refused beyond it, whatever was predicted. A refused request is an error like any other
//! want of memory: another way is found, or the program ends with exit code 4.

use blackfield::memory::{self, Account};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// Bytes that may be in use; the largest number: no limit, and nothing is counted.
static LIMIT: AtomicI64 = AtomicI64::new(i64::MAX);
/// Bytes in use, less those from before the limit was set.
static USED: AtomicI64 = AtomicI64::new(0);
/// Whether something was refused.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// What the system's allocator takes for each block, about.
const BLOCK: i64 = 16;

/// Sets the limit. What was allocated before is not counted.
pub fn limit(bytes: u64) {
    LIMIT.store(i64::try_from(bytes).unwrap_or(i64::MAX - 1).max(0), Relaxed);
    memory::keep_account(Account { charge: |bytes| charge(bytes, 0), release });
    crate::allocator::give_back_what_is_freed();
}

/// Whether there is a limit.
pub fn is_limited() -> bool {
    set().is_some()
}

/// The limit, if there is one.
fn set() -> Option<i64> {
    Some(LIMIT.load(Relaxed)).filter(|&limit| limit < i64::MAX)
}

/// Counts so many bytes in place of `old` ones, if that is within the limit.
#[inline]
pub fn charge(bytes: usize, old: usize) -> bool {
    let limit = LIMIT.load(Relaxed);
    limit == i64::MAX || charge_within(limit, bytes, old)
}

fn charge_within(limit: i64, bytes: usize, old: usize) -> bool {
    // One of the two is 0 but for a block that is resized.
    let whole = |bytes: usize| i64::try_from(bytes).unwrap_or(i64::MAX);
    let block = |bytes: usize| if bytes > 0 { whole(bytes).saturating_add(BLOCK) } else { 0 };
    let more = block(bytes).saturating_sub(block(old));
    // No sum of two leaves 64 bits: what is in use was granted.
    let used = USED.load(Relaxed);
    if more > 0 && used.saturating_add(more) > limit {
        REFUSED.store(true, Relaxed);
        return false;
    }
    let after = USED.fetch_add(more, Relaxed).saturating_add(more);
    if more > 0 && after > limit {
        // Another thread was first.
        USED.fetch_sub(more, Relaxed);
        REFUSED.store(true, Relaxed);
        return false;
    }
    true
}

/// So many bytes are no longer in use.
#[inline]
pub fn release(bytes: usize) {
    if LIMIT.load(Relaxed) < i64::MAX && bytes > 0 {
        USED.fetch_sub(bytes as i64 + BLOCK, Relaxed);
    }
}

/// What is added to the error of a refused request: the limit, where it was the reason; and a remedy. Written without
/// allocating.
pub struct Refusal;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(limit) = set().filter(|_| REFUSED.load(Relaxed)) else { return Ok(()) };
        let used = USED.load(Relaxed).max(0);
        write!(f, "; {limit} bytes are allowed, {used} of them are in use: allow more by --max-memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The allocator of the tests itself is limited, by far more than they use, so that others may run beside this.
    #[test]
    fn what_is_beyond_the_limit_is_refused_and_given_back() {
        assert!(charge(1 << 50, 0) && Refusal.to_string().is_empty(), "no limit");
        limit(1 << 40);
        let before = USED.load(Relaxed);
        assert!(!charge(1 << 40, 0) && !charge(usize::MAX, 0));
        assert!(charge(1 << 39, 0) && !charge(1 << 39, 0) && charge(1 << 38, 1 << 39));
        release(1 << 38);
        // Other tests allocate meanwhile.
        assert!((USED.load(Relaxed) - before).abs() < 1 << 30);
        assert!(Refusal.to_string().starts_with("; 1099511627776 bytes are allowed, "), "{Refusal}");
        LIMIT.store(i64::MAX, Relaxed);
    }
}
