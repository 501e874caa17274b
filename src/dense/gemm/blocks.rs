//! One pass of a product over a few slices of the depth: A packed, B packed strip by strip, each tile summed over the
//! slices, added to C and reduced at once.
//!
//! Threads share the work in one of two ways ([`Split`]). By **columns**: each has a slab of C and packs its own strips
//! of B, while all of A stays in a second-level cache; no thread waits for another. By **rows**, where there are many:
//! all of them pack a block of B together, which then serves enough rows of A for each.

use super::arithmetic::{Arithmetic, Form};
use super::bytes::{self, AddBytes};
use super::pack::PackB;
use super::place::{Place, Target};
use super::reduce::{self, AddPairs, AddWholes};
use super::simd::bytes::ByteTile;
use super::simd::{self, Tiles};
use crate::dense::entry::Entry;
use crate::dense::parallel::{for_each_chunk, for_each_task};
use crate::isa::Isa;
use crate::parallel;
use crate::{Result, memory};

/// Columns of B packed at a time, by all threads together: about a second-level cache.
pub(super) const COLS: usize = 1024;
/// Bytes of A that are multiplied by one strip of B after the other, where they are read faster than from a third-level
/// cache.
const NEAR: usize = 1 << 20;
/// Rows of A for each thread that are worth a block of B packed by all.
const ROWS: usize = 64;
/// Slabs of C for each thread: one that other work delays leaves some of its slabs to others.
const SLABS: usize = 4;
/// What the words are asked for.
pub(super) const OPERAND: &str = "a packed operand of a matrix product";

/// How threads share a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Split {
    /// So many columns of C for each task.
    Columns(usize),
    Rows,
}

impl Split {
    /// For C m × n and words of A along the depth.
    pub(super) fn new(of: Arithmetic, tiles: &Tiles, (m, depth, n): (usize, usize, usize), threads: usize) -> Split {
        // Products of words that take a few times as long as to wake the threads.
        let least = match of.form {
            Form::TwoTerms(_) | Form::TwoDigits(_) | Form::Bytes(_) => 1 << 20,
            Form::Whole(_) | Form::Limbs(_) => 1 << 17,
        };
        let (mr, nr) = of.tile_shape(tiles);
        let (strips, row_strips) = (n.div_ceil(nr), (m * of.limbs()).div_ceil(mr));
        if threads == 1 || m * of.limbs() * n * depth < least {
            Split::Columns(n)
        } else if m < ROWS * threads && (strips >= SLABS * threads || strips > row_strips) {
            Split::Columns(strips.div_ceil(SLABS * threads) * nr)
        } else {
            Split::Rows
        }
    }
}

/// A part of the depth of a product.
pub(super) struct Slice<'a, T> {
    /// Terms of each sum.
    pub terms: usize,
    /// Words of A.
    pub depth: usize,
    /// All strips of A.
    pub a: &'a [i32],
    pub b: &'a [T],
    /// The first of the terms.
    pub b_at: Place,
}

/// A strip of columns of B in a slice, its number, and the words that it is packed to.
type Strip<'s, 'w, T> = (&'s Slice<'s, T>, usize, &'w mut [i32]);

/// C ← C + A·B for as many slices as the sums hold.
pub(super) struct Product<'a, T> {
    pub of: Arithmetic,
    pub tiles: &'a Tiles,
    pub slices: &'a [Slice<'a, T>],
}

impl<T: Entry> Product<'_, T> {
    /// Words of all slices.
    fn depth(&self) -> usize {
        self.slices.iter().map(|slice| slice.depth).sum()
    }
    /// So many columns of B for one slice, fewer for several.
    fn near(&self, cols: usize) -> usize {
        (cols / self.slices.len().max(1)).max(1).next_multiple_of(self.tile().2)
    }
    /// Rows of a tile, of words of A and of C, and columns.
    fn tile(&self) -> (usize, usize, usize) {
        let (mr, nr) = self.of.tile_shape(self.tiles);
        (mr, mr / self.of.limbs(), nr)
    }

    /// C in slabs of `width` columns; of C, n columns of rows `stride` apart.
    pub(super) fn by_columns(&self, (c, stride): (&mut [T], usize), n: usize, width: usize) -> Result<()> {
        let mut rows = memory::with_capacity(c.len().div_ceil(stride), OPERAND)?;
        rows.extend(c.chunks_mut(stride).map(|row| &mut row[..n]));
        let near = if n <= width { COLS } else { (COLS / rayon::current_num_threads()).max(1) };
        self.slabs(0, width, near, rows)
    }
    /// The slabs of columns of C from `left` on. They are halved until there is one, so that those who help cut C, too:
    /// it has many rows for so short a time.
    fn slabs(&self, left: usize, width: usize, near: usize, mut rows: Vec<&mut [T]>) -> Result<()> {
        let count = rows[0].len().div_ceil(width);
        if count <= 1 {
            return self.slab(left, near, &mut rows);
        }
        let middle = count / 2 * width;
        let mut behind = memory::with_capacity(rows.len(), OPERAND)?;
        for row in &mut rows {
            let (first, second) = std::mem::take(row).split_at_mut(middle);
            *row = first;
            behind.push(second);
        }
        let halves =
            parallel::join(|| self.slabs(left, width, near, rows), || self.slabs(left + middle, width, near, behind));
        halves.0.and(halves.1)
    }
    /// The rows of a slab of C whose first column is `left`, by `near` columns at a time.
    fn slab(&self, left: usize, near: usize, rows: &mut [&mut [T]]) -> Result<()> {
        let (nr, n, near, depth) = (self.tile().2, rows[0].len(), self.near(near), self.depth());
        let mut words = Words::with_capacity(n.min(near).next_multiple_of(nr) * depth)?;
        let mut sums = Sums::new(self.of, self.tiles);
        for start in (0..n).step_by(near) {
            let cols = near.min(n - start);
            let b = words.first(cols.next_multiple_of(nr) * depth);
            for (slice, strip, words) in self.strips(b)? {
                self.pack(slice, left + start + strip * nr, nr.min(cols - strip * nr), words);
            }
            self.multiply(0, b, (start, cols), rows, &mut sums);
        }
        Ok(())
    }
    /// The strips of packed columns, slice by slice.
    fn strips<'w>(&self, mut words: &'w mut [i32]) -> Result<Vec<Strip<'_, 'w, T>>> {
        let (nr, all) = (self.tile().2, words.len() / self.depth().max(1));
        let mut strips = memory::with_capacity(self.slices.len() * all / nr, OPERAND)?;
        for slice in self.slices {
            let (own, rest) = words.split_at_mut(slice.depth * all);
            let own = own.chunks_mut(slice.depth * nr).enumerate();
            strips.extend(own.map(|(number, words)| (slice, number, words)));
            words = rest;
        }
        Ok(strips)
    }

    /// C, m × n with rows `stride` apart, in groups of rows.
    pub(super) fn by_rows(&self, (c, stride): (&mut [T], usize), (m, n): (usize, usize)) -> Result<()> {
        let ((_, tile_rows, nr), near, depth) = (self.tile(), self.near(COLS), self.depth());
        let group = m.div_ceil(tile_rows).div_ceil(rayon::current_num_threads()).min(self.group());
        let mut words = Words::with_capacity(n.min(near).next_multiple_of(nr) * depth)?;
        for left in (0..n).step_by(near) {
            let cols = near.min(n - left);
            let b = words.first(cols.next_multiple_of(nr) * depth);
            for_each_task(self.strips(b)?, 4 * depth * nr, |(slice, strip, words)| {
                self.pack(slice, left + strip * nr, nr.min(cols - strip * nr), words);
            });
            for_each_chunk(c, group * tile_rows * stride, group * tile_rows * cols * depth, |number, c| {
                let mut rows: Vec<&mut [T]> = c.chunks_mut(stride).collect();
                self.multiply(number * group, b, (left, cols), &mut rows, &mut Sums::new(self.of, self.tiles));
            });
        }
        Ok(())
    }

    /// Packs one strip of B.
    fn pack(&self, slice: &Slice<'_, T>, left: usize, cols: usize, words: &mut [i32]) {
        let at = Place { offset: slice.b_at.offset + left, ..slice.b_at };
        let (of, terms, b, strip) = (self.of, slice.terms, slice.b, self.tile().2);
        Isa::best().run(PackB { of, terms, cols, b, at, strip, words });
    }
    /// Strips of A that are multiplied by all strips of B before moving on.
    fn group(&self) -> usize {
        match self.of.form {
            Form::Bytes(_) => (NEAR / (self.tile().0 * self.depth() * size_of::<i32>()).max(1)).max(1),
            _ => usize::MAX,
        }
    }
    /// Adds the product of strips of A, from number `first` on, and strips of B to so many columns, from `left` on, of
    /// rows of C.
    fn multiply(
        &self,
        first: usize,
        b: &[i32],
        (left, cols): (usize, usize),
        rows: &mut [&mut [T]],
        sums: &mut Sums<'_>,
    ) {
        let ((mr, tile_rows, nr), group) = (self.tile(), self.group());
        let all = cols.next_multiple_of(nr);
        for (rows, first) in rows.chunks_mut(group.saturating_mul(tile_rows)).zip((first..).step_by(group)) {
            for strip in 0..all / nr {
                for (rows, number) in rows.chunks_mut(tile_rows).zip(first..) {
                    let (left, cols) = (left + strip * nr, nr.min(cols - strip * nr));
                    let mut before = 0;
                    let operands = self.slices.iter().map(|&Slice { depth, a, .. }| {
                        let own = &b[before * all..][strip * depth * nr..][..depth * nr];
                        before += depth;
                        (depth, &a[number * mr * depth..][..mr * depth], own)
                    });
                    sums.add_products(operands, Target { rows, left, cols, nr });
                }
            }
        }
    }
}

/// Storage of packed words that begins with a cache line: a row of a matrix register is one.
pub(super) struct Words(Vec<i32>);

/// Words of a cache line.
const LINE: usize = 16;

impl Words {
    pub(super) fn with_capacity(words: usize) -> Result<Self> {
        memory::cleared(words + LINE - 1, OPERAND).map(Words)
    }
    /// The first `count` words.
    pub(super) fn first(&mut self, count: usize) -> &mut [i32] {
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

    /// Adds the products of strips of A and strips of B, as (depth, A, B), to C: of bytes all at once, of words one.
    fn add_products<'b, T: Entry>(
        &mut self,
        operands: impl Iterator<Item = (usize, &'b [i32], &'b [i32])>,
        mut target: Target<'_, '_, T>,
    ) {
        let Sums { of, tiles, fold, pairs, high, low } = self;
        let mut operands = operands.peekable();
        let Some(&(depth, a, b)) = operands.peek() else { return };
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
                target.parts().for_each(|row| bytes::ask_for(row));
                let rows = (target.rows.len() * bytes.digits).next_multiple_of(simd::bytes::BLOCK);
                let sums = &mut pairs[..rows * simd::bytes::COLS];
                for (number, (depth, a, b)) in operands.enumerate() {
                    let steps = depth / simd::bytes::STEP_WORDS;
                    ByteTile::best().multiply(steps, &a[..rows * depth], b, sums, number > 0);
                }
                Isa::best().run(AddBytes { bytes, sums, target });
            }
        }
    }
}
