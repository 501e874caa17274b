//! Which tiles are used: of those that the machine has and the process may use, the fastest.

use super::bytes::{ByteTile, PORTABLE};
use super::portable;
use super::tiles::Tiles;
use super::timing::least_seconds;
#[cfg(target_arch = "x86_64")]
use super::x86;
use crate::isa::Isa;
use std::sync::OnceLock;

/// Depth of the tiles that are timed.
const TRIED: usize = 128;
/// A narrower instruction set must be so much faster, which noise is not.
const CLEARLY: f64 = 0.9;

impl Tiles {
    /// The fastest of those that the process may use ([`Isa::best`]), by a few tiles of each at the first call: a
    /// processor may have an instruction set and be slow with it. Which they are changes no result.
    pub(in super::super) fn best() -> Tiles {
        static BEST: OnceLock<Tiles> = OnceLock::new();
        *BEST.get_or_init(|| {
            let mut allowed = Tiles::available();
            allowed.retain(|tiles| tiles.isa <= Isa::best());
            let (pairs, wholes) = (fastest(&allowed, Tiles::time_pairs), fastest(&allowed, Tiles::time_wholes));
            let Tiles { whole_rows, whole_cols, wholes, .. } = wholes;
            Tiles { whole_rows, whole_cols, wholes, ..pairs }
        })
    }

    /// Seconds of a multiply-add of pairs, in the least of a few tiles.
    pub(in super::super) fn time_pairs(&self) -> f64 {
        let (a, b) = (vec![0x0001_0002; TRIED * self.pair_rows], vec![0x0003_0004; TRIED * self.pair_cols]);
        let mut sums = vec![0; self.pair_rows * self.pair_cols];
        least_seconds(|| (self.pairs)(TRIED, &a, &b, &mut sums)) / (TRIED * sums.len()) as f64
    }
    /// The same of wholes.
    pub(in super::super) fn time_wholes(&self) -> f64 {
        let (a, b) = (vec![5; TRIED * self.whole_rows], vec![7; TRIED * self.whole_cols]);
        let mut sums = [vec![0; self.whole_rows * self.whole_cols], vec![0; self.whole_rows * self.whole_cols]];
        let [high, low] = &mut sums;
        least_seconds(|| (self.wholes)(TRIED, TRIED, &a, &b, high, low)) / (TRIED * low.len()) as f64
    }

    /// All that this machine can run, the best last.
    pub(in super::super) fn available() -> Vec<Tiles> {
        #[allow(unused_mut, reason = "other processors have no other tiles")]
        let mut tiles = vec![portable::TILES];
        #[cfg(target_arch = "x86_64")]
        tiles.extend([x86::avx2(), x86::avx512(), x86::avx512_vnni()].into_iter().flatten());
        tiles
    }
}

impl ByteTile {
    /// All that this machine can run, the best last. The first is plain Rust, for tests: it is slower than tiles of
    /// words.
    pub(in super::super) fn available() -> Vec<ByteTile> {
        #[allow(unused_mut, reason = "other processors have no other tiles")]
        let mut tiles = vec![PORTABLE];
        #[cfg(all(target_arch = "x86_64", target_pointer_width = "64", target_os = "linux"))]
        tiles.extend(x86::amx());
        tiles
    }
    /// The one of matrix instructions, if the process may use it ([`Isa::best`]).
    pub(in super::super) fn of_matrices() -> Option<ByteTile> {
        static TILE: OnceLock<Option<ByteTile>> = OnceLock::new();
        *TILE.get_or_init(|| Self::available().into_iter().skip(1).rfind(|tile| tile.isa <= Isa::best()))
    }
    /// That one, or plain Rust.
    pub(in super::super) fn best() -> ByteTile {
        Self::of_matrices().unwrap_or(PORTABLE)
    }
}

/// The last of `tiles` unless one before it takes clearly less time.
fn fastest(tiles: &[Tiles], seconds: impl Fn(&Tiles) -> f64) -> Tiles {
    let timed = tiles.iter().rev().map(|tiles| (*tiles, seconds(tiles)));
    let (best, _) = timed
        .reduce(|best, other| if other.1 < CLEARLY * best.1 { other } else { best })
        .expect("portable code runs everywhere");
    best
}

#[cfg(test)]
mod tests {
    use super::super::FOLDS;
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_last_is_taken_unless_another_is_clearly_faster() {
        let one = |rows| Tiles { pair_rows: rows, ..portable::TILES };
        let all = [one(1), one(2), one(3)];
        let taken = |seconds: [f64; 3]| fastest(&all, |tiles| seconds[tiles.pair_rows - 1]).pair_rows;
        assert_eq!(taken([1.0, 1.0, 1.0]), 3);
        assert_eq!(taken([0.95, 0.95, 1.0]), 3);
        assert_eq!(taken([2.0, 0.5, 1.0]), 2);
        assert_eq!(taken([0.3, 0.5, 1.0]), 1);
        let best = Tiles::best();
        assert!(best.isa <= Isa::best() && best.time_pairs() > 0.0 && best.time_wholes() > 0.0);
    }

    fn halves(word: i32) -> [i32; 2] {
        [word as i16 as i32, word >> 16]
    }

    #[test]
    fn tiles_agree_with_their_definition() {
        let mut rng = Rng::seed_from_u64(31);
        for tiles in Tiles::available() {
            assert!(tiles.whole_rows % 2 == 0);
            let ((rows, cols), (whole_rows, whole_cols)) = (Tiles::LARGEST_PAIRS, Tiles::LARGEST_WHOLES);
            assert!(tiles.pair_rows <= rows && tiles.pair_cols <= cols, "{tiles:?}");
            assert!(tiles.whole_rows <= whole_rows && tiles.whole_cols <= whole_cols, "{tiles:?}");
            for depth in [0, 1, 2, 5, 64, 129, FOLDS, 2 * FOLDS] {
                let (mr, nr) = (tiles.pair_rows, tiles.pair_cols);
                // depth·2·32767·digit < 2³¹.
                let digit = (32767 / depth.max(1) as i32).min(128);
                let mut word =
                    |bound: i32| (rng.random_range(-bound..=bound) << 16) | (rng.random_range(-bound..=bound) & 0xffff);
                let a: Vec<i32> = (0..depth * mr).map(|_| word(32767)).collect();
                let b: Vec<i32> = (0..depth * nr).map(|_| word(digit)).collect();
                let mut sums = vec![7; mr * nr];
                (tiles.pairs)(depth, &a, &b, &mut sums);
                for (i, j) in (0..mr).flat_map(|i| (0..nr).map(move |j| (i, j))) {
                    let twin: i32 = (0..depth)
                        .map(|d| {
                            halves(a[d * mr + i]).iter().zip(halves(b[d * nr + j])).map(|(x, y)| x * y).sum::<i32>()
                        })
                        .sum();
                    assert_eq!(sums[i * nr + j], twin, "{tiles:?} depth {depth}");
                }

                let (mr, nr) = (tiles.whole_rows, tiles.whole_cols);
                // Folds of 2 and of 8 steps come as close to 2⁶³ as they may, the former as often as a tile may fold.
                let folds =
                    [(2, i32::MIN + 1), (7, 1 << 30), (8, (1 << 30) - 1), (1, i32::MIN + 1), (64, 1 << 28), (1000, 40)];
                for (fold, bound) in folds.into_iter().filter(|(fold, _)| depth <= fold * FOLDS) {
                    let bound = bound.unsigned_abs() as i64;
                    // Extremes in half of the cases, to meet the edge of every fold.
                    let mut entry = |_| match rng.random_range(0..4) {
                        0 => bound as i32,
                        1 => -bound as i32,
                        _ => rng.random_range(-bound..=bound) as i32,
                    };
                    let mut a: Vec<i32> = (0..depth * mr).map(&mut entry).collect();
                    let mut b: Vec<i32> = (0..depth * nr).map(&mut entry).collect();
                    (0..depth).for_each(|d| {
                        (a[d * mr], b[d * nr]) = (bound as i32, bound as i32);
                        (a[d * mr + 1], b[d * nr + 1]) = (-bound as i32, bound as i32);
                    });
                    let (mut high, mut low) = (vec![3; mr * nr], vec![3; mr * nr]);
                    (tiles.wholes)(depth, fold, &a, &b, &mut high, &mut low);
                    for (i, j) in (0..mr).flat_map(|i| (0..nr).map(move |j| (i, j))) {
                        let twin: i128 = (0..depth).map(|d| a[d * mr + i] as i128 * b[d * nr + j] as i128).sum();
                        let (h, l) = (high[i * nr + j], low[i * nr + j]);
                        assert!((0..1 << 32).contains(&l));
                        assert_eq!(((h as i128) << 32) + l as i128, twin, "{tiles:?} depth {depth} fold {fold}");
                    }
                }
            }
        }
    }
}
