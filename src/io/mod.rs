//! Matrix files in and out: [`read()`] takes any of the formats below, plain or gzipped, from a file or the standard
//! input, and gives canonical integer [`Triplets`](crate::sparse::Triplets); [`write()`] puts them back.
//!
//! What a file is, its *content* decides, never its name:
//!
//! | format | recognised by | module |
//! | --- | --- | --- |
//! | gzip (of any other, several members too) | bytes `1f 8b` | `text` |
//! | MatrixMarket | `%%MatrixMarket` | `matrix_market` |
//! | SMS | first line `rows cols M` | `sms` |
//! | Harwell–Boeing, Rutherford–Boeing | type and Fortran formats in lines 3 and 4 | `harwell_boeing` |
//!
//! Values are taken exactly: integers of any size, and decimals as far as they are integers. Nothing is guessed: a file
//! that contradicts its header, or has a value without meaning mod p, is an [`Error::Input`](crate::Error::Input) with
//! the line, what was found, and what was expected. Files are memory-mapped and parsed in parallel, and what was read
//! is given back to the system: reading takes little more memory than the triplets. Compressed files and pipes are
//! parsed while they stream in.

mod atomic;
mod body;
mod decimal;
mod fortran;
mod harwell_boeing;
mod header;
mod line;
mod map;
mod matrix_market;
mod options;
mod read;
mod scan;
#[cfg(feature = "serde")]
mod sealed;
mod sms;
mod text;
mod unfinished;
mod write;

pub use atomic::AtomicFile;
pub use options::ReadOptions;
pub use read::{read, read_bytes};
#[cfg(feature = "serde")]
pub use sealed::{Seal, load as load_sealed};
pub use unfinished::unfinished_files;
pub use write::{FileFormat, write, write_to};

#[cfg(test)]
mod tests;
