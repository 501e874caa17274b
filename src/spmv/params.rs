//! The thresholds of the chooser, as a value that a tuner can write.

/// Thresholds of [`super::Plan::choose`]; the defaults are judgements, to be replaced by a tuner's measurements.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Params {
    /// What a part takes for each row with entries of it and each 32 columns of a block, in nanoseconds: where ±1 get
    /// parts of their own, products are saved, which are priced beside these.
    pub run: f64,
    /// The same in addition where a row has another number of its entries than the row before.
    pub turn: f64,
    /// ELL takes the common part of all rows if it holds this share of the entries.
    pub ell_share: f64,
    /// ELL_R takes all rows if its slots are filled to this share.
    pub ell_r_fill: f64,
    /// It also takes short rows of different weights if its padding makes it at most so many times as large as CSR,
    /// whose pointers are half of a short row.
    pub ell_r_bytes: f64,
    /// COO_S if fewer rows than this share have entries.
    pub coo_s_rows: f64,
    /// COO if there are fewer entries than this share of the rows.
    pub coo_entries: f64,
    /// DIA takes diagonals filled to this share …
    pub dia_fill: f64,
    /// … of which there are at most this many (a row's sum is read and written for each: with more, whole rows are
    /// sooner), …
    pub dia_diagonals: usize,
    /// … if they hold this share of the entries with values.
    pub dia_share: f64,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            run: 5.0,
            turn: 8.0,
            ell_share: 0.9,
            ell_r_fill: 0.8,
            ell_r_bytes: 1.5,
            coo_s_rows: 0.5,
            coo_entries: 0.02,
            dia_fill: 0.9,
            dia_diagonals: 2,
            dia_share: 0.8,
        }
    }
}
