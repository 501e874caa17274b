//! `--checkpoint`: runs that are killed go on, to the same answer.

use crate::Lab;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The option, with a state at every occasion.
const KEPT: &str = "--checkpoint states --checkpoint-interval 0";

/// Starts the command, waits for a state and some milliseconds more, and kills it (SIGKILL); whether it was alive then.
fn killed(lab: &Lab, args: &str, later: u64) -> bool {
    killed_with(lab, args, "", later)
}

/// The same, waiting for a state whose name has such a part.
fn killed_with(lab: &Lab, args: &str, part: &str, later: u64) -> bool {
    let mut child = lab.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while !names(lab).iter().any(|name| name.contains(part)) && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "no state");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(later));
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

/// The states that are kept, ascending; a file that was being written is none.
fn names(lab: &Lab) -> Vec<String> {
    let files = std::fs::read_dir(lab.dir.join("states")).into_iter().flatten();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".state")).collect();
    names.sort();
    names
}

/// Kills the command at several moments, each time on another number of threads, then lets it end: standard output and
/// the file `output` are those of a run that nobody disturbed, and no state is left.
fn goes_on(lab: &Lab, args: &str, output: Option<&str>) {
    assert!(goes_on_if_alive(lab, args, output), "{args}: it always ended before it was killed");
}

/// The same of a command that may be too fast; whether it was ever alive when it was killed.
fn goes_on_if_alive(lab: &Lab, args: &str, output: Option<&str>) -> bool {
    let whole = lab.answer(args);
    let file = output.map(|name| lab.text(name));
    let mut alive = false;
    for later in [0, 0, 0, 20, 50, 110] {
        alive |= killed(lab, &format!("{args} {KEPT} --threads {}", 1 + later % 3), later);
    }
    assert_eq!(lab.answer(&format!("{args} {KEPT}")), whole, "{args}");
    assert_eq!(output.map(|name| lab.text(name)), file, "{args}");
    assert!(names(lab).is_empty(), "{args}: states of a finished run are removed");
    alive
}

/// A dense matrix with entries of one digit, as SMS.
fn dense(lab: &Lab, name: &str, rows: usize, cols: usize) {
    with_entries(lab, name, (rows, cols), |_, digit| digit - 4);
}

/// A matrix with the entries that are made of the number of a row and of random digits from 0 to 8.
fn with_entries(lab: &Lab, name: &str, (rows, cols): (usize, usize), entry: impl Fn(usize, i64) -> i64) {
    let (mut text, mut state) = (format!("{rows} {cols} M\n"), 12345u64);
    for i in 1..=rows {
        for j in 1..=cols {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let v = entry(i, (state >> 33) as i64 % 9);
            if v != 0 {
                text += &format!("{i} {j} {v}\n");
            }
        }
    }
    lab.write(name, text + "0 0 0\n");
}

#[test]
fn killed_sequences_go_on() {
    let lab = Lab::new("checkpoint-kernel");
    lab.answer("generate ch4-5-b2 -o a.sms");
    for (p, method) in [("65521", "wiedemann"), ("9223372036854775783", "hybrid")] {
        goes_on(&lab, &format!("kernel a.sms -p {p} --method {method} --vectors 40 -o n.sms"), Some("n.sms"));
    }
    goes_on(&lab, "rank a.sms -p 65521,7 --method wiedemann --no-early-termination", None);
}

#[test]
fn killed_eliminations_go_on() {
    let lab = Lab::new("checkpoint-elimination");
    // Many more rows than columns, whose ranks need them all.
    with_entries(&lab, "a.sms", (4200, 60), |i, digit| if i % 3 == 0 { digit - 4 } else { 0 });
    dense(&lab, "s.sms", 350, 350);
    with_entries(&lab, "r.sms", (300, 500), |i, digit| if digit < 3 { digit + i as i64 % 5 } else { 0 });
    let mut alive = 0;
    for (args, output) in [
        ("rank a.sms -p 2 --proven", None),
        ("rank a.sms -p 3 --proven", None),
        ("rank a.sms -p 65521 --proven", None),
        ("det s.sms -p 65521", None),
        ("rref r.sms -p 65521 -o r.out.sms", Some("r.out.sms")),
        ("kernel r.sms -p 3 -o n.sms", Some("n.sms")),
    ] {
        alive += usize::from(goes_on_if_alive(&lab, args, output));
    }
    assert!(alive > 0, "they always ended before they were killed");
}

/// Parts of the file `n.sms` that runs which were killed have left.
fn parts(lab: &Lab) -> Vec<String> {
    let files = std::fs::read_dir(&lab.dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    files.filter(|name| name.starts_with(".n.sms") && name.ends_with(".part")).collect()
}

/// A part of the output that a state tells of.
fn part(lab: &Lab, args: &str) -> String {
    for _ in 0..20 {
        let _ = std::fs::remove_dir_all(lab.dir.join("states"));
        parts(lab).iter().for_each(|name| std::fs::remove_file(lab.dir.join(name)).unwrap());
        let killed = killed_with(lab, &format!("{args} {KEPT}"), "-vector-file-", 3);
        if let (true, [name]) = (killed, &parts(lab)[..]) {
            return name.clone();
        }
    }
    panic!("{args}: it always ended before it was killed");
}

#[test]
fn vectors_on_their_way_to_a_file_go_on() {
    let lab = Lab::new("checkpoint-vectors");
    with_entries(&lab, "a.sms", (150, 3000), |i, digit| if digit < 2 { digit + i as i64 % 3 } else { 0 });
    for args in [
        "kernel a.sms -p 65521 -o n.sms",
        "kernel a.sms -p 65521 --vectors 1500 -o n.sms --seed 3",
        "rref a.sms -p 65521 -o n.sms",
    ] {
        let (whole, mut alive) = (lab.answer(args), false);
        let file = lab.read("n.sms");
        // Killed at moments of the writing, on any number of threads.
        for (k, later) in [0, 1, 4, 9, 2, 30].into_iter().enumerate() {
            let args = format!("{args} {KEPT} --threads {}", 1 + k % 3);
            alive |= killed_with(&lab, &args, "-vector-file-", later);
        }
        assert!(alive, "{args}: it always ended before it was killed");
        assert_eq!(lab.answer(&format!("{args} {KEPT}")), whole);
        assert!(lab.read("n.sms") == file && names(&lab).is_empty(), "{args}");
        parts(&lab).iter().for_each(|name| std::fs::remove_file(lab.dir.join(name)).unwrap());
    }
    let args = "kernel a.sms -p 65521 -o n.sms";
    let (whole, file) = (lab.answer(args), lab.read("n.sms"));
    let kept = format!("{args} {KEPT}");
    // A part that is truncated or changed is refused by name and stays; what lies behind it does not matter.
    let name = part(&lab, args);
    let written = lab.read(&name);
    // The head is what every state tells of, however much lies behind it.
    let mut flipped = written.clone();
    flipped[0] ^= 1;
    for (bytes, why) in [(&flipped[..], "does not match"), (&written[..1], "truncated")] {
        lab.write(&name, bytes);
        let run = lab.run(&kept);
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert!(run.stderr.contains(why) && run.stderr.contains(&name), "{}", run.stderr);
        assert_eq!(lab.read(&name), bytes);
    }
    lab.write(&name, [&written[..], b"more"].concat());
    assert_eq!(lab.answer(&kept), whole);
    assert!(lab.read("n.sms") == file && parts(&lab).is_empty() && names(&lab).is_empty());
    // One that is gone is made again.
    let name = part(&lab, args);
    std::fs::remove_file(lab.dir.join(&name)).unwrap();
    let run = lab.run(&kept);
    assert!(run.stderr.contains("is gone"), "{}", run.stderr);
    assert!(run.code == 0 && lab.read("n.sms") == file && parts(&lab).is_empty());
}

#[test]
fn killed_units_go_on() {
    let lab = Lab::new("checkpoint-units");
    // Units that fill in, and entries that keep structural pivots out.
    with_entries(&lab, "a.sms", (220, 200), |i, digit| match (i % 9, digit) {
        (0, 0..2) => 1 << 33,
        (_, 0) => 1,
        _ => 0,
    });
    let args = "smith a.sms";
    let whole = lab.answer(args);
    let mut alive = false;
    for (k, later) in [0, 5, 20, 60, 1].into_iter().enumerate() {
        alive |= killed_with(&lab, &format!("{args} {KEPT} --threads {}", 1 + k % 3), "-units-of-", later);
    }
    assert!(alive, "it always ended before it was killed");
    assert_eq!(lab.answer(&format!("{args} {KEPT}")), whole);
    assert!(names(&lab).is_empty());
}

#[test]
fn killed_answers_modulo_large_primes_go_on() {
    let lab = Lab::new("checkpoint-large");
    with_entries(&lab, "a.sms", (260, 280), |_, digit| if digit == 0 { 7 } else { i64::from(digit == 1) });
    dense(&lab, "b.sms", 260, 2);
    for method in ["wiedemann", "elimination"] {
        goes_on(&lab, &format!("rank a.sms -p 2^127-1 --method {method}"), None);
    }
    goes_on(&lab, "kernel a.sms -p 2^127-1 -o n.sms", Some("n.sms"));
    goes_on(&lab, "solve a.sms --rhs b.sms -p 2^127-1 -o x.sms", Some("x.sms"));
}

#[test]
fn killed_ranks_over_the_rationals_go_on() {
    let lab = Lab::new("checkpoint-rational-rank");
    dense(&lab, "a.sms", 60, 70);
    goes_on(&lab, "rank a.sms --rational --proven -p 2,3", None);
}

#[test]
fn killed_determinants_go_on() {
    let lab = Lab::new("checkpoint-det");
    dense(&lab, "a.sms", 120, 120);
    goes_on(&lab, "det a.sms --proven", None);
}

#[test]
fn killed_systems_over_the_rationals_go_on() {
    let lab = Lab::new("checkpoint-solve");
    dense(&lab, "a.sms", 100, 100);
    dense(&lab, "b.sms", 100, 3);
    goes_on(&lab, "solve a.sms --rhs b.sms --rational -o x.sms", Some("x.sms"));
}

#[test]
fn killed_null_spaces_and_forms_over_the_rationals_go_on() {
    let lab = Lab::new("checkpoint-rational-space");
    dense(&lab, "a.sms", 30, 200);
    goes_on(&lab, "kernel a.sms --rational -o n.sms", Some("n.sms"));
    goes_on(&lab, "rref a.sms --rational -o r.sms", Some("r.sms"));
}

#[test]
fn killed_smith_forms_go_on() {
    let lab = Lab::new("checkpoint-smith");
    // No unit, and primes that divide many invariant factors.
    let entry =
        |i: usize, digit: i64| [0, 2, 3, -2, 9, 4, -3, 6, -4][digit as usize] * if i.is_multiple_of(5) { 6 } else { 1 };
    with_entries(&lab, "a.sms", (40, 44), entry);
    goes_on(&lab, "smith a.sms --proven", None);
}

#[test]
fn killed_polynomials_go_on() {
    let lab = Lab::new("checkpoint-polynomials");
    lab.answer("generate hypercube_9 -o a.sms");
    goes_on(&lab, "minpoly a.sms -p 65521 --proven", None);
    goes_on(&lab, "charpoly a.sms -p 65521", None);
}

#[test]
fn boundaries_that_are_done_are_kept() {
    let lab = Lab::new("checkpoint-homology");
    lab.write("plane", crate::homology::PLANE);
    let whole = lab.document("homology --facets plane --json --integral -p 2");
    let args = "homology --facets plane --json --integral -p 2 --checkpoint states";
    let kept = lab.document(args);
    assert_eq!(kept["over"][0]["groups"], whole["over"][0]["groups"]);
    assert!(names(&lab).is_empty());
    (1..4).for_each(|k| drop(lab.answer(&format!("generate ch5-5-b{k} -o d{k}.sms"))));
    goes_on(&lab, "homology d1.sms d2.sms d3.sms --integral --rational -p 2,3,5", None);
}

/// The state of a step that a command, which was killed, begins with when it goes on; by its name.
fn state(lab: &Lab, args: &str, step: &str) -> String {
    let _ = std::fs::remove_dir_all(lab.dir.join("states"));
    let part = format!("-{step}-");
    // Once the end of a run is kept, nobody reads its steps.
    let end = format!("-{step}-run-");
    let kept = || match names(lab) {
        names if names.iter().any(|name| name.contains(&end)) => None,
        names => names.into_iter().find(|name| name.contains(&part)),
    };
    let found = (0..20).find_map(|_| if killed_with(lab, args, &part, 0) { kept() } else { None });
    format!("states/{}", found.unwrap_or_else(|| panic!("{args}: no state of {step} is left")))
}

#[test]
fn damaged_states_are_refused() {
    let lab = Lab::new("checkpoint-damaged");
    lab.answer("generate ch4-4-b2 -o a.sms");
    lab.answer("generate mk9-b3 -o b.sms");
    dense(&lab, "s.sms", 80, 80);
    dense(&lab, "t.sms", 400, 400);
    for (command, step) in [
        ("kernel a.sms -p 65521 --method wiedemann --vectors 2 -o n.sms", "wiedemann"),
        ("rank a.sms -p 65521 --method wiedemann", "wiedemann"),
        ("det s.sms --proven", "minor"),
        ("det t.sms -p 65521", "every-row"),
        ("rank s.sms -p 2^127-1 --method elimination", "large-dense"),
        ("rank b.sms -p 2^127-1 --method wiedemann", "lanczos"),
    ] {
        let args = format!("{command} {KEPT}");
        let name = state(&lab, &args, step);
        let whole = lab.read(&name);
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        let cases: [(&[u8], &str); 4] = [
            (&flipped, "its checksum does not match"),
            (&whole[..whole.len() - 100], "truncated or damaged"),
            (b"", "the file is empty"),
            (b"1 1 M\n0 0 0\n", "not a checkpoint"),
        ];
        for (bytes, why) in cases {
            lab.write(&name, bytes);
            let run = lab.run(&args);
            assert_eq!(run.code, 3, "{}", run.stderr);
            assert!(run.stderr.contains(why) && run.stderr.contains(&name), "{}", run.stderr);
            assert_eq!(lab.read(&name), bytes, "a file that is refused is left as it was");
        }
        lab.write(&name, &whole);
        assert_eq!(lab.answer(&args), lab.answer(command));
    }
}

#[test]
fn states_of_other_questions_are_told_and_stay() {
    let lab = Lab::new("checkpoint-others");
    dense(&lab, "a.sms", 80, 80);
    dense(&lab, "b.sms", 81, 81);
    let name = state(&lab, &format!("det a.sms {KEPT}"), "minor");
    let of_a = lab.read(&name);
    // Another matrix, another modulus, other options, another command: they begin anew.
    for other in ["det b.sms", "rank a.sms -p 7 --method wiedemann", "det a.sms --seed 2", "smith a.sms"] {
        let run = lab.run(&format!("{other} {KEPT}"));
        assert_eq!((run.code, &*run.stdout), (0, &*lab.answer(other)), "{other}: {}", run.stderr);
        assert!(run.stderr.contains("of another matrix, seed or question"), "{other}: {}", run.stderr);
        assert_eq!(lab.read(&name), of_a);
    }
    // Under a name of theirs it is refused.
    let other = state(&lab, &format!("det b.sms {KEPT}"), "minor");
    lab.write(&other, &of_a);
    let run = lab.run(&format!("det b.sms {KEPT}"));
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("checkpoint of another"), "{}", run.stderr);
}

#[test]
fn an_answer_that_rests_on_states_says_so() {
    let lab = Lab::new("checkpoint-words");
    dense(&lab, "a.sms", 80, 80);
    let args = format!("det a.sms --json {KEPT}");
    state(&lab, &args, "minor");
    let resumed = lab.document(&args);
    assert!(resumed["reason"].as_str().unwrap().ends_with("parts from a checkpoint, whose checksum matches"));
    let whole = lab.document("det a.sms --json");
    assert!(!whole["reason"].as_str().unwrap().contains("checkpoint"));
    for field in ["det", "certainty", "primes", "divisor_bits", "rank"] {
        assert_eq!(resumed[field], whole[field], "{field}");
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let lab = Lab::with_diagonal("checkpoint-options");
    for (args, code) in [
        ("kernel diagonal.sms -p 7 -o n.sms --checkpoint-interval 5", 2),
        ("smith diagonal.sms --checkpoint diagonal.sms", 3),
    ] {
        assert_eq!(lab.run(args).code, code, "{args}");
    }
}
