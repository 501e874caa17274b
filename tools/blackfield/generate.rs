//! `blackfield generate NAME -o FILE`: a matrix of a known family by name; `blackfield generate --complex NAME -o DIR`:
//! all boundary matrices of a complex.

use crate::args::{FileFormat, GenerateArgs};
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use crate::schema::Schema;
use blackfield::sparse::Triplets;
use blackfield::words::counted;
use blackfield::{Error, Result, families};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The document of what was made.
#[derive(Serialize)]
struct Made<'a> {
    schema: Schema,
    name: &'a str,
    complex: bool,
    output: String,
    matrices: Vec<Matrix>,
    seconds: f64,
    version: &'static str,
}

/// One of the matrices.
#[derive(Serialize)]
struct Matrix {
    file: String,
    rows: usize,
    cols: usize,
    nnz: usize,
}

/// The document of what can be made.
#[derive(Serialize)]
struct Catalogue {
    schema: Schema,
    families: Vec<Family>,
    complexes: Vec<Family>,
    version: &'static str,
}

/// Matrices or complexes of one kind.
#[derive(Serialize)]
struct Family {
    pattern: &'static str,
    about: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<&'static str>,
    example: &'static str,
}

/// Writes the matrix or the complex, or lists the families.
pub fn run(args: &GenerateArgs, bars: &Bars) -> Result<()> {
    let start = Instant::now();
    // clap demands both together, unless --list is there.
    let (Some(name), Some(file)) = (&args.name, &args.output) else {
        return if args.json { output::print_json(&catalogue()) } else { output::print(&listing()) };
    };
    output::check_leaves_stdout(args.json, file, "matrix")?;
    let matrices = match args.complex {
        true => write_complex(name, file, args.to, bars)?,
        false => {
            let output = MatrixFile::resolve(file, args.to)?;
            let triplets = families::generate(name)?;
            let made = told(name, file, &triplets, bars);
            output.write(&triplets, bars)?;
            vec![made]
        }
    };
    if !args.json {
        return Ok(());
    }
    output::print_json(&Made {
        schema: Schema::Generate,
        name,
        complex: args.complex,
        output: file.display().to_string(),
        matrices,
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// Says how large a matrix is that goes to `file`.
fn told(name: &str, file: &Path, matrix: &Triplets, bars: &Bars) -> Matrix {
    let (rows, cols, nnz) = (matrix.rows(), matrix.cols(), matrix.nnz());
    bars.note(&format!("{name}: {rows} x {cols}, {}", counted(nnz, "non-zero")));
    Matrix { file: file.display().to_string(), rows, cols, nnz }
}

/// Writes D1, D2, … into a folder, under names that sort as the degrees do.
fn write_complex(name: &str, folder: &Path, to: Option<FileFormat>, bars: &Bars) -> Result<Vec<Matrix>> {
    if folder.as_os_str() == "-" {
        return Err(Error::Usage("a complex is several matrices: name a folder".into()));
    }
    let complex = families::complex(name)?;
    output::make_folder(folder)?;
    let boundaries = complex.boundaries();
    let digits = boundaries.len().to_string().len();
    let suffix = match to {
        None | Some(FileFormat::Sms) => "sms.gz",
        Some(FileFormat::Mtx) => "mtx.gz",
        Some(FileFormat::Coo) => "coo.gz",
        Some(FileFormat::Npy) => "npy.gz",
        Some(FileFormat::Npz) => "npz",
    };
    let write = |(degree, d): (usize, &Triplets)| {
        let file = folder.join(format!("d{degree:0digits$}.{suffix}"));
        let made = told(&file.display().to_string(), &file, d, bars);
        MatrixFile::resolve(&file, to)?.write(d, bars)?;
        Ok(made)
    };
    (1..).zip(boundaries).map(write).collect()
}

fn catalogue() -> Catalogue {
    let matrix =
        |f: &families::Family| Family { pattern: f.pattern, about: f.about, size: Some(f.size), example: f.example };
    let complex =
        |f: &families::ComplexFamily| Family { pattern: f.pattern, about: f.about, size: None, example: f.example };
    Catalogue {
        schema: Schema::Generate,
        families: families::catalogue().iter().map(matrix).collect(),
        complexes: families::complex_catalogue().iter().map(complex).collect(),
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// One family after the other: its names, what it is, how large, an example; then those of complexes.
fn listing() -> String {
    let entry = |family: &families::Family| {
        format!("{}\n    {}\n    {}; such as {}\n", family.pattern, family.about, family.size, family.example)
    };
    let complex = |family: &families::ComplexFamily| {
        format!("{}\n    {}\n    such as {}\n", family.pattern, family.about, family.example)
    };
    let matrices: String = families::catalogue().iter().map(entry).collect();
    let complexes: String = families::complex_catalogue().iter().map(complex).collect();
    format!("{matrices}\nWith --complex, all boundary matrices of\n\n{complexes}")
}
