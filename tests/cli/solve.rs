//! `blackfield solve`: solutions and contradictions, checked by products.

use crate::Lab;
use crate::kernel::{entries, product};
use num_bigint::BigInt;
use serde_json::json;
use std::collections::BTreeMap;

#[test]
fn solutions_solve_and_contradictions_contradict() {
    let lab = Lab::with_diagonal("solve");
    lab.answer("generate EX1 -o e.mtx.gz");
    lab.answer("generate ch4-4-b2 -o m.sms");
    lab.write("b.sms", "3 2 M\n1 1 5\n3 1 12345678901234567890123\n3 2 -1\n0 0 0\n");
    // Its own columns are combinations of them.
    lab.answer("convert m.sms columns.sms");
    for (matrix, right, p, consistent) in [
        ("diagonal.sms", "b.sms", 65521, true),
        ("diagonal.sms", "b.sms", 9223372036854775783, true),
        ("diagonal.sms", "b.sms", 2, false),
        ("diagonal.sms", "b.sms", 3, false),
        ("m.sms", "columns.sms", 2, true),
        ("m.sms", "columns.sms", 65521, true),
        ("e.mtx.gz", "e.mtx.gz", 65521, true),
    ] {
        for random in ["", "--random", "--random --seed 7"] {
            for out in ["x.sms", "x.mtx.gz"] {
                let _ = std::fs::remove_file(lab.dir.join(out));
                let command = format!("solve {matrix} --rhs {right} -p {p} -o {out} {random}");
                let word = if consistent { "consistent\n" } else { "inconsistent\n" };
                assert_eq!(lab.answer(&command), word, "{command}");
                assert_eq!(lab.dir.join(out).exists(), consistent, "{command}");
                if consistent {
                    let ((_, cols, a), (_, count, b)) = (entries(&lab, matrix), entries(&lab, right));
                    let (m, k, x) = entries(&lab, out);
                    assert_eq!((m, k), (cols, count), "{command}");
                    assert_eq!(product(&a, &x, p), residues(b, p), "{command}");
                }
            }
        }
    }
}

fn residues(mut b: BTreeMap<(u32, u32), BigInt>, p: u64) -> BTreeMap<(u32, u32), BigInt> {
    b.values_mut().for_each(|v| *v = ((&*v % p) + p) % p);
    b.retain(|_, v| *v != BigInt::ZERO);
    b
}

#[test]
fn a_document_has_the_contradiction() {
    let lab = Lab::new("solve-json");
    lab.write("a.sms", "3 2 M\n1 1 1\n2 1 2\n3 2 5\n0 0 0\n");
    lab.write("b.sms", "3 3 M\n1 1 3\n2 1 6\n1 2 1\n3 2 4\n2 3 1\n0 0 0\n");
    let document = lab.document("solve a.sms --rhs b.sms -p 7 --json -o x.sms");
    assert_eq!((&document["consistent"], &document["inconsistent"]), (&json!(false), &json!([1, 2])));
    assert_eq!(
        (&document["rank"], &document["output"], &document["right_sides"]),
        (&json!(2), &json!(null), &json!(3))
    );
    // y is a multiple of (2, -1, 0), b of the second column (1, 0, 4).
    let found = &document["contradiction"];
    let y: Vec<(u64, u64)> = found["y"]
        .as_array()
        .unwrap()
        .iter()
        .map(|at| (at[0].as_u64().unwrap(), at[1].as_str().unwrap().parse().unwrap()))
        .collect();
    let [(0, first), (1, second)] = y[..] else { panic!("{found}") };
    assert_eq!((first + 2 * second) % 7, 0);
    assert_eq!((&found["column"], &found["value"]), (&json!(1), &json!((first % 7).to_string())));
    let document = lab.document("solve a.sms --rhs a.sms -p 7 --json -o x.sms");
    assert_eq!((&document["consistent"], &document["contradiction"]), (&json!(true), &json!(null)));
    assert_eq!((&document["output"], &document["entries"]), (&json!("x.sms"), &json!(2)));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("solve-refused");
    lab.write("short.sms", "2 1 M\n1 1 1\n0 0 0\n");
    for (args, code, words) in [
        ("solve diagonal.sms -p 7 -o x.sms", 2, "--rhs"),
        ("solve diagonal.sms --rhs diagonal.sms -p 6 -o x.sms", 2, "6"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 -o -", 2, "name a file"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 -o x.txt", 2, "x.txt"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 -o diagonal.sms", 2, "would replace the input"),
        ("solve - --rhs - -p 7 -o x.sms", 2, "only once"),
        ("solve diagonal.sms --rhs short.sms -p 7 -o x.sms", 3, "short.sms: the right sides need 3 rows"),
        ("solve diagonal.sms --rhs missing.sms -p 7 -o x.sms", 3, "missing.sms"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 -o no/such/x.sms", 3, "no/such/x.sms"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 --max-memory 64 -o x.sms", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
        assert!(!lab.dir.join("x.sms").exists(), "{args}");
    }
}
