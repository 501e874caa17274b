//! 512 entries of GF(3) at a time: two bits an entry in two planes, so that one addition takes seven operations on
//! words of 64 entries (of the kind of Boothby, Bradshaw, "Bitslicing and the method of four Russians over larger
//! finite fields", 2009), and a change of sign swaps the planes, which is free.

use crate::isa::Kernel;
use crate::memory;

/// Words of a plane of a strip.
pub(super) const WORDS: usize = 8;
/// Columns of a strip.
pub(super) const COLUMNS: usize = 64 * WORDS;

memory::plain! {
    /// 512 entries: bit j % 64 of word j / 64 is set in plane 0 where entry j is 1, in plane 1 where it is -1.
    #[derive(Debug, Default)]
    #[repr(align(64))]
    pub(in super::super) struct Strip(pub(super) [[u64; WORDS]; 2]): Zeroable
}

impl Strip {
    /// Self + y, or self - y if `negate` is 1.
    ///
    /// With t = (x⁺ ∨ y⁻) ⊕ (x⁻ ∨ y⁺), the sum has the planes (x⁻ ∨ y⁻) ⊕ t and (x⁺ ∨ y⁺) ⊕ t.
    #[inline(always)]
    pub(super) fn plus(&self, y: &Strip, negate: usize) -> Strip {
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
pub(in super::super) fn trit(row: &[Strip], j: u32) -> u64 {
    let (Strip([plus, minus]), word, bit) = (&row[j as usize / COLUMNS], j as usize / 64 % WORDS, j % 64);
    (plus[word] >> bit & 1) | (minus[word] >> bit & 1) << 1
}

/// Column `j` of a row, which is 0, becomes `digit`.
pub(super) fn set(row: &mut [Strip], j: u32, digit: u64) {
    if digit > 0 {
        let Strip(planes) = &mut row[j as usize / COLUMNS];
        planes[digit as usize - 1][j as usize / 64 % WORDS] |= 1 << (j % 64);
    }
}

/// The sum of the products of the entries of two rows, mod 3.
pub(super) fn dot(x: &[Strip], y: &[Strip]) -> u64 {
    let (mut alike, mut opposite) = (0, 0);
    for (Strip([xp, xm]), Strip([yp, ym])) in x.iter().zip(y) {
        for i in 0..WORDS {
            alike += u64::from((xp[i] & yp[i]).count_ones() + (xm[i] & ym[i]).count_ones());
            opposite += u64::from((xp[i] & ym[i]).count_ones() + (xm[i] & yp[i]).count_ones());
        }
    }
    (alike + 2 * opposite) % 3
}

/// Where some row of a table has an entry, that is not 0; elsewhere 0.
pub(in super::super) fn union(table: &[Strip], strips: usize) -> Vec<Strip> {
    let mut union = vec![Strip::default(); strips];
    for row in table.chunks_exact(strips.max(1)) {
        for (Strip(all), Strip(planes)) in union.iter_mut().zip(row) {
            all.iter_mut().flatten().zip(planes.iter().flatten()).for_each(|(all, word)| *all |= word);
        }
    }
    union
}

/// The first column that is not 0.
#[inline(always)]
pub(super) fn leading(row: &[Strip]) -> Option<u32> {
    row.iter().enumerate().find_map(|(s, Strip([plus, minus]))| {
        let word = (0..WORDS).find(|&i| plus[i] | minus[i] != 0)?;
        Some((s * COLUMNS + word * 64) as u32 + (plus[word] | minus[word]).trailing_zeros())
    })
}

/// x += y, or x -= y if `negate` is 1.
#[inline(always)]
pub(super) fn add(x: &mut [Strip], y: &[Strip], negate: usize) {
    for (x, y) in x.iter_mut().zip(y) {
        *x = x.plus(y, negate);
    }
}

/// Packs rows of integers.
pub(super) struct Pack<'a, R> {
    pub data: &'a [R],
    pub cols: usize,
    pub strips: usize,
    pub rows: &'a mut [Strip],
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
