//! Null vectors of neighbouring free columns at once, each with one digit: solved mod q, guessed, multiplied out.

use super::budget::Budget;
use super::system::{System, Workspace};
use crate::integers::{NUMERATOR, small_denominator};

/// Free columns that go together.
pub(super) const LANES: usize = 8;

/// What became of some free columns.
#[derive(Default)]
pub(super) struct Swept {
    /// One of them is independent of the minor's: rank A is larger.
    pub larger: bool,
    /// One digit did not suffice.
    pub hard: Vec<u32>,
    /// The chain does not suffice: what it leaves in the other rows of the minor.
    pub rest: Vec<Rest>,
    /// The largest size of a number in a null vector found.
    pub bits: u32,
}

/// A free column and the residues, by row less t, to be cleared by the columns beyond the chain.
pub(super) struct Rest {
    pub column: u32,
    pub sums: Vec<(u32, u64)>,
}

impl Swept {
    pub fn join(mut self, other: Swept) -> Swept {
        self.larger |= other.larger;
        self.hard.extend(other.hard);
        self.rest.extend(other.rest);
        self.bits = self.bits.max(other.bits);
        self
    }
}

/// The null vectors of up to [`LANES`] free columns that need none of the minor's columns beyond the chain.
pub(super) fn by_chain(system: &System, free: &[u32], w: &mut Workspace<LANES>, budget: &Budget) -> Swept {
    let mut swept = Swept::default();
    let (rest, outside) = left_by_chain(system, free, w);
    let done: [bool; LANES] = std::array::from_fn(|l| rest.get(l).is_some_and(|rest| rest.sums.is_empty()));
    swept.larger = (0..LANES).any(|l| done[l] && outside[l]);
    if !swept.larger {
        multiply_out(system, free, done, w, &mut swept);
    }
    swept.rest = rest.into_iter().filter(|rest| !rest.sums.is_empty()).collect();
    finish(system, w, budget);
    swept
}

/// What the chain leaves of up to [`LANES`] columns in the other rows of the minor.
pub(super) fn complement(system: &System, columns: &[u32], w: &mut Workspace<LANES>) -> Vec<Rest> {
    let (rest, _) = left_by_chain(system, columns, w);
    system.clear(w);
    rest
}

/// What the chain leaves in the other rows of the minor, and whether anything is left in the rows outside.
fn left_by_chain(system: &System, columns: &[u32], w: &mut Workspace<LANES>) -> (Vec<Rest>, [bool; LANES]) {
    push_units(system, columns, w);
    system.solve_chain(w);
    let mut rest: Vec<Rest> = columns.iter().map(|&column| Rest { column, sums: vec![] }).collect();
    let mut outside = [false; LANES];
    system.take_beyond(w, |i, sums| {
        for (l, rest) in rest.iter_mut().enumerate().filter(|(l, _)| sums[*l] != 0) {
            if i < system.order {
                rest.sums.push(((i - system.chain) as u32, system.field.to_residue(sums[l])));
            } else {
                outside[l] = true;
            }
        }
    });
    (rest, outside)
}

/// The same with the values of the columns beyond the chain, `beyond[n·width + l]` for column t + n and lane l.
pub(super) fn by_minor(
    system: &System,
    free: &[u32],
    (beyond, width): (&[u64], usize),
    w: &mut Workspace<LANES>,
    budget: &Budget,
) -> Swept {
    let mut swept = Swept::default();
    push_units(system, free, w);
    for n in 0..system.order - system.chain {
        let residues = &beyond[n * width..][..free.len()];
        let x = std::array::from_fn(|l| residues.get(l).map_or(0, |&r| system.field.of_residue(r)));
        if x != [0; LANES] {
            system.give(system.chain + n, &x, w);
        }
    }
    system.solve_chain(w);
    // The rows of the minor vanish by the choice of these values; what is left anywhere speaks against rank r.
    system.take_beyond(w, |_, _| swept.larger = true);
    if !swept.larger {
        multiply_out(system, free, std::array::from_fn(|l| l < free.len()), w, &mut swept);
    }
    finish(system, w, budget);
    swept
}

fn push_units(system: &System, free: &[u32], w: &mut Workspace<LANES>) {
    for (l, &f) in free.iter().enumerate() {
        let mut unit = [0; LANES];
        unit[l] = 1;
        system.push(f as usize, &unit, w);
    }
}

fn finish(system: &System, w: &mut Workspace<LANES>, budget: &Budget) {
    system.clear(w);
    budget.spend(budget.prices.visiting::<LANES>(std::mem::take(&mut w.visits)));
}

/// The solution mod q as small fractions with a common denominator, and the product of A with them, for the lanes
/// `done`.
fn multiply_out(system: &System, free: &[u32], done: [bool; LANES], w: &mut Workspace<LANES>, swept: &mut Swept) {
    let most = NUMERATOR.min(system.largest_factor());
    let mut largest = [0; LANES];
    for &k in &w.used {
        (0..LANES).for_each(|l| largest[l] = largest[l].max(w.x[k as usize][l].abs()));
    }
    // The denominators: 1 as a rule, 0 where there is none.
    let mut unit = [0i64; LANES];
    for l in (0..LANES).filter(|&l| done[l]) {
        unit[l] = match i64::from(largest[l]) <= most {
            true => 1,
            false => {
                small_denominator(system.field, w.used.iter().map(|&k| i64::from(w.x[k as usize][l]))).unwrap_or(0)
            }
        };
    }
    let integers = |x: &[i32; LANES]| -> [i64; LANES] {
        std::array::from_fn(|l| match unit[l] {
            0 | 1 => unit[l] * i64::from(x[l]),
            d => system.field.least(d * i64::from(x[l])),
        })
    };
    let mut numerators = unit;
    for &k in &w.used {
        let y = integers(&w.x[k as usize]);
        (0..LANES).for_each(|l| numerators[l] = numerators[l].max(y[l].abs()));
    }
    let fits: [bool; LANES] = std::array::from_fn(|l| unit[l] > 0 && numerators[l] <= most);
    let masked = |y: [i64; LANES]| std::array::from_fn(|l| if fits[l] { y[l] } else { 0 });
    let x = std::mem::take(&mut w.x);
    let zero = system.vanishes(free, &masked(unit), |k| masked(integers(&x[k as usize])), w);
    w.x = x;
    for (l, &f) in free.iter().enumerate().filter(|(l, _)| done[*l]) {
        match fits[l] && zero[l] {
            true => swept.bits = swept.bits.max(64 - numerators[l].leading_zeros()),
            false => swept.hard.push(f),
        }
    }
}
