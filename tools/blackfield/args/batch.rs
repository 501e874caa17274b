//! What a run for several files or moduli may be asked.

use clap::Args;

/// Options of every subcommand that takes several files or moduli.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Machine and output")]
pub struct BatchArgs {
    /// Print numbers alone, without the names of files and moduli; an empty line where there is no answer
    #[arg(long, conflicts_with = "json")]
    pub bare: bool,
    /// Stop at the first file or modulus without an answer instead of going on with the rest
    #[arg(long)]
    pub fail_fast: bool,
}
