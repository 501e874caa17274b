//! Formats and block widths of the products with one matrix, timed against each other.

use crate::args::TuneArgs;
use crate::progress::Bars;
use crate::{output, threads};
use blackfield::sparse::SparseMatrix;
use blackfield::sparse::formats::Format;
use blackfield::spmv::{Plan, PlanOptions, Product, Segregation};
use blackfield::tune::{Bandwidth, Effort, Fingerprint, bandwidth, cached_rate, floor_bytes, time_product};
use blackfield::words::counted;
use blackfield::{Observer, Result};
use std::fmt::Write;

/// A format that makes the matrix larger than the chosen plan by more than this factor is not laid out.
const LARGEST: usize = 8;

/// How often each plan is timed, in turn with the others; the fastest run counts.
const ROUNDS: usize = 3;

/// One plan, and 10⁹ multiply-adds a second for each width, where it was timed.
pub struct Contestant {
    pub name: String,
    pub plan: Plan,
    /// None: it is too large.
    pub rates: Option<Vec<f64>>,
}

/// What was found, the chosen plan first.
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
    let chosen = Plan::choose(a, &wishes)?;
    bars.phase("products", 0);
    let mut contestants = contestants(a, &chosen, widths.len())?;
    // What else this machine does comes and goes: the plans take turns.
    let (rounds, short) = if args.quick { (1, effort) } else { (ROUNDS, Effort::Round) };
    for _ in 0..rounds {
        for Contestant { plan, rates, .. } in &mut contestants {
            let Some(rates) = rates else { continue };
            let product = Product::new(a, plan)?;
            for (best, &width) in rates.iter_mut().zip(&widths) {
                bars.check()?;
                *best = best.max(rate(a, &product, width, short)?);
            }
        }
    }
    let caches = Fingerprint::here().caches;
    let bandwidth = bandwidth(caches, effort)?;
    let floors = floors(a, &chosen, &wishes, &widths, bandwidth, effort)?;
    let uncached = widths.iter().map(|&w| floor_bytes(&chosen, w) > caches.l2.max(caches.l3) as f64).collect();
    let scaling_width = widths.iter().copied().filter(|&w| w <= 32).max().unwrap_or(widths[0]);
    let mut scaling: Vec<(usize, f64)> = doubling(threads).into_iter().map(|count| (count, 0.0)).collect();
    let product = Product::new(a, &chosen)?;
    for _ in 0..rounds {
        for (count, best) in &mut scaling {
            bars.check()?;
            *best = best.max(threads::with(*count, || rate(a, &product, scaling_width, short))??);
        }
    }
    bars.clear();
    Ok(Contest { widths, threads, contestants, floors, scaling, scaling_width, bandwidth, uncached })
}

/// The plans to time, the chosen one first; those that are too large have no rates.
fn contestants(a: &SparseMatrix, chosen: &Plan, widths: usize) -> Result<Vec<Contestant>> {
    let untimed = |plan: &Plan| (plan.bytes() / LARGEST <= chosen.bytes()).then(|| vec![0.0; widths]);
    let mut all = vec![Contestant { name: "chosen".into(), rates: untimed(chosen), plan: chosen.clone() }];
    for (name, options) in challengers() {
        let plan = Plan::choose(a, &options)?;
        // A plan that someone has timed already says nothing new.
        if all.iter().all(|other| (&other.plan.parts, &other.plan.lane) != (&plan.parts, &plan.lane)) {
            all.push(Contestant { name, rates: untimed(&plan), plan });
        }
    }
    Ok(all)
}

/// Plans other than the chosen one.
fn challengers() -> Vec<(String, PlanOptions)> {
    let forced = Format::ALL.into_iter().map(|format| {
        let options = PlanOptions::default().force(format);
        (format.name().to_string(), options)
    });
    let together = PlanOptions::default().segregation(Segregation::Never);
    let apart = PlanOptions::default().segregation(Segregation::Always);
    forced.chain([("values together".into(), together), ("±1 apart".into(), apart)]).collect()
}

/// 10⁹ multiply-adds a second.
fn rate(a: &SparseMatrix, product: &Product, width: usize, effort: Effort) -> Result<f64> {
    Ok((a.nnz() * width) as f64 / time_product(a, product, width, effort)? / 1e9)
}

/// What the chosen plan cannot beat: its bytes through the memory, its operations without waiting.
fn floors(
    a: &SparseMatrix,
    chosen: &Plan,
    wishes: &PlanOptions,
    widths: &[usize],
    bandwidth: Bandwidth,
    effort: Effort,
) -> Result<[Vec<f64>; 2]> {
    let threads = rayon::current_num_threads();
    let speed = if threads == 1 { bandwidth.one } else { bandwidth.all };
    let bytes = |&w: &usize| (a.nnz() * w) as f64 / (floor_bytes(chosen, w) / speed) / 1e9;
    // The small matrix is chosen for anew: a format that is wished for may not suit it.
    let own = PlanOptions::default().segregation(wishes.segregation);
    let cached = |&w: &usize| {
        let one = threads::with(1, || cached_rate(a, &own, w, effort))??;
        Ok(one * threads as f64 / 1e9)
    };
    Ok([widths.iter().map(bytes).collect(), widths.iter().map(cached).collect::<Result<_>>()?])
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
        rates.max_by(|a, b| a.1.total_cmp(&b.1)).expect("the chosen plan is timed")
    }

    /// The chosen plan's rate at width number `k`.
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
        for Contestant { name, plan, rates } in &self.contestants {
            let size = format!("{:.2}", plan.bytes() as f64 / 1e6);
            match rates {
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
        line(&format!("\nchosen plan\n{}", self.contestants[0].plan));
        output::print(&text)
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
