//! `blackfield man [DIR]`: the manual page on standard output, or every page as a file in a folder.

use crate::args::{Cli, ManArgs};
use crate::output;
use blackfield::{Error, Result};
use clap::CommandFactory;

/// Prints `blackfield.1`, or writes it and one page per subcommand into the folder given.
pub fn run(args: &ManArgs) -> Result<()> {
    match &args.dir {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page).expect("a Vec takes every write");
            output::print(&String::from_utf8_lossy(&page))
        }
        Some(dir) => std::fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
            .map_err(|source| Error::Io { file: dir.clone(), source }),
    }
}
