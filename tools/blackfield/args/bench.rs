//! `blackfield bench` on the command line.

use super::{Common, ProfileArgs, device, values};
use blackfield::field::Modulus;
use blackfield::gpu::Devices;
use blackfield::tune::Effort;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_long_help = BENCH_JSON)]
pub struct BenchArgs {
    /// What to time [default: everything]
    #[arg(value_name = "WHAT")]
    pub what: Vec<BenchName>,
    /// The modulus, a prime below 2^63 (transforms have their own)
    #[arg(short = 'p', long, value_name = "P", default_value = "65521", value_parser = values::modulus)]
    pub modulus: Modulus,
    /// Where: on CUDA GPUs sparse products and formats, dense products and ranks (on the first, by its own events),
    /// order bases (by the clock), links and sequences (on all that are named), the median of several runs
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = device::OF_BENCHES)]
    pub device: Devices,
    /// Small inputs and short runs: to see that everything works, not to measure
    #[arg(long)]
    pub quick: bool,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}

impl BenchArgs {
    /// How long to measure.
    pub fn effort(&self) -> Effort {
        if self.quick { Effort::Quick } else { Effort::Full }
    }
}

/// What can be timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchName {
    /// Sparse products, by format and block width
    Products,
    /// Number-theoretic transforms
    Transforms,
    /// Products of polynomial matrices, by method
    Polynomials,
    /// Order bases by PM-Basis
    SigmaBasis,
    /// Ranks of dense matrices
    Ranks,
    /// Products of dense matrices, on a CUDA GPU only
    Dense,
    /// Copies between CUDA GPUs, and to and from the host
    Links,
    /// Terms of block Wiedemann's sequence
    Sequences,
    /// Sparse products in each format, on a CUDA GPU only
    Formats,
    /// Readers of matrix files
    Readers,
}

const BENCH_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/bench/1\", modulus, effort: \"quick\" | \"full\",
   threads, instructions, profile: file or null,
   results: [{group, name, seconds, work, unit, rate, predicted, goal}],
   seconds, version}
seconds are those of the best run; work is counted in units, rate in units a
second: multiply-adds, points by levels, bytes. predicted is what the planner
predicts for one thread, and goal a rate to be reached by each thread (null
where there is none). A wrong answer ends the work with exit code 1.

Examples:
  blackfield bench
  blackfield bench products ranks -p 2147483647 --threads 1 --json
  blackfield bench products formats dense ranks --device cuda
  blackfield bench links sequences --device cuda:all";
