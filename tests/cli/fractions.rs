//! Matrices over ℚ: fractions in files, and null spaces and echelon forms over the rationals.

use crate::Lab;
use serde_json::json;

/// (1/2 1/3 1; 1 2/3 2; 0 1 -5/7), rank 2.
const FRACTIONS: &str = "3 3 Q\n1 1 1/2\n1 2 2/6\n1 3 1\n2 1 1\n2 2 2/3\n2 3 2\n3 2 1\n3 3 5/-7\n0 0 0\n";

#[test]
fn fractions_are_rewritten_and_reduced() {
    let lab = Lab::new("fractions");
    lab.write("a.sms", FRACTIONS);
    let market = "%%MatrixMarket matrix coordinate rational general\n3 3 8\n1 1 1/2\n1 2 1/3\n1 3 1\n2 1 1\n2 2 2/3\n2 3 2\n3 2 1\n3 3 -5/7\n";
    assert_eq!(lab.answer("convert a.sms -"), market);
    let turned = "3 3 Q\n1 1 1/2\n1 2 1\n2 1 1/3\n2 2 2/3\n2 3 1\n3 1 1\n3 2 2\n3 3 -5/7\n0 0 0\n";
    assert_eq!(lab.answer("convert a.sms - --to sms --transpose"), turned);
    // 1/2 = 3, 1/3 = 2, 2/3 = 4, -5/7 = 0 mod 5.
    let residues = "3 3 M\n1 1 3\n1 2 2\n1 3 1\n2 1 1\n2 2 4\n2 3 2\n3 2 1\n0 0 0\n";
    assert_eq!(lab.answer("convert a.sms - --to sms -p 5"), residues);
    lab.answer("convert a.sms b.mtx.gz");
    assert_eq!(lab.answer("rank a.sms b.mtx.gz -p 5 --bare"), "2\n2\n");
    assert_eq!(lab.answer("rank a.sms --rational"), "2\n");
    let digest = |file: &str| lab.document(&format!("rank {file} -p 5 --json"))["digest"].clone();
    assert_eq!(digest("a.sms"), digest("b.mtx.gz"));
    lab.write("n.sms", "3 3 M\n1 1 3\n1 2 2\n1 3 6\n2 1 3\n2 2 2\n2 3 6\n3 2 7\n3 3 -5\n0 0 0\n");
    assert_ne!(digest("a.sms"), digest("n.sms"));
    lab.answer("rank a.sms -p 5 --certificate c.cert");
    lab.answer("verify c.cert b.mtx.gz");
    assert_eq!(lab.run("verify c.cert n.sms").code, 3);
    // The form mod 5, and the left null vectors: those of the matrix, not of its numerators.
    assert_eq!(lab.answer("rref a.sms -p 5 -o -"), "2 3 M\n1 1 1\n2 2 1\n1 3 2\n0 0 0\n");
    assert_eq!(lab.answer("kernel a.sms -p 5 --left -o -"), "1 3 M\n1 1 3\n1 2 1\n0 0 0\n");
    assert_eq!(lab.answer("det a.sms -p 5"), "0\n");
    lab.write("d.sms", "2 2 Q\n1 1 1/2\n2 2 2/3\n0 0 0\n");
    // 3 and 4 mod 5, whose product is 2 and whose sum is 2.
    assert_eq!((lab.answer("det d.sms -p 5"), lab.answer("charpoly d.sms -p 5")), ("2\n".into(), "2\n3\n1\n".into()));
    assert_eq!(lab.answer("minpoly d.sms -p 5"), lab.answer("charpoly d.sms -p 5"));
    // The solution of the system with itself is the identity.
    assert_eq!(lab.answer("solve d.sms --rhs d.sms -p 5 -o x.sms"), "consistent\n");
    assert_eq!(lab.text("x.sms"), "2 2 M\n1 1 1\n2 2 1\n0 0 0\n");
    for (args, code, words) in [
        ("rank a.sms -p 7", 3, "a.sms:9: row 3, whose first fraction is here, has the common denominator 7"),
        ("rank a.sms -p 7 -p 3", 3, "a.sms:2: row 1"),
        ("kernel a.sms -p 3 --dimension", 3, "a.sms:2: row 1"),
        ("convert a.sms b.sms -p 7", 3, "a.sms:9"),
        ("det a.sms -p 7", 3, "a.sms:9"),
        ("solve a.sms --rhs a.sms -p 3", 3, "a.sms:2: row 1"),
        ("solve a.sms --rhs a.sms -p 2^127-1", 3, "fractions are not possible modulo primes beyond 2^63"),
        ("smith a.sms", 3, "a.sms:2: expected an integer, found \"1/2\""),
        ("info a.sms", 3, "a.sms:2: expected an integer"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
    // Over Q there is a rank nevertheless.
    let run = lab.run("rank a.sms --rational -p 2");
    assert_eq!((run.code, run.stdout.as_str()), (3, "a.sms\tQ\t2\tproven\n"));
    assert!(run.stderr.contains("a.sms:2: row 1"), "{}", run.stderr);
}

#[test]
fn forms_over_the_rationals() {
    let lab = Lab::new("rational-rref");
    lab.write("a.sms", FRACTIONS);
    // x₃ = t: x₂ = 5/7·t, x₁ = -2·(5/21 + 1)·t.
    let form = "2 3 Q\n1 1 1\n2 2 1\n1 3 52/21\n2 3 -5/7\n0 0 0\n";
    assert_eq!(lab.answer("rref a.sms --rational -o -"), form);
    assert_eq!(lab.answer("rref a.sms --rational -o r.sms.gz"), "2\n");
    assert_eq!(lab.answer("convert r.sms.gz - --to sms").lines().count(), 6);
    assert_eq!(lab.answer("rref a.sms --rational --pivots-only"), "0\n1\n");
    lab.write("order", "2 1 0\n");
    assert_eq!(lab.answer("rref a.sms --rational --column-order order --pivots-only"), "2\n1\n");
    let document = lab.document("rref a.sms --rational -o r.sms --json");
    for (field, value) in [
        ("field", json!("Q")),
        ("rank", json!(2)),
        ("pivots", json!([0, 1])),
        ("entries", json!(4)),
        ("certainty", json!("proven")),
    ] {
        assert_eq!(document[field], value);
    }
    assert_eq!(document["primes"].as_array().unwrap().len(), 1);
    assert!(document.get("modulus").is_none());
    let pivots = lab.document("rref a.sms --rational --pivots-only --json");
    // Its minors are too small for a prime of 62 bits to divide one.
    assert_eq!((&pivots["certainty"], &pivots["pivots"]), (&json!("proven"), &json!([0, 1])));
    assert!(pivots["reason"].as_str().unwrap().contains("no such prime divides"));
    lab.answer("generate mk7-b2 -o d.sms");
    let pivots = lab.document("rref d.sms --rational --pivots-only --json");
    assert_eq!((&pivots["certainty"], &pivots["rank"]), (&json!("monte-carlo"), &json!(85)));
    assert!(pivots["error_bound"].as_f64().unwrap() < 1e-12);
}

#[test]
fn kernels_over_the_rationals() {
    let lab = Lab::new("rational-kernel");
    lab.write("a.sms", FRACTIONS);
    assert_eq!(lab.answer("kernel a.sms --rational -o n.sms"), "1\n");
    assert_eq!(lab.answer("kernel a.sms --rational --dimension"), "1\n");
    // One vector, whatever its scale: the integers have no common divisor.
    let integers = lab.answer("kernel a.sms --rational --integers -o -");
    let vector = |sign: &str, other: &str| format!("3 1 M\n1 1 {sign}52\n2 1 {other}15\n3 1 {other}21\n0 0 0\n");
    assert!([vector("-", ""), vector("", "-")].contains(&integers), "{integers}");
    // The second row is twice the first.
    let left = lab.answer("kernel a.sms --rational --left --integers -o -");
    let expected = ["1 3 M\n1 1 -2\n1 2 1\n0 0 0\n", "1 3 M\n1 1 2\n1 2 -1\n0 0 0\n"];
    assert!(expected.contains(&left.as_str()), "{left}");
    let document = lab.document("kernel a.sms --rational --left -o l.sms --json");
    assert_eq!((&document["dimension"], &document["side"]), (&json!(1), &json!("left")));
    assert_eq!((&document["field"], &document["certainty"]), (&json!("Q"), &json!("proven")));
    lab.answer("generate mk7-b2 -o d.sms");
    assert_eq!(lab.answer("kernel d.sms --rational --left -o z.sms"), "20\n");
    for (args, code, words) in [
        ("kernel a.sms -p 5 --rational -o n.sms", 2, "cannot be used with"),
        ("kernel a.sms -p 5 --integers -o n.sms", 2, "cannot be used with"),
        ("kernel a.sms --rational --integers --dimension", 2, "cannot be used with"),
        ("kernel a.sms --rational --vectors 2 -o m.sms", 2, "cannot be used with"),
        ("kernel a.sms -o n.sms", 2, "--modulus"),
        ("rref a.sms --rational", 2, "--output"),
        ("rref a.sms --rational -o a.sms", 2, "would replace the input"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
}
