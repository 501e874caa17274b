//! The straight-line program of one step: all 2^K settings of the K low columns, rows merged by pattern.
//!
//! The K low columns stay out of the Gray code. Let xᵢ be the value of row i with none of them in S. On the low columns a row is
//! a linear form; rows whose forms take equal values on the same settings ("the same pattern": for 0–1 rows, the same support)
//! need only their product Q\[P\]\[s\] for every distinct value s of the form. Deciding the last low column by a bit b turns patterns
//! on m columns into patterns on m - 1; those that become equal are multiplied:
//!
//! ```text
//! 0–1:  Q'[P'][t] = Q[P'0][t] · Q[P'1][t + b],   t = 0…|P'| low columns of the row in S
//! ```
//!
//! so that one setting costs Σ_{m<K} (m/2 + 1) = K + K(K-1)/4 products rather than n, and those of few rows are the many:
//! they run in narrow lanes. When two columns are undecided four tables are left: C (rows with neither), A\[b₁\], B\[b₀\] and
//! D\[b₁b₀\], and a [`Tail`] sums their 4 leaves in 7 wide products:
//!
//! ```text
//! F = C · Σ_{b₁} (-1)^{b₁} A[b₁] · (B[0] D[b₁0] - B[1] D[b₁1])
//! ```
//!
//! [`Program::build`] unrolls the tree of decisions into single assignments (equal products once), proves a bound for each value,
//! gives it the narrowest of three widths that holds the bound, and packs the values into slots by their lifetimes. The program
//! depends on the matrix only, never on the position of the walk: an interpreter runs it over vectors of lanes
//! ([`exact`](super::exact), [`residues`](super::residues)); [`cuda`](super::cuda) prints it as source, one thread a lane.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// How many states of the walk run side by side, one in each lane.
pub(super) const LANES: usize = 64;

/// One value in every lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Vector<T>(pub [T; LANES]);

impl<T: Copy> Vector<T> {
    /// f of both in every lane.
    #[inline(always)]
    pub fn zip(&self, other: &Self, f: impl Fn(T, T) -> T) -> Self {
        let mut result = *self;
        for l in 0..LANES {
            result.0[l] = f(self.0[l], other.0[l]);
        }
        result
    }
}

/// The largest tail operand of the exact engine: see [`exact`](super::exact) for the proof.
pub(super) const WIDEST: u128 = 1 << 49;

/// The width of a value: 16-bit and 32-bit integers, and integers of up to 49 bits kept in `f64`, all signed and exact. In a
/// modular program every value has the first width, which then means one residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Width {
    W16,
    W32,
    W64,
}
use Width::{W16, W32, W64};

impl Width {
    fn holding(bound: u128) -> Option<Width> {
        let widths = [(W16, i16::MAX as u128), (W32, i32::MAX as u128), (W64, WIDEST)];
        widths.into_iter().find(|&(_, largest)| bound <= largest).map(|(width, _)| width)
    }
}

/// What the instructions of a run do; operands and result are slots of the widths named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// 16 ← row a (of the arena of rows) + constant b.
    Entry,
    /// 16 ← 16 · 16.
    Mul16,
    /// 32 ← 16 · 16.
    Widen32,
    /// 32 ← 16.
    Extend32,
    /// 32 ← 32 · 32.
    Mul32,
    /// 64 ← 32 · 32.
    Widen64,
    /// 64 ← 32.
    Extend64,
    /// 64 ← 64 · 64.
    Mul64,
    /// A [`Tail`] on 32-bit operands.
    Tail32,
    /// A [`Tail`] on 64-bit operands.
    Tail64,
}

impl Kind {
    /// The width of the operands.
    pub fn operand_width(self) -> Width {
        match self {
            Kind::Entry | Kind::Mul16 | Kind::Widen32 | Kind::Extend32 => W16,
            Kind::Mul32 | Kind::Widen64 | Kind::Extend64 | Kind::Tail32 => W32,
            Kind::Mul64 | Kind::Tail64 => W64,
        }
    }

    /// The width of the result, or of a tail's operands.
    pub fn width(self) -> Width {
        match self {
            Kind::Entry | Kind::Mul16 => W16,
            Kind::Widen32 | Kind::Extend32 | Kind::Mul32 | Kind::Tail32 => W32,
            Kind::Widen64 | Kind::Extend64 | Kind::Mul64 | Kind::Tail64 => W64,
        }
    }
}

/// One instruction on vectors of lanes; `b` is 0 where there is one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub target: u16,
    pub a: u16,
    pub b: u16,
}

/// The slots of the four tables of the last two columns. `negative`: an odd number of the columns decided before is in S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub c: u16,
    pub a: [u16; 2],
    pub b: [u16; 2],
    pub d: [[u16; 2]; 2],
    pub negative: bool,
}

/// A row as the program sees it.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// For every subset of the low columns (bit k: column k) the number of its value, numbered by first appearance.
    pub pattern: Vec<u16>,
    /// For every subset a bound of the row's absolute value, saturated.
    pub bounds: Vec<u128>,
}

/// The program of one step; see the module.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Instructions of one kind in a row; tails index `tails`.
    pub runs: Vec<(Kind, Range<usize>)>,
    pub instructions: Vec<Instruction>,
    /// The row and the subset of low columns of each entry constant.
    pub constants: Vec<(usize, usize)>,
    pub tails: Vec<Tail>,
    /// Slots of each width. Slot 0 of the first width holds 1 in every lane.
    pub slots: [usize; 3],
    /// Bounds of the operands C, A, B, D over all tails.
    pub tail_bounds: [u128; 4],
    /// Products in the program, tails aside.
    pub products: usize,
}

/// Where an assignment takes its operands from: values by number, rows, constants.
#[derive(Clone, Copy, Debug)]
struct Assignment {
    kind: Kind,
    a: usize,
    b: usize,
    bound: u128,
}

enum Event {
    Value(usize),
    /// The nine operands in the order c, a, b, d of [`Tail`].
    Tail([usize; 9], Kind, bool),
}

/// Patterns on the undecided columns, each with the value numbers of its table.
type Tables = BTreeMap<Vec<u16>, Vec<usize>>;

struct Builder {
    modular: bool,
    values: Vec<Assignment>,
    constants: Vec<(usize, usize)>,
    known: HashMap<(Kind, usize, usize), usize>,
    events: Vec<Event>,
    tail_bounds: [u128; 4],
}

/// The number of the value 1, which no instruction assigns.
const ONE: usize = 0;

impl Program {
    /// The program for rows of the given forms on `low` ≥ 2 columns. `None` if a value may exceed the widest exact width;
    /// a modular program takes any.
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

    /// An estimate of the time of one step, in units of one 512-bit operation.
    pub fn cost(&self) -> f64 {
        let run = |(kind, range): &(Kind, Range<usize>)| {
            let each = match kind {
                Kind::Entry | Kind::Mul16 => 4.0,
                Kind::Widen32 | Kind::Extend32 => 8.0,
                Kind::Mul32 => 8.0,
                Kind::Widen64 | Kind::Extend64 => 16.0,
                Kind::Mul64 => 16.0,
                Kind::Tail32 => 120.0,
                Kind::Tail64 => 150.0,
            };
            4.0 + each * range.len() as f64
        };
        self.runs.iter().map(run).sum()
    }
}

impl Builder {
    fn width(&self, value: usize) -> Width {
        self.values[value].kind.width()
    }

    /// The number of the value, made now unless it is known.
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

    /// Sorts the assignments between two tails by kind (operands are never wider than results, so that the order of kinds is an
    /// order of evaluation), and gives every value a slot from its assignment to its last use.
    fn pack(self) -> Program {
        let mut order: Vec<Event> = Vec::new();
        let mut batch: Vec<usize> = Vec::new();
        for event in self.events.into_iter() {
            match event {
                Event::Value(v) => batch.push(v),
                tail => {
                    batch.sort_by_key(|&v| (self.values[v].kind, v));
                    order.extend(batch.drain(..).map(Event::Value));
                    order.push(tail);
                }
            }
        }
        let operands = |v: usize| {
            let Assignment { kind, a, b, .. } = self.values[v];
            let count = match kind {
                Kind::Entry => 0,
                Kind::Extend32 | Kind::Extend64 => 1,
                _ => 2,
            };
            [a, b].into_iter().take(count)
        };
        let mut last_use = vec![0; self.values.len()];
        for (time, event) in order.iter().enumerate() {
            match event {
                Event::Value(v) => operands(*v).for_each(|u| last_use[u] = time),
                Event::Tail(used, ..) => used.iter().for_each(|&u| last_use[u] = time),
            }
        }
        last_use[ONE] = usize::MAX;
        let mut program = Program {
            runs: Vec::new(),
            instructions: Vec::new(),
            constants: self.constants,
            tails: Vec::new(),
            slots: [1, 0, 0],
            tail_bounds: self.tail_bounds,
            products: 0,
        };
        let mut slot = vec![0u16; self.values.len()];
        let mut free: [Vec<u16>; 3] = Default::default();
        let width = |v: usize| self.values[v].kind.width();
        for (time, event) in order.into_iter().enumerate() {
            let mut release = |u: usize, free: &mut [Vec<u16>; 3]| {
                if last_use[u] == time {
                    last_use[u] = usize::MAX; // an operand used twice is released once
                    free[width(u) as usize].push(slot[u]);
                }
            };
            let (kind, index) = match event {
                Event::Value(v) => {
                    let Assignment { kind, a, b, .. } = self.values[v];
                    let source = if kind == Kind::Entry { [a as u16, b as u16] } else { [slot[a], slot[b]] };
                    operands(v).for_each(|u| release(u, &mut free));
                    let at = width(v) as usize;
                    slot[v] = free[at].pop().unwrap_or_else(|| {
                        program.slots[at] += 1;
                        (program.slots[at] - 1) as u16
                    });
                    program.instructions.push(Instruction { target: slot[v], a: source[0], b: source[1] });
                    program.products +=
                        matches!(kind, Kind::Mul16 | Kind::Widen32 | Kind::Mul32 | Kind::Widen64 | Kind::Mul64)
                            as usize;
                    (kind, program.instructions.len() - 1)
                }
                Event::Tail(used, kind, negative) => {
                    let [c, a0, a1, b0, b1, d00, d01, d10, d11] = used.map(|u| slot[u]);
                    let tail = Tail { c, a: [a0, a1], b: [b0, b1], d: [[d00, d01], [d10, d11]], negative };
                    used.iter().for_each(|&u| release(u, &mut free));
                    program.tails.push(tail);
                    (kind, program.tails.len() - 1)
                }
            };
            match program.runs.last_mut() {
                Some((last, range)) if *last == kind && range.end == index => range.end += 1,
                _ => program.runs.push((kind, index..index + 1)),
            }
        }
        program
    }
}

/// The labels renumbered by first appearance, and the old label of each new one.
pub(super) fn renumbered<T: PartialEq + Copy>(labels: &[T]) -> (Vec<u16>, Vec<T>) {
    let mut old: Vec<T> = Vec::new();
    let number = |&label: &T| {
        let at = old.iter().position(|&o| o == label).unwrap_or_else(|| {
            old.push(label);
            old.len() - 1
        });
        at as u16
    };
    (labels.iter().map(number).collect(), old)
}
