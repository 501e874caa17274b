//! The vectors of a layer in lexicographic order: the position of a vector without a search.
//!
//! With y the deficit of a class of rows, and cap - deficit for one of columns, the vectors are those with 0 ≤ yᵢ ≤
//! capᵢ and Σ y = weight. Let Wᵢ(r) be the number of (yᵢ, yᵢ₊₁, …) of weight r; the position of y is Σᵢ Σ_{c < yᵢ}
//! Wᵢ₊₁(rᵢ - c), where rᵢ is the weight that the legs before i leave. Legs are grouped in chunks of about ten bits,
//! packed into a code with the first leg in the highest bits; a table gives the sum over the legs of a chunk for each r
//! and code. The last legs, the *tail*, need no code where whole runs of vectors are read: those that agree before the
//! tail are contiguous, W_tail(r) of them.

use super::key::Key;
use super::program::Leg;

/// The maximum number of bits of a chunk.
const CHUNK_BITS: u32 = 9;
/// The maximum number of chunks.
pub(super) const CHUNKS: usize = 8;
/// No code: a leg beyond its cap.
const INVALID: u16 = u16::MAX;

/// One code for each chunk.
pub(super) type Codes = [u16; CHUNKS];

#[inline(always)]
pub(super) fn plus(a: &Codes, b: &Codes) -> Codes {
    std::array::from_fn(|k| a[k] + b[k])
}

/// Bits that y takes.
pub(super) fn bits(leg: &Leg) -> u32 {
    32 - leg.cap.leading_zeros()
}

/// Whether legs fit into the chunks of a [`Layout`], in any order: a chunk with no room for a further leg has at most
/// (bits of the widest) - 1 unused bits.
pub(super) fn fits(legs: &[Leg]) -> bool {
    let widest = legs.iter().map(bits).max().unwrap_or(0);
    let total: u32 = legs.iter().map(bits).sum();
    widest <= CHUNK_BITS && total / (CHUNK_BITS + 1 - widest) < CHUNKS as u32
}

/// y of a leg in a state.
#[inline(always)]
pub(super) fn y_of<const N: usize>(leg: &Leg, key: &Key<N>) -> u64 {
    let x = key.get(leg.field);
    if leg.row { x } else { u64::from(leg.cap) - x }
}

/// A key in which the leg has this y, and everything else is 0.
pub(super) fn key_of<const N: usize>(leg: &Leg, y: u64) -> Key<N> {
    let mut key = Key::ZERO;
    key.add(leg.field, if leg.row { y } else { u64::from(leg.cap) - y });
    key
}

/// Legs that share a code.
struct Chunk {
    /// First leg and one past the last.
    legs: (usize, usize),
    bits: u32,
    /// The weight of each code.
    weights: Vec<u16>,
    /// The least weight that can remain here.
    low: usize,
    /// For each remaining weight and each code: the number of preceding vectors of this chunk and later legs.
    before: Vec<usize>,
    /// W of the legs after the chunk.
    after: Vec<usize>,
}

/// The positions of the vectors over legs in a given order.
pub(super) struct Layout<'a> {
    pub legs: &'a [Leg],
    weight: usize,
    chunks: Vec<Chunk>,
    /// For each leg before the tail: its chunk, and its shift in the code.
    places: Vec<(u32, u32)>,
}

impl<'a> Layout<'a> {
    /// The layout whose tail starts at leg `tail`.
    ///
    /// The caller has made sure that the number of vectors fits a `usize`.
    ///
    /// # Panics
    /// Unless the legs fit ([`fits`]).
    pub fn new(legs: &'a [Leg], weight: usize, tail: usize) -> Self {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        let mut end = tail;
        while end > 0 {
            let (mut begin, mut width) = (end - 1, bits(&legs[end - 1]));
            while begin > 0 && width + bits(&legs[begin - 1]) <= CHUNK_BITS {
                begin -= 1;
                width += bits(&legs[begin]);
            }
            ranges.push((begin, end));
            end = begin;
        }
        ranges.reverse();
        assert!(ranges.len() <= CHUNKS, "too many legs");
        // Entries that no vector of the right weight meets may wrap.
        let mut ways = legs[tail..].iter().rev().fold(vec![1usize], |ways, leg| convolve(&ways, leg.cap as usize));
        let mut places = vec![(0, 0); tail];
        let mut chunks: Vec<Chunk> = Vec::new();
        for (c, &(begin, end)) in ranges.iter().enumerate().rev() {
            let mut width = 0;
            for i in (begin..end).rev() {
                places[i] = (c as u32, width);
                width += bits(&legs[i]);
            }
            let weights: Vec<u16> = (0..1u32 << width)
                .map(|code| {
                    let y = |i: usize| code >> places[i].1 & ((1 << bits(&legs[i])) - 1);
                    let valid = (begin..end).all(|i| y(i) <= legs[i].cap);
                    if valid { (begin..end).map(|i| y(i) as u16).sum() } else { INVALID }
                })
                .collect();
            let earlier: usize = legs[..begin].iter().map(|leg| leg.cap as usize).sum();
            let all: usize = legs[begin..].iter().map(|leg| leg.cap as usize).sum();
            let (low, high) = (weight.saturating_sub(earlier), weight.min(all));
            let mut before = Vec::with_capacity((high + 1).saturating_sub(low) << width);
            for left in low..=high {
                let mut sum = 0usize;
                for &w in &weights {
                    before.push(sum);
                    if w != INVALID && usize::from(w) <= left {
                        sum = sum.wrapping_add(ways.get(left - usize::from(w)).copied().unwrap_or(0));
                    }
                }
            }
            let after = ways;
            ways = legs[begin..end].iter().fold(after.clone(), |ways, leg| convolve(&ways, leg.cap as usize));
            chunks.push(Chunk { legs: (begin, end), bits: width, weights, low, before, after });
        }
        chunks.reverse();
        Layout { legs, weight, chunks, places }
    }

    /// Number of chunks.
    pub fn depth(&self) -> usize {
        self.chunks.len()
    }
    /// The contribution of y of leg i to the codes.
    pub fn code(&self, i: usize, y: u64) -> Codes {
        let mut codes = [0; CHUNKS];
        let (chunk, shift) = self.places[i];
        codes[chunk as usize] = (y as u16) << shift;
        codes
    }
    /// For each code of a chunk: the sum of a function of its legs' values.
    pub fn tabulate<T: Clone>(&self, chunk: usize, zero: T, add: impl Fn(&mut T, usize, u64)) -> Vec<T> {
        let Chunk { legs: (begin, end), bits: width, weights, .. } = &self.chunks[chunk];
        (0..1u64 << width)
            .map(|code| {
                let mut sum = zero.clone();
                if weights[code as usize] != INVALID {
                    (*begin..*end)
                        .for_each(|i| add(&mut sum, i, code >> self.places[i].1 & ((1 << bits(&self.legs[i])) - 1)));
                }
                sum
            })
            .collect()
    }
    /// The first position of the run of vectors with these codes.
    #[inline(always)]
    pub fn place(&self, codes: &Codes) -> usize {
        let (mut left, mut at) = (self.weight, 0);
        for (chunk, &code) in self.chunks.iter().zip(codes) {
            at += chunk.before[(left - chunk.low) << chunk.bits | usize::from(code)];
            left -= usize::from(chunk.weights[usize::from(code)]);
        }
        at
    }
    /// The weight at the start.
    pub fn weight(&self) -> usize {
        self.weight
    }
    /// The codes of a chunk that occur, ascending, with the weight that they leave, given the weight remaining here.
    #[inline(always)]
    pub fn codes(&self, chunk: usize, left: usize) -> impl Iterator<Item = (usize, usize)> {
        let Chunk { weights, after, .. } = &self.chunks[chunk];
        let rest = move |(code, &w): (usize, &u16)| {
            let rest = left.wrapping_sub(usize::from(w));
            (w != INVALID && usize::from(w) <= left && after.get(rest).is_some_and(|&ways| ways != 0))
                .then_some((code, rest))
        };
        weights.iter().enumerate().filter_map(rest)
    }
    /// Number of vectors after a code of the chunk that leaves this weight.
    pub fn after(&self, chunk: usize, left: usize) -> usize {
        self.chunks[chunk].after[left]
    }
}

/// W with one leg more.
fn convolve(ways: &[usize], cap: usize) -> Vec<usize> {
    let mut window = 0usize;
    (0..ways.len() + cap)
        .map(|k| {
            window = window.wrapping_add(ways.get(k).copied().unwrap_or(0));
            if k > cap {
                window = window.wrapping_sub(ways.get(k - cap - 1).copied().unwrap_or(0));
            }
            window
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::key::Field;
    use super::*;

    /// Every vector of the weight is at the position that counting gives, whatever the tail.
    #[test]
    fn places_are_ranks() {
        for caps in [&[1u32, 1, 2, 1, 3][..], &[5, 1], &[1; 11], &[2, 7, 1, 1, 4, 1], &[]] {
            let leg = |(k, &cap): (usize, &u32)| Leg {
                field: Field { word: 0, shift: 4 * k as u32, mask: 15 },
                cap,
                row: k % 2 == 0,
                next: k as u32,
            };
            let legs: Vec<Leg> = caps.iter().enumerate().map(leg).collect();
            assert!(fits(&legs));
            let mut all = vec![vec![]];
            for leg in &legs {
                all = all.iter().flat_map(|y| (0..=u64::from(leg.cap)).map(move |c| [&y[..], &[c]].concat())).collect();
            }
            for weight in 0..=caps.iter().sum::<u32>() as usize {
                let vectors: Vec<&Vec<u64>> = all.iter().filter(|y| y.iter().sum::<u64>() == weight as u64).collect();
                for tail in 0..=legs.len() {
                    let layout = Layout::new(&legs, weight, tail);
                    let head = |y: &[u64]| y[..tail].to_vec();
                    for (k, y) in vectors.iter().enumerate() {
                        let first = vectors.iter().position(|other| head(other) == head(y)).unwrap();
                        let run = vectors.iter().filter(|other| head(other) == head(y)).count();
                        let codes = (0..tail).fold([0; CHUNKS], |codes, i| plus(&codes, &layout.code(i, y[i])));
                        assert_eq!(layout.place(&codes), first);
                        assert!((first..first + run).contains(&k));
                        if let Some(last) = layout.depth().checked_sub(1) {
                            let left = weight - head(y).iter().sum::<u64>() as usize;
                            assert_eq!(layout.after(last, left), run);
                        }
                    }
                }
                let key: Key<1> = legs.iter().fold(Key::ZERO, |key, leg| key.plus(&key_of(leg, 1)));
                assert!(legs.iter().all(|leg| y_of(leg, &key) == 1));
            }
        }
        let leg = Leg { field: Field { word: 0, shift: 0, mask: 1 }, cap: 1, row: true, next: 0 };
        assert!(fits(&[leg; 71]) && !fits(&[leg; 72]));
        assert!(!fits(&[Leg { cap: 512, ..leg }]));
    }
}
