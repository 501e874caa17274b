//! Several files and moduli in one run: labels, files without an answer, the exit code of all.

use crate::{DIAGONAL, Lab};
use serde_json::{Value, json};

/// Good and bad files; what each `rank` of them mod 2 and 3 prints.
fn lab(test: &str) -> Lab {
    let lab = Lab::with_diagonal(test);
    lab.write("zero.sms", "0 5 M\n0 0 0\n");
    lab.write("broken.sms", "3 3 M\n1 one 1\n0 0 0\n");
    // Row 2 has no residues mod 3.
    lab.write("thirds.sms", "2 2 Q\n1 1 1/2\n2 2 1/3\n0 0 0\n");
    lab
}

#[test]
fn one_bad_file_does_not_end_the_rest() {
    let lab = lab("batch-rest");
    let run = lab.run("rank diagonal.sms broken.sms missing.sms zero.sms -p 2,3 -q");
    let lines =
        "diagonal.sms\t2\t1\tproven\ndiagonal.sms\t3\t2\tproven\nzero.sms\t2\t0\tproven\nzero.sms\t3\t0\tproven\n";
    assert_eq!((run.code, run.stdout.as_str()), (3, lines));
    let errors: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("blackfield: broken.sms:2: ") && errors[1].starts_with("blackfield: missing.sms: "));
    // Numbers alone keep their lines.
    let bare = lab.run("rank diagonal.sms broken.sms zero.sms -p 2,3 --bare");
    assert_eq!((bare.code, bare.stdout.as_str()), (3, "1\n2\n\n\n0\n0\n"));
    assert!(bare.stderr.ends_with("2 of 6 answers are missing\n"), "{}", bare.stderr);
    // One modulus of a file may have an answer, and another none.
    let thirds = lab.run("rank thirds.sms -p 2,3,5,7 -q");
    let lines = "thirds.sms\t5\t2\tproven\nthirds.sms\t7\t2\tproven\n";
    assert_eq!((thirds.code, thirds.stdout.as_str(), thirds.stderr.lines().count()), (3, lines, 2));
    let over_q = lab.run("rank broken.sms thirds.sms --rational -q");
    assert_eq!((over_q.code, over_q.stdout.as_str()), (3, "thirds.sms\tQ\t2\tproven\n"));
    let permanents = lab.run("permanent diagonal.sms zero.sms broken.sms diagonal.sms -p 5,7 -q --bare");
    assert_eq!((permanents.code, permanents.stdout.as_str()), (3, "2\n5\n1\n1\n\n\n2\n5\n"));
}

#[test]
fn fail_fast_stops_at_the_first() {
    let lab = lab("batch-fast");
    for (args, stdout) in [
        ("rank diagonal.sms broken.sms zero.sms -p 2 --fail-fast", "diagonal.sms\t2\t1\tproven\n"),
        ("rank thirds.sms diagonal.sms -p 5,3,7 --fail-fast --bare", "2\n\n"),
        ("rank broken.sms diagonal.sms --rational --fail-fast", ""),
        ("permanent diagonal.sms broken.sms diagonal.sms --fail-fast", "diagonal.sms\tZ\t12\tproven\n"),
    ] {
        let run = lab.run(&format!("{args} -q"));
        assert_eq!(
            (run.code, run.stdout.as_str(), run.stderr.lines().count()),
            (3, stdout, 1),
            "{args}: {}",
            run.stderr
        );
    }
}

#[test]
fn the_exit_code_is_the_worst() {
    let lab = lab("batch-codes");
    let n = 40;
    let entries = (1..=n).flat_map(|i| (1..=n).map(move |j| format!("{i} {j} {}\n", (i * j) % 7 + 1)));
    lab.write("large.sms", format!("{n} {n} M\n{}0 0 0\n", entries.collect::<String>()));
    for (args, code) in [
        ("rank diagonal.sms large.sms -p 7", 0),
        // Memory is worse than a file that is missing, in any order.
        ("rank large.sms missing.sms diagonal.sms -p 7 --max-memory 2000", 4),
        ("rank missing.sms large.sms diagonal.sms -p 7 --max-memory 2000", 4),
        ("rank missing.sms diagonal.sms -p 7", 3),
        // A file that is missing is worse than a wish that no field grants.
        ("rank diagonal.sms missing.sms -p 2 --method elimination --format coo", 3),
    ] {
        let run = lab.run(&format!("{args} -q"));
        assert_eq!(run.code, code, "{args}: {}", run.stderr);
    }
}

#[test]
fn every_missing_answer_has_its_document() {
    let lab = lab("batch-documents");
    let run = lab.run("rank broken.sms thirds.sms diagonal.sms -p 3,5 --json -q");
    let about = |text: &str| -> Vec<(Value, Value)> {
        let documents = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        documents.map(|d| (d["file"].clone(), d["modulus"].clone())).collect()
    };
    let answers =
        [("thirds.sms", 5), ("diagonal.sms", 3), ("diagonal.sms", 5)].map(|(file, p)| (json!(file), json!(p)));
    assert_eq!(about(&run.stdout), answers);
    assert_eq!(about(&run.stderr), [(json!("broken.sms"), json!(null)), (json!("thirds.sms"), json!(3))]);
}

#[cfg(unix)]
#[test]
fn a_name_stays_in_its_cell() {
    let lab = Lab::new("batch-cells");
    lab.write("a\tb.sms", DIAGONAL);
    let output = lab.command("rank -p 2,3 -q").arg("a\tb.sms").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\\tb.sms\t2\t1\tproven\na\\tb.sms\t3\t2\tproven\n");
}
