//! `blackfield solve --rational` and `blackfield det` without a modulus: fractions multiplied out, known determinants.

use crate::Lab;
use blackfield::Silent;
use blackfield::io::{ReadOptions, read_rational};
use num_bigint::BigInt;
use serde_json::json;

/// A·X = B for files of fractions, multiplied out.
fn solves(lab: &Lab, a: &str, x: &str, b: &str) {
    let read = |name: &str| read_rational(&lab.dir.join(name), &ReadOptions::default(), &Silent).unwrap();
    let (a, x, b) = (read(a), read(x), read(b));
    assert_eq!((x.rows(), x.cols()), (a.cols(), b.cols()));
    // (n, d) for each place, never in lowest terms.
    let mut sums = vec![(BigInt::ZERO, BigInt::from(1)); b.rows() * b.cols()];
    let add = |sum: &mut (BigInt, BigInt), n: BigInt, d: BigInt| *sum = (&sum.0 * &d + n * &sum.1, &sum.1 * d);
    for (i, j, v) in a.entries() {
        for (_, k, w) in x.entries().filter(|(row, _, _)| *row == j) {
            let n = v.numerator().to_bigint() * w.numerator().to_bigint();
            add(&mut sums[i * b.cols() + k], n, v.denominator().to_bigint() * w.denominator().to_bigint());
        }
    }
    for (i, k, v) in b.entries() {
        add(&mut sums[i * b.cols() + k], -v.numerator().to_bigint(), v.denominator().to_bigint());
    }
    assert!(sums.iter().all(|(n, _)| *n == BigInt::ZERO), "{a:?} {x:?} {b:?}");
}

#[test]
fn fractions_solve_what_fractions_ask() {
    let lab = Lab::with_diagonal("rational-solve");
    lab.answer("generate Trefethen_20 -o t.mtx");
    lab.answer("generate bibd_9_5 -o wide.sms");
    lab.write("b.sms", "3 2 M\n1 1 5\n3 1 12345678901234567890123\n3 2 -1\n0 0 0\n");
    lab.write("q.sms", "3 2 Q\n1 1 5/7\n2 1 1/36893488147419103232\n3 2 -1/3\n0 0 0\n");
    lab.write("c.mtx", "%%MatrixMarket matrix coordinate integer general\n20 1 2\n1 1 1\n20 1 -4\n");
    for (a, b) in [
        ("diagonal.sms", "b.sms"),
        ("diagonal.sms", "q.sms"),
        ("t.mtx", "c.mtx"),
        ("wide.sms", "wide.sms"),
        ("q.sms", "q.sms"),
    ] {
        for x in ["x.sms", "x.mtx", "x.sms.gz"] {
            let _ = std::fs::remove_file(lab.dir.join(x));
            assert_eq!(lab.answer(&format!("solve {a} --rhs {b} --rational -o {x}")), "consistent\n", "{a} {b}");
            solves(&lab, a, x, b);
        }
    }
    let document = lab.document("solve diagonal.sms --rhs b.sms --rational -o x.sms --json");
    for (field, value) in [
        ("schema", json!("blackfield/solve/1")),
        ("field", json!("Q")),
        ("certainty", json!("proven")),
        ("rank", json!(3)),
        ("entries", json!(3)),
        ("denominator_bits", json!(3)),
    ] {
        assert_eq!(document[field], value, "{field}");
    }
    let text = std::fs::read_to_string(lab.dir.join("x.sms")).unwrap();
    assert_eq!(text, "3 2 Q\n1 1 5\n3 1 4115226300411522630041/2\n3 2 -1/6\n0 0 0\n");
}

#[test]
fn contradictions_are_over_the_integers() {
    let lab = Lab::new("rational-contradiction");
    lab.write("a.sms", "3 2 Q\n1 1 1/2\n2 1 2\n3 2 5\n0 0 0\n");
    lab.write("b.sms", "3 3 M\n1 1 3\n2 1 12\n1 2 1\n3 2 4\n2 3 1\n0 0 0\n");
    let document = lab.document("solve a.sms --rhs b.sms --rational --json -o x.sms");
    assert_eq!((&document["consistent"], &document["inconsistent"]), (&json!(false), &json!([1, 2])));
    assert!(!lab.dir.join("x.sms").exists());
    // y is a multiple of (4, -1, 0), b of the second column (1, 0, 4).
    let found = &document["contradiction"];
    let of = |k: usize| -> (u64, i64) {
        (found["y"][k][0].as_u64().unwrap(), found["y"][k][1].as_str().unwrap().parse().unwrap())
    };
    let ((0, first), (1, second)) = (of(0), of(1)) else { panic!("{found}") };
    assert_eq!((first + 4 * second, &found["value"]), (0, &json!(first.to_string())));
    // With a right side of 0 there is always one.
    lab.write("zero.sms", "3 1 M\n0 0 0\n");
    assert_eq!(lab.answer("solve a.sms --rhs zero.sms --rational"), "consistent\n");
}

#[test]
fn determinants_over_the_integers() {
    let lab = Lab::with_diagonal("integer-det");
    lab.write("turned.sms", "3 3 M\n1 2 1\n2 1 36893488147419103233\n3 3 2\n0 0 0\n");
    lab.write("empty.sms", "0 0 M\n0 0 0\n");
    lab.write("zero.sms", "2 2 M\n0 0 0\n");
    lab.write("fractions.sms", "2 2 Q\n1 1 1/2\n2 2 3/5\n1 2 1\n0 0 0\n");
    lab.answer("generate redheffer_95 -o r.sms");
    lab.answer("generate hypercube_5 -o h.sms");
    for (file, det) in [
        ("diagonal.sms", "12"),
        ("turned.sms", "-73786976294838206466"),
        ("empty.sms", "1"),
        ("zero.sms", "0"),
        ("fractions.sms", "3/10"),
        ("r.sms", "2"),
        ("h.sms", "20776019874734407680"),
    ] {
        for proven in ["", "--proven", "--seed 9"] {
            assert_eq!(lab.answer(&format!("det {file} {proven}")), format!("{det}\n"));
        }
    }
    let document = lab.document("det h.sms --json --proven");
    for (field, value) in [
        ("schema", json!("blackfield/det/1")),
        ("det", json!("20776019874734407680")),
        ("certainty", json!("proven")),
        ("rank", json!(31)),
    ] {
        assert_eq!(document[field], value, "{field}");
    }
    let document = lab.document("det fractions.sms --json");
    assert_eq!((&document["field"], &document["det"]), (&json!("Q"), &json!("3/10")));
}

#[test]
fn determinants_of_blocks() {
    let lab = Lab::new("block-det");
    // (1 2 3; 4 5 6; 7 8 10), determinant -3, 401 times: rows are listed backwards, which is odd.
    let entry = |k: usize| (k / 9 * 3 + k % 9 / 3, k / 9 * 3 + k % 3, if k % 9 == 8 { 10 } else { k % 9 + 1 });
    let entries = (0..401 * 9).map(entry).map(|(i, j, v)| format!("{} {} {v}\n", 1203 - i, j + 1));
    lab.write("blocks.sms", format!("1203 1203 M\n{}0 0 0\n", entries.collect::<String>()));
    let d = lab.document("det blocks.sms --json");
    // The sign of the order 1203 … 1 is (-1)^(1203·601).
    let bits = 401.0 * 3f64.log2();
    assert_eq!((&d["bits"], &d["certainty"], &d["rank"]), (&json!(bits as u64 + 1), &json!("proven"), &json!(1203)));
    assert!(!d["det"].as_str().unwrap().starts_with('-'), "(-3)^401 times -1: {d}");
    assert_eq!(
        (&d["path"][0]["found"], &d["path"][1]["name"]),
        (&json!("401 diagonal blocks"), &json!("small blocks"))
    );
    // Two rows with entries in one column only.
    lab.write("narrow.sms", "3 3 M\n1 1 1\n2 1 2\n3 1 1\n3 2 1\n3 3 1\n0 0 0\n");
    let d = lab.document("det narrow.sms --json");
    assert_eq!((&d["det"], &d["certainty"], &d["rank"]), (&json!("0"), &json!("proven"), &json!(2)));
    assert!(d["reason"].as_str().unwrap().starts_with("at most 2 of 3 rows are matched"), "{d}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("lifting-refused");
    lab.write("short.sms", "2 1 M\n1 1 1\n0 0 0\n");
    for (args, code, words) in [
        ("solve diagonal.sms --rhs diagonal.sms -o x.sms", 2, "--modulus"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 --rational -o x.sms", 2, "cannot be used with"),
        ("solve diagonal.sms --rhs diagonal.sms --rational --random -o x.sms", 2, "cannot be used with"),
        ("solve diagonal.sms --rhs diagonal.sms --rational -o -", 2, "name a file"),
        ("solve diagonal.sms --rhs short.sms --rational -o x.sms", 3, "short.sms: the right sides need 3 rows"),
        ("solve diagonal.sms --rhs diagonal.sms --rational --max-memory 64 -o x.sms", 4, "64 bytes are allowed"),
        ("det short.sms", 3, "short.sms: only a square matrix has a determinant, this one is 2 x 1"),
        ("det missing.sms", 3, "missing.sms"),
        ("det diagonal.sms --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
        assert!(!lab.dir.join("x.sms").exists(), "{args}");
    }
}
