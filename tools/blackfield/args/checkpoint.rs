//! States of long steps that outlive the process.

use super::values;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// Options of subcommands that can go on where another run was killed.
#[derive(Debug, Args)]
pub struct CheckpointArgs {
    /// Keep the states of long steps (docs/checkpoints.md) in the folder DIR, and go on from what is there, on any
    /// number of threads
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Machine and output")]
    pub checkpoint: Option<PathBuf>,
    /// Seconds of work that a kill may cost [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, requires = "checkpoint")]
    #[arg(help_heading = "Machine and output")]
    pub checkpoint_interval: Option<Duration>,
}
