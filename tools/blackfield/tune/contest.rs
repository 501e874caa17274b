//! Formats and block widths of products with one matrix, timed against each other and held against what bounds them.

use super::contestants::{Best, Contestant, Contestants, effort, rate};
use crate::args::TuneArgs;
use crate::progress::Bars;
use crate::{output, threads};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Plan, PlanOptions, Product};
use blackfield::tune::{Bandwidth, Effort, Fingerprint, bandwidth, cached_rate, floor_bytes, time_products};
use blackfield::words::counted;
use blackfield::{Observer, Result};
use std::fmt::Write;

/// How often the chosen plan is timed with each number of threads, in turn; the fastest run counts.
const ROUNDS: usize = 3;

/// What was found.
pub struct Contest {
    pub threads: usize,
    pub contestants: Contestants,
    /// Bounds of the chosen plan's rate for each width: by bytes, by operations.
    pub floors: [Vec<f64>; 2],
    /// Threads and the chosen plan's rate, at the width below.
    pub scaling: Vec<(usize, f64)>,
    pub scaling_width: usize,
    pub bandwidth: Bandwidth,
    /// Whether the bytes of products leave the caches, for each width: only then they bound them.
    pub uncached: Vec<bool>,
}

/// Times everything that the arguments ask for.
pub fn run(args: &TuneArgs, a: &SparseMatrix, bars: &Bars) -> Result<Contest> {
    let threads = rayon::current_num_threads();
    bars.phase("products", 0);
    let contestants = Contestants::timed(args, a, bars)?;
    let (widths, chosen) = (&contestants.widths, contestants.chosen());
    let caches = Fingerprint::here().caches;
    let bandwidth = bandwidth(caches, args.effort())?;
    let bytes: Vec<f64> = widths.iter().enumerate().map(|(k, &w)| floor_bytes(chosen.plan(k), w)).collect();
    let floors = floors(a, &bytes, &args.formats.plan_options(), widths, bandwidth, args.effort())?;
    let uncached = bytes.iter().map(|&bytes| bytes / 2.0 > caches.l2.max(caches.l3) as f64).collect();
    let scaled = (0..widths.len()).filter(|&k| widths[k] <= 32).max_by_key(|&k| widths[k]).unwrap_or(0);
    let scaling_width = widths[scaled];
    let mut scaling: Vec<(usize, f64)> = doubling(threads).into_iter().map(|count| (count, 0.0)).collect();
    let product = Product::new(a, chosen.plan(scaled))?;
    for _ in 0..if args.quick { 1 } else { ROUNDS } {
        for (count, best) in &mut scaling {
            bars.check()?;
            let [there, back] = threads::with(*count, || time_products(a, &product, scaling_width, effort(args)))??;
            *best = best.max(rate(a.nnz(), scaling_width, there + back));
        }
    }
    bars.clear();
    Ok(Contest { threads, contestants, floors, scaling, scaling_width, bandwidth, uncached })
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
    let by_bytes = |(&w, &bytes): (&usize, &f64)| rate(a.nnz(), w, bytes / speed);
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
    /// The fastest at width number `k`.
    pub fn best(&self, k: usize) -> Best<'_> {
        self.contestants.best(k)
    }

    /// The chosen rate at width number `k`.
    pub fn chosen(&self, k: usize) -> f64 {
        self.contestants.rates(self.contestants.chosen()).expect("the chosen plan is timed")[k]
    }

    /// The chosen plan at the width that threads are compared with.
    pub fn chosen_plan(&self) -> &Plan {
        self.plan_of(self.contestants.chosen())
    }

    /// The rate that nothing exceeds at width number `k`: by operations, and by bytes where no cache holds them.
    pub fn floor(&self, k: usize) -> f64 {
        let [by_bytes, by_operations] = &self.floors;
        if self.uncached[k] { by_bytes[k].min(by_operations[k]) } else { by_operations[k] }
    }

    /// The number of the width that threads are compared with.
    pub fn scaling_index(&self) -> usize {
        self.contestants.widths.iter().position(|&w| w == self.scaling_width).expect("it is one of them")
    }

    /// The share of the best rate that the chosen plan reaches at width number `k`.
    pub fn share(&self, k: usize) -> f64 {
        self.chosen(k) / self.best(k).rate
    }

    /// The table of all rates.
    pub fn print(&self, args: &TuneArgs) -> Result<()> {
        let mut text = String::new();
        let mut line = |words: &str| writeln!(text, "{}", words.trim_end()).expect("a string takes all text");
        line(&format!(
            "10^9 multiply-adds a second in A*X and A^T*Y mod {}, {}, by the width of the block",
            args.modulus,
            counted(self.threads, "thread")
        ));
        let widths = 0..self.contestants.widths.len();
        let best = [0, 1].map(|side| widths.clone().map(|k| self.best(k).of[side].name.clone()).collect::<Vec<_>>());
        let wide = best.iter().flatten().map(String::len).max().unwrap_or(0).max(9);
        let row = |name: &str, size: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!(" {cell:>wide$}")).collect();
            format!("{name:20} {size:>9}{cells}")
        };
        line(&row("plan", "MB", self.contestants.widths.iter().map(usize::to_string).collect()));
        for contestant in self.contestants.iter() {
            let (name, size) = (&contestant.name, self.plan_of(contestant).bytes() as f64 / 1e6);
            let size = format!("{size:.2}");
            match self.contestants.rates(contestant) {
                Some(rates) => line(&row(name, &size, rates.iter().map(|r| format!("{r:.3}")).collect())),
                None => line(&row(name, &size, vec!["too large".into()])),
            }
        }
        for (name, floor) in ["floor: bytes", "floor: operations"].into_iter().zip(&self.floors) {
            line(&row(name, "", floor.iter().map(|r| format!("{r:.3}")).collect()));
        }
        line(&row("chosen / best", "", widths.map(|k| format!("{:.0} %", 100.0 * self.share(k))).collect()));
        for (name, best) in ["best: rows of A", "best: transpose"].into_iter().zip(best) {
            line(&row(name, "", best));
        }
        let scaling: Vec<_> = self.scaling.iter().map(|(n, rate)| format!("{rate:.3} by {n}")).collect();
        line(&format!("\nthreads, width {}: {}", self.scaling_width, scaling.join(", ")));
        for (widths, plan) in self.plans_by_width() {
            let these = if widths.len() == self.contestants.widths.len() {
                ""
            } else {
                &format!(" with {} vectors", listed(&widths))
            };
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
        for (k, &width) in self.contestants.widths.iter().enumerate() {
            let plan = self.contestants.chosen().plan(k);
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
