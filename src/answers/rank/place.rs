//! Why a step is made on the processor or on a GPU, in words, where either is allowed.

use crate::words::{counted, duration};

/// No step of a GPU's.
pub(super) const NO_PART: &str = "on the processor, as a GPU has no part in it";

/// The step is short.
pub(super) fn soon(start: f64) -> String {
    format!("on the processor, which is done before a GPU is ready ({})", duration(start))
}

/// Seconds of one thread on both, of which those of the processor are fewer.
pub(super) fn here([here, there]: [f64; 2], threads: usize) -> String {
    let [here, there] = [here, there].map(|seconds| duration(seconds / threads as f64));
    format!("on the processor: {here} on {}, with a GPU {there}, its start counted", counted(threads, "thread"))
}

/// Likewise, of which those of the GPU are fewer; the processor may have no room for it.
pub(super) fn there(here: Option<f64>, there: f64, threads: usize) -> String {
    let there = duration(there / threads as f64);
    let here = here.map_or("not in the memory allowed".into(), |here| duration(here / threads as f64));
    format!("on a GPU: {there}, its start counted, on {} {here}", counted(threads, "thread"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_by_the_clock() {
        assert!(soon(2.6).contains("2.6"), "{}", soon(2.6));
        let text = here([16.0, 48.0], 8);
        assert!(text.contains("2.0 s on 8 threads") && text.contains("6.0 s, its start"), "{text}");
        let text = there(Some(480.0), 48.0, 8);
        assert!(text.starts_with("on a GPU: 6.0 s") && text.ends_with("on 8 threads 60 s"), "{text}");
        assert!(there(None, 48.0, 1).contains("memory"));
    }
}
