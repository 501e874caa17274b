//! From a prime to the arithmetic for its size.

use super::LargeModulus;
use super::arithmetic::Arithmetic;
use super::montgomery::Montgomery;
use super::unbounded::Unbounded;
use num_traits::ToPrimitive;

/// Work over GF(p), written once for every arithmetic.
pub(crate) trait Work {
    /// What comes of it.
    type Output;
    /// The work.
    fn over<F: Arithmetic + 'static>(self, field: &F) -> Self::Output;
}

/// Does the work mod p: on 1 to 9, 12 or 17 limbs, whose highest bit p leaves free, or on integers of any length.
pub(crate) fn over<W: Work>(p: &LargeModulus, work: W) -> W::Output {
    let p = p.get();
    if p.to_u8() == Some(2) {
        return work.over(&Unbounded::new(p));
    }
    match p.bits() / 64 {
        0 => work.over(&Montgomery::<1, 2>::new(p)),
        1 => work.over(&Montgomery::<2, 4>::new(p)),
        2 => work.over(&Montgomery::<3, 6>::new(p)),
        3 => work.over(&Montgomery::<4, 6>::new(p)),
        4 => work.over(&Montgomery::<5, 8>::new(p)),
        5 => work.over(&Montgomery::<6, 10>::new(p)),
        6 => work.over(&Montgomery::<7, 10>::new(p)),
        7 => work.over(&Montgomery::<8, 12>::new(p)),
        8 => work.over(&Montgomery::<9, 12>::new(p)),
        9..12 => work.over(&Montgomery::<12, 16>::new(p)),
        12..17 => work.over(&Montgomery::<17, 24>::new(p)),
        _ => work.over(&Unbounded::new(p)),
    }
}
