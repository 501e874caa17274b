//! Products in packed words: B packed in strips of columns, A in strips of rows, one depth at a time; each finished
//! tile is added to C and reduced at once.

use super::arithmetic::{Arithmetic, Form};
use super::bytes::{self, AddBytes, Bytes};
use super::pack::{PackA, PackB};
use super::place::{Place, Target};
use super::reduce::{self, AddPairs, AddWholes, SubtractPairs, SubtractWholes};
use super::simd::bytes::ByteTile;
use super::simd::{self, Tiles};
use crate::dense::entry::Entry;
use crate::dense::parallel::for_each_chunk;
use crate::field::Modulus;
use crate::isa::Isa;
use crate::{Result, memory};

/// Columns of B packed at a time: about a second-level cache.
const COLS: usize = 1024;
/// Bytes of A that are multiplied by one strip of B after the other, where they are read faster than from a third-level
/// cache.
const NEAR: usize = 1 << 20;
/// What the words are asked for.
const OPERAND: &str = "a packed operand of a matrix product";

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

    /// Strips of A, of so many words each, that a thread multiplies by all strips of B before moving on.
    fn group(self, words: usize) -> usize {
        match self.form {
            Form::Bytes(_) => (NEAR / (words * size_of::<i32>()).max(1)).max(1),
            _ => usize::MAX,
        }
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
        let (isa, tiles, limbs) = (Isa::best(), Tiles::best(), self.limbs());
        let c = &mut c[at.offset..at.offset + (m - 1) * at.stride + n];
        let (mr, nr) = self.tile_shape(&tiles);
        let tile_rows = mr / limbs;
        let depth = self.words(self.terms().min(k));
        let group = m.div_ceil(tile_rows).div_ceil(rayon::current_num_threads()).min(self.group(mr * depth));
        let mut a_words = Words::with_capacity(m.div_ceil(tile_rows) * mr * depth)?;
        let mut b_words = Words::with_capacity(n.min(COLS).next_multiple_of(nr) * depth)?;
        for start in (0..k).step_by(self.terms()) {
            let terms = self.terms().min(k - start);
            let depth = self.words(terms);
            let a_words = a_words.first(m.div_ceil(tile_rows) * mr * depth);
            for_each_chunk(a_words, mr * depth, 4 * mr * depth, |strip, words| {
                let at = Place { offset: a_at.offset + strip * tile_rows * a_at.stride + start, ..a_at };
                let rows = tile_rows.min(m - strip * tile_rows);
                isa.run(PackA { of: self, rows, terms, sign, a, at, strip: mr, words });
            });
            for left in (0..n).step_by(COLS) {
                let cols = COLS.min(n - left);
                let b_words = b_words.first(cols.div_ceil(nr) * nr * depth);
                for_each_chunk(b_words, depth * nr, 4 * depth * nr, |strip, words| {
                    let cols = nr.min(cols - strip * nr);
                    let offset = b_at.offset + start * b_at.stride + left + strip * nr;
                    isa.run(PackB { of: self, terms, cols, b, at: Place { offset, ..b_at }, strip: nr, words });
                });
                let bytes = group * tile_rows * cols * depth;
                for_each_chunk(c, group * tile_rows * at.stride, bytes, |number, c| {
                    let mut sums = Sums::new(self, &tiles);
                    for (strip, b) in b_words.chunks(depth * nr).enumerate() {
                        let cols = nr.min(cols - strip * nr);
                        let a = a_words[number * group * mr * depth..].chunks(mr * depth);
                        for (c, a) in c.chunks_mut(tile_rows * at.stride).zip(a) {
                            let rows = c.len().div_ceil(at.stride);
                            let target = Target { c: &mut c[left + strip * nr..], stride: at.stride, rows, cols, nr };
                            sums.add_product(depth, a, b, target);
                        }
                    }
                });
            }
        }
        Ok(())
    }

    /// y ← y - a·x mod p.
    pub(crate) fn subtract_multiple<T: Entry>(self, y: &mut [T], a: T, x: &[T]) {
        let (p, a) = (self.modulus, a.into());
        match self.form {
            Form::TwoTerms(p) | Form::TwoDigits(p) => Isa::best().run(SubtractPairs { p, y, a, x }),
            Form::Whole(p) | Form::Bytes(Bytes { whole: Some(p), .. }) => {
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

/// Storage of packed words that begins with a cache line: a row of a matrix register is one.
struct Words(Vec<i32>);

/// Words of a cache line.
const LINE: usize = 16;

impl Words {
    fn with_capacity(words: usize) -> Result<Self> {
        memory::zeros(words + LINE - 1, OPERAND).map(Words)
    }
    /// The first `count` words.
    fn first(&mut self, count: usize) -> &mut [i32] {
        let start = self.0.as_ptr().align_offset(LINE * size_of::<i32>()).min(LINE - 1);
        &mut self.0[start..start + count]
    }
}

/// The sums of a tile on their way to C: working space for one tile after the other.
struct Sums<'a> {
    of: Arithmetic,
    tiles: &'a Tiles,
    fold: usize,
    pairs: Vec<i32>,
    high: Vec<i64>,
    low: Vec<i64>,
}

impl<'a> Sums<'a> {
    fn new(of: Arithmetic, tiles: &'a Tiles) -> Self {
        let (mr, nr) = of.tile_shape(tiles);
        let (pairs, wholes) = match of.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Bytes(_) => (mr * nr, 0),
            Form::Whole(_) | Form::Limbs(_) => (0, mr * nr),
        };
        Sums { of, tiles, fold: of.fold(), pairs: vec![0; pairs], high: vec![0; wholes], low: vec![0; wholes] }
    }

    /// Adds the product of a strip of A and a strip of B to C.
    fn add_product<T: Entry>(&mut self, depth: usize, a: &[i32], b: &[i32], target: Target<'_, T>) {
        let Sums { of, tiles, fold, pairs, high, low } = self;
        match of.form {
            Form::TwoTerms(p) | Form::TwoDigits(p) => {
                (tiles.pairs)(depth, a, b, pairs);
                Isa::best().run(AddPairs { p, sums: pairs, target });
            }
            Form::Whole(p) => {
                (tiles.wholes)(depth, *fold, a, b, high, low);
                Isa::best().run(AddWholes { p, high, low, target });
            }
            Form::Limbs(width) => {
                (tiles.wholes)(depth, *fold, a, b, high, low);
                reduce::add_limbs(of.modulus, width, high, low, target);
            }
            Form::Bytes(bytes) => {
                target.c.chunks(target.stride).take(target.rows).for_each(|row| bytes::ask_for(&row[..target.cols]));
                let rows = (target.rows * bytes.digits).next_multiple_of(simd::bytes::BLOCK);
                let sums = &mut pairs[..rows * simd::bytes::COLS];
                ByteTile::best().multiply(depth / simd::bytes::STEP_WORDS, &a[..rows * depth], b, sums);
                Isa::best().run(AddBytes { bytes, sums, target });
            }
        }
    }
}
