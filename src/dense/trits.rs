//! Elimination over GF(3), 512 columns a strip: an entry is two bits in two planes, so that one addition takes seven
//! operations on words of 64 entries (of the kind of Boothby, Bradshaw, "Bitslicing and the method of four Russians over
//! larger finite fields", 2009), and a change of sign swaps the planes, which is free.
//!
//! The method of four Russians: four basis rows make a table of their combinations ∑ dᵢ·rowᵢ, dᵢ ∈ {-1, 0, 1}, up to sign;
//! entry ∑ dᵢ·3ⁱ, a number in balanced ternary between 0 and 40. Five tables, made from a group of twenty basis rows that are
//! the identity in their own pivot columns, clear twenty pivot columns of a row in one pass over it.
//!
//! The basis grows as in [`bits`](super::bits): a panel of rows is cleared by every group in turn, then by the groups that
//! it yields itself; all groups but the last are full. Each basis row is zero left of its pivot.

use super::Row;
use super::parallel::for_each_chunk;
use crate::isa::{Isa, Kernel};
use rayon::prelude::*;

/// Words of a plane of a strip.
const WORDS: usize = 8;
/// Columns of a strip.
const COLUMNS: usize = 64 * WORDS;
/// Basis rows that share a table.
const DIGITS: usize = 4;
/// The combinations of so many rows, up to sign.
const ENTRIES: usize = 3usize.pow(DIGITS as u32) / 2 + 1;
/// Tables of a group.
const TABLES: usize = 5;
/// Basis rows of a group.
const GROUP: usize = DIGITS * TABLES;
/// Rows that repay the tables of a group: 200 row additions, where each row then takes 5 and not 2/3 of 20.
const MANY: usize = 24;
/// Rows of a panel: enough to repay the tables well.
const PANEL: usize = 1024;
/// How much faster than memory the caches are, where tables and rows stay between calls.
const IN_CACHE: usize = 8;
/// Rows of a task.
const TASK: usize = 16;

/// 512 entries: bit j % 64 of word j / 64 is set in plane 0 where entry j is 1, in plane 1 where it is -1.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Strip([[u64; WORDS]; 2]);

impl Strip {
    /// Self + y, or self - y if `negate` is 1.
    ///
    /// With t = (x⁺ ∨ y⁻) ⊕ (x⁻ ∨ y⁺), the sum has the planes (x⁻ ∨ y⁻) ⊕ t and (x⁺ ∨ y⁺) ⊕ t.
    #[inline(always)]
    fn plus(&self, y: &Strip, negate: usize) -> Strip {
        let (Strip([xp, xm]), yp, ym) = (self, &y.0[negate & 1], &y.0[(negate & 1) ^ 1]);
        let mut sum = Strip::default();
        for i in 0..WORDS {
            let t = (xp[i] | ym[i]) ^ (xm[i] | yp[i]);
            sum.0[0][i] = (xm[i] | ym[i]) ^ t;
            sum.0[1][i] = (xp[i] | yp[i]) ^ t;
        }
        sum
    }
}

/// Column `j` of a row, 0, 1 or 2.
#[inline(always)]
pub(super) fn trit(row: &[Strip], j: u32) -> u64 {
    let (Strip([plus, minus]), word, bit) = (&row[j as usize / COLUMNS], j as usize / 64 % WORDS, j % 64);
    (plus[word] >> bit & 1) | (minus[word] >> bit & 1) << 1
}

/// The first column that is not 0.
#[inline(always)]
fn leading(row: &[Strip]) -> Option<u32> {
    row.iter().enumerate().find_map(|(s, Strip([plus, minus]))| {
        let word = (0..WORDS).find(|&i| plus[i] | minus[i] != 0)?;
        Some((s * COLUMNS + word * 64) as u32 + (plus[word] | minus[word]).trailing_zeros())
    })
}

/// x += y, or x -= y if `negate` is 1.
#[inline(always)]
fn add(x: &mut [Strip], y: &[Strip], negate: usize) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = x.plus(y, negate);
    }
}

/// Up to twenty rows that are the identity in their own pivot columns.
#[derive(Debug, Default)]
struct Group {
    pivots: Vec<u32>,
    /// The rows, one after the other.
    rows: Vec<Strip>,
}

impl Group {
    fn is_full(&self) -> bool {
        self.pivots.len() == GROUP
    }
    /// Strips before this one are zero in all rows.
    fn first_strip(&self) -> usize {
        self.pivots.iter().min().map_or(0, |&j| j as usize / COLUMNS)
    }

    /// Clears the pivot columns of `row` by one basis row after the other: row -= digit·own.
    #[inline(always)]
    fn clear_row(&self, row: &mut [Strip]) {
        for (own, &j) in self.rows.chunks_exact(row.len()).zip(&self.pivots) {
            let (digit, from) = (trit(row, j), j as usize / COLUMNS);
            if digit != 0 {
                add(&mut row[from..], &own[from..], digit as usize & 1);
            }
        }
    }
    /// Adds a row that is zero in the pivot columns, and keeps the identity there.
    #[inline(always)]
    fn push(&mut self, row: &mut [Strip], pivot: u32) {
        if trit(row, pivot) == 2 {
            row.iter_mut().for_each(|Strip(planes)| planes.swap(0, 1));
        }
        let from = pivot as usize / COLUMNS;
        for own in self.rows.chunks_exact_mut(row.len()) {
            let digit = trit(own, pivot);
            if digit != 0 {
                add(&mut own[from..], &row[from..], digit as usize & 1);
            }
        }
        self.rows.reserve_exact(GROUP * row.len() - self.rows.len());
        self.rows.extend_from_slice(row);
        self.pivots.push(pivot);
    }
}

/// Takes rows into a group until it is full.
struct Grow<'a> {
    group: &'a mut Group,
    strips: usize,
    /// Zero in the pivot columns that the group had at first.
    rows: &'a mut [Strip],
}

impl Kernel for Grow<'_> {
    /// How many rows were looked at, and which of them are in the group now.
    type Output = (usize, Vec<usize>);
    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut taken = vec![];
        for (i, row) in self.rows.chunks_exact_mut(self.strips).enumerate() {
            self.group.clear_row(row);
            if let Some(pivot) = leading(row) {
                self.group.push(row, pivot);
                taken.push(i);
                if self.group.is_full() {
                    return (i + 1, taken);
                }
            }
        }
        (self.rows.len() / self.strips, taken)
    }
}

/// Successive bits of a word that are successive digits.
#[derive(Debug)]
struct Run {
    strip: usize,
    word: usize,
    shift: u32,
    mask: usize,
    /// The number of the first digit.
    digit: usize,
}

/// The runs that gather the columns `pivots` of a row.
fn runs(pivots: &[u32]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (digit, &j) in pivots.iter().enumerate() {
        if digit > 0 && j % 64 != 0 && pivots[digit - 1] + 1 == j {
            let run = runs.last_mut().expect("the digit before");
            run.mask = run.mask << 1 | 1;
        } else {
            runs.push(Run {
                strip: j as usize / COLUMNS,
                word: j as usize / 64 % WORDS,
                shift: j % 64,
                mask: 1,
                digit,
            });
        }
    }
    runs
}

/// ∑ bᵢ·3ⁱ for the bits bᵢ of the index.
const IN_BASE_3: [i32; 1 << DIGITS] = {
    let mut table = [0; 1 << DIGITS];
    let mut i = 1;
    while i < table.len() {
        table[i] = 3 * table[i / 2] + (i % 2) as i32;
        i += 1;
    }
    table
};

/// The tables of a group.
struct Tables<'a> {
    /// The first strip of a row that the entries have.
    from: usize,
    runs: [Vec<Run>; TABLES],
    /// Tables × combinations × strips.
    data: &'a [Strip],
}

/// Writes the combinations of up to four rows, from the strip `from` on: entry d is the row combination of the digits of d.
struct Fill<'a> {
    rows: &'a [Strip],
    strips: usize,
    from: usize,
    table: &'a mut [Strip],
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let width = self.strips - self.from;
        self.table[..width].fill(Strip::default());
        let mut half = 0; // the largest d so far
        for row in self.rows.chunks_exact(self.strips) {
            let (row, middle) = (&row[self.from..], half); // in `new`, which begins at half + 1, this is 3ⁱ = 2·half + 1
            let (done, new) = self.table.split_at_mut((half + 1) * width);
            new[middle * width..][..width].copy_from_slice(row);
            for (e, entry) in done.chunks_exact(width).enumerate().skip(1) {
                for (to, negate) in [(middle + e, 0), (middle - e, 1)] {
                    for ((z, x), y) in new[to * width..][..width].iter_mut().zip(row).zip(entry) {
                        *z = x.plus(y, negate);
                    }
                }
            }
            half = 3 * half + 1;
        }
    }
}

/// Clears the pivot columns of a group from rows.
struct Clear<'a> {
    group: &'a Group,
    tables: Option<&'a Tables<'a>>,
    strips: usize,
    rows: &'a mut [Strip],
}

impl Kernel for Clear<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact_mut(self.strips) {
            match self.tables {
                Some(tables) => tables.clear_row(row),
                None => self.group.clear_row(row),
            }
        }
    }
}

impl Tables<'_> {
    /// The digits, in balanced ternary, that a row has in the pivot columns of a table.
    #[inline(always)]
    fn digits(&self, table: usize, row: &[Strip]) -> i32 {
        let mut bits = [0; 2];
        for run in &self.runs[table] {
            for (bits, plane) in bits.iter_mut().zip(&row[run.strip].0) {
                *bits |= ((plane[run.word] >> run.shift) as usize & run.mask) << run.digit;
            }
        }
        bits.map(|b| IN_BASE_3[b % IN_BASE_3.len()]).into_iter().reduce(|plus, minus| plus - minus).unwrap_or(0)
    }
    #[inline(always)]
    fn clear_row(&self, row: &mut [Strip]) {
        let width = row.len() - self.from;
        let (mut digits, mut entries) = ([0i32; TABLES], [&self.data[..width]; TABLES]);
        for t in 0..TABLES {
            digits[t] = self.digits(t, row);
            let entry = t * ENTRIES + digits[t].unsigned_abs() as usize;
            entries[t] = &self.data[entry * width..][..width];
        }
        if digits == [0; TABLES] {
            return;
        }
        for (j, x) in row[self.from..][..width].iter_mut().enumerate() {
            let mut sum = *x;
            for t in 0..TABLES {
                sum = sum.plus(&entries[t][j], (digits[t] > 0) as usize);
            }
            *x = sum;
        }
    }
}

/// Clears the pivot columns of `group` from all `rows`; `room` keeps the tables' memory from call to call.
fn clear(group: &Group, strips: usize, rows: &mut [&mut [Strip]], room: &mut Vec<Strip>) {
    let (from, row) = (group.first_strip(), strips * size_of::<Strip>());
    let count: usize = rows.iter().map(|rows| rows.len() / strips).sum();
    let tables = (count >= MANY).then(|| {
        let size = ENTRIES * (strips - from);
        room.resize(room.len().max(TABLES * size), Strip::default());
        for_each_chunk(&mut room[..TABLES * size], size, ENTRIES * row / IN_CACHE, |t, table| {
            let [start, end] = [t, t + 1].map(|t| (t * DIGITS * strips).min(group.rows.len()));
            Isa::best().run(Fill { rows: &group.rows[start..end], strips, from, table });
        });
        let of = |t: usize| runs(group.pivots.chunks(DIGITS).nth(t).unwrap_or(&[]));
        Tables { from, runs: std::array::from_fn(of), data: &room[..TABLES * size] }
    });
    let tables = tables.as_ref();
    match rows {
        [rows] => for_each_chunk(rows, TASK * strips, TASK * TABLES * row / IN_CACHE, |_, rows| {
            Isa::best().run(Clear { group, tables, strips, rows });
        }),
        _ => rows.par_iter_mut().for_each(|rows| Isa::best().run(Clear { group, tables, strips, rows })),
    }
}

/// Packs rows of integers.
struct Pack<'a, R> {
    data: &'a [R],
    cols: usize,
    strips: usize,
    rows: &'a mut [Strip],
}

impl<R: Copy + Into<u64>> Kernel for Pack<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (row, entries) in self.rows.chunks_exact_mut(self.strips).zip(self.data.chunks_exact(self.cols)) {
            for (Strip([plus, minus]), entries) in row.iter_mut().zip(entries.chunks(COLUMNS)) {
                for ((plus, minus), entries) in plus.iter_mut().zip(minus).zip(entries.chunks(64)) {
                    for (i, &x) in entries.iter().enumerate() {
                        let x: u64 = x.into();
                        *plus |= (x & 1) << i;
                        *minus |= (x >> 1) << i;
                    }
                }
            }
        }
    }
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Trits {
    /// Strips of a row.
    strips: usize,
    cols: usize,
    groups: Vec<Group>,
    pub(super) pivot_rows: Vec<usize>,
    pub(super) pivot_cols: Vec<u32>,
    rows_seen: usize,
}

impl Trits {
    /// Rows that one call of [`Trits::absorb`] should bring.
    pub(super) const STEP: usize = PANEL;

    pub(super) fn new(cols: usize) -> Self {
        let strips = cols.div_ceil(COLUMNS);
        Trits { strips, cols, groups: vec![], pivot_rows: vec![], pivot_cols: vec![], rows_seen: 0 }
    }
    /// Strips of a row of `cols` columns.
    pub(super) fn strips(&self) -> usize {
        self.strips
    }

    /// Adds sparse rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) {
        let strips = self.strips;
        self.absorb_panel(rows.len(), |first, lines| {
            for (line, (cols, values)) in lines.chunks_exact_mut(strips).zip(&rows[first..]) {
                for (&j, &v) in cols.iter().zip(*values).filter(|(_, v)| **v != 0) {
                    let Strip(planes) = &mut line[j as usize / COLUMNS];
                    planes[v as usize - 1][j as usize / 64 % WORDS] |= 1 << (j % 64);
                }
            }
        });
    }
    /// Adds `rows` rows to the span that lie row-major in `data`, a residue each entry.
    pub(super) fn absorb_dense<R: Copy + Into<u64> + Sync>(&mut self, rows: usize, data: &[R]) {
        let (cols, strips) = (self.cols, self.strips);
        self.absorb_panel(rows, |first, rows| {
            Isa::best().run(Pack { data: &data[first * cols..], cols, strips, rows });
        });
    }

    /// Adds rows to the span; `fill(i, rows)` writes the rows from i on, which are zero before.
    fn absorb_panel(&mut self, rows: usize, fill: impl Fn(usize, &mut [Strip]) + Sync) {
        let (strips, mut number) = (self.strips, self.rows_seen);
        self.rows_seen += rows;
        if self.pivot_rows.len() == self.cols || rows == 0 {
            return;
        }
        let mut panel = vec![Strip::default(); rows * strips];
        for_each_chunk(&mut panel, TASK * strips, TASK * self.cols, |i, lines| fill(i * TASK, lines));
        let mut room = vec![];
        for group in &self.groups {
            clear(group, strips, &mut [&mut panel], &mut room);
        }
        let mut open = self.groups.pop_if(|last| !last.is_full()).unwrap_or_default();
        let mut rest = panel.as_mut_slice();
        while !rest.is_empty() {
            let before = open.pivots.len();
            let (used, taken) = Isa::best().run(Grow { group: &mut open, strips, rows: rest });
            self.pivot_rows.extend(taken.iter().map(|i| number + i));
            self.pivot_cols.extend(&open.pivots[before..]);
            number += used;
            rest = &mut rest[used * strips..];
            if open.is_full() {
                clear(&open, strips, &mut [rest], &mut room);
                self.groups.push(std::mem::take(&mut open));
            }
        }
        if !open.pivots.is_empty() {
            self.groups.push(open);
        }
    }

    /// Bytes of a basis of `rank` rows, and what [`Trits::absorb`] needs besides: a panel and the tables of a group.
    pub(super) fn memory(rank: usize, cols: usize) -> [u64; 2] {
        let row = cols.div_ceil(COLUMNS) * size_of::<Strip>();
        let numbers = size_of::<usize>() + 2 * size_of::<u32>();
        let basis = rank.next_multiple_of(GROUP) * row + rank * numbers;
        [basis, (PANEL + TABLES * ENTRIES) * row].map(|bytes| bytes as u64)
    }
    /// Bytes that the basis holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let strips: usize = self.groups.iter().map(|group| group.rows.capacity()).sum();
        let numbers = self.pivot_rows.len() * (size_of::<usize>() + 2 * size_of::<u32>());
        (strips * size_of::<Strip>() + numbers) as u64
    }

    /// The rows of the reduced row echelon form, all columns, in the order of `pivot_cols`; none if there is no free
    /// column.
    pub(super) fn into_reduced(mut self) -> Vec<Strip> {
        let (strips, mut room) = (self.strips, vec![]);
        if self.pivot_rows.len() == self.cols {
            return vec![]; // no free columns
        }
        for last in (1..self.groups.len()).rev() {
            let (earlier, rest) = self.groups.split_at_mut(last);
            let mut rows: Vec<&mut [Strip]> = earlier.iter_mut().map(|group| group.rows.as_mut_slice()).collect();
            clear(&rest[0], strips, &mut rows, &mut room);
        }
        self.groups.into_iter().flat_map(|group| group.rows).collect()
    }
}
