//! `--max-memory` as a bound that holds, by the resident memory of the program, whatever is asked for; `--dry-run`,
//! `--progress json`, and GPUs that cannot serve.

use crate::{DIAGONAL, Lab, schema};
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// MB that the program itself takes: an unoptimised one with its symbols, stacks, and pages of files.
const PROGRAM: u64 = 64;

/// How a run ended, and the most memory that was resident in MB.
struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
    most: u64,
}

/// The line `VmHWM:   12345 kB` of a process in MB.
fn high_water(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib >> 10)
}

/// Runs the program, its resident memory watched.
fn watched(lab: &Lab, args: &str) -> Ended {
    let mut command = lab.command(args);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).unwrap();
        text
    });
    let (start, mut most) = (Instant::now(), 0);
    let status = loop {
        most = most.max(high_water(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "{args}: no end");
        std::thread::sleep(Duration::from_millis(1));
    };
    let (stdout, stderr) = (reader.join().unwrap(), errors.join().unwrap());
    let code = status.code().unwrap_or_else(|| panic!("{args}: {status:?}: {stderr}"));
    Ended { code, stdout, stderr, most }
}

/// Runs it within so many MB with --json: an answer or exit code 4, with a document in any case, and never more memory.
fn within(lab: &Lab, mb: u64, args: &str) -> Ended {
    let args = format!("{args} --max-memory {mb}M --json");
    let ended = watched(lab, &args);
    let about = format!("{args}: exit code {}, {} MB: {}", ended.code, ended.most, ended.stderr);
    assert!(ended.most <= mb + PROGRAM, "{about}");
    match ended.code {
        0 => assert!(ended.stdout.starts_with('{') || args.contains(" -o -"), "{about}"),
        4 => {
            let line = ended.stderr.lines().last().unwrap_or_default();
            let error: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{about}: {e}"));
            assert_eq!((&error["code"], &error["kind"]), (&4.into(), &"resources".into()), "{about}");
            let text = error["error"].as_str().unwrap();
            assert!(text.contains("MB") || text.contains("bytes"), "{about}");
        }
        3 => assert!(args.contains("tall"), "{about}"),
        _ => panic!("{about}"),
    }
    ended
}

/// Everything that takes a square matrix of the given file.
fn commands(file: &str) -> Vec<String> {
    let square = [
        "rank FILE -p 7",
        "rank FILE --rational",
        "rank FILE -p 7 --method wiedemann",
        "kernel FILE -p 7 --dimension",
        "kernel FILE -p 7 --vectors 2 -o out.sms",
        "kernel FILE --rational --dimension",
        "rref FILE -p 7 -o out.sms",
        "rref FILE --rational -o out.sms",
        "det FILE -p 7",
        "det FILE",
        "minpoly FILE -p 7",
        "charpoly FILE -p 7",
        "smith FILE",
        "solve FILE --rhs FILE -p 7 -o out.sms",
        "solve FILE --rhs FILE --rational -o out.sms",
        "homology FILE -p 7",
        "homology FILE",
        "permanent FILE",
    ];
    square.iter().map(|command| command.replace("FILE", file)).collect()
}

#[test]
fn headers_of_millions_of_lines_stay_within_the_limit_or_are_refused() {
    let lab = Lab::new("bounds-headers");
    lab.write("huge.sms", "4000000000 4000000000 M\n1 1 1\n0 0 0\n");
    lab.write("large.sms", "200000000 200000000 M\n1 1 1\n200000000 3 2\n0 0 0\n");
    for (file, mb) in [("huge.sms", 1024), ("large.sms", 500)] {
        for args in commands(file) {
            let ended = within(&lab, mb, &args);
            assert!(ended.most < 400, "{args}: {} MB", ended.most);
            assert!(file != "huge.sms" || ended.code == 4, "{args}: exit code {}", ended.code);
        }
    }
}

/// A sparse 0-1 matrix with a diagonal, `weight` entries a row.
fn sparse(n: usize, weight: usize) -> String {
    let at = |i: usize, k: usize| if k == 0 { i } else { (i * 7919 + k * 104_729 + i * i % 1013) % n };
    let mut text = format!("{n} {n} M\n");
    for i in 0..n {
        let mut columns: Vec<usize> = (0..weight).map(|k| at(i, k)).collect();
        columns.sort_unstable();
        columns.dedup();
        columns.iter().for_each(|j| text += &format!("{} {} 1\n", i + 1, j + 1));
    }
    text + "0 0 0\n"
}

#[test]
fn every_command_keeps_every_limit() {
    let lab = Lab::new("bounds-ladder");
    lab.write("m.sms", sparse(120, 3));
    let mut answered = 0;
    for args in commands("m.sms") {
        if args.starts_with("permanent") {
            continue; // Hours by Gray codes are an answer within any limit.
        }
        let free = lab.run(&format!("{args} --json -q"));
        // Not every matrix is a boundary; that is no matter of memory.
        let ends = |code: i32| code == free.code || code == 4;
        for mb in [1, 2, 8, 64] {
            let command = format!("{args} -q --max-memory {mb}M --json");
            let ended = watched(&lab, &command);
            assert!(ends(ended.code) && ended.most <= mb + PROGRAM, "{command}: {} {}", ended.code, ended.stderr);
            if ended.code == 0 {
                answered += 1;
                let [with, without] = [&ended.stdout, &free.stdout].map(|t| serde_json::from_str::<Value>(t).unwrap());
                for key in ["rank", "dimension", "det", "coefficients", "invariant_factors", "groups"] {
                    assert_eq!(with.get(key), without.get(key), "{command}: {key}");
                }
            }
        }
    }
    assert!(answered > 40, "{answered} answers");
}

/// Whatever a plan predicts: if what is used fits, there is an answer.
#[test]
fn the_least_limit_is_near_what_is_used() {
    let lab = Lab::new("bounds-scan");
    lab.answer("generate mk9-b3 -o mk9.sms");
    lab.write("sparse.sms", sparse(4000, 5));
    for (file, rank) in [("mk9.sms", None), ("sparse.sms", None::<&str>)] {
        let args = format!("rank {file} -p 65521 -q");
        let free = watched(&lab, &format!("{args} --max-memory 4G"));
        assert_eq!(free.code, 0, "{}", free.stderr);
        assert!(rank.is_none_or(|rank| rank == free.stdout.trim()));
        let (mut least, mut refused) = (None, None);
        for mb in [256u64, 128, 96, 64, 48, 32, 24, 16, 12, 8, 4, 2] {
            let ended = watched(&lab, &format!("{args} --max-memory {mb}M"));
            assert!(ended.most <= mb + PROGRAM, "{file} within {mb} MB: {} MB", ended.most);
            match ended.code {
                0 => {
                    assert_eq!(ended.stdout, free.stdout, "{file} within {mb} MB");
                    least = Some((mb, ended.most));
                }
                4 => refused = Some(mb),
                code => panic!("{file} within {mb} MB: exit code {code}: {}", ended.stderr),
            }
        }
        println!("{file}: least limit and MB resident {least:?}, refused {refused:?}, free {} MB", free.most);
        let (least, _) = least.expect("some limit is enough");
        assert!(least <= free.most * 3 / 2, "{file}: {least} MB where {} MB are used without a limit", free.most);
    }
}

#[test]
fn refusals_name_the_limit_the_need_and_a_remedy() {
    let lab = Lab::new("bounds-refusals");
    lab.write("sparse.sms", sparse(4000, 5));
    for (args, words) in [
        ("rank sparse.sms -p 65521 --proven --max-memory 2M", &["MB", "row space needs", "--method hybrid"][..]),
        (
            "rank sparse.sms -p 65521 --method wiedemann --max-memory 2M",
            &["block Wiedemann", "needs about", "MB are left"],
        ),
        ("rank sparse.sms -p 65521 --max-memory 100K", &["--max-memory"]),
    ] {
        let run = lab.run(args);
        assert_eq!(run.code, 4, "{args}: {}{}", run.stdout, run.stderr);
        words.iter().for_each(|word| assert!(run.stderr.contains(word), "{args}: {word}: {}", run.stderr));
    }
}

#[test]
fn a_dry_run_tells_the_plan_and_does_nothing() {
    let lab = Lab::with_diagonal("bounds-dry");
    lab.write("sparse.sms", sparse(150, 4));
    let mut matrices = commands("sparse.sms");
    // Its boundary of the boundary is not zero, and no way to its permanent fits.
    matrices.retain(|args| !args.starts_with("homology") && !args.starts_with("permanent"));
    lab.write("small.sms", sparse(24, 4));
    matrices.push("permanent small.sms".into());
    lab.write(
        "graph.mtx",
        "%%MatrixMarket matrix coordinate pattern symmetric\n6 6 7\n2 1\n3 2\n3 1\n4 3\n5 4\n6 5\n6 4\n",
    );
    matrices.push("matchings graph.mtx".into());
    matrices.push("matchings graph.mtx --by-size".into());
    matrices.push("homology diagonal.sms -p 3".into());
    matrices.push("rank diagonal.sms sparse.sms -p 2,3".into());
    // Components, and nothing at all.
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    matrices.push("rank zero.sms -p 2".into());
    matrices.push("kernel zero.sms -p 2 -o out.sms".into());
    for args in matrices {
        let run = lab.run(&format!("{args} --dry-run --json -q"));
        assert_eq!(run.code, 0, "{args}: {}", run.stderr);
        let plan: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{args}: {e}: {}", run.stdout));
        assert_eq!(plan["schema"], "blackfield/plan/1", "{args}");
        assert_eq!(plan["command"], args.split(' ').next().unwrap(), "{args}");
        let run = lab.run(&format!("{args} --dry-run -q"));
        assert!(run.code == 0 && run.stdout.starts_with("plan: ") && run.stdout.lines().count() == 1, "{args}");
        assert!(run.stderr.is_empty(), "{args}: {}", run.stderr);
    }
    assert!(!lab.dir.join("out.sms").exists(), "a dry run writes nothing");
    let missing = lab.run("rank missing.sms -p 7 --dry-run");
    assert_eq!((missing.code, missing.stdout.as_str()), (3, ""));
}

#[test]
fn a_plan_of_components_is_that_of_all() {
    let lab = Lab::new("bounds-components");
    let (n, one) = (600, sparse(600, 6));
    lab.write("one.sms", &one);
    let mut two = format!("{} {} M\n", 2 * n, 2 * n);
    for shift in [0, n] {
        for line in one.lines().skip(1).filter(|line| *line != "0 0 0") {
            let mut fields = line.split(' ').map(|field| field.parse::<usize>().unwrap());
            let (i, j) = (fields.next().unwrap(), fields.next().unwrap());
            two += &format!("{} {} 1\n", i + shift, j + shift);
        }
    }
    lab.write("two.sms", two + "0 0 0\n");
    let seconds = |file: &str| {
        let plan = lab.document(&format!("rank {file} -p 65521 --dry-run --json -q"));
        plan["seconds"].as_f64().unwrap()
    };
    let (single, double) = (seconds("one.sms"), seconds("two.sms"));
    assert!(single > 0.0 && double > 1.5 * single && double < 2.5 * single, "{single} and {double}");
}

/// What took hours without a word: the plan comes first.
#[test]
fn a_long_run_is_announced_before_it_starts() {
    let lab = Lab::new("bounds-announced");
    // Dense enough for no frontier within 20 MB, 2⁴³ terms.
    lab.write("dense.sms", sparse(44, 12));
    let args = "permanent dense.sms --max-memory 20M --device cpu";
    let plan = lab.document(&format!("{args} --dry-run --json -q"));
    assert!(plan["seconds"].as_f64().unwrap() > 60.0, "{plan}");
    let mut child = lab.command(&format!("{args} --progress json")).stderr(Stdio::piped()).spawn().unwrap();
    let (mut lines, mut errors) = (vec![], std::io::BufReader::new(child.stderr.take().unwrap()));
    let mut shares: Vec<f64> = vec![];
    // The run goes on for hours: its first few words are enough.
    while shares.len() < 4 || shares.last() == shares.first() {
        let mut line = String::new();
        assert!(std::io::BufRead::read_line(&mut errors, &mut line).unwrap() > 0, "{lines:?}");
        if line.starts_with('{') {
            let progress: Value = serde_json::from_str(&line).unwrap();
            assert!(schema::flaws(&progress).is_empty(), "{:?}", schema::flaws(&progress));
            shares.extend(progress["share"].as_f64().filter(|_| progress["phase"] == "permanent"));
        }
        lines.push(line);
        assert!(lines.len() < 10_000, "no progress: {:?}", &lines[..20]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let plan = lines.iter().position(|line| line.starts_with("plan: gray, about ")).expect("it is announced");
    let first = lines.iter().position(|line| line.contains("\"permanent\"")).unwrap();
    assert!(plan < first && shares.is_sorted() && shares.last() > shares.first(), "{shares:?}");
}

#[test]
fn progress_is_told_in_json_and_never_goes_back() {
    let lab = Lab::new("bounds-progress");
    lab.write("m.sms", sparse(700, 4));
    lab.write("diagonal.sms", DIAGONAL);
    let run = lab.run("rank diagonal.sms m.sms -p 65521,2147483647 --method wiedemann --progress json -q");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| schema::flaws(line).is_empty()));
    let parts: Vec<&Value> = lines.iter().map(|line| &line["parts"]).collect();
    let last = parts.iter().find(|parts| parts.to_string() == "[[\"file\",2,2],[\"modulus\",2,2]]");
    assert!(last.is_some(), "{parts:?}");
    for pair in lines.windows(2) {
        if ["phase", "parts"].into_iter().all(|key| pair[0][key] == pair[1][key]) {
            assert!(pair[0]["done"].as_u64() <= pair[1]["done"].as_u64(), "{pair:?}");
        }
        assert!(pair[0]["seconds"].as_f64() <= pair[1]["seconds"].as_f64(), "{pair:?}");
    }
    assert!(lines.iter().any(|line| line["unit"] == "terms" && line["total"].as_u64() > Some(0)));
}

#[test]
fn a_gpu_that_cannot_serve_is_refused_before_a_file_is_read() {
    let lab = Lab::new("bounds-devices");
    for (args, word) in [
        ("rank missing.sms -p 7 --device cuda --method elimination", "--method elimination"),
        ("rank missing.sms -p 7 --device cuda --proven", "--proven"),
        ("rank missing.sms -p 7 --device cuda --certificate c.cert", "--certificate"),
        ("rank missing.sms --rational --device cuda", "ranks over Q"),
    ] {
        let run = lab.run(&format!("{args} --json"));
        assert_eq!(run.code, 5, "{args}: {}", run.stderr);
        let error: Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
        assert!(error["error"].as_str().unwrap().contains(word), "{args}: {error}");
        assert_eq!(error["kind"], "device");
    }
    assert!(!lab.dir.join("c.cert").exists());
    let run = lab.run("rank missing.sms -p 7 --max-device-memory 1G");
    assert!(run.code == 2 && run.stderr.contains("--device auto"), "{} {}", run.code, run.stderr);
    // Without a GPU all others are refused as early; with one, the file is missing.
    for args in [
        "rank missing.sms -p 7 --device cuda",
        "rank missing.sms -p 7 --device cuda:all",
        "rank missing.sms -p 7 --device cuda:0,0",
        "permanent missing.sms --device cuda",
    ] {
        let run = lab.run(args);
        assert!(run.code == 5 || run.code == 3 && run.stderr.contains("missing.sms"), "{args}: {}", run.stderr);
    }
}
