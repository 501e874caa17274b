//! Which columns stay low, which digits are lanes and which are walked, and by which engine: decided before anything is
//! summed.
//!
//! The low columns decide the number and the widths of the products (see [`program`](super::program)); they are chosen
//! by a local search with exchanges, started with several numbers K of columns, under a budget that is a small part of
//! the predicted time. The search is deterministic and the plan does not depend on threads or instruction set, so that
//! a checkpoint is valid on every machine with the same prices.

use super::device;
use super::exact::{CHUNK_TAILS, ExactPlan, RowStep};
use super::problem::Problem;
use super::program::{Form, LANES, Program, renumbered};
use super::residues::{Integers, ModularPlan, PRIME_LIMIT};
use super::walk::{Digit, Walk, lane_states};
use crate::field::Rng;
use crate::integers::{low_bits, primes_for};
use crate::{Error, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive};
use rand::{RngExt, SeedableRng};

/// The largest number of low columns considered.
const MOST_LOW: usize = 7;
/// A residue costs this many times as much as the cost model predicts for exact lanes.
const RESIDUE_FACTOR: f64 = 2.0;
/// From this size on the exact engine needs an even partition of the rows, and searching for one costs little of the
/// total.
const LARGE: usize = 36;
/// Pairs of columns to start from there.
const PAIRS: usize = 8;
/// The shortest chunk of residues: a shorter one would spend more than a few percent of its time starting up.
const LEAST_POSITIONS: u64 = 16;

/// The target of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Vector lanes of a processor.
    Processor,
    /// CUDA GPUs.
    Gpus,
}

impl Target {
    /// The time of one step of the program, in operations.
    fn operations(self, program: &Program, rows: usize, modular: bool) -> f64 {
        match self {
            Target::Processor => program.cost(),
            Target::Gpus => device::operations(program, rows, modular),
        }
    }
}

/// The prices where a plan is made, and where it runs: they determine how long the search for better low columns lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    /// Seconds of an operation of a step.
    pub operation: f64,
    /// Seconds to build one candidate program.
    pub build: f64,
}

/// A plan with its engine's data.
pub(super) struct Plan {
    /// The digits walked, the fastest first.
    pub walk: Vec<Digit>,
    pub engine: Engine,
    /// Positions of the walk.
    pub positions: u64,
    /// Positions of one chunk.
    pub chunk: u64,
    /// perm A = factor · sum / 2^odd; `content`, that of the rows, divides the factor.
    pub factor: BigInt,
    pub content: BigInt,
    pub odd: usize,
    /// The class of each low column, and those of the lanes.
    #[cfg_attr(not(feature = "serde"), allow(dead_code, reason = "what a checkpoint is sealed with"))]
    pub low: Vec<usize>,
    #[cfg_attr(not(feature = "serde"), allow(dead_code, reason = "what a checkpoint is sealed with"))]
    pub lane_classes: Vec<usize>,
}

pub(super) enum Engine {
    Exact(Box<ExactPlan>),
    Modular(Box<ModularPlan>),
}

/// The digits that a choice of low columns leaves.
struct Layout {
    walk: Vec<Digit>,
    lanes: Vec<Digit>,
    /// The weight of the digits with one state.
    scale: BigInt,
}

impl Layout {
    fn new(problem: &Problem, low: &[usize]) -> Layout {
        let mut left: Vec<usize> = problem.classes.iter().map(|class| class.count).collect();
        low.iter().for_each(|&class| left[class] -= 1);
        // An odd g is halved exactly, so a single column uses the symmetry fully; of even ones the largest loses least.
        let preference = |&c: &usize| if left[c] % 2 == 1 { (0, left[c]) } else { (1, usize::MAX - left[c]) };
        let halved = (0..left.len()).filter(|&c| left[c] > 0).min_by_key(preference).expect("a column is not low");
        let digit = |c: usize| Digit::new(c, left[c], false);
        let mut others: Vec<Digit> = (0..left.len()).filter(|&c| left[c] > 0 && c != halved).map(digit).collect();
        others.sort_by_key(|d| std::cmp::Reverse(d.radix()));
        // The largest product of radices that the lanes hold; digits of large radix come first, since their steps in
        // the walk would change the weight.
        let mut chosen: Vec<Option<Vec<usize>>> = vec![None; LANES + 1];
        chosen[1] = Some(Vec::new());
        for (k, d) in others.iter().enumerate() {
            for size in (1..=LANES / d.radix()).rev() {
                if let (Some(list), None) = (&chosen[size], &chosen[size * d.radix()]) {
                    let mut list = list.clone();
                    list.push(k);
                    chosen[size * d.radix()] = Some(list);
                }
            }
        }
        let lanes = chosen.into_iter().rev().flatten().next().unwrap_or_default();
        let mut layout = Layout { walk: Vec::new(), lanes: Vec::new(), scale: BigInt::one() };
        for (k, d) in others.into_iter().enumerate() {
            if lanes.contains(&k) { layout.lanes.push(d) } else { layout.walk.push(d) }
        }
        let symmetric = Digit::new(halved, left[halved], true);
        if symmetric.radix() == 1 {
            layout.scale = symmetric.weights[0].clone();
        } else {
            layout.walk.push(symmetric);
        }
        // The fastest digit first; plain ones come before others, whose steps may change the weight.
        layout.walk.sort_by_key(|digit| (!digit.is_plain(), digit.radix()));
        layout
    }
}

/// Rows as the program sees them on the low columns.
fn forms(problem: &Problem, low: &[usize]) -> Vec<Form> {
    let form = |row: usize| {
        let steps: Vec<&BigInt> = low.iter().map(|&class| &problem.classes[class].steps[row]).collect();
        let all: BigInt = problem.classes.iter().map(|class| class.steps[row].abs() * class.count).sum();
        let outside = all - steps.iter().map(|s| s.abs()).sum::<BigInt>();
        let small: Option<Vec<i64>> = steps.iter().map(|s| s.to_i32().map(i64::from)).collect();
        match (small, outside.to_i64()) {
            (Some(steps), Some(outside)) => small_form(&steps, outside),
            _ => big_form(&steps, &outside),
        }
    };
    (0..problem.n).map(form).collect()
}

/// A row's value is (Σ ± outside + Σ ± low steps) / 2, the low signs given by the subset.
fn small_form(steps: &[i64], outside: i64) -> Form {
    let total: i64 = steps.iter().sum();
    let value = |subset: usize| (0..steps.len()).filter(|k| subset >> k & 1 == 1).map(|k| steps[k]).sum::<i64>();
    let values: Vec<i64> = (0..1 << steps.len()).map(value).collect();
    let bound = |v: &i64| (u128::from(outside.unsigned_abs()) + u128::from((2 * v - total).unsigned_abs())) / 2;
    Form { pattern: renumbered(&values).0, bounds: values.iter().map(bound).collect() }
}

fn big_form(steps: &[&BigInt], outside: &BigInt) -> Form {
    let total: BigInt = steps.iter().copied().sum();
    let value = |subset: usize| (0..steps.len()).filter(|k| subset >> k & 1 == 1).map(|k| steps[k]).sum::<BigInt>();
    let values: Vec<BigInt> = (0..1usize << steps.len()).map(value).collect();
    let bound = |v: &BigInt| {
        let inside: BigInt = v * 2 - &total;
        let bound: BigInt = (outside + inside.abs()) / 2u32;
        bound.to_u128().unwrap_or(u128::MAX)
    };
    Form { pattern: renumbered(&values.iter().collect::<Vec<_>>()).0, bounds: values.iter().map(bound).collect() }
}

/// The best choice of low columns found.
struct Choice {
    low: Vec<usize>,
    program: Program,
    cost: f64,
}

struct Search<'a> {
    problem: &'a Problem,
    target: Target,
    prices: Prices,
    modular: bool,
    best: Option<Choice>,
}

impl Search<'_> {
    /// Keeps the low columns if they are better.
    fn try_low(&mut self, low: Vec<usize>) {
        let layout = Layout::new(self.problem, &low);
        let positions: f64 = layout.walk.iter().map(|d| d.radix() as f64).product();
        if let Some(program) = Program::build(&forms(self.problem, &low), low.len(), self.modular) {
            let cost = self.target.operations(&program, self.problem.n, self.modular) * positions;
            if self.best.as_ref().is_none_or(|best| cost < best.cost) {
                self.best = Some(Choice { low, program, cost });
            }
        }
    }

    /// The pairs of columns that, decided last, split the rows most evenly among the tail's C, A, B and D: the best few
    /// by the size in bits of the largest of the four products.
    fn balanced_pairs(&self) -> Vec<[usize; 2]> {
        let classes = &self.problem.classes;
        let bits: Vec<f64> = (0..self.problem.n)
            .map(|row| {
                let twice: BigInt = classes.iter().map(|class| class.steps[row].abs() * class.count).sum();
                let finite = twice.to_f64().filter(|value| value.is_finite() && *value > 0.0);
                finite.map_or(twice.bits() as f64, f64::log2) - 1.0
            })
            .collect();
        let mut pairs = Vec::new();
        for a in 0..classes.len() {
            for b in a..classes.len() {
                if a == b && classes[a].count < 2 {
                    continue;
                }
                let mut products = [0.0; 4];
                for (row, bits) in bits.iter().enumerate() {
                    let [a, b] = [a, b].map(|class| usize::from(classes[class].steps[row] != BigInt::ZERO));
                    products[2 * a + b] += bits;
                }
                pairs.push((products.into_iter().fold(0.0, f64::max), [a, b]));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs.into_iter().take(PAIRS).map(|(_, pair)| pair).collect()
    }

    fn run(mut self) -> Option<Choice> {
        let classes = &self.problem.classes;
        // Every column is a candidate, single ones first: taking a column from a large class costs more terms.
        let mut columns: Vec<usize> = (0..classes.len()).flat_map(|c| vec![c; classes[c].count]).collect();
        columns.sort_by_key(|&c| classes[c].count);
        let singles = columns.iter().filter(|&&c| classes[c].count == 1).count();
        for low in 2..=MOST_LOW.min(self.problem.n - 1) {
            self.try_low(columns[..low].to_vec());
        }
        if !self.modular && (self.best.is_none() || self.problem.n >= LARGE) {
            for pair in self.balanced_pairs() {
                let mut rest = columns.clone();
                pair.iter().for_each(|c| {
                    rest.remove(rest.iter().position(|d| d == c).expect("a pair is of columns"));
                });
                for low in 2..=MOST_LOW.min(self.problem.n - 1) {
                    self.try_low(pair.iter().chain(&rest[..low - 2]).copied().collect());
                }
            }
        }
        let mut rng = Rng::seed_from_u64(0);
        let mut trials = 0;
        let factor = if self.modular { RESIDUE_FACTOR } else { 1.0 };
        let Prices { operation, build } = self.prices;
        let unit = operation * factor;
        let affordable = |best: &Option<Choice>| {
            let seconds = best.as_ref().map_or(0.01, |best| best.cost * unit);
            ((seconds / 20.0 / build) as usize).clamp(if best.is_none() { 50 } else { 0 }, 600)
        };
        while trials < affordable(&self.best) {
            trials += 1;
            let most = MOST_LOW.min(self.problem.n - 1);
            let pool = if singles > MOST_LOW { &columns[..singles] } else { &columns[..] };
            // One column exchanged, two swapped, one more or fewer, or a new random choice; half the time starting from
            // the best.
            let mut low = match &self.best {
                Some(best) => best.low.clone(),
                None => {
                    let size = rng.random_range(2..=most);
                    (0..size).map(|k| columns[k]).collect()
                }
            };
            match rng.random_range(0..8) {
                0 if low.len() < most => {
                    low.insert(rng.random_range(0..=low.len()), pool[rng.random_range(0..pool.len())])
                }
                1 if low.len() > 2 => {
                    low.remove(rng.random_range(0..low.len()));
                }
                2 | 3 => {
                    let (a, b) = (rng.random_range(0..low.len()), rng.random_range(0..low.len()));
                    low.swap(a, b);
                }
                4 => low.iter_mut().for_each(|c| *c = pool[rng.random_range(0..pool.len())]),
                _ => {
                    let at = rng.random_range(0..low.len());
                    low[at] = pool[rng.random_range(0..pool.len())];
                }
            }
            let fits = low.iter().all(|c| low.iter().filter(|d| *d == c).count() <= classes[*c].count);
            if fits {
                self.try_low(low);
            }
        }
        self.best
    }
}

impl Plan {
    /// The plan for n ≥ 3 on the target; `bits` bounds the permanent, `residues` refuses the exact engine.
    ///
    /// # Errors
    /// [`Error::Usage`] if the terms cannot be counted in 64 bits.
    pub fn new(problem: &Problem, bits: u64, residues: bool, target: Target, prices: Prices) -> Result<Plan> {
        let search = |modular| Search { problem, target, prices, modular, best: None }.run();
        let exact = if residues { None } else { search(false) };
        let modular = exact.is_none();
        let choice = exact.or_else(|| search(true)).expect("a modular program always exists");
        let layout = Layout::new(problem, &choice.low);
        let positions = Walk::positions(&layout.walk)
            .ok_or_else(|| Error::Usage(format!("{} terms are too many for the dense engine", problem.terms())))?;
        let states = lane_states(&layout.lanes);
        let value = |row: usize, lane: usize| {
            // Surplus lanes repeat the first, with weight 0.
            let counts = &states.get(lane).unwrap_or(&states[0]).0;
            let moved = layout.lanes.iter().zip(counts).map(|(d, &t)| &problem.classes[d.class].steps[row] * t);
            &problem.start[row] + moved.sum::<BigInt>()
        };
        let weight = |lane: usize| states.get(lane).map_or(BigInt::ZERO, |s| s.1.clone());
        let constant = |&(row, subset): &(usize, usize)| {
            let inside = (0..choice.low.len()).filter(|k| subset >> k & 1 == 1);
            inside.map(|k| &problem.classes[choice.low[k]].steps[row]).sum::<BigInt>()
        };
        let constants: Vec<BigInt> = choice.program.constants.iter().map(constant).collect();
        let moves = |class: &super::problem::Class| {
            let moved = class.steps.iter().enumerate().filter(|(_, s)| **s != BigInt::ZERO);
            moved.map(|(row, s)| (row, s.clone())).collect::<Vec<_>>()
        };
        let steps: Vec<_> = problem.classes.iter().map(moves).collect();
        let tails = choice.program.tails.len() as u64;
        let group = device::group_digits(&layout.walk, positions, modular, &choice.program);
        let mut chunk = CHUNK_TAILS / tails;
        let engine = if modular {
            // perm modulo 2^(64 - odd) is known from the sum modulo 2⁶⁴.
            let known = BigUint::one() << 64usize.saturating_sub(problem.odd);
            let primes = primes_for(bits + 1, &known, PRIME_LIMIT);
            // A residue costs a few times as much as an exact lane: this makes a chunk take about as long as an exact
            // one.
            chunk = (chunk / (4 * (1 + primes.len() as u64))).max(LEAST_POSITIONS);
            let lanes = (0..problem.n).map(|row| (0..LANES).map(|lane| value(row, lane)).collect()).collect();
            let weights = (0..LANES).map(weight).collect();
            let integers = Integers { lanes, weights, constants, steps };
            Engine::Modular(Box::new(ModularPlan::new(choice.program, &integers, primes)))
        } else {
            // 16-bit arithmetic wraps modulo 2¹⁶; the values of states fit, as the program proves.
            let low = |x: &BigInt| low_bits(x) as i16;
            let narrow = |list: &Vec<(usize, BigInt)>| {
                list.iter().map(|(row, s)| RowStep { row: *row as u16, step: low(s) }).collect()
            };
            Engine::Exact(Box::new(ExactPlan {
                program: choice.program,
                lanes: (0..problem.n).map(|row| std::array::from_fn(|lane| low(&value(row, lane)))).collect(),
                weights: std::array::from_fn(|lane| weight(lane).to_i64().expect("binomials of lanes fit a word")),
                constants: constants.iter().map(low).collect(),
                steps: steps.iter().map(narrow).collect(),
            }))
        };
        let sign = if problem.n % 2 == 1 { -1 } else { 1 };
        Ok(Plan {
            engine,
            positions,
            chunk: if target == Target::Gpus { 1 << group } else { chunk.max(1) },
            factor: &problem.content * layout.scale * sign,
            content: problem.content.clone(),
            odd: problem.odd,
            low: choice.low,
            lane_classes: layout.lanes.iter().map(|d| d.class).collect(),
            walk: layout.walk,
        })
    }
}
