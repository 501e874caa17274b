//! `blackfield rref` and `blackfield det`: echelon forms, the columns of their pivots, determinants.

use crate::Lab;
use crate::kernel::entries;
use serde_json::json;

const MATRIX: &str = "3 4 M\n1 1 2\n1 2 4\n1 3 6\n2 1 1\n2 2 2\n2 3 1\n2 4 1\n3 4 7\n0 0 0\n";

#[test]
fn forms_and_their_pivots() {
    let lab = Lab::new("rref");
    lab.write("a.sms", MATRIX);
    // (2 4 6 0; 1 2 1 1) mod 7, and a row of zeros: (1 2 0 5; 0 0 1 3).
    assert_eq!(lab.answer("rref a.sms -p 7 -o r.sms"), "2\n");
    let (rows, cols, form) = entries(&lab, "r.sms");
    let expected = [((0, 0), 1), ((0, 1), 2), ((0, 3), 5), ((1, 2), 1), ((1, 3), 3)];
    assert_eq!((rows, cols), (2, 4));
    assert_eq!(form, expected.into_iter().map(|(at, v)| (at, v.into())).collect());
    assert_eq!(lab.answer("rref a.sms -p 7 --pivots-only"), "0\n2\n");
    assert_eq!(lab.answer("rref a.sms -p 11 --pivots-only"), "0\n2\n3\n");
    let document = lab.document("rref a.sms -p 7 -o s.sms --json");
    assert_eq!((&document["rank"], &document["pivots"], &document["entries"]), (&json!(2), &json!([0, 2]), &json!(5)));
    assert_eq!((&document["certainty"], &document["output"]), (&json!("proven"), &json!("s.sms")));
    assert_eq!(lab.answer("rref a.sms -p 7 -o -").as_bytes(), lab.read("r.sms"));
}

#[test]
fn columns_in_another_order() {
    let lab = Lab::new("rref-order");
    lab.write("a.sms", MATRIX);
    lab.write("order", "3 1\n2 0\n");
    let document = lab.document("rref a.sms -p 7 --column-order order -o r.sms --json");
    // The columns 3, 1, 2, 0 are (0 4 6 2; 1 2 1 1): (1 0 5 0; 0 1 5 4).
    assert_eq!(document["pivots"], json!([3, 1]));
    let expected = [((0, 0), 1), ((0, 2), 5), ((1, 1), 1), ((1, 2), 5), ((1, 3), 4)];
    assert_eq!(entries(&lab, "r.sms").2, expected.into_iter().map(|(at, v)| (at, v.into())).collect());
}

#[test]
fn determinants() {
    let lab = Lab::with_diagonal("det");
    for (p, det) in [(2u64, "0"), (3, "0"), (5, "2"), (65521, "12"), (9223372036854775783, "12")] {
        assert_eq!(lab.answer(&format!("det diagonal.sms -p {p}")), format!("{det}\n"));
    }
    // An odd permutation, and the entry 2^65 + 1: -2·(2^65 + 1) = -3 mod 7.
    lab.write("turned.sms", "3 3 M\n1 2 1\n2 1 36893488147419103233\n3 3 2\n0 0 0\n");
    assert_eq!(lab.answer("det turned.sms -p 7"), "4\n");
    lab.write("empty.sms", "0 0 M\n0 0 0\n");
    assert_eq!(lab.answer("det empty.sms -p 7"), "1\n");
    let document = lab.document("det diagonal.sms -p 65521 --json");
    for (field, value) in [("det", json!("12")), ("rank", json!(3)), ("certainty", json!("proven"))] {
        assert_eq!(document[field], value);
    }
    lab.write("wide.sms", "1 2 M\n1 1 1\n0 0 0\n");
    for (args, code, words) in [
        ("det wide.sms -p 7", 3, "wide.sms: only a square matrix has a determinant, this one is 1 x 2"),
        ("det diagonal.sms -p 4", 2, "4"),
        ("det missing.sms -p 7", 3, "missing.sms"),
        ("det diagonal.sms -p 7 --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("rref-refused");
    lab.write("twice", "0 1\n1\n");
    lab.write("few", "0 1\n");
    lab.write("far", "0\n3 1\n");
    for (args, code, words) in [
        ("rref diagonal.sms -p 7", 2, "--output"),
        ("rref diagonal.sms -p 9 --pivots-only", 2, "9"),
        ("rref diagonal.sms -p 7 -o r.txt", 2, "r.txt"),
        ("rref diagonal.sms -p 7 -o r.sms --pivots-only", 2, "cannot be used with"),
        ("rref diagonal.sms -p 7 --json -o -", 2, "name a file"),
        ("rref missing.sms -p 7 -o r.sms", 3, "missing.sms"),
        ("rref diagonal.sms -p 7 -o r.sms --column-order twice", 3, "twice:2: column 1 is there for the second time"),
        ("rref diagonal.sms -p 7 -o r.sms --column-order few", 3, "few: an order of 2 of the 3 columns"),
        (
            "rref diagonal.sms -p 7 -o r.sms --column-order far",
            3,
            "far:2: expected the number of a column, from 0 to 2",
        ),
        ("rref diagonal.sms -p 7 -o r.sms --column-order none", 3, "none"),
        ("rref diagonal.sms -p 7 -o r.sms --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
        assert!(!lab.dir.join("r.sms").exists(), "{args}");
    }
}
