//! Matchings in the bipartite graph of a matrix (rows and columns are vertices, entries edges), and what follows from
//! them.
//!
//! - [`maximum_matching`]: as many entries as possible, no two in a line. Their number is the **structural rank** (term
//!   rank), an upper bound of the rank over every field: each non-zero term of a minor's Leibniz expansion is a
//!   matching. A Karp–Sipser start (`karp_sipser`), then augmenting paths after Pothen–Fan and Hopcroft–Karp
//!   (`augment`).
//! - [`greedy_beside`]: a lower bound of the structural rank in one pass.
//! - [`hall_violator`], [`minimum_vertex_cover`]: short proofs that no larger matching exists (theorems of Hall and
//!   König).
//! - [`dulmage_mendelsohn`]: the canonical block triangular form. *Used for* the structural rank block by block, and
//!   permanents, which are the product over the fully indecomposable blocks. The rank of A is **not** the sum of the
//!   ranks of the diagonal blocks, since a singular block may be completed by the entries above it.
//!   [`BlockForm`]: the numbers and sizes of its blocks.
//! - [`strong_components`]: those of the directed graph of a square matrix, its finest block triangular form under
//!   permutations of rows and columns alike: the characteristic polynomial of A **is** the product of those of the
//!   diagonal blocks.
//! - [`components`], [`components_of`] and [`Split`]: the connected components. The rank of A **is** the sum of the
//!   ranks over them.
//!
//! Everything here is linear in rows + cols + nnz except [`maximum_matching`], which is O(nnz · √lines) in the worst
//! case and close to linear on real matrices. No recursion: paths may have a million entries. One thread, no random
//! choices.

mod augment;
mod block_form;
mod components;
mod dulmage_mendelsohn;
mod greedy;
mod hall;
mod karp_sipser;
mod pairs;
mod strong;
#[cfg(test)]
mod tests;

pub use augment::{matching_of_size, maximum_matching, maximum_matching_from, maximum_matching_while};
pub use block_form::{BlockForm, Blocks, Equal, Strong};
pub use components::{Components, Part, Split, components, components_of};
pub use dulmage_mendelsohn::{DulmageMendelsohn, dulmage_mendelsohn};
pub use greedy::greedy_beside;
pub use hall::{VertexCover, hall_violator, minimum_vertex_cover};
pub use pairs::{Matching, NONE};
pub use strong::strong_components;
