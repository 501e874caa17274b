//! The frontier dynamic program for graphs of small pathwidth: matchings counted vertex by vertex.
//!
//! Vertices are processed in some order. At any time the *frontier* is the set of unprocessed vertices with a processed
//! neighbour; what follows depends only on which of them are already matched:
//!
//! ```text
//! state = the matched vertices of the frontier,    value = Σ of the weights of all partial matchings that lead there
//! ```
//!
//! Values are an array indexed by the state, one bit (*slot*) for each vertex of the frontier. Processing v adds, for
//! each edge (v, w) to an unprocessed vertex, the values of the states with both ends free, times the weight, to those
//! with both ends matched: in place, by long runs. Then v leaves, and only states with v matched remain. If v has
//! neighbours that no processed vertex has touched, the last of them takes over the slot of v: where v is free it is
//! matched with it, where v is matched it is free, so that the bit changes its meaning and no value moves. Memory is 8
//! bytes times two to the width of the order ([`order`]), known before the run; values are residues modulo 2⁶⁴, or
//! modulo primes in further passes.
//!
//! Matchings of all sizes: a processed vertex may stay unmatched for a factor z. The sum is then Σ mₖ zⁿ⁻²ᵏ, evaluated
//! for enough z (`by_size`).
//!
//! The frontier of [`crate::permanent::frontier`] is that of a bipartite graph: its states have one weight and classes
//! of twins, for the dense blocks that permanents meet. Here the dense graphs have a method of their own.
//!
//! Source: transfer matrices over a frontier (D. E. Knuth, *The Art of Computer Programming* 4A, Section 7.1.4,
//! "simpath"); the vertex separation number of an order is N. G. Kinnersley's (Inf. Process. Lett. 42, 1992) pathwidth.

mod by_size;
mod order;
mod perfect;
mod plan;
mod program;
mod run;

pub(super) use by_size::{by_size, runs};
pub(super) use perfect::{hafnian, pass_count};
pub(super) use plan::{Plan, plan};
