//! What may be typed after `blackfield`: parsed here without any effect (no file is opened, no seed drawn).

mod answer;
mod batch;
mod bench;
mod checkpoint;
mod command;
mod det;
mod device;
mod files;
mod homology;
mod input;
mod kernel;
mod matchings;
mod permanent;
mod polynomial;
mod profile;
mod rank;
mod rref;
mod smith;
mod solve;
mod tune;
mod values;
mod verify;

pub use answer::AnswerArgs;
pub use batch::BatchArgs;
pub use bench::{BenchArgs, BenchName};
pub use checkpoint::CheckpointArgs;
pub use command::Command;
pub use det::DetArgs;
pub use files::{ConvertArgs, FileFormat, GenerateArgs, InfoArgs};
pub use homology::HomologyArgs;
pub use input::{InputArgs, TextArgs};
pub use kernel::KernelArgs;
pub use matchings::MatchingsArgs;
pub use permanent::PermanentArgs;
pub use polynomial::{CharpolyArgs, MinpolyArgs, PolynomialArgs};
pub use profile::ProfileArgs;
pub use rank::{MethodName, RankArgs};
pub use rref::RrefArgs;
pub use smith::SmithArgs;
pub use solve::SolveArgs;
pub use tune::TuneArgs;
pub use values::{Prime, Seed};
pub use verify::VerifyArgs;

use crate::exit;
use blackfield::isa::Isa;
use blackfield::sparse::formats::Format;
use blackfield::spmv::{PlanOptions, Segregation};
use clap::builder::RangedU64ValueParser;
use clap::{Args, CommandFactory, Parser, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Exact linear algebra over finite fields: the rank mod p of huge sparse matrices.
#[derive(Debug, Parser)]
#[command(name = "blackfield", version, max_term_width = 100, after_long_help = exit::CODES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(arg(clap::Arg::new("verbose").short('v').long("verbose").action(clap::ArgAction::SetTrue).requires("version")
    .help("With --version: also the commit, the features, the instruction sets and CUDA")))]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// All that may be typed, the options of every subcommand too.
    pub fn whole() -> clap::Command {
        let mut command = Cli::command();
        command.build();
        command
    }
}

/// Options of every subcommand that works on a matrix.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Machine and output")]
pub struct Common {
    /// Threads to work with [default: all processors]; the answer does not depend on it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,
    /// Instructions to work with [default: the widest of this processor]; the answer does not depend on it
    #[arg(long, value_name = "SET", env = "BLACKFIELD_ISA", hide_env_values = true)]
    pub isa: Option<IsaName>,
    /// Nothing on standard error but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// How progress is shown on standard error [default: a bar on a terminal]
    #[arg(long, value_name = "FORM", default_value = "auto", hide_default_value = true)]
    pub progress: ProgressName,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressName {
    /// A bar on a terminal, otherwise nothing
    Auto,
    /// A line of JSON now and then (blackfield/progress/1), with what is left of the time
    Json,
    /// Nothing
    Never,
}

/// The names of [`Isa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsaName {
    /// What every processor of this kind has
    Portable,
    /// AVX2, FMA and BMI2
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and IFMA and VNNI where they are there
    Avx512,
}

impl From<IsaName> for Isa {
    fn from(name: IsaName) -> Self {
        match name {
            IsaName::Portable => Isa::Portable,
            IsaName::Avx2 => Isa::Avx2,
            IsaName::Avx512 => Isa::Avx512,
        }
    }
}

/// Wishes for the formats of the sparse products.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sparse formats")]
pub struct FormatArgs {
    /// Store every part of the matrix in this format (a rank needs --method wiedemann for it, and the next two)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatName>,
    /// Never choose this format (may be given several times)
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', conflicts_with = "format")]
    pub forbid_format: Vec<FormatName>,
    /// Whether the entries 1 and -1 are stored in separate parts, without values
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub segregate: When,
}

impl FormatArgs {
    /// These options in the library's types.
    pub fn plan_options(&self) -> PlanOptions {
        PlanOptions::default()
            .force(self.format.map(Into::into))
            .forbid(self.forbid_format.iter().map(|&name| name.into()).collect::<Vec<_>>())
            .segregation(self.segregate.into())
    }
}

/// The sparse formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// Coordinates
    Coo,
    /// Compressed rows without the empty ones
    CooS,
    /// Compressed rows
    Csr,
    /// Rows padded to equal length
    Ell,
    /// Padded rows with their lengths
    EllR,
    /// Diagonals
    Dia,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Coo => Format::Coo,
            FormatName::CooS => Format::CooS,
            FormatName::Csr => Format::Csr,
            FormatName::Ell => Format::Ell,
            FormatName::EllR => Format::EllR,
            FormatName::Dia => Format::Dia,
        }
    }
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

impl From<When> for Segregation {
    fn from(when: When) -> Self {
        match when {
            When::Auto => Segregation::Auto,
            When::Always => Segregation::Always,
            When::Never => Segregation::Never,
        }
    }
}

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder, made if it does not exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
