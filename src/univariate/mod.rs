//! Polynomials in one variable over GF(p): division, greatest common divisors, factors.
//!
//! A polynomial is a list of residues, constant first, whose last one is not zero; the zero polynomial is the empty
//! list. Products are those of [`poly`](crate::poly), division is by Newton's iteration; of Euclid's algorithm,
//! greatest common divisors take half of the steps of long polynomials at a time, cofactors the textbook's, quadratic.
//! [`factor`] is for polynomials of moderate degree: what block Wiedemann leaves open about a matrix, not all that it
//! found.
//!
//! Sources: J. von zur Gathen, J. Gerhard, *Modern Computer Algebra*, 3rd edition 2013: 9.1 (division), 3.2 and 11.1
//! (Euclid), 14.2 – 14.6 (factors).

mod arithmetic;
mod euclid;
mod factor;
mod half;
mod reducer;

pub use arithmetic::{add, degree, divide, evaluate, monic, multiply, power, product, scale, subtract, trim};
pub use euclid::{Bezout, bezout, gcd, lcm, lcm_of_all};
pub use factor::factor;
pub use reducer::Reducer;
