//! `--checkpoint`: runs that are killed go on, to the same answer.

use crate::Lab;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Starts the command, waits for a state and some milliseconds more, and kills it (SIGKILL); whether it was alive then.
fn killed(lab: &Lab, args: &str, later: u64) -> bool {
    let mut child = lab.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    while names(lab).is_empty() && child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(120), "no state");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(later));
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

/// The states that are kept; a file that was being written is none.
fn names(lab: &Lab) -> Vec<String> {
    let files = std::fs::read_dir(lab.dir.join("states")).into_iter().flatten();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".state")).collect()
}

#[test]
fn killed_sequences_go_on() {
    let lab = Lab::new("checkpoint-kernel");
    lab.answer("generate ch4-5-b2 -o a.sms");
    for (p, method) in [("65521", "wiedemann"), ("9223372036854775783", "hybrid")] {
        let args = format!("kernel a.sms -p {p} --method {method} --vectors 40");
        lab.answer(&format!("{args} -o whole.sms"));
        let kept = format!("{args} -o n.sms --checkpoint states --checkpoint-interval 0");
        // At any moment: in the sequence, in its evaluation, in the next run; the number of threads changes.
        let alive = [0, 30, 80].map(|later| killed(&lab, &format!("{kept} --threads {}", 1 + later % 3), later));
        assert!(alive[0], "it ended before it was killed");
        lab.answer(&kept);
        assert_eq!(lab.text("n.sms"), lab.text("whole.sms"), "{method} mod {p}");
        assert!(names(&lab).is_empty(), "states of a finished run are removed");
    }
}

#[test]
fn damaged_states_are_refused_and_others_ignored() {
    let lab = Lab::new("checkpoint-damaged");
    lab.answer("generate ch4-4-b2 -o a.sms");
    let args =
        "kernel a.sms -p 65521 --method wiedemann --vectors 2 -o n.sms --checkpoint states --checkpoint-interval 0";
    assert!(killed(&lab, args, 0));
    let name = format!("states/{}", names(&lab)[0]);
    let mut bytes = lab.read(&name);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    lab.write(&name, &bytes);
    let run = lab.run(args);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("its checksum does not match"), "{}", run.stderr);
    // Another seed is another question, whose states have other names.
    lab.answer(&format!("{args} --seed 2"));
    for (args, code) in [
        ("kernel a.sms --rational -o n.sms --checkpoint states", 2),
        ("kernel a.sms -p 7 -o n.sms --checkpoint-interval 5", 2),
        ("kernel a.sms -p 7 -o n.sms --checkpoint a.sms", 3),
    ] {
        assert_eq!(lab.run(args).code, code, "{args}");
    }
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
    lab.answer("generate mk8-b2 -o d.sms");
    killed(&lab, "homology d.sms --checkpoint states --threads 1", 0);
    assert_eq!(lab.answer("homology d.sms --checkpoint states"), lab.answer("homology d.sms"));
}
