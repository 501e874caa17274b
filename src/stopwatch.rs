//! How long a step takes, in seconds of one thread that has a core to itself: the unit of all predictions.

use std::time::Instant;

/// Started when a step begins.
///
/// On a machine that is busy, or has fewer cores than threads, wall time overstates a step; processor time includes
/// other threads of the process. The cost of a step is at most wall time times the number of threads, and at most
/// processor time. With several threads both overstate it as well: threads without work look for some. It is at least
/// wall time then, but for what a busy machine takes away. The geometric mean of the smaller upper bound and wall time
/// is reported, if that is the smaller of the two: processor time for one thread, off by at most the square root of the
/// number of threads for more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    start: Instant,
    spent: Option<f64>,
    threads: usize,
}

impl Stopwatch {
    /// For work on rayon's current pool.
    pub(crate) fn start() -> Self {
        Stopwatch { start: Instant::now(), spent: processor_seconds(), threads: rayon::current_num_threads() }
    }
    /// Seconds of one thread so far.
    pub(crate) fn seconds(&self) -> f64 {
        let wall = self.start.elapsed().as_secs_f64();
        let most = match (self.spent, processor_seconds()) {
            (Some(before), Some(now)) => (wall * self.threads as f64).min(now - before),
            _ => wall * self.threads as f64,
        };
        (most * wall.min(most)).sqrt()
    }
    /// Whether the step has taken that many seconds. Cheap as long as it has not in wall time.
    pub(crate) fn reaches(&self, seconds: f64) -> bool {
        self.start.elapsed().as_secs_f64() * self.threads as f64 >= seconds && self.seconds() >= seconds
    }
    /// Wall seconds.
    pub(crate) fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// Processor seconds of all threads of this process; `None` where the system does not say.
#[cfg(unix)]
pub(crate) fn processor_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}
#[cfg(not(unix))]
pub(crate) fn processor_seconds() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn sleep_is_no_work() {
        let idle = Stopwatch { spent: None, threads: 3, ..Stopwatch::start() };
        let watch = Stopwatch::start();
        assert!(watch.reaches(0.0) && !watch.reaches(1e6));
        std::thread::sleep(Duration::from_millis(20));
        // At most 0.06 and at least 0.02 of work.
        assert!(watch.elapsed() >= 0.02 && idle.seconds() >= 0.034 && idle.reaches(0.034));
        assert!(watch.seconds() <= watch.elapsed() * watch.threads as f64 + 0.1);
        if watch.spent.is_some() {
            // Tests in other threads use processor time, too.
            let before = processor_seconds().unwrap();
            let mut sum = 0u64;
            while processor_seconds().unwrap() < before + 0.02 {
                sum = std::hint::black_box(sum + 1);
            }
            assert!(watch.seconds() >= 0.02 || watch.threads == 0);
        }
    }
}
