//! Which of the matrices in a container is meant: the one that is asked for, or the only one that can be.
//!
//! Containers are read in one pass, so that a pipe will do: what may be the matrix is read when it comes by, and what
//! comes later may replace it, or make the choice ambiguous.

use crate::{Error, Result};

/// How much speaks for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Rank {
    /// Any file: a matrix if it can be read as one.
    Other,
    /// By its name or type a matrix.
    Matrix,
    /// The matrix itself by the convention of a collection: SuiteSparse's `NAME/NAME.mtx` and `Problem.A`.
    Main,
}

#[cfg(any(test, feature = "archives"))]
impl Rank {
    /// The rank of a file in an archive.
    pub fn of_file(name: &str) -> Rank {
        const ENDINGS: [&str; 13] =
            ["mtx", "mm", "sms", "rb", "hb", "rua", "rsa", "pua", "psa", "rra", "mat", "npy", "npz"];
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let Some((stem, ending)) = unpacked_name(file).rsplit_once('.') else { return Rank::Other };
        let matrix = ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
        match matrix {
            true if folder.rsplit('/').next() == Some(stem) && !stem.is_empty() => Rank::Main,
            true => Rank::Matrix,
            false => Rank::Other,
        }
    }
}

/// Whether an archive's member is none of the user's files: what archivers of a system add, hidden files.
#[cfg(feature = "archives")]
pub(in super::super) fn is_hidden(name: &str) -> bool {
    name.starts_with("__MACOSX/")
        || name.rsplit('/').next().is_some_and(|file| file.starts_with('.') || file.is_empty())
}

/// The name without the endings of compression.
fn unpacked_name(file: &str) -> &str {
    let cut = [".gz", ".xz", ".bz2", ".zst"].iter().find_map(|ending| {
        let at = file.len().checked_sub(ending.len())?;
        (file.is_char_boundary(at) && file[at..].eq_ignore_ascii_case(ending)).then_some(at)
    });
    cut.map_or(file, |at| &file[..at])
}

/// Names that an error lists.
const LISTED: usize = 12;

/// The choice so far.
pub(in super::super) struct Choice<'s, T> {
    /// What there is to choose from: members, variables.
    what: &'static str,
    wanted: &'s str,
    names: Vec<String>,
    /// Names beyond those listed.
    more: usize,
    best: Option<Best<T>>,
    /// How many were tried in vain.
    refused: usize,
}

struct Best<T> {
    name: String,
    rank: Rank,
    /// `None` if another is as good.
    found: Option<Result<T>>,
}

impl<'s, T> Choice<'s, T> {
    /// Nothing seen yet; `wanted` is a name, or empty.
    pub fn new(what: &'static str, wanted: &'s str) -> Self {
        Choice { what, wanted, names: vec![], more: 0, best: None, refused: 0 }
    }

    /// Whether the member that comes by is to be read: then [`Choice::found`] follows.
    pub fn wants(&mut self, name: &str, rank: Rank) -> bool {
        self.see(name);
        if !self.wanted.is_empty() {
            let is_it = name == self.wanted || name.rsplit('/').next() == Some(self.wanted);
            return is_it && !self.doubt();
        }
        let Some(best) = &mut self.best else { return true };
        if rank != best.rank {
            return rank > best.rank;
        }
        if rank == Rank::Other {
            return best.found.is_some();
        }
        let stem = |name: &str| unpacked_name(name).rsplit_once('.').map_or(name, |(stem, _)| stem).to_string();
        let (old, new) = (stem(&best.name), stem(name));
        let companion = |of: &str, other: &str| other.strip_prefix(of).is_some_and(|rest| rest.starts_with('_'));
        if companion(&old, &new) {
            return false;
        }
        companion(&new, &old) || !self.doubt()
    }

    /// Adds a name that is no candidate.
    pub fn see(&mut self, name: &str) {
        match self.names.len() < LISTED {
            true => self.names.push(name.escape_debug().to_string()),
            false => self.more += 1,
        }
    }

    /// Whether there is one already that is as good: then neither is taken.
    fn doubt(&mut self) -> bool {
        self.best.as_mut().map(|best| best.found = None).is_some()
    }

    /// What reading gave.
    ///
    /// # Errors
    /// Those that say nothing about the file: interruption, memory, the system.
    pub fn found(&mut self, name: &str, rank: Rank, result: Result<T>) -> Result<()> {
        if let Err(error) = result {
            if !matches!(error, Error::Input { .. }) {
                return Err(error);
            }
            self.refused += 1;
            let replaced = self.best.as_ref().is_none_or(|best| rank > best.rank || rank != Rank::Other);
            if replaced {
                self.best = Some(Best { name: name.to_string(), rank, found: Some(Err(error)) });
            }
            return Ok(());
        }
        match &mut self.best {
            Some(Best { rank: Rank::Other, found, .. }) if rank == Rank::Other && matches!(found, Some(Ok(_))) => {
                *found = None;
            }
            best => *best = Some(Best { name: name.to_string(), rank, found: Some(result) }),
        }
        Ok(())
    }

    /// The one, or a message why there is none; `file` is how the user names the container.
    pub fn finish(self, file: &str) -> std::result::Result<Result<T>, String> {
        let Choice { what, wanted, names, more, best, refused } = self;
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let list = if names.is_empty() { "nothing".to_string() } else { format!("{}{more}", names.join(", ")) };
        let Some(best) = best else {
            return Err(match wanted {
                "" => format!("no matrix in it: expected a {what} with one, found {list}"),
                _ => format!("expected the {what} {wanted:?}, found {list}"),
            });
        };
        match best.found {
            Some(Err(_)) if best.rank == Rank::Other && refused > 1 && wanted.is_empty() => {
                Err(format!("no matrix in it: expected a {what} with one, found {list}"))
            }
            Some(found) => Ok(found),
            None => {
                let example = names.iter().find(|name| **name == best.name).unwrap_or(&names[0]);
                Err(format!("expected one matrix, found {list}: name the {what}, as in {file}::{example}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen of files that all can be read, or those with `bad` in their names not.
    fn chosen(wanted: &str, names: &[&str]) -> std::result::Result<String, String> {
        let mut choice = Choice::new("member", wanted);
        for name in names {
            let rank = Rank::of_file(name);
            if choice.wants(name, rank) {
                let bad = Error::Input { file: (*name).into(), line: 1, message: "bad".into() };
                let result = if name.contains("bad") { Err(bad) } else { Ok(name.to_string()) };
                choice.found(name, rank, result).unwrap();
            }
        }
        choice.finish("x.tar").and_then(|found| found.map_err(|error| error.to_string()))
    }

    #[test]
    fn the_one_that_is_meant() {
        for (names, expected) in [
            (&["a.mtx"][..], "a.mtx"),
            (&["a"], "a"),
            (&["README", "A/A.mtx", "A/A_b.mtx"], "A/A.mtx"),
            (&["A/A_b.mtx", "A/A.mtx", "A/A_coord.mtx"], "A/A.mtx"),
            (&["x/A/A.rb.gz", "x/A/b.rb"], "x/A/A.rb.gz"),
            (&["a_b.mtx", "a.mtx.gz", "a_c.mtx"], "a.mtx.gz"),
            (&["bad", "notes.bad.txt", "b"], "b"),
            (&["b", "bad"], "b"),
            (&["b", "c", "m.SMS"], "m.SMS"),
        ] {
            assert_eq!(chosen("", names).as_deref(), Ok(expected), "{names:?}");
        }
        assert_eq!(chosen("A/A_b.mtx", &["A/A.mtx", "A/A_b.mtx"]).unwrap(), "A/A_b.mtx");
        assert_eq!(chosen("A_b.mtx", &["A/A.mtx", "A/A_b.mtx"]).unwrap(), "A/A_b.mtx");
    }

    #[test]
    fn doubts_are_told() {
        let several = "expected one matrix, found a.mtx, b.mtx: name the member, as in x.tar::a.mtx";
        assert_eq!(chosen("", &["a.mtx", "b.mtx"]).unwrap_err(), several);
        for names in [&["a", "b"][..], &["A/A.mtx", "B/B.mtx"], &["a.mtx", "b.mtx", "c.mtx"], &["a.mtx", "a.sms"]] {
            assert!(chosen("", names).unwrap_err().starts_with("expected one matrix, found "), "{names:?}");
        }
        assert_eq!(chosen("", &[]).unwrap_err(), "no matrix in it: expected a member with one, found nothing");
        assert_eq!(chosen("", &["bad.mtx"]).unwrap_err(), "bad.mtx:1: bad");
        assert_eq!(
            chosen("", &["bad", "bad2"]).unwrap_err(),
            "no matrix in it: expected a member with one, found bad, bad2"
        );
        assert_eq!(chosen("c", &["a", "b"]).unwrap_err(), "expected the member \"c\", found a, b");
        let many: Vec<String> = (0..20).map(|k| format!("{k}.mtx")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(chosen("", &many).unwrap_err().contains("11.mtx and 8 more: name"));
    }
}
