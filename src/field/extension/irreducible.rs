//! Irreducible polynomials over GF(p), by the test of Ben-Or ("Probabilistic algorithms in finite fields", FOCS 1981):
//! f of degree k is irreducible iff gcd(f, x^(pⁱ) - x) = 1 for every i ≤ k/2, since x^(pⁱ) - x is the product of all
//! irreducible polynomials whose degree divides i. Most reducible candidates have a factor of small degree and are
//! rejected at once.
//!
//! Polynomials are coefficient vectors, constant term first, without leading zeros.

use crate::field::{Modulus, Rng};
use rand::RngExt;

/// The tail r (k coefficients at most, constant first, no leading zeros) of a monic irreducible f = xᵏ + r of degree k.
///
/// Short tails make reduction mod f cheap: binomials are tried first, then trinomials and so on, a few random
/// candidates for each length of the tail. Over GF(2) the tails are tried in ascending order.
pub(super) fn irreducible_tail(modulus: Modulus, k: usize, rng: &mut Rng) -> Vec<u64> {
    let p = modulus.get();
    if p == 2 {
        let bits = |r: u64| (0..64 - r.leading_zeros()).map(|i| r >> i & 1).collect::<Vec<_>>();
        return (1..).map(bits).find(|r| is_irreducible(modulus, r, k)).expect("every degree has one");
    }
    for length in (1..=k).chain(std::iter::repeat(k)) {
        for _ in 0..4 * k {
            let mut tail: Vec<u64> = (0..length).map(|_| rng.random_range(0..p)).collect();
            trim(&mut tail);
            if !tail.is_empty() && is_irreducible(modulus, &tail, k) {
                return tail;
            }
        }
    }
    unreachable!("the lengths never end")
}

/// Whether xᵏ + tail is irreducible.
pub(super) fn is_irreducible(modulus: Modulus, tail: &[u64], k: usize) -> bool {
    if k == 1 {
        return true;
    }
    if tail.first().is_none_or(|&c| c == 0) {
        return false;
    }
    let mut f = tail.to_vec();
    f.resize(k, 0);
    f.push(1);
    let mut power = vec![0, 1];
    (1..=k / 2).all(|_| {
        power = pow_mod(modulus, &power, modulus.get(), &f);
        let mut difference = power.clone();
        difference.resize(difference.len().max(2), 0);
        difference[1] = modulus.sub(difference[1], 1);
        trim(&mut difference);
        gcd_degree(modulus, f.clone(), difference) == 0
    })
}

fn trim(a: &mut Vec<u64>) {
    while a.last() == Some(&0) {
        a.pop();
    }
}

/// a mod b, for b ≠ 0.
fn remainder(m: Modulus, mut a: Vec<u64>, b: &[u64]) -> Vec<u64> {
    let lead = m.inv(*b.last().expect("division by the zero polynomial"));
    while a.len() >= b.len() {
        let q = m.mul(*a.last().expect("not shorter than b"), lead);
        let offset = a.len() - b.len();
        for (x, &y) in a[offset..].iter_mut().zip(b) {
            *x = m.sub(*x, m.mul(q, y));
        }
        trim(&mut a);
    }
    a
}

fn gcd_degree(m: Modulus, mut a: Vec<u64>, mut b: Vec<u64>) -> usize {
    while !b.is_empty() {
        (a, b) = (b.clone(), remainder(m, a, &b));
    }
    a.len() - 1
}

fn mul_mod(m: Modulus, a: &[u64], b: &[u64], f: &[u64]) -> Vec<u64> {
    let mut product = vec![0; (a.len() + b.len()).saturating_sub(1)];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            product[i + j] = m.add(product[i + j], m.mul(x, y));
        }
    }
    trim(&mut product);
    remainder(m, product, f)
}

fn pow_mod(m: Modulus, a: &[u64], mut e: u64, f: &[u64]) -> Vec<u64> {
    let (mut base, mut acc) = (a.to_vec(), vec![1]);
    while e > 0 {
        if e & 1 == 1 {
            acc = mul_mod(m, &acc, &base, f);
        }
        base = mul_mod(m, &base, &base, f);
        e >>= 1;
    }
    acc
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// All monic polynomials of degree k over GF(p), as their k lower coefficients.
    fn tails(p: u64, k: usize) -> impl Iterator<Item = Vec<u64>> {
        (0..p.pow(k as u32)).map(move |mut n| {
            (0..k)
                .map(|_| {
                    let digit = n % p;
                    n /= p;
                    digit
                })
                .collect()
        })
    }

    #[test]
    fn the_number_of_irreducible_polynomials_is_gauss_formula() {
        // (1/k) Σ_{d | k} μ(k/d) p^d.
        for (p, k, expected) in [
            (2, 2, 1),
            (2, 3, 2),
            (2, 4, 3),
            (2, 8, 30),
            (2, 10, 99),
            (3, 2, 3),
            (3, 4, 18),
            (3, 6, 116),
            (5, 3, 40),
            (7, 4, 588),
        ] {
            let m = Modulus::new(p).unwrap();
            assert_eq!(tails(p, k).filter(|t| is_irreducible(m, t, k)).count(), expected, "p = {p}, k = {k}");
        }
    }

    #[test]
    fn products_are_reducible() {
        let mut rng = Rng::seed_from_u64(6);
        for p in [2, 3, 65521, (1 << 61) - 1] {
            let m = Modulus::new(p).unwrap();
            for (i, j) in [(1, 1), (1, 2), (2, 2), (3, 3), (3, 5), (4, 4)] {
                let mut f = [irreducible_tail(m, i, &mut rng), irreducible_tail(m, j, &mut rng)];
                f[0].resize(i, 0);
                f[1].resize(j, 0);
                f.iter_mut().for_each(|f| f.push(1));
                let modulus_of_high_degree: Vec<u64> = (0..=i + j + 1).map(|d| u64::from(d == i + j + 1)).collect();
                let product = mul_mod(m, &f[0], &f[1], &modulus_of_high_degree);
                assert!(!is_irreducible(m, &product[..i + j], i + j), "p = {p}: {product:?}");
            }
        }
    }
}
