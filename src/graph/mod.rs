//! Simple undirected graphs: half-edges, planarity, embeddings in the plane, Pfaffian orientations, maximum matchings.
//!
//! - [`Graph`]: a graph by half-edges, and an order of them around every vertex (`half_edges`).
//! - [`embed`]: an embedding in the plane, or none: the left-right planarity test (`left_right`).
//! - [`pfaffian_orientation`]: directions of the edges of a plane graph for which all perfect matchings have the same
//!   sign in the Pfaffian (`pfaffian`; P. W. Kasteleyn, 1963). Bipartite: the signs of a determinant.
//! - [`perfect_matching`]: a perfect matching, or a set of vertices that proves that there is none (`blossom`;
//!   J. Edmonds, 1965).
//!
//! Permanents and hafnians use it. One thread, no random choices, no recursion.

mod blossom;
mod half_edges;
mod left_right;
mod pfaffian;

pub(crate) use blossom::perfect_matching;
pub(crate) use half_edges::Graph;
pub(crate) use left_right::embed;
pub(crate) use pfaffian::{Fault, pfaffian_orientation};
