//! Biadjacency matrices whose permanents count tilings: domino tilings of rectangles and Aztec diamonds, lozenge
//! tilings of hexagons.
//!
//! Rows are the black cells, columns the white ones, entry 1 where two cells share an edge. With the suffix
//! `_kasteleyn`, vertical domino positions carry the sign (-1)^column: every square face then has an odd number of
//! minus signs, and the determinant is the number of tilings up to sign (P. Kasteleyn, *The statistics of dimers on a
//! lattice*, 1961). In the honeycomb no signs are needed: permanent = |determinant|.

use super::assemble::{Shape, by_rows};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};

/// A region of the square grid: row i has the cells lo ≤ j < hi of `rows[i]`; cells with i + j ≡ `black` mod 2 are
/// black.
struct Region {
    rows: Vec<(usize, usize)>,
    black: usize,
}

impl Region {
    /// The number of cells of row i left of j that have the colour `parity` (of i + j).
    fn cells_before(&self, i: usize, j: usize, parity: usize) -> usize {
        let lo = self.rows[i].0;
        // Every second cell, starting from the first of that colour.
        let first = lo + (lo + i + parity) % 2;
        j.saturating_sub(first).div_ceil(2)
    }

    /// The index of the first cell of one colour in each row, and the total number of these cells.
    fn places(&self, parity: usize) -> Vec<usize> {
        let mut places = vec![0];
        for (i, &(_, hi)) in self.rows.iter().enumerate() {
            places.push(places[i] + self.cells_before(i, hi, parity));
        }
        places
    }

    /// The biadjacency matrix, black × white, both row by row; `nnz` is the number of domino positions.
    fn biadjacency(&self, nnz: u128, signed: bool) -> Result<Triplets> {
        let (black, white) = (self.places(self.black), self.places(1 - self.black));
        let count = |places: &[usize]| places.last().map(|&x| x as u128);
        let shape = Shape::checked(count(&black), count(&white), Some(nnz))?;
        let mut i = 0;
        by_rows(shape, |place, row| {
            while black[i + 1] <= place {
                i += 1;
            }
            let lo = self.rows[i].0;
            let j = lo + (lo + i + self.black) % 2 + 2 * (place - black[i]);
            let mut neighbour = |i2: usize, j2: usize, value: i64| {
                if self.rows.get(i2).is_some_and(|&(lo, hi)| lo <= j2 && j2 < hi) {
                    row.push((white[i2] + self.cells_before(i2, j2, 1 - self.black), value));
                }
            };
            let vertical = if signed && j % 2 == 1 { -1 } else { 1 };
            // Indices below 0 wrap around and fall outside every row.
            neighbour(i.wrapping_sub(1), j, vertical);
            neighbour(i, j.wrapping_sub(1), 1);
            neighbour(i, j + 1, 1);
            neighbour(i + 1, j, vertical);
        })
    }
}

/// The m × n rectangle; black cells are those with even i + j, one more than white ones where m n is odd.
pub(super) fn rectangle(m: usize, n: usize, signed: bool) -> Result<Triplets> {
    if m == 0 || n == 0 {
        return Err(Error::Usage(format!("a {m} x {n} rectangle has no cells")));
    }
    let (m128, n128) = (m as u128, n as u128);
    let cells = m128 * n128;
    let dominoes = 2 * cells - m128 - n128;
    Shape::checked(Some(cells.div_ceil(2)), Some(cells / 2), Some(dominoes))?;
    Region { rows: vec![(0, n); m], black: 0 }.biadjacency(dominoes, signed)
}

/// The rank of the rectangle's matrix, over every field.
///
/// The adjacency matrix of the whole grid is [[0, B], [Bᵀ, 0]], so that rank B = (m n - nullity)/2. It is A_m ⊗ I + I ⊗
/// A_n with path matrices A, which are non-derogatory with characteristic polynomials S_m, S_n (Chebyshev, S_{k+1} = x
/// S_k - S_{k-1}): the nullity is deg gcd(S_m(x), S_n(-x)) (Sylvester's equation). Without signs S_n(-x) = ± S_n(x),
/// and the S are a divisibility sequence: the degree is gcd(m+1, n+1) - 1. With Kasteleyn's signs A_n becomes i A_n
/// after a diagonal change of basis over GF(p)(i), and iⁿ S_n(x/i) is the Fibonacci polynomial F_{n+1}, F_{k+1} = x
/// F_k + F_{k-1}: over ℚ only 0 can be a common root.
pub(super) fn rectangle_rank(m: usize, n: usize, signed: bool, p: Option<Modulus>) -> Option<usize> {
    if m == 0 || n == 0 {
        return None;
    }
    let nullity = match p {
        _ if !signed => greatest_common_divisor(m + 1, n + 1) - 1,
        None => m % 2 * (n % 2),
        Some(p) => degree_of_gcd(path_polynomial(m, p.neg(1), p), path_polynomial(n, 1, p), p),
    };
    Some((m.checked_mul(n)? - nullity) / 2)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Q_n mod p with Q_{k+1} = x Q_k + c Q_{k-1}, Q_0 = 1, Q_{-1} = 0; coefficients from the constant one up.
fn path_polynomial(n: usize, c: u64, p: Modulus) -> Vec<u64> {
    let (mut before, mut q) = (vec![], vec![1]);
    for _ in 0..n {
        let mut next = vec![0; q.len() + 1];
        next[1..].copy_from_slice(&q);
        for (x, &y) in next.iter_mut().zip(&before) {
            *x = p.add(*x, p.mul(c, y));
        }
        (before, q) = (q, next);
    }
    q
}

/// The degree of the greatest common divisor of two non-zero polynomials mod p without leading zeros.
fn degree_of_gcd(mut a: Vec<u64>, mut b: Vec<u64>, p: Modulus) -> usize {
    while let Some(&lead) = b.last() {
        let scale = p.inv(lead);
        while a.len() >= b.len() {
            let factor = p.mul(*a.last().expect("not shorter than b"), scale);
            let shift = a.len() - b.len();
            for (x, &y) in a[shift..].iter_mut().zip(&b) {
                *x = p.sub(*x, p.mul(factor, y));
            }
            a.pop();
        }
        while a.last() == Some(&0) {
            a.pop();
        }
        (a, b) = (b, a);
    }
    a.len() - 1
}

/// The Aztec diamond of order n: the cells of a 2n × 2n square with |x| + |y| ≤ n for the distance of their centres
/// from the middle; 2^(n(n+1)/2) tilings (N. Elkies, G. Kuperberg, M. Larsen, J. Propp, *Alternating-sign matrices and
/// domino tilings*, 1992).
pub(super) fn aztec(n: usize, signed: bool) -> Result<Triplets> {
    if n == 0 {
        return Err(Error::Usage("an Aztec diamond of order 0 has no cells".into()));
    }
    let size = n as u128 * (n as u128 + 1);
    // 2n² domino positions with an even upper left cell, and as many with an odd one.
    let dominoes = 4 * n as u128 * n as u128;
    Shape::checked(Some(size), Some(size), Some(dominoes))?;
    let half = (0..n).map(|i| (n - 1 - i, n + 1 + i));
    Region { rows: half.clone().chain(half.rev()).collect(), black: (n + 1) % 2 }.biadjacency(dominoes, signed)
}

/// The rank of the Aztec diamond's matrix. With signs the cokernel is ⊕ ℤ/2ᵏ, k = 1 … n (G. Kuperberg, *Kasteleyn
/// cokernels*, Electron. J. Combin. 9 (2002)): full over ℚ and mod odd p, n² mod 2 (where the signs do not matter).
/// Without signs only mod 2.
pub(super) fn aztec_rank(n: usize, signed: bool, p: Option<Modulus>) -> Option<usize> {
    match p.map(Modulus::get) {
        _ if n == 0 => None,
        Some(2) => n.checked_mul(n),
        _ if signed => n.checked_mul(n + 1),
        _ => None,
    }
}

/// Lozenge tilings of the hexagon with sides a, b, c, a, b, c in the triangular lattice: rows are the triangles that
/// point up, columns those that point down. Their number is Π (i+j+k-1)/(i+j+k-2) over i ≤ a, j ≤ b, k ≤ c (P. MacMahon
/// 1916).
///
/// With lattice coordinates in which a triangle up at (x, y) has the corners (x, y), (x+1, y), (x, y+1) and one down at
/// (x, y) has (x+1, y), (x, y+1), (x+1, y+1), the hexagon is 0 ≤ x ≤ a+b, 0 ≤ y ≤ a+c, a ≤ x+y ≤ a+b+c.
pub(super) fn hexagon(a: usize, b: usize, c: usize) -> Result<Triplets> {
    if [a, b, c].contains(&0) {
        return Err(Error::Usage(format!("a hexagon with sides {a}, {b}, {c}: sides of at least 1 are needed")));
    }
    let (a128, b128, c128) = (a as u128, b as u128, c as u128);
    let size = a128 * b128 + b128 * c128 + c128 * a128;
    // Three edges a triangle, each inner one shared by an up and a down triangle; 2(a+b+c) edges lie on the border,
    // half of them on up triangles.
    let shape = Shape::checked(Some(size), Some(size), Some(3 * size - (a128 + b128 + c128)))?;
    // The triangles at abscissa x with s ≤ y < t, pointing up resp. down.
    let up = |x: usize| (a.saturating_sub(x), (a + c).min(a + b + c - x));
    let down = |x: usize| (a.saturating_sub(x + 1), (a + c).min(a + b + c - x - 1));
    let width = a + b;
    let mut place_of_down = vec![0; width + 1];
    for x in 0..width {
        let (s, t) = down(x);
        place_of_down[x + 1] = place_of_down[x] + t - s;
    }
    let (mut x, mut y) = (0, up(0).0);
    by_rows(shape, |_, row| {
        while y == up(x).1 {
            x += 1;
            y = up(x).0;
        }
        let mut neighbour = |x2: usize, y2: usize| {
            if x2 < width && down(x2).0 <= y2 && y2 < down(x2).1 {
                row.push((place_of_down[x2] + y2 - down(x2).0, 1));
            }
        };
        // Indices below 0 wrap around and fall outside.
        neighbour(x.wrapping_sub(1), y);
        neighbour(x, y.wrapping_sub(1));
        neighbour(x, y);
        y += 1;
    })
}

/// The rank of the hexagon's matrix: full over ℚ, and mod p where p does not divide MacMahon's number; not known
/// elsewhere.
pub(super) fn hexagon_rank(a: usize, b: usize, c: usize, p: Option<Modulus>) -> Option<usize> {
    if [a, b, c].contains(&0) {
        return None;
    }
    let size = a.checked_mul(b)?.checked_add(b.checked_mul(c)?)?.checked_add(c.checked_mul(a)?)?;
    let regular = p.is_none_or(|p| {
        let valuation = |mut x: u64| {
            let mut v = 0i64;
            while x.is_multiple_of(p.get()) {
                x /= p.get();
                v += 1;
            }
            v
        };
        // Over k the product telescopes to (i+j+c-1)/(i+j-1). Primes beyond its numerators divide nothing.
        p.get() >= (a + b + c) as u64
            || (1..=a)
                .flat_map(|i| (1..=b).map(move |j| i + j))
                .map(|s| valuation((s + c - 1) as u64) - valuation((s - 1) as u64))
                .sum::<i64>()
                == 0
    });
    regular.then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcd_degrees() {
        let p = Modulus::new(7).unwrap();
        // (x+1)(x+2) and (x+1)(x+3) mod 7.
        assert_eq!(degree_of_gcd(vec![2, 3, 1], vec![3, 4, 1], p), 1);
        assert_eq!(degree_of_gcd(vec![2, 3, 1], vec![4, 6, 2], p), 2);
        assert_eq!(degree_of_gcd(vec![1, 1], vec![1], p), 0);
        let two = Modulus::new(2).unwrap();
        assert_eq!(path_polynomial(3, 1, two), [0, 0, 0, 1]);
        assert_eq!(path_polynomial(3, 6, p), [0, 5, 0, 1]);
        assert_eq!(greatest_common_divisor(12, 18), 6);
    }

    #[test]
    fn rectangles_without_common_divisor_are_regular() {
        // The unsigned degree formula against the polynomials themselves.
        for p in [2, 3, 5, 101] {
            let p = Modulus::new(p).unwrap();
            for m in 1..12 {
                for n in 1..12 {
                    let degree = degree_of_gcd(path_polynomial(m, p.neg(1), p), path_polynomial(n, p.neg(1), p), p);
                    assert_eq!(degree, greatest_common_divisor(m + 1, n + 1) - 1, "{m} x {n} mod {p}");
                }
            }
        }
    }
}
