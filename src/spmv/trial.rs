//! The choice of a plan by trial: for so many products that a few of each plan are nothing beside them.
//!
//! [`Plan::choose`] predicts which plan is the fastest from the weights of rows; what a cache makes of the positions it
//! does not know. Here other plans ([`Plan::rivals`]) are laid out one by one, and their products with the matrix
//! itself take turns with those of the plan that was chosen. The fastest rows and the fastest columns among them make
//! the plan: both may come from different ones, if their sums are of one kind. Bits are the same, whatever the plan.

use super::choose::{SIDES, WIDTH};
use super::options::{PlanOptions, Segregation};
use super::{ArithmeticKind, Block, Plan, Product};
use crate::field::Rng;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::Format;
use crate::words::counted;
use crate::{Error, Result};
use rand::SeedableRng;
use std::time::Instant;

/// Turns of each plan, and seconds that one lasts: so many products in each direction as begin before, at least one.
/// Short ones find in the caches what the last one left there, as they do in a sequence. The least counts.
const TURNS: usize = 3;
const TURN: f64 = 1e-3;
/// A plan that takes so many times as long at first is tried once.
const HOPELESS: f64 = 1.5;
/// Those that take no more than this share of the fastest rows or columns take turns again, so often, and no more of
/// them than these: longer turns, and laid out anew each time, since where in memory a layout stands makes differences
/// of its own.
const NEAR: f64 = 1.2;
const FINALS: usize = 4;
const FINALISTS: usize = 4;
const FINAL_TURN: f64 = 5e-3;
/// A plan that is larger than the one chosen by more than this factor, and than so many bytes, is not laid out.
const LARGEST: usize = 2;
const SMALL: usize = 1 << 23;
/// What takes less time than this share of another is faster; what differs by less is noise.
const FASTER: f64 = 0.98;
/// The share of the time of all products that a trial may take.
const SHARE: f64 = 0.02;

impl Plan {
    /// Other plans for `a` than that of [`Plan::choose`], each with a name: as much as possible in one format; ±1
    /// apart, or with the others.
    ///
    /// # Errors
    /// Those of [`Plan::choose`].
    pub fn rivals(a: &SparseMatrix, options: &PlanOptions) -> Result<Vec<(String, Plan)>> {
        wishes(options).map(|(name, wish)| Ok((name, Plan::choose(a, &wish)?))).collect()
    }

    /// The plan for `a` that is found to be the fastest on rayon's current pool, by products in both directions with
    /// blocks of the width that `options` say. Where these ask for a format, a kind of sums or an instruction set, or
    /// say where ±1 go, or the matrix is empty, it is that of [`Plan::choose`]. `check` is asked before each plan
    /// and each turn of the finals whether to go on.
    ///
    /// # Errors
    /// Those of [`Plan::choose`], and of `check`.
    pub fn by_trial(a: &SparseMatrix, options: &PlanOptions, check: &dyn Fn() -> Result<()>) -> Result<Plan> {
        let chosen = Plan::choose(a, options)?;
        let PlanOptions { force, forbid, segregation, arithmetic, isa, .. } = options;
        let asked = force.is_some() || !forbid.is_empty() || arithmetic.is_some() || isa.is_some();
        if asked || *segregation != Segregation::Auto || a.nnz() == 0 {
            return Ok(chosen);
        }
        // It is for speed alone: where memory ends, the plan stays.
        let mut trial = match Trial::of(a, &chosen, options.width.unwrap_or(WIDTH)) {
            Err(Error::Memory(_)) => return Ok(chosen),
            ready => ready?,
        };
        let (mut tried, mut plans): (Vec<Tried>, Vec<Plan>) = (vec![], vec![chosen.clone()]);
        for (name, wish) in wishes(options) {
            check()?;
            let plan = match Plan::choose(a, &wish) {
                Err(Error::Memory(_)) => break,
                plan => plan?,
            };
            let is_large = plan.bytes() > (LARGEST * chosen.bytes()).max(SMALL);
            if is_large || plans.iter().any(|other| other.is_alike(&plan)) {
                continue;
            }
            plans.push(plan.clone());
            match trial.shares(a, &plan) {
                Ok(shares) => tried.push(Tried { name, plan, shares }),
                Err(Error::Memory(_)) => {}
                Err(error) => return Err(error),
            }
        }
        match trial.finals(a, &mut tried, check) {
            Ok(()) | Err(Error::Memory(_)) => Ok(fastest(chosen, trial.least, tried)),
            Err(error) => Err(error),
        }
    }

    /// Whether a trial of other plans pays before so many products in each direction, of so many `seconds` together, on
    /// a matrix that is laid out in `ready` seconds.
    pub fn trial_pays(products: u64, seconds: f64, ready: f64) -> bool {
        let plans = (Format::ALL.len() + 2) as f64;
        // Each turn of a plan is followed by one of the plan that was chosen.
        let product = seconds / (products as f64).max(1.0);
        let finals = FINALS as f64 * (ready + FINALISTS as f64 * (ready + 2.0 * (FINAL_TURN + product)));
        plans * (ready + 2.0 * TURNS as f64 * (TURN + product)) + finals <= SHARE * seconds
    }

    /// Whether both make the same layout of a matrix.
    pub fn is_alike(&self, other: &Plan) -> bool {
        (&self.parts, &self.transposed, self.lane, self.arithmetic)
            == (&other.parts, &other.transposed, other.lane, other.arithmetic)
    }
}

/// What is asked of other plans, with a name for each.
fn wishes(options: &PlanOptions) -> impl Iterator<Item = (String, PlanOptions)> {
    let forced = Format::ALL.into_iter().map(|format| (format.name().to_string(), options.clone().force(format)));
    let together = ("values together".to_string(), options.clone().segregation(Segregation::Never));
    let apart = ("±1 apart".to_string(), options.clone().segregation(Segregation::Always));
    forced.chain([together, apart])
}

/// What a plan came to.
struct Tried {
    name: String,
    plan: Plan,
    /// Its time for a product with A, and with Aᵀ, by that of the plan that was chosen.
    shares: [f64; 2],
}

/// Products by the plan that was chosen.
struct Trial {
    product: Product,
    /// With as many rows as A has columns, and as rows.
    blocks: [Block; 2],
    /// The least seconds seen, in each direction.
    least: [f64; 2],
}

impl Trial {
    fn of(a: &SparseMatrix, plan: &Plan, width: usize) -> Result<Self> {
        let (product, mut rng) = (Product::new(a, plan)?, Rng::seed_from_u64(width as u64));
        let x = Block::random(plan.lane, a.cols(), width, a.modulus(), &mut rng)?;
        let y = Block::zeros(plan.lane, a.rows(), width)?;
        let mut trial = Trial { product, blocks: [x, y], least: [f64::INFINITY; 2] };
        // Pages are touched, caches filled.
        times(&trial.product, &mut trial.blocks)?;
        Ok(trial)
    }
    /// How long products by another plan take, measured in turn with those of the one chosen.
    fn shares(&mut self, a: &SparseMatrix, plan: &Plan) -> Result<[f64; 2]> {
        let rival = Product::new(a, plan)?;
        let (mut own, mut others) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
        for _ in 0..TURNS {
            own = least(own, turn(&self.product, &mut self.blocks, TURN)?);
            others = least(others, turn(&rival, &mut self.blocks, TURN)?);
            if others[0] > HOPELESS * own[0] && others[1] > HOPELESS * own[1] {
                break;
            }
        }
        self.least = least(self.least, own);
        Ok([others[0] / own[0], others[1] / own[1]])
    }
    /// Further turns of those that are near the fastest: all that decides between them then.
    fn finals(&mut self, a: &SparseMatrix, tried: &mut [Tried], check: &dyn Fn() -> Result<()>) -> Result<()> {
        let (finalists, others) = finalists(tried);
        others.into_iter().for_each(|n| tried[n].shares = [f64::INFINITY; 2]);
        if finalists.is_empty() {
            return Ok(());
        }
        // Each beside as many turns of the plan that was chosen.
        let mut seconds = vec![[[f64::INFINITY; 2]; 2]; finalists.len()];
        for _ in 0..FINALS {
            self.product = Product::new(a, self.product.plan())?;
            for (&n, [own, others]) in finalists.iter().zip(&mut seconds) {
                check()?;
                let rival = Product::new(a, &tried[n].plan)?;
                *own = least(*own, turn(&self.product, &mut self.blocks, FINAL_TURN)?);
                *others = least(*others, turn(&rival, &mut self.blocks, FINAL_TURN)?);
            }
        }
        for (n, [own, others]) in finalists.into_iter().zip(seconds) {
            tried[n].shares = [others[0] / own[0], others[1] / own[1]];
            self.least = least(self.least, own);
        }
        Ok(())
    }
}

/// Those that are near the fastest rows or columns, by number, the nearest first: those that take turns again, and the
/// others, which by their noise may not win over these.
fn finalists(tried: &[Tried]) -> (Vec<usize>, Vec<usize>) {
    // That of the plan that was chosen is 1.
    let best = [0, 1].map(|side| tried.iter().map(|tried| tried.shares[side]).fold(1.0, f64::min));
    let distance = |n: usize| (tried[n].shares[0] / best[0]).min(tried[n].shares[1] / best[1]);
    let mut near: Vec<usize> = (0..tried.len()).filter(|&n| distance(n) <= NEAR).collect();
    near.sort_by(|&one, &other| distance(one).total_cmp(&distance(other)));
    let others = near.split_off(FINALISTS.min(near.len()));
    (near, others)
}

fn least(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].min(other[0]), one[1].min(other[1])]
}

/// The least seconds in each direction of a turn that lasts so many.
fn turn(product: &Product, blocks: &mut [Block; 2], lasts: f64) -> Result<[f64; 2]> {
    let (start, mut seconds) = (Instant::now(), times(product, blocks)?);
    while start.elapsed().as_secs_f64() < lasts {
        seconds = least(seconds, times(product, blocks)?);
    }
    Ok(seconds)
}

/// Seconds by the clock of Y ← A·X and X ← Aᵀ·Y.
fn times(product: &Product, [x, y]: &mut [Block; 2]) -> Result<[f64; 2]> {
    let start = Instant::now();
    product.apply_scaled(None, x, y)?;
    let forward = start.elapsed().as_secs_f64();
    product.apply_transpose_scaled(None, y, x)?;
    // Never nothing, which a coarse clock may show: others divide by it.
    Ok([forward, start.elapsed().as_secs_f64() - forward].map(|seconds| seconds.max(1e-9)))
}

/// The plan of the fastest rows and the fastest columns whose sums are of one kind, of one plan where both use the same
/// layout. What is faster than the plan that was chosen, which takes so many seconds in each direction, by no more than
/// noise makes counts as equal: rows or columns by themselves, or both where they go together.
fn fastest(chosen: Plan, seconds: [f64; 2], tried: Vec<Tried>) -> Plan {
    let (count, shared) = (tried.len(), chosen.transposed.is_none());
    if count == 0 {
        return chosen;
    }
    let by_default = Tried { name: "as chosen".into(), plan: chosen, shares: [1.0; 2] };
    let all: Vec<&Tried> = std::iter::once(&by_default).chain(&tried).collect();
    let best = |kind: ArithmeticKind, side: usize| {
        let of_kind = all.iter().copied().filter(|tried| tried.plan.arithmetic == kind);
        let best = of_kind.min_by(|one, other| one.shares[side].total_cmp(&other.shares[side]));
        let best = best.expect("a plan of this kind");
        if kind == by_default.plan.arithmetic && best.shares[side] > FASTER { &by_default } else { best }
    };
    let pairs = all.iter().map(|&tried| match shared {
        true => [tried; 2],
        false => [0, 1].map(|side| best(tried.plan.arithmetic, side)),
    });
    let total = |[rows, columns]: [&Tried; 2]| seconds[0] * rows.shares[0] + seconds[1] * columns.shares[1];
    let is_faster = |pair: &[&Tried; 2]| {
        let by_itself = !shared && pair[0].plan.arithmetic == by_default.plan.arithmetic;
        by_itself || total(*pair) <= FASTER * (seconds[0] + seconds[1])
    };
    let pair = pairs.filter(is_faster).min_by(|&one, &other| total(one).total_cmp(&total(other)));
    let pair = pair.unwrap_or([&by_default; 2]);
    let mut plan = by_default.plan.clone();
    let plans = counted(count, "other plan");
    if pair.iter().all(|side| std::ptr::eq(*side, &by_default)) {
        plan.reasons.push(format!("tried beside {plans} on this matrix: none is faster"));
        return plan;
    }
    let [rows, columns] = pair;
    (plan.arithmetic, plan.budget, plan.segregate) = (rows.plan.arithmetic, rows.plan.budget, rows.plan.segregate);
    (plan.parts, plan.transposed) = (rows.plan.parts.clone(), columns.plan.transposed.clone());
    let of_transpose = |reason: &&String| reason.starts_with(SIDES[1]);
    let (own, transposed) = (rows.plan.reasons.iter(), columns.plan.reasons.iter());
    plan.reasons = own.filter(|reason| !of_transpose(reason)).chain(transposed.filter(of_transpose)).cloned().collect();
    let (faster, rows, columns) = ((seconds[0] + seconds[1]) / total(pair), &rows.name, &columns.name);
    let which = format!("{faster:.2} times as fast as the first choice: rows of A {rows}, of the transpose {columns}");
    plan.reasons.push(format!("tried beside {plans} on this matrix, {which}"));
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use crate::spmv::{Lane, TransposeMode};
    use rand::RngExt;

    fn matrix(p: u64, rows: usize, cols: usize, weight: usize, rng: &mut Rng) -> SparseMatrix {
        let mut entries = vec![];
        for i in 0..rows {
            for _ in 0..rng.random_range(0..=2 * weight) {
                let value = if rng.random() { 1 } else { rng.random_range(1..p) };
                entries.push((i, rng.random_range(0..cols), value));
            }
        }
        entries.sort_unstable_by_key(|&(i, j, _)| (i, j));
        entries.dedup_by_key(|&mut (i, j, _)| (i, j));
        SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries)
    }

    /// Whatever is the fastest here and now: both products are those of the plan that is predicted to be.
    #[test]
    fn products_are_the_same_whatever_a_trial_finds() {
        let mut rng = Rng::seed_from_u64(71);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 61) - 1] {
            for (rows, cols, weight) in [(0, 4, 1), (5, 0, 0), (3, 4, 0), (1, 1, 1), (200, 90, 4), (90, 300, 9)] {
                let a = matrix(p, rows, cols.max(1), weight, &mut rng);
                for (transpose, width) in [(TransposeMode::Stored, 3), (TransposeMode::Scatter, 8)] {
                    let options = PlanOptions { transpose, ..PlanOptions::default().width(width) };
                    let plans =
                        [Plan::choose(&a, &options).unwrap(), Plan::by_trial(&a, &options, &|| Ok(())).unwrap()];
                    let lane = Lane::narrowest(a.modulus());
                    let x = Block::random(lane, a.cols(), width, a.modulus(), &mut rng).unwrap();
                    let y = Block::random(lane, a.rows(), width, a.modulus(), &mut rng).unwrap();
                    let [chosen, tried] = plans.map(|plan| {
                        let product = Product::new(&a, &plan).unwrap();
                        let [mut ax, mut aty] =
                            [a.rows(), a.cols()].map(|rows| Block::zeros(lane, rows, width).unwrap());
                        product.apply_scaled(None, &x, &mut ax).unwrap();
                        product.apply_transpose_scaled(None, &y, &mut aty).unwrap();
                        [ax, aty].map(|block| block.to_residues().unwrap())
                    });
                    assert_eq!(chosen, tried, "{rows} x {cols} mod {p}");
                }
            }
        }
    }

    /// Rows and columns come from different plans of one kind of sums, never from plans of two; what is faster by less
    /// than noise changes nothing.
    #[test]
    fn the_fastest_rows_and_columns_make_the_plan() {
        let a = matrix(65521, 60, 50, 9, &mut Rng::seed_from_u64(72));
        let plan = |options: PlanOptions| Plan::choose(&a, &options).unwrap();
        let chosen = plan(PlanOptions::default().segregation(Segregation::Never));
        let csr = plan(PlanOptions::default().segregation(Segregation::Never).force(Format::Csr));
        let coo = plan(PlanOptions::default().segregation(Segregation::Never).force(Format::Coo));
        let mut narrow = plan(PlanOptions::default().segregation(Segregation::Always));
        narrow.arithmetic = ArithmeticKind::Narrow;
        assert_eq!([&chosen, &csr, &coo].map(|plan| plan.arithmetic), [ArithmeticKind::Wide; 3]);
        let tried = |shares: [[f64; 2]; 3]| {
            let plans = [("CSR", &csr), ("COO", &coo), ("±1 apart", &narrow)];
            let of =
                |((name, plan), shares): ((&str, &Plan), _)| Tried { name: name.into(), plan: plan.clone(), shares };
            plans.into_iter().zip(shares).map(of).collect()
        };
        let same = fastest(chosen.clone(), [2.0, 1.0], tried([[0.985, 1.1], [1.3, 0.985], [1.2, 0.97]]));
        assert!(same.is_alike(&chosen) && same.reasons.last().unwrap().contains("3 other plans"), "{same}");
        let mixed = fastest(chosen.clone(), [2.0, 1.0], tried([[0.7, 1.1], [1.3, 0.6], [0.9, 0.9]]));
        assert!(mixed.parts == csr.parts && mixed.transposed == coo.transposed, "{mixed}");
        assert!(mixed.reasons.last().unwrap().contains("1.50 times as fast"), "{mixed}");
        // Rows that are faster by themselves, in a sum that is not by as much.
        let rows = fastest(chosen.clone(), [1.0, 3.0], tried([[0.94, 1.1], [1.3, 0.985], [1.2, 0.97]]));
        assert!(rows.parts == csr.parts && rows.transposed == chosen.transposed, "{rows}");
        // (0.7·2 + 1)/3 of one kind, (0.5·2 + 1.2)/3 of the other.
        let other = fastest(chosen.clone(), [2.0, 1.0], tried([[0.7, 1.1], [1.3, 1.2], [0.5, 1.2]]));
        assert!(other.parts == narrow.parts && other.transposed == narrow.transposed, "{other}");
        assert_eq!((other.arithmetic, other.budget), (narrow.arithmetic, narrow.budget));
        // The reasons are those of the plans that rows and columns are of.
        let of = |plan: &Plan, side: &str| {
            plan.reasons.iter().filter(|reason| reason.starts_with(side)).cloned().collect::<Vec<_>>()
        };
        assert!(!of(&csr, SIDES[0]).is_empty() && of(&csr, SIDES[0]) != of(&chosen, SIDES[0]));
        assert_eq!([of(&mixed, SIDES[0]), of(&mixed, SIDES[1])], [of(&csr, SIDES[0]), of(&coo, SIDES[1])]);
        let none = fastest(chosen.clone(), [f64::INFINITY; 2], vec![]);
        assert!(none == chosen, "{none}");
        // One layout for both directions is that of one plan.
        let scatter = |plan: &Plan| Plan { transposed: None, ..plan.clone() };
        let tried = [([0.5, 1.5], &csr), ([1.4, 0.4], &coo)];
        let tried = tried.map(|(shares, plan)| Tried { name: "other".into(), plan: scatter(plan), shares });
        let noise = Tried { name: "other".into(), plan: scatter(&csr), shares: [0.985, 1.0] };
        let same = fastest(scatter(&chosen), [2.0, 1.0], vec![noise]);
        assert!(same.is_alike(&scatter(&chosen)) && same.reasons.last().unwrap().contains("none is faster"), "{same}");
        let one = fastest(scatter(&chosen), [2.0, 1.0], tried.into());
        assert!(one.parts == csr.parts && one.reasons.last().unwrap().contains("1.20 times as fast"), "{one}");
    }

    /// By rows or by columns; the plan that was chosen, with shares of 1, may be the fastest itself.
    #[test]
    fn those_near_the_fastest_take_turns_again() {
        let plan = Plan::choose(&matrix(7, 9, 9, 2, &mut Rng::seed_from_u64(74)), &PlanOptions::default()).unwrap();
        let of = |shares: &[[f64; 2]]| {
            let tried = |&shares: &[f64; 2]| Tried { name: String::new(), plan: plan.clone(), shares };
            finalists(&shares.iter().map(tried).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]), (vec![], vec![]));
        assert_eq!(of(&[[1.3, 1.21], [1.21, 2.0]]), (vec![], vec![]));
        assert_eq!(of(&[[1.3, 1.18], [0.8, 3.0], [0.9, 0.99], [0.93, 9.0], [0.95, 2.0]]), (vec![1, 2, 3, 4], vec![0]));
    }

    #[test]
    fn what_is_asked_for_is_not_tried() {
        let a = matrix(65521, 40, 30, 5, &mut Rng::seed_from_u64(73));
        let never = || -> Result<()> { panic!("a trial") };
        for options in [
            PlanOptions::default().force(Format::Coo),
            PlanOptions::default().segregation(Segregation::Always),
            PlanOptions::default().forbid([Format::Ell]),
        ] {
            assert_eq!(Plan::by_trial(&a, &options, &never).unwrap(), Plan::choose(&a, &options).unwrap());
        }
        let stopped = || Err(Error::Interrupted);
        assert!(matches!(Plan::by_trial(&a, &PlanOptions::default(), &stopped), Err(Error::Interrupted)));
        // A thousand products of a second each, and a million.
        assert!(!Plan::trial_pays(1000, 1e3, 0.0) && Plan::trial_pays(1_000_000, 1e6, 5e2));
        assert!(!Plan::trial_pays(1_000_000, 1e6, 1e4) && !Plan::trial_pays(0, 0.0, 1.0));
    }
}
