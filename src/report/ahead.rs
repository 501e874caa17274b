//! What is predicted of phases before they begin.

/// What is predicted of a phase to come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ahead {
    /// Its name, as [`Observer::phase`](super::Observer::phase) will have it.
    pub phase: &'static str,
    /// Seconds by the clock on the threads of the current pool, if these have a core each.
    pub seconds: f64,
}

impl Ahead {
    /// A phase that shares `work` seconds of one thread among those of the current pool.
    pub(crate) fn shared(phase: &'static str, work: f64) -> Ahead {
        Ahead { phase, seconds: work / rayon::current_num_threads() as f64 }
    }
    /// A phase that one thread works on for so many seconds.
    pub(crate) fn alone(phase: &'static str, seconds: f64) -> Ahead {
        Ahead { phase, seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_work() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let both = pool.install(|| [Ahead::shared("x", 8.0), Ahead::alone("x", 8.0)]);
        assert_eq!(both.map(|ahead| ahead.seconds), [2.0, 8.0]);
    }
}
