//! `blackfield bench`: kernels of the library timed on made-up inputs, their answers checked.

mod algebra;
mod clock;
mod gpu;
mod gpu_basis;
mod gpu_dense;
mod gpu_formats;
mod gpu_several;
mod products;
mod readers;
mod sequences;

use crate::args::{BenchArgs, BenchName};
use crate::output;
use crate::profile::{self, Prices};
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::field::Modulus;
use blackfield::gpu::{Devices, require_devices};
use blackfield::isa::Isa;
use blackfield::{Error, Observer, Result};
use clap::ValueEnum;
use clock::{Clock, Timing};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// What can be timed on a CUDA GPU.
const ON_GPUS: [BenchName; 7] = [
    BenchName::Products,
    BenchName::Formats,
    BenchName::Dense,
    BenchName::Ranks,
    BenchName::SigmaBasis,
    BenchName::Links,
    BenchName::Sequences,
];

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
    let interrupted = match time(&mut clock, args, &prices) {
        Ok(()) => false,
        // Lines that are done are told all the same; a document would seem to be whole.
        Err(Error::Interrupted) if !args.json && !clock.timings.is_empty() => true,
        Err(other) => return Err(other),
    };
    bars.clear();
    let results = clock.timings;
    if args.json {
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
        })?;
    } else {
        let lines: String = results.iter().map(Timing::line).collect();
        output::print(&format!("{}{lines}", Timing::head()))?;
    }
    if interrupted { Err(Error::Interrupted) } else { Ok(()) }
}

/// Times what is asked for where it is asked for.
fn time(clock: &mut Clock, args: &BenchArgs, prices: &Prices) -> Result<()> {
    let here = match args.device {
        Devices::Processor => BenchName::value_variants(),
        Devices::Auto => return Err(Error::Usage("a bench says where it is run: --device cpu or cuda".into())),
        _ if args.what.iter().any(|name| !ON_GPUS.contains(name)) => {
            let message =
                "on CUDA GPUs products, formats, dense products, ranks, order bases, links and sequences can be timed";
            return Err(Error::Usage(message.into()));
        }
        asked => return on_gpus(clock, args, asked),
    };
    for name in here {
        if !args.what.is_empty() && !args.what.contains(name) {
            continue;
        }
        match name {
            BenchName::Products => products::time(clock, args.modulus, &prices.machine)?,
            BenchName::Transforms => algebra::transforms(clock)?,
            BenchName::Polynomials => algebra::polynomials(clock, args.modulus, &prices.machine)?,
            BenchName::SigmaBasis => algebra::sigma_basis(clock, args.modulus, &prices.machine)?,
            BenchName::Ranks => algebra::ranks(clock, args.modulus, &prices.machine)?,
            BenchName::Dense | BenchName::Formats if args.what.is_empty() => {}
            BenchName::Dense | BenchName::Formats => {
                let message = "dense products and formats are timed on a CUDA GPU: --device cuda";
                return Err(Error::Usage(message.into()));
            }
            BenchName::Links if args.what.is_empty() => {}
            BenchName::Links => {
                return Err(Error::Usage("links are timed on CUDA GPUs: --device cuda:all".into()));
            }
            BenchName::Sequences => sequences::time(clock, args.modulus)?,
            BenchName::Readers => readers::time(clock)?,
        }
    }
    Ok(())
}

/// Products and order bases on the first of the GPUs, ranks, links and sequences on all of them.
fn on_gpus(clock: &mut Clock, args: &BenchArgs, asked: Devices) -> Result<()> {
    let devices = asked.first_or_named(require_devices()?)?;
    let [products, formats, dense, ranks, bases, links, sequences] =
        ON_GPUS.map(|name| args.what.is_empty() || args.what.contains(&name));
    if products {
        gpu::time(clock, &devices[0], args.modulus)?;
    }
    if formats {
        gpu_formats::time(clock, &devices[0], args.modulus)?;
    }
    if dense || ranks {
        gpu_dense::time(clock, &devices, args.modulus, dense, ranks)?;
    }
    if bases {
        gpu_basis::time(clock, &devices[0], args.modulus)?;
    }
    if links {
        gpu_several::links(clock, &devices)?;
    }
    if sequences {
        gpu_several::sequences(clock, &devices, args.modulus)?;
    }
    Ok(())
}
