//! What is predicted of phases before they begin.

/// What is predicted of a phase to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Its name, as [`Observer::phase`](super::Observer::phase) will have it.
    pub phase: &'static str,
    /// Seconds by the clock on the threads of the current pool, if these have a core each.
    pub seconds: f64,
    /// Whether they are what the same work took before in this run, so that no price is in doubt.
    pub measured: bool,
}

impl Ahead {
    /// A phase that shares `work` seconds of one thread among those of the current pool.
    pub(crate) fn shared(phase: &'static str, work: f64) -> Ahead {
        Ahead::alone(phase, work / rayon::current_num_threads() as f64)
    }
    /// A phase that one thread works on for so many seconds.
    pub(crate) fn alone(phase: &'static str, seconds: f64) -> Ahead {
        Ahead { phase, seconds, measured: false }
    }
    /// A phase that repeats what took so many seconds by the clock, as often as that.
    pub(crate) fn repeated(phase: &'static str, seconds: f64, times: f64) -> Ahead {
        Ahead { phase, seconds: seconds * times, measured: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_work() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let both = pool.install(|| [Ahead::shared("x", 8.0), Ahead::alone("x", 8.0)]);
        assert_eq!(both.map(|ahead| (ahead.seconds, ahead.measured)), [(2.0, false), (8.0, false)]);
        assert_eq!(Ahead::repeated("x", 0.5, 30.0), Ahead { phase: "x", seconds: 15.0, measured: true });
    }
}
