//! What all answers beyond the rank may be asked.

use super::{CheckpointArgs, Common, ProfileArgs, Seed, values};
use clap::Args;

/// Options of every subcommand that answers from the decomposition of a rank.
#[derive(Debug, Args)]
pub struct AnswerArgs {
    /// The seed of all random choices: a number, or `random` to draw one and report it
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: Seed,
    /// Memory that matrix and elimination may use, such as 500M or 2G (1K = 1024 bytes) [default: the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_memory: Option<u64>,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    /// Say on standard error which steps were taken, and why, even with --quiet
    #[arg(long, help_heading = "Machine and output")]
    pub explain: bool,
    /// Print the plan of the first long step, with predicted seconds and bytes, and stop there
    #[arg(long, help_heading = "Machine and output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}
