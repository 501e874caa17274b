//! Products of matrices of residues, and sums of products: A packed, a few slices of the depth at a time
//! ([`blocks`](super::blocks)).

use super::arithmetic::{Arithmetic, Form};
use super::blocks::{COLS, Product, Slice, Split, Words};
use super::bytes::{Bytes, Rows};
use super::pack::PackA;
use super::place::Place;
use super::reduce::{SubtractPairs, SubtractWholes};
use super::simd::{self, Tiles};
use crate::dense::entry::Entry;
use crate::dense::parallel::for_each_task;
use crate::field::Modulus;
use crate::isa::Isa;
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

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
    Arithmetic::new(modulus).add_product((m, k, n), c, a, b)
}

/// What the memory is for.
const SLICES: &str = "the slices of a matrix product";

/// A product of a sum: A m × k, B k × n.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summand<'a, T> {
    /// k.
    pub depth: usize,
    pub a: (&'a [T], Place),
    pub b: (&'a [T], Place),
}

impl Arithmetic {
    /// Bytes of the packed operands of an m × k × n product, by the largest tiles of all processors and of the larger
    /// of bytes and words: plans do not depend on which are there and which are the fastest, nor on how many threads
    /// share it, of which each beyond some has at least a tile of B of its own.
    pub(crate) fn packed_memory(self, m: usize, k: usize, n: usize) -> usize {
        let forms = [self, Self::of_words(self.modulus)].into_iter().chain(Self::of_bytes(self.modulus));
        forms.map(|form| form.own_memory(m, k, n)).max().expect("there is a form")
    }
    pub(super) fn own_memory(self, m: usize, k: usize, n: usize) -> usize {
        let (mr, nr) = self.largest_tile();
        let slices = self.slices().min(k.div_ceil(self.terms())).max(1);
        let near = (COLS / slices).next_multiple_of(nr);
        let depth = slices * self.words(self.terms().min(k));
        (m.div_ceil(mr / self.limbs()) * mr + n.min(near).next_multiple_of(nr)) * depth * size_of::<i32>()
    }
}

impl Arithmetic {
    /// C ← C + A·B mod p for A m × k, B k × n.
    pub(crate) fn add_product<T: Entry>(
        self,
        (m, depth, n): (usize, usize, usize),
        c: (&mut [T], Place),
        a: (&[T], Place),
        b: (&[T], Place),
    ) -> Result<()> {
        self.accumulate((m, n), c, 1, &[Summand { depth, a, b }])
    }

    /// C ← C - A·B mod p for A m × k, B k × n, C m × n.
    pub(crate) fn subtract_product<T: Entry>(
        self,
        (m, depth, n): (usize, usize, usize),
        c: (&mut [T], Place),
        a: (&[T], Place),
        b: (&[T], Place),
    ) -> Result<()> {
        self.subtract_products((m, n), c, &[Summand { depth, a, b }])
    }
    /// C ← C - Σ A·B mod p for C m × n: C is read and reduced once for as many [slices](Self::slices) of all the
    /// depths as sums hold.
    pub(crate) fn subtract_products<T: Entry>(
        self,
        shape: (usize, usize),
        c: (&mut [T], Place),
        summands: &[Summand<'_, T>],
    ) -> Result<()> {
        self.accumulate(shape, c, -1, summands)
    }

    /// C ← C + sign·Σ A·B mod p. Parallel on rayon's current pool.
    fn accumulate<T: Entry>(
        self,
        (m, n): (usize, usize),
        (c, at): (&mut [T], Place),
        sign: i64,
        summands: &[Summand<'_, T>],
    ) -> Result<()> {
        if m == 0 || n == 0 {
            return Ok(());
        }
        let c = &mut c[at.offset..at.offset + (m - 1) * at.stride + n];
        let threads = rayon::current_num_threads();
        let (mr, nr) = self.tile_shape(&Tiles::best());
        // Few columns of a deep product: packing A is most of the work, a little for each slice. Threads share rows.
        let deep = summands.iter().any(|summand| summand.depth > self.terms());
        let rows = m.div_ceil(threads).next_multiple_of((mr / self.limbs()).min(simd::bytes::BLOCK));
        if deep && n <= nr && rows < m {
            let chunks = c.par_chunks_mut(rows * at.stride).enumerate();
            return chunks.try_each(|(number, c)| {
                let first = number * rows;
                let below = |at: Place| Place { offset: at.offset + first * at.stride, ..at };
                let own: Vec<_> = summands.iter().map(|&s| Summand { a: (s.a.0, below(s.a.1)), ..s }).collect();
                self.by_slices((rows.min(m - first), n), (c, at.stride), sign, &own, 1)
            });
        }
        self.by_slices((m, n), (c, at.stride), sign, summands, threads)
    }
    /// The same for C with rows `stride` apart, shared out between so many threads.
    fn by_slices<T: Entry>(
        self,
        (m, n): (usize, usize),
        (c, stride): (&mut [T], usize),
        sign: i64,
        summands: &[Summand<'_, T>],
        threads: usize,
    ) -> Result<()> {
        let (isa, tiles) = (Isa::best(), Tiles::best());
        let mr = self.tile_shape(&tiles).0;
        let tile_rows = mr / self.limbs();
        let slices = self.slices_of(summands)?;
        let depth = |pass: &[Summand<'_, T>]| pass.iter().map(|slice| self.words(slice.depth)).sum::<usize>();
        let (strips, most) = (m.div_ceil(tile_rows), slices.chunks(self.slices()).map(depth).max().unwrap_or(0));
        let split = Split::new(self, &tiles, (m, most, n), threads);
        let mut a_words = Words::with_capacity(strips * mr * most)?;
        for pass in slices.chunks(self.slices()) {
            let all = a_words.first(strips * mr * depth(pass));
            let (mut tasks, mut rest) = (memory::with_capacity(strips * pass.len(), SLICES)?, &mut *all);
            for slice in pass {
                let own;
                (own, rest) = rest.split_at_mut(strips * mr * self.words(slice.depth));
                tasks.extend(own.chunks_mut(mr * self.words(slice.depth)).zip(0..).map(|(words, k)| (slice, k, words)));
            }
            for_each_task(
                tasks,
                4 * mr * most / pass.len(),
                |(&Summand { depth: terms, a: (a, at), .. }, k, words)| {
                    let at = Place { offset: at.offset + k * tile_rows * at.stride, ..at };
                    let rows = tile_rows.min(m - k * tile_rows);
                    isa.run(PackA { of: self, rows, terms, sign, a, at, strip: mr, words });
                },
            );
            let (mut packed, mut rest) = (Vec::with_capacity(pass.len()), &*all);
            for &Summand { depth: terms, b: (b, b_at), .. } in pass {
                let (a, depth);
                (a, rest) = rest.split_at(strips * mr * self.words(terms));
                depth = self.words(terms);
                packed.push(Slice { terms, depth, a, b, b_at });
            }
            let product = Product { of: self, tiles: &tiles, slices: &packed };
            match split {
                Split::Columns(width) => product.by_columns((c, stride), n, width)?,
                Split::Rows => product.by_rows((c, stride), (m, n))?,
            }
        }
        Ok(())
    }
    /// The products cut into such of at most as many terms as a [slice](Self::terms) has.
    fn slices_of<'a, T: Entry>(self, summands: &[Summand<'a, T>]) -> Result<Vec<Summand<'a, T>>> {
        let (terms, mut slices) = (self.terms(), vec![]);
        for &Summand { depth, a: (a, a_at), b: (b, b_at) } in summands {
            for start in (0..depth).step_by(terms) {
                let a_at = Place { offset: a_at.offset + start, ..a_at };
                let b_at = Place { offset: b_at.offset + start * b_at.stride, ..b_at };
                let slice = Summand { depth: terms.min(depth - start), a: (a, a_at), b: (b, b_at) };
                memory::push(&mut slices, slice, SLICES)?;
            }
        }
        Ok(slices)
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
