//! A chain complex: its boundary matrices, which fit together.

use super::square;
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use sha2::{Digest, Sha256};

/// What the memory is for.
const AUGMENTATION: &str = "the augmentation of a complex";

/// A chain complex of free ℤ-modules of finite rank, from degree 0 (augmented: -1) upwards.
///
/// Invariant: there are cells of at least one degree; `boundaries[k]` is `cells[k + 1]` × `cells[k]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ChainComplex {
    /// How many cells each degree has, from the lowest degree on.
    cells: Vec<usize>,
    boundaries: Vec<Triplets>,
    /// What each boundary is called where something is wrong with it: `D1`, or a file.
    names: Vec<String>,
    augmented: bool,
}

impl ChainComplex {
    /// The complex with boundaries D₁, D₂, …, from degree 1 upwards: D_k has a row for each k-cell and a column for
    /// each (k-1)-cell. `names` are used in errors.
    ///
    /// # Errors
    /// [`Error::Usage`] for no boundaries, [`Error::Matrix`] if a matrix has not as many columns as the one before it
    /// has rows.
    ///
    /// # Panics
    /// If there are not as many names as boundaries.
    pub fn named(boundaries: Vec<Triplets>, names: Vec<String>) -> Result<Self> {
        assert_eq!(boundaries.len(), names.len(), "a name for each boundary");
        let Some(first) = boundaries.first() else {
            return Err(Error::Usage("a complex needs a boundary matrix: none was given".into()));
        };
        for (pair, name) in boundaries.windows(2).zip(names.windows(2)) {
            let (lower, upper) = (&pair[0], &pair[1]);
            if upper.cols() != lower.rows() {
                return Err(Error::Matrix(format!(
                    "{} is {} x {} and {} is {} x {}: a boundary matrix has a column for each row of the one before it",
                    name[0],
                    lower.rows(),
                    lower.cols(),
                    name[1],
                    upper.rows(),
                    upper.cols()
                )));
            }
        }
        let cells = std::iter::once(first.cols()).chain(boundaries.iter().map(Triplets::rows)).collect();
        Ok(ChainComplex { cells, boundaries, names, augmented: false })
    }

    /// [`ChainComplex::named`] with the names `D1`, `D2`, ….
    ///
    /// # Errors
    /// As there.
    pub fn new(boundaries: Vec<Triplets>) -> Result<Self> {
        let names = (1..=boundaries.len()).map(|k| format!("D{k}")).collect();
        ChainComplex::named(boundaries, names)
    }

    /// Cells of degree 0 alone.
    pub fn points(count: usize) -> Self {
        ChainComplex { cells: vec![count], boundaries: vec![], names: vec![], augmented: false }
    }

    /// The augmented complex, whose homology is the reduced one: a cell of degree -1, the boundary of each 0-cell.
    ///
    /// # Errors
    /// [`Error::Usage`] if it is augmented already, [`Error::Memory`].
    pub fn augmented(mut self) -> Result<Self> {
        if self.augmented {
            return Err(Error::Usage("the complex is augmented already".into()));
        }
        let points = self.cells[0];
        let row = memory::collect(0..points as u32, AUGMENTATION)?;
        let (col, value) = (memory::zeros(points, AUGMENTATION)?, memory::filled(1i64, points, AUGMENTATION)?);
        let augmentation = Triplets { rows: points, cols: 1, row, col, value: value.into(), big: vec![] };
        self.boundaries.insert(0, augmentation);
        self.names.insert(0, "the augmentation".into());
        self.cells.insert(0, 1);
        self.augmented = true;
        Ok(self)
    }

    /// The degree of the first of [`ChainComplex::cells`]: 0, or -1 if augmented.
    #[must_use]
    pub fn lowest_degree(&self) -> i64 {
        if self.augmented { -1 } else { 0 }
    }
    /// How many cells each degree has, from the lowest degree on.
    #[must_use]
    pub fn cells(&self) -> &[usize] {
        &self.cells
    }
    /// The boundary matrices, each from its degree to the one below, from the lowest degree plus 1 on.
    pub fn boundaries(&self) -> &[Triplets] {
        &self.boundaries
    }
    /// Σ (-1)^k · (number of k-cells).
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        alternating_sum(self.lowest_degree(), &self.cells)
    }

    /// Checks ∂∂ = 0 by multiplication: over ℤ, exactly, or, if there are `moduli`, modulo each of these.
    ///
    /// # Errors
    /// [`Error::Matrix`] with the first entry that is not 0, [`Error::Memory`], [`Error::Interrupted`].
    pub fn check(&self, moduli: &[Modulus], observer: &dyn Observer) -> Result<()> {
        observer.phase("boundary of boundary", self.boundaries.len().saturating_sub(1) as u64);
        for (k, (pair, names)) in self.boundaries.windows(2).zip(self.names.windows(2)).enumerate() {
            observer.progress(k as u64);
            if let Some(place) = square::first_entry(&pair[1], &pair[0], moduli, observer)? {
                return Err(Error::Matrix(format!(
                    "not a chain complex: {} times {} is not 0, its entry in row {}, column {} (from 1) is {}",
                    names[1],
                    names[0],
                    place.row + 1,
                    place.col + 1,
                    place.value
                )));
            }
        }
        Ok(())
    }

    /// SHA-256, as 64 hexadecimal digits, over the 21 ASCII bytes `blackfield complex 1\n`, the lowest degree as 8
    /// bytes in two's complement, how many degrees there are and how many cells each has, as 8 bytes each, all
    /// little-endian, and the 64 digits of each boundary's [`Triplets::digest`].
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"blackfield complex 1\n");
        hash.update(self.lowest_degree().to_le_bytes());
        hash.update((self.cells.len() as u64).to_le_bytes());
        self.cells.iter().for_each(|&cells| hash.update((cells as u64).to_le_bytes()));
        self.boundaries.iter().for_each(|d| hash.update(d.digest()));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Σ (-1)^k · numbers[k - lowest].
pub(crate) fn alternating_sum(lowest: i64, numbers: &[usize]) -> i64 {
    let sign = |k: i64| if k.rem_euclid(2) == 0 { 1 } else { -1 };
    (lowest..).zip(numbers).map(|(k, &count)| sign(k) * count as i64).sum()
}
