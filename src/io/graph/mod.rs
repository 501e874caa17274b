//! Graphs, read as their adjacency matrices ([`adjacency`] says what these are).
//!
//! | format | recognised by | module |
//! | --- | --- | --- |
//! | graph6, sparse6, digraph6 (B. D. McKay's nauty) | one line of the characters `?` to `~`, of the length that its size demands; `:`; `&` | `graph6` |
//! | DIMACS: graphs, shortest paths, flows, assignments | a line `p KIND …` after comments `c …` | `dimacs` |
//! | node-link and adjacency data of networkx, in JSON | an object with `links`, `edges` or `adjacency` | `json` |
//! | GraphML | an element `graphml` | `graphml` |
//!
//! METIS's graphs (`metis`) look like tables of numbers: the caller says that there is one. Edge lists and adjacency
//! lists are tables: [`super::table`].

mod adjacency;
mod dimacs;
mod graph6;
#[cfg(feature = "graphml")]
mod graphml;
#[cfg(feature = "serde")]
mod json;
mod metis;

pub(super) use adjacency::{Graph, Names};

use super::options::{Layout, ReadOptions, Reader};

/// The reader of a graph in one of these formats.
pub(super) fn sniff(head: &[u8], options: &ReadOptions) -> Option<Reader> {
    if options.layout == Some(Layout::Metis) {
        return Some(metis::read);
    }
    if graph6::sniff(head) {
        return Some(graph6::read);
    }
    if dimacs::sniff(head) {
        return Some(dimacs::read);
    }
    #[cfg(feature = "serde")]
    if json::sniff(head) {
        return Some(json::read);
    }
    #[cfg(feature = "graphml")]
    if graphml::sniff(head) {
        return Some(graphml::read);
    }
    None
}
