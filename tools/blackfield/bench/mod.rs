//! `blackfield bench`: kernels of the library timed on made-up inputs, their answers checked.

mod algebra;
mod clock;
mod gpu;
mod products;
mod readers;

use crate::args::{BenchArgs, BenchDeviceName, BenchName};
use crate::output;
use crate::profile;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::field::Modulus;
use blackfield::isa::Isa;
use blackfield::{Error, Observer, Result};
use clap::ValueEnum;
use clock::{Clock, Timing};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The document of --json.
#[derive(Serialize)]
struct Bench {
    schema: Schema,
    modulus: Modulus,
    effort: &'static str,
    threads: usize,
    instructions: &'static str,
    profile: Option<PathBuf>,
    results: Vec<Timing>,
    seconds: f64,
    version: &'static str,
}

/// Times what is asked for, in the order of [`BenchName`].
pub fn run(args: &BenchArgs, bars: &Bars) -> Result<()> {
    let prices = profile::find(&args.profile, bars)?;
    let start = Instant::now();
    bars.phase("bench", 0);
    let mut clock = Clock::new(args.effort(), bars);
    let here = match args.device {
        BenchDeviceName::Cpu => BenchName::value_variants(),
        BenchDeviceName::Cuda if args.what.iter().any(|&name| name != BenchName::Products) => {
            return Err(Error::Usage("on a CUDA GPU only products can be timed".into()));
        }
        BenchDeviceName::Cuda => {
            gpu::time(&mut clock, args.modulus)?;
            &[]
        }
    };
    for name in here {
        if !args.what.is_empty() && !args.what.contains(name) {
            continue;
        }
        match name {
            BenchName::Products => products::time(&mut clock, args.modulus, &prices.machine)?,
            BenchName::Transforms => algebra::transforms(&mut clock)?,
            BenchName::Polynomials => algebra::polynomials(&mut clock, args.modulus, &prices.machine)?,
            BenchName::SigmaBasis => algebra::sigma_basis(&mut clock, args.modulus, &prices.machine)?,
            BenchName::Ranks => algebra::ranks(&mut clock, args.modulus, &prices.machine)?,
            BenchName::Readers => readers::time(&mut clock)?,
        }
    }
    bars.clear();
    let results = clock.timings;
    if !args.json {
        let lines: String = results.iter().map(Timing::line).collect();
        return output::print(&format!("{}{lines}", Timing::head()));
    }
    output::print_json(&Bench {
        schema: Schema::Bench,
        modulus: args.modulus,
        effort: if args.quick { "quick" } else { "full" },
        threads: rayon::current_num_threads(),
        instructions: Isa::best().name(),
        profile: prices.file,
        results,
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    })
}
