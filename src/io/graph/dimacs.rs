//! The formats of the DIMACS implementation challenges (1990–2006): `c` comments, one line `p KIND n m`, then the edges
//! or arcs between vertices 1 … n.
//!
//! | kind | lines | read as |
//! | --- | --- | --- |
//! | `edge`, `edges`, `col`, `clq`, `matching` | `e u v` or `e u v weight` | an undirected graph |
//! | `sp` (shortest paths), `asn` (assignment), `max` (maximum flow: capacities) | `a u v weight` | a directed graph |
//!
//! Lines that describe vertices (`n`, `v`, `d`, `x`) are passed over. Some files count an edge in each direction in m:
//! m must be the number of lines or of different edges.

use super::adjacency::Graph;
use crate::Result;
use crate::io::fraction::value;
use crate::io::header;
use crate::io::options::{self, ReadOptions};
use crate::io::text::{Text, fields, quote};
use crate::sparse::RationalMatrix;

/// Undirected and directed kinds.
const KINDS: [&[&[u8]]; 2] = [&[b"edge", b"edges", b"col", b"clq", b"matching"], &[b"sp", b"asn", b"max"]];

/// Whether the first line that is no comment is a problem line of a graph, or of another problem of this family.
pub(super) fn sniff(head: &[u8]) -> bool {
    let is_comment =
        |line: &&[u8]| line.is_empty() || *line == b"c" || line.starts_with(b"c ") || line.starts_with(b"c\t");
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).skip_while(is_comment);
    let found: Vec<&[u8]> = fields(lines.next().unwrap_or_default()).collect();
    let numbers = found.get(2..).unwrap_or_default();
    found.first() == Some(&&b"p"[..]) && !numbers.is_empty() && numbers.iter().all(|word| header::is_integer(word))
}

/// Reads the graph.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let mut graph: Option<(Graph, u64, u64)> = None;
    let first = options::first(options);
    while let Some(line) = text.next_line()? {
        let at = text.line_number();
        let found: Vec<&[u8]> = fields(&line).collect();
        let fail = |message: String| Err(text.error(at, message));
        match (found.first().copied(), &mut graph) {
            (None | Some(b"c" | b"n" | b"v" | b"d" | b"x"), _) => {}
            (Some(b"p"), None) => graph = Some(problem(text, &found)?),
            (Some(b"p"), Some(_)) => return fail("a second problem line; expected one".into()),
            (_, None) => return fail(format!("expected the problem line \"p edge n m\", found {}", quote(&line))),
            (Some(letter @ (b"e" | b"a")), Some((graph, ..))) => {
                let expected: &[u8] = if graph.directed { b"a" } else { b"e" };
                if letter != expected || !(3..=4).contains(&found.len()) {
                    let expected = char::from(expected[0]);
                    return fail(format!("expected \"{expected} u v\", perhaps with a weight, found {}", quote(&line)));
                }
                let end = |field| vertex(field, graph.vertices, first).map_err(|message| text.error(at, message));
                let (u, v) = (end(found[1])?, end(found[2])?);
                let weight = found.get(3).map(|field| value(field, options.pattern, fractions)).transpose();
                graph.edge(u, v, weight.map_err(|message| text.error(at, message))?, at)?;
            }
            _ => return fail(format!("expected a line that begins with c, p, e, a or n, found {}", quote(&line))),
        }
        if at.is_multiple_of(1 << 12) {
            text.report()?;
        }
    }
    let Some((mut graph, announced, at)) = graph else {
        return Err(text.error(text.line_number(), "the file ends before its problem line \"p edge n m\""));
    };
    let given = graph.given();
    let different = graph.merge(text)?;
    if ![given, different].contains(&(announced as usize)) {
        let message = format!(
            "{given} edges, {different} of them different, but line {at} announces {announced}: a truncated or damaged file"
        );
        return Err(text.error(text.line_number(), message));
    }
    graph.finish(text, options)
}

/// The empty graph of a problem line, the number of edges that it announces, and its line.
fn problem(text: &Text<'_>, found: &[&[u8]]) -> Result<(Graph, u64, u64)> {
    let at = text.line_number();
    let kind = found[1].to_ascii_lowercase();
    let directed = match KINDS.iter().position(|kinds| kinds.contains(&&kind[..])) {
        Some(side) => side == 1,
        None if kind == b"cnf" => {
            return Err(
                text.error(at, "a formula in conjunctive normal form, and no matrix: expected a graph, \"p edge n m\"")
            );
        }
        None => {
            let message = format!("expected a problem edge, col, matching, sp, asn or max, found {}", quote(found[1]));
            return Err(text.error(at, message));
        }
    };
    let [_, _, n, m] = found[..] else {
        let message = format!("expected \"p {} n m\" with two numbers", String::from_utf8_lossy(&kind));
        return Err(text.error(at, message));
    };
    let (n, m) = (header::dimension(text, n, "vertices")?, header::count(text, m, "edges")?);
    Ok((Graph::new(n, directed), m, at))
}

/// The number, from 0, of a vertex that counts from `first`.
pub(super) fn vertex(field: &[u8], vertices: u64, first: u64) -> std::result::Result<u32, String> {
    let shown = quote(field);
    let number: Option<u64> = std::str::from_utf8(field).ok().and_then(|field| field.parse().ok());
    let Some(number) = number else { return Err(format!("expected a vertex, found {shown}")) };
    let position = number.checked_sub(first).filter(|&position| position < vertices);
    position.map(|position| position as u32).ok_or_else(|| {
        let hint = if number == 0 { ": do they count from 0? Say --base 0" } else { "" };
        format!("vertex {number} is outside {first}..={}{hint}", (vertices + first).saturating_sub(1))
    })
}
