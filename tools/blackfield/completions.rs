//! `blackfield completions SHELL`: the shell's completion script on standard output.

use crate::args::{Cli, CompletionsArgs};
use crate::output;
use blackfield::Result;
use clap::CommandFactory;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "blackfield", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
