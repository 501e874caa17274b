//! Random residues for exploring: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), whose k-th word is a mix of its start
//! and k alone, so that every part of a block is filled by itself, on any thread.

use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use bytemuck::Pod;
use rayon::prelude::*;

/// What one word's number adds to the state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// Words made at a time, and by one task.
const BATCH: usize = 64;
const TASK: usize = 1 << 13;

/// A lane that holds uniform bits, to become a residue.
pub(super) trait RoughLane: Pod + Send {
    /// ⌊x·p / 2ʷ⌋ for a lane of w bits and p ≤ 2ʷ: less than p.
    fn scaled(self, p: u64) -> Self;
}

macro_rules! rough_lane {
    ($($lane:ident $wide:ident)*) => {
        $(impl RoughLane for $lane {
            #[inline(always)]
            fn scaled(self, p: u64) -> Self {
                ((self as $wide * p as $wide) >> $lane::BITS) as $lane
            }
        })*
    };
}
rough_lane!(u8 u32 u16 u32 u32 u64 u64 u128);

/// Fills `lanes` with residues from the stream that starts at `state`.
pub(super) fn fill<T: RoughLane>(state: u64, modulus: Modulus, lanes: &mut [T]) {
    let (isa, p) = (Isa::best(), modulus.get());
    let pieces = lanes.par_chunks_mut(TASK * size_of::<u64>() / size_of::<T>()).enumerate();
    pieces.each(|(k, lanes)| {
        let state = state.wrapping_add(((k * TASK) as u64).wrapping_mul(STEP));
        isa.run(Fill { state, p, lanes });
    });
}

/// The lanes of one task.
struct Fill<'a, T> {
    state: u64,
    p: u64,
    lanes: &'a mut [T],
}

impl<T: RoughLane> Kernel for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { mut state, p, lanes } = self;
        let mut words = [0u64; BATCH];
        for lanes in lanes.chunks_mut(size_of_val(&words) / size_of::<T>()) {
            for (k, word) in words.iter_mut().enumerate() {
                let z = state.wrapping_add((k as u64 + 1).wrapping_mul(STEP));
                let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                *word = (z ^ (z >> 31)).to_le();
            }
            state = state.wrapping_add((BATCH as u64).wrapping_mul(STEP));
            let bits: &[T] = bytemuck::cast_slice(&words);
            lanes.iter_mut().zip(bits).for_each(|(lane, bits)| *lane = bits.scaled(p));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Word by word, as the generator is defined, and its bytes.
    fn bytes(mut state: u64, count: usize) -> Vec<u8> {
        let mut bytes = vec![];
        while bytes.len() < count {
            state = state.wrapping_add(STEP);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bytes.extend((z ^ (z >> 31)).to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    /// As one by one, for every width and number of threads, where a task and a batch end, and at the largest moduli.
    #[test]
    fn every_part_is_that_of_the_whole_stream() {
        macro_rules! check {
            ($lane:ident $($p:expr)*) => {
                for p in [$($p),*] {
                    let modulus = Modulus::new(p).unwrap();
                    for count in [0, 1, 7, 64, 513, 3 * TASK + 5, 8 * TASK, 9 * TASK + 1] {
                        let bits = bytes(5 ^ p, count * size_of::<$lane>());
                        let of = |x: &[u8]| $lane::from_ne_bytes(x.try_into().unwrap()) as u128 * p as u128;
                        let expected: Vec<$lane> =
                            bits.chunks_exact(size_of::<$lane>()).map(|x| (of(x) >> $lane::BITS) as $lane).collect();
                        for threads in [1, 3] {
                            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                            let mut lanes = vec![0; count];
                            pool.install(|| fill(5 ^ p, modulus, &mut lanes));
                            assert!(lanes == expected, "{count} lanes mod {p} on {threads} threads");
                            assert!(lanes.iter().all(|&x| u64::from(x) < p));
                        }
                    }
                }
            };
        }
        check!(u8 2 3 251);
        check!(u16 257 65521);
        check!(u32 65537 4294967291);
        check!(u64 4294967311 2305843009213693951 9223372036854775783);
        assert_eq!(bytes(1234567, 8), 6457827717110365317u64.to_le_bytes(), "the reference's first number");
    }
}
