//! Files that are not read: recognised, so that the message can say what they are, and one command that makes of them
//! what is read.

use super::text::quote;
use std::path::Path;

/// A kind of file: what it begins with, what it is, and what to do.
type Known = (&'static [&'static [u8]], &'static str, &'static str);

/// Compressed files and archives.
const PACKED: [Known; 10] = [
    (&[b"\x04\x22\x4d\x18"], "compressed with lz4", "decompress it: lz4 -d FILE"),
    (&[b"LZIP"], "compressed with lzip", "decompress it: lzip -dk FILE"),
    (&[b"\x1f\x9d"], "compressed with compress (.Z)", "decompress it: gzip -dk FILE"),
    (&[b"\x5d\x00\x00"], "compressed with LZMA (.lzma)", "decompress it: xz --format=lzma -dk FILE"),
    (&[b"\x89LZO"], "compressed with lzop", "decompress it: lzop -d FILE"),
    (&[b"070701"], "a cpio archive", "take the matrix out of it: cpio -i < FILE"),
    (&[b"7z\xbc\xaf\x27\x1c"], "a 7-Zip archive", "take the matrix out of it: 7z x FILE"),
    (&[b"Rar!\x1a\x07"], "a RAR archive", "take the matrix out of it: unrar x FILE"),
    (
        &[b"PAR1"],
        "a Parquet table",
        "write it as text: python3 -c \"import pandas; pandas.read_parquet('FILE').to_csv('out.csv', index=False)\"",
    ),
    (
        &[b"ARROW1"],
        "an Arrow table",
        "write it as text: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('out.csv', index=False)\"",
    ),
];

const AS_CSV: &str = "save the sheet as CSV: soffice --headless --convert-to csv FILE";
const NO_PICTURE: &str = "download the matrix itself, not its picture";

/// Files of other programs that begin with fixed bytes.
const MAGIC: [Known; 16] = [
    (&[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], "an old Microsoft Office file", AS_CSV),
    (&[b"%PDF-"], "a PDF document", "download the matrix itself; for a table in it: pdftotext -layout FILE out.txt"),
    (&[b"%!PS"], "a PostScript document", "download the matrix itself; for a table in it: ps2ascii FILE out.txt"),
    (&[b"{\\rtf"], "a Rich Text document", "save it as plain text: soffice --headless --convert-to txt FILE"),
    (
        &[b"RDX2\n", b"RDX3\n"],
        "an R workspace",
        "Rscript -e 'load(\"FILE\"); Matrix::writeMM(A, \"out.mtx\")' with the name of the matrix for A",
    ),
    R_OBJECT,
    (
        &[b"SQLite format 3\0"],
        "an SQLite database",
        "write the table as text: sqlite3 -csv FILE 'select i, j, v from entries' > out.csv",
    ),
    (&[b"\x89PNG"], "a PNG image", NO_PICTURE),
    (&[b"\xff\xd8\xff"], "a JPEG image", NO_PICTURE),
    (&[b"GIF8"], "a GIF image", NO_PICTURE),
    (&[b"\x7fELF", b"MZ\x90"], "a program", "give the matrix file"),
    (
        &[b"\0\x12\x7b\x50"],
        "a PETSc matrix",
        "python3 -c \"import PetscBinaryIO as P, scipy.io, scipy.sparse as s; (m, n), (p, j, v) = P.PetscBinaryIO().readBinaryFile('FILE')[0]; scipy.io.mmwrite('out.mtx', s.csr_array((v, j, p), (m, n)))\"",
    ),
    (
        &[b"x\x9c"],
        "a compressed Sage object (.sobj)",
        "sage -c \"open('out.txt', 'w').write(str([list(r) for r in load('FILE')]))\"",
    ),
    (&[b"version https://git-lfs"], "a Git LFS pointer, not the file itself", "fetch the file: git lfs pull"),
    (&[b"\xef\xbb\xbf<"], "a web page or XML document", "download the matrix itself: curl -fL -o FILE URL"),
    (&[b"\xff\xfe\0\0", b"\0\0\xfe\xff"], "a text in UTF-32", "iconv -f UTF-32 -t UTF-8 FILE > out.txt"),
];

const RUN_IT: &str = "run it, and have it write the matrix: mmwrite('out.mtx', A)";
const JSON_READ: &str = "expected a graph of networkx (node_link_data) or a list of rows, [[1, 2], [3, 4]]";

/// Texts of other programs, by the first words (in lower case) of their first line with content.
const TEXTS: [Known; 14] = [
    (&[b"<!doctype html", b"<html"], "a web page, not a matrix", "download the file again: curl -fL -o FILE URL"),
    (
        &[b"<gexf"],
        "a graph in GEXF",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_gexf('FILE'), 'out.graphml')\"",
    ),
    (
        &[b"<graphml"],
        "a graph in GraphML, without the feature `graphml`",
        "build blackfield with it: cargo install blackfield --features graphml",
    ),
    (&[b"<<"], "a Maple matrix by columns", "write its rows: lprint(convert(A, listlist))"),
    (&[b"<"], "an XML document of an unknown form", "of graphs, GraphML is read: write it in this form"),
    GML,
    (
        &[b"*vertices"],
        "a graph of Pajek",
        "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_pajek('FILE'), 'out.graphml')\"",
    ),
    (&[b"function"], "a MATLAB program", RUN_IT),
    (
        &[b"import ", b"from "],
        "a Python program",
        "run it, and have it write the matrix: scipy.io.mmwrite('out.mtx', A)",
    ),
    (&[b"\\documentclass", b"\\begin{"], "a LaTeX document", "write the rows of its matrix, a row in each line"),
    (
        &[b"rows"],
        "a linear program (MPS)",
        "glpsol --freemps FILE --wlp out.lp shows its rows; write its matrix as triples",
    ),
    (&[b"name "], "a linear program (MPS)", "write its matrix as triples: row, column, value in each line"),
    (&[b"{"], "JSON or a dictionary of an unknown form", JSON_READ),
    (&[b"[{", b"[\""], "JSON of an unknown form", JSON_READ),
];

const R_OBJECT: Known = (
    &[b"X\n\0\0\0"],
    "an R object (.rds)",
    "Rscript -e 'Matrix::writeMM(Matrix::Matrix(readRDS(\"FILE\"), sparse = TRUE), \"out.mtx\")'",
);
const GML: Known = (
    &[b"creator"],
    "a graph in GML",
    "python3 -c \"import networkx as nx; nx.write_graphml(nx.read_gml('FILE'), 'out.graphml')\"",
);
const GRAPHVIZ: Known = (
    &[],
    "a graph of Graphviz",
    "python3 -c \"import networkx as nx; nx.write_graphml(nx.nx_agraph.read_dot('FILE'), 'out.graphml')\"",
);

/// The message about a kind of file.
fn told((_, what, remedy): &Known) -> String {
    format!("{what}: {remedy}")
}

/// The message about the kind of file that begins like this.
fn known(kinds: &[Known], head: &[u8]) -> Option<String> {
    kinds.iter().find(|(begins, ..)| begins.iter().any(|begin| head.starts_with(begin))).map(told)
}

/// The message for a compressed file or an archive.
pub(super) fn packed(head: &[u8]) -> Option<String> {
    known(&PACKED, head)
}

/// The message for a zip archive with these members that is a document of an office program.
#[cfg(feature = "archives")]
pub(super) fn office<'n>(members: impl Iterator<Item = &'n str> + Clone) -> Option<String> {
    let has = |name: &str| members.clone().any(|member| member == name);
    match () {
        () if has("xl/workbook.xml") => Some(format!("an Excel workbook: {AS_CSV}")),
        () if has("[Content_Types].xml") => Some("an Office document: save the matrix as plain text".into()),
        () if has("mimetype") && has("content.xml") => Some(format!("an OpenDocument file: {AS_CSV}")),
        () => None,
    }
}

/// The message, whose command names the file where a shell reads its name as it is.
pub(super) fn with_name(file: &Path, message: String) -> String {
    let name = file.to_string_lossy();
    let plain = name != "-" && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    if plain { message.replace("FILE", &name) } else { message }
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
        return Some("a tar archive whose first header is damaged: download it again".into());
    }
    if matches!(head, [0x80, 2..=5, ..]) {
        return Some("a Python pickle: python3 -c \"import pickle, scipy.io, scipy.sparse; A = pickle.load(open('FILE', 'rb')); scipy.io.mmwrite('out.mtx', scipy.sparse.coo_array(A))\", if you trust the file: it may run any program".into());
    }
    if contains(head, b"# Created by Octave") {
        return Some("a text file of Octave: octave --eval \"load FILE; [i,j,v] = find(A); dlmwrite('out.csv', [i,j,v])\" with the name of the matrix for A".into());
    }
    // As text, it names the oldest version of R that can read it: 2.3.0 or 3.5.0.
    if head.starts_with(b"A\n") && [b"\n131840\n", b"\n197888\n"].iter().any(|version| contains(head, *version)) {
        return Some(told(&R_OBJECT));
    }
    known(&MAGIC, head)
}

/// The message for a text of another program.
pub(super) fn text(head: &[u8]) -> Option<String> {
    let blank = |line: &&[u8]| {
        !line.is_empty() && !line.starts_with(b"%") && !line.starts_with(b"#") && !line.starts_with(b"<?xml")
    };
    let line = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).find(blank).unwrap_or_default();
    let start: Vec<u8> = line.iter().take(64).map(u8::to_ascii_lowercase).collect();
    if start.windows(9).any(|word| word == b"= sparse(") {
        return Some(format!("a MATLAB program: {RUN_IT}"));
    }
    if [&b"graph"[..], b"digraph", b"strict"].contains(&start.split(|b| !b.is_ascii_alphabetic()).next()?) {
        let bracket = head.iter().find(|b| b"{[".contains(b))?;
        return Some(told(if *bracket == b'{' { &GRAPHVIZ } else { &GML }));
    }
    // Braces may begin a literal matrix.
    let is_literal = start.starts_with(b"{") && super::literal::sniff(head) && !start.contains(&b'"');
    if is_literal { None } else { known(&TEXTS, &start) }
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
