//! Connected components of the bipartite graph of a matrix: rows and columns are its vertices, entries its edges.
//!
//! Rows that share a column are joined by union–find (R. E. Tarjan, J. ACM 22 (1975); path halving), in one pass over
//! the entries.

use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// What the memory is for.
const COMPONENTS: &str = "connected components";

/// Rows or columns that one task looks at, or more.
const TASK: usize = 1 << 12;

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
    /// The components of the graph in which row i is joined with the columns `line(i)`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn of_lines<'l>(rows: usize, cols: usize, line: impl Fn(usize) -> &'l [u32] + Sync) -> Result<Self> {
        if rows >= 2 * TASK && rayon::current_num_threads() > 1 {
            return in_parallel(rows, cols, line);
        }
        Components::of(rows, cols, (0..rows).flat_map(|i| line(i).iter().map(move |&j| (i as u32, j))))
    }
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

/// The same on several threads: links are made by compare and swap, always to the smaller row, so that the root of a
/// component is its least row in the end, whatever the order (R. J. Anderson, H. Woll, *Wait-free parallel algorithms
/// for the union-find problem*, STOC 1991).
fn in_parallel<'l>(rows: usize, cols: usize, line: impl Fn(usize) -> &'l [u32] + Sync) -> Result<Components> {
    let parent: Vec<AtomicU32> = memory::collect((0..rows as u32).map(AtomicU32::new), COMPONENTS)?;
    let meets: Vec<AtomicU32> = memory::collect((0..cols).map(|_| AtomicU32::new(NONE)), COMPONENTS)?;
    let each = || (0..rows).into_par_iter().with_min_len(TASK);
    each().for_each(|i| {
        for &j in line(i) {
            // Most columns have been met: reading leaves their lines shared.
            let meets = &meets[j as usize];
            let first = match meets.load(Relaxed) {
                NONE => meets.compare_exchange(NONE, i as u32, Relaxed, Relaxed).err(),
                first => Some(first),
            };
            if let Some(first) = first {
                join(&parent, i as u32, first);
            }
        }
    });
    // Roots by ascending number; rows without entries are roots of nothing.
    let mut label = memory::filled(NONE, rows, COMPONENTS)?;
    let mut count = 0;
    for i in 0..rows {
        if parent[i].load(Relaxed) == i as u32 && !line(i).is_empty() {
            label[i] = count;
            count += 1;
        }
    }
    let of = |i: u32| label[root(&parent, i) as usize];
    let mut row = memory::cleared(rows, COMPONENTS)?;
    row.par_iter_mut().with_min_len(TASK).enumerate().each(|(i, row)| *row = of(i as u32));
    let mut col = memory::cleared(cols, COMPONENTS)?;
    col.par_iter_mut().zip(&meets).with_min_len(TASK).each(|(col, meets)| {
        let meets = meets.load(Relaxed);
        *col = if meets == NONE { NONE } else { of(meets) };
    });
    Ok(Components { count: count as usize, row, col })
}

/// Joins the components of two rows.
fn join(parent: &[AtomicU32], mut a: u32, mut b: u32) {
    loop {
        (a, b) = (root(parent, a), root(parent, b));
        if a == b {
            return;
        }
        let (least, other) = (a.min(b), a.max(b));
        if parent[other as usize].compare_exchange(other, least, Relaxed, Relaxed).is_ok() {
            return;
        }
    }
}

/// The row that its component points to at the moment; paths are halved on the way.
fn root(parent: &[AtomicU32], mut i: u32) -> u32 {
    loop {
        let above = parent[i as usize].load(Relaxed);
        let beyond = parent[above as usize].load(Relaxed);
        if above == beyond {
            return above;
        }
        // Where another thread was faster, its link is as good.
        let _ = parent[i as usize].compare_exchange(above, beyond, Relaxed, Relaxed);
        i = beyond;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// The same components on every number of threads: one, many, paths, empty lines.
    #[test]
    fn in_parallel_they_are_the_same() {
        let mut rng = Rng::seed_from_u64(41);
        let n = 3 * TASK;
        let mut random = |weight: usize| -> Vec<Vec<u32>> {
            let mut line = |_| (0..rng.random_range(0..=weight)).map(|_| rng.random_range(0..n as u32)).collect();
            (0..n).map(&mut line).collect()
        };
        let path = (0..n as u32).map(|i| vec![i, (i + 1) % n as u32]).rev().collect();
        let matchings = (0..n as u32).map(|i| if i % 5 == 0 { vec![] } else { vec![i / 2] }).collect();
        for lines in [random(0), random(1), random(2), random(9), path, matchings] {
            let expected = Components::of(n, n, (0..).zip(&lines).flat_map(|(i, l)| l.iter().map(move |&j| (i, j))));
            for threads in [2, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| Components::of_lines(n, n, |i| &lines[i][..])).unwrap();
                assert_eq!(&found, expected.as_ref().unwrap());
            }
        }
    }
}
