//! `blackfield matchings` on the command line.

use super::{BatchArgs, Common, InputArgs, ProfileArgs, values};
use blackfield::hafnian;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_long_help = MATCHINGS_JSON)]
pub struct MatchingsArgs {
    /// Matrix files; `-` reads standard input
    #[arg(required = true, value_name = "GRAPH", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The file has each edge once, (i, j) or (j, i): add the other half
    #[arg(long)]
    pub mirror: bool,
    /// Leave the diagonal out: a loop is in no matching
    #[arg(long)]
    pub drop_loops: bool,
    /// The matchings of every size, and their sum (the Hosoya index)
    #[arg(long)]
    pub by_size: bool,

    /// How to compute what the reductions leave
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Method")]
    pub method: MatchingsMethodName,
    /// Only divide the graph into components, for measurements; the answer is the same
    #[arg(long, help_heading = "Method")]
    pub without_reductions: bool,
    /// Keep the state of a long sum in this file, and resume from it if it exists
    #[arg(long, value_name = "STATE", value_hint = ValueHint::FilePath, help_heading = "Method")]
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two writes of the checkpoint [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, requires = "checkpoint", help_heading = "Method")]
    pub checkpoint_interval: Option<Duration>,

    /// Memory that the computation may use, such as 500M or 2G (1K = 1024 bytes) [default: the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_memory: Option<u64>,
    /// Print JSON, a document on a line for each answer
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    /// Say on standard error which steps were taken, and why, even with --quiet
    #[arg(long, help_heading = "Machine and output")]
    pub explain: bool,
    /// Print the plan of the first long step, with predicted seconds and bytes, and stop there
    #[arg(long, help_heading = "Machine and output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub batch: BatchArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}

const MATCHINGS_JSON: &str = "\
With --json, each file gives one document on one line:
  {schema: \"blackfield/matchings/1\", file, vertices, edges,
   perfect: digits, by_size: [digits], total: digits, method,
   certainty: \"proven\", proof, path: [{name, found, why, predicted,
   seconds}], threads, digest, warnings, seconds, version}
Numbers of matchings are strings, since no number of JSON holds them; by_size
and total are there with --by-size.

Examples:
  blackfield matchings graph.mtx
  blackfield matchings edges.sms --mirror --by-size
  blackfield matchings dense50.mtx --checkpoint state --explain";

/// The names of [`hafnian::Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MatchingsMethodName {
    /// Whatever is predicted to be fastest, for each block
    Auto,
    /// The permanent of the biadjacency matrix: bipartite graphs
    Permanent,
    /// A Pfaffian with Kasteleyn's orientation: planar graphs
    Planar,
    /// Dynamic program over a frontier: graphs of small pathwidth
    Frontier,
    /// Inclusion and exclusion over pairs of vertices: dense graphs
    InclusionExclusion,
    /// The matchings of the complement by size: nearly complete graphs
    Complement,
}

impl From<MatchingsMethodName> for hafnian::Method {
    fn from(name: MatchingsMethodName) -> Self {
        match name {
            MatchingsMethodName::Auto => hafnian::Method::Auto,
            MatchingsMethodName::Permanent => hafnian::Method::Permanent,
            MatchingsMethodName::Planar => hafnian::Method::Planar,
            MatchingsMethodName::Frontier => hafnian::Method::Frontier,
            MatchingsMethodName::InclusionExclusion => hafnian::Method::InclusionExclusion,
            MatchingsMethodName::Complement => hafnian::Method::Complement,
        }
    }
}
