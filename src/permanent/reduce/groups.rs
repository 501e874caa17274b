//! Equal lines: inclusion–exclusion over g equal columns needs g + 1 subset sizes, not 2ᵍ subsets.

use crate::permanent::IntMatrix;
use crate::{Result, memory};
use num_bigint::BigInt;
use std::collections::HashMap;

/// What the memory is for.
const GROUPS: &str = "groups of equal lines";

/// The rows of a matrix, and its columns, grouped by equality; groups ordered by their first line, lines ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Groups of equal rows.
    pub rows: Vec<Vec<u32>>,
    /// Groups of equal columns.
    pub cols: Vec<Vec<u32>>,
}

impl Groups {
    /// The groups of a matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(a: &IntMatrix) -> Result<Self> {
        Ok(Groups { rows: equal_rows(a)?, cols: equal_rows(&a.transpose()?)? })
    }

    /// log₂ Π (g + 1) over the groups of rows, and of columns: the terms that inclusion–exclusion over these lines has.
    pub fn log2_terms(&self) -> [f64; 2] {
        [&self.rows, &self.cols].map(|groups| groups.iter().map(|g| ((g.len() + 1) as f64).log2()).sum())
    }
}

fn equal_rows(a: &IntMatrix) -> Result<Vec<Vec<u32>>> {
    let mut groups: Vec<Vec<u32>> = memory::with_capacity(a.n(), GROUPS)?;
    let mut index: HashMap<Vec<(u32, BigInt)>, usize> = HashMap::new();
    memory::reserve_table(&mut index, a.n(), GROUPS)?;
    for (i, row) in a.rows().enumerate() {
        let key = row.iter().map(|(j, v)| (*j, v.to_bigint())).collect();
        let k = *index.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        memory::push(&mut groups[k], i as u32, GROUPS)?;
    }
    Ok(groups)
}
