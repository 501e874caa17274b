//! What to do with the Schur complement that structural pivots leave: data with reasons, decided before the work is
//! done.
//!
//! Two ways find the rank s of S, and neither is known to be better before s is: its row space from random combinations
//! takes s·nnz + s²·cols/2 multiply-adds, the second term dense, and an answer sure to p⁻ᵏ that can be proven; block
//! Wiedemann takes 4·s·nnz and more certainty costs more. So the row space is sought first, up to a rank where it has
//! cost a fraction of what Wiedemann would at worst; then the plan is made anew: S may be formed at a higher price than
//! before.
//!
//! The cost of a step is defined next to it (`schur`, `dense`, `wiedemann`); here that is put together and compared.

mod decide;
mod finish;
mod rest;
#[cfg(test)]
mod tests;

pub(super) use decide::{Decision, decide};
pub(super) use finish::Finish;
pub(super) use rest::Rest;
