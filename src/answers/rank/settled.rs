//! What a proof, or its want, makes of the rank of a complement.

use crate::Result;
use crate::dense::Echelon;

/// A rank of the Schur complement, and how sure it is.
pub(super) struct Settled {
    pub rank: usize,
    /// As many columns of the complement that are independent.
    pub pivot_cols: Vec<u32>,
    pub proven: bool,
    /// What is to be added to the reason of the answer.
    pub ground: String,
}

impl Settled {
    /// A rank that needs no proof beyond its row space.
    pub fn at_once(echelon: &Echelon) -> Result<Self> {
        let pivot_cols = echelon.pivot_cols()?;
        Ok(Settled { rank: echelon.rank(), pivot_cols, proven: true, ground: String::new() })
    }
}
