//! Reading and writing matrix files: [`read()`] accepts any of the formats below, plain or packed, from a file or
//! standard input, and returns canonical integer [`Triplets`](crate::sparse::Triplets); [`write()`] writes them.
//!
//! The format is determined by a file's *content*, never by its name:
//!
//! | format | recognised by | module |
//! | --- | --- | --- |
//! | gzip, xz, bzip2, Zstandard, tar, zip (of any other) | first bytes | `packing` |
//! | NumPy's `.npy` and `.npz`, SciPy's sparse `.npz`, MATLAB's `.mat` | first bytes, members | `arrays` |
//! | MatrixMarket | `%%MatrixMarket` | `matrix_market` |
//! | SMS | first line `rows cols M` | `sms` |
//! | Harwell–Boeing, Rutherford–Boeing | type and Fortran formats in lines 3 and 4 | `harwell_boeing` |
//! | graphs: graph6, sparse6, digraph6, DIMACS, networkx's JSON, GraphML | see there | `graph` |
//! | binary matrices of CADO-NFS | counts that lead to the end of the file | `cado` |
//! | matrices as PARI, Sage, Magma, GAP, Maple, Mathematica and others print them | brackets | `literal` |
//! | tables: triples, dense matrices, edge lists, adjacency lists | lines of numbers | `table` |
//!
//! Text may be in UTF-8 or UTF-16, with or without a byte order mark (`encoding`). What could be two things is
//! refused, naming the option that decides ([`Base`], [`Layout`]); other known files, with a command that converts
//! them. Formats without a header of sizes are held as a whole while they are read. `docs/formats.md` has an example of
//! each.
//!
//! Values are read exactly: integers of any size, decimals if they are integers, and, by [`read_rational`], fractions
//! `a/b`: the matrix is then a [`RationalMatrix`](crate::sparse::RationalMatrix). Nothing is guessed: a file that
//! contradicts its header, or has a value without meaning mod p, is an [`Error::Input`](crate::Error::Input) with the
//! line, what was found, and what was expected. Files are memory-mapped and parsed in parallel, and pages that have
//! been read are released: reading takes little more memory than the triplets. Compressed files and pipes are parsed as
//! they stream in.

mod arrays;
mod atomic;
mod body;
mod buffer;
mod cado;
mod content;
mod decimal;
mod encoding;
mod entries;
mod foreign;
mod fortran;
mod fraction;
mod graph;
mod harwell_boeing;
mod header;
mod line;
mod lines;
mod literal;
mod map;
mod matrix_market;
mod options;
mod packing;
mod pointers;
mod read;
mod scan;
#[cfg(feature = "serde")]
mod sealed;
mod sms;
mod sniff;
mod source;
mod stream;
mod table;
mod text;
mod unfinished;
mod utf16;
mod vectors;
mod words;
mod write;

pub use atomic::AtomicFile;
pub use content::container;
pub(crate) use lines::for_each_line;
pub use options::{Base, Layout, ReadOptions};
pub use packing::Compression;
pub use read::{read, read_bytes, read_rational, read_rational_bytes};
#[cfg(feature = "serde")]
pub use sealed::{Seal, load as load_sealed};
pub use stream::{Encoding, SmsWriter};
pub use unfinished::unfinished_files;
pub use vectors::VectorFile;
pub use write::{EntryList, FileFormat, write, write_entries, write_rational, write_rational_to, write_to};

#[cfg(test)]
mod tests;
