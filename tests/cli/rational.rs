//! `blackfield rank --rational`: the rank over Q and the primes that make it smaller.

use crate::Lab;
use serde_json::json;

#[test]
fn the_rank_over_q_comes_first() {
    let lab = Lab::with_diagonal("rational-lines");
    assert_eq!(lab.answer("rank diagonal.sms --rational"), "3\n");
    assert_eq!(lab.answer("rank diagonal.sms --rational -p 2,3 -p 5"), "3\n1\n2\n3\n");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    assert_eq!(lab.answer("rank diagonal.sms zero.sms --rational -p 2"), "3\n1\n0\n0\n");
    assert_eq!(lab.run("rank diagonal.sms").code, 2, "without --rational a modulus is needed");
}

#[test]
fn small_primes_are_explained() {
    let lab = Lab::with_diagonal("rational-words");
    insta::assert_snapshot!(lab.run("rank diagonal.sms --rational -p 2,3,5 --threads 2").transcript());
}

#[test]
fn the_document_of_a_rank_over_q() {
    let lab = Lab::new("rational-json");
    lab.answer("generate ch5-5-b2 -o m.sms");
    let d = lab.document("rank m.sms --rational -p 3 --json");
    assert_eq!((&d["rank"], &d["field"], &d["certainty"]), (&json!(176), &json!("Q"), &json!("monte-carlo")));
    assert!(d["error_bound"].as_f64().is_some_and(|e| e > 0.0 && e <= 1e-12), "{d}");
    let primes = d["random_primes"].as_array().unwrap();
    assert!(primes.len() >= 2 && primes.iter().all(|p| p["modulus"].as_u64().unwrap() >> 30 == 1), "{d}");
    assert_eq!((&d["primes"][0]["modulus"], &d["primes"][0]["invariant_factors"]), (&json!(3), &json!(0)));
    // A milder demand draws fewer primes, another seed draws others.
    let mild = lab.document("rank m.sms --rational --error 1e-3 --json");
    assert_eq!(mild["random_primes"].as_array().unwrap().len(), 1);
    assert!(mild["error_bound"].as_f64().unwrap() <= 1e-3);
    let nothing = mild["phases"]["primes asked for"].as_f64().unwrap();
    assert!(nothing == 0.0 && nothing.is_sign_positive(), "{nothing}");
    let other = lab.document("rank m.sms --rational --error 1e-3 --json --seed 2");
    assert_ne!(other["random_primes"][0]["modulus"], mild["random_primes"][0]["modulus"]);
    assert_eq!(mild["random_primes"][0]["modulus"], d["random_primes"][0]["modulus"]);
    let several = lab.document("rank m.sms m.sms --rational --error 1e-3 --json");
    assert_eq!((&several["complete"], several["results"].as_array().unwrap().len()), (&json!(true), 2));
}

#[test]
fn entries_beyond_words() {
    let lab = Lab::new("rational-big");
    // 10⁴⁰ and 3·10⁴⁰ in dependent rows, and 7.
    let (ten, thirty) = (format!("1{}", "0".repeat(40)), format!("3{}", "0".repeat(40)));
    lab.write("big.sms", format!("3 3 M\n1 1 1\n1 2 {ten}\n2 1 3\n2 2 {thirty}\n3 3 7\n0 0 0\n"));
    assert_eq!(lab.answer("rank big.sms --rational -p 2,7"), "2\n2\n1\n");
}
