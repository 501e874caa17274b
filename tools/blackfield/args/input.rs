//! How a matrix file is read: the options of every command that reads one.

use blackfield::io::{self, ReadOptions};
use clap::{Args, ValueEnum};

/// How texts that do not say it themselves are read.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct TextArgs {
    /// Where rows, columns and vertices count from [default: what the format says, or what is seen in the file]
    #[arg(long, value_name = "0|1", value_parser = base)]
    pub base: Option<io::Base>,
    /// What a text without a header holds [default: what is seen in it]
    #[arg(long, value_name = "LAYOUT")]
    pub layout: Option<LayoutName>,
}

/// How a matrix is read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct InputArgs {
    /// Read every entry as 1: the 0-1 pattern of the matrix
    #[arg(long)]
    pub pattern: bool,
    #[command(flatten)]
    pub text: TextArgs,
}

/// The names of [`io::Layout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// One entry per line: row, column, value; or row and column of a 1
    Triples,
    /// One row per line
    Dense,
    /// The edges of an undirected graph: two vertices per line, perhaps with a weight
    Edges,
    /// The arcs of a directed graph
    Arcs,
    /// A vertex and its neighbours per line
    Adjacency,
    /// A graph of METIS: vertices and edges, then a line of neighbours for each vertex
    Metis,
    /// Rows of CADO-NFS, binary or text, without coefficients
    Cado,
    /// Rows of CADO-NFS with coefficients
    CadoValues,
}

impl From<LayoutName> for io::Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Triples => io::Layout::Triples,
            LayoutName::Dense => io::Layout::Dense,
            LayoutName::Edges => io::Layout::Edges,
            LayoutName::Arcs => io::Layout::Arcs,
            LayoutName::Adjacency => io::Layout::Adjacency,
            LayoutName::Metis => io::Layout::Metis,
            LayoutName::Cado => io::Layout::Cado,
            LayoutName::CadoValues => io::Layout::CadoValues,
        }
    }
}

fn base(text: &str) -> Result<io::Base, String> {
    match text {
        "0" => Ok(io::Base::Zero),
        "1" => Ok(io::Base::One),
        _ => Err("expected 0 or 1".into()),
    }
}

impl From<TextArgs> for InputArgs {
    fn from(text: TextArgs) -> Self {
        InputArgs { pattern: false, text }
    }
}

impl InputArgs {
    /// These options in the library's types.
    pub fn options(&self) -> ReadOptions {
        let layout = self.text.layout.map(io::Layout::from);
        ReadOptions::default().pattern(self.pattern).base(self.text.base).layout(layout)
    }
}
