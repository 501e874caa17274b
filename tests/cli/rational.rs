//! `blackfield rank --rational`: the rank over Q and the primes modulo which it is smaller.

use crate::Lab;
use serde_json::json;

#[test]
fn the_rank_over_q_comes_first() {
    let lab = Lab::with_diagonal("rational-lines");
    assert_eq!(lab.answer("rank diagonal.sms --rational"), "3\n");
    assert_eq!(lab.answer("rank diagonal.sms --rational -p 2,3 -p 5 --bare"), "3\n1\n2\n3\n");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    assert_eq!(lab.answer("rank diagonal.sms zero.sms --rational -p 2 --bare"), "3\n1\n0\n0\n");
    let lines = "diagonal.sms\tQ\t3\tproven\ndiagonal.sms\t2\t1\tproven\n";
    assert_eq!(lab.answer("rank diagonal.sms --rational -p 2"), lines);
    assert_eq!(lab.run("rank diagonal.sms").code, 2, "without --rational a modulus is needed");
}

#[test]
fn small_primes_are_explained() {
    let lab = Lab::with_diagonal("rational-words");
    insta::assert_snapshot!(lab.run("rank diagonal.sms --rational -p 2,3,5 --threads 2").transcript());
}

/// Rank 2 on 3 x 3, with entries beyond 64 bits: random primes leave some doubt, and a proof takes more of them.
fn doubtful(lab: &Lab) {
    let h = 10u128.pow(30);
    let rows = [[1, 1, 1], [1, 2, 1], [h, h + 1, h]];
    let entries = (0..9).map(|k| format!("{} {} {}\n", k / 3 + 1, k % 3 + 1, rows[k / 3][k % 3]));
    lab.write("m.sms", format!("3 3 M\n{}0 0 0\n", entries.collect::<String>()));
}

#[test]
fn the_document_of_a_rank_over_q() {
    let lab = Lab::new("rational-json");
    doubtful(&lab);
    let d = lab.document("rank m.sms --rational -p 3 --json");
    assert_eq!((&d["rank"], &d["field"], &d["certainty"]), (&json!(2), &json!("Q"), &json!("monte-carlo")));
    assert!(d["error_bound"].as_f64().is_some_and(|e| e > 0.0 && e <= 1e-12), "{d}");
    let primes = d["random_primes"].as_array().unwrap();
    assert!(primes.len() >= 2 && primes.iter().all(|p| p["modulus"].as_u64().unwrap() >> 30 == 1), "{d}");
    assert_eq!((&d["primes"][0]["modulus"], &d["primes"][0]["invariant_factors"]), (&json!(3), &json!(0)));
    assert_eq!(d["proof_primes"], json!([]));
    assert_eq!(d["path"][0]["name"], "rank mod p");
    // A weaker error bound draws fewer primes, a different seed draws different ones.
    let mild = lab.document("rank m.sms --rational --error 1e-3 --json");
    assert_eq!(mild["random_primes"].as_array().unwrap().len(), 1);
    assert!(mild["error_bound"].as_f64().unwrap() <= 1e-3);
    let nothing = mild["phases"]["primes asked for"].as_f64().unwrap();
    assert!(nothing == 0.0 && nothing.is_sign_positive(), "{nothing}");
    let other = lab.document("rank m.sms --rational --error 1e-3 --json --seed 2");
    assert_ne!(other["random_primes"][0]["modulus"], mild["random_primes"][0]["modulus"]);
    assert_eq!(mild["random_primes"][0]["modulus"], d["random_primes"][0]["modulus"]);
    assert_eq!(lab.documents("rank m.sms m.sms --rational --error 1e-3 --json").len(), 2);
}

#[test]
fn a_proof_that_is_demanded_is_given_or_refused() {
    let lab = Lab::new("rational-proven");
    doubtful(&lab);
    let d = lab.document("rank m.sms --rational --proven -p 2,5 --json");
    assert_eq!((&d["rank"], &d["certainty"], &d["error_bound"]), (&json!(2), &json!("proven"), &json!(0.0)));
    assert!(!d["proof_primes"].as_array().unwrap().is_empty(), "{d}");
    assert!(d["reason"].as_str().unwrap().contains("minors of order 3"), "{d}");
    assert!(d["primes"].as_array().unwrap().iter().all(|p| p["certainty"] == "proven"));
    // Boundary matrices, designs: null vectors over the integers, or the pattern.
    lab.answer("generate ch5-5-b2 -o c.sms");
    lab.answer("generate bibd_9_5 -o b.sms");
    let d = lab.documents("rank c.sms b.sms --rational --proven --json");
    for (answer, rank, why) in [(&d[0], 176, "null vectors over the integers"), (&d[1], 36, "pattern")] {
        assert_eq!((&answer["rank"], &answer["certainty"]), (&json!(rank), &json!("proven")));
        assert!(answer["reason"].as_str().unwrap().contains(why), "{answer}");
    }
    let explained = lab.run("rank c.sms --rational --proven --explain").stderr;
    assert!(explained.contains("null space:") && explained.contains("rank mod p:"), "{explained}");
    for method in ["wiedemann", "hybrid"] {
        let refused = lab.run(&format!("rank m.sms --rational --proven --method {method}"));
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains("for a proof choose"), "{}", refused.stderr);
    }
}

#[test]
fn primes_known_beforehand_hide_nothing_that_is_proven() {
    // All entries are multiples of both primes that seed 1 drew in version 0.1.0: rank 0 mod each, 2 over Q.
    let lab = Lab::new("rational-attack");
    let p = 2458974403492150961u64;
    let entries = (0..13).map(|k| format!("{} {} {p}\n", k / 4 + 1, k % 4 + 1));
    lab.write("a.sms", format!("4 4 M\n{}0 0 0\n", entries.collect::<String>()));
    // The multiples hidden by sums of lines, which have no content: rank 1 mod each, 3 over Q.
    let rows = [[1, 1, 1, 2], [1, 1, 1 + p, 2 + p], [1, 1 + p, 1 + 2 * p, 2 + 2 * p], [2, 2, 2 + p, 4 + p]];
    let entries = (0..16).map(|k| format!("{} {} {}\n", k / 4 + 1, k % 4 + 1, rows[k / 4][k % 4]));
    lab.write("b.sms", format!("4 4 M\n{}0 0 0\n", entries.collect::<String>()));
    for seed in 1..=20 {
        for (file, rank) in [("a.sms", 2), ("b.sms", 3)] {
            let d = lab.document(&format!("rank {file} --rational --proven --json --seed {seed}"));
            assert_eq!((&d["rank"], &d["certainty"]), (&json!(rank), &json!("proven")), "seed {seed}: {d}");
        }
    }
}

#[test]
fn entries_beyond_words() {
    let lab = Lab::new("rational-big");
    // 10⁴⁰ and 3·10⁴⁰ in dependent rows, and 7.
    let (ten, thirty) = (format!("1{}", "0".repeat(40)), format!("3{}", "0".repeat(40)));
    lab.write("big.sms", format!("3 3 M\n1 1 1\n1 2 {ten}\n2 1 3\n2 2 {thirty}\n3 3 7\n0 0 0\n"));
    assert_eq!(lab.answer("rank big.sms --rational -p 2,7 --bare"), "2\n2\n1\n");
}

#[test]
fn a_prime_of_a_denominator_drops_its_own_answer_alone() {
    let lab = Lab::new("rational-denominators");
    lab.write("q.sms", "3 3 Q\n1 1 1/7\n0 0 0\n");
    let (over_q, mod_5) = ("q.sms\tQ\t1\tproven\n", "q.sms\t5\t1\tproven\n");
    let run = lab.run("rank q.sms --rational -p 7,5 -q");
    assert_eq!((run.code, run.stdout), (3, format!("{over_q}{mod_5}")));
    let error = "blackfield: q.sms:2: row 1, whose first fraction is here, has the common denominator 7";
    assert!(run.stderr.starts_with(error) && run.stderr.lines().count() == 1, "{}", run.stderr);
    let told = lab.run("rank q.sms --rational -p 7,5").stderr;
    assert!(told.ends_with("1 of 3 answers is missing\n"), "{told}");
    // Each line in its place; none after the first that is missing.
    for (args, stdout) in [
        ("-p 5,7,5 --bare", "1\n1\n\n1\n"),
        ("-p 7 --bare", "1\n\n"),
        ("-p 5,7,3 --fail-fast", &format!("{over_q}{mod_5}")),
        ("-p 7,5 --fail-fast", over_q),
    ] {
        let run = lab.run(&format!("rank q.sms --rational {args} -q"));
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (3, stdout, 1), "{args}");
    }
    // The document has the others, and the error is one of its own.
    let run = lab.run("rank q.sms --rational -p 7,5 --json -q");
    let d: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let primes = d["primes"].as_array().unwrap();
    assert_eq!((run.code, &d["rank"], primes.len(), &primes[0]["modulus"]), (3, &json!(1), 1, &json!(5)));
    let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["file"], json!("q.sms"), "{error}");
}
