//! Tiles of AVX2: 6 rows by two vectors, 12 sums in registers.

use super::super::tiles::Tiles;
use crate::isa::Isa;
use std::arch::x86_64::*;

const MR: usize = 6;
/// Vectors of a row of the tile.
const VECTORS: usize = 2;
const PAIR_COLS: usize = VECTORS * 8;
const WHOLE_COLS: usize = VECTORS * 8 / 2;

/// The tiles, if this processor has the instructions.
pub(in super::super) fn tiles() -> Option<Tiles> {
    Isa::Avx2.is_available().then_some(Tiles {
        isa: Isa::Avx2,
        pair_rows: MR,
        whole_rows: MR,
        pair_cols: PAIR_COLS,
        whole_cols: WHOLE_COLS,
        pairs,
        wholes,
    })
}

// Both functions below leave this file through `tiles` alone, which has detected what they need.

fn pairs(depth: usize, a: &[i32], b: &[i32], sums: &mut [i32]) {
    let (a, b, sums) = (&a[..depth * MR], &b[..depth * PAIR_COLS], &mut sums[..MR * PAIR_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `pairs_tile` asks for.
    unsafe { pairs_tile(a, b, sums) }
}

fn wholes(depth: usize, fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let (a, b) = (&a[..depth * MR], &b[..depth * WHOLE_COLS]);
    let (high, low) = (&mut high[..MR * WHOLE_COLS], &mut low[..MR * WHOLE_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `wholes_tile` asks for.
    unsafe { wholes_tile(fold, a, b, high, low) }
}

/// # Safety
/// The length of `a` is a multiple of MR, `b` has `PAIR_COLS` words for each MR of them, `sums` has MR·`PAIR_COLS`.
#[target_feature(enable = "avx2")]
unsafe fn pairs_tile(a: &[i32], b: &[i32], sums: &mut [i32]) {
    let mut acc = [[_mm256_setzero_si256(); VECTORS]; MR];
    for d in 0..a.len() / MR {
        // SAFETY: the lengths promised by the caller keep every access inside its slice.
        unsafe {
            let (a, b) = (a.as_ptr().add(d * MR), b.as_ptr().add(d * PAIR_COLS));
            let b: [__m256i; VECTORS] = std::array::from_fn(|v| _mm256_loadu_si256(b.add(8 * v).cast()));
            unrolled!(I in [0 1 2 3 4 5] {
                let x = _mm256_set1_epi32(*a.add(I));
                for v in 0..VECTORS {
                    acc[I][v] = _mm256_add_epi32(acc[I][v], _mm256_madd_epi16(x, b[v]));
                }
            });
        }
    }
    for (i, row) in acc.iter().enumerate() {
        for (v, x) in row.iter().enumerate() {
            // SAFETY: i < MR and v < VECTORS.
            unsafe { _mm256_storeu_si256(sums.as_mut_ptr().add(i * PAIR_COLS + 8 * v).cast(), *x) };
        }
    }
}

/// # Safety
/// The length of `a` is a multiple of MR, `b` has `WHOLE_COLS` words for each MR of them, `high` and `low` have
/// MR·`WHOLE_COLS`.
#[target_feature(enable = "avx2")]
unsafe fn wholes_tile(fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let mask = _mm256_set1_epi64x(0xffff_ffff);
    // AVX2 shifts signed words of 32 bits, not of 64: the sign of the upper half is spread over its place.
    let upper = |x: __m256i| _mm256_blend_epi32::<0b1010_1010>(_mm256_srli_epi64::<32>(x), _mm256_srai_epi32::<31>(x));
    let mut acc = [[_mm256_setzero_si256(); VECTORS]; MR];
    high.fill(0);
    let depth = a.len() / MR;
    let mut start = 0;
    while start < depth {
        let end = depth.min(start + fold);
        for d in start..end {
            // SAFETY: the lengths promised by the caller keep every access inside its slice.
            unsafe {
                let (a, b) = (a.as_ptr().add(d * MR), b.as_ptr().add(d * WHOLE_COLS));
                let b: [__m256i; VECTORS] =
                    std::array::from_fn(|v| _mm256_cvtepi32_epi64(_mm_loadu_si128(b.add(4 * v).cast())));
                unrolled!(I in [0 1 2 3 4 5] {
                    let x = _mm256_set1_epi32(*a.add(I));
                    for v in 0..VECTORS {
                        acc[I][v] = _mm256_add_epi64(acc[I][v], _mm256_mul_epi32(x, b[v]));
                    }
                });
            }
        }
        start = end;
        unrolled!(I in [0 1 2 3 4 5] {
            for (v, acc) in acc[I].iter_mut().enumerate() {
                // SAFETY: I < MR and v < VECTORS.
                unsafe {
                    let to: *mut __m256i = high.as_mut_ptr().add(I * WHOLE_COLS + 4 * v).cast();
                    _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_loadu_si256(to), upper(*acc)));
                }
                *acc = _mm256_and_si256(*acc, mask);
            }
        });
    }
    for (i, row) in acc.iter().enumerate() {
        for (v, x) in row.iter().enumerate() {
            // SAFETY: i < MR and v < VECTORS.
            unsafe { _mm256_storeu_si256(low.as_mut_ptr().add(i * WHOLE_COLS + 4 * v).cast(), *x) };
        }
    }
}
