//! `blackfield rank --certificate` and `blackfield verify`: certificates from prover to verifier.

use crate::Lab;
use serde_json::json;

/// A folder with a rank-deficient boundary matrix and its certificates.
fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.answer("generate ch4-4-b2 -o m.mtx");
    lab.answer("generate bibd_9_5 -o full.sms");
    lab
}

#[test]
fn a_certificate_is_written_and_holds() {
    let lab = lab("verify-holds");
    for p in [2u64, 3, 65521, 2147483647, 9223372036854775783] {
        for file in ["m.mtx", "full.sms"] {
            let rank = lab.answer(&format!("rank {file} -p {p} --certificate c.cert"));
            let verdict = lab.answer(&format!("verify c.cert {file}"));
            assert!(verdict.starts_with(&format!("rank {} mod {p} (", rank.trim())), "{rank}{verdict}");
            let d = lab.document(&format!("verify c.cert {file} --json --threads 2"));
            assert_eq!((d["rank"].to_string(), &d["modulus"]), (rank.trim().to_string(), &json!(p)));
            let bound = d["error_bound"].as_f64().unwrap();
            assert!(bound <= 1.1e-19 && (bound == 0.0) == (d["certainty"] == "proven"), "{d}");
            let sum = d["lower_error"].as_f64().unwrap() + d["upper_error"].as_f64().unwrap();
            assert!((bound / sum - 1.0).abs() < 1e-9 && bound <= 2f64.powi(-128) * 1.001, "{d}");
        }
    }
}

#[test]
fn the_words_of_a_verdict() {
    let lab = lab("verify-words");
    lab.answer("rank m.mtx -p 65521 --certificate c.cert --method elimination");
    let text = lab.run("verify c.cert m.mtx").transcript();
    lab.write("triangle.sms", "2 3 M\n1 1 1\n1 2 5\n2 2 2\n0 0 0\n");
    lab.answer("rank triangle.sms -p 7 --certificate t.cert");
    insta::assert_snapshot!(format!("{text}{}", lab.run("verify t.cert triangle.sms").transcript()));
}

#[test]
fn standard_input_and_patterns() {
    let lab = lab("verify-stdin");
    lab.write("real.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.5\n1 2 2.5\n2 2 -1.25\n");
    lab.answer("rank real.mtx -p 7 --pattern --certificate c.cert");
    assert_eq!(lab.answer("verify c.cert real.mtx --pattern"), "rank 2 mod 7 (proven)\n");
    let run = lab.run_with_input("verify - real.mtx --pattern", lab.read("c.cert"));
    assert_eq!((run.code, run.stdout.as_str()), (0, "rank 2 mod 7 (proven)\n"), "{}", run.stderr);
    assert_eq!(lab.run("verify - -").code, 2);
}

#[test]
fn what_does_not_hold_is_refused() {
    use sha2::{Digest, Sha256};
    let lab = lab("verify-refused");
    // A matrix whose rank its structural pivots do not reach, so that the certificate has vectors.
    lab.answer("generate EX1 -o m.mtx");
    lab.answer("rank m.mtx -p 65521 --certificate c.cert");
    let good = lab.read("c.cert");
    let refuse = |bytes: &[u8], matrix: &str, code: i32, words: &str| {
        lab.write("bad.cert", bytes);
        let run = lab.run(&format!("verify bad.cert {matrix}"));
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{}", run.stderr);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    };
    refuse(&good[..good.len() - 1], "m.mtx", 3, "bad.cert: ");
    refuse(&good[..60], "m.mtx", 3, "bad.cert:2: ");
    refuse(b"", "m.mtx", 3, "bad.cert:1: not a certificate");
    refuse(&lab.read("m.mtx"), "m.mtx", 3, "not a certificate");
    refuse(&good, "full.sms", 3, "for another matrix");
    // The last residue of the last vector changed, with a recomputed checksum: only the mathematics can detect it.
    let mut forged = good[..good.len() - 32].to_vec();
    *forged.last_mut().unwrap() ^= 1;
    let at = forged.len() - 2;
    forged[at] ^= 1;
    let hash = Sha256::digest(&forged);
    forged.extend(hash);
    refuse(&forged, "m.mtx", 1, "refuted: ");
    let run = lab.run("verify bad.cert m.mtx --json --quiet");
    let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!((run.code, &error["kind"], &error["code"]), (1, &json!("check"), &json!(1)));
}

#[test]
fn every_verdict_has_a_document() {
    use sha2::{Digest, Sha256};
    let lab = lab("verify-documents");
    // As above: the certificate has vectors.
    lab.answer("generate EX1 -o m.mtx");
    lab.answer("rank m.mtx -p 65521 --certificate c.cert");
    lab.answer("rank full.sms -p 65521 --certificate full.cert");
    let document = |certificate: &str, matrix: &str, code: i32| -> serde_json::Value {
        let run = lab.run(&format!("verify {certificate} {matrix} --json -q"));
        assert_eq!(run.code, code, "{}", run.stderr);
        serde_json::from_str(&run.stdout).unwrap_or(serde_json::Value::Null)
    };
    let good = document("c.cert", "m.mtx", 0);
    assert_eq!(
        (&good["verdict"], &good["file"], &good["certificate"]),
        (&json!(true), &json!("m.mtx"), &json!("c.cert"))
    );
    for field in ["rank", "rows", "cols", "modulus", "lower_error", "upper_error", "seconds"] {
        assert!(good[field].is_number(), "{field}: {good}");
    }
    assert_eq!(good["digest"].as_str().map(str::len), Some(64));

    // A changed vector with a recomputed checksum.
    let bytes = lab.read("c.cert");
    let mut forged = bytes[..bytes.len() - 32].to_vec();
    let at = forged.len() - 2;
    forged[at] ^= 1;
    let hash = Sha256::digest(&forged);
    forged.extend(hash);
    lab.write("forged.cert", &forged);
    lab.write("damaged.cert", &bytes[..bytes.len() - 1]);
    lab.write("none.cert", "nothing");
    for (certificate, matrix, code, kind, words, claims) in [
        ("forged.cert", "m.mtx", 1, "check", "larger rank", true),
        ("damaged.cert", "m.mtx", 3, "input", "bytes are announced", false),
        ("none.cert", "m.mtx", 3, "input", "not a certificate", false),
        ("full.cert", "m.mtx", 3, "input", "for another matrix", true),
    ] {
        let d = document(certificate, matrix, code);
        assert_eq!((&d["verdict"], &d["kind"], &d["code"]), (&json!(false), &json!(kind), &json!(code)), "{d}");
        assert!(d["reason"].as_str().unwrap().contains(words) && d["seconds"].is_number(), "{d}");
        assert_eq!((d["rank"].is_number(), d["digest"].is_string()), (claims, claims), "{d}");
    }
    // No verdict, no document.
    lab.write("words.sms", "3 3 M\n1 two 1\n0 0 0\n");
    for (certificate, matrix) in [("c.cert", "words.sms"), ("c.cert", "no-such-file"), ("no-such.cert", "m.mtx")] {
        assert!(document(certificate, matrix, 3).is_null());
    }
}

#[test]
fn certificates_are_for_one_answer() {
    let lab = lab("verify-usage");
    for args in [
        "rank m.mtx -p 2,3 --certificate c.cert",
        "rank m.mtx full.sms -p 2 --certificate c.cert",
        "rank m.mtx --rational --certificate c.cert",
        "rank m.mtx -p 2 --certificate -",
        "verify c.cert",
    ] {
        assert_eq!(lab.run(args).code, 2, "{args}");
    }
    assert!(!lab.dir.join("-").exists());
}

#[test]
fn a_certificate_never_replaces_its_matrix() {
    let lab = lab("verify-own-matrix");
    let matrix = lab.read("m.mtx");
    for name in ["m.mtx", "./m.mtx"] {
        let run = lab.run(&format!("rank m.mtx -p 2 --certificate {name}"));
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(run.stderr.contains("would replace the input m.mtx"), "{}", run.stderr);
        assert!(lab.read("m.mtx") == matrix);
    }
}

#[test]
fn a_certificate_takes_its_name_when_it_is_whole() {
    let lab = lab("verify-atomic");
    // If the certificate cannot be written, the matrix is not even read.
    for place in ["no/such/folder", "."] {
        let run = lab.run(&format!("rank no-such-file.mtx -p 2 --certificate {place}"));
        assert!(run.code == 3 && !run.stderr.contains("no-such-file"), "{}", run.stderr);
    }
    // An error leaves the old file, and nothing else.
    lab.write("c.cert", "old");
    assert_eq!(lab.run("rank no-such-file.mtx -p 2 --certificate c.cert").code, 3);
    assert_eq!(lab.read("c.cert"), b"old");
    lab.answer("rank m.mtx -p 2 --certificate c.cert");
    assert!(lab.answer("verify c.cert m.mtx").starts_with("rank "));
    let mut names: Vec<_> = std::fs::read_dir(&lab.dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["c.cert", "full.sms", "m.mtx"]);
}
