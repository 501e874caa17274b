//! Ctrl-C and SIGTERM: the first asks the computation to stop in order, the second ends the process at once.

use crate::allocator;
use crate::exit::{self, Code};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Catches the signals from here on.
pub fn catch() {
    let caught = ctrlc::try_set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            allocator::remove_unfinished_files();
            std::process::exit(Code::Interrupted as i32);
        }
        if std::io::stderr().is_terminal() {
            exit::complain("blackfield: stopping; a second signal ends at once");
        }
    });
    // This fails where the caller has had one of the signals ignored (`nohup`, a shell's background job). That setting
    // is respected; the other signals then end the process in the system's way.
    drop(caught);
}

/// Whether a signal has asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
