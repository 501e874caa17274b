//! Assignments sorted into runs of one kind, and values packed into slots by their lifetimes.

use super::build::{Assignment, Builder, Event, ONE};
use super::{Instruction, Kind, Program, Tail};

impl Assignment {
    /// The values that it reads.
    fn operands(&self) -> impl Iterator<Item = usize> + use<> {
        let count = match self.kind {
            Kind::Entry => 0,
            Kind::Extend32 | Kind::Extend64 => 1,
            _ => 2,
        };
        [self.a, self.b].into_iter().take(count)
    }

    fn is_product(&self) -> bool {
        matches!(self.kind, Kind::Mul16 | Kind::Widen32 | Kind::Mul32 | Kind::Widen64 | Kind::Mul64)
    }
}

impl Builder {
    /// Sorts the assignments between two tails by kind (operands are never wider than results, so that the order of
    /// kinds is an order of evaluation), and gives every value a slot from its assignment to its last use.
    pub fn pack(mut self) -> Program {
        let order = self.take_ordered();
        let mut slots = Slots {
            slot: vec![0; self.values.len()],
            last_use: self.last_uses(&order),
            free: Default::default(),
            count: [1, 0, 0],
            values: &self.values,
        };
        let mut program = Program {
            runs: Vec::new(),
            instructions: Vec::new(),
            constants: self.constants,
            tails: Vec::new(),
            slots: [0; 3],
            tail_bounds: self.tail_bounds,
            products: 0,
        };
        for (time, event) in order.into_iter().enumerate() {
            let (kind, index) = match event {
                Event::Value(v) => {
                    let value = &self.values[v];
                    let slot = &slots.slot;
                    let [a, b] = match value.kind {
                        Kind::Entry => [value.a as u16, value.b as u16],
                        _ => [slot[value.a], slot[value.b]],
                    };
                    value.operands().for_each(|u| slots.release(u, time));
                    program.instructions.push(Instruction { target: slots.take(v), a, b });
                    program.products += usize::from(value.is_product());
                    (value.kind, program.instructions.len() - 1)
                }
                Event::Tail(used, kind, negative) => {
                    let [c, a0, a1, b0, b1, d00, d01, d10, d11] = used.map(|u| slots.slot[u]);
                    let tail = Tail { c, a: [a0, a1], b: [b0, b1], d: [[d00, d01], [d10, d11]], negative };
                    used.iter().for_each(|&u| slots.release(u, time));
                    program.tails.push(tail);
                    (kind, program.tails.len() - 1)
                }
            };
            match program.runs.last_mut() {
                Some((last, range)) if *last == kind && range.end == index => range.end += 1,
                _ => program.runs.push((kind, index..index + 1)),
            }
        }
        program.slots = slots.count;
        program
    }

    /// The events, assignments between two tails sorted.
    fn take_ordered(&mut self) -> Vec<Event> {
        let mut order: Vec<Event> = Vec::new();
        let mut batch: Vec<usize> = Vec::new();
        for event in std::mem::take(&mut self.events) {
            match event {
                Event::Value(v) => batch.push(v),
                tail => {
                    batch.sort_by_key(|&v| (self.values[v].kind, v));
                    order.extend(batch.drain(..).map(Event::Value));
                    order.push(tail);
                }
            }
        }
        order
    }

    /// When each value is used last; 1 is always kept.
    fn last_uses(&self, order: &[Event]) -> Vec<usize> {
        let mut last_use = vec![0; self.values.len()];
        for (time, event) in order.iter().enumerate() {
            match event {
                Event::Value(v) => self.values[*v].operands().for_each(|u| last_use[u] = time),
                Event::Tail(used, ..) => used.iter().for_each(|&u| last_use[u] = time),
            }
        }
        last_use[ONE] = usize::MAX;
        last_use
    }
}

/// The allocation of slots.
struct Slots<'a> {
    values: &'a [Assignment],
    /// The slot of each value.
    slot: Vec<u16>,
    last_use: Vec<usize>,
    /// The unused slots of each width, and the total number of slots.
    free: [Vec<u16>; 3],
    count: [usize; 3],
}

impl Slots<'_> {
    fn width(&self, value: usize) -> usize {
        self.values[value].kind.width() as usize
    }

    /// A slot for the value.
    fn take(&mut self, value: usize) -> u16 {
        let width = self.width(value);
        self.slot[value] = self.free[width].pop().unwrap_or_else(|| {
            self.count[width] += 1;
            (self.count[width] - 1) as u16
        });
        self.slot[value]
    }

    /// The value's slot is free if this is its last use.
    fn release(&mut self, value: usize, time: usize) {
        if self.last_use[value] == time {
            self.last_use[value] = usize::MAX; // an operand used twice is released once
            let width = self.width(value);
            self.free[width].push(self.slot[value]);
        }
    }
}
