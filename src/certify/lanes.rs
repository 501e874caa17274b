//! k vectors side by side, one lane each, and the two things that certificates do with them: multiply by a row, and
//! substitute along a triangular chain. Plain loops over residues, on purpose: this is what a verdict rests on.

use crate::field::{Accumulator, DelayBudget, Modulus};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// k column vectors of a length n over GF(p), stored entry by entry: the k lanes of entry 0, of entry 1, …. A lane is a word,
/// and for p = 2, where there are 64 of them, a bit.
#[derive(Clone, Debug)]
pub struct Lanes {
    modulus: Modulus,
    /// Products of residues that may be added to a residue in 64 bits.
    delay: usize,
    lanes: usize,
    /// Words of an entry.
    words: usize,
    data: Vec<u64>,
    /// Whether a lane of an entry may be non-zero: most are not where a certificate is made.
    used: Vec<bool>,
}

impl Lanes {
    /// `lanes` zero vectors of length `n`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(modulus: Modulus, n: usize, lanes: usize) -> Result<Self> {
        let delay = DelayBudget::plain(modulus, Accumulator::U64).products_above(u128::from(modulus.get() - 1));
        let words = if modulus.get() == 2 { lanes.div_ceil(64) } else { lanes };
        let data = memory::zeros(n.saturating_mul(words), "the vectors of a certificate")?;
        Ok(Lanes { modulus, delay, lanes, words, data, used: memory::zeros(n, "the vectors of a certificate")? })
    }
    /// Whether lanes are bits.
    fn is_packed(&self) -> bool {
        self.modulus.get() == 2
    }
    fn entry(&self, j: u32) -> &[u64] {
        &self.data[j as usize * self.words..][..self.words]
    }
    /// The lanes of entry j.
    pub fn get(&self, j: u32) -> Vec<u64> {
        match self.is_packed() {
            true => (0..self.lanes).map(|l| self.entry(j)[l / 64] >> (l % 64) & 1).collect(),
            false => self.entry(j).to_vec(),
        }
    }
    /// Sets the lanes of entry j to `residues`.
    ///
    /// # Panics
    /// If there is not one residue a lane.
    pub fn set(&mut self, j: u32, residues: &[u64]) {
        assert_eq!(residues.len(), self.lanes, "one residue a lane");
        self.used[j as usize] = true;
        let packed = self.is_packed();
        let entry = &mut self.data[j as usize * self.words..][..self.words];
        if packed {
            let word = |bits: &[u64]| bits.iter().rev().fold(0, |word, bit| word << 1 | bit);
            entry.iter_mut().zip(residues.chunks(64)).for_each(|(x, bits)| *x = word(bits));
        } else {
            entry.copy_from_slice(residues);
        }
    }

    /// The inner product of each vector with row i of `a`.
    ///
    /// # Panics
    /// If `a` has not n columns, or `product` has not one slot a lane.
    pub fn product(&self, a: &SparseMatrix, i: u32, product: &mut [u64]) {
        self.product_with(a.row(i as usize), product);
    }

    fn product_with(&self, (cols, values): (&[u32], &[u64]), product: &mut [u64]) {
        assert_eq!(product.len(), self.lanes, "one inner product a lane");
        let p = self.modulus;
        if self.is_packed() {
            for (w, bits) in product.chunks_mut(64).enumerate() {
                let sum = cols.iter().filter(|&&j| self.used[j as usize]).fold(0, |sum, &j| sum ^ self.entry(j)[w]);
                bits.iter_mut().enumerate().for_each(|(l, bit)| *bit = sum >> l & 1);
            }
            return;
        }
        product.fill(0);
        let mut room = self.delay;
        for (&j, &v) in cols.iter().zip(values).filter(|&(&j, _)| self.used[j as usize]) {
            let lanes = self.entry(j);
            if self.delay == 0 {
                product.iter_mut().zip(lanes).for_each(|(sum, &w)| *sum = p.add(*sum, p.mul(v, w)));
                continue;
            }
            if room == 0 {
                product.iter_mut().for_each(|sum| *sum = p.reduce(*sum));
                room = self.delay;
            }
            product.iter_mut().zip(lanes).for_each(|(sum, &w)| *sum += v * w);
            room -= 1;
        }
        if self.delay > 0 {
            product.iter_mut().for_each(|sum| *sum = p.reduce(*sum));
        }
    }

    /// Sets the entries `cols`, whatever they are, so that each vector becomes orthogonal to the `rows` of `a`; the other
    /// entries stay.
    ///
    /// # Panics
    /// Unless row `rows[k]` has an entry in `cols[k]`. If it has one in `cols[l]` with l < k, the result means nothing.
    pub fn substitute(&mut self, a: &SparseMatrix, rows: &[u32], cols: &[u32]) {
        let p = self.modulus;
        let mut product = vec![0; self.lanes];
        for &j in cols {
            self.used[j as usize] = false;
        }
        for (&i, &j) in rows.iter().zip(cols).rev() {
            // `used` is off: the pivot itself does not count.
            let (row, values) = a.row(i as usize);
            let pivot = values[row.binary_search(&j).expect("a chain has an entry at each of its pivots")];
            self.product_with((row, values), &mut product);
            let inverse = p.neg(p.inv(pivot));
            product.iter_mut().for_each(|x| *x = p.mul(*x, inverse));
            self.set(j, &product);
            self.used[j as usize] = product.iter().any(|&x| x != 0);
        }
    }
}
