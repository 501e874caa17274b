//! Inputs that were once answered wrongly (`tests/doubt`), and guarantees that were once stated but not met.

use crate::Lab;
use serde_json::{Value, json};

/// A test folder with a file of `tests/doubt`.
fn lab(test: &str, file: &str) -> Lab {
    let lab = Lab::new(test);
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/doubt").join(file);
    lab.write(file, std::fs::read(from).unwrap());
    lab
}

#[test]
fn a_matrix_made_for_a_known_seed_hides_nothing() {
    let lab = lab("doubt-seed", "ch5.sms");
    for seed in 1..6 {
        for more in ["", "--proven", "--method elimination", "--certificate c"] {
            let d = lab.document(&format!("rank ch5.sms -p 65521 --seed {seed} --json {more}"));
            assert_eq!(d["rank"], json!(176), "seed {seed} {more}: {d}");
            assert_ne!(d["certainty"], json!("heuristic"));
        }
        assert_eq!(lab.run("verify c ch5.sms").code, 0);
    }
}

#[test]
fn a_matrix_made_for_known_primes_has_its_rank() {
    let lab = lab("doubt-primes", "rational_attack.sms");
    for seed in 1..6 {
        let d = lab.document(&format!("rank rational_attack.sms --rational --seed {seed} --json"));
        assert_eq!(d["rank"], json!(2), "seed {seed}: {d}");
    }
}

#[test]
fn no_demand_is_so_small_that_it_is_met_by_rounding() {
    let lab = Lab::new("doubt-underflow");
    lab.write("m.sms", "3 3 M\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n3 3 1\n0 0 0\n");
    for error in ["1e-30", "1e-320", "1e-400"] {
        // p = 2: by an extension field; p large: by the theorem over GF(p) itself.
        for p in ["2", "2305843009213693951"] {
            let run = lab.run(&format!("rank m.sms -p {p} --method wiedemann --error {error} --trials 30 --json"));
            assert_eq!(run.code, 0, "{}", run.stderr);
            let d: Value = serde_json::from_str(&run.stdout).unwrap();
            let decimal: f64 = error[2..].parse().unwrap();
            assert_eq!(d["certainty"], json!("monte-carlo"), "{d}");
            assert!(d["error_log2"].as_f64().unwrap() <= decimal * std::f64::consts::LOG2_10, "{d}");
            assert!(d["error_bound"].as_f64().unwrap() > 0.0, "{d}");
        }
    }
    for error in ["0", "1", "1.0", "-1e-5", "1e5", "nan", "e-5"] {
        assert_eq!(lab.run(&format!("rank m.sms -p 7 --error={error}")).code, 2, "{error}");
    }
}

#[test]
fn blocks_of_two_lose_nothing_in_the_projection() {
    let lab = lab("doubt-blocks", "blocks2x2.sms.gz");
    for seed in 1..4 {
        let args = format!("rank blocks2x2.sms.gz -p 65521 --method wiedemann --seed {seed}");
        assert_eq!(lab.answer(&args), "2999\n", "seed {seed}");
    }
}

#[test]
fn a_header_takes_no_memory() {
    let lab = lab("doubt-header", "huge_header.sms");
    for args in ["-p 65521", "-p 2 --method wiedemann", "--rational", "-p 65521 --certificate c"] {
        assert_eq!(lab.answer(&format!("rank huge_header.sms {args}")), "1\n", "{args}");
    }
    assert_eq!(lab.run("verify c huge_header.sms").code, 0);
}
