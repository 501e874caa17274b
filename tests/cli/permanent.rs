//! `blackfield permanent`: the integer alone, one JSON document per file, and the messages that accompany them.

use crate::Lab;
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// [[1, 2], [-3, 4]]: permanent 4 - 6 = -2; that of its pattern is 2.
const SMALL: &str = "2 2 M\n1 1 1\n1 2 2\n2 1 -3\n2 2 4\n0 0 0\n";

/// The n × n matrix of ones.
fn ones(n: usize) -> String {
    let entries = (1..=n).flat_map(|i| (1..=n).map(move |j| format!("{i} {j} 1\n")));
    format!("{n} {n} M\n{}0 0 0\n", entries.collect::<String>())
}

fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.write("small.sms", SMALL);
    lab.write("ones.sms", ones(30));
    lab.write("empty.sms", "0 0 M\n0 0 0\n");
    lab.write("wide.sms", "2 3 M\n1 1 2\n1 3 -1\n2 1 1\n2 2 5\n0 0 0\n");
    lab.write("bad.sms", "2 2 M\n1 3 1\n0 0 0\n");
    lab
}

#[test]
fn the_permanent_stands_alone_on_standard_output() {
    let lab = lab("permanent-alone");
    let factorial = "265252859812191058636308480000000";
    assert_eq!(lab.answer("permanent small.sms ones.sms empty.sms --bare"), format!("-2\n{factorial}\n1\n"));
    assert_eq!(lab.answer("permanent --pattern small.sms"), "2\n");
    let run = lab.run("permanent small.sms --explain");
    assert!(run.stderr.contains("small.sms: permanent of 2 x 2, 1 digit (proven)"), "{}", run.stderr);
    assert!(run.stderr.contains("step 1   reductions: "), "{}", run.stderr);
}

#[test]
fn residues() {
    let lab = lab("permanent-residues");
    assert_eq!(lab.answer("permanent small.sms -p 2"), "0\n");
    assert_eq!(lab.answer("permanent small.sms -p 7"), "5\n");
    assert_eq!(
        lab.answer("permanent small.sms ones.sms --bare --modulus 3,31,9223372036854775783"),
        "1\n29\n9223372036854775781\n0\n30\n459512037324688229\n"
    );
    assert_eq!(lab.run("permanent small.sms -p 6").code, 2);
}

#[test]
fn json_has_one_document_a_file() {
    let lab = lab("permanent-json");
    let text = lab.answer("permanent small.sms ones.sms --json");
    let documents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 2);
    let small = &documents[0];
    assert_eq!((&small["permanent"], &small["n"], &small["nnz"]), (&json!("-2"), &json!(2), &json!(4)));
    assert_eq!((&small["certainty"], &small["modulus"]), (&json!("proven"), &Value::Null));
    assert!(small["seconds"].is_f64() && small["digest"].is_string() && small["method"].is_string());
    assert_eq!(documents[1]["permanent"], json!("265252859812191058636308480000000"));
    let residue = lab.document("permanent small.sms --json -p 7");
    assert_eq!((&residue["permanent"], &residue["modulus"]), (&json!("5"), &json!(7)));
}

#[test]
fn every_method_gives_the_same_integer() {
    let lab = lab("permanent-methods");
    // The 2 × 6 board of dominoes: black and white cells alternate; F(7) = 13 tilings.
    let cells = |color: usize| (0..12).filter(move |c| (c % 6 + c / 6) % 2 == color);
    let near = |a: usize, b: usize| (a % 6).abs_diff(b % 6) + (a / 6).abs_diff(b / 6) == 1;
    let mut board = "6 6 M\n".to_owned();
    for (i, a) in cells(0).enumerate() {
        for (j, b) in cells(1).enumerate().filter(|&(_, b)| near(a, b)) {
            assert!(near(a, b));
            board += &format!("{} {} 1\n", i + 1, j + 1);
        }
    }
    lab.write("board.sms", board + "0 0 0\n");
    for method in ["auto", "frontier", "gray", "kasteleyn"] {
        assert_eq!(lab.answer(&format!("permanent board.sms --method {method}")), "13\n", "{method}");
    }
}

#[test]
fn reductions_can_be_left_out() {
    let lab = lab("permanent-reductions");
    lab.write("chain.sms", "3 3 M\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n2 3 1\n3 2 1\n3 3 1\n0 0 0\n");
    let all = "structural-rank,dulmage-mendelsohn,degree-1,degree-2,contents,transposition";
    for options in ["", &format!("--without {all}"), "--without degree-2 --split 3 --split-depth 2"] {
        assert_eq!(lab.answer(&format!("permanent chain.sms {options}")), "3\n", "{options}");
    }
    let run = lab.run(&format!("permanent chain.sms --without {all} --method frontier --explain"));
    assert!(run.stderr.contains("3 x 3 block") && run.stderr.contains(" states"), "{}", run.stderr);
    assert_eq!(lab.run("permanent chain.sms --split 5").code, 2);
    assert_eq!(lab.run("permanent chain.sms --split-depth 2").code, 2);
}

#[test]
fn rectangles_have_sums_over_injections() {
    let lab = lab("permanent-rectangles");
    // Columns of the two rows: 1 2, 3 1, 3 2.
    assert_eq!(lab.answer("permanent wide.sms"), "4\n");
    assert_eq!(lab.answer("permanent wide.sms -p 3"), "1\n");
    lab.write("tall.sms", "3 1 M\n1 1 4\n3 1 5\n0 0 0\n");
    let run = lab.run("permanent tall.sms");
    assert_eq!(run.stdout, "9\n");
    assert!(run.stderr.contains("tall.sms: permanent of 3 x 1"), "{}", run.stderr);
    let document = lab.document("permanent wide.sms --json");
    assert_eq!((&document["n"], &document["rows"], &document["cols"]), (&json!(2), &json!(2), &json!(3)));
}

#[test]
fn errors_have_their_codes() {
    let lab = lab("permanent-errors");
    let run = lab.run("permanent bad.sms");
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    let run = lab.run("permanent bad.sms --json");
    let error: Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
    assert_eq!((&error["kind"], &error["code"]), (&json!("input"), &json!(3)));
    assert_eq!(lab.run("permanent").code, 2);
    assert_eq!(lab.run("permanent small.sms empty.sms --checkpoint state").code, 2);
    // The others are printed.
    let run = lab.run("permanent small.sms bad.sms empty.sms");
    assert_eq!((run.code, run.stdout.as_str()), (3, "small.sms\tZ\t-2\tproven\nempty.sms\tZ\t1\tproven\n"));
}

/// The n × n matrix of ones except on the diagonal: its permanent counts derangements, and no two of its lines are
/// equal.
fn off_diagonal(n: usize) -> String {
    let entries = (1..=n).flat_map(|i| (1..=n).filter(move |&j| j != i).map(move |j| format!("{i} {j} 1\n")));
    format!("{n} {n} M\n{}0 0 0\n", entries.collect::<String>())
}

/// Derangements of n things: D(k) = k D(k-1) + (-1)^k.
fn derangements(n: i128) -> i128 {
    (1..=n).fold(1, |d, k| k * d + if k % 2 == 0 { 1 } else { -1 })
}

/// The state in a checkpoint: its third line, between seal and checksum.
fn state_in(file: &[u8]) -> Value {
    serde_json::from_slice(file.split(|&b| b == b'\n').nth(2).unwrap()).unwrap()
}

#[test]
fn a_killed_run_resumes_where_it_stopped() {
    let lab = Lab::new("permanent-killed");
    // Seconds on one thread, so that the run cannot end between the first part of its sum and the signal.
    let n = 30;
    lab.write("matrix.sms", off_diagonal(n));
    let args = "permanent matrix.sms --method gray --checkpoint state --checkpoint-interval 0 --json";
    let state = lab.dir.join("state");
    let mut child =
        lab.command(&format!("{args} --threads 1")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    // The file is replaced atomically: what can be read is a complete state. The first state contains no part of the
    // sum.
    let parts = || state_in(&std::fs::read(&state).ok()?)["next"].as_u64().filter(|&next| next > 0);
    while parts().is_none() {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended without a checkpoint");
        assert!(start.elapsed() < Duration::from_secs(60), "no checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL on Unix: the program cannot intercept it.
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "the run ended before it was killed");
    let saved = state_in(&lab.read("state"));
    let (next, chunks) = (saved["next"].as_u64().unwrap(), saved["chunks"].as_u64().unwrap());
    assert!(0 < next && next < chunks, "{next} of {chunks}");

    // The number of threads may change.
    let answer = lab.document(args);
    assert_eq!(answer["permanent"], json!(derangements(n as i128).to_string()));
    let found = answer["path"][1]["found"].as_str().unwrap();
    assert!(found.ends_with(&format!(", {next} of {chunks} parts of the work from the checkpoint")), "{found}");
    // The answer says what it rests on.
    assert_eq!(answer["resumed"], json!([{"parts": next, "of": chunks}]));
    let proof = answer["proof"].as_str().unwrap();
    assert!(proof.contains(&format!("; resumed: the first {next} of {chunks} parts")), "{proof}");
    assert!(!state.exists(), "the state of a finished run is removed");

    // A run without a state does all of the work.
    lab.write("matrix.sms", off_diagonal(14));
    let whole = lab.document(args);
    assert_eq!(whole["permanent"], json!(derangements(14).to_string()));
    assert!(!whole["path"][1]["found"].as_str().unwrap().contains("checkpoint"));
    assert!(whole.get("resumed").is_none() && !whole["proof"].as_str().unwrap().contains("resumed"));
}

#[test]
fn a_checkpoint_of_another_matrix_is_refused_and_kept() {
    let lab = Lab::new("permanent-foreign-state");
    lab.write("matrix.sms", off_diagonal(12));
    for (state, why) in [("{}", "not a checkpoint"), ("blackfield", "truncated"), ("", "empty")] {
        lab.write("state", state);
        let run = lab.run("permanent matrix.sms --method gray --checkpoint state");
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{state}");
        assert!(run.stderr.contains("state") && run.stderr.contains(why), "{}", run.stderr);
        assert_eq!(lab.read("state"), state.as_bytes(), "somebody else's file");
    }
    // Version 1, which could be changed by hand.
    lab.write("state", r#"{"format": "blackfield permanent checkpoint 1", "sums": ["1"]}"#);
    let run = lab.run("permanent matrix.sms --method gray --checkpoint state");
    assert!(run.code == 3 && run.stderr.contains("version 1, which has no checksum"), "{}", run.stderr);
    // A file that cannot be written is reported at the start, not when it is first due to be written.
    let run = lab.run("permanent matrix.sms --method gray --checkpoint missing/state");
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
    // An interval without a file is meaningless.
    assert_eq!(lab.run("permanent matrix.sms --checkpoint-interval 5").code, 2);
    assert_eq!(lab.run("permanent matrix.sms --checkpoint s --checkpoint-interval -5").code, 2);
}

/// Only the Gray-code sum can be resumed: with other methods, a request for a checkpoint leads to a warning.
#[test]
fn a_checkpoint_that_is_not_written_is_reported() {
    let lab = Lab::new("permanent-no-state");
    lab.write("matrix.sms", off_diagonal(12));
    for (method, told) in [("frontier", true), ("gray", false)] {
        let run = lab.run(&format!("permanent matrix.sms --method {method} --checkpoint state"));
        assert_eq!((run.code, run.stdout), (0, format!("{}\n", derangements(12))));
        assert_eq!(
            run.stderr.contains("no checkpoint is written: method gray supports them, frontier does not"),
            told,
            "{}",
            run.stderr
        );
    }
}
