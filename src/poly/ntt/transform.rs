//! The butterflies: forward by decimation in frequency, inverse by decimation in time, two levels a pass.

use super::primes::Shoup;
use super::twiddles::Twiddles;
use crate::poly::simd::{Kernel, Row, Simd};

/// Rows that a first-level cache (32 KiB and up) holds: below this the levels run one after the other, above it the
/// recursion goes depth first.
const CACHED_ROWS: usize = 512;

/// In-place transform of eight polynomials with coefficients in [0, q): their values at all N-th roots of unity, in
/// [0, q), N = `data.len()` = 2ᵏ or 3 · 2ᵏ.
pub(crate) struct Forward<'a> {
    pub(crate) data: &'a mut [Row],
    pub(crate) twiddles: &'a Twiddles,
}

/// The inverse of [`Forward`] up to the factor N: from values in [0, q) back to N times the coefficients, in [0, q).
pub(crate) struct Inverse<'a> {
    pub(crate) data: &'a mut [Row],
    pub(crate) twiddles: &'a Twiddles,
}

/// q and its multiples in all lanes.
#[derive(Clone, Copy)]
struct Multiples<V> {
    q: V,
    q2: V,
}

#[inline(always)]
fn multiples<S: Simd>(s: S, q: u64) -> Multiples<S::V> {
    Multiples { q: s.splat(q), q2: s.splat(2 * q) }
}

/// x·w in [0, 2q).
#[inline(always)]
fn times<S: Simd>(s: S, x: S::V, w: Shoup, m: Multiples<S::V>) -> S::V {
    s.mul_shoup(x, s.splat(w.w), s.splat(w.quotient), m.q)
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let m = multiples(s, self.twiddles.prime.q);
        let table = &self.twiddles.forward[..];
        if self.data.len().is_multiple_of(3) {
            radix3::<S, false>(s, self.data, self.twiddles.omega, m);
            let third = self.data.len() / 3;
            for part in self.data.chunks_exact_mut(third) {
                forward_power(s, part, table, m);
            }
        } else {
            forward_power(s, self.data, table, m);
        }
        canonical(s, self.data, m);
    }
}

impl Kernel for Inverse<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let m = multiples(s, self.twiddles.prime.q);
        let table = &self.twiddles.inverse[..];
        if self.data.len().is_multiple_of(3) {
            let third = self.data.len() / 3;
            for part in self.data.chunks_exact_mut(third) {
                inverse_power(s, part, table, m);
            }
            canonical(s, self.data, m);
            radix3::<S, true>(s, self.data, self.twiddles.omega, m);
        } else {
            inverse_power(s, self.data, table, m);
        }
        canonical(s, self.data, m);
    }
}

/// From [0, 4q) to [0, q).
#[inline(always)]
fn canonical<S: Simd>(s: S, data: &mut [Row], m: Multiples<S::V>) {
    for row in data {
        let x = s.sub_if_ge(s.sub_if_ge(s.load(row), m.q2), m.q);
        s.store(x, row);
    }
}

/// Size 2ᵏ: one radix-2 level where k is odd (its twiddle factor is 1), then radix 4.
#[inline(always)]
fn forward_power<S: Simd>(s: S, data: &mut [Row], table: &[Shoup], m: Multiples<S::V>) {
    if data.len().trailing_zeros().is_multiple_of(2) {
        forward_blocks(s, data, 0, table, m);
    } else {
        let (low, high) = data.split_at_mut(data.len() / 2);
        for (a, b) in low.iter_mut().zip(high.iter_mut()) {
            let (x, y) = (s.sub_if_ge(s.load(a), m.q2), s.sub_if_ge(s.load(b), m.q2));
            s.store(s.add(x, y), a);
            s.store(s.sub(s.add(x, m.q2), y), b);
        }
        forward_blocks(s, low, 0, table, m);
        forward_blocks(s, high, 1, table, m);
    }
}

#[inline(always)]
fn inverse_power<S: Simd>(s: S, data: &mut [Row], table: &[Shoup], m: Multiples<S::V>) {
    if data.len().trailing_zeros().is_multiple_of(2) {
        inverse_blocks(s, data, 0, table, m);
    } else {
        let (low, high) = data.split_at_mut(data.len() / 2);
        inverse_blocks(s, low, 0, table, m);
        inverse_blocks(s, high, 1, table, m);
        for (a, b) in low.iter_mut().zip(high.iter_mut()) {
            let (x, y) = (s.load(a), s.load(b));
            s.store(s.add(x, y), a);
            s.store(s.sub(s.add(x, m.q2), y), b);
        }
    }
}

/// All levels of block `b`, of size 4ˡ, values in [0, 4q) before and after. The depth-first part is a stack of block
/// sizes rather than a recursion, so that the whole kernel stays one function for the compiler: blocks of one size are
/// met from left to right, and a block is split as soon as it is met.
#[inline(always)]
fn forward_blocks<S: Simd>(s: S, data: &mut [Row], b: usize, table: &[Shoup], m: Multiples<S::V>) {
    let n = data.len();
    let leaf = leaf_size(n);
    for start in (0..n).step_by(leaf) {
        // The blocks that begin here, from the largest down to the leaf.
        let mut size = largest_block(start, n);
        while size > leaf {
            forward4(s, &mut data[start..start + size], b * (n / size) + start / size, table, m);
            size /= 4;
        }
        let cached = &mut data[start..start + leaf];
        let first = b * (n / leaf) + start / leaf;
        let mut size = leaf;
        while size > 1 {
            for (i, block) in cached.chunks_exact_mut(size).enumerate() {
                forward4(s, block, first * (leaf / size) + i, table, m);
            }
            size /= 4;
        }
    }
}

/// All levels of block `b`, of size 4ˡ: values in [0, 2q) before and after.
#[inline(always)]
fn inverse_blocks<S: Simd>(s: S, data: &mut [Row], b: usize, table: &[Shoup], m: Multiples<S::V>) {
    let n = data.len();
    let leaf = leaf_size(n);
    for start in (0..n).step_by(leaf) {
        let cached = &mut data[start..start + leaf];
        let first = b * (n / leaf) + start / leaf;
        let mut size = 4;
        while size <= leaf {
            for (i, block) in cached.chunks_exact_mut(size).enumerate() {
                inverse4(s, block, first * (leaf / size) + i, table, m);
            }
            size *= 4;
        }
        // The blocks that end here, from the smallest up.
        let end = start + leaf;
        let mut size = 4 * leaf;
        while size <= n && end.is_multiple_of(size) {
            inverse4(s, &mut data[end - size..end], b * (n / size) + end / size - 1, table, m);
            size *= 4;
        }
    }
}

/// The largest n / 4ʲ that a first-level cache holds.
#[inline(always)]
fn leaf_size(n: usize) -> usize {
    let mut leaf = n;
    while leaf > CACHED_ROWS {
        leaf /= 4;
    }
    leaf
}

/// The largest block size n / 4ʲ that has a block beginning at `start`.
#[inline(always)]
fn largest_block(start: usize, n: usize) -> usize {
    let mut size = n;
    while !start.is_multiple_of(size) {
        size /= 4;
    }
    size
}

#[inline(always)]
fn quarters(data: &mut [Row]) -> (&mut [Row], &mut [Row], &mut [Row], &mut [Row]) {
    let (low, high) = data.split_at_mut(data.len() / 2);
    let (a, b) = low.split_at_mut(low.len() / 2);
    let (c, d) = high.split_at_mut(high.len() / 2);
    (a, b, c, d)
}

/// Two levels of block b: x^(4h) - c⁴ into its four factors of degree h. Values in [0, 4q) before and after.
#[inline(always)]
fn forward4<S: Simd>(s: S, block: &mut [Row], b: usize, table: &[Shoup], m: Multiples<S::V>) {
    let (w, w0, w1) = (table[b], table[2 * b], table[2 * b + 1]);
    let (d0, d1, d2, d3) = quarters(block);
    for (((d0, d1), d2), d3) in d0.iter_mut().zip(d1).zip(d2).zip(d3) {
        let x0 = s.sub_if_ge(s.load(d0), m.q2);
        let x1 = s.sub_if_ge(s.load(d1), m.q2);
        let x2 = times(s, s.load(d2), w, m);
        let x3 = times(s, s.load(d3), w, m);
        let y0 = s.sub_if_ge(s.add(x0, x2), m.q2);
        let y1 = times(s, s.add(x1, x3), w0, m);
        let y2 = s.sub_if_ge(s.sub(s.add(x0, m.q2), x2), m.q2);
        let y3 = times(s, s.sub(s.add(x1, m.q2), x3), w1, m);
        s.store(s.add(y0, y1), d0);
        s.store(s.sub(s.add(y0, m.q2), y1), d1);
        s.store(s.add(y2, y3), d2);
        s.store(s.sub(s.add(y2, m.q2), y3), d3);
    }
}

/// Undoes [`forward4`] up to a factor 4. Values in [0, 2q) before and after.
#[inline(always)]
fn inverse4<S: Simd>(s: S, block: &mut [Row], b: usize, table: &[Shoup], m: Multiples<S::V>) {
    let (w, w0, w1) = (table[b], table[2 * b], table[2 * b + 1]);
    let (d0, d1, d2, d3) = quarters(block);
    for (((d0, d1), d2), d3) in d0.iter_mut().zip(d1).zip(d2).zip(d3) {
        let (z0, z1, z2, z3) = (s.load(d0), s.load(d1), s.load(d2), s.load(d3));
        let y0 = s.sub_if_ge(s.add(z0, z1), m.q2);
        let y1 = times(s, s.sub(s.add(z0, m.q2), z1), w0, m);
        let y2 = s.sub_if_ge(s.add(z2, z3), m.q2);
        let y3 = times(s, s.sub(s.add(z2, m.q2), z3), w1, m);
        s.store(s.sub_if_ge(s.add(y0, y2), m.q2), d0);
        s.store(s.sub_if_ge(s.add(y1, y3), m.q2), d1);
        s.store(times(s, s.sub(s.add(y0, m.q2), y2), w, m), d2);
        s.store(times(s, s.sub(s.add(y1, m.q2), y3), w, m), d3);
    }
}

/// x^(3M) - 1 into x^M - ωʲ, each carried to x^M - 1 by x → rʲ x with r^M = ω, that is r = ω^(M mod 3): the scaling by
/// powers of ω only rotates the three inputs (Good's map). The inverse is the same with j and -j exchanged and the
/// rotation undone. Values in [0, q) before and in [0, 4q) after.
#[inline(always)]
fn radix3<S: Simd, const INVERSE: bool>(s: S, data: &mut [Row], omega: Shoup, m: Multiples<S::V>) {
    let third = data.len() / 3;
    let step = third % 3;
    let (d0, rest) = data.split_at_mut(third);
    let (d1, d2) = rest.split_at_mut(third);
    let q3 = s.add(m.q2, m.q);
    for (i, ((d0, d1), d2)) in d0.iter_mut().zip(d1).zip(d2).enumerate() {
        let turn = step * i % 3;
        let x = [s.load(d0), s.load(d1), s.load(d2)];
        let [x0, x1, x2] = if INVERSE { [x[0], x[2], x[1]] } else { rotate(x, 3 - turn) };
        let product = times(s, s.sub(s.add(x1, m.q), x2), omega, m);
        let y = [
            s.add(s.add(x0, x1), x2),
            s.add(s.sub(s.add(x0, m.q), x2), product),
            s.sub(s.sub(s.add(x0, q3), x1), product),
        ];
        let [y0, y1, y2] = if INVERSE { rotate(y, turn) } else { y };
        s.store(y0, d0);
        s.store(y1, d1);
        s.store(y2, d2);
    }
}

/// The list that begins with x[by mod 3].
#[inline(always)]
fn rotate<T: Copy>(x: [T; 3], by: usize) -> [T; 3] {
    match by % 3 {
        0 => x,
        1 => [x[1], x[2], x[0]],
        _ => [x[2], x[0], x[1]],
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MAX_PRIMES, Prime};
    use super::*;
    use crate::field::Rng;
    use crate::poly::simd::Isa;
    use rand::{RngExt, SeedableRng};

    const SIZES: [usize; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 96, 192, 512, 1536, 4096];

    fn random_rows(n: usize, q: u64, rng: &mut Rng) -> Vec<Row> {
        (0..n).map(|_| Row(std::array::from_fn(|_| rng.random_range(0..q)))).collect()
    }

    /// The values are those at all N-th roots of unity, as a set in some order: compared with Horner's rule.
    #[test]
    fn forward_gives_the_values_at_the_roots() {
        let mut rng = Rng::seed_from_u64(2);
        for isa in Isa::available() {
            for n in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64] {
                let prime = Prime::get(n % MAX_PRIMES);
                let twiddles = Twiddles::get(prime, n);
                let x = random_rows(n, prime.q, &mut rng);
                let mut data = x.clone();
                isa.run(Forward { data: &mut data, twiddles: &twiddles });
                let root = prime.root(n as u64);
                for lane in 0..8 {
                    let mut expected: Vec<u64> = (0..n)
                        .map(|i| {
                            let point = super::super::primes::pow_mod(root, i as u64, prime.q);
                            x.iter().rev().fold(0, |v, c| (prime.mul(v, point) + c.0[lane]) % prime.q)
                        })
                        .collect();
                    let mut found: Vec<u64> = data.iter().map(|r| r.0[lane]).collect();
                    expected.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{isa:?}, {n} points");
                }
            }
        }
    }

    /// All instruction sets agree, on random and on extreme residues, and the inverse gives N times the input.
    #[test]
    fn inverse_undoes_forward_and_instruction_sets_agree() {
        let mut rng = Rng::seed_from_u64(3);
        for n in SIZES {
            for extreme in [false, true] {
                let prime = Prime::get(n % MAX_PRIMES);
                let twiddles = Twiddles::get(prime, n);
                let x = if extreme { vec![Row([prime.q - 1; 8]); n] } else { random_rows(n, prime.q, &mut rng) };
                let mut values: Option<Vec<Row>> = None;
                for isa in Isa::available() {
                    let mut data = x.clone();
                    isa.run(Forward { data: &mut data, twiddles: &twiddles });
                    assert_eq!(&data, values.get_or_insert(data.clone()), "{isa:?}, {n} points");
                    isa.run(Inverse { data: &mut data, twiddles: &twiddles });
                    for (found, x) in data.iter().zip(&x) {
                        let expected = x.0.map(|x| prime.mul(x, n as u64));
                        assert_eq!(found.0, expected, "{isa:?}, {n} points");
                    }
                }
            }
        }
    }

    /// The point products of two transforms are the transform of the cyclic convolution.
    #[test]
    fn convolution_theorem() {
        let mut rng = Rng::seed_from_u64(4);
        for n in [1, 2, 3, 6, 8, 12, 16, 48, 64] {
            let prime = Prime::get(1);
            let twiddles = Twiddles::get(prime, n);
            let (a, b) = (random_rows(n, prime.q, &mut rng), random_rows(n, prime.q, &mut rng));
            let isa = Isa::best();
            let (mut fa, mut fb) = (a.clone(), b.clone());
            isa.run(Forward { data: &mut fa, twiddles: &twiddles });
            isa.run(Forward { data: &mut fb, twiddles: &twiddles });
            for (x, y) in fa.iter_mut().zip(&fb) {
                x.0 = std::array::from_fn(|l| prime.mul(x.0[l], y.0[l]));
            }
            isa.run(Inverse { data: &mut fa, twiddles: &twiddles });
            for t in 0..n {
                for lane in 0..8 {
                    let c = (0..n).fold(0u128, |c, i| c + prime.mul(a[i].0[lane], b[(t + n - i) % n].0[lane]) as u128);
                    let expected = prime.mul((c % prime.q as u128) as u64, n as u64);
                    assert_eq!(fa[t].0[lane], expected, "{n} points");
                }
            }
        }
    }
}
