//! Ctrl-C and its relatives. Linux only: the tests read /proc to see whether the program has installed its handler.

use crate::{DIAGONAL, Lab, Run, schema};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The program as a shell would start it in the foreground: the process that runs the tests may ignore signals.
fn start(lab: &Lab, args: &str) -> Child {
    let program = lab.command(args);
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP").arg(program.get_program()).args(program.get_args());
    command.current_dir(&lab.dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap().success());
}

/// Waits for the end; fails after two minutes.
fn end(child: &mut Child) -> ExitStatus {
    wait_for("the program's end", || child.try_wait().unwrap())
}

fn wait_for<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "no sign of {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A matrix on which a thousand full-length trials take very much longer than this test: 10 random entries per row and
/// one row twice, so that no trial finds full rank and stops early.
fn endless(lab: &Lab) {
    let n = 4000;
    let mut text = format!("{n} {n} M\n");
    let mut state = 1u64;
    let mut row = |i: usize, text: &mut String| {
        for _ in 0..10 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            writeln!(text, "{i} {} {}", (state >> 33) as usize % n + 1, (state >> 20) % 97 + 1).unwrap();
        }
    };
    (1..n).for_each(|i| row(i, &mut text));
    let last = text.lines().rev().take(10).map(|line| line.split_once(' ').unwrap().1.to_owned()).collect::<Vec<_>>();
    last.iter().for_each(|entry| writeln!(text, "{n} {entry}").unwrap());
    lab.write("endless.sms", text + "0 0 0\n");
}

#[test]
fn the_first_signal_stops_a_computation_in_order() {
    let lab = Lab::new("interrupt");
    endless(&lab);
    for signal in ["INT", "TERM"] {
        let args = "rank endless.sms -p 65521 --method wiedemann --trials 1000 --no-early-termination --json";
        let mut child = start(&lab, args);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("read in"), "{line}");
        send(signal, &child);
        assert_eq!(end(&mut child).code(), Some(130), "{signal}");
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        let document: serde_json::Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
        assert_eq!((&document["kind"], &document["code"]), (&"interrupted".into(), &130.into()), "{document}");
        assert!(document["checkpoint"].is_null() && document["resume"].as_str().unwrap().ends_with(args), "{document}");
        assert!(document["error"].as_str().unwrap().starts_with("interrupted; no state is kept"), "{document}");
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert_eq!(stdout, "", "a document is whole or absent");
        schema::check_run(args, &Run { stdout, stderr: rest, code: 130 });
    }
}

#[test]
fn an_interruption_names_the_state_and_what_resumes() {
    let lab = Lab::new("interrupt-state");
    // Minutes of work: derangements of 34 things, whose matrix has no two equal lines.
    let n = 34;
    let entries = (1..=n).flat_map(|i| (1..=n).filter(move |&j| j != i).map(move |j| format!("{i} {j} 1\n")));
    lab.write("matrix.sms", format!("{n} {n} M\n{}0 0 0\n", entries.collect::<String>()));
    for json in [false, true] {
        let args = "permanent matrix.sms --method gray --checkpoint state --checkpoint-interval 0 --threads 1";
        let args = if json { format!("{args} --json") } else { args.to_string() };
        let mut child = start(&lab, &args);
        wait_for("the handler", || catches_interrupt(&child).then_some(()));
        wait_for("a state", || lab.dir.join("state").exists().then_some(()));
        send("INT", &child);
        assert_eq!(end(&mut child).code(), Some(130));
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let last = said.lines().last().unwrap();
        let resume = if json {
            let document: serde_json::Value = serde_json::from_str(last).unwrap();
            assert_eq!(document["checkpoint"], "state", "{document}");
            schema::check_run(&args, &Run { stdout: String::new(), stderr: said.clone(), code: 130 });
            document["resume"].as_str().unwrap().to_owned()
        } else {
            assert!(said.contains("blackfield: interrupted; the state is kept in state, from which"), "{said}");
            last.strip_prefix("  resume   ").unwrap().to_owned()
        };
        assert!(resume.ends_with(&args), "{resume}");
    }
}

#[test]
fn the_second_signal_ends_the_program_at_once() {
    let lab = Lab::new("interrupt-twice");
    let mut child = start(&lab, "rank - -p 65521");
    // The program waits for its input, where it cannot check for requests to stop.
    wait_for("the handler", || catches_interrupt(&child).then_some(()));
    send("INT", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "the first signal is a request");
    send("INT", &child);
    assert_eq!(end(&mut child).code(), Some(130));
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let lab = Lab::new("nohup");
    let program = lab.command("rank - -p 65521 --threads 3");
    let mut command = Command::new("env");
    command.arg("--ignore-signal=HUP").arg(program.get_program()).args(program.get_args());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // The workers, one fewer than threads, start after the handlers are installed.
    let tasks = format!("/proc/{}/task", child.id());
    wait_for("threads", || std::fs::read_dir(&tasks).is_ok_and(|tasks| tasks.count() >= 3).then_some(()));
    send("HUP", &child);
    std::thread::sleep(Duration::from_millis(200));
    child.stdin.take().unwrap().write_all(DIAGONAL.as_bytes()).unwrap();
    assert_eq!(end(&mut child).code(), Some(0), "nohup protects a long computation");
}

/// Whether the process has a handler for SIGINT, by the mask of caught signals that Linux shows.
fn catches_interrupt(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim();
    u64::from_str_radix(mask, 16).is_ok_and(|mask| mask >> 1 & 1 == 1)
}
