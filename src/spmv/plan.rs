//! The plan of a product: which entries in which format, lanes and sums, and why. Data: printed, stored, tested without
//! running (source paper, section 2.4.5).

use super::Lane;
use super::arithmetic::{Arithmetic, Float32, Float64, Long, Narrow, Split, Wide};
use super::options::{ArithmeticKind, PlanOptions, Segregation, TransposeMode};
use crate::field::Modulus;
use crate::isa::Isa;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::Format;
use crate::sparse::hybrid::Entries;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Thresholds of the chooser, with defaults measured by `benches/spmv.rs` on matrices of `datasets/`.
mod params {
    /// From this share of ±1 entries on, they get parts of their own.
    pub const SEGREGATE_SHARE: f64 = 0.1;
    /// ELL takes the common part of all rows if it holds this share of the entries; the rest goes elsewhere.
    pub const ELL_SHARE: f64 = 0.9;
    /// ELL_R takes all rows if its slots are filled to this share.
    pub const ELL_R_FILL: f64 = 0.8;
    /// COO_S if fewer rows than this share have entries.
    pub const COO_S_ROWS: f64 = 0.5;
    /// COO if there are fewer entries than this share of the rows.
    pub const COO_ENTRIES: f64 = 0.02;
    /// DIA takes diagonals filled to this share …
    pub const DIA_FILL: f64 = 0.9;
    /// … of which there are at most this many, …
    pub const DIA_DIAGONALS: usize = 64;
    /// … if they hold this share of the entries with values.
    pub const DIA_SHARE: f64 = 0.8;
}

/// One part of a planned layout. Parts of the same entries take what the parts before them leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedPart {
    /// What it holds.
    pub entries: Entries,
    /// How.
    pub format: Format,
    /// ELL: entries taken from each row. Otherwise 0.
    pub width: usize,
    /// DIA: the share to which a diagonal must be filled. Otherwise 0.
    pub fill: f64,
}

/// How a matrix is laid out and multiplied, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// Entries of the matrix.
    pub nnz: usize,
    /// The modulus p.
    pub modulus: u64,
    /// The storage of residues.
    pub lane: Lane,
    /// The kind of sums.
    pub arithmetic: ArithmeticKind,
    /// Terms (sums of residues, sums of products) that a sum takes between two reductions.
    pub budget: (u64, u64),
    /// The instruction set.
    pub isa: Isa,
    /// Whether ±1 entries have parts of their own.
    pub segregate: bool,
    /// The parts of A.
    pub parts: Vec<PlannedPart>,
    /// The parts of Aᵀ; `None`: transposed products scatter.
    pub transposed: Option<Vec<PlannedPart>>,
    /// Why.
    pub reasons: Vec<String>,
}

impl Plan {
    /// The plan for `a` under the user's wishes.
    ///
    /// # Errors
    /// [`Error::Usage`] if a lane cannot hold the residues, a kind of sums does not go with the lane or the modulus, or the
    /// machine lacks the instruction set.
    pub fn choose(a: &SparseMatrix, options: &PlanOptions) -> Result<Plan> {
        let p = a.modulus();
        let lane = options.lane.unwrap_or(Lane::narrowest(p));
        if !lane.holds(p) {
            return Err(Error::Usage(format!("residues mod {p} do not fit {lane:?} lanes")));
        }
        let isa = options.isa.unwrap_or(Isa::best());
        if !isa.is_available() {
            return Err(Error::Usage(format!("this machine has no {isa:?}")));
        }
        let mut reasons = Vec::new();
        let (mut units, mut heaviest) = (0, 0);
        for i in 0..a.rows() {
            let (_, values) = a.row(i);
            units += values.iter().filter(|&&v| v == 1 || v == p.get() - 1).count();
            heaviest = heaviest.max(values.len());
        }
        let share = units as f64 / a.nnz().max(1) as f64;
        let segregate = match options.segregation {
            Segregation::Always => units > 0,
            Segregation::Never => false,
            Segregation::Auto => units > 0 && share >= params::SEGREGATE_SHARE,
        };
        reasons.push(format!(
            "{:.1} % of the entries are +1 or -1: {}",
            100.0 * share,
            if segregate { "kept apart, without values" } else { "not kept apart" }
        ));
        let valued = !segregate || units < a.nnz();
        let arithmetic = match options.arithmetic {
            Some(kind) => kind,
            None => arithmetic(p, lane, valued, heaviest as u64),
        };
        let budget = budget(p, lane, arithmetic)
            .ok_or_else(|| Error::Usage(format!("{arithmetic:?} sums do not go with {lane:?} lanes mod {p}")))?;
        reasons.push(format!(
            "{lane:?} lanes and {arithmetic:?} sums: {} residues or {} products before a reduction, heaviest row {heaviest}",
            budget.0, budget.1
        ));
        let parts = parts(a, segregate, options, "A", &mut reasons);
        let transposed = match options.transpose {
            TransposeMode::Stored => Some(self::parts(&a.transpose(), segregate, options, "transpose", &mut reasons)),
            TransposeMode::Scatter => None,
        };
        let (rows, cols, nnz, modulus) = (a.rows(), a.cols(), a.nnz(), p.get());
        Ok(Plan { rows, cols, nnz, modulus, lane, arithmetic, budget, isa, segregate, parts, transposed, reasons })
    }
}

/// The budget of an arithmetic; `None` if the combination does not exist.
fn budget(p: Modulus, lane: Lane, kind: ArithmeticKind) -> Option<(u64, u64)> {
    fn of<A: Arithmetic>(p: Modulus) -> Option<(u64, u64)> {
        A::budget(p).map(|b| (b.sums(), b.products()))
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
fn arithmetic(p: Modulus, lane: Lane, valued: bool, heaviest: u64) -> ArithmeticKind {
    let holds = |kind| budget(p, lane, kind).is_some_and(|b| heaviest < if valued { b.0.min(b.1) } else { b.0 });
    match lane {
        Lane::U8 => ArithmeticKind::Narrow,
        Lane::U16 if holds(ArithmeticKind::Narrow) => ArithmeticKind::Narrow,
        Lane::U16 => ArithmeticKind::Wide,
        Lane::U32 if holds(ArithmeticKind::Wide) => ArithmeticKind::Wide,
        Lane::U32 if budget(p, lane, ArithmeticKind::Split).is_some() => ArithmeticKind::Split,
        Lane::U32 => ArithmeticKind::Wide,
        Lane::U64 => ArithmeticKind::Long,
        Lane::F32 | Lane::F64 => ArithmeticKind::Float,
    }
}

/// The parts of one side: the heuristic of section 2.4.5 for each kind of entries.
fn parts(
    a: &SparseMatrix,
    segregate: bool,
    options: &PlanOptions,
    side: &str,
    reasons: &mut Vec<String>,
) -> Vec<PlannedPart> {
    let mut planned = Vec::new();
    let kinds = [Entries::Plus, Entries::Minus, Entries::Valued];
    for entries in kinds {
        let weights = weights(a, entries, segregate);
        if weights.iter().any(|&w| w > 0) {
            planned.extend(side_parts(a, entries, segregate, &weights, options, side, reasons));
        }
    }
    planned
}

/// Entries of one kind in each row.
fn weights(a: &SparseMatrix, entries: Entries, segregate: bool) -> Vec<usize> {
    let minus_one = a.modulus().get() - 1;
    let holds = |v: u64| match entries {
        Entries::Plus => segregate && v == 1,
        Entries::Minus => segregate && v == minus_one && v != 1,
        Entries::Valued => !segregate || (v != 1 && v != minus_one),
    };
    (0..a.rows()).map(|i| a.row(i).1.iter().filter(|&&v| holds(v)).count()).collect()
}

fn side_parts(
    a: &SparseMatrix,
    entries: Entries,
    segregate: bool,
    weights: &[usize],
    options: &PlanOptions,
    side: &str,
    reasons: &mut Vec<String>,
) -> Vec<PlannedPart> {
    let may = |format| !options.forbid.contains(&format);
    let part = |format, width, fill| PlannedPart { entries, format, width, fill };
    let rows = weights.len();
    let nnz: usize = weights.iter().sum();
    let (least, most) = (weights.iter().min().copied().unwrap_or(0), weights.iter().max().copied().unwrap_or(0));
    let mut chosen = Vec::new();
    let mut why = |text: String| reasons.push(format!("{side}, {entries:?}, {nnz} entries: {text}"));

    match options.force {
        Some(Format::Ell) if least > 0 => {
            why(format!("ELL asked for: {least} entries of each row"));
            chosen.push(part(Format::Ell, least, 0.0));
        }
        Some(Format::Dia) if entries == Entries::Valued => {
            why("DIA asked for".into());
            chosen.push(part(Format::Dia, 0, 0.0));
            return chosen;
        }
        Some(format @ (Format::Coo | Format::CooS | Format::Csr | Format::EllR)) => {
            why(format!("{} asked for", format.name()));
            chosen.push(part(format, 0, 0.0));
            return chosen;
        }
        _ => {}
    }
    if entries == Entries::Valued && may(Format::Dia) && chosen.is_empty() {
        let (diagonals, held) = dense_diagonals(a, segregate);
        if diagonals > 0 && diagonals <= params::DIA_DIAGONALS && held as f64 >= params::DIA_SHARE * nnz as f64 {
            why(format!("DIA for {diagonals} dense diagonals"));
            chosen.push(part(Format::Dia, 0, params::DIA_FILL));
        }
    }
    if chosen.is_empty() && may(Format::Ell) && least > 0 && (least * rows) as f64 >= params::ELL_SHARE * nnz as f64 {
        why(format!("ELL for {least} entries of each row"));
        chosen.push(part(Format::Ell, least, 0.0));
    }
    // What is left, in one format; it takes nothing if the parts before hold everything.
    let taken = if chosen.iter().any(|p| p.format == Format::Ell) { least } else { 0 };
    let left = nnz - taken * rows;
    let busy = weights.iter().filter(|&&w| w > taken).count();
    let rest = if chosen.is_empty() && may(Format::EllR) && nnz as f64 >= params::ELL_R_FILL * (most * rows) as f64 {
        Format::EllR
    } else if may(Format::Coo) && (left as f64) < params::COO_ENTRIES * rows as f64 {
        Format::Coo
    } else if may(Format::CooS) && (busy as f64) < params::COO_S_ROWS * rows as f64 {
        Format::CooS
    } else {
        Format::Csr
    };
    if left > 0 {
        why(format!("{} for {left} entries in {busy} of {rows} rows of weight up to {most}", rest.name()));
        chosen.push(part(rest, 0, 0.0));
    }
    chosen
}

/// How many diagonals are filled to the least share, and the entries with values on them.
fn dense_diagonals(a: &SparseMatrix, segregate: bool) -> (usize, usize) {
    let minus_one = a.modulus().get() - 1;
    let mut counts = std::collections::HashMap::<i64, usize>::new();
    for i in 0..a.rows() {
        let (cols, values) = a.row(i);
        for (&j, &v) in cols.iter().zip(values) {
            if !segregate || (v != 1 && v != minus_one) {
                *counts.entry(j as i64 - i as i64).or_default() += 1;
            }
        }
        // Diagonals beyond what DIA may take: it is not that kind of matrix.
        if counts.len() > 64 * params::DIA_DIAGONALS {
            return (0, 0);
        }
    }
    let length = |offset: i64| (a.cols() as i64 - offset).min(a.rows() as i64) - (-offset).max(0);
    let dense: Vec<usize> = counts
        .into_iter()
        .filter(|&(offset, count)| count as f64 >= params::DIA_FILL * length(offset) as f64)
        .map(|(_, count)| count)
        .collect();
    (dense.len(), dense.iter().sum())
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[PlannedPart]| {
            let names = parts.iter().map(|part| {
                let width = if part.format == Format::Ell { format!("({})", part.width) } else { String::new() };
                format!("{:?} in {}{width}", part.entries, part.format.name())
            });
            names.collect::<Vec<_>>().join(", ")
        };
        writeln!(f, "{} x {}, {} entries mod {}", self.rows, self.cols, self.nnz, self.modulus)?;
        writeln!(f, "lanes {:?}, sums {:?}, code {:?}", self.lane, self.arithmetic, self.isa)?;
        writeln!(f, "A:         {}", list(&self.parts))?;
        match &self.transposed {
            Some(parts) => writeln!(f, "transpose: {}", list(parts))?,
            None => writeln!(f, "transpose: scattered from A")?,
        }
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        Ok(())
    }
}
