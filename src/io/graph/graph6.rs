//! graph6, sparse6 and digraph6 (B. D. McKay, *Description of graph6, sparse6 and digraph6 encodings*, in the
//! documentation of nauty).
//!
//! A graph is a line of characters from `?` (63) to `~` (126), six bits each. It begins with the number n of vertices:
//! one character for n ≤ 62, `~` and three for n < 2¹⁸, `~~` and six for n < 2³⁶. Then follow
//!
//! * graph6: the bits aᵤᵥ, u < v, column by column;
//! * digraph6 (first `&`): the bits of all rows;
//! * sparse6 (first `:`): pairs of a bit b and a vertex x of ⌈log₂ n⌉ bits. Beginning with v = 0, b moves v on by one;
//!   then x > v becomes v, and any other x is an edge {x, v}.
//!
//! Unused bits at the end are 0 (in sparse6: 1). Parallel edges of sparse6 count, as its authors have it.

use super::adjacency::Graph;
use crate::Result;
use crate::io::options::ReadOptions;
use crate::io::text::Text;
use crate::sparse::RationalMatrix;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Graph,
    Digraph,
    Sparse,
}

const HEADERS: [(&[u8], Kind); 3] =
    [(b">>graph6<<", Kind::Graph), (b">>sparse6<<", Kind::Sparse), (b">>digraph6<<", Kind::Digraph)];

/// The kind of the graph and where its characters begin; whether a header says so.
fn kind(line: &[u8]) -> (Kind, usize, bool) {
    let (rest, named) = match HEADERS.iter().find(|(header, _)| line.starts_with(header)) {
        Some((header, _)) => (header.len(), true),
        None => (0, false),
    };
    match line.get(rest) {
        Some(b':') => (Kind::Sparse, rest + 1, named),
        Some(b'&') => (Kind::Digraph, rest + 1, named),
        _ => (Kind::Graph, rest, named),
    }
}

/// The number of vertices, and where the bits begin.
fn size(line: &[u8], at: usize) -> Option<(u64, usize)> {
    let six = |range: std::ops::Range<usize>| {
        let found = line.get(range)?;
        let whole = found.iter().all(|b| (63..=126).contains(b));
        whole.then(|| found.iter().fold(0u64, |n, &b| n << 6 | u64::from(b - 63)))
    };
    match (line.get(at)?, line.get(at + 1)) {
        (b'~', Some(b'~')) => Some((six(at + 2..at + 8)?, at + 8)),
        (b'~', _) => Some((six(at + 1..at + 4)?, at + 4)),
        _ => Some((six(at..at + 1)?, at + 1)),
    }
}

/// The number of bits of a graph on n vertices; `None` for sparse6.
fn bits(kind: Kind, n: u64) -> Option<u128> {
    let n = u128::from(n);
    match kind {
        Kind::Graph => Some(n * n.saturating_sub(1) / 2),
        Kind::Digraph => Some(n * n),
        Kind::Sparse => None,
    }
}

/// Whether the text begins with a graph: with a header, or with a line that can be nothing else.
pub(super) fn sniff(head: &[u8]) -> bool {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default().trim_ascii_end();
    let (kind, start, named) = kind(line);
    if named {
        return true;
    }
    let Some((n, at)) = size(line, start) else { return false };
    let plain = line[start..].iter().all(|b| (63..=126).contains(b));
    plain && bits(kind, n).is_none_or(|bits| (line.len() - at) as u128 == bits.div_ceil(6))
}

/// Reads the graph.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, _: bool) -> Result<RationalMatrix> {
    let whole = text.whole(options.max_memory)?;
    let line = whole.split(|&b| b == b'\n').next().unwrap_or_default();
    let graphs = whole.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    if graphs > 1 {
        let message = format!("{graphs} graphs, one in each line; expected one: take the k-th by `sed -n kp`");
        return Err(text.error(2, message));
    }
    let line = line.trim_ascii_end();
    let fail = |at: usize, message: String| Err(text.error_at(&whole, at, message));
    let (kind, start, _) = kind(line);
    if let Some(at) = (start..line.len()).find(|&at| !(63..=126).contains(&line[at])) {
        return fail(at, format!("expected a character from ? to ~, found {:?}", char::from(line[at])));
    }
    let Some((n, at)) = size(line, start) else {
        return fail(line.len(), "expected the number of vertices; the line ends within it".into());
    };
    if n > u64::from(u32::MAX) {
        return fail(start, format!("{n} vertices: expected at most {}", u32::MAX));
    }
    let mut graph = Graph::new(n, kind == Kind::Digraph);
    let bit = |k: usize| ((line[at + k / 6] - 63) >> (5 - k % 6)) & 1 == 1;
    let available = 6 * (line.len() - at);
    let Some(expected) = bits(kind, n) else {
        sparse(&mut graph, available, &bit)?;
        return graph.finish(text, options);
    };
    if available as u128 != expected.div_ceil(6) * 6 {
        let message = format!(
            "expected {} characters after the size of a graph on {n} vertices, found {}: a damaged line",
            expected.div_ceil(6),
            line.len() - at
        );
        return fail(line.len(), message);
    }
    if (expected as usize..available).any(bit) {
        return fail(line.len() - 1, "expected zeros in the unused bits of the last character: a damaged line".into());
    }
    let mut k = 0;
    for v in 0..n as u32 {
        for u in 0..if kind == Kind::Graph { v } else { n as u32 } {
            if bit(k) {
                let (from, to) = if kind == Kind::Graph { (u, v) } else { (v, u) };
                graph.edge(from, to, None, 1)?;
            }
            k += 1;
        }
    }
    graph.finish(text, options)
}

/// The edges of sparse6: bits that do not make up a pair, and what leads beyond the last vertex, are the filling.
fn sparse(graph: &mut Graph, available: usize, bit: &dyn Fn(usize) -> bool) -> Result<()> {
    graph.multi = true;
    let n = graph.vertices;
    let width = (64 - n.saturating_sub(1).leading_zeros()) as usize;
    let (mut v, mut k) = (0, 0);
    while k + 1 + width <= available {
        v += u64::from(bit(k));
        let x = (0..width).fold(0, |x, place| x << 1 | u64::from(bit(k + 1 + place)));
        k += 1 + width;
        if x >= n || v >= n {
            break;
        }
        if x > v {
            v = x;
        } else {
            graph.edge(x as u32, v as u32, None, 1)?;
        }
    }
    Ok(())
}
