//! The plan of a product: which entries in which format, lanes and sums, and why. Data: printed, stored, tested without
//! running. It is chosen in `choose` (source paper, section 2.4.5).

use super::Lane;
use super::options::ArithmeticKind;
use crate::isa::Isa;
use crate::sparse::formats::Format;
use crate::sparse::hybrid::Entries;
use crate::words::counted;
use std::fmt;

/// One part of a planned layout. Parts of the same entries take what the parts before them leave.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlannedPart {
    /// What it holds.
    pub entries: Entries,
    /// How.
    pub format: Format,
    /// How many.
    pub nnz: usize,
    /// ELL: entries taken from each row. Otherwise 0.
    pub width: usize,
    /// DIA: the share to which a diagonal must be filled. Otherwise 0.
    pub fill: f64,
    /// Bytes of its arrays.
    pub bytes: usize,
}

/// How a matrix is laid out and multiplied, and why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
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
    /// Whether ±1 entries of A have parts of their own; those of its transpose may be stored otherwise.
    pub segregate: bool,
    /// The parts of A.
    pub parts: Vec<PlannedPart>,
    /// The parts of Aᵀ; `None`: transposed products scatter.
    pub transposed: Option<Vec<PlannedPart>>,
    /// Why.
    pub reasons: Vec<String>,
}

impl Plan {
    /// Bytes of all parts.
    pub fn bytes(&self) -> usize {
        self.parts.iter().chain(self.transposed.iter().flatten()).map(|part| part.bytes).sum()
    }
}

impl fmt::Display for PlannedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entries {
            Entries::Valued => write!(f, "{}", counted(self.nnz, "value"))?,
            sign => write!(f, "{} {sign}", self.nnz)?,
        }
        write!(f, " in {}", self.format.name())?;
        if self.format == Format::Ell { write!(f, "({})", self.width) } else { Ok(()) }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: &[PlannedPart]| match parts {
            [] => "no entries".into(),
            parts => parts.iter().map(PlannedPart::to_string).collect::<Vec<_>>().join(", "),
        };
        writeln!(
            f,
            "{} x {}, {} mod {}, {}",
            self.rows,
            self.cols,
            counted(self.nnz, "entry"),
            self.modulus,
            counted(self.bytes(), "byte")
        )?;
        writeln!(
            f,
            "{} lanes, {} sums of up to {} or {}, {} code",
            self.lane,
            self.arithmetic,
            counted(self.budget.0, "residue"),
            counted(self.budget.1, "product"),
            self.isa.name()
        )?;
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
