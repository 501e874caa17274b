//! Reading a matrix for a subcommand: from a file or standard input, timed and announced.

use crate::args::{InputArgs, Prime};
use crate::memory::check_header;
use crate::progress::Bars;
use blackfield::field::Modulus;
use blackfield::io;
use blackfield::report::Phases;
use blackfield::sparse::{RationalMatrix, Triplets};
use blackfield::words::counted;
use blackfield::{Error, Result};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// An integer matrix, the seconds its reading took, by the clock and as a phase, and what was said about it.
pub struct Loaded {
    pub triplets: Triplets,
    pub seconds: f64,
    pub read: Phases,
    pub warnings: Vec<String>,
    digest: OnceCell<String>,
}

impl Loaded {
    /// The digest of the triplets as they are at the first call, or of fractions: made once for all moduli.
    pub fn digest(&self) -> String {
        self.digest.get_or_init(|| self.triplets.digest()).clone()
    }
}

/// Reads `file` (`-`: standard input).
pub fn load(file: &Path, input: impl Into<InputArgs>, bars: &Bars) -> Result<Loaded> {
    load_within(file, input, None, bars)
}

/// [`load`] for a matrix whose entries, and whose lines at one byte each, take no more than `max_memory` bytes.
pub fn load_within(file: &Path, input: impl Into<InputArgs>, max_memory: Option<u64>, bars: &Bars) -> Result<Loaded> {
    let options = input.into().options().max_memory(max_memory);
    let (start, mut read) = (Instant::now(), Phases::default());
    let triplets = read.time("read", || io::read(file, &options, bars))?;
    check_header(max_memory, triplets.rows(), triplets.cols())?;
    let (seconds, warnings) = loaded(file, &triplets, start, bars);
    Ok(Loaded { triplets, seconds, read, warnings, digest: OnceCell::new() })
}

/// Says what was read; the seconds, and warnings.
fn loaded(file: &Path, triplets: &Triplets, start: Instant, bars: &Bars) -> (f64, Vec<String>) {
    let seconds = start.elapsed().as_secs_f64();
    bars.clear();
    let (rows, cols, nnz) = (triplets.rows(), triplets.cols(), triplets.nnz());
    bars.note(&format!("{}: {rows} x {cols}, {}, read in {seconds:.3} s", file.display(), counted(nnz, "non-zero")));
    (seconds, bars.take_warnings())
}

/// A matrix whose entries may be fractions a/b.
pub struct Rational {
    pub matrix: RationalMatrix,
    pub seconds: f64,
    pub read: Phases,
    pub warnings: Vec<String>,
    file: PathBuf,
}

/// [`load_within`] for a matrix whose entries may be fractions.
pub fn load_rational(
    file: &Path,
    input: impl Into<InputArgs>,
    max_memory: Option<u64>,
    bars: &Bars,
) -> Result<Rational> {
    let options = input.into().options().max_memory(max_memory);
    let (start, mut read) = (Instant::now(), Phases::default());
    let matrix = read.time("read", || io::read_rational(file, &options, bars))?;
    check_header(max_memory, matrix.numerators().rows(), matrix.numerators().cols())?;
    let (seconds, warnings) = loaded(file, matrix.numerators(), start, bars);
    Ok(Rational { matrix, seconds, read, warnings, file: file.to_path_buf() })
}

impl Rational {
    /// The integers that the entries are mod p, those of a matrix without fractions as they are.
    ///
    /// # Errors
    /// [`Error::Input`] if p divides a denominator.
    pub fn residues(self, p: Modulus) -> Result<Loaded> {
        self.check(p)?;
        match self.matrix.is_integral() {
            true => Ok(self.numerators()),
            false => {
                let triplets = self.matrix.residues(p)?;
                Ok(Loaded { triplets, ..self.numerators() })
            }
        }
    }
    /// The integers that rows are over their denominators: rank, null space and row space are theirs.
    pub fn numerators(self) -> Loaded {
        let digest = OnceCell::new();
        if !self.matrix.is_integral() {
            digest.set(self.matrix.digest()).expect("it is new");
        }
        let (triplets, _) = self.matrix.into_parts();
        Loaded { triplets, seconds: self.seconds, read: self.read, warnings: self.warnings, digest }
    }
    /// The integers of a matrix without fractions.
    ///
    /// # Errors
    /// [`Error::Input`] if it has some.
    pub fn integers(self) -> Result<Loaded> {
        self.check_integral()?;
        Ok(self.numerators())
    }
    fn check_integral(&self) -> Result<()> {
        if self.matrix.is_integral() {
            return Ok(());
        }
        let message = "fractions are not possible modulo primes beyond 2^63: multiply rows by their denominators";
        Err(Error::Input { file: self.file.clone(), line: 0, message: message.into() })
    }
    /// # Errors
    /// [`Error::Input`] if there are no residues modulo a prime of any size.
    pub fn check_prime(&self, p: &Prime) -> Result<()> {
        match p {
            Prime::Word(p) => self.check(*p),
            Prime::Large(_) => self.check_integral(),
        }
    }
    /// # Errors
    /// [`Error::Input`] if p divides a denominator.
    pub fn check(&self, p: Modulus) -> Result<()> {
        let Some((row, d, line)) = self.matrix.without_residues(p) else { return Ok(()) };
        let row = row + 1;
        let message = format!(
            "row {row}, whose first fraction is here, has the common denominator {d}: {p} divides it, so that there are no residues"
        );
        Err(Error::Input { file: self.file.clone(), line, message })
    }
}

/// Refuses a list of files that names standard input twice: it can be read once.
pub fn check_stdin_once(files: &[impl AsRef<Path>]) -> Result<()> {
    if files.iter().filter(|file| file.as_ref().as_os_str() == "-").count() > 1 {
        return Err(Error::Usage("standard input (`-`) can be read only once".into()));
    }
    Ok(())
}
