//! How tiles are timed: a few of them, of which the least counts.

use std::time::Instant;

/// Tiles that are timed: the least counts.
const TRIES: usize = 5;

/// Seconds of the fastest of some calls.
pub(super) fn least_seconds(mut tile: impl FnMut()) -> f64 {
    let seconds = (0..TRIES).map(|_| {
        let start = Instant::now();
        tile();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}
