//! Files that are not what their format demands: each ends in exit code 3 and one line that names the file, the place,
//! what was expected, and a remedy where there is one. The snapshot has all messages, to be read as their users do.

use crate::Lab;

/// A file's name and content.
type File = (&'static str, Vec<u8>);

fn texts(files: &[(&'static str, &str)]) -> Vec<File> {
    files.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())).collect()
}

fn sms() -> Vec<File> {
    texts(&[
        ("sms-no-end.sms", "2 2 M\n1 1 1\n"),
        ("sms-after-end.sms", "2 2 M\n0 0 0\n1 1 1\n"),
        ("sms-row-0.sms", "2 2 M\n0 1 1\n0 0 0\n"),
        ("sms-column-0.sms", "2 2 M\n1 0 1\n0 0 0\n"),
        ("sms-row-3-of-2.sms", "2 2 M\n3 1 1\n0 0 0\n"),
        ("sms-column-9-of-2.sms", "2 2 M\n1 9 1\n0 0 0\n"),
        ("sms-negative-row.sms", "2 2 M\n-1 1 1\n0 0 0\n"),
        ("sms-no-rows.sms", "0 2 M\n1 1 1\n0 0 0\n"),
        ("sms-word-for-row.sms", "2 2 M\nx 1 1\n0 0 0\n"),
        ("sms-fraction-for-row.sms", "2 2 M\n1.5 1 1\n0 0 0\n"),
        ("sms-two-fields.sms", "2 2 M\n1 1\n0 0 0\n"),
        ("sms-four-fields.sms", "2 2 M\n1 1 1 1\n0 0 0\n"),
        ("sms-word-for-value.sms", "2 2 M\n1 1 x\n0 0 0\n"),
        ("sms-decimal.sms", "2 2 M\n1 1 0.5\n0 0 0\n"),
        ("sms-nan.sms", "2 2 M\n1 1 NaN\n0 0 0\n"),
        ("sms-exponent.sms", "2 2 M\n1 1 1e9999\n0 0 0\n"),
        ("sms-over-zero.sms", "2 2 Q\n1 1 1/0\n0 0 0\n"),
        ("sms-half-fraction.sms", "2 2 Q\n1 1 1/\n0 0 0\n"),
        ("sms-denominator-7.sms", "2 2 Q\n1 1 1/7\n0 0 0\n"),
        ("sms-complex.sms", "2 2 C\n1 1 1 1\n0 0 0 0\n"),
        ("sms-negative-size.sms", "-2 2 M\n0 0 0\n"),
        ("sms-too-many-rows.sms", "4294967296 2 M\n0 0 0\n"),
        ("sms-size-beyond-words.sms", "2 99999999999999999999 M\n0 0 0\n"),
        ("sms-zero-bytes.sms", "2 2 M\n1 1 1\n\0\0\n0 0 0\n"),
    ])
}

fn matrix_market() -> Vec<File> {
    let mm = |rest: &str| format!("%%MatrixMarket matrix coordinate {rest}").into_bytes();
    vec![
        ("mm-too-few.mtx", mm("integer general\n2 2 3\n1 1 1\n2 2 2\n")),
        ("mm-too-many.mtx", mm("integer general\n2 2 1\n1 1 1\n2 2 2\n")),
        ("mm-row-0.mtx", mm("integer general\n2 2 1\n0 1 1\n")),
        ("mm-column-3-of-2.mtx", mm("integer general\n2 2 1\n1 3 1\n")),
        ("mm-value-in-pattern.mtx", mm("pattern general\n2 2 1\n1 1 1\n")),
        ("mm-no-value.mtx", mm("integer general\n2 2 1\n1 1\n")),
        ("mm-real.mtx", mm("real general\n2 2 1\n1 1 1.5\n")),
        ("mm-infinite.mtx", mm("real general\n2 2 1\n1 1 -inf\n")),
        ("mm-complex.mtx", mm("complex general\n2 2 1\n1 1 1 0\n")),
        ("mm-hermitian.mtx", mm("real hermitian\n2 2 1\n1 1 1\n")),
        ("mm-quaternion.mtx", mm("quaternion general\n2 2 1\n1 1 1\n")),
        ("mm-upper.mtx", mm("integer upper\n2 2 1\n1 1 1\n")),
        ("mm-skew-pattern.mtx", mm("pattern skew-symmetric\n2 2 1\n2 1\n")),
        ("mm-no-symmetry.mtx", mm("integer\n2 2 1\n1 1 1\n")),
        ("mm-no-size.mtx", mm("integer general\n% only\n")),
        ("mm-two-sizes.mtx", mm("integer general\n2 2\n")),
        ("mm-word-for-size.mtx", mm("integer general\n2 x 1\n1 1 1\n")),
        ("mm-negative-count.mtx", mm("integer general\n2 2 -1\n")),
        ("mm-oblong-symmetric.mtx", mm("integer symmetric\n2 3 0\n")),
        ("mm-above-diagonal.mtx", mm("integer symmetric\n2 2 1\n1 2 1\n")),
        ("mm-skew-diagonal.mtx", mm("integer skew-symmetric\n2 2 1\n2 2 1\n")),
        ("mm-vector.mtx", b"%%MatrixMarket vector coordinate integer general\n2 1\n1 1\n".to_vec()),
        ("mm-list.mtx", b"%%MatrixMarket matrix list integer general\n2 2\n".to_vec()),
        ("mm-array-pattern.mtx", b"%%MatrixMarket matrix array pattern general\n2 2\n".to_vec()),
        ("mm-array-short.mtx", b"%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n".to_vec()),
        ("mm-array-rows.mtx", b"%%MatrixMarket matrix array integer general\n1 2\n1 2\n".to_vec()),
        ("mm-web-page.mtx", b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n".to_vec()),
    ]
}

/// A Harwell-Boeing file of diag(5, 6), with one part replaced.
fn harwell_boeing_with(from: &str, to: &str) -> Vec<u8> {
    let number = |n: i32| format!("{n:14}");
    let cards: String = [3, 1, 1, 1, 0].map(number).concat();
    let sizes: String = [2, 2, 2, 0].map(number).concat();
    let text = format!(
        "{:72}KEY\n{cards}\nRUA           {sizes}\n(3I4)           (2I4)           (2F8.0)\n   1   2   3\n   1   2\n      5.      6.\n",
        "A title"
    );
    assert!(text.contains(from), "{from}");
    text.replace(from, to).into_bytes()
}

fn harwell_boeing() -> Vec<File> {
    let with = harwell_boeing_with;
    vec![
        ("hb-elemental.rse", with("RUA", "RSE")),
        ("hb-complex.cua", with("RUA", "CUA")),
        ("hb-auxiliary.qua", with("RUA", "QUA")),
        (
            "hb-oblong-symmetric.rsa",
            with("RUA                        2             2", "RSA                        2             3"),
        ),
        ("hb-no-formats.rua", with("(3I4)  ", "(A8)   ")),
        ("hb-pointer-word.rua", with("   1   2   3\n", "   1   x   3\n")),
        ("hb-pointer-back.rua", with("   1   2   3\n", "   1   3   2\n")),
        ("hb-pointer-end.rua", with("   1   2   3\n", "   1   2   2\n")),
        ("hb-row-0.rua", with("   1   2\n      5", "   0   2\n      5")),
        ("hb-row-3.rua", with("   1   2\n      5", "   1   3\n      5")),
        ("hb-value-word.rua", with("      6.", "     six")),
        ("hb-value-fraction.rua", with("      6.", "    6.25")),
        ("hb-cut-off.rua", with("      5.      6.\n", "")),
        ("hb-cards.rua", with("             3             1             1             1             0", "many lines")),
        ("hb-sizes.rua", with("             2             2             2             0", " two by two")),
    ]
}

fn tables() -> Vec<File> {
    texts(&[
        ("table-few-triples.txt", "1 2 3\n"),
        ("table-two-columns.txt", "1 2\n2 3\n"),
        ("table-no-order.txt", "5 1 1\n2 9 1\n7 1 4\n1 2 2\n"),
        ("table-one-side.txt", "0 1 5\n0 2 6\n1 2 7\n1 3 8\n"),
        ("table-no-base.txt", "2 2 5\n2 3 1\n3 2 1\n4 4 1\n"),
        ("table-other-names.csv", "x,y,z\n0,0,1\n0,1,1\n1,0,1\n1,1,5\n"),
        ("table-dense-or-rows.txt", "2 3\n2 0 1\n2 1 2\n"),
        ("table-time-stamps.txt", "% sym unweighted\n1 2 1 1082008561\n2 3 1 1082008562\n"),
        ("table-negative-row.txt", "0 0 1\n0 1 1\n-1 2 1\n1 0 1\n"),
        ("table-ragged.csv", "1,2,3,4\n5,6,7\n8,9,10,11\n"),
        ("table-empty-field.csv", "1,2,3,4\n5,,7,8\n"),
        ("table-trailing-comma.csv", "1,2,3,4,\n5,6,7,8,\n"),
        ("table-decimal-comma.csv", "1,5;2;3;4\n1;2;3;4\n"),
        ("table-word.csv", "1,2,3,4\n5,six,7,8\n"),
        ("table-decimal.csv", "1,2,3,4\n5,6.5,7,8\n"),
        ("table-blank-in-field.csv", "1,2,3,4\n5,6 6,7,8\n"),
        ("table-triple-decimal.txt", "0 0 1\n0 1 0.5\n1 0 1\n1 1 1\n"),
        ("table-triple-word.csv", "row,col,value\n0,0,1\n1,1,one\n"),
        ("table-triple-fields.csv", "row,col,value\n0,0,1\n1,1\n"),
        ("table-triple-index.csv", "row,col,value\n0,0,1\n1.5,1,1\n"),
        ("table-large-index.csv", "row,col,value\n0,0,1\n4294967296,1,1\n"),
        ("table-names-only.csv", "row,col,value\n"),
        ("table-comments-only.txt", "# nothing\n# here\n"),
        ("table-edge-of-one.csv", "source,target\n0,1\n2\n"),
        ("table-edge-of-four.csv", "source,target\n0,1\n1,2,3,4\n"),
        ("table-edge-twice.csv", "source,target,weight\n0,1,5\n1,0,6\n"),
        ("table-edge-word.csv", "source,target,weight\n0,1,five\n"),
        ("table-edge-data.txt", "0 1 {'weight': 3}\n1 2 {}\n"),
        ("table-adjacency.txt", "0 1 2\n1 2 3 4\n2 4\n"),
        ("table-cado-count.txt", "2 4\n2 0 3\n1 1 2\n"),
        ("table-cado-column.txt", "2 4\n2 0 4\n1 1\n"),
        ("relations-raw.txt", "12,5:2,3:7,b\n"),
        ("relations-cut-off.purged", "# 3 9\n12,5:2,3\nb,7:0\n"),
        ("relations-word.purged", "12,5:2,3\nb,7:x\n"),
    ])
}

fn literals() -> Vec<File> {
    texts(&[
        ("literal-vector.txt", "[1,2,3]\n"),
        ("literal-ragged.txt", "[[1,2],[3]]\n"),
        ("literal-ragged-pari.txt", "[1,2;3]\n"),
        ("literal-cut-off.txt", "[[1,2],\n [3,"),
        ("literal-no-end.txt", "[[1,2],[3,4]\n"),
        ("literal-wrong-bracket.txt", "[[1,2),[3,4]]\n"),
        ("literal-two-commas.txt", "[[1,,2],[3,4,5]]\n"),
        ("literal-last-comma.txt", "[[1,2],[3,4],]\n"),
        ("literal-string.txt", "[[\"1\",2],[3,4]]\n"),
        ("literal-polynomial.txt", "[x,1;2,3]\n"),
        ("literal-product.txt", "[2*x,1;2,3]\n"),
        ("literal-mod.txt", "[Mod(1,7),Mod(2,7);Mod(3,7),Mod(4,7)]\n"),
        ("literal-decimal.txt", "{{0.5, 1}, {2, 3}}\n"),
        ("literal-deep.txt", "[[[[[[[[[[1]]]]]]]]]]\n"),
        ("literal-cube.txt", "[[[1],[2]],[[3],[4]]]\n"),
        ("literal-two.txt", "[[1,2],[3,4]]\n[[5,6],[7,8]]\n"),
        ("literal-mixed.txt", "[[1,2],3]\n"),
        ("literal-size.txt", "matrix(ZZ, 2, 3, [1,2,3,4])\n"),
        ("literal-rows.txt", "matrix(ZZ, 3, 2, [[1,2],[3,4]])\n"),
        ("literal-ring.txt", "matrix(RDF, [[1,2],[3,4]])\n"),
        ("literal-no-entries.txt", "matrix(ZZ)\n"),
        ("literal-outside.txt", "matrix(ZZ, 2, 2, {(0,0): 1, (2,0): 5})\n"),
        ("literal-position-0.txt", "SparseArray[{{0, 1} -> 5}, {2, 2}]\n"),
        ("literal-position-twice.txt", "SparseMatrix(2, 2, [<1,1,5>, <1,1,6>])\n"),
        ("literal-large.txt", "SparseArray[{{4294967296, 1} -> 5}]\n"),
        ("literal-default.txt", "SparseArray[{{1, 1} -> 5}, {2, 2}, 1]\n"),
        ("literal-lines.txt", "[1 2\n3 4]\n"),
        ("literal-some-commas.txt", "[1, 2 3; 4, 5, 6]\n"),
        ("literal-maple.txt", "<<1,2>|<3,4>>\n"),
        ("literal-stored.txt", "SparseArray[Automatic, {2, 2}, 0, {1, {{0, 1}, {{1}}}, {5}}]\n"),
    ])
}

fn graphs() -> Vec<File> {
    let xml = |edges: &str| {
        format!("<graphml>\n<graph edgedefault=\"undirected\">\n<node id=\"a\"/><node id=\"b\"/>\n{edges}\n</graph></graphml>\n")
            .into_bytes()
    };
    let mut files = texts(&[
        ("graph6-short.g6", ">>graph6<<IheA@GU\n"),
        ("graph6-character.g6", ">>graph6<<Ihe!@GUAo\n"),
        ("graph6-filling.g6", ">>graph6<<A~\n"),
        ("graph6-size.g6", ">>graph6<<~?\n"),
        ("graph6-two.g6", "IheA@GUAo\nIheA@GUAo\n"),
        ("dimacs-few.col", "p edge 3 3\ne 1 2\ne 2 3\n"),
        ("dimacs-vertex-0.col", "p edge 3 1\ne 0 2\n"),
        ("dimacs-vertex-4.col", "p edge 3 1\ne 1 4\n"),
        ("dimacs-word.col", "p edge 3 1\ne 1 x\n"),
        ("dimacs-arc.col", "p edge 3 1\na 1 2 1\n"),
        ("dimacs-letter.col", "p edge 3 1\nq 1 2\n"),
        ("dimacs-twice.col", "p edge 3 1\np edge 3 1\n"),
        ("dimacs-cnf.cnf", "c a formula\np cnf 3 2\n1 -3 0\n2 3 -1 0\n"),
        ("dimacs-kind.txt", "p tree 3 1\ne 1 2\n"),
        ("dimacs-sizes.txt", "p edge 3\ne 1 2\n"),
        ("json-cut-off.json", "{\"nodes\": [{\"id\": 0}],\n \"links\": ["),
        ("json-unknown.json", "{\"rows\": 2, \"data\": [1, 2]}\n"),
        ("json-no-id.json", "{\"nodes\": [{\"name\": 0}], \"links\": []}\n"),
        ("json-id-twice.json", "{\"nodes\": [{\"id\": 0}, {\"id\": 0}], \"links\": []}\n"),
        ("json-no-vertex.json", "{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 1}]}\n"),
        ("json-no-target.json", "{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0}]}\n"),
        (
            "json-weight.json",
            "{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 0, \"weight\": 0.5}]}\n",
        ),
        (
            "json-long-weight.json",
            "{\"nodes\": [{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 0, \"weight\": 123456789012345678901}]}\n",
        ),
        ("json-lists.json", "{\"nodes\": [{\"id\": 0}], \"adjacency\": []}\n"),
        ("json-objects.json", "[{\"i\": 1, \"j\": 2, \"v\": 3}]\n"),
        ("gexf.gexf", "<?xml version=\"1.0\"?>\n<gexf version=\"1.2\"><graph/></gexf>\n"),
        ("xml.xml", "<?xml version=\"1.0\"?>\n<matrix/>\n"),
        ("gml.gml", "graph [\n  node [ id 0 ]\n]\n"),
        ("pajek.net", "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n"),
        ("dot.dot", "digraph G {\n  a -> b;\n}\n"),
        ("named.dot", "graph G {\n  a -- b;\n}\n"),
        ("brace.gml", "graph\n[\n  node [ id 0 ]\n]\n"),
    ]);
    files.extend([
        ("graphml-damaged.graphml", xml("<edge source=\"a\" target=\"b\">")),
        ("graphml-no-vertex.graphml", xml("<edge source=\"a\" target=\"c\"/>")),
        ("graphml-no-target.graphml", xml("<edge source=\"a\"/>")),
        ("graphml-hyper.graphml", xml("<hyperedge/>")),
        ("graphml-id-twice.graphml", xml("<node id=\"a\"/>")),
        ("graphml-no-graph.graphml", b"<graphml></graphml>\n".to_vec()),
        ("graphml-kind.graphml", b"<graphml><graph edgedefault=\"maybe\"/></graphml>\n".to_vec()),
    ]);
    files
}

fn foreign() -> Vec<File> {
    let matlab = [&b"MATLAB 7.3 MAT-file"[..], &[b' '; 493], b"\x89HDF\r\n\x1a\n", &[0xff; 80]].concat();
    let binary: [(&'static str, &[u8]); 22] = [
        ("empty", b""),
        ("blank", b"\n \n"),
        ("noise.bin", b"\x01\x00\x9f\x92\x96\x07"),
        ("zeros.bin", &[0; 64]),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest"),
        ("paper.pdf", b"%PDF-1.7\n%\xe2\xe3\n"),
        ("paper.ps", b"%!PS-Adobe-3.0\n"),
        ("matrix.h5", b"\x89HDF\r\n\x1a\n\0\0\0\0"),
        ("matrix.mat", &matlab),
        ("matrix.jld2", b"HDF5-based Julia Data Format, version 0.1.0\0\0\0"),
        ("matrix.pkl", b"\x80\x04\x95\x10\0\0\0\0\0\0\0\x8c"),
        ("matrix.rds", b"X\n\0\0\0\x03\0\x04\x01\0"),
        ("matrix.RData", b"RDX3\nX\n\0\0\0\x03"),
        ("matrix.petsc", b"\0\x12\x7b\x50\0\0\0\x02\0\0\0\x02"),
        ("matrix.parquet", b"PAR1\x15\x04\x15\x10"),
        ("matrix.sobj", b"x\x9cc\0\0"),
        ("matrix.7z", b"7z\xbc\xaf\x27\x1c\0\x04"),
        ("matrix.rar", b"Rar!\x1a\x07\x01\0"),
        ("matrix.lz4", b"\x04\x22\x4d\x18\x60"),
        ("matrix.sqlite", b"SQLite format 3\0\x10\0"),
        ("spy.png", b"\x89PNG\r\n\x1a\n"),
        ("surrogate.txt", b"\xff\xfe1\0 \0\x00\xd82\0"),
    ];
    let mut files: Vec<File> = binary.iter().map(|(name, bytes)| (*name, bytes.to_vec())).collect();
    files.extend(texts(&[
        ("matrix.mtx.gz", "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12345\n"),
        ("script.m", "A = sparse(i, j, v, 10, 10);\n"),
        ("function.m", "function A = f()\nA = eye(3);\n"),
        ("script.py", "import numpy as np\nA = np.eye(3)\n"),
        ("octave.txt", "# Created by Octave 7.3.0\n# name: A\n# type: matrix\n# rows: 1\n# columns: 2\n 1 2\n"),
        ("paper.tex", "\\documentclass{article}\n\\begin{document}\n"),
        ("program.mps", "NAME          TEST\nROWS\n N  COST\n"),
        ("words.txt", "hello, world\n"),
    ]));
    files
}

/// Words by which a message says what was expected, or what to do.
const HELPS: [&str; 20] = [
    "expected",
    "outside",
    "announces",
    "--layout",
    "--base",
    "--pattern",
    "a truncated file",
    "must",
    "download",
    "python3",
    "Rscript",
    "julia",
    "octave",
    "decompress it",
    "take the matrix out",
    "write",
    "save",
    "git lfs",
    "sage -c",
    "divides",
];

#[test]
fn every_bad_file_is_told_what_is_wrong() {
    let lab = Lab::new("bad-files");
    let files = [sms(), matrix_market(), harwell_boeing(), tables(), literals(), graphs(), foreign()].concat();
    assert!(files.len() >= 120, "{}", files.len());
    let (mut messages, mut wrong) = (vec![], vec![]);
    for (name, content) in files {
        lab.write(name, &content);
        let run = lab.run(&format!("rank {name} -p 7 -q"));
        let message = run.stderr.trim_end();
        let said = message.strip_prefix(&format!("blackfield: {name}:")).unwrap_or_default();
        let place = said.trim_start().strip_prefix("byte ").unwrap_or(said);
        let placed = place.starts_with(|c: char| c.is_ascii_digit());
        if run.code != 3
            || !run.stdout.is_empty()
            || message.contains('\n')
            || !placed
            || !HELPS.iter().any(|word| said.contains(word))
        {
            wrong.push(format!("{name}: exit code {}: {message}", run.code));
        }
        messages.push(format!("{said}  [{name}]"));
    }
    assert!(wrong.is_empty(), "no exit code 3, place, expectation or remedy:\n{}", wrong.join("\n"));
    insta::assert_snapshot!(messages.join("\n"));
}
