//! Moduli beyond a word: `rank`, `kernel`, `solve`, checked by products, and the commands that refuse them.

use crate::Lab;
use crate::kernel::entries;
use num_bigint::BigInt;
use serde_json::json;
use std::collections::BTreeMap;

type Entries = BTreeMap<(u32, u32), BigInt>;

/// The entries of a product mod p that are not zero.
fn product(a: &Entries, b: &Entries, p: &BigInt) -> Entries {
    let mut sums = Entries::new();
    for (&(i, j), v) in a {
        for (&(_, k), w) in b.range((j, 0)..=(j, u32::MAX)) {
            *sums.entry((i, k)).or_default() += v * w;
        }
    }
    residues(sums, p)
}

fn residues(mut a: Entries, p: &BigInt) -> Entries {
    a.values_mut().for_each(|v| *v = ((&*v % p) + p) % p);
    a.retain(|_, v| *v != BigInt::ZERO);
    a
}

fn mersenne(e: u32) -> BigInt {
    (BigInt::from(1) << e) - 1
}

#[test]
fn null_spaces_and_solutions_modulo_large_primes() {
    let lab = Lab::with_diagonal("large");
    lab.answer("generate relations_60_50_1 -o r.sms");
    lab.answer("generate ch4-4-b2 -o m.mtx.gz");
    lab.write("wide.mtx", "%%MatrixMarket matrix coordinate integer general\n3 100000 3\n1 1 4\n2 70000 -1\n2 1 9\n");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    for (matrix, rank) in [("r.sms", 49), ("m.mtx.gz", 57), ("diagonal.sms", 3), ("wide.mtx", 2), ("zero.sms", 0)] {
        let (rows, cols, a) = entries(&lab, matrix);
        for (e, method) in [(89, "auto"), (127, "wiedemann"), (521, "elimination"), (607, "auto")] {
            let (p, of) = (mersenne(e), format!("{matrix} -p 2^{e}-1"));
            assert_eq!(lab.answer(&format!("rank {of} --method {method}")), format!("{rank}\n"), "{of}");
            for (side, coordinates) in [("", cols), ("--left", rows)] {
                let dimension = coordinates - rank;
                assert_eq!(lab.answer(&format!("kernel {of} {side} --dimension")), format!("{dimension}\n"), "{of}");
                let some = if dimension > 1000 { "--vectors 3" } else { "" };
                assert_eq!(lab.answer(&format!("kernel {of} {side} {some} -o n.sms.gz")), format!("{dimension}\n"));
                let (_, _, n) = entries(&lab, "n.sms.gz");
                let zero = if side.is_empty() { product(&a, &n, &p) } else { product(&n, &a, &p) };
                assert!(zero.is_empty(), "{of} {side}");
                if some.is_empty() {
                    assert_eq!(lab.answer(&format!("rank n.sms.gz -p {p}")), format!("{dimension}\n"), "{of} {side}");
                }
            }
            for random in ["", "--random"] {
                let command = format!("solve {of} --rhs {matrix} -o x.sms {random}");
                if cols < 1000 {
                    assert_eq!(lab.answer(&command), "consistent\n", "{command}");
                    assert_eq!(product(&a, &entries(&lab, "x.sms").2, &p), residues(a.clone(), &p), "{command}");
                }
            }
        }
    }
}

#[test]
fn documents_have_the_modulus_as_a_string_and_the_contradiction() {
    let lab = Lab::new("large-json");
    lab.write("a.sms", "3 2 M\n1 1 1\n2 1 2\n3 2 5\n0 0 0\n");
    lab.write("b.sms", "3 2 M\n1 1 3\n2 1 6\n2 2 1\n0 0 0\n");
    let p = mersenne(127);
    let document = lab.document("solve a.sms --rhs b.sms -p 2^127-1 --json");
    assert_eq!((&document["modulus"], &document["inconsistent"]), (&json!(p.to_string()), &json!([1])));
    let contradiction = &document["contradiction"];
    let y: BTreeMap<u32, BigInt> = serde_json::from_value::<Vec<(u32, String)>>(contradiction["y"].clone())
        .unwrap()
        .into_iter()
        .map(|(i, v)| (i, v.parse().unwrap()))
        .collect();
    let sum = |column: u32, name: &str| {
        let (_, _, a) = entries(&lab, name);
        a.iter().filter(|(at, _)| at.1 == column).filter_map(|(at, v)| Some(v * y.get(&at.0)?)).sum::<BigInt>() % &p
    };
    assert_eq!([sum(0, "a.sms"), sum(1, "a.sms")], [BigInt::ZERO, BigInt::ZERO]);
    assert_eq!(sum(1, "b.sms").to_string(), contradiction["value"].as_str().unwrap());
    for (command, key) in
        [("rank a.sms", "rank"), ("kernel a.sms --dimension", "rank"), ("kernel a.sms -o n.sms", "rank")]
    {
        let document = lab.document(&format!("{command} -p {p} --json"));
        assert_eq!((&document["modulus"], &document[key]), (&json!(p.to_string()), &json!(2)), "{command}");
    }
    // Both sizes in one run.
    assert_eq!(lab.answer("rank a.sms -p 5,2^89-1,65521 --bare"), "1\n2\n2\n");
}

#[test]
fn what_is_not_possible_is_refused() {
    let lab = Lab::with_diagonal("large-refused");
    lab.write("half.sms", "1 1 M\n1 1 1/2\n0 0 0\n");
    for (command, code, message) in [
        ("rank diagonal.sms -p 2^127+1", 2, "is not a prime"),
        ("rank diagonal.sms -p 2^99999-1", 2, "at most 65536 bits"),
        ("rank diagonal.sms -p 2^127-1 --trials 2", 2, "repeated trials cannot be had"),
        ("rank diagonal.sms -p 2^127-1 --certificate c", 2, "a certificate, cannot be had"),
        ("rank diagonal.sms -p 2^127-1 --rational", 2, "--rational takes primes below 2^63"),
        ("kernel half.sms -p 2^127-1 --dimension", 3, "fractions are not possible"),
        ("rank half.sms -p 2^127-1", 3, "multiply rows by their denominators"),
        ("solve diagonal.sms --rhs half.sms -p 2^127-1", 3, "half.sms"),
        ("rref diagonal.sms -p 170141183460469231731687303715884105727 -o r.sms", 2, "2 <= p < 2^63"),
        ("minpoly diagonal.sms -p 170141183460469231731687303715884105727", 2, "2 <= p < 2^63"),
        ("rank diagonal.sms -p 2^127-1 --max-memory 10", 4, "bytes"),
    ] {
        let run = lab.run(command);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{command}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{command}: {}", run.stderr);
    }
}
