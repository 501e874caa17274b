//! How many keep scratch of products: what waits for the next one stays while there are any.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How many keep scratch now.
static KEEPERS: AtomicUsize = AtomicUsize::new(0);

/// Whether scratch waits for the next product.
pub(super) fn is_kept() -> bool {
    KEEPERS.load(Ordering::SeqCst) > 0
}

/// One more keeps scratch.
pub(super) fn add() {
    KEEPERS.fetch_add(1, Ordering::SeqCst);
}

/// One fewer keeps scratch; whether it was the last one.
pub(super) fn remove() -> bool {
    KEEPERS.fetch_sub(1, Ordering::SeqCst) == 1
}
