//! Products of matrices of residues: A packed, one depth at a time ([`blocks`](super::blocks)).

use super::arithmetic::{Arithmetic, Form};
use super::blocks::{COLS, Product, Split, Words};
use super::bytes::{Bytes, Rows};
use super::pack::PackA;
use super::place::Place;
use super::reduce::{SubtractPairs, SubtractWholes};
use super::simd::Tiles;
use crate::dense::entry::Entry;
use crate::dense::parallel::for_each_chunk;
use crate::field::Modulus;
use crate::isa::Isa;
use crate::{Result, memory};

/// C ← A·B mod p for row-major matrices of residues, A m × k, B k × n, C m × n. Parallel on rayon's current pool.
///
/// # Errors
/// [`crate::Error::Memory`]: some kilobytes for each row of A and a few megabytes for B.
///
/// # Panics
/// If a slice has not exactly the entries of its matrix.
pub fn gemm(modulus: Modulus, m: usize, k: usize, n: usize, a: &[u64], b: &[u64], c: &mut [u64]) -> Result<()> {
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "slices of a {m} x {k} x {n} product");
    c.fill(0);
    let (c, a, b) = ((c, Place::packed(n)), (a, Place::packed(k)), (b, Place::packed(n)));
    Arithmetic::new(modulus).accumulate((m, k, n), c, 1, a, b)
}

impl Arithmetic {
    /// Bytes of the packed operands of an m × k × n product, by the largest tiles of all processors and of the larger
    /// of bytes and words: plans do not depend on which are there and which are the fastest.
    pub(crate) fn packed_memory(self, m: usize, k: usize, n: usize) -> usize {
        let forms = [self, Self::of_words(self.modulus)].into_iter().chain(Self::of_bytes(self.modulus));
        forms.map(|form| form.own_memory(m, k, n)).max().expect("there is a form")
    }
    pub(super) fn own_memory(self, m: usize, k: usize, n: usize) -> usize {
        let (mr, nr) = self.largest_tile();
        let depth = self.words(self.terms().min(k));
        (m.div_ceil(mr / self.limbs()) * mr + n.min(COLS).next_multiple_of(nr)) * depth * size_of::<i32>()
    }
}

impl Arithmetic {
    /// C ← C + A·B mod p for A m × k, B k × n.
    pub(crate) fn add_product<T: Entry>(
        self,
        shape: (usize, usize, usize),
        c: (&mut [T], Place),
        a: (&[T], Place),
        b: (&[T], Place),
    ) -> Result<()> {
        self.accumulate(shape, c, 1, a, b)
    }

    /// C ← C - A·B mod p for A m × k, B k × n, C m × n.
    pub(crate) fn subtract_product<T: Entry>(
        self,
        shape: (usize, usize, usize),
        c: (&mut [T], Place),
        a: (&[T], Place),
        b: (&[T], Place),
    ) -> Result<()> {
        self.accumulate(shape, c, -1, a, b)
    }

    /// C ← C + sign·A·B mod p. Parallel on rayon's current pool.
    fn accumulate<T: Entry>(
        self,
        (m, k, n): (usize, usize, usize),
        (c, at): (&mut [T], Place),
        sign: i64,
        (a, a_at): (&[T], Place),
        (b, b_at): (&[T], Place),
    ) -> Result<()> {
        if m == 0 || n == 0 {
            return Ok(());
        }
        let c = &mut c[at.offset..at.offset + (m - 1) * at.stride + n];
        let (isa, tiles, limbs) = (Isa::best(), Tiles::best(), self.limbs());
        let mr = self.tile_shape(&tiles).0;
        let tile_rows = mr / limbs;
        let (strips, most) = (m.div_ceil(tile_rows), self.words(self.terms().min(k)));
        let split = Split::new(self, &tiles, (m, most, n), rayon::current_num_threads());
        let mut a_words = Words::with_capacity(strips * mr * most)?;
        for start in (0..k).step_by(self.terms()) {
            let terms = self.terms().min(k - start);
            let depth = self.words(terms);
            let a_words = a_words.first(strips * mr * depth);
            for_each_chunk(a_words, mr * depth, 4 * mr * depth, |strip, words| {
                let at = Place { offset: a_at.offset + strip * tile_rows * a_at.stride + start, ..a_at };
                let rows = tile_rows.min(m - strip * tile_rows);
                isa.run(PackA { of: self, rows, terms, sign, a, at, strip: mr, words });
            });
            let b_at = Place { offset: b_at.offset + start * b_at.stride, ..b_at };
            let product = Product { of: self, tiles: &tiles, terms, depth, a: a_words, b, b_at };
            match split {
                Split::Columns(width) => product.by_columns((c, at.stride), n, width)?,
                Split::Rows => product.by_rows((c, at.stride), (m, n))?,
            }
        }
        Ok(())
    }

    /// y ← y - a·x mod p.
    pub(crate) fn subtract_multiple<T: Entry>(self, y: &mut [T], a: T, x: &[T]) {
        let (p, a) = (self.modulus, a.into());
        match self.form {
            Form::TwoTerms(p) | Form::TwoDigits(p) | Form::Bytes(Bytes { rows: Some(Rows::Narrow(p)), .. }) => {
                Isa::best().run(SubtractPairs { p, y, a, x })
            }
            Form::Whole(p) | Form::Bytes(Bytes { rows: Some(Rows::Whole(p)), .. }) => {
                Isa::best().run(SubtractWholes { p, y, a, x })
            }
            Form::Limbs(_) | Form::Bytes(_) => {
                let a = p.multiplier(a);
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = T::from_residue(p.sub((*y).into(), p.mul_by(x.into(), a))));
            }
        }
    }
    /// x ← a·x mod p.
    pub(crate) fn scale<T: Entry>(self, x: &mut [T], a: u64) -> Result<()> {
        let old = memory::copy(x, "a row of a dense elimination")?;
        x.fill(T::default());
        self.subtract_multiple(x, T::from_residue(self.modulus.neg(a)), &old);
        Ok(())
    }
}
