//! `blackfield --version --verbose`: what this build is, and what it finds on this machine.

use blackfield::gpu;
use blackfield::isa::Isa;
use blackfield::tune::Fingerprint;
use std::fmt::{Display, Write};

/// The features of this build, in the order of `Cargo.toml`.
const FEATURES: [(&str, bool); 9] = [
    ("cli", cfg!(feature = "cli")),
    ("archives", cfg!(feature = "archives")),
    ("cuda", cfg!(feature = "cuda")),
    ("fft", cfg!(feature = "fft")),
    ("graphml", cfg!(feature = "graphml")),
    ("gzip", cfg!(feature = "gzip")),
    ("png", cfg!(feature = "png")),
    ("serde", cfg!(feature = "serde")),
    ("sprs", cfg!(feature = "sprs")),
];

/// A fact a line.
pub fn described() -> String {
    let mut text = format!("blackfield {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, fact: &dyn Display| {
        // A string takes every write.
        let _ = writeln!(text, "{name:<13} {fact}");
    };
    line("commit", &if env!("BLACKFIELD_COMMIT").is_empty() { "not known" } else { env!("BLACKFIELD_COMMIT") });
    let profile = if cfg!(debug_assertions) { "with" } else { "without" };
    line("build", &format!("for {}, {profile} assertions", env!("BLACKFIELD_TARGET")));
    let features: Vec<&str> = FEATURES.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect();
    line("features", &features.join(" "));
    let here = Fingerprint::here();
    if !here.processor.is_empty() {
        line("processor", &here.processor);
    }
    let found = ["portable".to_string()].into_iter().chain(here.instructions).collect::<Vec<_>>().join(" ");
    line("instructions", &format!("{found}; {} is used", Isa::best().name()));
    line("CUDA driver", &found_or_not(gpu::driver_version().map(|version| format!("for CUDA {version}"))));
    match gpu::devices() {
        Ok(devices) if devices.is_empty() => line("CUDA devices", &"none"),
        Ok(devices) => devices.iter().for_each(|device| line("CUDA device", device)),
        Err(_) => {}
    }
    line("NVRTC", &found_or_not(gpu::compiler_version()));
    text
}

/// What was found, or why not.
fn found_or_not(found: blackfield::Result<String>) -> String {
    found.unwrap_or_else(|error| format!("not found: {error}"))
}

/// Whether the words of a command line, of which one is `--version`, also ask for all of it.
pub fn is_verbose(words: impl Iterator<Item = String>) -> bool {
    let mut words = words.take_while(|word| word != "--");
    words.any(|word| {
        let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        word == "--verbose" || letters.is_some_and(|letters| letters.contains('v'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_verbose() {
        let is = |words: &str| is_verbose(words.split(' ').map(String::from));
        assert!(is("--version --verbose") && is("-V -v") && is("-Vv") && is("-v -V"));
        assert!(!is("--version") && !is("-V") && !is("-V -- -v"));
    }
}
