//! Graphs as lists: an edge in each line, or a vertex with its neighbours.
//!
//! If all vertices are natural numbers, they are the numbers of rows (those that no line names are vertices without
//! edges); otherwise they are names, numbered in the order in which they appear. An edge may end with a weight, or with
//! the data that networkx writes, `{'weight': 3}`.

use super::decide::first_number;
use super::normal::Table;
use super::survey::{natural, survey};
use crate::io::fraction::value;
use crate::io::graph::{Graph, Names};
use crate::io::options::ReadOptions;
use crate::io::text::{Text, fields, quote};
use crate::sparse::{Fraction, RationalMatrix};
use crate::{Error, Result};

/// How the fields of vertices become numbers of rows.
enum Vertices {
    Numbered { first: u64 },
    Named(Names),
}

impl Vertices {
    /// The number of a vertex, from 0.
    fn number(&mut self, field: &[u8]) -> std::result::Result<u32, Error> {
        match self {
            Vertices::Numbered { first } => {
                let number = natural(field).expect("all are numbers");
                let position = number.checked_sub(*first).filter(|&position| position < u64::from(u32::MAX));
                position.map(|position| position as u32).ok_or_else(|| {
                    let message = if number == 0 {
                        "vertex 0: do they count from 0? Say --base 0".to_string()
                    } else {
                        format!("vertex {number}: expected at most {}", u32::MAX)
                    };
                    Error::Matrix(message)
                })
            }
            Vertices::Named(names) => names.number(field),
        }
    }
}

/// The fields of a line before its data in braces, and these.
fn parts(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    match line.iter().position(|&b| b == b'{') {
        Some(brace) => (&line[..brace], Some(line[brace..].trim_ascii())),
        None => (line, None),
    }
}

/// Reads a list of edges.
pub(super) fn edges(
    text: &Text<'_>,
    table: &Table<'_>,
    directed: bool,
    options: &ReadOptions,
    fractions: bool,
) -> Result<RationalMatrix> {
    let all = survey(table, 0);
    let mut vertices = match all.no_index {
        None => Vertices::Numbered { first: first_number(text, &all, options, ["vertex"; 2])? },
        Some(_) => Vertices::Named(Names::default()),
    };
    let mut graph = Graph::new(0, directed);
    for (number, line) in table.lines() {
        let (plain, data) = parts(line);
        let found: Vec<&[u8]> = fields(plain).collect();
        let (u, v, weight) = match (&found[..], data) {
            ([u, v], None) => (u, v, None),
            ([u, v, weight], None) => (u, v, Some(weight.to_vec())),
            ([u, v], Some(data)) => (u, v, weight_in(data).map_err(|message| text.error(number, message))?),
            _ => {
                let message = format!("expected two vertices, perhaps with a weight, found {}", quote(line));
                return Err(text.error(number, message));
            }
        };
        let weight = weight.map(|field| value(&field, options.pattern, fractions)).transpose();
        let weight: Option<Fraction<'static>> = weight.map_err(|message| text.error(number, message))?;
        let mut end = |field| vertices.number(field).map_err(|error| placed(text, number, error));
        let (u, v) = (end(u)?, end(v)?);
        graph.vertices = graph.vertices.max(u64::from(u.max(v)) + 1);
        graph.edge(u, v, weight, number)?;
    }
    graph.finish(text, options)
}

/// The error of a vertex, with its line.
fn placed(text: &Text<'_>, number: u64, error: Error) -> Error {
    match error {
        Error::Matrix(message) => text.error(number, message),
        other => other,
    }
}

/// The weight in the data of an edge, `{}` or `{'weight': 3}`, whatever else they say.
fn weight_in(data: &[u8]) -> std::result::Result<Option<Vec<u8>>, String> {
    let inside = data.strip_prefix(b"{").and_then(|data| data.strip_suffix(b"}"));
    let inside = inside.ok_or_else(|| format!("expected data in braces, {{'weight': 3}}, found {}", quote(data)))?;
    let mut pairs = inside.split(|&b| b == b',').map(<[u8]>::trim_ascii).filter(|pair| !pair.is_empty());
    let weight = pairs.find(|pair| pair.starts_with(b"'weight'") || pair.starts_with(b"\"weight\""));
    let value =
        weight.map(|pair| pair[8..].trim_ascii_start().strip_prefix(b":").unwrap_or_default().trim_ascii().to_vec());
    Ok(value)
}

/// Reads a list of neighbours: a vertex, and the vertices to which it has an edge.
pub(super) fn adjacency(text: &Text<'_>, table: &Table<'_>, options: &ReadOptions) -> Result<RationalMatrix> {
    let mut least = u64::MAX;
    let all_numbers = table.lines().flat_map(|(_, line)| fields(line)).all(|field| {
        let number = natural(field);
        least = least.min(number.unwrap_or(least));
        number.is_some()
    });
    let mut vertices = if all_numbers {
        let seen = super::survey::Survey { least_index: [least; 2], ..survey(table, 0) };
        Vertices::Numbered { first: first_number(text, &seen, options, ["vertex"; 2])? }
    } else {
        Vertices::Named(Names::default())
    };
    let mut graph = Graph::new(0, false);
    for (number, line) in table.lines() {
        let mut ends = fields(line);
        let mut end = |field| vertices.number(field).map_err(|error| placed(text, number, error));
        let u = end(ends.next().expect("a line with content"))?;
        graph.vertices = graph.vertices.max(u64::from(u) + 1);
        for v in ends {
            let v = end(v)?;
            graph.vertices = graph.vertices.max(u64::from(v) + 1);
            graph.edge(u, v, None, number)?;
        }
    }
    graph.finish(text, options)
}
