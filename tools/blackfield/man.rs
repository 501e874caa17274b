//! `blackfield man [DIR]`: the manual page on standard output, or every page as a file in a folder.

use crate::args::{Cli, ManArgs};
use crate::output;
use blackfield::{Error, Result};
use clap_mangen::Man;

/// Prints `blackfield.1`, or writes it and one page per subcommand into the folder given.
pub fn run(args: &ManArgs) -> Result<()> {
    // The subcommands have their full names in it, `blackfield-rank`.
    let command = Cli::whole();
    let Some(dir) = &args.dir else { return output::print(&page(&Man::new(command))) };
    output::make_folder(dir)?;
    let subcommands: Vec<_> = command.get_subcommands().cloned().collect();
    for man in subcommands.into_iter().chain([command]).map(Man::new) {
        let file = dir.join(man.get_filename());
        std::fs::write(&file, page(&man)).map_err(|source| Error::Io { file, source })?;
    }
    Ok(())
}

/// The page in roff. What stands behind the options (exit codes, JSON, examples) keeps its lines as they are.
fn page(man: &Man) -> String {
    let mut roff = Vec::new();
    man.render(&mut roff).expect("a Vec takes every write");
    let roff = String::from_utf8_lossy(&roff).into_owned();
    let Some((before, after)) = roff.split_once(".SH EXTRA\n") else { return roff };
    let (details, rest) = after.split_at(after.find("\n.SH ").map_or(after.len(), |end| end + 1));
    format!("{before}.SH DETAILS\n.nf\n{details}.fi\n{rest}")
}
