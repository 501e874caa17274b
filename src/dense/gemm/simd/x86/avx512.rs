//! Tiles of AVX-512 F and BW: 12 rows by two vectors for pairs, 8 rows by two for wholes. VNNI multiplies and adds
//! pairs in one instruction.

use super::super::tiles::{FOLDS, Tiles};
use crate::isa::{Extra, Isa};
use std::arch::x86_64::*;
use std::hint::black_box;

const PAIR_ROWS: usize = 12;
/// Vectors of a row of the tile of pairs.
const PAIR_VECTORS: usize = 2;
const PAIR_COLS: usize = PAIR_VECTORS * 16;
const WHOLE_ROWS: usize = 8;
/// Vectors of a row of the tile of wholes.
const WHOLE_VECTORS: usize = 2;
const WHOLE_COLS: usize = WHOLE_VECTORS * 8;

/// The tiles, if this processor has the instructions.
pub(in super::super) fn tiles() -> Option<Tiles> {
    Isa::Avx512.is_available().then_some(Tiles {
        isa: Isa::Avx512,
        pair_rows: PAIR_ROWS,
        pair_cols: PAIR_COLS,
        whole_rows: WHOLE_ROWS,
        whole_cols: WHOLE_COLS,
        pairs,
        wholes,
    })
}

/// The same with VNNI, if this processor has it.
pub(in super::super) fn vnni_tiles() -> Option<Tiles> {
    tiles().filter(|_| Extra::Vnni.is_available()).map(|tiles| Tiles { pairs: pairs_in_one, ..tiles })
}

// The functions below leave this file through `tiles` and `vnni_tiles` alone, which have detected what they need.

fn pairs(depth: usize, a: &[i32], b: &[i32], sums: &mut [i32]) {
    let (a, b, sums) = (&a[..depth * PAIR_ROWS], &b[..depth * PAIR_COLS], &mut sums[..PAIR_ROWS * PAIR_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `pairs_tile` asks for.
    unsafe { pairs_tile(a, b, sums) }
}

fn wholes(depth: usize, fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let (a, b) = (&a[..depth * WHOLE_ROWS], &b[..depth * WHOLE_COLS]);
    let (high, low) = (&mut high[..WHOLE_ROWS * WHOLE_COLS], &mut low[..WHOLE_ROWS * WHOLE_COLS]);
    assert!(depth.div_ceil(fold) <= FOLDS);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `wholes_tile` asks for.
    unsafe { wholes_tile(fold, a, b, high, low) }
}

fn pairs_in_one(depth: usize, a: &[i32], b: &[i32], sums: &mut [i32]) {
    let (a, b, sums) = (&a[..depth * PAIR_ROWS], &b[..depth * PAIR_COLS], &mut sums[..PAIR_ROWS * PAIR_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `pairs_vnni_tile` asks for.
    unsafe { pairs_vnni_tile(a, b, sums) }
}

/// A tile of pairs, whose sums `multiply_add(sum, x, y)` = sum + x·y extend.
macro_rules! pairs_tile {
    ($name:ident, $features:literal, $multiply_add:expr) => {
        /// # Safety
        /// The length of `a` is a multiple of PAIR_ROWS, `b` has `PAIR_COLS` words for each PAIR_ROWS of them, `sums`
        /// has PAIR_ROWS·`PAIR_COLS`.
        #[target_feature(enable = $features)]
        unsafe fn $name(a: &[i32], b: &[i32], sums: &mut [i32]) {
            let mut acc = [[_mm512_setzero_si512(); PAIR_VECTORS]; PAIR_ROWS];
            for d in 0..a.len() / PAIR_ROWS {
                // SAFETY: the lengths promised by the caller keep every access inside its slice.
                unsafe {
                    let (a, b) = (a.as_ptr().add(d * PAIR_ROWS), b.as_ptr().add(d * PAIR_COLS));
                    let b: [__m512i; PAIR_VECTORS] = std::array::from_fn(|v| _mm512_loadu_si512(b.add(16 * v).cast()));
                    unrolled!(I in [0 1 2 3 4 5 6 7 8 9 10 11] {
                        let x = _mm512_set1_epi32(*a.add(I));
                        for v in 0..PAIR_VECTORS {
                            acc[I][v] = $multiply_add(acc[I][v], x, b[v]);
                        }
                    });
                }
            }
            for (i, row) in acc.iter().enumerate() {
                for (v, x) in row.iter().enumerate() {
                    // SAFETY: i < PAIR_ROWS and v < PAIR_VECTORS.
                    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().add(i * PAIR_COLS + 16 * v).cast(), *x) };
                }
            }
        }
    };
}
pairs_tile!(pairs_tile, "avx512f,avx512bw", |sum, x, y| _mm512_add_epi32(sum, _mm512_madd_epi16(x, y)));
pairs_tile!(pairs_vnni_tile, "avx512f,avx512bw,avx512vnni", |sum, x, y| _mm512_dpwssd_epi32(sum, x, y));

/// Both vectors of a row of the tile share the words of B: one holds the even columns, which stand in the lower halves
/// of its 64-bit words, the other the odd ones, shifted down.
///
/// Every `fold` steps begin a sum of their own, exact in 64 bits, that is added to `low` mod 2⁶⁴ when it is done. What
/// lies above needs no exact account: of the even and the odd sum the upper 24 bits go to one vector of 32-bit sums. If
/// that has x after at most 2⁸ folds, then x·2⁴⁰ ≤ Σ a·b < x·2⁴⁰ + 2⁴⁸, which names one number ≡ `low` mod 2⁶⁴. Sixteen
/// sums and eight such vectors stay in registers.
///
/// # Safety
/// The length of `a` is a multiple of `WHOLE_ROWS`, `b` has `WHOLE_COLS` words for each `WHOLE_ROWS` of them, `high`
/// and `low` have `WHOLE_ROWS`·`WHOLE_COLS`.
#[target_feature(enable = "avx512f")]
unsafe fn wholes_tile(fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let mut upper = [_mm512_setzero_si512(); WHOLE_ROWS];
    let mut lower = [[_mm512_setzero_si512(); WHOLE_VECTORS]; WHOLE_ROWS];
    let depth = a.len() / WHOLE_ROWS;
    // The words of A at a step, and those of B, even and odd.
    let step = |d: usize| {
        // SAFETY: the lengths promised by the caller keep every access inside its slice.
        let (a, even) =
            unsafe { (a.as_ptr().add(d * WHOLE_ROWS), _mm512_loadu_si512(b.as_ptr().add(d * WHOLE_COLS).cast())) };
        (a, [even, _mm512_srli_epi64::<32>(even)])
    };
    let mut start = 0;
    while start < depth {
        let end = depth.min(start + fold);
        let mut acc = [[_mm512_setzero_si512(); WHOLE_VECTORS]; WHOLE_ROWS];
        let (a, b) = step(start);
        unrolled!(I in [0 1 2 3 4 5 6 7] {
            // SAFETY: I < WHOLE_ROWS, the words of a step.
            let x = _mm512_set1_epi32(unsafe { *a.add(I) });
            unrolled!(V in [0 1] { acc[I][V] = _mm512_mul_epi32(x, b[V]); });
        });
        for d in start + 1..end {
            let (a, b) = step(d);
            unrolled!(I in [0 1 2 3 4 5 6 7] {
                // SAFETY: as above.
                let x = _mm512_set1_epi32(unsafe { *a.add(I) });
                unrolled!(V in [0 1] { acc[I][V] = _mm512_add_epi64(acc[I][V], _mm512_mul_epi32(x, b[V])); });
            });
        }
        start = end;
        // In memory: in registers they would drive out others.
        let lower = black_box(&mut lower);
        unrolled!(I in [0 1 2 3 4 5 6 7] {
            unrolled!(V in [0 1] { lower[I][V] = _mm512_add_epi64(lower[I][V], acc[I][V]); });
            let uppers = _mm512_mask_shuffle_epi32::<0b11_11_01_01>(acc[I][1], 0x5555, acc[I][0]);
            upper[I] = _mm512_add_epi32(upper[I], _mm512_srai_epi32::<8>(uppers));
        });
    }
    // Columns 0 … 7 and 8 … 15 of (even, odd).
    let order = [_mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15)];
    let (mask, half) = (_mm512_set1_epi64(0xffff_ffff), _mm512_set1_epi64(1 << 31));
    for (i, upper) in upper.into_iter().enumerate() {
        let at = |v: usize| i * WHOLE_COLS + 8 * v;
        let near = [_mm512_slli_epi64::<32>(upper), upper].map(|x| _mm512_slli_epi64::<8>(_mm512_srai_epi64::<32>(x)));
        let sums = lower[i];
        let halves: [[__m512i; 2]; WHOLE_VECTORS] = std::array::from_fn(|v| {
            let own = _mm512_srai_epi64::<32>(sums[v]);
            // The multiple of 2³² that is nearest to what is missing.
            let missing = _mm512_andnot_si512(mask, _mm512_add_epi64(_mm512_sub_epi64(near[v], own), half));
            [_mm512_add_epi64(missing, own), _mm512_and_si512(sums[v], mask)]
        });
        for (v, order) in order.into_iter().enumerate() {
            // SAFETY: i < WHOLE_ROWS and v < WHOLE_VECTORS.
            unsafe {
                let sums = [0, 1].map(|part| _mm512_permutex2var_epi64(halves[0][part], order, halves[1][part]));
                _mm512_storeu_si512(high.as_mut_ptr().add(at(v)).cast(), sums[0]);
                _mm512_storeu_si512(low.as_mut_ptr().add(at(v)).cast(), sums[1]);
            }
        }
    }
}
