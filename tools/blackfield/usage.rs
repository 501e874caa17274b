//! What is not a command: help and version, which were asked for, and wrong usage, said in words or with `--json` in a
//! document, with what else would fit.

use crate::args::Cli;
use crate::exit::{self, Code, Failure};
use crate::{output, version};
use blackfield::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Ends for want of a command.
pub fn end(mut error: clap::Error) -> Code {
    let words = || std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    if error.kind() == ErrorKind::DisplayVersion && version::is_verbose(words()) {
        return exit::guard(false, || output::print(&version::described()).map(Code::from));
    }
    if !error.use_stderr() {
        let print = || error.print().map_err(|source| Error::Io { file: "-".into(), source });
        return exit::guard(false, || print().map(Code::from));
    }
    advise(&mut error, words().find(|word| !word.starts_with('-')).as_deref());
    match words().take_while(|word| word != "--").any(|word| word == "--json") {
        true => exit::report(true, &Failure::Error(Error::Usage(in_a_line(&error.render().to_string()))), None, ""),
        false => drop(error.print()),
    }
    Code::Usage
}

/// What a missing option stands for, and what may stand in its place where a subcommand has that.
const TIPS: [(&str, Option<&str>, &str); 6] = [
    ("--modulus", None, "-p takes a prime: -p 65521 computes modulo 65521"),
    ("--modulus", Some("rational"), "--rational computes over the rational numbers"),
    ("--output", Some("output"), "-o takes the name of a file, or - for standard output"),
    ("--output", Some("dimension"), "--dimension computes the dimension alone"),
    ("--output", Some("pivots_only"), "--pivots-only prints the columns of the pivots alone"),
    ("--output", Some("list"), "--list prints what can be made"),
];

/// Says what would fit in the place of what is missing.
fn advise(error: &mut clap::Error, subcommand: Option<&str>) {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return };
    if error.kind() != ErrorKind::MissingRequiredArgument {
        return;
    }
    let command = Cli::whole();
    let arguments = subcommand.and_then(|name| command.find_subcommand(name));
    let has = |id: &str| arguments.is_some_and(|command| command.get_arguments().any(|a| a.get_id() == id));
    let fits = |(name, instead, _): &&(&str, Option<&str>, &str)| {
        missing.iter().any(|missing| missing.starts_with(name)) && instead.is_none_or(has)
    };
    let tips: Vec<_> = TIPS.iter().filter(fits).map(|(_, _, tip)| (*tip).into()).collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

/// The message without its head, the usage and the pointer to the help, as one line.
fn in_a_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|tail| text.find(tail)).min();
    let lines = text[..end.unwrap_or(text.len())].lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ").replace(":; ", ": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fits_a_line() {
        let text =
            "error: the following required arguments were not provided:\n  --modulus <P>\n\n  tip: so\n\nUsage: x\n";
        assert_eq!(in_a_line(text), "the following required arguments were not provided: --modulus <P>; tip: so");
        assert_eq!(in_a_line("error: bad\n\nFor more information, try '--help'.\n"), "bad");
    }
}
