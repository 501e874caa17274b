//! The tree of decisions unrolled into single assignments, with equal products computed once, and a bound on each
//! value.

use super::Width::{W16, W32, W64};
use super::{Form, Kind, Program, Width, renumbered};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Where an assignment takes its operands from: values by number, rows, constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub kind: Kind,
    pub a: usize,
    pub b: usize,
    pub bound: u128,
}

pub(super) enum Event {
    Value(usize),
    /// The nine operands in the order c, a, b, d of [`Tail`].
    Tail([usize; 9], Kind, bool),
}

/// Patterns on the undecided columns, each with the value numbers of its table.
type Tables = BTreeMap<Vec<u16>, Vec<usize>>;

pub(super) struct Builder {
    modular: bool,
    pub values: Vec<Assignment>,
    pub constants: Vec<(usize, usize)>,
    known: HashMap<(Kind, usize, usize), usize>,
    pub events: Vec<Event>,
    pub tail_bounds: [u128; 4],
}

/// The number of the value 1, which no instruction assigns.
pub(super) const ONE: usize = 0;

impl Program {
    /// The program for rows of the given forms on `low` ≥ 2 columns. `None` if a value may exceed the widest exact
    /// width; modular programs have no such limit.
    pub fn build(forms: &[Form], low: usize, modular: bool) -> Option<Program> {
        assert!(low >= 2, "the tail decides two columns");
        let one = Assignment { kind: Kind::Entry, a: 0, b: 0, bound: 1 };
        let mut builder = Builder {
            modular,
            values: vec![one],
            constants: Vec::new(),
            known: HashMap::new(),
            events: Vec::new(),
            tail_bounds: [1; 4],
        };
        let mut factors: BTreeMap<Vec<u16>, Vec<Vec<usize>>> = BTreeMap::new();
        for (row, form) in forms.iter().enumerate() {
            let mut table = Vec::new();
            for (subset, &class) in form.pattern.iter().enumerate() {
                if class as usize == table.len() {
                    if !modular && Width::holding(form.bounds[subset]) != Some(W16) {
                        return None;
                    }
                    builder.constants.push((row, subset));
                    let constant = builder.constants.len() - 1;
                    table.push(vec![builder.assign(Kind::Entry, row, constant, form.bounds[subset])?]);
                }
            }
            match factors.get_mut(&form.pattern) {
                Some(tables) => tables.iter_mut().zip(table).for_each(|(all, new)| all.extend(new)),
                None => {
                    factors.insert(form.pattern.clone(), table);
                }
            }
        }
        let tables = builder.multiply(factors)?;
        builder.decide(&tables, low, false)?;
        Some(builder.pack())
    }
}

impl Builder {
    fn width(&self, value: usize) -> Width {
        self.values[value].kind.width()
    }

    /// The number of the value, created unless it exists.
    fn assign(&mut self, kind: Kind, a: usize, b: usize, bound: u128) -> Option<usize> {
        if !self.modular {
            Width::holding(bound)?;
        }
        if let Some(&value) = self.known.get(&(kind, a, b)) {
            return Some(value);
        }
        self.values.push(Assignment { kind, a, b, bound });
        let value = self.values.len() - 1;
        self.known.insert((kind, a, b), value);
        self.events.push(Event::Value(value));
        Some(value)
    }

    /// The value in at least the given width.
    fn extend(&mut self, value: usize, width: Width) -> Option<usize> {
        let bound = self.values[value].bound;
        match (self.width(value), width) {
            (W16, W32 | W64) => {
                let wider = self.assign(Kind::Extend32, value, 0, bound)?;
                self.extend(wider, width)
            }
            (W32, W64) => self.assign(Kind::Extend64, value, 0, bound),
            _ => Some(value),
        }
    }

    fn product(&mut self, a: usize, b: usize) -> Option<usize> {
        if a == ONE || b == ONE {
            return Some(a.max(b));
        }
        let (a, b) = (a.min(b), a.max(b));
        let bound = self.values[a].bound.saturating_mul(self.values[b].bound);
        if self.modular {
            return self.assign(Kind::Mul16, a, b, bound);
        }
        let operands = self.width(a).max(self.width(b));
        let (kind, operands) = match (Width::holding(bound)?.max(operands), operands) {
            (W16, _) => (Kind::Mul16, W16),
            (W32, W16) => (Kind::Widen32, W16),
            (W32, _) => (Kind::Mul32, W32),
            (W64, W16 | W32) => (Kind::Widen64, W32),
            (W64, W64) => (Kind::Mul64, W64),
        };
        let (a, b) = (self.extend(a, operands)?, self.extend(b, operands)?);
        self.assign(kind, a, b, bound)
    }

    /// The product of the values, smallest bounds first, so that most products are narrow.
    fn product_of(&mut self, mut factors: Vec<usize>) -> Option<usize> {
        while factors.len() > 1 {
            factors.sort_by_key(|&v| std::cmp::Reverse((self.values[v].bound, v)));
            let (a, b) = (factors.pop()?, factors.pop()?);
            factors.push(self.product(a, b)?);
        }
        Some(factors.pop().unwrap_or(ONE))
    }

    fn multiply(&mut self, factors: BTreeMap<Vec<u16>, Vec<Vec<usize>>>) -> Option<Tables> {
        let mut tables = Tables::new();
        for (pattern, lists) in factors {
            let table = lists.into_iter().map(|list| self.product_of(list)).collect::<Option<_>>()?;
            tables.insert(pattern, table);
        }
        Some(tables)
    }

    /// Unrolls the decisions of `undecided` columns.
    fn decide(&mut self, tables: &Tables, undecided: usize, negative: bool) -> Option<()> {
        if undecided == 2 {
            return self.tail(tables, negative);
        }
        let half = 1 << (undecided - 1);
        for bit in 0..2 {
            let mut factors: BTreeMap<Vec<u16>, Vec<Vec<usize>>> = BTreeMap::new();
            for (pattern, table) in tables {
                let (smaller, parents) = renumbered(&pattern[bit * half..(bit + 1) * half]);
                let lists = factors.entry(smaller).or_insert_with(|| vec![Vec::new(); parents.len()]);
                lists.iter_mut().zip(parents).for_each(|(list, parent)| list.push(table[parent as usize]));
            }
            let children = self.multiply(factors)?;
            self.decide(&children, undecided - 1, negative ^ (bit == 1))?;
        }
        Some(())
    }

    /// Sorts the tables on two columns into C, A, B and D.
    fn tail(&mut self, tables: &Tables, negative: bool) -> Option<()> {
        let (mut c, mut a, mut b, mut d) = (ONE, [ONE; 2], [ONE; 2], [const { Vec::new() }; 4]);
        for (pattern, table) in tables {
            match pattern.as_slice() {
                [0, 0, 0, 0] => c = table[0],
                [0, 0, 1, 1] => a = [table[0], table[1]],
                [0, 1, 0, 1] => b = [table[0], table[1]],
                _ => d.iter_mut().zip(pattern).for_each(|(list, &class)| list.push(table[class as usize])),
            }
        }
        let mut operands = [c, a[0], a[1], b[0], b[1], ONE, ONE, ONE, ONE];
        for (operand, list) in operands[5..].iter_mut().zip(d) {
            *operand = self.product_of(list)?;
        }
        let bound = |range: Range<usize>| operands[range].iter().map(|&v| self.values[v].bound).max().unwrap_or(1);
        let bounds = [bound(0..1), bound(1..3), bound(3..5), bound(5..9)];
        self.tail_bounds.iter_mut().zip(bounds).for_each(|(all, new)| *all = new.max(*all));
        let mut kind = Kind::Tail32;
        if !self.modular {
            let widest = operands.iter().map(|&v| self.width(v)).max().unwrap_or(W16).max(W32);
            for operand in &mut operands {
                *operand = self.extend(*operand, widest)?;
            }
            kind = if widest == W64 { Kind::Tail64 } else { Kind::Tail32 };
        }
        self.events.push(Event::Tail(operands, kind, negative));
        Some(())
    }
}
