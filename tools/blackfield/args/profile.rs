//! Which prices plans are made from.

use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Options of every subcommand that plans by prices.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine and output")]
pub struct ProfileArgs {
    /// Prices of this machine, as `tune --install` writes them, or `none` [default: blackfield/profile.toml in the
    /// configuration directory, if it is there]; the answer does not depend on it
    #[arg(long, value_name = "FILE", env = "BLACKFIELD_PROFILE", hide_env_values = true)]
    #[arg(value_hint = ValueHint::FilePath)]
    pub profile: Option<PathBuf>,
}
