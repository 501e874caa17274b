//! The ways to finish, and the thresholds that decide between them.

/// A method that ends with an answer that is proven, or has a negligible error bound may be predicted to take this many
/// times as long.
pub const WORTH: f64 = 3.0;
/// Below so many seconds nothing else is considered.
pub const SHORT: f64 = 0.1;
/// Below so many seconds a row space without rival is sought to its end: repeated work if the rank is not small must be
/// negligible.
pub const LONG: f64 = 2.0;
/// Below so many seconds a Schur complement is not formed.
pub const IMMEDIATE: f64 = 0.02;
/// The share of block Wiedemann's worst case that is spent on the hope for a small rank.
pub const HOPE: f64 = 0.25;
/// The same for a generic matrix, of which a small rank is not expected: block Wiedemann stops early for one, too.
pub const LITTLE_HOPE: f64 = 1.0 / 32.0;
/// The share of it that is spent on a sketch, which ends sooner than that for all but the largest ranks; one that is
/// worth it ([`WORTH`]) goes on to its end. (Of a generic matrix, no other is made.)
pub const SKETCH: f64 = 0.5;
/// A row space that is given up for a sketch may take this share of the first one.
pub const FIRST: f64 = 0.25;

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Finish {
    /// S is zero.
    Nothing,
    /// All rows in a dense echelon form: of S, or of A without regard to the `pivots` that were found.
    EveryRow { pivots: bool },
    /// The row space of S, given up once its rank exceeds this (`usize::MAX`: never).
    RowSpace { give_up: usize },
    /// Sketches of S, given up once the rank exceeds this.
    Sketch { give_up: usize },
    /// Block Wiedemann on S, or on A without regard to the `pivots` that were found.
    Wiedemann { pivots: bool },
}

/// Ways for which memory ended, whatever was predicted: they are not tried again on the same matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Refused {
    pub every_row: bool,
    pub row_space: bool,
    pub sketch: bool,
    pub wiedemann: bool,
    /// Any way, on a GPU that is not demanded.
    pub gpu: bool,
}

impl Refused {
    /// The same, and this way.
    pub fn and(mut self, finish: Finish) -> Self {
        match finish {
            Finish::Nothing => {}
            Finish::EveryRow { .. } => self.every_row = true,
            Finish::RowSpace { .. } => self.row_space = true,
            Finish::Sketch { .. } => self.sketch = true,
            Finish::Wiedemann { .. } => self.wiedemann = true,
        }
        self
    }
}

impl Finish {
    /// What the step is called.
    pub fn name(self) -> &'static str {
        match self {
            Finish::Nothing => "nothing",
            Finish::EveryRow { .. } => "dense elimination",
            Finish::RowSpace { .. } => "row space",
            Finish::Sketch { .. } => "sketch",
            Finish::Wiedemann { .. } => "block Wiedemann",
        }
    }
    /// Whether both are row spaces, of which this one is given up earlier.
    pub fn ends_before(self, other: Finish) -> bool {
        let (Finish::RowSpace { give_up }, Finish::RowSpace { give_up: later }) = (self, other) else { return false };
        give_up < later
    }
}

/// Whether a row space of `worst` seconds is sought to its end, though block Wiedemann takes `wiedemann`.
pub fn is_short(worst: f64, wiedemann: f64) -> bool {
    worst <= (WORTH * wiedemann).max(SHORT)
}

/// The largest r ≤ `most` for which `holds`, which is true up to some r and false beyond; 0 if there is none above.
pub fn largest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}
