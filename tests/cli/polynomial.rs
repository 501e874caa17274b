//! `blackfield minpoly` and `blackfield charpoly`.

use crate::Lab;
use serde_json::json;

#[test]
fn polynomials_of_small_matrices() {
    let lab = Lab::with_diagonal("polynomial");
    // diag(1, 2, 6): x³ - 9x² + 20x - 12; mod 5 it is (x - 1)²(x - 2).
    for command in ["minpoly", "charpoly"] {
        assert_eq!(lab.answer(&format!("{command} diagonal.sms -p 65521")), "65509\n20\n65512\n1\n");
        lab.write("empty.sms", "0 0 M\n0 0 0\n");
        assert_eq!(lab.answer(&format!("{command} empty.sms -p 7")), "1\n");
        // The Fibonacci numbers: x² - x - 1.
        lab.write("fibonacci.sms", "2 2 M\n1 1 1\n1 2 1\n2 1 1\n0 0 0\n");
        assert_eq!(lab.answer(&format!("{command} fibonacci.sms -p 7")), "6\n6\n1\n");
    }
    assert_eq!(lab.answer("charpoly diagonal.sms -p 5"), "3\n0\n1\n1\n");
    assert_eq!(lab.answer("minpoly diagonal.sms -p 5"), "2\n2\n1\n");
    let document = lab.document("minpoly diagonal.sms -p 5 --json");
    for (field, value) in [
        ("degree", json!(2)),
        ("coefficients", json!(["2", "2", "1"])),
        ("invariant_factors", json!([["4", "1"], ["2", "2", "1"]])),
        ("certainty", json!("proven")),
    ] {
        assert_eq!(document[field], value);
    }
    lab.write("zero.sms", "3 3 M\n0 0 0\n");
    let document = lab.document("charpoly zero.sms -p 2 --json");
    assert_eq!((&document["coefficients"], &document["certainty"]), (&json!(["0", "0", "0", "1"]), &json!("proven")));
    assert_eq!(lab.answer("minpoly zero.sms -p 2"), "0\n1\n");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("polynomial-refused");
    lab.write("wide.sms", "1 2 M\n1 1 1\n0 0 0\n");
    for (args, code, words) in [
        ("minpoly wide.sms -p 7", 3, "wide.sms: only a square matrix has a minimal polynomial, this one is 1 x 2"),
        ("charpoly wide.sms -p 7", 3, "wide.sms: only a square matrix has a characteristic polynomial"),
        ("minpoly diagonal.sms", 2, "--modulus"),
        ("charpoly diagonal.sms -p 4", 2, "4"),
        ("charpoly missing.sms -p 7", 3, "missing.sms"),
        ("charpoly diagonal.sms -p 7 --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
}
