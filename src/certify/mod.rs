//! How certain an answer is, the theorems behind that, and certificates of a rank that anybody can check.
//!
//! A [`Certificate`] states that A has rank r mod p and carries evidence that is cheap to check. A minor of A, r rows
//! and r columns of which the first t are a triangular chain, shows **rank ≥ r**; lines or combinations of columns that
//! account for all of A show **rank ≤ r**. With s = r - t, chosen rows I = I₁ ∪ I₂ and columns J = J₁ ∪ J₂ (t and s of
//! each), and F the columns outside J that are not empty:
//!
//! | claim | shown by | wrong with probability |
//! | --- | --- | --- |
//! | the chain A\[I₁, J₁\] is invertible | it is triangular in the order given, entry by entry | 0 |
//! | so is M = A\[I, J\] (s > 0) | k vectors x with M·x = (0, b), b on I₂ random | ≤ p⁻ᵏ |
//! | rank A ≤ r, by lines | r rows and columns that meet every entry | 0 |
//! | rank A ≤ r, by combinations | k vectors w with A·w = 0, w on F random | ≤ p⁻ᵏ |
//!
//! If M is singular, so is its Schur complement S = A\[I₂, J₂\] - A\[I₂, J₁\]·A\[I₁, J₁\]⁻¹·A\[I₁, J₂\]; M·x = (0, b)
//! requires b to be in the image of S, which contains at most one b in p. If rank A > r, some column in F is not a
//! combination of those in J, so that at most one in p choices of w on F can be completed to A·w = 0. These are the
//! arguments of J.-G. Dumas, E. Kaltofen, *Essentially optimal interactive certificates in linear algebra*, ISSAC 2014,
//! sections 2 and 5. The verifier's random choices are replaced by a hash of everything that must be fixed before them
//! (Fiat–Shamir): see `challenge.rs`. k is the least number with pᵏ ≥ 2¹³⁰ ([`repetitions()`]). The chain determines x
//! on J₁ and w on J₁: a certificate lists their s values on J₂ only, and the verifier substitutes.
//!
//! **What the hash is worth.** An honest prover never fails: valid vectors exist whatever the challenge. A cheating one
//! may try minor after minor until a challenge happens to suit a wrong claim: N attempts (each a hash of the whole
//! choice, and a solution) succeed with probability at most N·2⁻¹³⁰ for each of the two claims, if SHA-256 and ChaCha20
//! behave like random functions. The bound that a [`Verdict`] states is that of one attempt.
//!
//! [`verify`] is a separate code path, which shares nothing with the computation except the residue arithmetic: no
//! elimination, no sparse kernel. It costs about two passes over the matrix with k vectors, in time and memory linear
//! in the entries of the matrix and the bytes of the certificate: the dimensions that a header declares cost nothing
//! ([`verify_compact`]).

mod certificate;
mod challenge;
#[cfg(feature = "serde")]
mod file;
mod lanes;
mod repetitions;
mod streams;
mod verify;
mod wiedemann_bound;

pub(crate) use crate::report::{Certainty, ErrorBound};
pub use certificate::{Certificate, Upper};
pub use challenge::{Challenge, Claim};
pub use lanes::Lanes;
pub use repetitions::{BITS, repetitions};
pub use streams::{Domain, Streams};
pub(crate) use verify::check_chain;
pub use verify::{Verdict, verify, verify_compact};
pub use wiedemann_bound::{degree_for_error, rank_failure};

#[cfg(test)]
mod tests;
