//! `blackfield matchings`: numbers alone on standard output, one JSON document per file, and what is refused.

use crate::Lab;
use serde_json::{Value, json};

/// A symmetric SMS file of the given edges, 1-based.
fn graph(n: usize, edges: &[(usize, usize)]) -> String {
    let entry = |&(v, w): &(usize, usize)| format!("{v} {w} 1\n{w} {v} 1\n");
    format!("{n} {n} M\n{}0 0 0\n", edges.iter().map(entry).collect::<String>())
}

fn petersen() -> String {
    let mut edges = vec![];
    for v in 0..5 {
        edges.extend([(v + 1, (v + 1) % 5 + 1), (v + 1, v + 6), (v + 6, (v + 2) % 5 + 6)]);
    }
    graph(10, &edges)
}

fn complete(n: usize) -> String {
    let edges: Vec<_> = (1..=n).flat_map(|v| (1..v).map(move |w| (w, v))).collect();
    graph(n, &edges)
}

fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.write("petersen.sms", petersen());
    lab.write("complete.sms", complete(30));
    lab.write("triangle.sms", complete(3));
    lab.write("empty.sms", "0 0 M\n0 0 0\n");
    lab.write("wide.sms", "2 3 M\n1 1 1\n0 0 0\n");
    lab.write("half.sms", "4 4 M\n1 2 2\n2 3 1\n3 4 -3\n1 4 1\n0 0 0\n");
    lab.write("loop.sms", "2 2 M\n1 1 7\n1 2 5\n2 1 5\n0 0 0\n");
    lab
}

#[test]
fn the_number_stands_alone_on_standard_output() {
    let lab = lab("matchings-alone");
    assert_eq!(
        lab.answer("matchings petersen.sms complete.sms triangle.sms empty.sms --bare"),
        "6\n6190283353629375\n0\n1\n"
    );
    let run = lab.run("matchings petersen.sms --explain");
    assert!(run.stderr.contains("petersen.sms: perfect matchings, 1 digit, of 10 vertices and 15 edges (proven)"));
    assert!(run.stderr.contains("step 1   reductions: "), "{}", run.stderr);
    // As everywhere, what is asked to be explained is told even if all else is quiet.
    assert!(lab.run("matchings petersen.sms --explain -q").stderr.contains("step 1   reductions: "));
    assert_eq!(lab.run("matchings petersen.sms --max-memory 1K").code, 4);
    assert_eq!(lab.answer("matchings petersen.sms --by-size"), "0 1\n1 15\n2 75\n3 145\n4 90\n5 6\n");
    assert_eq!(lab.answer("matchings triangle.sms --by-size"), "0 1\n1 3\n");
}

#[test]
fn graphs_that_are_shown_otherwise() {
    let lab = lab("matchings-reading");
    // 2·(-3) + 1·1.
    assert_eq!(lab.answer("matchings half.sms --mirror"), "-5\n");
    assert_eq!(lab.answer("matchings half.sms --mirror --pattern"), "2\n");
    assert_eq!(lab.answer("matchings loop.sms --drop-loops"), "5\n");
    for (file, place, remedy) in [
        ("wide.sms", "2 x 3", "`permanent`"),
        ("half.sms", "entry (1, 2) is 2 and entry (2, 1) is 0", "--mirror"),
        ("loop.sms", "entry (1, 1) is a loop", "--drop-loops"),
    ] {
        let run = lab.run(&format!("matchings {file}"));
        assert_eq!((run.code, run.stdout.as_str()), (3, ""));
        let message = run.stderr.lines().last().unwrap().to_string();
        for part in [file, place, remedy] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn json_has_one_document_a_file() {
    let lab = lab("matchings-json");
    let text = lab.answer("matchings petersen.sms complete.sms --json");
    let documents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 2);
    assert_eq!(documents[1]["perfect"], json!("6190283353629375"));
    let first = &documents[0];
    assert_eq!((&first["perfect"], &first["vertices"], &first["edges"]), (&json!("6"), &json!(10), &json!(15)));
    assert_eq!((&first["certainty"], first.get("by_size")), (&json!("proven"), None));
    let sizes = lab.document("matchings triangle.sms --by-size --json");
    assert_eq!((&sizes["by_size"], &sizes["total"]), (&json!(["1", "3"]), &json!("4")));
}

#[test]
fn every_method_gives_the_same_number_or_says_why_not() {
    let lab = lab("matchings-methods");
    // The triangular prism: planar, neither bipartite nor nearly complete; 4 perfect matchings.
    lab.write("prism.sms", graph(6, &[(1, 2), (2, 3), (1, 3), (4, 5), (5, 6), (4, 6), (1, 4), (2, 5), (3, 6)]));
    for method in ["auto", "planar", "frontier", "inclusion-exclusion"] {
        for more in ["", "--without-reductions"] {
            assert_eq!(lab.answer(&format!("matchings prism.sms --method {method} {more}")), "4\n", "{method}");
        }
    }
    for (method, why) in [("permanent", "not bipartite"), ("complement", "1")] {
        let run = lab.run(&format!("matchings prism.sms --method {method}"));
        assert!(run.code == 2 && run.stderr.contains(why) || run.stdout == "4\n", "{method}: {}", run.stderr);
    }
    let run = lab.run("matchings prism.sms --by-size --method planar");
    assert!(run.code == 2 && run.stderr.contains("perfect matchings only"), "{}", run.stderr);
    assert_eq!(lab.run("matchings prism.sms petersen.sms --checkpoint state").code, 2);
    let run = lab.run("matchings petersen.sms --by-size --max-memory 20");
    assert_eq!(run.code, 4, "{}", run.stderr);
}

#[test]
fn permanents_of_graphs_are_warned_of() {
    let lab = lab("matchings-warned");
    let run = lab.run("permanent petersen.sms");
    assert!(run.code == 0 && run.stderr.contains("`blackfield matchings`"), "{}", run.stderr);
    assert!(!lab.run("permanent half.sms empty.sms").stderr.contains("matchings"));
}
