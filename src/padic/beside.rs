//! Progress of right sides that are lifted beside each other, told as that of one: digits first, and from the first
//! numerators on those of all of them.

use crate::report::{Keeper, Observer};
use std::sync::{Mutex, PoisonError};

/// Right sides in groups that share passes.
pub(super) struct Beside<'a> {
    observer: &'a dyn Observer,
    counts: Mutex<Counts>,
}

struct Counts {
    /// Digits of each group, in units of those of the first one that began.
    digits: Vec<u64>,
    /// Those that a group takes at most; 0 before one has begun.
    most: u64,
    /// Numerators of each right side.
    numerators: Vec<u64>,
    /// Whether they are shown.
    late: bool,
}

impl<'a> Beside<'a> {
    pub fn new(observer: &'a dyn Observer, groups: usize, sides: usize) -> Self {
        let counts = Counts { digits: vec![0; groups], most: 0, numerators: vec![0; sides], late: false };
        Beside { observer, counts: Mutex::new(counts) }
    }
    /// Changes the counts, and tells what is shown of them.
    fn tell(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut counts);
        let shown = if counts.late { &counts.numerators } else { &counts.digits };
        self.observer.progress(shown.iter().sum());
    }
    /// A group begins, whose digits are this many at most.
    fn begin(&self, most: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.most == 0 && !counts.late {
            counts.most = most.max(1);
            self.observer.phase("digits", counts.most * counts.digits.len() as u64);
        }
    }
    /// The numerators of a right side begin, so many of them.
    fn numerators(&self, order: u64) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if !counts.late {
            counts.late = true;
            self.observer.phase("numerators", order * counts.numerators.len() as u64);
        }
    }
}

/// The observer of a part of the work.
#[derive(Clone, Copy)]
pub(super) enum Shown<'b> {
    /// All of it.
    Alone(&'b dyn Observer),
    /// The digits of a group, whose most is known when it begins, and whose right sides are numbered from the second
    /// number on.
    Digits(&'b Beside<'b>, usize, usize),
    /// The numerators of a right side.
    Numerators(&'b Beside<'b>, usize),
}

impl<'b> Shown<'b> {
    /// The observer of the numerators of one of the right sides of a group.
    pub fn side(self, lane: usize) -> Shown<'b> {
        match self {
            Shown::Digits(beside, _, first) => Shown::Numerators(beside, first + lane),
            same => same,
        }
    }
    fn observer(&self) -> &'b dyn Observer {
        match self {
            Shown::Alone(observer) => *observer,
            Shown::Digits(beside, ..) | Shown::Numerators(beside, _) => beside.observer,
        }
    }
}

impl Observer for Shown<'_> {
    fn phase(&self, name: &str, total: u64) {
        match self {
            Shown::Alone(observer) => observer.phase(name, total),
            Shown::Digits(beside, ..) => beside.begin(total),
            Shown::Numerators(beside, _) => beside.numerators(total),
        }
    }
    fn progress(&self, done: u64) {
        match *self {
            Shown::Alone(observer) => observer.progress(done),
            Shown::Digits(beside, group, _) => beside.tell(|counts| {
                counts.digits[group] = counts.digits[group].max(done.min(counts.most));
            }),
            Shown::Numerators(beside, side) => beside.tell(|counts| {
                counts.numerators[side] = counts.numerators[side].max(done);
            }),
        }
    }
    fn restored(&self, done: u64) {
        match self {
            Shown::Alone(observer) => observer.restored(done),
            _ => self.progress(done),
        }
    }
    fn warning(&self, message: &str) {
        self.observer().warning(message);
    }
    fn cancelled(&self) -> bool {
        self.observer().cancelled()
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.observer().keeper()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<(String, u64)>>);

    impl Observer for Told {
        fn phase(&self, name: &str, total: u64) {
            self.0.lock().unwrap().push((name.into(), total));
        }
        fn progress(&self, done: u64) {
            self.0.lock().unwrap().push((String::new(), done));
        }
    }

    #[test]
    fn groups_are_told_as_one_phase_after_the_other() {
        let told = Told::default();
        let beside = Beside::new(&told, 2, 3);
        let (a, b) = (Shown::Digits(&beside, 0, 0), Shown::Digits(&beside, 1, 2));
        a.phase("digits", 100);
        a.progress(10);
        b.phase("digits", 90);
        b.progress(90);
        b.side(0).phase("numerators", 50);
        // What others do until they get there is not shown, and no phase begins twice.
        a.progress(20);
        b.side(0).progress(30);
        a.side(1).phase("numerators", 50);
        a.side(1).progress(5);
        b.side(0).progress(20);
        a.side(0).progress(50);
        let expected = [
            ("digits", 200),
            ("", 10),
            ("", 100),
            ("numerators", 150),
            ("", 0),
            ("", 30),
            ("", 35),
            ("", 35),
            ("", 85),
        ];
        assert_eq!(*told.0.lock().unwrap(), expected.map(|(name, count)| (name.to_string(), count)));
        Shown::Alone(&told).side(7).phase("numerators", 50);
        assert_eq!(told.0.lock().unwrap().last(), Some(&("numerators".into(), 50)));
    }
}
