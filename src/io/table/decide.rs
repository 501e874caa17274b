//! What the lines of a table mean.

use super::normal::{Table, named};
use super::survey::{Survey, natural, survey};
use crate::io::options::{Base, Layout, ReadOptions};
use crate::io::text::{Text, fields};
use crate::words::counted;
use crate::{Error, Result};

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Triples(Shape),
    /// Rows, after that many lines with sizes.
    Dense(usize),
    Edges {
        directed: bool,
    },
    Adjacency,
    Cado,
}

/// The size of a matrix given by triples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub rows: u64,
    pub cols: u64,
    /// The number of the first row and of the first column.
    pub first: u64,
    /// Numbers of a value: 1, or 0 where lines are positions of ones.
    pub numbers: usize,
    /// Lines with content before the entries.
    pub skip: usize,
}

/// What the comments say that SNAP and KONECT write before an edge list; KONECT's `bip` has rows and columns.
fn commented(comments: &[u8]) -> Option<Layout> {
    let first = comments.split(|&b| b == b'\n').next().unwrap_or_default();
    if let [b"%", kind, ..] = fields(first).collect::<Vec<_>>()[..]
        && let Some(layout) = match kind {
            b"sym" => Some(Layout::Edges),
            b"asym" => Some(Layout::Arcs),
            b"bip" => Some(Layout::Triples),
            _ => None,
        }
    {
        return Some(layout);
    }
    let comments = comments.to_ascii_lowercase();
    let says = |words: &[u8]| comments.windows(words.len()).any(|window| window == words);
    match (says(b"undirected graph"), says(b"directed graph")) {
        (true, _) => Some(Layout::Edges),
        (false, true) => Some(Layout::Arcs),
        _ => None,
    }
}

/// What the table holds: what the caller says, or what can be seen.
pub(super) fn decide(text: &Text<'_>, table: &Table<'_>, options: &ReadOptions) -> Result<Decision> {
    let all = survey(table, 0);
    if all.lines == 0 {
        let what = if table.names.is_empty() { "nothing but comments" } else { "a line of names, and no numbers" };
        return Err(text.error(text.line_number().max(1), format!("expected lines of numbers, found {what}")));
    }
    let (_, first) = table.lines().next().expect("there is a line");
    let head: Vec<Option<u64>> = fields(first).map(natural).take(4).collect();
    let rest = survey(table, 1);
    let sized = sized(&head, &rest, options.base);
    let layout = options.layout.or_else(|| named(&table.names)).or_else(|| commented(table.comments));
    match layout {
        Some(Layout::Triples) => match sized {
            Some(shape) => Ok(Decision::Triples(shape)),
            None => triples(text, table, &all, options),
        },
        Some(Layout::Dense) => Ok(Decision::Dense(usize::from(sized_rows(&head, &rest)))),
        Some(layout @ (Layout::Edges | Layout::Arcs)) => Ok(Decision::Edges { directed: layout == Layout::Arcs }),
        Some(Layout::Adjacency) => Ok(Decision::Adjacency),
        Some(Layout::Cado | Layout::CadoValues) => Ok(Decision::Cado),
        Some(Layout::Metis) => unreachable!("graphs are no tables"),
        None => seen(text, table, (&head, &all, &rest), sized, options),
    }
}

/// What can be seen without help.
fn seen(
    text: &Text<'_>,
    table: &Table<'_>,
    (head, all, rest): (&[Option<u64>], &Survey, &Survey),
    sized: Option<Shape>,
    options: &ReadOptions,
) -> Result<Decision> {
    let refuse = |line: u64, message: &str| Err(text.error(line, message));
    if let Some(shape) = sized {
        return Ok(Decision::Triples(shape));
    }
    match (sized_rows(head, rest), super::cado::is_matrix(table)) {
        (true, true) => {
            let message = "a dense matrix after its size, or rows of CADO-NFS: say --layout dense or --layout cado";
            return refuse(all.least.1, message);
        }
        (true, false) => return Ok(Decision::Dense(1)),
        (false, true) => return Ok(Decision::Cado),
        (false, false) => {}
    }
    let ((least, short), (most, long)) = (all.least, all.most);
    let braces = table.lines().next().filter(|(_, line)| line.contains(&b'{'));
    if let Some((line, _)) = braces {
        return refuse(
            line,
            "an edge list of networkx: say --layout edges (of a graph) or --layout arcs (of a directed graph)",
        );
    }
    match least {
        _ if least != most => {
            let (line, found, other) = if short > long { (short, least, most) } else { (long, most, least) };
            let message = format!(
                "{}, {other} in line {}: expected as many in each line of a dense matrix. If each line has a vertex and its neighbours, say --layout adjacency, or metis where the first one has the numbers of vertices and edges",
                counted(found, "number"),
                short.min(long)
            );
            refuse(line, &message)
        }
        2 => refuse(
            short,
            "two numbers in each line can mean several things: say --layout edges (of a graph), arcs (of a directed graph), triples (positions of ones) or dense",
        ),
        3 if !table.names.is_empty() => refuse(
            short,
            "three columns, and not named row, col, value: say --layout triples, edges (of a graph, with weights), arcs or dense",
        ),
        3 if all.lines <= 3 => refuse(
            short,
            "so few lines of three numbers can mean several things: say --layout triples (row, column, value), edges (of a graph, with weights), arcs or dense",
        ),
        3 if all.no_index.is_some() => refuse(
            all.no_index.expect("it is there"),
            "three numbers in each line, but the first two are not a row and a column here: say --layout dense for a matrix of three columns",
        ),
        3 if all.ordered == [false; 2] => refuse(
            short,
            "three numbers in each line, and neither rows nor columns in order: say --layout triples (row, column, value), edges (of a graph, with weights), arcs or dense",
        ),
        3 if matches!(all.sides, [true, false, false] | [false, false, true]) => refuse(
            short,
            "three numbers in each line, all on one side of the diagonal: say --layout triples (row, column, value) or edges (of a graph, with weights)",
        ),
        3 => triples(text, table, all, options),
        _ => Ok(Decision::Dense(0)),
    }
}

/// The size in a first line `rows cols count` that is right about the others.
fn sized(head: &[Option<u64>], rest: &Survey, base: Option<Base>) -> Option<Shape> {
    let &[Some(rows), Some(cols), Some(count)] = head else { return None };
    let numbers = rest.most.0.checked_sub(2).filter(|&numbers| numbers <= 1)?;
    let uniform = rest.least.0 == rest.most.0 && rest.no_index.is_none() && rest.lines == count;
    let fits = |first: u64| {
        let fit = |side: usize, size: u64| rest.least_index[side] >= first && rest.most_index[side] < size + first;
        fit(0, rows) && fit(1, cols)
    };
    let first = match base {
        Some(base) => Some(base.first()).filter(|&first| fits(first)),
        None => [1, 0].into_iter().find(|&first| fits(first)),
    }?;
    let small = rows.max(cols) <= u64::from(u32::MAX);
    (uniform && small && count > 0).then_some(Shape { rows, cols, first, numbers, skip: 1 })
}

/// Whether the first line is `rows cols` of the other lines.
fn sized_rows(head: &[Option<u64>], rest: &Survey) -> bool {
    let cols = rest.most.0 as u64;
    head == [Some(rest.lines), Some(cols)] && rest.least.0 == rest.most.0 && (cols != 2 || rest.lines == 0)
}

/// Triples whose size is that of the largest row and column.
fn triples(text: &Text<'_>, table: &Table<'_>, all: &Survey, options: &ReadOptions) -> Result<Decision> {
    let ((least, short), (most, _)) = (all.least, all.most);
    if least != most || !(2..=3).contains(&most) {
        let line = if least < 2 || least != most && most == 3 { short } else { all.most.1 };
        let found = if line == short { least } else { most };
        return Err(text.error(
            line,
            format!("expected row, column and value, or row and column in each line, found {found} fields"),
        ));
    }
    if let Some(line) = all.no_index {
        return Err(text.error(line, "expected a row and a column, two natural numbers, at the beginning of the line"));
    }
    let first = first_number(text, all, options, ["row", "column"])?;
    let [rows, cols] = all.most_index.map(|most| most.saturating_add(1).saturating_sub(first));
    let large = |index: &u64| index.saturating_add(1).saturating_sub(first) > u64::from(u32::MAX);
    if large(&all.most_index[0].max(all.most_index[1])) {
        let is_large = |(_, line): &(u64, &[u8])| fields(line).take(2).filter_map(natural).any(|index| large(&index));
        let line = table.lines().find(is_large).map_or(0, |(number, _)| number);
        return Err(text.error(line, format!("expected rows and columns up to {}", u64::from(u32::MAX) - 1 + first)));
    }
    Ok(Decision::Triples(Shape { rows, cols, first, numbers: most - 2, skip: 0 }))
}

/// Where the rows and columns, or vertices, count from.
pub(super) fn first_number(text: &Text<'_>, all: &Survey, options: &ReadOptions, what: [&str; 2]) -> Result<u64> {
    match (options.base, all.least_index) {
        (Some(base), _) => Ok(base.first()),
        (None, [0, _] | [_, 0]) => Ok(0),
        (None, [1, _] | [_, 1]) => Ok(1),
        (None, [row, column]) => Err(ambiguous(text, [row, column], what)),
    }
}

fn ambiguous(text: &Text<'_>, [row, column]: [u64; 2], [what, other]: [&str; 2]) -> Error {
    let least = match what == other {
        true => format!("the smallest {what} is {}", row.min(column)),
        false => format!("the smallest {what} is {row}, the smallest {other} {column}"),
    };
    text.error(1, format!("{least}: they may count from 0 or from 1, say --base 0 or --base 1"))
}
