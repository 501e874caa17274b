//! Lines that are equal: inclusion–exclusion over g equal columns needs g + 1 subset sizes, not 2ᵍ subsets.

use crate::permanent::IntMatrix;
use std::collections::HashMap;

/// The rows of a matrix, and its columns, by equality; groups by their first line, lines ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Groups of equal rows.
    pub rows: Vec<Vec<u32>>,
    /// Groups of equal columns.
    pub cols: Vec<Vec<u32>>,
}

impl Groups {
    /// The groups of a matrix.
    pub fn new(a: &IntMatrix) -> Self {
        Groups { rows: equal_rows(a), cols: equal_rows(&a.transpose()) }
    }

    /// log₂ Π (g + 1) over the groups of rows, and of columns: the terms that inclusion–exclusion over these lines has.
    pub fn log2_terms(&self) -> [f64; 2] {
        [&self.rows, &self.cols].map(|groups| groups.iter().map(|g| ((g.len() + 1) as f64).log2()).sum())
    }
}

fn equal_rows(a: &IntMatrix) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut index = HashMap::new();
    for (i, row) in a.rows().enumerate() {
        let key: Vec<_> = row.iter().map(|(j, v)| (*j, v.to_bigint())).collect();
        let k = *index.entry(key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[k].push(i as u32);
    }
    groups
}
