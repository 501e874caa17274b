//! What the phases of the library count: each bar has the unit of its phase.

/// What a phase without a line below counts.
const UNNAMED: &str = "steps of it";

/// The unit of a phase, in the plural; empty for a phase whose work is not counted.
pub fn unit(phase: &str) -> &'static str {
    match phase {
        "read" => "bytes",
        "write" => "entries",
        "reduce"
        | "sort"
        | "flush"
        | "search for an order"
        | "reductions"
        | "replay"
        | "choice of rows"
        | "factors"
        | "transpose"
        | "contradiction"
        | "product"
        | "least common multiple"
        | "digest"
        | "drawn lines"
        | "structural pivots"
        | "components"
        | "matching"
        | "shared parts"
        | "proof"
        | "substitution"
        | "plan"
        | "σ-basis checked"
        | "determinant"
        | "invariant factors" => "",
        "sparse elimination" => "pivots",
        "elimination"
        | "co-degree"
        | "dense elimination"
        | "Schur complement"
        | "Schur complement over Z"
        | "elimination mod N" => "rows",
        "powers" => "blocks of vectors",
        "row space" | "sketch" => "of the rank",
        "numerators" => "coordinates",
        "columns of the complement" | "inverse mod p" | "integral inverse" | "Hessenberg form" => "columns",
        "null space"
        | "null vectors"
        | "null vectors over the integers"
        | "large null vectors"
        | "annihilation"
        | "solutions"
        | "fractions" => "vectors",
        "sequence" | "evaluation" | "relations" | "σ-basis" => "terms",
        "interpolation" => "points",
        "Lanczos" => "steps",
        "certificate" | "minor" => "lines",
        "minors" => "minors",
        "units" => "units",
        "digits" | "p-adic lifting" => "digits",
        "primes"
        | "residues"
        | "determinants mod p"
        | "determinants mod primes"
        | "Pfaffians mod primes"
        | "determinant of a minor"
        | "rook"
        | "low-rank"
        | "kasteleyn"
        | "frontier mod p" => "primes",
        "frontier" => "steps",
        "permanent" => "chunks",
        "parts" => "parts",
        "dense components" => "components",
        "check" => "right sides",
        "verify" => "claims",
        "faces" => "dimensions",
        "boundary of boundary" => "boundaries",
        "prices" | "products" | "bench" | "ranks, one on each GPU" => "",
        _ => UNNAMED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};

    fn sources(folder: &Path, to: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                sources(&entry, to);
            } else if entry.extension().is_some_and(|end| end == "rs") {
                to.push(entry);
            }
        }
    }

    /// Every phase that library or program name has a unit here, or none on purpose.
    #[test]
    fn every_phase_of_the_library_has_its_unit() {
        let (mut files, mut phases) = (vec![], 0);
        for folder in ["src", "tools/blackfield"] {
            sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
        }
        for file in files.iter().filter(|file| !file.ends_with("units.rs")) {
            let text = std::fs::read_to_string(file).unwrap();
            let named = [".phase(\"", ".shown(\""].map(|call| text.match_indices(call).collect::<Vec<_>>()).concat();
            for (at, call) in named {
                let name = text[at + call.len()..].split('"').next().unwrap();
                phases += 1;
                assert_ne!(unit(name), UNNAMED, "{}: the phase {name:?} has no unit", file.display());
            }
        }
        assert!(phases > 30, "{phases} phases");
    }
}
