//! Pictures of a matrix with what is needed to read them: title, axes, numbers. As files, PNG or SVG by their names,
//! and within pages.

mod figure;
mod raster;
mod spy;
mod weights;

pub use figure::Figure;
pub use spy::spy;
pub use weights::weights;

use blackfield::io::AtomicFile;
use blackfield::{Error, Result};
use std::io::Write;
use std::path::Path;

/// Whether a name can be that of a picture.
///
/// # Errors
/// [`Error::Usage`] with the suffixes that can be written.
pub fn check(to: &Path) -> Result<()> {
    match suffix(to).as_str() {
        "png" | "svg" => Ok(()),
        _ => {
            Err(Error::Usage(format!("{}: pictures are PNG or SVG: a name with .png or .svg is needed", to.display())))
        }
    }
}

/// Writes a picture in the format that its name says.
///
/// # Errors
/// [`Error::Io`].
pub fn write(to: &Path, figure: &Figure) -> Result<()> {
    let bytes = if suffix(to) == "svg" { figure.svg().into_bytes() } else { figure.png() };
    let mut file = AtomicFile::create(to)?;
    file.write_all(&bytes).map_err(|source| Error::Io { file: to.to_owned(), source })?;
    file.finish()
}

fn suffix(name: &Path) -> String {
    name.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}
