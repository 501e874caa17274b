//! What all answers beyond the rank begin with: the options of the library, and the file that is written as they come.

use crate::args::AnswerArgs;
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::seed;
use blackfield::answers::RankOptions;
use blackfield::io::SmsWriter;
use blackfield::{Error, Result};
use std::io::Stdout;
use std::path::Path;

/// The library's options from the arguments; a random seed is drawn and reported here.
pub fn options(args: &AnswerArgs, bars: &Bars) -> Result<RankOptions> {
    let machine = profile::find(&args.profile, bars)?.machine;
    Ok(RankOptions::default().seed(seed::resolve(args.seed, bars)).machine(machine))
}

/// Whether the output goes to standard output, where a JSON document cannot go as well; `what` is what it holds.
pub fn is_to_stdout(args: &AnswerArgs, output: Option<&Path>, what: &str) -> Result<bool> {
    let to_stdout = output.is_some_and(|file| file.as_os_str() == "-");
    if args.json && to_stdout {
        let message = format!("standard output can have the {what} or the JSON document: name a file");
        return Err(Error::Usage(message));
    }
    Ok(to_stdout)
}

/// The writer for the output, if there is one, which replaces none of the `inputs`.
pub fn writer<'o>(output: Option<&Path>, inputs: &[&Path], stdout: &'o mut Stdout) -> Result<Option<SmsWriter<'o>>> {
    let Some(file) = output else { return Ok(None) };
    inputs.iter().try_for_each(|input| output::check_is_no_input("--output", file, input))?;
    SmsWriter::create(file, stdout).map(Some)
}
