//! Generators of multiplicative groups.

use super::Modulus;
use super::factor::prime_factors;

/// The smallest generator of the multiplicative group of GF(p).
pub fn primitive_root(modulus: Modulus) -> u64 {
    let p = modulus.get();
    let factors = prime_factors(p - 1);
    (1..p)
        .find(|&g| factors.iter().all(|q| modulus.pow(g, (p - 1) / q) != 1))
        .expect("the multiplicative group of a finite field is cyclic")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitive_roots_generate() {
        for (p, root) in [(2, 1), (3, 2), (5, 2), (7, 3), (41, 6), (65521, 17), (65537, 3), (998_244_353, 3)] {
            assert_eq!(primitive_root(Modulus::new(p).unwrap()), root, "mod {p}");
        }
        let m = Modulus::new(409).unwrap();
        let root = primitive_root(m);
        let mut powers: Vec<u64> = (0..408).map(|e| m.pow(root, e)).collect();
        powers.sort_unstable();
        assert!(powers.iter().copied().eq(1..409));
        let m = Modulus::new((1 << 63) - 25).unwrap();
        let root = primitive_root(m);
        assert_eq!(m.pow(root, (m.get() - 1) / 2), m.get() - 1);
    }
}
