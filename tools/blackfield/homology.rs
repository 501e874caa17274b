//! `blackfield homology FILE…`, `blackfield homology --facets FILE`: Betti numbers and torsion.

use crate::answer::{Grounds, Subject, Work};
use crate::args::HomologyArgs;
use crate::input;
use crate::memory;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::Result;
use blackfield::answers::{self, Coefficients, Group, Groups, Homology, HomologyOptions};
use blackfield::complexes::{ChainComplex, SimplicialComplex};
use blackfield::report::Certainty;
use blackfield::sparse::Triplets;
use blackfield::words::counted;
use serde::Serialize;
use std::path::Path;

/// The complex that was asked about.
#[derive(Serialize)]
struct Asked {
    files: Vec<String>,
    cells: Vec<usize>,
    lowest_degree: i64,
    nnz: Vec<usize>,
    cohomology: bool,
    reduced: bool,
    euler_characteristic: i64,
    digest: Option<String>,
}

impl Subject for Asked {
    fn name(&self) -> String {
        self.files.join(" ")
    }
}

/// The answer.
#[derive(Serialize)]
struct Found {
    coefficients: String,
    groups: Vec<ShownGroup>,
    over: Vec<Over>,
    pairs: usize,
}

/// The groups over some coefficients.
#[derive(Clone, Serialize)]
struct Over {
    coefficients: String,
    groups: Vec<ShownGroup>,
    reason: String,
    #[serde(flatten)]
    certainty: Certainty,
}

/// A group, torsion coefficients as digits.
#[derive(Clone, Serialize)]
struct ShownGroup {
    degree: i64,
    betti: usize,
    torsion: Vec<(String, usize)>,
}

/// Prints the groups.
pub fn run(args: &HomologyArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&args.files)?;
    let mut work = Work::begin(&args.answer, bars)?;
    let complex = load(args, &mut work)?;
    let complex = if args.reduced { complex.augmented()? } else { complex };
    let nnz: Vec<usize> = complex.boundaries().iter().map(Triplets::nnz).collect();
    // The integers twice, before and after clearing, in two 32-bit indices and a 64-bit value; a few flags a cell.
    let taken = 32 * nnz.iter().sum::<usize>() + 16 * complex.cells().iter().sum::<usize>();
    let left = memory::left_after(args.answer.max_memory, taken as u64, "the complex")?;
    let digest = args.answer.json.then(|| work.phases.shown("digest", work.bars, || complex.digest()));
    work.keep(|| complex.digest(), "homology")?;
    let options = HomologyOptions::default()
        .coefficients(coefficients(args))
        .cohomology(args.cohomology)
        .rank(work.options.clone().proven(args.proven).max_memory(left));
    let answer = answers::homology(&complex, &options, bars)?;
    work.phases.extend(&answer.phases);
    let asked = Asked {
        files: args.files.iter().chain(&args.facets).map(|file| file.display().to_string()).collect(),
        cells: complex.cells().to_vec(),
        lowest_degree: complex.lowest_degree(),
        nnz,
        cohomology: args.cohomology,
        reduced: args.reduced,
        euler_characteristic: complex.euler_characteristic(),
        digest,
    };
    let text = table(&complex, &answer.over);
    let names: Vec<String> = answer.over.iter().map(|groups| groups.coefficients.to_string()).collect();
    let what = if args.cohomology { "cohomology" } else { "homology" };
    let cells = complex.cells().iter().sum::<usize>();
    let words =
        format!("{what} over {}, {} of {} in pairs", names.join(", "), 2 * answer.pairs, counted(cells, "cell"));
    let (found, grounds) = found(answer);
    let document = work.end(Schema::Homology, asked, found, grounds);
    document.describe(&args.answer, bars, &words, &[]);
    match args.answer.json {
        true => output::print_json(&document),
        false => output::print(&text),
    }
}

/// Reads the complex.
fn load(args: &HomologyArgs, work: &mut Work<'_>) -> Result<ChainComplex> {
    if let Some(file) = &args.facets {
        let bars = work.bars;
        let complex = work.phases.time("read", || SimplicialComplex::read(file, bars))?;
        let limit = args.answer.max_memory.or_else(memory::of_machine);
        let complex = work.phases.time("faces", || complex.chain_complex(limit, bars))?;
        bars.clear();
        let cells: Vec<String> = complex.cells().iter().map(usize::to_string).collect();
        bars.note(&format!("{}: {} faces of each dimension", file.display(), cells.join(", ")));
        return Ok(complex);
    }
    let mut boundaries = Vec::with_capacity(args.files.len());
    for file in &args.files {
        let loaded = work.load(file, args.text)?;
        memory::check_lines(args.answer.max_memory, &loaded.triplets)?;
        boundaries.push(loaded.triplets);
    }
    let name = |file: &Path| file.display().to_string();
    ChainComplex::named(boundaries, args.files.iter().map(|file| name(file)).collect())
}

/// The integers if nothing else is asked for, or if they are, then the rationals and the fields.
fn coefficients(args: &HomologyArgs) -> Vec<Coefficients> {
    let integral = args.integral || !args.rational && args.moduli.is_empty();
    let first = [(integral, Coefficients::Integers), (args.rational, Coefficients::Rationals)];
    let first = first.into_iter().filter(|(asked, _)| *asked).map(|(_, coefficients)| coefficients);
    first.chain(args.moduli.iter().map(|&p| Coefficients::Field(p))).collect()
}

/// The answer as JSON shows it.
fn found(answer: Homology) -> (Found, Grounds) {
    let mut grounds = Grounds { path: vec![], reason: String::new(), certainty: Certainty::Proven };
    let mut over = Vec::with_capacity(answer.over.len());
    let mut reasons: Vec<String> = vec![];
    for groups in answer.over {
        // The pairs are the same for all.
        let skip = usize::from(!grounds.path.is_empty());
        grounds.path.extend(groups.path.into_iter().skip(skip));
        grounds.certainty = grounds.certainty.and(groups.certainty);
        if !reasons.contains(&groups.reason) {
            reasons.push(groups.reason.clone());
        }
        over.push(Over {
            coefficients: groups.coefficients.to_string(),
            groups: groups.groups.into_iter().map(shown).collect(),
            reason: groups.reason,
            certainty: groups.certainty,
        });
    }
    grounds.reason = reasons.join("; ");
    let Over { coefficients, groups, .. } = over[0].clone();
    (Found { coefficients, groups, over, pairs: answer.pairs }, grounds)
}

fn shown(group: Group) -> ShownGroup {
    let torsion = group.torsion.iter().map(|(d, count)| (d.to_string(), *count)).collect();
    ShownGroup { degree: group.degree, betti: group.betti, torsion }
}

/// One line for each degree: how many cells it has, and the groups.
fn table(complex: &ChainComplex, over: &[Groups]) -> String {
    let mut columns = vec![vec!["degree".to_string()], vec!["cells".to_string()]];
    for (k, group) in over[0].groups.iter().enumerate() {
        columns[0].push(group.degree.to_string());
        columns[1].push(complex.cells()[(group.degree - complex.lowest_degree()) as usize].to_string());
        debug_assert!(over.iter().all(|groups| groups.groups[k].degree == group.degree));
    }
    for groups in over {
        let entry = |group: &Group| match groups.coefficients {
            Coefficients::Integers => group.to_string(),
            _ => group.betti.to_string(),
        };
        let entries = groups.groups.iter().map(entry);
        columns.push(std::iter::once(groups.coefficients.to_string()).chain(entries).collect());
    }
    let width = |column: &Vec<String>| column.iter().map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let line = |row: usize| {
        let cells = columns.iter().zip(&widths).enumerate().map(|(k, (column, &width))| match k {
            0 | 1 => format!("{:>width$}", column[row]),
            _ => format!("{:<width$}", column[row]),
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    (0..columns[0].len()).map(line).collect()
}
