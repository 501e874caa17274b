//! The choice of a plan: the heuristic of the source paper, section 2.4.5.
//!
//! Entries +1 and -1 go apart where that is sooner (`segregate`). Then, for each kind of entries: diagonals that are
//! nearly full go to DIA, if they are one or two; the part that all rows have in common (a "c + r" distribution of row
//! weights) to ELL, or all of it to ELL_R where rows are nearly equal; and what is left to CSR, or to COO_S or COO
//! where most rows have nothing left.

use super::arithmetic::{Arithmetic, Budget, Float32, Float64, Long, Narrow, Split, Wide};
use super::options::{ArithmeticKind, PlanOptions, Segregation, TransposeMode};
use super::plan::{Plan, PlannedPart};
use super::segregate::{self, Runs};
use super::{Lane, Params};
use crate::field::Modulus;
use crate::isa::Isa;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::Format;
use crate::sparse::hybrid::{Entries, heaviest_row, kind};
use crate::words::counted;
use crate::{Error, Result, memory};
use std::collections::HashMap;

/// What reasons that are of one side begin with: of the rows of A, of those of its transpose.
pub(super) const SIDES: [&str; 2] = ["A", "transpose"];
/// Vectors of a block, if nobody says otherwise.
pub(super) const WIDTH: usize = 32;
/// Diagonals with entries, full ones or not, that are counted before they are taken for too many.
const MOST_DIAGONALS: usize = 1 << 12;

impl Plan {
    /// The plan for `a` with the given options.
    ///
    /// # Errors
    /// [`Error::Usage`] if a lane cannot hold the residues, a kind of sums does not go with the lane or the modulus, or
    /// the machine lacks the instruction set; [`Error::Memory`].
    pub fn choose(a: &SparseMatrix, options: &PlanOptions) -> Result<Plan> {
        let p = a.modulus();
        let lane = options.lane.unwrap_or(Lane::narrowest(p));
        if !lane.holds(p) {
            return Err(Error::Usage(format!("residues mod {p} do not fit into {lane} lanes")));
        }
        let isa = options.isa.unwrap_or(Isa::best());
        if !isa.is_available() {
            return Err(Error::Usage(format!("this processor does not have {}", isa.name())));
        }
        let mut reasons = Vec::new();
        let units = a.values().iter().filter(|&&v| kind(p, true, v) != Entries::Valued).count();
        let share = units as f64 / a.nnz().max(1) as f64;
        let apart = Apart::of(a, units > 0, lane, options)?;
        let where_apart = match (apart.rows, apart.columns) {
            (true, true) => "kept apart, without values",
            (true, false) => "kept apart in A, without values",
            (false, true) => "kept apart in the transpose, without values",
            (false, false) => "not kept apart",
        };
        reasons.push(format!("{:.1} % of the entries are +1 or -1: {where_apart}", 100.0 * share));
        let (signs, products) = heaviest_row(a, apart.rows);
        let kind = options.arithmetic.unwrap_or_else(|| arithmetic(p, lane, signs, products.max(apart.products)));
        let sums = sums(p, lane, kind)
            .ok_or_else(|| Error::Usage(format!("{kind} sums do not go with {lane} lanes mod {p}")))?;
        let budget = (sums.budget.sums(), sums.budget.products());
        let folds = if sums.budget.holds(signs, products) { "no reduction" } else { "reductions" };
        let (units, values) = (counted(signs, "entry of +1 or -1"), counted(products, "other value"));
        reasons.push(format!("the heaviest row has {units} and {values}: {kind} sums need {folds} on the way"));
        let side = |a: &SparseMatrix, segregate, name: &'static str, reasons: &mut Vec<String>| {
            let side = Side { a, segregate, options, name, value_bytes: sums.value_bytes };
            side.parts(reasons)
        };
        let parts = side(a, apart.rows, SIDES[0], &mut reasons)?;
        let transposed = match options.transpose {
            TransposeMode::Stored => Some(side(&a.transpose()?, apart.columns, SIDES[1], &mut reasons)?),
            TransposeMode::Scatter => None,
        };
        let (rows, cols, nnz, modulus) = (a.rows(), a.cols(), a.nnz(), p.get());
        Ok(Plan {
            rows,
            cols,
            nnz,
            modulus,
            lane,
            arithmetic: kind,
            budget,
            isa,
            segregate: apart.rows,
            parts,
            transposed,
            reasons,
        })
    }
}

/// Where entries ±1 are kept apart: in the rows of A, in those of its transpose.
struct Apart {
    rows: bool,
    columns: bool,
    /// Products of the heaviest row of the transpose, where they are not apart.
    products: u64,
}

impl Apart {
    fn of(a: &SparseMatrix, any: bool, lane: Lane, options: &PlanOptions) -> Result<Apart> {
        let both = |apart| Apart { rows: apart, columns: apart, products: 0 };
        match options.segregation {
            _ if !any => return Ok(both(false)),
            Segregation::Always => return Ok(both(true)),
            Segregation::Never => return Ok(both(false)),
            Segregation::Auto => {}
        }
        let p = a.modulus();
        let are_apart = |runs: &Runs| {
            let kind = options.arithmetic.unwrap_or_else(|| arithmetic(p, lane, 0, runs.heaviest()));
            let holds = |products| sums(p, lane, kind).is_some_and(|sums| sums.budget.holds(0, products));
            // What costs most is to reduce sums of products on the way.
            let spared = !holds(runs.heaviest()) && holds(runs.heaviest_valued());
            spared || runs.are_sooner_apart((lane, kind), options.width.unwrap_or(WIDTH), &options.params)
        };
        let rows = are_apart(&segregate::of_rows(a));
        if options.transpose == TransposeMode::Scatter {
            return Ok(both(rows));
        }
        let runs = segregate::of_columns(a)?;
        let columns = are_apart(&runs);
        Ok(Apart { rows, columns, products: if columns { 0 } else { runs.heaviest() } })
    }
}

/// What a plan must know of an arithmetic.
struct Sums {
    budget: Budget,
    value_bytes: usize,
}

/// The sums of this kind over these lanes; `None` if the combination does not exist for p.
fn sums(p: Modulus, lane: Lane, kind: ArithmeticKind) -> Option<Sums> {
    fn of<A: Arithmetic>(p: Modulus) -> Option<Sums> {
        A::budget(p).map(|budget| Sums { budget, value_bytes: size_of::<A::Value>() })
    }
    match (lane, kind) {
        (Lane::U8, ArithmeticKind::Narrow) => of::<Narrow<u8, i8>>(p),
        (Lane::U16, ArithmeticKind::Narrow) => of::<Narrow<u16, i16>>(p),
        (Lane::U16, ArithmeticKind::Wide) => of::<Wide<u16, i16>>(p),
        (Lane::U32, ArithmeticKind::Wide) => of::<Wide<u32, i32>>(p),
        (Lane::U32, ArithmeticKind::Split) => of::<Split>(p),
        (Lane::U64, ArithmeticKind::Long) => of::<Long>(p),
        (Lane::F32, ArithmeticKind::Float) => of::<Float32>(p),
        (Lane::F64, ArithmeticKind::Float) => of::<Float64>(p),
        _ => None,
    }
}

/// The narrowest sums that hold the heaviest row; products in two halves where whole ones would be folded all the time.
pub(super) fn arithmetic(p: Modulus, lane: Lane, signs: u64, products: u64) -> ArithmeticKind {
    let holds = |kind| sums(p, lane, kind).is_some_and(|s| s.budget.holds(signs, products));
    match lane {
        Lane::U8 => ArithmeticKind::Narrow,
        // Without products both have the same sums.
        Lane::U16 if products == 0 && sums(p, lane, ArithmeticKind::Narrow).is_some() => ArithmeticKind::Narrow,
        Lane::U16 if holds(ArithmeticKind::Narrow) => ArithmeticKind::Narrow,
        Lane::U16 => ArithmeticKind::Wide,
        Lane::U32 if holds(ArithmeticKind::Wide) => ArithmeticKind::Wide,
        Lane::U32 if sums(p, lane, ArithmeticKind::Split).is_some() => ArithmeticKind::Split,
        Lane::U32 => ArithmeticKind::Wide,
        Lane::U64 => ArithmeticKind::Long,
        Lane::F32 | Lane::F64 => ArithmeticKind::Float,
    }
}

/// A or its transpose, on the way to parts.
struct Side<'a> {
    a: &'a SparseMatrix,
    segregate: bool,
    options: &'a PlanOptions,
    name: &'static str,
    value_bytes: usize,
}

impl Side<'_> {
    fn parts(&self, reasons: &mut Vec<String>) -> Result<Vec<PlannedPart>> {
        let mut all = vec![];
        for entries in [Entries::Plus, Entries::Minus, Entries::Valued] {
            let (parts, why) = self.parts_of(entries)?;
            reasons.extend(why.into_iter().map(|why| format!("{}, {entries}: {why}", self.name)));
            all.extend(parts);
        }
        Ok(all)
    }

    fn parts_of(&self, entries: Entries) -> Result<(Vec<PlannedPart>, Vec<String>)> {
        let Params { ell_share, ell_r_fill, ell_r_bytes, coo_s_rows, coo_entries, .. } = self.options.params;
        let (force, rows) = (self.options.force, self.a.rows());
        let may = |format| !self.options.forbid.contains(&format);
        let value = if entries == Entries::Valued { self.value_bytes } else { 0 };
        let part = |format, nnz, bytes| PlannedPart { entries, format, nnz, width: 0, fill: 0.0, bytes };
        let (mut chosen, mut why) = (Vec::new(), Vec::new());
        let mut weights = self.weights(entries, |_| true)?;
        let mut left: usize = weights.iter().sum();

        if entries == Entries::Valued && left > 0 && (force == Some(Format::Dia) || force.is_none() && may(Format::Dia))
        {
            let fill = if force.is_some() { 0.0 } else { self.options.params.dia_fill };
            let dense = self.dense_diagonals(fill)?;
            let held: usize = dense.values().sum();
            let worth = dense.len() <= self.options.params.dia_diagonals
                && held as f64 >= self.options.params.dia_share * left as f64;
            if force.is_some() || held > 0 && worth {
                why.push(format!(
                    "DIA for {held} of {} on {}",
                    counted(left, "entry"),
                    counted(dense.len(), "diagonal")
                ));
                let bytes = dense.len() * (rows * value + size_of::<i64>());
                chosen.push(PlannedPart { fill, ..part(Format::Dia, held, bytes) });
                weights = self.weights(entries, |offset| !dense.contains_key(&offset))?;
                left -= held;
            }
        }
        let least = weights.iter().min().copied().unwrap_or(0);
        let common = least * rows;
        let nearly_full = |left: usize, most: usize| left as f64 >= ell_r_fill * (most * rows) as f64;
        // One loop over a row is faster than two.
        let whole = common < left && may(Format::EllR) && nearly_full(left, weights.iter().max().map_or(0, |&w| w));
        let ell = force == Some(Format::Ell)
            || force.is_none() && may(Format::Ell) && !whole && common as f64 >= ell_share * left as f64;
        if ell && common > 0 {
            why.push(format!("ELL for {} of each row, {common} of {left}", counted(least, "entry")));
            chosen.push(PlannedPart { width: least, ..part(Format::Ell, common, common * (4 + value)) });
            weights.iter_mut().for_each(|w| *w -= least);
            left -= common;
        }
        if left == 0 {
            return Ok((chosen, why));
        }
        let busy = weights.iter().filter(|&&w| w > 0).count();
        let most = weights.iter().max().copied().unwrap_or(0);
        let (csr, ell_r) = ((rows + 1) * 8 + left * (4 + value), rows * (4 + most * (4 + value)));
        let rest = match force {
            Some(format @ (Format::Coo | Format::CooS | Format::Csr | Format::EllR)) => format,
            _ if may(Format::EllR) && nearly_full(left, most) => Format::EllR,
            _ if may(Format::Coo) && (left as f64) < coo_entries * rows as f64 => Format::Coo,
            _ if may(Format::CooS) && (busy as f64) < coo_s_rows * rows as f64 => Format::CooS,
            _ if may(Format::EllR) && ell_r as f64 <= ell_r_bytes * csr as f64 => Format::EllR,
            _ => Format::Csr,
        };
        let bytes = match rest {
            Format::Coo => left * (8 + value),
            Format::CooS => busy * 4 + (busy + 1) * 8 + left * (4 + value),
            Format::EllR => ell_r,
            _ => csr,
        };
        let asked = if force == Some(rest) { ", as asked" } else { "" };
        why.push(format!(
            "{} for {left} in {busy} of {} of weight up to {most}{asked}",
            rest.name(),
            counted(rows, "row")
        ));
        chosen.push(part(rest, left, bytes));
        Ok((chosen, why))
    }

    /// Entries of one kind in each row, on the diagonals that `keep` chooses.
    fn weights(&self, entries: Entries, keep: impl Fn(i64) -> bool) -> Result<Vec<usize>> {
        let p = self.a.modulus();
        let weight = |i: usize| {
            let (cols, values) = self.a.row(i);
            let counts = |(&j, &v): (&u32, &u64)| kind(p, self.segregate, v) == entries && keep(j as i64 - i as i64);
            cols.iter().zip(values).filter(|&entry| counts(entry)).count()
        };
        memory::collect((0..self.a.rows()).map(weight), "the weights of the rows")
    }

    /// The diagonals that are filled to the least share by entries with values, each with their number.
    fn dense_diagonals(&self, fill: f64) -> Result<HashMap<i64, usize>> {
        let p = self.a.modulus();
        let mut counts = HashMap::<i64, usize>::new();
        for i in 0..self.a.rows() {
            let (cols, values) = self.a.row(i);
            memory::reserve_table(&mut counts, cols.len(), "the diagonals")?;
            for (&j, &v) in cols.iter().zip(values) {
                if kind(p, self.segregate, v) == Entries::Valued {
                    *counts.entry(j as i64 - i as i64).or_default() += 1;
                }
            }
            // So many more diagonals than DIA may take: it is not that kind of matrix.
            if fill > 0.0 && counts.len() > self.options.params.dia_diagonals.max(MOST_DIAGONALS) {
                return Ok(HashMap::new());
            }
        }
        let length = |offset: i64| (self.a.cols() as i64 - offset).min(self.a.rows() as i64) - (-offset).max(0);
        counts.retain(|&offset, &mut count| count as f64 >= fill * length(offset) as f64);
        Ok(counts)
    }
}
