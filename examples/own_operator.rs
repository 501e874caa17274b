//! An operator of one's own, known by its products alone: rank and minimal polynomial without ever writing a matrix.
//!
//! A circulant matrix, the product with a polynomial c(x) in GF(p)[x] / (xⁿ - 1). Its rank is n minus the degree of
//! gcd(c, xⁿ - 1).

use blackfield::answers::{operator_minimal_polynomial, operator_rank};
use blackfield::blackbox::{Preconditioned, Scratch};
use blackfield::field::PrimeField;
use blackfield::prelude::*;
use blackfield::sequence::{Krylov, Projection, SequenceSource, Start};
use blackfield::sigma_basis::GeneratorSearch;
use blackfield::spmv::{Block, Lane};

/// The circulant matrix of order n with these terms (exponent, coefficient) of c.
struct Circulant {
    modulus: Modulus,
    order: usize,
    terms: Vec<(usize, u64)>,
}

impl Circulant {
    fn product(&self, x: &Block, y: &mut Block, back: bool) {
        let (p, n) = (self.modulus, self.order);
        for i in 0..n {
            for l in 0..x.width() {
                let term = |&(k, c): &(usize, u64)| p.mul(c, x.get(if back { i + n - k } else { i + k } % n, l));
                y.set(i, l, self.terms.iter().map(term).fold(0, |sum, v| p.add(sum, v)));
            }
        }
    }
}

impl Operator for Circulant {
    fn modulus(&self) -> Modulus {
        self.modulus
    }
    fn rows(&self) -> usize {
        self.order
    }
    fn cols(&self) -> usize {
        self.order
    }
    fn lane(&self) -> Lane {
        Lane::narrowest(self.modulus)
    }
    fn apply(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> blackfield::Result<()> {
        self.product(x, y, false);
        Ok(())
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> blackfield::Result<()> {
        self.product(x, y, true);
        Ok(())
    }
}

fn main() -> blackfield::Result<()> {
    // c = x² - 1 and n = 60: gcd(x² - 1, x⁶⁰ - 1) = x² - 1.
    let p = Modulus::new(2305843009213693951)?;
    let a = Circulant { modulus: p, order: 60, terms: vec![(0, p.neg(1)), (2, 1)] };
    let answer = operator_rank(&a, &RankOptions::default(), &Silent)?;
    println!("rank {} ({}): {}", answer.rank, answer.certainty.name(), answer.reason);
    assert_eq!(answer.rank, 58);

    // x² has the eigenvalues of order dividing 30, and so has c after a shift: degree 30.
    let minimal = operator_minimal_polynomial(&a, &RankOptions::default(), &Silent)?;
    println!("a minimal polynomial of degree {} ({})", minimal.degree(), minimal.certainty.name());
    assert_eq!(minimal.degree(), 30);

    // The sequence itself: yᵀ·Aⁱ·x for random vectors, and the recurrence that it obeys.
    let (field, rng) = (PrimeField(p), &mut rng_from_seed(3));
    let (powers, projection) = (Preconditioned::plain(&a), Projection::dense(&field, 60, 1, rng)?);
    let mut sequence = Krylov::new(&field, &powers, projection, 1, Start::X, rng)?;
    let (mut terms, mut search) = (vec![], GeneratorSearch::new(field, 1)?);
    sequence.extend(70, &mut terms, &Silent)?;
    search.extend(&terms, &Silent)?;
    println!("{} terms obey a recurrence of length {}", terms.len(), search.rank_bound());
    assert_eq!(search.rank_bound(), 30);
    Ok(())
}
