//! k vectors side by side, one lane each, and the two operations that certificates need: multiplication by a row, and
//! substitution along a triangular chain. Deliberately plain loops over residues: verdicts rest on them.

use crate::field::{Accumulator, DelayBudget, Modulus};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use std::ops::Range;

/// k column vectors of a length n over GF(p), stored entry by entry: the k lanes of entry 0, of entry 1, …. A lane is a
/// 32-bit word for p < 2³², a 64-bit word above, and for p = 2 a bit, 64 of them in a word.
#[derive(Clone, Debug)]
pub struct Lanes {
    modulus: Modulus,
    /// Products of residues that may be added to a residue in 64 bits.
    delay: usize,
    lanes: usize,
    /// Words per entry.
    words: usize,
    data: Words,
    /// Whether a lane of an entry may be non-zero: few are while a certificate is made.
    used: Vec<bool>,
}

/// The lanes of all entries.
#[derive(Clone, Debug)]
enum Words {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Lanes {
    /// `lanes` zero vectors of length `n`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn zeros(modulus: Modulus, n: usize, lanes: usize) -> Result<Self> {
        let delay = DelayBudget::plain(modulus, Accumulator::U64).products_above(u128::from(modulus.get() - 1));
        let words = if modulus.get() == 2 { lanes.div_ceil(64) } else { lanes };
        let size = n.saturating_mul(words);
        let data = match modulus.get() {
            3..=0xffff_ffff => Words::Narrow(memory::zeros(size, "the vectors of a certificate")?),
            _ => Words::Wide(memory::zeros(size, "the vectors of a certificate")?),
        };
        Ok(Lanes { modulus, delay, lanes, words, data, used: memory::zeros(n, "the vectors of a certificate")? })
    }
    /// Whether lanes are bits.
    fn is_packed(&self) -> bool {
        self.modulus.get() == 2
    }
    /// The range of the words of entry j.
    fn at(&self, j: u32) -> Range<usize> {
        j as usize * self.words..(j as usize + 1) * self.words
    }
    /// The lanes of entry j.
    pub fn get(&self, j: u32) -> Vec<u64> {
        match &self.data {
            Words::Wide(data) if self.is_packed() => {
                (0..self.lanes).map(|l| data[self.at(j)][l / 64] >> (l % 64) & 1).collect()
            }
            Words::Wide(data) => data[self.at(j)].to_vec(),
            Words::Narrow(data) => data[self.at(j)].iter().map(|&x| x.into()).collect(),
        }
    }
    /// Sets the lanes of entry j to `residues`.
    ///
    /// # Panics
    /// Unless there is one residue per lane.
    pub fn set(&mut self, j: u32, residues: &[u64]) {
        assert_eq!(residues.len(), self.lanes, "one residue per lane");
        self.used[j as usize] = true;
        let (at, packed) = (self.at(j), self.is_packed());
        match &mut self.data {
            Words::Wide(data) if packed => {
                let word = |bits: &[u64]| bits.iter().rev().fold(0, |word, bit| word << 1 | bit);
                data[at].iter_mut().zip(residues.chunks(64)).for_each(|(x, bits)| *x = word(bits));
            }
            Words::Wide(data) => data[at].copy_from_slice(residues),
            Words::Narrow(data) => data[at].iter_mut().zip(residues).for_each(|(x, &residue)| *x = residue as u32),
        }
    }

    /// The inner product of each vector with row i of `a`.
    ///
    /// # Panics
    /// If `a` does not have n columns, or `product` not one slot per lane.
    pub fn product(&self, a: &SparseMatrix, i: u32, product: &mut [u64]) {
        self.product_with(a.row(i as usize), product);
    }

    fn product_with(&self, row: (&[u32], &[u64]), product: &mut [u64]) {
        assert_eq!(product.len(), self.lanes, "one inner product per lane");
        match &self.data {
            Words::Wide(data) if self.is_packed() => self.sum_of_bits(data, row.0, product),
            Words::Wide(data) => self.sum(data, row, product),
            Words::Narrow(data) => self.sum(data, row, product),
        }
    }

    fn sum_of_bits(&self, data: &[u64], cols: &[u32], product: &mut [u64]) {
        for (w, bits) in product.chunks_mut(64).enumerate() {
            let used = cols.iter().filter(|&&j| self.used[j as usize]);
            let sum = used.fold(0, |sum, &j| sum ^ data[self.at(j)][w]);
            bits.iter_mut().enumerate().for_each(|(l, bit)| *bit = sum >> l & 1);
        }
    }

    fn sum<T: Copy + Into<u64>>(&self, data: &[T], (cols, values): (&[u32], &[u64]), product: &mut [u64]) {
        let p = self.modulus;
        product.fill(0);
        let mut room = self.delay;
        for (&j, &v) in cols.iter().zip(values).filter(|&(&j, _)| self.used[j as usize]) {
            let lanes = product.iter_mut().zip(&data[self.at(j)]);
            if self.delay == 0 {
                lanes.for_each(|(sum, &w)| *sum = p.add(*sum, p.mul(v, w.into())));
                continue;
            }
            lanes.for_each(|(sum, &w)| *sum += v * w.into());
            room -= 1;
            if room == 0 {
                product.iter_mut().for_each(|sum| *sum = p.reduce(*sum));
                room = self.delay;
            }
        }
        if self.delay > 0 {
            product.iter_mut().for_each(|sum| *sum = p.reduce(*sum));
        }
    }

    /// Sets the entries `cols`, whatever they are, so that each vector becomes orthogonal to the `rows` of `a`; the
    /// other entries stay.
    ///
    /// # Panics
    /// Unless row `rows[k]` has an entry in `cols[k]`. If it also has one in `cols[l]` with l < k, the result is
    /// meaningless.
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
