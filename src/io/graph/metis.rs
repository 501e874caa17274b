//! Graphs of METIS, Chaco, KaHIP and the DIMACS challenge of 2012 (manual of METIS 5.1.0, §4.1): a line `n m`, then a
//! line of neighbours for each of the n vertices, numbered from 1; each of the m edges stands in the lines of both
//! ends.
//!
//! `n m fmt` says with three digits whether each vertex has a size, weights (`n m fmt ncon` of them), and each edge a
//! weight, which follows the neighbour. Sizes and weights of vertices are passed over; comments begin with `%`. A blank
//! line is a vertex without edges. Nothing tells such a file from a table of numbers: the caller says what it is.

use super::adjacency::Graph;
use super::dimacs::vertex;
use crate::Result;
use crate::io::fraction::value;
use crate::io::header;
use crate::io::options::{self, ReadOptions};
use crate::io::text::{Text, fields, quote};
use crate::sparse::RationalMatrix;
use crate::words::counted;

/// What the first line announces.
struct Announced {
    vertices: u64,
    edges: u64,
    /// Numbers before the neighbours in the line of a vertex.
    before: u64,
    /// Whether weights follow the neighbours.
    weights: bool,
    /// Its line.
    line: u64,
}

/// Reads the graph.
pub(in crate::io) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let announced = announced(text)?;
    let mut graph = Graph::new(announced.vertices, false);
    let mut u = 0;
    while let Some(line) = text.next_line()? {
        let at = text.line_number();
        if line.trim_ascii_start().starts_with(b"%") {
            continue;
        }
        if u == announced.vertices {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let message = format!("expected the end after {}, found {}", counted(u as usize, "vertex"), quote(&line));
            return Err(text.error(at, message));
        }
        neighbours(&mut graph, u as u32, &line, &announced, (text, options, fractions))?;
        u += 1;
        if at.is_multiple_of(1 << 12) {
            text.report()?;
        }
    }
    let fail = |message: String| Err(text.error(text.line_number().max(1), message));
    if u < announced.vertices {
        return fail(format!(
            "the file ends after the lines of {u} vertices, but line {} announces {}",
            announced.line, announced.vertices
        ));
    }
    // No line names a vertex twice: 2m ends of m different edges are both ends of each.
    let given = graph.given() as u64;
    let different = graph.merge(text)? as u64;
    if (given, different) != (2 * announced.edges, announced.edges) {
        return fail(format!(
            "{given} neighbours, {different} different edges, but line {} announces {}: expected each edge in the lines of both its ends",
            announced.line,
            counted(announced.edges as usize, "edge"),
        ));
    }
    graph.finish(text, options)
}

fn announced(text: &mut Text<'_>) -> Result<Announced> {
    let Some(line) = header::content_line(text, b"%")? else {
        return Err(text.error(text.line_number().max(1), "the file ends before its first line \"n m\""));
    };
    let at = text.line_number();
    let found: Vec<&[u8]> = fields(&line).collect();
    let [n, m, rest @ ..] = &found[..] else {
        return Err(text.error(at, format!("expected \"n m\", vertices and edges of a graph, found {}", quote(&line))));
    };
    let (vertices, edges) = (header::dimension(text, n, "vertices")?, header::count(text, m, "edges")?);
    let format = rest.first().copied().unwrap_or(b"0");
    if rest.len() > 2 || format.len() > 3 || !format.iter().all(|digit| matches!(digit, b'0' | b'1')) {
        let message = format!("expected \"n m fmt ncon\", fmt of up to three digits 0 or 1, found {}", quote(&line));
        return Err(text.error(at, message));
    }
    let has = |place: usize| format.len() >= place && format[format.len() - place] == b'1';
    let weights_of_vertices = match rest.get(1) {
        Some(field) => header::count(text, field, "weights of a vertex")?,
        None => u64::from(has(2)),
    };
    if has(2) != (weights_of_vertices > 0) && rest.len() == 2 {
        let message = format!(
            "fmt {} and {weights_of_vertices} weights of a vertex contradict each other: found {}",
            String::from_utf8_lossy(format),
            quote(&line)
        );
        return Err(text.error(at, message));
    }
    let before = weights_of_vertices.saturating_add(u64::from(has(3)));
    Ok(Announced { vertices, edges, before, weights: has(1), line: at })
}

/// Adds the edges in the line of vertex `u`, counted from 0.
fn neighbours(
    graph: &mut Graph,
    u: u32,
    line: &[u8],
    announced: &Announced,
    (text, options, fractions): (&Text<'_>, &ReadOptions, bool),
) -> Result<()> {
    let at = text.line_number();
    let fail = |message: String| text.error(at, message);
    let mut found = fields(line);
    for k in 0..announced.before {
        if found.next().is_none() {
            let message = format!(
                "expected {} before the neighbours of this vertex, found {k}",
                counted(announced.before as usize, "number")
            );
            return Err(fail(message));
        }
    }
    let first = options::first(options);
    let mut seen = Vec::new();
    while let Some(field) = found.next() {
        let v = vertex(field, announced.vertices, first).map_err(fail)?;
        if v == u {
            return Err(fail(format!("vertex {} is its own neighbour: expected no loops", quote(field))));
        }
        let weight = match (announced.weights, announced.weights.then(|| found.next()).flatten()) {
            (true, None) => return Err(fail(format!("expected a weight after the neighbour {}", quote(field)))),
            (_, weight) => weight.map(|weight| value(weight, options.pattern, fractions)).transpose().map_err(fail)?,
        };
        crate::memory::push(&mut seen, v, "the neighbours of a vertex")?;
        graph.edge(u, v, weight, at)?;
    }
    seen.sort_unstable();
    match seen.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => Err(fail(format!("vertex {} is named twice in this line", u64::from(pair[0]) + first))),
    }
}
