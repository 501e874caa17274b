//! `blackfield tune FILE --check`: what each step of a rank was predicted to take, and took.

use super::document;
use crate::args::TuneArgs;
use crate::progress::Bars;
use crate::{output, threads};
use blackfield::Result;
use blackfield::answers::{self, RankOptions};
use blackfield::cost::Machine;
use blackfield::sparse::SparseMatrix;
use std::fmt::Write;

/// Computes the rank by one thread, which predictions are for, and prints the steps.
pub fn run(args: &TuneArgs, matrix: &SparseMatrix, machine: Machine, bars: &Bars) -> Result<()> {
    let options = RankOptions::default().machine(machine);
    let found = threads::with(1, || answers::rank(matrix, &options, bars))??;
    bars.clear();
    if args.json {
        return document::print_steps(args, matrix, &found);
    }
    let mut text = format!("rank {} mod {} by one thread\n\n", found.rank, args.modulus);
    let mut line = |words: std::fmt::Arguments| writeln!(text, "{words}").expect("a string takes all text");
    line(format_args!("{:28} {:>12} {:>12} {:>22}", "step", "predicted s", "measured s", "predicted / measured"));
    for step in &found.path {
        let ratio = step.predicted.map_or("-".into(), |s| format!("{:.2}", s / step.seconds.max(1e-9)));
        let predicted = step.predicted.map_or("-".into(), |s| format!("{s:.6}"));
        line(format_args!("{:28} {predicted:>12} {:>12.6} {ratio:>22}", step.name, step.seconds));
    }
    line(format_args!("\n{:28} {:>12} {:>12}", "phase", "", "measured s"));
    for (name, seconds) in found.phases.iter() {
        line(format_args!("{name:28} {:>12} {seconds:>12.6}", ""));
    }
    output::print(&text)
}
