//! Polynomials in one variable over GF(p): division, greatest common divisors, factors.
//!
//! A polynomial is a list of residues, constant first, whose last one is not zero; the zero polynomial is the empty
//! list. Products are those of [`poly`](crate::poly), division is by Newton's iteration; Euclid's algorithm is the
//! textbook's, quadratic, whose steps are passes over contiguous residues. [`factor`] is for polynomials of moderate
//! degree: what block Wiedemann leaves open about a matrix, not all that it found.
//!
//! Sources: J. von zur Gathen, J. Gerhard, *Modern Computer Algebra*, 3rd edition 2013: 9.1 (division), 3.2 (Euclid),
//! 14.2 – 14.6 (factors).

mod arithmetic;
mod euclid;
mod factor;
mod reducer;

pub use arithmetic::{add, degree, divide, evaluate, monic, multiply, power, product, scale, subtract, trim};
pub use euclid::{Bezout, bezout, gcd, lcm};
pub use factor::factor;
pub use reducer::Reducer;
