//! Formats and block widths of the products with one matrix, timed against each other.

use crate::args::TuneArgs;
use crate::progress::Bars;
use crate::{output, threads};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Plan, PlanOptions, Product};
use blackfield::tune::{Bandwidth, Effort, Fingerprint, bandwidth, cached_rate, floor_bytes, time_product};
use blackfield::words::counted;
use blackfield::{Observer, Result};
use std::fmt::Write;

/// A format that makes the matrix larger than the chosen plan by more than this factor is not laid out.
const LARGEST: usize = 8;

/// How often each plan is timed, in turn with the others; the fastest run counts.
const ROUNDS: usize = 3;

/// A plan for each width, and 10⁹ multiply-adds a second for each width, where they were timed.
pub struct Contestant {
    pub name: String,
    plans: Vec<Plan>,
    /// None: it is too large.
    pub rates: Option<Vec<f64>>,
}

/// What was found, the chosen plans first.
pub struct Contest {
    pub widths: Vec<usize>,
    pub threads: usize,
    pub contestants: Vec<Contestant>,
    /// Bounds of the chosen plan's rate for each width: by bytes, by operations.
    pub floors: [Vec<f64>; 2],
    /// Threads and the chosen plan's rate, at the width below.
    pub scaling: Vec<(usize, f64)>,
    pub scaling_width: usize,
    pub bandwidth: Bandwidth,
    /// Whether the bytes of a product leave the caches, for each width: only then they bound it.
    pub uncached: Vec<bool>,
}

/// Times everything that the arguments ask for.
pub fn run(args: &TuneArgs, a: &SparseMatrix, bars: &Bars) -> Result<Contest> {
    let (widths, effort) = (args.widths.clone(), args.effort());
    let threads = rayon::current_num_threads();
    let wishes = args.formats.plan_options();
    bars.phase("products", 0);
    let by_trial = |&width: &usize| Plan::by_trial(a, &wishes.clone().width(width), &|| bars.check());
    let chosen = widths.iter().map(by_trial).collect::<Result<_>>()?;
    let mut contestants = contestants(a, chosen, &widths)?;
    // What else this machine does comes and goes: the plans take turns.
    let (rounds, short) = if args.quick { (1, effort) } else { (ROUNDS, Effort::Round) };
    for _ in 0..rounds {
        for contestant in &mut contestants {
            let Some(mut rates) = contestant.rates.take() else { continue };
            let mut product = Product::new(a, contestant.plan(0))?;
            for (k, (best, &width)) in rates.iter_mut().zip(&widths).enumerate() {
                bars.check()?;
                if !product.plan().is_alike(contestant.plan(k)) {
                    product = Product::new(a, contestant.plan(k))?;
                }
                *best = best.max(rate(a, &product, width, short)?);
            }
            contestant.rates = Some(rates);
        }
    }
    share_rates(&mut contestants);
    let caches = Fingerprint::here().caches;
    let bandwidth = bandwidth(caches, effort)?;
    let bytes: Vec<f64> = widths.iter().enumerate().map(|(k, &w)| floor_bytes(contestants[0].plan(k), w)).collect();
    let floors = floors(a, &bytes, &wishes, &widths, bandwidth, effort)?;
    let uncached = bytes.iter().map(|&bytes| bytes > caches.l2.max(caches.l3) as f64).collect();
    let scaled = (0..widths.len()).filter(|&k| widths[k] <= 32).max_by_key(|&k| widths[k]).unwrap_or(0);
    let scaling_width = widths[scaled];
    let mut scaling: Vec<(usize, f64)> = doubling(threads).into_iter().map(|count| (count, 0.0)).collect();
    let product = Product::new(a, contestants[0].plan(scaled))?;
    for _ in 0..rounds {
        for (count, best) in &mut scaling {
            bars.check()?;
            *best = best.max(threads::with(*count, || rate(a, &product, scaling_width, short))??);
        }
    }
    bars.clear();
    Ok(Contest { widths, threads, contestants, floors, scaling, scaling_width, bandwidth, uncached })
}

/// The plans to time, the chosen ones first; those that are too large have no rates.
fn contestants(a: &SparseMatrix, chosen: Vec<Plan>, widths: &[usize]) -> Result<Vec<Contestant>> {
    let largest = chosen.iter().map(Plan::bytes).max().unwrap_or(0).saturating_mul(LARGEST);
    let mut all = vec![Contestant { name: "chosen".into(), rates: Some(vec![0.0; widths.len()]), plans: chosen }];
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
            all.push(Contestant { name, rates: small.then(|| vec![0.0; widths.len()]), plans });
        }
    }
    Ok(all)
}

/// Those that lay the rows of the matrix out alike at a width have the best rate that one of them made: what is timed
/// are products with these.
fn share_rates(contestants: &mut [Contestant]) {
    for k in 0..contestants[0].plans.len() {
        let rate = |c: &Contestant| c.rates.as_ref().map(|rates| rates[k]);
        let best = |c: &Contestant| {
            let rows = |c: &Contestant| (c.plan(k).parts.clone(), c.plan(k).lane, c.plan(k).arithmetic);
            let same = contestants.iter().filter(|other| rows(other) == rows(c));
            same.filter_map(rate).fold(0.0, f64::max)
        };
        let rates: Vec<f64> = contestants.iter().map(best).collect();
        for (contestant, rate) in contestants.iter_mut().zip(rates) {
            if let Some(rates) = &mut contestant.rates {
                rates[k] = rate;
            }
        }
    }
}

impl Contestant {
    /// Its plan at width number `k`.
    pub fn plan(&self, k: usize) -> &Plan {
        &self.plans[k]
    }
}

/// 10⁹ multiply-adds a second.
fn rate(a: &SparseMatrix, product: &Product, width: usize, effort: Effort) -> Result<f64> {
    Ok((a.nnz() * width) as f64 / time_product(a, product, width, effort)? / 1e9)
}

/// What the chosen plans cannot beat: their bytes through the memory, their operations without waiting.
fn floors(
    a: &SparseMatrix,
    bytes: &[f64],
    wishes: &PlanOptions,
    widths: &[usize],
    bandwidth: Bandwidth,
    effort: Effort,
) -> Result<[Vec<f64>; 2]> {
    let threads = rayon::current_num_threads();
    let speed = if threads == 1 { bandwidth.one } else { bandwidth.all };
    let by_bytes = |(&w, &bytes): (&usize, &f64)| (a.nnz() * w) as f64 / (bytes / speed) / 1e9;
    // The small matrix is chosen for anew: a format that is wished for may not suit it.
    let own = PlanOptions::default().segregation(wishes.segregation);
    let cached = |&w: &usize| {
        let one = threads::with(1, || cached_rate(a, &own.clone().width(w), w, effort))??;
        Ok(one * threads as f64 / 1e9)
    };
    Ok([widths.iter().zip(bytes).map(by_bytes).collect(), widths.iter().map(cached).collect::<Result<_>>()?])
}

/// `1, 8, 16`.
fn listed(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// 1, 2, 4, … and the number itself.
fn doubling(threads: usize) -> Vec<usize> {
    let powers = (0..).map(|k| 1 << k).take_while(|&count| count < threads);
    powers.chain([threads]).collect()
}

impl Contest {
    /// The fastest plan at width number `k`.
    pub fn best(&self, k: usize) -> (&Contestant, f64) {
        let rates = self.contestants.iter().filter_map(|c| Some((c, c.rates.as_ref()?[k])));
        // Of equal ones the first, which may be the chosen one.
        rates.rev().max_by(|a, b| a.1.total_cmp(&b.1)).expect("the chosen plan is timed")
    }

    /// The chosen rate at width number `k`.
    pub fn chosen(&self, k: usize) -> f64 {
        self.contestants[0].rates.as_ref().expect("the chosen plan is timed")[k]
    }

    /// The rate that nothing exceeds at width number `k`: by operations, and by bytes where no cache holds them.
    pub fn floor(&self, k: usize) -> f64 {
        let [by_bytes, by_operations] = &self.floors;
        if self.uncached[k] { by_bytes[k].min(by_operations[k]) } else { by_operations[k] }
    }

    /// The number of the width that threads are compared with.
    pub fn scaling_index(&self) -> usize {
        self.widths.iter().position(|&w| w == self.scaling_width).expect("it is one of them")
    }

    /// The share of the best rate that the chosen plan reaches at width number `k`.
    pub fn share(&self, k: usize) -> f64 {
        self.chosen(k) / self.best(k).1
    }

    /// The table of all rates.
    pub fn print(&self, args: &TuneArgs) -> Result<()> {
        let mut text = String::new();
        let mut line = |words: &str| writeln!(text, "{}", words.trim_end()).expect("a string takes all text");
        line(&format!(
            "10^9 multiply-adds a second mod {}, {}, by the width of the block",
            args.modulus,
            counted(self.threads, "thread")
        ));
        let row = |name: &str, size: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
            format!("{name:20} {size:>9}{cells}")
        };
        line(&row("plan", "MB", self.widths.iter().map(usize::to_string).collect()));
        for contestant in &self.contestants {
            let (name, size) = (&contestant.name, self.plan_of(contestant).bytes() as f64 / 1e6);
            let size = format!("{size:.2}");
            match &contestant.rates {
                Some(rates) => line(&row(name, &size, rates.iter().map(|r| format!("{r:.3}")).collect())),
                None => line(&row(name, &size, vec!["too large".into()])),
            }
        }
        for (name, floor) in ["floor: bytes", "floor: operations"].into_iter().zip(&self.floors) {
            line(&row(name, "", floor.iter().map(|r| format!("{r:.3}")).collect()));
        }
        let shares = (0..self.widths.len()).map(|k| format!("{:.0} %", 100.0 * self.share(k))).collect();
        line(&row("chosen / best", "", shares));
        line(&row("best", "", (0..self.widths.len()).map(|k| self.best(k).0.name.clone()).collect()));
        let scaling: Vec<_> = self.scaling.iter().map(|(n, rate)| format!("{rate:.3} by {n}")).collect();
        line(&format!("\nthreads, width {}: {}", self.scaling_width, scaling.join(", ")));
        for (widths, plan) in self.plans_by_width() {
            let these =
                if widths.len() == self.widths.len() { "" } else { &format!(" with {} vectors", listed(&widths)) };
            line(&format!("\nchosen plan{these}\n{plan}"));
        }
        output::print(&text)
    }

    /// The plan of a contestant at the width that threads are compared with.
    pub fn plan_of<'a>(&self, contestant: &'a Contestant) -> &'a Plan {
        contestant.plan(self.scaling_index())
    }

    /// The chosen plans, each with the widths for which it is the same.
    fn plans_by_width(&self) -> Vec<(Vec<usize>, &Plan)> {
        let mut all: Vec<(Vec<usize>, &Plan)> = vec![];
        for (k, &width) in self.widths.iter().enumerate() {
            let plan = self.contestants[0].plan(k);
            match all.iter_mut().find(|(_, other)| other.is_alike(plan)) {
                Some((widths, _)) => widths.push(width),
                None => all.push((vec![width], plan)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_double_up_to_all() {
        assert_eq!(doubling(1), [1]);
        assert_eq!(doubling(2), [1, 2]);
        assert_eq!(doubling(6), [1, 2, 4, 6]);
        assert_eq!(doubling(8), [1, 2, 4, 8]);
    }
}
