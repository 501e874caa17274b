//! Wall-clock seconds of the phases of a computation.

use std::time::Instant;

/// Named phases with the seconds spent in each, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases(Vec<(&'static str, f64)>);

impl Phases {
    /// Runs `work` and adds its wall time to the phase `name`.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed().as_secs_f64());
        result
    }
    /// Adds seconds to a phase.
    pub fn add(&mut self, name: &'static str, seconds: f64) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some((_, s)) => *s += seconds,
            None => self.0.push((name, seconds)),
        }
    }
    /// Adds the seconds of all phases of another computation.
    pub fn extend(&mut self, other: &Phases) {
        other.iter().for_each(|(name, seconds)| self.add(name, seconds));
    }
    /// Name and seconds of each phase.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().copied()
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
    }
}
