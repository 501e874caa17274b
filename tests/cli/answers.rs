//! `blackfield rank`: the number alone, one JSON document, and the messages that accompany them.

use crate::{DIAGONAL, Lab};
use serde_json::{Value, json};

#[test]
fn the_rank_stands_alone_on_standard_output() {
    let lab = Lab::with_diagonal("rank-alone");
    let run = lab.run("rank diagonal.sms -p 65521 --method elimination --threads 2");
    insta::assert_snapshot!(without_reason(&run.transcript()));
}

/// The library's explanations are not tested here.
fn without_reason(transcript: &str) -> String {
    let line = |line: &str| match line.split_once("  why      ") {
        Some((_, reason)) if !reason.is_empty() => "  why      [reason]".to_owned(),
        _ => match line.split_once("  seconds  ") {
            Some(_) => "  seconds  [phases]".to_owned(),
            None => line.to_owned(),
        },
    };
    transcript.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn one_line_for_each_modulus_and_file_in_order() {
    let lab = Lab::with_diagonal("rank-several");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    assert_eq!(lab.answer("rank diagonal.sms -p 3 -p 65521 -p 2 --bare"), "2\n3\n1\n");
    assert_eq!(lab.answer("rank diagonal.sms -p 2,3,9223372036854775783 --bare"), "1\n2\n3\n");
    assert_eq!(lab.answer("rank diagonal.sms zero.sms -p 2,5 --bare"), "1\n3\n0\n0\n");
    let lines =
        "diagonal.sms\t2\t1\tproven\ndiagonal.sms\t5\t3\tproven\nzero.sms\t2\t0\tproven\nzero.sms\t5\t0\tproven\n";
    assert_eq!(lab.answer("rank diagonal.sms zero.sms -p 2,5"), lines);
    let run = lab.run("rank diagonal.sms -p 2,3,5");
    assert_eq!(run.stderr.matches("read in").count(), 1, "one load for all moduli: {}", run.stderr);
}

#[test]
fn standard_input_is_a_file_named_dash() {
    let lab = Lab::new("rank-stdin");
    let run = lab.run_with_input("rank - -p 65521", DIAGONAL);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"), "{}", run.stderr);
}

#[test]
fn every_method_and_option_gives_the_same_rank() {
    let lab = Lab::new("rank-options");
    lab.answer("generate bibd_9_5 -o b.mtx.gz");
    // Wilson: p = 3 divides C(5 - 1, 2 - 1)... only through the terms that remain; elimination is the oracle there.
    let expected = lab.answer("rank b.mtx.gz -p 3,65521 --method elimination --bare");
    assert!(expected.ends_with("\n36\n"), "full rank mod 65521: {expected}");
    for option in [
        "",
        "--method auto",
        "--method wiedemann",
        "--method wiedemann --block 1",
        "--method wiedemann --block 8 --trials 3 --seed 5",
        "--method wiedemann --error 1e-3",
        "--method wiedemann --route codegree",
        "--method wiedemann --route both --no-early-termination",
        "--method wiedemann --format csr --segregate never",
        "--method wiedemann --format coo --segregate always",
        "--method wiedemann --format coo-s",
        "--method wiedemann --format ell",
        "--method wiedemann --format ell-r",
        "--method wiedemann --format dia",
        "--method wiedemann --forbid-format ell,ell-r --forbid-format coo",
        "--error 1e-12",
        "--max-memory 1G --device cpu --threads 1",
    ] {
        assert_eq!(lab.answer(&format!("rank b.mtx.gz -p 3,65521 --bare {option}")), expected, "{option}");
    }
}

#[test]
fn a_json_document_of_one_answer() {
    let lab = Lab::with_diagonal("json-one");
    let document = lab.document("rank diagonal.sms -p 65521 --json --method elimination --threads 2");
    insta::assert_json_snapshot!(document, {
        ".reason" => "[reason]", ".seconds" => "[seconds]", ".path[].seconds" => "[seconds]",
        ".path[].predicted" => "[predicted]", ".phases" => "[phases]", ".processor_seconds" => "[phases]",
        ".version" => "[version]",
    });
}

#[test]
fn the_document_has_the_promised_fields_and_types() {
    let lab = Lab::new("json-types");
    lab.answer("generate bibd_9_5 -o b.sms");
    for method in ["auto", "wiedemann", "elimination"] {
        let d = lab.document(&format!("rank b.sms -p 65521 --json --method {method}"));
        for (field, value) in [
            ("rank", json!(36)),
            ("rows", json!(36)),
            ("cols", json!(126)),
            ("modulus", json!(65521)),
            ("seed", json!(1)),
        ] {
            assert_eq!(d[field], value, "{field}");
        }
        for field in ["nnz", "threads"] {
            assert!(d[field].as_u64().is_some_and(|n| n > 0), "{field}: {}", d[field]);
        }
        assert_eq!(d["schema"], json!("blackfield/rank/1"));
        for field in ["block", "trials", "trials_agreed", "extension_degree"] {
            let run = &d["wiedemann"];
            assert_eq!(run[field].as_u64().is_some_and(|n| n > 0), run.is_object(), "{field}: {run}");
        }
        assert_eq!(d["wiedemann"].is_null(), d["method"] == "elimination");
        for field in ["file", "method", "reason", "field", "device", "digest", "version"] {
            assert!(d[field].as_str().is_some_and(|s| !s.is_empty()), "{field}: {}", d[field]);
        }
        assert!(method == "auto" || d["method"] == method);
        match d["certainty"].as_str() {
            Some("proven") => assert_eq!(d["error_bound"], json!(0.0)),
            Some("monte-carlo") => assert!(d["error_bound"].as_f64().is_some_and(|e| e > 0.0 && e < 1.0)),
            Some("heuristic") => assert_eq!(d["error_bound"], Value::Null),
            _ => panic!("certainty {}", d["certainty"]),
        }
        let phases = d["phases"].as_object().unwrap();
        assert!(phases.contains_key("read") && phases.values().all(|s| s.as_f64().is_some_and(|s| s >= 0.0)));
        assert!(d["seconds"].as_f64().unwrap() > 0.0 && d["warnings"].is_array());
    }
}

#[test]
fn several_answers_are_a_document_each() {
    let lab = Lab::with_diagonal("json-several");
    let d = lab.documents("rank diagonal.sms -p 2,3 --json");
    let ranks: Vec<_> = d.iter().map(|r| (&r["modulus"], &r["rank"])).collect();
    assert_eq!(ranks, [(&json!(2), &json!(1)), (&json!(3), &json!(2))]);
    assert_eq!(d[0]["nnz"], json!(1), "2 divides 2 and 6");
}

#[test]
fn an_error_is_a_document_beside_the_answers() {
    let lab = Lab::with_diagonal("json-partial");
    let run = lab.run("rank diagonal.sms missing.sms diagonal.sms -p 2,65521 --json --quiet");
    let ranks: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["rank"].clone()).collect();
    assert_eq!(ranks, [json!(1), json!(3), json!(1), json!(3)]);
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!((run.code, &error["kind"], &error["code"]), (3, &json!("input"), &json!(3)));
    assert_eq!((&error["file"], &error["modulus"]), (&json!("missing.sms"), &Value::Null));
}

#[test]
fn quiet_means_an_empty_standard_error() {
    let lab = Lab::with_diagonal("quiet");
    for args in [
        "rank diagonal.sms -p 2,65521 -q",
        "rank diagonal.sms -p 65521 --quiet --json --method wiedemann",
        "info diagonal.sms -q",
        "convert diagonal.sms d.mtx -q",
        "generate bibd_9_5 -o b.sms -q",
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{args}");
    }
}

#[test]
fn no_bar_is_drawn_into_a_pipe() {
    let lab = Lab::new("no-bars");
    lab.answer("generate bibd_9_5 -o b.sms");
    for args in
        ["rank b.sms -p 65521 --method wiedemann", "rank b.sms -p 65521 --json", "info b.sms", "convert b.sms c.sms"]
    {
        let run = lab.run(args);
        assert!(
            !run.stderr.contains(['\r', '\x1b']) && !run.stdout.contains(['\r', '\x1b']),
            "{args}: {:?}",
            run.stderr
        );
        assert!(!run.stderr.is_empty(), "{args} says what was read");
    }
}

#[test]
fn a_random_seed_is_reported_and_repeats_the_run() {
    let lab = Lab::with_diagonal("seed");
    let seed = || lab.document("rank diagonal.sms -p 65521 --json --seed random")["seed"].as_u64().unwrap();
    let (a, b) = (seed(), seed());
    assert!(a != b && a < 1 << 53 && b < 1 << 53, "{a} {b}");
    let again = lab.document(&format!("rank diagonal.sms -p 65521 --json --seed {a}"));
    assert_eq!(again["seed"], json!(a));
    let run = lab.run("rank diagonal.sms -p 65521 --seed random");
    assert!(run.stderr.lines().any(|line| line.starts_with("seed ")), "{}", run.stderr);
}

#[test]
fn the_answer_is_the_same_for_every_number_of_threads() {
    let lab = Lab::new("threads");
    lab.answer("generate bibd_9_5 -o b.sms");
    let run = |threads: usize| {
        let args = format!("rank b.sms -p 65521 --json --method wiedemann --threads {threads}");
        let mut document = lab.document(&args);
        assert_eq!(document["threads"], json!(threads));
        for volatile in ["threads", "seconds", "phases", "processor_seconds"] {
            document.as_object_mut().unwrap().remove(volatile);
        }
        document["path"].as_array_mut().unwrap().iter_mut().for_each(|step| step["seconds"] = json!(0));
        document
    };
    let one = run(1);
    for threads in [2, 3, 5, 8] {
        assert_eq!(one, run(threads));
    }
}

#[test]
fn explain_prints_the_plan() {
    let lab = Lab::with_diagonal("explain");
    let run = lab.run("rank diagonal.sms -p 65521 --explain --method wiedemann");
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"));
    assert!(run.stderr.contains("  plan     "), "{}", run.stderr);
    assert!(!run.stderr.contains("no sparse product"), "block Wiedemann plans its products: {}", run.stderr);
}

/// Of each phase the processor seconds, in parentheses, beside those by the clock; of reading, too.
#[test]
#[cfg(unix)]
fn explain_tells_processor_seconds() {
    let lab = Lab::with_diagonal("explain-processor");
    for args in ["rank diagonal.sms -p 7", "rank diagonal.sms --rational", "det diagonal.sms -p 7"] {
        let time = |args: &str| {
            let run = lab.run(args);
            let line = run.stderr.lines().find_map(|line| line.split_once("  seconds  ")).expect("seconds are told").1;
            line.to_owned()
        };
        let [short, long] = [time(args), time(&format!("{args} --explain"))];
        assert!(!short.contains('('), "{short}");
        let (parts, note) = long.split_once(" = ").unwrap().1.split_once(" on ").unwrap();
        assert!(note.ends_with("(of all processors)"), "{long}");
        let told = |part: &str| {
            let numbers: Vec<f64> = part.split(' ').filter_map(|x| x.trim_matches(['(', ')']).parse().ok()).collect();
            part.ends_with(')') && numbers.len() == 2
        };
        // Over the rationals phases are sums of steps, of which nobody knows what processors did.
        let (parts, some) = (parts.split(" + "), args.contains("--rational"));
        assert!(parts.clone().next().is_some_and(|read| read.starts_with("read ") && told(read)), "{long}");
        assert!(parts.clone().all(|part| some || told(part)), "{long}");
        let document = lab.document(&format!("{args} --json"));
        if let Some(processor) = document.get("processor_seconds") {
            assert!(processor["read"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{document}");
        }
    }
}

#[test]
fn explain_is_heard_beside_quiet() {
    let lab = Lab::with_diagonal("explain-quiet");
    for args in
        ["rank diagonal.sms -p 7", "rank diagonal.sms --rational", "permanent diagonal.sms", "det diagonal.sms -p 7"]
    {
        assert_eq!(lab.run(&format!("{args} -q")).stderr, "", "{args}");
        let said = lab.run(&format!("{args} -q --explain")).stderr;
        assert!(said.starts_with("diagonal.sms: ") && said.contains("  step 1   "), "{args}: {said}");
        assert!(!said.contains("read in"), "{args}: {said}");
    }
}

#[test]
fn the_pattern_is_read_where_values_are_not_integers() {
    let lab = Lab::new("pattern");
    lab.write("real.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.5\n1 2 2.5\n2 2 -1.25\n");
    let run = lab.run("rank real.mtx -p 65521");
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert!(run.stderr.starts_with("blackfield: real.mtx:3: ") && run.stderr.contains("--pattern"), "{}", run.stderr);
    assert_eq!(lab.answer("rank real.mtx -p 65521 --pattern"), "2\n");
}
