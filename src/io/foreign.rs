//! Files that are not read: recognised, so that the message can say what they are, and one command that makes of them
//! what is read.

use super::text::quote;

/// A kind of file: the bytes that it begins with, what it is, and what to do.
type Known = (&'static [u8], &'static str, &'static str);

/// Compressed files and archives.
const PACKED: [Known; 10] = [
    (b"\x04\x22\x4d\x18", "compressed with lz4", "decompress it: lz4 -d FILE"),
    (b"LZIP", "compressed with lzip", "decompress it: lzip -dk FILE"),
    (b"\x1f\x9d", "compressed with compress (.Z)", "decompress it: gzip -dk FILE"),
    (b"\x5d\x00\x00", "compressed with LZMA (.lzma)", "decompress it: xz --format=lzma -dk FILE"),
    (b"\x89LZO", "compressed with lzop", "decompress it: lzop -d FILE"),
    (b"070701", "a cpio archive", "take the matrix out of it: cpio -i < FILE"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "take the matrix out of it: 7z x FILE"),
    (b"Rar!\x1a\x07", "a RAR archive", "take the matrix out of it: unrar x FILE"),
    (
        b"PAR1",
        "a Parquet table",
        "write it as text: python3 -c \"import pandas; pandas.read_parquet('FILE').to_csv('out.csv', index=False)\"",
    ),
    (
        b"ARROW1",
        "an Arrow table",
        "write it as text: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('out.csv', index=False)\"",
    ),
];

const TO_MTX: &str = "scipy.io.mmwrite('out.mtx', scipy.sparse.coo_array(A))";

/// Files of other programs that begin with fixed bytes.
const MAGIC: [Known; 20] = [
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Microsoft Office file",
        "save the sheet as CSV: soffice --headless --convert-to csv FILE",
    ),
    (b"%PDF-", "a PDF document", "download the matrix itself; for a table in it: pdftotext -layout FILE out.txt"),
    (b"%!PS", "a PostScript document", "download the matrix itself; for a table in it: ps2ascii FILE out.txt"),
    (b"{\\rtf", "a Rich Text document", "save it as plain text: soffice --headless --convert-to txt FILE"),
    (
        b"RDX2\n",
        "an R workspace",
        "Rscript -e 'load(\"FILE\"); Matrix::writeMM(A, \"out.mtx\")' with the name of the matrix for A",
    ),
    (
        b"RDX3\n",
        "an R workspace",
        "Rscript -e 'load(\"FILE\"); Matrix::writeMM(A, \"out.mtx\")' with the name of the matrix for A",
    ),
    (
        b"X\n\0\0\0",
        "an R object (.rds)",
        "Rscript -e 'Matrix::writeMM(Matrix::Matrix(readRDS(\"FILE\"), sparse = TRUE), \"out.mtx\")'",
    ),
    (
        b"A\n2\n",
        "an R object (.rds)",
        "Rscript -e 'Matrix::writeMM(Matrix::Matrix(readRDS(\"FILE\"), sparse = TRUE), \"out.mtx\")'",
    ),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        "write the table as text: sqlite3 -csv FILE 'select i, j, v from entries' > out.csv",
    ),
    (b"\x89PNG", "a PNG image", "download the matrix itself, not its picture"),
    (b"\xff\xd8\xff", "a JPEG image", "download the matrix itself, not its picture"),
    (b"GIF8", "a GIF image", "download the matrix itself, not its picture"),
    (b"\x7fELF", "a program", "give the matrix file"),
    (b"MZ\x90", "a program", "give the matrix file"),
    (
        b"\0\x12\x7b\x50",
        "a PETSc matrix",
        "python3 -c \"import PetscBinaryIO as P, scipy.io, scipy.sparse as s; (m, n), (p, j, v) = P.PetscBinaryIO().readBinaryFile('FILE')[0]; scipy.io.mmwrite('out.mtx', s.csr_array((v, j, p), (m, n)))\"",
    ),
    (
        b"x\x9c",
        "a compressed Sage object (.sobj)",
        "sage -c \"open('out.txt', 'w').write(str([list(r) for r in load('FILE')]))\"",
    ),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "fetch the file: git lfs pull"),
    (b"\xef\xbb\xbf<", "a web page or XML document", "download the matrix itself: curl -fL -o FILE URL"),
    (b"\xff\xfe\0\0", "a text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > out.txt"),
    (b"\0\0\xfe\xff", "a text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > out.txt"),
];

/// Texts of other programs, by the first words (in lower case) of their first line with content.
const TEXTS: [Known; 22] = [
    (b"<!doctype html", "a web page, not a matrix", "download the file again: curl -fL -o FILE URL"),
    (b"<html", "a web page, not a matrix", "download the file again: curl -fL -o FILE URL"),
    (
        b"<gexf",
        "a graph in GEXF",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_gexf('FILE'), 'out.graphml')\"",
    ),
    (
        b"<graphml",
        "a graph in GraphML, without the feature `graphml`",
        "build blackfield with it: cargo install blackfield --features graphml",
    ),
    (b"<", "an XML document of an unknown form", "of graphs, GraphML is read: write it in this form"),
    (
        b"graph [",
        "a graph in GML",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_gml('FILE'), 'out.graphml')\"",
    ),
    (
        b"creator",
        "a graph in GML",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_gml('FILE'), 'out.graphml')\"",
    ),
    (
        b"*vertices",
        "a graph of Pajek",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_pajek('FILE'), 'out.graphml')\"",
    ),
    (
        b"graph {",
        "a graph of Graphviz",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.nx_agraph.read_dot('FILE'), 'out.graphml')\"",
    ),
    (
        b"strict graph",
        "a graph of Graphviz",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.nx_agraph.read_dot('FILE'), 'out.graphml')\"",
    ),
    (
        b"digraph",
        "a graph of Graphviz",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.nx_agraph.read_dot('FILE'), 'out.graphml')\"",
    ),
    (b"function", "a MATLAB program", "run it, and write its matrix: mmwrite('out.mtx', A)"),
    (b"import ", "a Python program", "run it, and write its matrix: scipy.io.mmwrite('out.mtx', A)"),
    (b"from ", "a Python program", "run it, and write its matrix: scipy.io.mmwrite('out.mtx', A)"),
    (b"\\documentclass", "a LaTeX document", "write the rows of its matrix, a row in each line"),
    (b"\\begin{", "a LaTeX document", "write the rows of its matrix, a row in each line"),
    (b"p cnf", "a formula in conjunctive normal form (DIMACS)", "DIMACS graphs are read: \"p edge n m\""),
    (
        b"rows",
        "a linear program (MPS)",
        "glpsol --freemps FILE --wlp out.lp shows its rows; write its matrix as triples",
    ),
    (b"name ", "a linear program (MPS)", "write its matrix as triples: row, column, value in each line"),
    (
        b"{",
        "JSON or a dictionary of an unknown form",
        "expected a graph of networkx (node_link_data) or a list of rows, [[1, 2], [3, 4]]",
    ),
    (
        b"[{",
        "JSON of an unknown form",
        "expected a graph of networkx (node_link_data) or a list of rows, [[1, 2], [3, 4]]",
    ),
    (
        b"[\"",
        "JSON of an unknown form",
        "expected a graph of networkx (node_link_data) or a list of rows, [[1, 2], [3, 4]]",
    ),
];

fn told((_, what, remedy): &Known) -> String {
    format!("{what}: {remedy}")
}

/// The message for a compressed file or an archive.
pub(super) fn packed(head: &[u8]) -> Option<String> {
    PACKED.iter().find(|(magic, ..)| head.starts_with(magic)).map(|known| match known.0 {
        b"PK\x03\x04" if contains(head, b"[Content_Types].xml") => {
            "an Excel workbook: save the sheet as CSV: soffice --headless --convert-to csv FILE".into()
        }
        b"PK\x03\x04" if contains(head, b"opendocument") => {
            "an OpenDocument file: save the sheet as CSV: soffice --headless --convert-to csv FILE".into()
        }
        _ => told(known),
    })
}

/// Whether the first kilobytes have these bytes.
fn contains(head: &[u8], word: &[u8]) -> bool {
    head[..head.len().min(4096)].windows(word.len()).any(|window| window == word)
}

/// Whether a file is HDF5, perhaps after a text of 512 bytes.
fn is_hdf5(head: &[u8]) -> bool {
    [0, 512].iter().any(|&at| head.get(at..).is_some_and(|rest| rest.starts_with(b"\x89HDF\r\n\x1a\n")))
}

/// Whether a file is HDF5 as MATLAB writes it, after such a text.
#[cfg(feature = "hdf5")]
pub(super) fn is_matlab_hdf5(head: &[u8]) -> bool {
    head.starts_with(b"MATLAB 7") && is_hdf5(head)
}

/// The message for a file of another program that begins with known bytes.
pub(super) fn binary(head: &[u8]) -> Option<String> {
    if let Some(message) = packed(head) {
        return Some(message);
    }
    if contains(head, b"HDF5-based Julia") || contains(head, b"Julia data file") {
        return Some("a Julia data file (JLD): julia -e 'using JLD2, MatrixMarket; mmwrite(\"out.mtx\", load(\"FILE\", \"A\"))' with the name of the matrix for A".into());
    }
    if is_hdf5(head) {
        let write = "python3 -c \"import h5py, scipy; scipy.io.mmwrite('out.mtx', scipy.sparse.coo_array(h5py.File('FILE')['NAME'][:]))\"";
        return Some(match cfg!(feature = "hdf5") {
            true => format!("an HDF5 file, not of MATLAB's: {write} with the name of the dataset for NAME"),
            false => format!(
                "an HDF5 file, as MATLAB 7.3 writes it: it needs the feature `hdf5`; in MATLAB, load FILE, save('out.mat', '-v7'), or {write}"
            ),
        });
    }
    if head.get(257..262) == Some(b"ustar") {
        return Some("a tar archive: take the matrix out of it: tar xf FILE".into());
    }
    if matches!(head, [0x80, 2..=5, ..]) {
        return Some(format!(
            "a Python pickle: python3 -c \"import pickle, scipy.io, scipy.sparse; A = pickle.load(open('FILE', 'rb')); {TO_MTX}\", if you trust the file: it may run any program"
        ));
    }
    if contains(head, b"# Created by Octave") {
        return Some("a text file of Octave: octave --eval \"load FILE; [i,j,v] = find(A); dlmwrite('out.csv', [i,j,v])\" with the name of the matrix for A".into());
    }
    MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)).map(told)
}

/// The message for a text of another program.
pub(super) fn text(head: &[u8]) -> Option<String> {
    let blank = |line: &&[u8]| {
        !line.is_empty() && !line.starts_with(b"%") && !line.starts_with(b"#") && !line.starts_with(b"<?xml")
    };
    let line = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(blank).unwrap_or_default();
    let start: Vec<u8> = line.iter().take(64).map(u8::to_ascii_lowercase).collect();
    if start.windows(9).any(|word| word == b"= sparse(") {
        return Some("a MATLAB program: run it, and write its matrix: mmwrite('out.mtx', A)".into());
    }
    // Brackets may begin a literal matrix.
    let literal = |magic: &[u8]| magic == b"{" && super::literal::sniff(head) && !contains(&start, b"\"");
    TEXTS.iter().find(|(magic, ..)| start.starts_with(magic) && !literal(magic)).map(told)
}

/// The message for a file in none of the formats.
pub(super) fn unknown(head: &[u8]) -> String {
    const EXPECTED: &str = "expected a matrix or a graph: MatrixMarket, SMS (\"rows cols M\"), Harwell-Boeing, lines of numbers, a literal matrix, or one of the other formats in docs/formats.md";
    let line = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    match line {
        None => format!("{EXPECTED}; found an empty file"),
        Some(line) if line.contains(&0) => format!("{EXPECTED}; found binary data"),
        Some(line) => format!("{EXPECTED}; found {}", quote(line)),
    }
}
