//! How to read a matrix.

use super::text::Text;
use crate::Result;
use crate::setters::setters;
use crate::sparse::{Duplicates, RationalMatrix};

/// How to read a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Take the 0–1 pattern: every stored non-zero value, of any kind, becomes 1; stored zeros are dropped, and entries
    /// at one position count once.
    pub pattern: bool,
    /// The maximum number of bytes that entries (16 bytes each) may take while they are read.
    pub max_memory: Option<u64>,
    /// The number of the first row and of the first column where a text numbers them. `None`: SMS and MatrixMarket
    /// count from 1, as they should; texts without a header count from what is seen in them.
    pub base: Option<Base>,
    /// What a text without a header holds. `None`: what is seen in it, and a refusal if that could be two things.
    pub layout: Option<Layout>,
}

/// Where rows, columns and vertices are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The first one has the number 0.
    Zero,
    /// The first one has the number 1.
    One,
}

impl Base {
    /// The number of the first one.
    #[must_use]
    pub fn first(self) -> u64 {
        match self {
            Base::Zero => 0,
            Base::One => 1,
        }
    }
}

/// What a file without a header holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// One entry per line: row, column, value; or row and column of a 1.
    Triples,
    /// One row per line: all its values.
    Dense,
    /// The edges of an undirected graph, one per line: two vertices, perhaps with a weight.
    Edges,
    /// The arcs of a directed graph.
    Arcs,
    /// One vertex per line, followed by its neighbours in an undirected graph.
    Adjacency,
    /// A graph as METIS has it: its numbers of vertices and edges, then the neighbours of one vertex per line.
    Metis,
    /// The binary sparse matrix of CADO-NFS mod 2: its rows, each a count and that many columns.
    Cado,
    /// The same with a coefficient after each column.
    CadoValues,
}

setters!(ReadOptions {
    pattern: bool,
    max_memory: impl Into<Option<u64>>,
    base: impl Into<Option<Base>>,
    layout: impl Into<Option<Layout>>,
});

/// The reader of one format; the flag says whether there may be fractions.
pub(super) type Reader = fn(&mut Text<'_>, &ReadOptions, bool) -> Result<RationalMatrix>;

/// The number of the first row and column in a format that counts from 1 unless the caller says otherwise.
pub(super) fn first(options: &ReadOptions) -> u64 {
    options.base.unwrap_or(Base::One).first()
}

/// How entries at one position are merged.
pub(super) fn duplicates(options: &ReadOptions) -> Duplicates {
    if options.pattern { Duplicates::One } else { Duplicates::Sum }
}
