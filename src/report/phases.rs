//! Wall-clock seconds of the phases of a computation, and what processors were at work for them.

use super::observer::Observer;
use crate::stopwatch::processor_seconds;
use std::sync::OnceLock;
use std::time::Instant;

/// What was spent in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spent {
    seconds: f64,
    /// Of all threads of this process; `None` where some of it was not measured.
    processor: Option<f64>,
}

/// The clocks at one time.
struct Reading {
    time: Instant,
    processor: Option<f64>,
}

impl Reading {
    fn now() -> Self {
        Reading { time: Instant::now(), processor: processor_seconds() }
    }
    /// What was spent from here to `end`.
    fn to(&self, end: &Reading) -> Spent {
        Spent {
            seconds: (end.time - self.time).as_secs_f64(),
            processor: end.processor.zip(self.processor).map(|(end, start)| end - start),
        }
    }
}

/// Named phases with the seconds spent in each, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases(Vec<(&'static str, Spent)>);

impl Phases {
    /// Runs `work` and adds its wall time to the phase `name`.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Reading::now();
        let result = work();
        self.spend(name, start.to(&Reading::now()));
        result
    }
    /// Runs `work` of two phases, which calls what it is given where the second begins.
    pub(crate) fn two<T>(&mut self, [a, b]: [&'static str; 2], work: impl FnOnce(&(dyn Fn() + Sync)) -> T) -> T {
        let (start, between) = (Reading::now(), OnceLock::new());
        let result = work(&|| {
            between.get_or_init(Reading::now);
        });
        let end = Reading::now();
        let between = between.get().unwrap_or(&end);
        self.spend(a, start.to(between));
        self.spend(b, between.to(&end));
        result
    }
    /// The same for a phase of unknown length that the observer shows.
    pub fn shown<T>(&mut self, name: &'static str, observer: &dyn Observer, work: impl FnOnce() -> T) -> T {
        observer.phase(name, 0);
        self.time(name, work)
    }
    /// Adds seconds to a phase, of which nobody knows what processors did in them.
    pub fn add(&mut self, name: &'static str, seconds: f64) {
        self.spend(name, Spent { seconds, processor: None });
    }
    fn spend(&mut self, name: &'static str, more: Spent) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some((_, spent)) => {
                spent.seconds += more.seconds;
                spent.processor = spent.processor.zip(more.processor).map(|(a, b)| a + b);
            }
            None => self.0.push((name, more)),
        }
    }
    /// Adds the seconds of all phases of another computation.
    pub fn extend(&mut self, other: &Phases) {
        other.0.iter().for_each(|&(name, spent)| self.spend(name, spent));
    }
    /// Name and seconds of each phase.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().map(|&(name, spent)| (name, spent.seconds))
    }
    /// Name and processor seconds, those of all threads of this process together, of each phase for which they are
    /// known: none where the system does not tell. Divided by the seconds, how many processors were at work, whatever
    /// they worked on.
    pub fn processor(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().filter_map(|&(name, spent)| Some((name, spent.processor?)))
    }
}

/// As the object `{name: seconds}`, in order.
#[cfg(feature = "serde")]
impl serde::Serialize for Phases {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_in_the_order_of_their_first_appearance() {
        let mut phases = Phases::default();
        assert_eq!(phases.iter().count(), 0);
        #[cfg(feature = "serde")]
        assert_eq!(serde_json::to_string(&phases).unwrap(), "{}");
        phases.add("read", 0.5);
        phases.add("plan", 0.25);
        let mut more = Phases::default();
        more.add("proof", 1.0);
        more.add("read", 2.0);
        phases.extend(&more);
        assert_eq!(phases.iter().collect::<Vec<_>>(), [("read", 2.5), ("plan", 0.25), ("proof", 1.0)]);
        #[cfg(feature = "serde")]
        assert_eq!(serde_json::to_string(&phases).unwrap(), r#"{"read":2.5,"plan":0.25,"proof":1.0}"#);
        assert_eq!(phases.time("plan", || 7), 7);
        assert!(phases.iter().find(|(name, _)| *name == "plan").is_some_and(|(_, seconds)| seconds >= 0.25));
        let mut two = Phases::default();
        two.two(["first", "second"], |begins| {
            begins();
            begins();
        });
        two.two(["first", "third"], |_| ());
        assert_eq!(two.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["first", "second", "third"]);
        assert!(two.iter().all(|(name, seconds)| seconds >= 0.0 && (name != "third" || seconds == 0.0)));
        if processor_seconds().is_some() {
            // Of `plan` a part was not measured.
            assert_eq!(phases.processor().count(), 0);
            let count = || (0..1 << 20).fold(0u64, |sum, i| std::hint::black_box(sum ^ i));
            phases.time("count", count);
            let mut twice = phases.clone();
            twice.extend(&phases);
            let one = phases.processor().collect::<Vec<_>>();
            assert!(matches!(one[..], [("count", seconds)] if seconds > 0.0), "{one:?}");
            assert_eq!(twice.processor().collect::<Vec<_>>(), [("count", 2.0 * one[0].1)]);
        }
    }
}
