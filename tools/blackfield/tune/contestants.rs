//! The plans of products that are timed against each other, at each block width, and what their products took.

use crate::args::TuneArgs;
use crate::progress::Bars;
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Plan, PlanOptions, Product};
use blackfield::tune::{Effort, time_products};
use blackfield::{Observer, Result};

/// A format that makes the matrix larger than the chosen plan by more than this factor is not laid out.
const LARGEST: usize = 8;
/// How often each plan is timed, in turn with the others, and how often again the chosen one and those that take no
/// more than this share of the fastest in one direction; the fastest run counts.
const ROUNDS: usize = 3;
const FINALS: usize = 5;
const NEAR: f64 = 1.1;

/// A plan for each width, and seconds of A·X and Aᵀ·Y for each width, where they were timed.
pub struct Contestant {
    pub name: String,
    plans: Vec<Plan>,
    /// None: it is too large.
    seconds: Option<Vec<[f64; 2]>>,
}

/// All that were timed, the chosen plans first.
pub struct Contestants {
    all: Vec<Contestant>,
    nnz: usize,
    pub widths: Vec<usize>,
}

/// The fastest that can be built of what was timed.
pub struct Best<'a> {
    /// Whose rows of A, and of its transpose.
    pub of: [&'a Contestant; 2],
    /// 10⁹ multiply-adds a second.
    pub rate: f64,
}

impl Contestants {
    /// Times the plans chosen by trial, those predicted, and their rivals.
    pub fn timed(args: &TuneArgs, a: &SparseMatrix, bars: &Bars) -> Result<Contestants> {
        let (widths, wishes) = (args.widths.clone(), args.formats.plan_options());
        let by_trial = |&width: &usize| Plan::by_trial(a, &wishes.clone().width(width), &|| bars.check());
        let chosen = widths.iter().map(by_trial).collect::<Result<_>>()?;
        let mut contestants = Contestants { all: all(a, chosen, &widths)?, nnz: a.nnz(), widths };
        // What else this machine does comes and goes: the plans take turns.
        let (rounds, finals) = if args.quick { (1, 1) } else { (ROUNDS, FINALS) };
        for _ in 0..rounds {
            contestants.round(a, effort(args), bars)?;
        }
        // Where two are near each other, little noise would decide.
        for k in 0..contestants.widths.len() {
            contestants.finals(a, k, finals, effort(args), bars)?;
        }
        contestants.share();
        Ok(contestants)
    }

    /// Times all contestants at all widths, once.
    fn round(&mut self, a: &SparseMatrix, effort: Effort, bars: &Bars) -> Result<()> {
        for Contestant { plans, seconds, .. } in &mut self.all {
            let Some(seconds) = seconds else { continue };
            let mut product = Product::new(a, &plans[0])?;
            for (k, (best, &width)) in seconds.iter_mut().zip(&self.widths).enumerate() {
                bars.check()?;
                if !product.plan().is_alike(&plans[k]) {
                    product = Product::new(a, &plans[k])?;
                }
                *best = least(*best, time_products(a, &product, width, effort)?);
            }
        }
        Ok(())
    }

    /// Times the chosen plan and those near the fastest at width number `k` again, so many times in turn, each laid out
    /// anew.
    fn finals(&mut self, a: &SparseMatrix, k: usize, turns: usize, effort: Effort, bars: &Bars) -> Result<()> {
        let best = self.least(k);
        let is_near = |own: [f64; 2]| (0..2).any(|side| own[side] <= NEAR * best[side]);
        let width = self.widths[k];
        let timed =
            self.all.iter_mut().enumerate().filter_map(|(n, c)| Some((n, &c.plans[k], &mut c.seconds.as_mut()?[k])));
        let mut near: Vec<_> = timed.filter(|(n, _, seconds)| *n == 0 || is_near(**seconds)).collect();
        for _ in 0..turns {
            for (_, plan, seconds) in &mut near {
                bars.check()?;
                **seconds = least(**seconds, time_products(a, &Product::new(a, plan)?, width, effort)?);
            }
        }
        Ok(())
    }

    /// The least seconds in each direction at width number `k`.
    fn least(&self, k: usize) -> [f64; 2] {
        let seconds = self.all.iter().filter_map(|c| Some(c.seconds.as_ref()?[k]));
        seconds.fold([f64::INFINITY; 2], least)
    }

    /// Those that lay the matrix out alike, or its transpose, have the best time that one of them made.
    fn share(&mut self) {
        for k in 0..self.widths.len() {
            let best = |c: &Contestant, side: usize| {
                let same = self.all.iter().filter(|other| side_of(other.plan(k), side) == side_of(c.plan(k), side));
                same.filter_map(|other| Some(other.seconds.as_ref()?[k][side])).fold(f64::INFINITY, f64::min)
            };
            let seconds: Vec<_> = self.all.iter().map(|c| [0, 1].map(|side| best(c, side))).collect();
            for (contestant, shared) in self.all.iter_mut().zip(seconds) {
                if let Some(own) = &mut contestant.seconds {
                    own[k] = shared;
                }
            }
        }
    }

    /// All, the chosen plans first.
    pub fn iter(&self) -> impl Iterator<Item = &Contestant> {
        self.all.iter()
    }

    /// The chosen plans.
    pub fn chosen(&self) -> &Contestant {
        &self.all[0]
    }

    /// 10⁹ multiply-adds a second for each width, both directions together; none where it is too large.
    pub fn rates(&self, contestant: &Contestant) -> Option<Vec<f64>> {
        let seconds = contestant.seconds.as_ref()?;
        Some(seconds.iter().enumerate().map(|(k, [rows, columns])| self.rate(k, rows + columns)).collect())
    }

    fn rate(&self, k: usize, seconds: f64) -> f64 {
        rate(self.nnz, self.widths[k], seconds)
    }

    /// The fastest at width number `k`: rows of A and of its transpose may be different contestants', where their sums
    /// are of one kind and each is stored.
    pub fn best(&self, k: usize) -> Best<'_> {
        let timed = || self.all.iter().filter_map(|c| Some((c, c.seconds.as_ref()?[k])));
        let goes_with = |one: &Plan, other: &Plan| {
            one.transposed.is_some() && other.transposed.is_some() && one.arithmetic == other.arithmetic
        };
        let pairs = timed().flat_map(|(rows, [there, _])| {
            let columns = timed()
                .filter(move |(columns, _)| std::ptr::eq(rows, *columns) || goes_with(rows.plan(k), columns.plan(k)));
            columns.map(move |(columns, [_, back])| ([rows, columns], there + back))
        });
        // Of equal ones the first, which may be the chosen one, and one plan before two.
        let is_two = |[rows, columns]: [&Contestant; 2]| !std::ptr::eq(rows, columns);
        let best = pairs.min_by(|one, other| one.1.total_cmp(&other.1).then(is_two(one.0).cmp(&is_two(other.0))));
        let (of, seconds) = best.expect("the chosen plan is timed");
        Best { of, rate: self.rate(k, seconds) }
    }
}

fn least(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].min(other[0]), one[1].min(other[1])]
}

/// 10⁹ multiply-adds a second of a product with A and one with Aᵀ that take so many seconds together.
pub fn rate(nnz: usize, width: usize, seconds: f64) -> f64 {
    2.0 * (nnz * width) as f64 / seconds / 1e9
}

/// How long a plan is timed in one round.
pub fn effort(args: &TuneArgs) -> Effort {
    if args.quick { Effort::Quick } else { Effort::Round }
}

/// What decides how long a product takes, with A or with its transpose.
fn side_of(plan: &Plan, side: usize) -> impl PartialEq + '_ {
    let parts = if side == 0 { Some(&plan.parts) } else { plan.transposed.as_ref() };
    // Transposed products that scatter go through the rows of A.
    (parts.unwrap_or(&plan.parts), parts.is_some(), plan.lane, plan.arithmetic)
}

/// The plans to time, the chosen ones first; those that are too large have no times.
fn all(a: &SparseMatrix, chosen: Vec<Plan>, widths: &[usize]) -> Result<Vec<Contestant>> {
    let largest = chosen.iter().map(Plan::bytes).max().unwrap_or(0).saturating_mul(LARGEST);
    let untimed = || Some(vec![[f64::INFINITY; 2]; widths.len()]);
    let mut all = vec![Contestant { name: "chosen".into(), plans: chosen, seconds: untimed() }];
    let mut others: Vec<(String, Vec<Plan>)> = vec![];
    for &width in widths {
        let options = PlanOptions::default().width(width);
        let predicted = ("predicted".to_string(), Plan::choose(a, &options)?);
        let rivals = std::iter::once(predicted).chain(Plan::rivals(a, &options)?);
        for (k, (name, plan)) in rivals.enumerate() {
            match others.get_mut(k) {
                Some((_, plans)) => plans.push(plan),
                None => others.push((name, vec![plan])),
            }
        }
    }
    for (name, plans) in others {
        // Plans that someone has at all widths already say nothing new.
        if all.iter().all(|other| other.plans.iter().zip(&plans).any(|(own, plan)| !own.is_alike(plan))) {
            let small = plans.iter().all(|plan| plan.bytes() <= largest);
            all.push(Contestant { name, seconds: untimed().filter(|_| small), plans });
        }
    }
    Ok(all)
}

impl Contestant {
    /// Its plan at width number `k`.
    pub fn plan(&self, k: usize) -> &Plan {
        &self.plans[k]
    }
}

impl Best<'_> {
    /// `CSR`, or `CSR/ELL`: rows of A, and of its transpose.
    pub fn name(&self) -> String {
        let [rows, columns] = self.of;
        if std::ptr::eq(rows, columns) { rows.name.clone() } else { format!("{}/{}", rows.name, columns.name) }
    }
}
