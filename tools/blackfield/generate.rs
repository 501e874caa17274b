//! `blackfield generate NAME -o FILE`: a matrix of a known family by name; `blackfield generate --complex NAME -o DIR`:
//! all boundary matrices of a complex.

use crate::args::{FileFormat, GenerateArgs};
use crate::output::{self, MatrixFile};
use crate::progress::Bars;
use blackfield::{Error, Result, families};
use std::path::Path;

/// Writes the matrix or the complex, or lists the families.
pub fn run(args: &GenerateArgs, bars: &Bars) -> Result<()> {
    // clap demands both together, unless --list is there.
    let (Some(name), Some(file)) = (&args.name, &args.output) else { return output::print(&listing()) };
    if args.complex {
        return write_complex(name, file, args.to, bars);
    }
    let output = MatrixFile::resolve(file, args.to)?;
    let triplets = families::generate(name)?;
    bars.note(&format!("{name}: {} x {}, {} non-zeros", triplets.rows(), triplets.cols(), triplets.nnz()));
    output.write(&triplets, bars)
}

/// Writes D1, D2, … into a folder, under names that sort as the degrees do.
fn write_complex(name: &str, folder: &Path, to: Option<FileFormat>, bars: &Bars) -> Result<()> {
    if folder.as_os_str() == "-" {
        return Err(Error::Usage("a complex is several matrices: name a folder".into()));
    }
    let complex = families::complex(name)?;
    std::fs::create_dir_all(folder).map_err(|source| Error::Io { file: folder.to_path_buf(), source })?;
    let boundaries = complex.boundaries();
    let digits = boundaries.len().to_string().len();
    let suffix = if to == Some(FileFormat::Mtx) { "mtx" } else { "sms" };
    for (degree, d) in (1..).zip(boundaries) {
        let file = folder.join(format!("d{degree:0digits$}.{suffix}.gz"));
        bars.note(&format!("{}: {} x {}, {} non-zeros", file.display(), d.rows(), d.cols(), d.nnz()));
        MatrixFile::resolve(&file, to)?.write(d, bars)?;
    }
    Ok(())
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
