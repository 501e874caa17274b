//! `blackfield smith`: invariant factors over ℤ.

use crate::Lab;
use serde_json::json;

#[test]
fn forms_that_are_known() {
    let lab = Lab::with_diagonal("smith");
    assert_eq!(lab.answer("smith diagonal.sms"), "1 1\n2 1\n6 1\n");
    assert_eq!(lab.answer("smith diagonal.sms --pattern"), "1 3\n");
    // No rows, no columns, no entries, a vector, an entry of 67 digits.
    for (name, text, factors) in [
        ("flat", "0 3 M\n0 0 0\n", ""),
        ("none", "0 0 M\n0 0 0\n", ""),
        ("zero", "2 5 M\n0 0 0\n", ""),
        ("one", "1 1 M\n1 1 -7\n0 0 0\n", "7 1\n"),
        ("wide", "1 3 M\n1 1 6\n1 2 10\n1 3 15\n0 0 0\n", "1 1\n"),
        ("tall", "3 1 M\n1 1 6\n2 1 -10\n0 0 0\n", "2 1\n"),
        ("singular", "2 2 M\n1 1 2\n1 2 4\n2 1 3\n2 2 6\n0 0 0\n", "1 1\n"),
        ("coprime", "2 2 M\n1 1 4\n2 2 6\n0 0 0\n", "2 1\n12 1\n"),
    ] {
        lab.write(&format!("{name}.sms"), text);
        assert_eq!(lab.answer(&format!("smith {name}.sms -q")), factors, "{name}");
    }
    let large = "1000000000000000000000000000057000000000000000000000000000000000000";
    lab.write("large.sms", format!("2 2 M\n1 1 {large}\n2 2 2\n0 0 0\n"));
    assert_eq!(lab.answer("smith large.sms"), format!("2 1\n{large} 1\n"));
    lab.answer("generate mk9-b3 -o m.sms");
    assert_eq!(lab.answer("smith m.sms --threads 1"), "1 867\n3 8\n");
}

#[test]
fn powers_of_one_prime() {
    let lab = Lab::new("smith-local");
    lab.write("a.sms", "4 4 M\n1 1 4\n2 2 6\n3 3 9\n4 4 40\n0 0 0\n");
    assert_eq!(lab.answer("smith a.sms"), "1 1\n2 1\n12 1\n360 1\n");
    for (p, factors) in [(2u64, "1 1\n2 1\n4 1\n8 1\n"), (3, "1 2\n3 1\n9 1\n"), (5, "1 3\n5 1\n"), (7, "1 4\n")] {
        assert_eq!(lab.answer(&format!("smith a.sms --local {p}")), factors, "{p}");
    }
    assert_eq!(lab.answer("smith a.sms --local 9223372036854775783"), "1 4\n");
}

#[test]
fn documents() {
    let lab = Lab::with_diagonal("smith-json");
    let document = lab.document("smith diagonal.sms --json --local 2");
    for (field, value) in [
        ("schema", json!("blackfield/smith/1")),
        ("ring", json!("Z")),
        ("rank", json!(3)),
        ("factors", json!([["1", 1], ["2", 2]])),
        ("local", json!(2)),
        ("certainty", json!("proven")),
    ] {
        assert_eq!(document[field], value);
    }
    assert_eq!(lab.document("smith diagonal.sms --json")["local"], json!(null));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("smith-refused");
    lab.write("broken.sms", "2 2 M\n1 1 1/2\n0 0 0\n");
    for (args, code, words) in [
        ("smith diagonal.sms --local 4", 2, "4"),
        ("smith diagonal.sms --proven --error 1e-3", 2, "--error"),
        ("smith missing.sms", 3, "missing.sms"),
        ("smith broken.sms", 3, "broken.sms:2"),
        ("smith diagonal.sms --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
    }
}
