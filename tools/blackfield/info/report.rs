//! `blackfield info FILE --report OUT.html`: a matrix and the way to its rank, on one page.

use super::{Info, text};
use crate::page::units::{bytes, count, digits, seconds};
use crate::page::{self, Card, Cell, cards, escaped, foot, table, tiles};
use crate::picture;
use crate::progress::Bars;
use blackfield::Result;
use blackfield::answers::RankPlan;
use blackfield::cost::Machine;
use blackfield::matching::{BlockForm, Blocks};
use blackfield::sparse::{SparseMatrix, Triplets};
use blackfield::tune::method_costs;
use std::path::Path;

/// Pixels of the longer side of the pattern.
const PATTERN: usize = 400;
/// Steps that are told.
const TOLD: usize = 20;

/// Writes the page about a matrix, as integers and mod p.
pub fn write(
    to: &Path,
    info: &Info,
    name: &str,
    integers: &Triplets,
    matrix: &SparseMatrix,
    machine: &Machine,
    bars: &Bars,
) -> Result<()> {
    let card = |heading, half, body| Card { heading, body, half };
    let mut all = vec![
        card("Where the non-zeros are", true, picture::spy(integers, name, PATTERN).inline()),
        card("The matrix", true, facts(info)),
        card("The way to its rank", false, way(&info.rank_plan)),
        card("Entries a row and a column", false, picture::weights(&info.statistics, name).inline()),
        card("Block triangular form", false, blocks(&info.blocks)),
    ];
    if matrix.nnz() > 0 {
        let costs = method_costs(matrix, machine, bars)?;
        bars.clear();
        let prices = if *machine == Machine::default() { "built-in prices" } else { "prices of a profile" };
        all.push(card("What each method is predicted to cost", false, cards::methods(&costs, prices)));
        all.push(card("Products with the matrix itself", false, cards::plan(&info.plan)));
    }
    let title = format!("{name} mod {}", info.modulus);
    page::write(to, &page::page(&title, &lead(&info.rank_plan), &all, &foot(rayon::current_num_threads())))
}

/// What is to be expected, in a line of HTML.
fn lead(plan: &RankPlan) -> String {
    match plan.next.last() {
        None => "Its rank is found at once, and proven.".into(),
        Some(step) => format!(
            "What is left of the way to its rank is predicted to take at most <b>{}</b> of one thread and <b>{}</b>, by <b>{}</b>.",
            seconds(plan.seconds),
            bytes(plan.bytes as f64),
            escaped(step.name)
        ),
    }
}

fn facts(info: &Info) -> String {
    let of = &info.statistics;
    let units = 100.0 * (of.values.plus_one + of.values.minus_one);
    let symmetry = match () {
        () if of.structure.symmetric => "symmetric",
        () if of.structure.skew_symmetric => "skew-symmetric",
        () if of.structure.pattern_symmetric => "in its pattern",
        () => "none",
    };
    tiles(&[
        ("rows", count(of.rows)),
        ("columns", count(of.cols)),
        ("non-zeros", count(of.nnz)),
        ("structural rank", count(info.blocks.structural_rank)),
        ("in a row, on average", digits(of.row_weights.mean)),
        ("equal to ±1", format!("{} %", digits(units))),
        ("different values", count(of.values.distinct)),
        ("digits of the largest", count(of.values.digits)),
        ("empty rows, columns", format!("{}, {}", count(of.row_weights.empty), count(of.col_weights.empty))),
        ("connected components", count(of.structure.components)),
        ("repeated rows", count(of.structure.duplicate_rows)),
        ("symmetry", symmetry.into()),
    ])
}

/// The steps, those that were made for the plan first.
fn way(plan: &RankPlan) -> String {
    let made = plan.made.iter().map(|step| {
        format!("<li><b>{}</b>, made in {}: {}</li>\n", escaped(step.name), seconds(step.seconds), escaped(&step.found))
    });
    let next = plan.next.iter().map(|step| {
        let words = text::planned(step);
        let why = words.split_once(": ").map_or("", |(_, why)| why);
        format!("<li><b>{}</b>, planned: {}</li>\n", escaped(step.name), escaped(why))
    });
    let mut steps: Vec<String> = made.chain(next).collect();
    let more = steps.len().saturating_sub(TOLD);
    steps.truncate(TOLD);
    if more > 0 {
        steps.push(format!("<li>and {more} more</li>\n"));
    }
    let end = match plan.next.is_empty() {
        true => "Nothing is left to do: the rank is proven.".to_string(),
        false => format!("What is planned: {}.", escaped(text::certainty(plan))),
    };
    format!("<ol>\n{}</ol>\n<p>{end}</p>", steps.concat())
}

/// The parts of the form, and the sizes of its blocks.
fn blocks(form: &BlockForm) -> String {
    let headings = ["part", "rows", "columns", "blocks"].map(String::from);
    let row = |name: &str, part: &Blocks| {
        let numbers = [part.rows, part.cols, part.blocks].map(|n| Cell::of(count(n)));
        std::iter::once(Cell::of(name)).chain(numbers).collect::<Vec<Cell>>()
    };
    let rows = [
        row("horizontal: more columns than rows", &form.horizontal),
        row("square: perfectly matched", &form.square),
        row("vertical: more rows than columns", &form.vertical),
    ];
    let square = text::of_sizes(form.square.blocks, "irreducible block", &form.square_sizes);
    let strong = form.strong_components.as_ref().map_or(String::new(), |strong| {
        let words = text::of_sizes(strong.components, "strongly connected component", &strong.sizes);
        format!("<li>the directed graph has {}</li>\n", escaped(words))
    });
    format!(
        "<p>After permutations of rows and columns (Dulmage and Mendelsohn) all entries lie in or above these blocks; the \
         structural rank {} bounds the rank over every field.</p>\n{}<ul>\n{}{strong}</ul>",
        count(form.structural_rank),
        table(&headings, &rows, 0),
        format_args!("<li>the square part has {}</li>\n", escaped(square))
    )
}
