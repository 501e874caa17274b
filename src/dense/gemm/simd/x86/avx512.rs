//! Tiles of AVX-512 F and BW: 12 rows by two vectors for pairs, 8 rows by two for wholes, whose sums stay in registers.

use super::super::Tiles;
use std::arch::x86_64::*;

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
    let there = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    there.then_some(Tiles {
        pair_rows: PAIR_ROWS,
        pair_cols: PAIR_COLS,
        whole_rows: WHOLE_ROWS,
        whole_cols: WHOLE_COLS,
        pairs,
        wholes,
    })
}

// Both functions below leave this file through `tiles` alone, which has detected what they need.

fn pairs(depth: usize, a: &[i32], b: &[i32], sums: &mut [i32]) {
    let (a, b, sums) = (&a[..depth * PAIR_ROWS], &b[..depth * PAIR_COLS], &mut sums[..PAIR_ROWS * PAIR_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that `pairs_tile` asks for.
    unsafe { pairs_tile(a, b, sums) }
}

fn wholes(depth: usize, fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let (a, b) = (&a[..depth * WHOLE_ROWS], &b[..depth * WHOLE_COLS]);
    let (high, low) = (&mut high[..WHOLE_ROWS * WHOLE_COLS], &mut low[..WHOLE_ROWS * WHOLE_COLS]);
    // SAFETY: the instructions are there, see above; the slices have the lengths that the tiles ask for.
    unsafe {
        if (WHOLE_ROWS..8 * WHOLE_ROWS).contains(&fold) {
            staggered_wholes_tile(a, b, high, low)
        } else {
            wholes_tile(fold, a, b, high, low)
        }
    }
}

/// # Safety
/// The length of `a` is a multiple of PAIR_ROWS, `b` has `PAIR_COLS` words for each PAIR_ROWS of them, `sums` has PAIR_ROWS·`PAIR_COLS`.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn pairs_tile(a: &[i32], b: &[i32], sums: &mut [i32]) {
    let mut acc = [[_mm512_setzero_si512(); PAIR_VECTORS]; PAIR_ROWS];
    for d in 0..a.len() / PAIR_ROWS {
        // SAFETY: the lengths promised by the caller keep every access inside its slice.
        unsafe {
            let (a, b) = (a.as_ptr().add(d * PAIR_ROWS), b.as_ptr().add(d * PAIR_COLS));
            let b: [__m512i; PAIR_VECTORS] = std::array::from_fn(|v| _mm512_loadu_si512(b.add(16 * v).cast()));
            unrolled!(I in [0 1 2 3 4 5 6 7 8 9 10 11] {
                let x = _mm512_set1_epi32(*a.add(I));
                for v in 0..PAIR_VECTORS {
                    acc[I][v] = _mm512_add_epi32(acc[I][v], _mm512_madd_epi16(x, b[v]));
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

/// Adds the products of one step of the depth to a tile of wholes. (Macros, not functions: a reference to the sums would
/// send them to memory.)
macro_rules! step {
    ($acc:ident, $a:expr, $b:expr) => {{
        let (a, b): (*const i32, *const i32) = ($a, $b);
        let b: [__m512i; WHOLE_VECTORS] =
            std::array::from_fn(|v| _mm512_cvtepi32_epi64(_mm256_loadu_si256(b.add(8 * v).cast())));
        unrolled!(R in [0 1 2 3 4 5 6 7] {
            let x = _mm512_set1_epi32(*a.add(R));
            unrolled!(V in [0 1] { $acc[R][V] = _mm512_add_epi64($acc[R][V], _mm512_mul_epi32(x, b[V])); });
        });
    }};
}

/// Moves the upper halves of a row of sums to `high`.
macro_rules! fold_row {
    ($acc:ident, $row:expr, $high:ident) => {
        unrolled!(V in [0 1] {
            let to: *mut __m512i = $high.add($row * WHOLE_COLS + 8 * V).cast();
            let sum = _mm512_add_epi64(_mm512_loadu_si512(to), _mm512_srai_epi64::<32>($acc[$row][V]));
            _mm512_storeu_si512(to, sum);
            $acc[$row][V] = _mm512_and_si512($acc[$row][V], _mm512_set1_epi64(0xffff_ffff));
        })
    };
}

/// Folds a row and stores what is left of it.
macro_rules! finish_row {
    ($acc:ident, $row:expr, $high:ident, $low:ident) => {
        fold_row!($acc, $row, $high);
        unrolled!(V in [0 1] { _mm512_storeu_si512($low.add($row * WHOLE_COLS + 8 * V).cast(), $acc[$row][V]); });
    };
}

/// # Safety
/// The length of `a` is a multiple of `WHOLE_ROWS`, `b` has `WHOLE_COLS` words for each `WHOLE_ROWS` of them, `high` and
/// `low` have `WHOLE_ROWS`·`WHOLE_COLS`.
#[target_feature(enable = "avx512f")]
unsafe fn wholes_tile(fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let mut acc = [[_mm512_setzero_si512(); WHOLE_VECTORS]; WHOLE_ROWS];
    high.fill(0);
    let (depth, high, low) = (a.len() / WHOLE_ROWS, high.as_mut_ptr(), low.as_mut_ptr());
    let mut start = 0;
    // SAFETY: the lengths promised by the caller keep every access inside its slice.
    unsafe {
        while start < depth {
            let end = depth.min(start + fold);
            for d in start..end {
                step!(acc, a.as_ptr().add(d * WHOLE_ROWS), b.as_ptr().add(d * WHOLE_COLS));
            }
            start = end;
            unrolled!(I in [0 1 2 3 4 5 6 7] { fold_row!(acc, I, high); });
        }
        unrolled!(I in [0 1 2 3 4 5 6 7] { finish_row!(acc, I, high, low); });
    }
}

/// The same for a fold of at least `WHOLE_ROWS` steps: row I is folded after the steps d ≡ I mod `WHOLE_ROWS`, so that the
/// stores spread over the steps and hide behind the products.
///
/// # Safety
/// As `wholes_tile`.
#[target_feature(enable = "avx512f")]
unsafe fn staggered_wholes_tile(a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let mut acc = [[_mm512_setzero_si512(); WHOLE_VECTORS]; WHOLE_ROWS];
    high.fill(0);
    let (depth, high, low) = (a.len() / WHOLE_ROWS, high.as_mut_ptr(), low.as_mut_ptr());
    let (mut a, mut b) = (a.as_ptr(), b.as_ptr());
    // SAFETY: the lengths promised by the caller keep every access inside its slice.
    unsafe {
        for _ in 0..depth / WHOLE_ROWS {
            // Opaque to the compiler, which would otherwise hold `high` in registers and spill the sums.
            let high = std::hint::black_box(high);
            unrolled!(I in [0 1 2 3 4 5 6 7] {
                step!(acc, a.add(I * WHOLE_ROWS), b.add(I * WHOLE_COLS));
                fold_row!(acc, I, high);
            });
            (a, b) = (a.add(WHOLE_ROWS * WHOLE_ROWS), b.add(WHOLE_ROWS * WHOLE_COLS));
        }
        // Row 0 has taken seven steps since its last fold already.
        unrolled!(I in [0 1 2 3 4 5 6 7] { fold_row!(acc, I, high); });
        for _ in 0..depth % WHOLE_ROWS {
            step!(acc, a, b);
            (a, b) = (a.add(WHOLE_ROWS), b.add(WHOLE_COLS));
        }
        unrolled!(I in [0 1 2 3 4 5 6 7] { finish_row!(acc, I, high, low); });
    }
}
