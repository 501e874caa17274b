//! The method of four Russians over GF(3): four basis rows make a table of their combinations ∑ dᵢ·rowᵢ, dᵢ ∈ {-1, 0,
//! 1}, up to sign; entry ∑ dᵢ·3ⁱ, a number in balanced ternary between 0 and 40. Five tables, made from a group of
//! twenty basis rows that are the identity in their own pivot columns, clear twenty pivot columns of a row in one pass
//! over it: [`clear`].

use super::super::parallel::for_each_chunk;
use super::group::{DIGITS, Group, TABLES};
use super::strip::{COLUMNS, Strip, WORDS};
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// The combinations of so many rows, up to sign.
pub(super) const ENTRIES: usize = 3usize.pow(DIGITS as u32) / 2 + 1;
/// Rows of a task.
pub(super) const TASK: usize = 16;
/// Rows that repay the tables of a group: 200 row additions, where each row then takes 5 and not 2/3 of 20.
const MANY: usize = 24;
/// How much faster than memory the caches are, where tables and rows stay between calls.
const IN_CACHE: usize = 8;

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

/// Writes the combinations of up to four rows, from the strip `from` on: entry d is the row combination of the digits
/// of d.
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
        let [plus, minus] = bits.map(|b| IN_BASE_3[b % IN_BASE_3.len()]);
        plus - minus
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
pub(super) fn clear(group: &Group, strips: usize, rows: &mut [&mut [Strip]], room: &mut Vec<Strip>) -> Result<()> {
    let (from, row) = (group.first_strip(), strips * size_of::<Strip>());
    let count: usize = rows.iter().map(|rows| rows.len() / strips).sum();
    let size = ENTRIES * (strips - from);
    if count >= MANY && room.len() < TABLES * size {
        let more = TABLES * size - room.len();
        memory::reserve(room, more, "the tables of an elimination mod 3")?;
        room.resize(TABLES * size, Strip::default());
    }
    let tables = (count >= MANY).then(|| {
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
        _ => rows.par_iter_mut().each(|rows| Isa::best().run(Clear { group, tables, strips, rows })),
    }
    Ok(())
}
