//! `blackfield tune --install`: the prices of this machine, measured and written.

use super::document;
use crate::args::TuneArgs;
use crate::progress::Bars;
use crate::{output, profile, threads};
use blackfield::tune::{Bandwidth, Fingerprint, Profile, bandwidth, calibrate};
use blackfield::{Error, Observer, Result};
use std::fmt::Write;
use std::path::Path;

/// Measures, writes the profile, and prints what was found.
pub fn run(args: &TuneArgs, bars: &Bars) -> Result<()> {
    let file = args.output.clone().or_else(profile::default_file);
    let file =
        file.ok_or_else(|| Error::Usage("no configuration directory is known: --output FILE says where".into()))?;
    output::check_leaves_stdout(args.json, &file, "profile")?;
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        output::make_folder(folder)?;
    }
    output::check_outputs(&[("--output", &Some(file.clone()))], &[])?;
    let here = Fingerprint::here();
    if args.quick {
        bars.warning("short runs on small inputs: these prices are for trying out, not for plans");
    }
    bars.note(&format!("measuring {}, {}", here.processor, here.isa));
    let memory = bandwidth(here.caches, args.effort())?;
    let measurements = threads::with(1, || calibrate(here.caches, args.effort(), bars))??;
    bars.clear();
    let found = Profile::new(memory, measurements);
    if file == Path::new("-") {
        return output::print(&found.to_toml());
    }
    found.write(&file)?;
    if args.json { document::print_machine(args, &found, &file) } else { output::print(&described(&found, &file)) }
}

/// The machine and its prices in lines.
fn described(found: &Profile, file: &Path) -> String {
    let mut text = String::new();
    let Profile { fingerprint: here, cores, bandwidth: Bandwidth { one, all }, measurements, .. } = found;
    let mut line = |words: std::fmt::Arguments| writeln!(text, "{words}").expect("a string takes all text");
    line(format_args!("processor     {} ({cores} cores, {})", here.processor, here.arch));
    line(format_args!("instructions  {} of {}", here.isa, here.instructions.join(" ")));
    line(format_args!("caches        {} {} {} bytes", here.caches.l1, here.caches.l2, here.caches.l3));
    line(format_args!("memory        {:.1} GB/s by one thread, {:.1} by all", one / 1e9, all / 1e9));
    line(format_args!("\n{:28} {:>12} {:>12} {:>8}", "price", "measured", "built in", "ratio"));
    for m in measurements {
        let ratio = m.value / m.built_in;
        line(format_args!("{:28} {:>12.3e} {:>12.3e} {ratio:>8.2}", m.price.to_string(), m.value, m.built_in));
    }
    line(format_args!("\nwritten to {}", file.display()));
    text
}
