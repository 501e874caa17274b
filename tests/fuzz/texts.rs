//! Tables, literal matrices, graphs and binary matrices: whatever the bytes and the options, an answer or an error that
//! names a place in the file; the same from a compressed stream; and the matrix is the same after it is written.

use blackfield::io::{
    Base, Compression as Packed, FileFormat, Layout, ReadOptions, read_rational_bytes, write_rational_to,
};
use blackfield::sparse::RationalMatrix;
use blackfield::{Error, Silent};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;

const LAYOUTS: [Layout; 8] = [
    Layout::Triples,
    Layout::Dense,
    Layout::Edges,
    Layout::Arcs,
    Layout::Adjacency,
    Layout::Metis,
    Layout::Cado,
    Layout::CadoValues,
];

fn read(data: &[u8], options: &ReadOptions) -> Result<RationalMatrix, String> {
    read_rational_bytes(Path::new("input"), data, options, &Silent).map_err(|error| {
        match &error {
            Error::Input { line, message, .. } => {
                let lines = data.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
                let packed = data.starts_with(&[0x1f, 0x8b]);
                assert!(packed || *line <= lines, "line {line} of {lines}: {error}");
                assert!(*line > 0 || message.starts_with("byte "), "no place: {error}");
            }
            Error::Memory(_) => {}
            other => panic!("{other:?}"),
        }
        error.to_string()
    })
}

/// Without options, and with those that the bytes themselves choose.
pub fn texts(data: &[u8]) -> bool {
    let chosen = data.len() % 29;
    let base = [None, Some(Base::Zero), Some(Base::One)][chosen % 3];
    let layout = LAYOUTS.get(chosen % 10).copied();
    let wishes = ReadOptions::default().base(base).layout(layout).pattern(chosen > 20);
    let mut accepted = false;
    for options in [ReadOptions::default(), wishes] {
        let found = read(data, &options);
        if !data.starts_with(&[0x1f, 0x8b]) {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(data).expect("memory takes bytes");
            let streamed = read(&packer.finish().expect("memory takes bytes"), &options);
            assert_eq!(streamed.map(|a| a.digest()), found.as_ref().map(|a| a.digest()).map_err(Clone::clone));
        }
        let Ok(matrix) = found else { continue };
        accepted = true;
        let mut text = Vec::new();
        write_rational_to(&mut text, &matrix, FileFormat::Sms, Packed::None, &Silent).expect("memory takes bytes");
        assert!(read(&text, &ReadOptions::default()).as_ref() == Ok(&matrix), "written and read again");
    }
    accepted
}
