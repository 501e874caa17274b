//! `blackfield tune FILE --report OUT.html`: what was measured and planned, on one page.

use super::contest::Contest;
use super::contestants::Contestant;
use crate::args::TuneArgs;
use crate::page::svg::{Kind, Line, lines};
use crate::page::units::{bytes, count, digits};
use crate::page::{Card, Cell, bars, cards, escaped, foot, page, picture, table, tiles};
use crate::progress::Bars;
use blackfield::Result;
use blackfield::cost::Machine;
use blackfield::sparse::{SparseMatrix, Triplets, spy};
use blackfield::tune::method_costs;
use blackfield::words::counted;
use std::path::Path;

/// Pixels of the longer side of the picture.
const PICTURE: usize = 600;

/// Writes the page about a matrix, as integers and mod p.
pub fn write(
    to: &Path,
    args: &TuneArgs,
    integers: &Triplets,
    matrix: &SparseMatrix,
    machine: &Machine,
    contest: &Contest,
    bars: &Bars,
) -> Result<()> {
    let name = args.file.as_deref().and_then(Path::file_name).unwrap_or("-".as_ref()).to_string_lossy().into_owned();
    let costs = method_costs(matrix, machine, bars)?;
    bars.clear();
    let chosen = contest.chosen_plan();
    let prices = if *machine == Machine::default() { "built-in prices" } else { "prices of a profile" };
    let card = |heading, half, body| Card { heading, body, half };
    let cards = [
        card("The matrix", false, facts(integers, matrix, contest)),
        card("Products by format and block width", false, rates(contest)),
        card("The chosen plan by threads", true, scaling(contest)),
        card("The chosen plan", true, cards::plan(chosen)),
        card("What each method is predicted to cost", false, cards::methods(&costs, prices)),
    ];
    let title = format!("{name} mod {}", args.modulus);
    crate::page::write(to, &page(&title, &verdict(contest), &cards, &foot(contest.threads)))
}

/// What was found, in a line of HTML.
fn verdict(contest: &Contest) -> String {
    let k = contest.scaling_index();
    let (width, best) = (contest.contestants.widths[k], contest.best(k));
    let floor = format!("{:.0} % of the floor", 100.0 * contest.chosen(k) / contest.floor(k));
    let chosen = digits(contest.chosen(k));
    let against = match contest.share(k) {
        share if share >= 1.0 => "the fastest of all plans timed".to_string(),
        share => format!("{:.0} % of the fastest, {} with {}", 100.0 * share, escaped(best.name()), digits(best.rate)),
    };
    format!("With {} the chosen plan makes <b>{chosen} GMAC/s</b>: {against}, {floor}.", counted(width, "vector"))
}

/// The picture, and numbers beside it.
fn facts(integers: &Triplets, matrix: &SparseMatrix, contest: &Contest) -> String {
    let (rows, cols, nnz) = (matrix.rows(), matrix.cols(), matrix.nnz());
    let units = 100.0 * (nnz - matrix.valued()) as f64 / nnz.max(1) as f64;
    let chosen = contest.chosen_plan();
    let numbers = tiles(&[
        ("rows", count(rows)),
        ("columns", count(cols)),
        ("non-zeros", count(nnz)),
        ("in a row, on average", digits(nnz as f64 / rows.max(1) as f64)),
        ("equal to ±1", format!("{} %", digits(units))),
        ("the chosen plan takes", bytes(chosen.bytes() as f64)),
        ("a residue takes", format!("{} bits", 8 * chosen.lane.bytes())),
        ("memory, one thread", format!("{} GB/s", digits(contest.bandwidth.one / 1e9))),
        ("memory, all threads", format!("{} GB/s", digits(contest.bandwidth.all / 1e9))),
    ]);
    format!(
        "<div class=\"beside\"><figure>{}<figcaption>where the non-zeros are</figcaption></figure>\n{numbers}</div>",
        picture(&spy(integers, PICTURE), "the pattern of the non-zeros")
    )
}

/// The rates as a chart and a table, with what bounds them.
fn rates(contest: &Contest) -> String {
    let widths: Vec<String> = contest.contestants.widths.iter().map(usize::to_string).collect();
    let names = ["floor: bytes", "floor: operations"];
    let all = &contest.contestants;
    let timed = all.iter().enumerate().filter_map(|(k, c)| Some((k, &c.name, all.rates(c)?)));
    let kind = |k: usize| if k == 0 { Kind::Chosen } else { Kind::Other };
    let measured = timed.map(|(k, name, rates)| Line { name, values: rates, kind: kind(k) });
    let floors = names.into_iter().zip(&contest.floors);
    let floors = floors.map(|(name, rates)| Line { name, values: rates.clone(), kind: Kind::Bound });
    let all: Vec<Line> = measured.chain(floors).collect();
    let headings: Vec<String> = ["plan", "size"].map(String::from).into_iter().chain(widths.iter().cloned()).collect();
    let best: Vec<f64> = (0..widths.len()).map(|k| contest.best(k).rate).collect();
    let row = |contestant: &Contestant| {
        let size = [Cell::of(&contestant.name), Cell::of(bytes(contest.plan_of(contestant).bytes() as f64))];
        let cell = |k: usize, rate: f64| {
            let share = rate / best[k];
            Cell { words: digits(rate), shade: share * share, best: share >= 1.0 }
        };
        let rates: Vec<Cell> = match contest.contestants.rates(contestant) {
            Some(rates) => rates.iter().enumerate().map(|(k, &rate)| cell(k, rate)).collect(),
            None => widths.iter().map(|_| Cell::of("too large")).collect(),
        };
        size.into_iter().chain(rates).collect::<Vec<Cell>>()
    };
    let mut rows: Vec<_> = contest.contestants.iter().map(row).collect();
    let last = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells = (0..widths.len()).map(|k| Cell::of(cell(k)));
        [Cell::of(name), Cell::of("")].into_iter().chain(cells).collect::<Vec<Cell>>()
    };
    for (name, rates) in names.into_iter().zip(&contest.floors) {
        rows.push(last(name, &|k| digits(rates[k])));
    }
    rows.push(last("fastest", &|k| contest.best(k).name()));
    rows.push(last("chosen / fastest", &|k| format!("{:.0} %", 100.0 * contest.share(k))));
    format!(
        "<p>GMAC/s are 10<sup>9</sup> multiply-adds a second, of A·X and of A<sup>T</sup>·Y in turn. Shaded is what no \
         product reaches: its operations take that long where nothing waits for memory, and its bytes that long through \
         the memory, unless a cache holds them.</p>\n\
         {}{}",
        lines("GMAC/s by block width", "vectors in the block", "GMAC/s", &widths, &all),
        table(&headings, &rows, 3)
    )
}

fn scaling(contest: &Contest) -> String {
    format!(
        "<p>With {}; dashed: in proportion to the threads.</p>\n{}",
        counted(contest.scaling_width, "vector"),
        bars::upright("GMAC/s by threads", "threads", "GMAC/s", &contest.scaling)
    )
}
