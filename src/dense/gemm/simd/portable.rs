//! Tiles in plain Rust.

use super::tiles::Tiles;
use crate::isa::Isa;

const MR: usize = 4;
const NR: usize = 8;

pub(super) const TILES: Tiles =
    Tiles { isa: Isa::Portable, pair_rows: MR, whole_rows: MR, pair_cols: NR, whole_cols: NR, pairs, wholes };

fn pairs(depth: usize, a: &[i32], b: &[i32], sums: &mut [i32]) {
    let mut acc = [[0i32; NR]; MR];
    for (a, b) in a.chunks_exact(MR).zip(b.chunks_exact(NR)).take(depth) {
        for (acc, &a) in acc.iter_mut().zip(a) {
            for (acc, &b) in acc.iter_mut().zip(b) {
                *acc += a as i16 as i32 * (b as i16 as i32) + (a >> 16) * (b >> 16);
            }
        }
    }
    sums.chunks_mut(NR).zip(&acc).for_each(|(to, from)| to.copy_from_slice(from));
}

fn wholes(depth: usize, fold: usize, a: &[i32], b: &[i32], high: &mut [i64], low: &mut [i64]) {
    let mut acc = [[0i64; NR]; MR];
    high[..MR * NR].fill(0);
    for (a, b) in a[..depth * MR].chunks(fold * MR).zip(b[..depth * NR].chunks(fold * NR)) {
        for (a, b) in a.chunks_exact(MR).zip(b.chunks_exact(NR)) {
            for (acc, &a) in acc.iter_mut().zip(a) {
                for (acc, &b) in acc.iter_mut().zip(b) {
                    *acc += a as i64 * b as i64;
                }
            }
        }
        for (high, acc) in high.iter_mut().zip(acc.as_flattened_mut()) {
            *high += *acc >> 32;
            *acc &= 0xffff_ffff;
        }
    }
    low.chunks_mut(NR).zip(&acc).for_each(|(to, from)| to.copy_from_slice(from));
}
