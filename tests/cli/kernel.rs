//! `blackfield kernel`: null spaces, checked by products.

use crate::{DIAGONAL, Lab};
use blackfield::sparse::Triplets;
use num_bigint::BigInt;
use serde_json::json;
use std::collections::BTreeMap;

/// The entries of a matrix file by row and column.
pub fn entries(lab: &Lab, name: &str) -> (usize, usize, BTreeMap<(u32, u32), BigInt>) {
    let matrix = Triplets::read(lab.dir.join(name)).unwrap();
    let all = matrix.entries().map(|(i, j, v)| ((i as u32, j as u32), v.to_bigint())).collect();
    (matrix.rows(), matrix.cols(), all)
}

/// The entries of a product mod p that are not zero.
pub fn product(
    a: &BTreeMap<(u32, u32), BigInt>,
    b: &BTreeMap<(u32, u32), BigInt>,
    p: u64,
) -> BTreeMap<(u32, u32), BigInt> {
    let mut sums = BTreeMap::<(u32, u32), BigInt>::new();
    for (&(i, j), v) in a {
        for (&(_, k), w) in b.range((j, 0)..=(j, u32::MAX)) {
            *sums.entry((i, k)).or_default() += v * w;
        }
    }
    let zero = BigInt::ZERO;
    sums.values_mut().for_each(|sum| *sum = ((&*sum % p) + p) % p);
    sums.retain(|_, sum| *sum != zero);
    sums
}

#[test]
fn kernels_from_both_sides_are_kernels() {
    let lab = Lab::with_diagonal("kernel");
    lab.answer("generate EX1 -o e.mtx.gz");
    lab.answer("generate ch4-4-b2 -o m.sms");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    lab.write("long.mtx", "%%MatrixMarket matrix coordinate integer general\n3 100000 3\n1 1 4\n2 70000 -1\n2 1 9\n");
    for matrix in ["diagonal.sms", "e.mtx.gz", "m.sms", "zero.sms", "long.mtx"] {
        let (rows, cols, a) = entries(&lab, matrix);
        for p in [2, 65521, 9223372036854775783] {
            let rank: usize = lab.answer(&format!("rank {matrix} -p {p}")).trim().parse().unwrap();
            for (side, coordinates, out) in [("", cols, "n.sms"), ("--left", rows, "n.sms.gz")] {
                let dimension = coordinates - rank;
                let command = format!("kernel {matrix} -p {p} {side}");
                assert_eq!(lab.answer(&format!("{command} -o {out}")), format!("{dimension}\n"), "{command}");
                assert_eq!(lab.answer(&format!("{command} --dimension")), format!("{dimension}\n"), "{command}");
                let (m, k, n) = entries(&lab, out);
                let left = side == "--left";
                assert_eq!((m, k), if left { (dimension, rows) } else { (cols, dimension) }, "{command}");
                let zero = if left { product(&n, &a, p) } else { product(&a, &n, p) };
                assert!(zero.is_empty(), "{command}");
                assert_eq!(lab.answer(&format!("rank {out} -p {p}")), format!("{dimension}\n"), "{command}");
                if coordinates > 300 {
                    continue;
                }
                // Enough random ones have the rank of the kernel.
                let many = dimension + 64;
                lab.answer(&format!("{command} --vectors {many} -o r.sms --seed 5"));
                let (_, _, n) = entries(&lab, "r.sms");
                let zero = if left { product(&n, &a, p) } else { product(&a, &n, p) };
                assert!(zero.is_empty(), "{command}");
                assert_eq!(lab.answer(&format!("rank r.sms -p {p}")), format!("{dimension}\n"), "{command}");
            }
        }
    }
}

#[test]
fn a_document_counts_what_was_written() {
    let lab = Lab::new("kernel-json");
    lab.answer("generate ch4-4-b2 -o m.sms");
    let document = lab.document("kernel m.sms -p 65521 -o n.sms --json");
    let (_, cols, n) = entries(&lab, "n.sms");
    assert_eq!(document["rank"].as_u64().unwrap() + document["dimension"].as_u64().unwrap(), 72, "{document}");
    assert_eq!(document["entries"], json!(n.len()));
    assert_eq!((&document["vectors"], &document["dimension"]), (&json!(cols), &json!(cols)));
    for (field, value) in [("side", json!("right")), ("certainty", json!("proven")), ("output", json!("n.sms"))] {
        assert_eq!(document[field], value);
    }
    let only = lab.document("kernel m.sms -p 65521 --left --dimension --json");
    assert_eq!((&only["vectors"], &only["output"], &only["side"]), (&json!(0), &json!(null), &json!("left")));
    // The same bytes on any number of threads, and vectors on standard output.
    let text = lab.answer("kernel m.sms -p 65521 -o - --threads 3");
    assert_eq!(text.as_bytes(), lab.read("n.sms"));
    let run = lab.run_with_input("kernel - -p 2 -o -", DIAGONAL);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3 2 M\n2 1 1\n3 2 1\n0 0 0\n"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let lab = Lab::with_diagonal("kernel-refused");
    lab.write("bad.sms", "3 3 M\n1 1 1\n2 two 2\n0 0 0\n");
    for (args, code, words) in [
        ("kernel diagonal.sms -p 7", 2, "--output"),
        ("kernel diagonal.sms -p 8 -o n.sms", 2, "8"),
        ("kernel diagonal.sms -p 7,11 -o n.sms", 2, "prime"),
        ("kernel diagonal.sms -p 7 -o n.txt", 2, "n.txt: the name must end in .sms, .mtx"),
        ("kernel diagonal.sms -p 7 -o diagonal.sms", 2, "would replace the input"),
        ("kernel diagonal.sms -p 7 --dimension -o n.sms", 2, "cannot be used with"),
        ("kernel diagonal.sms -p 7 --dimension --vectors 2", 2, "cannot be used with"),
        ("kernel diagonal.sms -p 7 --json -o -", 2, "name a file"),
        ("kernel diagonal.sms -p 7 -o no/such/folder.sms", 3, "no/such/folder.sms"),
        ("kernel missing.sms -p 7 -o n.sms", 3, "missing.sms"),
        ("kernel bad.sms -p 7 -o n.sms", 3, "bad.sms:3: "),
        ("kernel diagonal.sms -p 7 -o n.sms --max-memory 64", 4, "64 bytes are allowed"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
        assert!(!lab.dir.join("n.sms").exists(), "{args}");
    }
}
