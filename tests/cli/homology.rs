//! `blackfield homology`, and the complexes that `blackfield generate --complex` writes.

use crate::Lab;
use serde_json::{Value, json};

/// The real projective plane with six vertices, its facets with everything that may be in such a file.
pub const PLANE: &str = "\u{feff}# six vertices\n0 1 2\n0,2,3\n 0, 3,\t4 # blanks and commas\n0 4 5\n\n0 1 5\r\n1 2 4\n2 3 5\n\
    1 3 4\n2 4 5\n1 3 5\n2 1 0\n3 1\n";

fn groups(document: &Value) -> Vec<(i64, u64, Value)> {
    let group = |g: &Value| (g["degree"].as_i64().unwrap(), g["betti"].as_u64().unwrap(), g["torsion"].clone());
    document["groups"].as_array().unwrap().iter().map(group).collect()
}

#[test]
fn a_plane_by_its_facets() {
    let lab = Lab::new("homology-facets");
    lab.write("plane", PLANE);
    let expected = "degree  cells  Z\n     0      6  Z\n     1     15  Z/2\n     2     10  0\n";
    assert_eq!(lab.answer("homology --facets plane"), expected);
    assert_eq!(lab.run_with_input("homology --facets -", PLANE).stdout, expected);
    let expected = "degree  cells  Z    Q  GF(2)  GF(3)\n     0      6  0    0  0      0\n     1     15  0    0  1      0\n     2     10  Z/2  0  1      0\n";
    assert_eq!(lab.answer("homology --facets plane --reduced --cohomology --integral --rational -p 2,3"), expected);
    let document = lab.document("homology --facets plane --json");
    let nothing = json!([]);
    assert_eq!(groups(&document), [(0, 1, nothing.clone()), (1, 0, json!([["2", 1]])), (2, 0, nothing.clone())]);
    for (field, value) in [
        ("coefficients", json!("Z")),
        ("cells", json!([6, 15, 10])),
        ("euler_characteristic", json!(1)),
        ("certainty", json!("proven")),
        ("files", json!(["plane"])),
    ] {
        assert_eq!(document[field], value);
    }
    // The field asked for comes first, and others after it.
    let document = lab.document("homology --facets plane -p 2 -p 3 --json");
    assert_eq!(document["coefficients"], "GF(2)");
    assert_eq!(groups(&document), [(0, 1, nothing.clone()), (1, 1, nothing.clone()), (2, 1, nothing.clone())]);
    assert_eq!(groups(&document["over"][1]), [(0, 1, nothing.clone()), (1, 0, nothing.clone()), (2, 0, nothing)]);
}

#[test]
fn complexes_that_are_generated() {
    let lab = Lab::new("homology-generated");
    lab.answer("generate --complex mk7 -o new/mk7");
    let digits = |name: &str| lab.read(name).starts_with(&[0x1f, 0x8b]);
    assert!(digits("new/mk7/d1.sms.gz") && digits("new/mk7/d2.sms.gz") && !lab.dir.join("new/mk7/d3.sms.gz").exists());
    let expected = "degree  cells  Z\n     0     21  0\n     1    105  Z/3\n     2    105  Z^20\n";
    assert_eq!(lab.answer("homology new/mk7/d1.sms.gz new/mk7/d2.sms.gz --reduced"), expected);
    // Names sort as the degrees do.
    lab.answer("generate --complex n3c6 -o n --to mtx");
    assert!(lab.dir.join("n/d01.mtx.gz").exists() && lab.dir.join("n/d11.mtx.gz").exists());
    lab.answer("generate --complex mk3 -o points");
    assert_eq!(
        lab.answer("homology points/d1.sms.gz -p 7"),
        "degree  cells  GF(7)\n     0      3  3\n     1      0  0\n"
    );
    for (args, words) in [
        ("generate --complex mk7 -o -", "name a folder"),
        ("generate --complex EX5 -o x", "no family has a complex 'EX5'"),
        ("generate --complex mk1 -o x", "a matching needs 2 vertices"),
    ] {
        let run = lab.run(args);
        assert_eq!(run.code, 2, "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words) && !lab.dir.join("x").exists(), "{args}: {}", run.stderr);
    }
}

#[test]
fn degenerate_complexes() {
    let lab = Lab::new("homology-degenerate");
    lab.write("none", "# nothing\n");
    assert_eq!(lab.answer("homology --facets none"), "degree  cells  Z\n     0      0  0\n");
    let empty = lab.document("homology --facets none --reduced --json");
    assert_eq!(groups(&empty), [(-1, 1, json!([])), (0, 0, json!([]))]);
    lab.write("point", "here");
    assert_eq!(lab.answer("homology --facets point"), "degree  cells  Z\n     0      1  Z\n");
    assert_eq!(lab.answer("homology --facets point --reduced"), "degree  cells  Z\n     0      1  0\n");
    lab.write("zero.sms", "2 3 M\n0 0 0\n");
    assert_eq!(lab.answer("homology zero.sms"), "degree  cells  Z\n     0      3  Z^3\n     1      2  Z^2\n");
    lab.write("big.sms", "1 1 M\n1 1 36893488147419103232\n0 0 0\n");
    assert_eq!(
        lab.answer("homology big.sms"),
        "degree  cells  Z\n     0      1  Z/36893488147419103232\n     1      1  0\n"
    );
}

#[test]
fn what_is_no_complex_is_refused() {
    let lab = Lab::with_diagonal("homology-refused");
    lab.write("wide.sms", "2 4 M\n0 0 0\n");
    lab.write("row.sms", "1 3 M\n1 3 1\n0 0 0\n");
    lab.write("half.sms", "1 1 M\n1 1 1/2\n0 0 0\n");
    lab.write("large", (0..64).map(|v| format!("{v} ")).collect::<String>());
    lab.write("twice", "1 2\n3 4 3\n");
    lab.write("binary", [b'1', b' ', 0xff]);
    lab.write("lists", "1 2 3\n[1,2],[2,3]\n");
    for (args, code, words) in [
        ("homology", 2, "<FILE>"),
        ("homology diagonal.sms --facets twice", 2, "cannot be used with"),
        ("homology diagonal.sms -p 4", 2, "4"),
        ("homology - -", 2, "only once"),
        ("homology missing.sms", 3, "missing.sms"),
        ("homology half.sms", 3, "half.sms:2"),
        ("homology diagonal.sms wide.sms", 3, "diagonal.sms is 3 x 3 and wide.sms is 2 x 4"),
        (
            "homology diagonal.sms row.sms",
            3,
            "row.sms times diagonal.sms is not 0, its entry in row 1, column 3 (from 1) is 6",
        ),
        ("homology diagonal.sms --reduced", 3, "diagonal.sms times the augmentation is not 0"),
        ("homology --facets missing", 3, "missing"),
        ("homology --facets twice", 3, "twice:2: vertex 3 is in the facet twice"),
        ("homology --facets binary", 3, "binary:1: labels of vertices are texts in UTF-8"),
        ("homology --facets lists", 3, "lists:2: expected a facet a line"),
        ("homology diagonal.sms --max-memory 64", 4, "64 bytes are allowed"),
        ("homology --facets large --max-memory 1M", 4, "1048576 bytes are allowed"),
        ("homology --facets large --dry-run", 4, "at least "),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
    // 6 = 0 mod 2 and 3.
    assert_eq!(
        lab.answer("homology diagonal.sms row.sms -p 3"),
        "degree  cells  GF(3)\n     0      3  1\n     1      3  0\n     2      1  0\n"
    );
}
