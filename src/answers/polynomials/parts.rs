//! The parts of a square matrix that a polynomial is put together from: principal submatrices.

use crate::matching::{Components, Split, strong_components};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// What the memory is for.
const PARTS: &str = "the diagonal blocks of a matrix";

/// A matrix of which only the entries inside parts are left, and its parts.
pub(super) struct Parts {
    matrix: SparseMatrix,
    components: Components,
}

impl Parts {
    /// The strongly connected components of the directed graph.
    pub fn strong(a: &SparseMatrix) -> Result<Self> {
        let (count, label) = strong_components(a)?;
        let mut inside = SparseMatrix::empty(a.modulus(), a.cols(), a.rows(), a.nnz())?;
        let mut row = vec![];
        for i in 0..a.rows() {
            let entries = a.row(i).0.iter().zip(a.row(i).1);
            row.extend(entries.filter(|(j, _)| label[**j as usize] == label[i]).map(|(&j, &v)| (j, v)));
            inside.push_row(&mut row);
            row.clear();
        }
        Self::of(inside, count, label)
    }

    /// The connected components of the undirected graph: no entry is outside.
    pub fn weak(a: &SparseMatrix) -> Result<Self> {
        let mut parent = memory::collect(0..a.rows() as u32, PARTS)?;
        for i in 0..a.rows() {
            for &j in a.row(i).0 {
                let (x, y) = (root(&mut parent, i as u32), root(&mut parent, j));
                // The smaller number stays: roots are the first lines of their parts.
                parent[x.max(y) as usize] = x.min(y);
            }
        }
        let mut label = memory::zeros(a.rows(), PARTS)?;
        let mut count = 0;
        for i in 0..a.rows() as u32 {
            let first = root(&mut parent, i);
            if first == i {
                label[i as usize] = count;
                count += 1;
            } else {
                label[i as usize] = label[first as usize];
            }
        }
        Self::of(a.try_clone()?, count as usize, label)
    }

    fn of(matrix: SparseMatrix, count: usize, label: Vec<u32>) -> Result<Self> {
        let components = Components { count, row: memory::copy(&label, PARTS)?, col: label };
        Ok(Parts { matrix, components })
    }

    /// Calls `take` with the diagonal entry of each part of order 1, and with the others as matrices and their numbers.
    pub fn each(
        &self,
        mut single: impl FnMut(u64) -> Result<()>,
        mut larger: impl FnMut(u64, SparseMatrix) -> Result<()>,
    ) -> Result<()> {
        let split = Split::new(&self.matrix, &self.components)?;
        for k in 0..split.count() {
            let part = split.part(k)?.matrix;
            match part.rows() {
                1 => single(part.values().first().copied().unwrap_or(0))?,
                _ => larger(k as u64, part)?,
            }
        }
        Ok(())
    }
}

/// The root of i's tree, halving the path to it.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    fn orders(parts: &Parts) -> (Vec<u64>, Vec<(usize, usize)>) {
        let (mut single, mut larger) = (vec![], vec![]);
        let take = |_, part: SparseMatrix| {
            larger.push((part.rows(), part.nnz()));
            Ok(())
        };
        let one = |v| {
            single.push(v);
            Ok(())
        };
        parts.each(one, take).unwrap();
        single.sort_unstable();
        larger.sort_unstable();
        (single, larger)
    }

    #[test]
    fn strong_parts_lose_entries_between_them_and_weak_parts_have_none() {
        let p = Modulus::new(11).unwrap();
        // A cycle 0 → 3 → 0, an arc to 1, a loop at 1, 2 alone, and a cycle 4 → 5 → 6 → 4 that 1 leads to.
        let entries = [(0, 3, 1), (3, 0, 2), (3, 1, 3), (1, 1, 4), (1, 5, 5), (4, 5, 6), (5, 6, 7), (6, 4, 8)];
        let a = SparseMatrix::from_triplets(p, 7, 7, &entries);
        assert_eq!(orders(&Parts::strong(&a).unwrap()), (vec![0, 4], vec![(2, 2), (3, 3)]));
        assert_eq!(orders(&Parts::weak(&a).unwrap()), (vec![0], vec![(6, 8)]));
        let none = SparseMatrix::from_triplets(p, 0, 0, &[]);
        assert_eq!(orders(&Parts::strong(&none).unwrap()), (vec![], vec![]));
        assert_eq!(orders(&Parts::weak(&none).unwrap()), (vec![], vec![]));
    }
}
