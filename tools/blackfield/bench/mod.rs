//! `blackfield bench`: kernels of the library timed on made-up inputs, their answers checked.

mod algebra;
mod clock;
mod gpu;
mod gpu_basis;
mod gpu_dense;
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

/// What can be timed on a CUDA GPU.
const ON_GPUS: [BenchName; 4] = [BenchName::Products, BenchName::Dense, BenchName::Ranks, BenchName::SigmaBasis];

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
        BenchDeviceName::Cuda if args.what.iter().any(|name| !ON_GPUS.contains(name)) => {
            return Err(Error::Usage(
                "on a CUDA GPU products, dense products, ranks and order bases can be timed".into(),
            ));
        }
        BenchDeviceName::Cuda => {
            let [products, dense, ranks, bases] = ON_GPUS.map(|name| args.what.is_empty() || args.what.contains(&name));
            if products {
                gpu::time(&mut clock, args.modulus)?;
            }
            gpu_dense::time(&mut clock, args.modulus, dense, ranks)?;
            if bases {
                gpu_basis::time(&mut clock, args.modulus)?;
            }
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
            BenchName::Dense if args.what.is_empty() => {}
            BenchName::Dense => {
                return Err(Error::Usage("dense products are timed on a CUDA GPU: --device cuda".into()));
            }
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
