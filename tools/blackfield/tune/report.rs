//! `blackfield tune FILE --report OUT.html`: what was measured and planned, on one page.

use super::contest::{Contest, Contestant};
use super::page::{escaped, page, picture, table};
use super::svg::{Line, chart};
use crate::args::TuneArgs;
use crate::progress::Bars;
use blackfield::cost::Machine;
use blackfield::io::AtomicFile;
use blackfield::sparse::{SparseMatrix, Triplets, spy};
use blackfield::tune::{Fingerprint, method_costs};
use blackfield::{Error, Result};
use std::io::Write;
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
    let name = args.file.as_deref().unwrap_or(Path::new("-")).display().to_string();
    let (rows, cols, nnz) = (matrix.rows(), matrix.cols(), matrix.nnz());
    let facts = format!(
        "{rows} x {cols} without empty lines, {nnz} non-zeros mod {}; {} thread(s) of {}, {}.",
        args.modulus,
        contest.threads,
        Fingerprint::here().processor,
        Fingerprint::here().isa
    );
    let costs: Vec<_> = method_costs(matrix, machine, bars)?
        .into_iter()
        .map(|cost| {
            let bytes = cost.bytes.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / 1e6));
            vec![cost.name.to_string(), cost.of, format!("{:.4}", cost.seconds), bytes]
        })
        .collect();
    bars.clear();
    let picture = picture(&spy(integers, PICTURE), "the pattern of the non-zeros");
    let sections = [
        ("The matrix", format!("<p>{}</p>\n{picture}", escaped(facts))),
        ("Products by format and block width", rates(contest)),
        ("Products by threads", scaling(contest)),
        ("The chosen plan", format!("<pre>{}</pre>", escaped(&contest.contestants[0].plan))),
        (
            "What each method is predicted to cost",
            format!(
                "<p>By one thread, if the rank is as large as it can be; S is what the structural pivots leave.</p>\n{}",
                table(&["method", "of", "seconds", "MB"], &costs)
            ),
        ),
    ];
    let io = |source| Error::Io { file: to.to_owned(), source };
    let mut file = AtomicFile::create(to)?;
    file.write_all(page(&format!("{name} mod {}", args.modulus), &sections).as_bytes()).map_err(io)?;
    file.finish()
}

/// The rates as a chart and a table, with what bounds them.
fn rates(contest: &Contest) -> String {
    let widths: Vec<String> = contest.widths.iter().map(usize::to_string).collect();
    let names = ["floor: bytes", "floor: operations"];
    let timed = contest.contestants.iter().filter_map(|c| Some((c.name.as_str(), c.rates.as_ref()?)));
    let measured = timed.map(|(name, rates)| Line { name, values: rates.clone(), dashed: false });
    let floors = names.into_iter().zip(&contest.floors);
    let floors = floors.map(|(name, rates)| Line { name, values: rates.clone(), dashed: true });
    let lines: Vec<Line> = measured.chain(floors).collect();
    let headings: Vec<&str> = ["plan", "MB"].into_iter().chain(widths.iter().map(String::as_str)).collect();
    let cells = |rates: &[f64]| rates.iter().map(|rate| format!("{rate:.3}")).collect::<Vec<_>>();
    let row = |Contestant { name, plan, rates }: &Contestant| {
        let size = format!("{:.2}", plan.bytes() as f64 / 1e6);
        let rates = rates.as_ref().map_or(vec!["too large".into(); widths.len()], |rates| cells(rates));
        [vec![name.clone(), size], rates].concat()
    };
    let mut rows: Vec<_> = contest.contestants.iter().map(row).collect();
    let bounds = names.into_iter().zip(&contest.floors);
    rows.extend(bounds.map(|(name, rates)| [vec![name.into(), String::new()], cells(rates)].concat()));
    let shares = (0..widths.len()).map(|k| format!("{:.0} %", 100.0 * contest.share(k))).collect();
    rows.push([vec!["chosen / best".into(), String::new()], shares].concat());
    format!(
        "<p>GMAC/s: 10<sup>9</sup> multiply-adds a second. No product is faster than its bytes through the memory \
         ({:.1} GB/s by one thread, {:.1} by all) unless a cache holds them, nor than its operations where nothing waits \
         for memory.</p>\n{}{}",
        contest.bandwidth.one / 1e9,
        contest.bandwidth.all / 1e9,
        chart("GMAC/s by block width", "vectors", &widths, &lines),
        table(&headings, &rows)
    )
}

fn scaling(contest: &Contest) -> String {
    let threads: Vec<String> = contest.scaling.iter().map(|(count, _)| count.to_string()).collect();
    let values: Vec<f64> = contest.scaling.iter().map(|(_, rate)| *rate).collect();
    let linear = contest.scaling.iter().map(|(count, _)| *count as f64 * values[0]).collect();
    let lines =
        [Line { name: "chosen", values, dashed: false }, Line { name: "proportional", values: linear, dashed: true }];
    format!(
        "<p>The chosen plan with {} vectors, GMAC/s.</p>\n{}",
        contest.scaling_width,
        chart("GMAC/s by threads", "threads", &threads, &lines)
    )
}
