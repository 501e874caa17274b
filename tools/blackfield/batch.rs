//! Several files and moduli in one run: how their answers are told apart, that one bad file does not end the rest, and
//! with which code the run ends.
//!
//! One file and one modulus give the bare number. Several give a line each, `file⇥modulus⇥number⇥certainty`, or with
//! `--bare` the number alone, and an empty line where there is none: lines never shift. Under `--json` each answer is a
//! document on a line of standard output, and what is missing one on standard error.

use crate::answer::Over;
use crate::args::BatchArgs;
use crate::exit::{self, Code};
use crate::output;
use crate::progress::Bars;
use blackfield::report::Certainty;
use blackfield::{Error, Result};
use serde::Serialize;
use std::fmt::Display;
use std::path::Path;

/// What is asked about: a file, and a field or ring unless all of them are meant.
#[derive(Clone)]
pub struct About<'a> {
    pub file: &'a Path,
    pub over: Option<Over>,
}

impl About<'_> {
    /// In words, in front of an error that does not name the file.
    fn words(&self) -> String {
        match &self.over {
            Some(Over::Modulus(p)) => format!("{} mod {p}", self.file.display()),
            Some(Over::Field(name) | Over::Ring(name)) => format!("{} over {name}", self.file.display()),
            None => self.file.display().to_string(),
        }
    }
}

/// The answers of one run.
pub struct Batch<'a> {
    args: BatchArgs,
    json: bool,
    /// How many answers are asked for.
    asked: usize,
    missing: usize,
    worst: Code,
    bars: &'a Bars,
}

impl<'a> Batch<'a> {
    /// So many answers are asked for.
    pub fn new(asked: usize, args: BatchArgs, json: bool, bars: &'a Bars) -> Self {
        Batch { args, json, asked, missing: 0, worst: Code::Answer, bars }
    }

    /// Does `work`, without which `answers` answers about the same file are missing. Its error is reported here, and is
    /// `None`.
    ///
    /// # Errors
    /// [`Error::Interrupted`]: a signal is for the whole batch. Where standard output does not take an empty line.
    pub fn attempt<T>(
        &mut self,
        about: &About<'_>,
        answers: usize,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        let failure = match exit::caught(work) {
            Ok(found) => return Ok(Some(found)),
            Err(exit::Failure::Error(Error::Interrupted)) => return Err(Error::Interrupted),
            Err(failure) => failure,
        };
        self.bars.clear();
        // What was said about a file without an answer is not about the next one.
        drop(self.bars.take_warnings());
        let named = self.asked > 1 && !failure.names_a_file();
        let prefix = if named { about.words() + ": " } else { String::new() };
        exit::report(self.json, &failure, Some(about), &prefix);
        self.worst = self.worst.worse(failure.code());
        self.missing += answers;
        if self.args.bare {
            output::print(&"\n".repeat(answers))?;
        }
        Ok(None)
    }

    /// Whether nothing more is to be done.
    pub fn is_over(&self) -> bool {
        self.args.fail_fast && self.missing > 0
    }

    /// Prints an answer: its `document`, or its `number`, labelled where there are several.
    ///
    /// # Errors
    /// [`Error::Io`] where standard output does not take it.
    pub fn print(
        &self,
        about: &About<'_>,
        number: &dyn Display,
        certainty: Certainty,
        document: &impl Serialize,
    ) -> Result<()> {
        if self.json {
            return output::print_json(document);
        }
        if self.asked == 1 || self.args.bare {
            return output::print(&format!("{number}\n"));
        }
        let over = about.over.as_ref().map_or(String::new(), Over::to_string);
        output::print(&format!("{}\t{over}\t{number}\t{}\n", cell(about.file), certainty.name()))
    }

    /// The code of the run, the worst of all.
    pub fn end(self) -> Code {
        if self.asked > 1 && self.missing > 0 && !self.json {
            let is = if self.missing == 1 { "is" } else { "are" };
            self.bars.note(&format!("{} of {} answers {is} missing", self.missing, self.asked));
        }
        self.worst
    }
}

/// The name of a file without characters that would begin another cell or line.
fn cell(file: &Path) -> String {
    let name = file.display().to_string();
    name.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ProgressName;

    fn about(file: &str) -> About<'_> {
        About { file: Path::new(file), over: None }
    }

    #[test]
    fn the_rest_runs_and_the_worst_code_is_kept() {
        let bars = Bars::new(true, ProgressName::Auto);
        let mut batch = Batch::new(4, BatchArgs { bare: false, fail_fast: false }, false, &bars);
        assert_eq!(batch.attempt(&about("a"), 1, || Ok(7)).unwrap(), Some(7));
        let usage = batch.attempt(&about("b"), 1, || Err::<u32, _>(Error::Usage("a test".into()))).unwrap();
        assert!(usage.is_none() && !batch.is_over());
        let memory = batch.attempt(&about("c"), 2, || Err::<u32, _>(Error::Memory("a test".into()))).unwrap();
        assert!(memory.is_none());
        let device = batch.attempt(&about("d"), 1, || Err::<u32, _>(Error::Usage("a test".into()))).unwrap();
        assert!(device.is_none());
        assert!(matches!(batch.attempt(&about("e"), 1, || Err::<u32, _>(Error::Interrupted)), Err(Error::Interrupted)));
        assert_eq!(batch.end(), Code::Resources);
        let mut batch = Batch::new(4, BatchArgs { bare: false, fail_fast: true }, false, &bars);
        let bug = batch.attempt(&about("a"), 1, || -> Result<u32> { panic!("a panic on purpose") }).unwrap();
        assert!(bug.is_none() && batch.is_over());
        assert_eq!(batch.end(), Code::Check);
    }

    #[test]
    fn names_stay_in_their_cells() {
        assert_eq!(cell(Path::new("a b.sms")), "a b.sms");
        assert_eq!(cell(Path::new("a\tb\nc")), "a\\tb\\nc");
    }
}
