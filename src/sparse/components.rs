//! Connected components of the bipartite graph of a matrix: rows and columns are its vertices, entries its edges.
//!
//! Rows that share a column are joined by union–find (R. E. Tarjan, J. ACM 22 (1975); path halving), in one pass over
//! the entries.

use crate::{Result, memory};

/// What the memory is for.
const COMPONENTS: &str = "connected components";

/// Stands for a missing label.
const NONE: u32 = u32::MAX;

/// The connected components, numbered 0 … count - 1 by their least rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// Number of components. Each has at least one entry: a line without entries belongs to none.
    pub count: usize,
    /// For each row, its component; `u32::MAX` if the row is empty.
    pub row: Vec<u32>,
    /// For each column, its component; `u32::MAX` if the column is empty.
    pub col: Vec<u32>,
}

impl Components {
    /// The components of the graph with the given edges (row, column).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn of(rows: usize, cols: usize, edges: impl Iterator<Item = (u32, u32)>) -> Result<Self> {
        // Each row points to itself or to a smaller row of its component; rows without edges point nowhere.
        let mut parent = memory::filled(NONE, rows, COMPONENTS)?;
        let mut col = memory::filled(NONE, cols, COMPONENTS)?; // first a row of each column, then its label
        for (i, j) in edges {
            if parent[i as usize] == NONE {
                parent[i as usize] = i;
            }
            let meets = &mut col[j as usize];
            if *meets == NONE {
                *meets = i;
            } else {
                let (a, b) = (least(&mut parent, i), least(&mut parent, *meets));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        // Least rows come first, so that the row pointed to already has its label.
        let mut row = parent;
        let mut count = 0;
        for i in 0..rows {
            if row[i] == i as u32 {
                row[i] = count;
                count += 1;
            } else if row[i] != NONE {
                row[i] = row[row[i] as usize];
            }
        }
        col.iter_mut().filter(|j| **j != NONE).for_each(|j| *j = row[*j as usize]);
        Ok(Components { count: count as usize, row, col })
    }
}

/// The least row of the component so far.
fn least(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let above = parent[parent[i as usize] as usize];
        parent[i as usize] = above;
        i = above;
    }
    i
}
