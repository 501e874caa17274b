//! The program under `ulimit -v`: whatever a header declares, and wherever memory runs out, there is an answer, or one
//! line that says how many bytes were requested and exit code 4; never a signal, never an incomplete file.

use crate::{DIAGONAL, Lab, Run, schema};
use assert_cmd::Command;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// The smallest limit in KiB with which small tasks must succeed, and smaller ones.
const LEAST: u64 = 204_800;
const LADDER: [u64; 5] = [LEAST, 262_144, 400_000, 800_000, 2_000_000];

/// Runs the program with its address space limited to `kib` KiB.
fn limited(lab: &Lab, kib: u64, args: &str) -> Run {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -v $0 && exec \"$@\"", &kib.to_string()]);
    command.arg(assert_cmd::cargo::cargo_bin!("blackfield")).args(args.split_whitespace()).current_dir(&lab.dir);
    for variable in ["RUST_BACKTRACE", "RAYON_NUM_THREADS"] {
        command.env_remove(variable);
    }
    let output = Command::from_std(command).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("{args} within {kib} KiB: {:?}: {stderr}", output.status));
    let run = Run { stdout: String::from_utf8(output.stdout).unwrap(), stderr, code };
    schema::check_run(args, &run);
    run
}

/// Whether the program itself fits into so many KiB of address space.
fn starts(kib: u64) -> bool {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -v $0 && exec \"$@\"", &kib.to_string()]);
    let output = command.arg(assert_cmd::cargo::cargo_bin!("blackfield")).arg("--version").output().unwrap();
    output.status.success()
}

/// Runs it, and demands the answer or an orderly exit for lack of memory.
fn answer_or_end(lab: &Lab, kib: u64, args: &str, expected: Option<&str>) -> i32 {
    let run = limited(lab, kib, args);
    let about = format!("{args} within {kib} KiB: exit code {}: {}", run.code, run.stderr);
    match run.code {
        0 => assert!(expected.is_none_or(|expected| expected == run.stdout), "{about}: {}", run.stdout),
        4 => {
            let line = run.stderr.lines().last().unwrap_or_default();
            assert!(line.contains("bytes") || line.contains(" MB"), "{about}");
            if args.contains("--json") {
                let error: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!((&error["code"], &error["kind"]), (&4.into(), &"resources".into()), "{about}");
            } else {
                assert!(line.starts_with("blackfield: "), "{about}");
            }
        }
        _ => panic!("{about}"),
    }
    let part =
        |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().to_string_lossy().ends_with(".part");
    assert!(!std::fs::read_dir(&lab.dir).unwrap().any(part), "{about}: an unfinished file");
    run.code
}

fn gzip(chunks: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut packed = GzEncoder::new(vec![], Compression::fast());
    chunks.into_iter().for_each(|chunk| packed.write_all(&chunk).unwrap());
    packed.finish().unwrap()
}

/// Matrices of a few bytes whose headers declare up to 2³² - 1 lines, with their ranks.
fn huge(lab: &Lab) -> Vec<(&'static str, usize)> {
    let sms = "2147483648 2147483648 M\n1 1 1\n0 0 0\n";
    lab.write("huge.sms", sms);
    lab.write("huge.sms.gz", gzip([sms.as_bytes().to_vec()]));
    let corners = "4294967295 4294967295 3\n1 4294967295 5\n4294967295 1 -7\n7 7 65521\n";
    lab.write("huge.mtx", format!("%%MatrixMarket matrix coordinate integer general\n{corners}"));
    lab.write("wide.sms", "2 4294967295 M\n1 4294967295 1\n2 4294967295 2\n2 9 3\n0 0 0\n");
    lab.write("tall.mtx", "%%MatrixMarket matrix coordinate pattern general\n4294967295 3 2\n4294967294 2\n9 2\n");
    lab.write("none.sms", "4294967295 4294967295 M\n0 0 0\n");
    let boeing = "title                                                                   key\n\
                  3 1 1 1 0\nIUA 4294967295 2 2 0\n(3I2) (2I11) (2I4)\n 1 2 3\n 4294967295          7\n   5   6\n";
    lab.write("huge.rua", boeing);
    vec![
        ("huge.sms", 1),
        ("huge.sms.gz", 1),
        ("huge.mtx", 2),
        ("wide.sms", 2),
        ("tall.mtx", 1),
        ("none.sms", 0),
        ("huge.rua", 2),
    ]
}

#[test]
fn a_header_costs_nothing() {
    let lab = Lab::new("limits-headers");
    for (file, rank) in huge(&lab) {
        let answer = |args: &str| {
            let run = limited(&lab, LEAST, args);
            assert_eq!(run.code, 0, "{args}: {}", run.stderr);
            run.stdout
        };
        for method in ["auto", "elimination", "hybrid", "wiedemann"] {
            assert_eq!(answer(&format!("rank {file} -p 65521 --method {method} -q")), format!("{rank}\n"), "{file}");
        }
        // Over Q and modulo another prime 65521 is not 0.
        let over_q = rank + usize::from(file == "huge.mtx");
        assert_eq!(
            answer(&format!("rank {file} --rational -p 65521 -q --bare")),
            format!("{over_q}\n{rank}\n"),
            "{file}"
        );
        assert_eq!(answer(&format!("rank {file} -p 65521 --certificate c.cert -q")), format!("{rank}\n"));
        let verdict = answer(&format!("verify c.cert {file} -q"));
        assert!(verdict.starts_with(&format!("rank {rank} mod 65521 (")), "{file}: {verdict}");
        let info: serde_json::Value = serde_json::from_str(&answer(&format!("info {file} --json -q"))).unwrap();
        let document: serde_json::Value =
            serde_json::from_str(&answer(&format!("rank {file} -p 7 --json -q"))).unwrap();
        assert_eq!((&info["rows"], &info["cols"]), (&document["rows"], &document["cols"]), "{file}");
        let empty = info["row_weights"]["empty"].as_u64().unwrap();
        assert!(info["rows"].as_u64().unwrap() - empty <= 3, "{file}: {empty} empty rows");
        answer(&format!("info {file} --spy picture.png -q"));
        answer(&format!("convert {file} copy.sms --transpose --modulus 7 -q"));
        assert_eq!(answer("rank copy.sms -p 7 -q"), answer(&format!("rank {file} -p 7 -q")), "{file}");
        if info["rows"] == info["cols"] {
            assert_eq!(answer(&format!("permanent {file} -q")), "0\n", "{file}");
        }
    }
}

#[test]
fn headers_that_the_file_belies_are_bad_input() {
    let lab = Lab::new("limits-lies");
    let boeing = |sizes: &str| {
        format!(
            "title                                                                   key\n3 1 1 1 0\n{sizes}\n(3I2) (2I4) (2I4)\n 1 2 3\n   1   2\n   5   6\n"
        )
    };
    lab.write("pointers.rua", boeing("IUA 4294967295 4294967295 2 0"));
    lab.write("entries.rua", boeing("IUA 2 2 1000000000000000000 0"));
    lab.write("entries.mtx", "%%MatrixMarket matrix coordinate integer general\n9 9 1000000000000000000\n1 1 1\n");
    lab.write("array.mtx", "%%MatrixMarket matrix array integer general\n4294967295 4294967295\n1\n");
    lab.write("rows.sms", "4294967296 1 M\n0 0 0\n");
    lab.write("negative.sms", "-5 1 M\n0 0 0\n");
    lab.write("absurd.sms", "99999999999999999999999999 1 M\n0 0 0\n");
    lab.write("line.sms.gz", gzip(std::iter::once(b"1 1 M\n".to_vec()).chain((0..300).map(|_| vec![b'7'; 1 << 20]))));
    lab.write("head.gz", gzip((0..300).map(|_| vec![b' '; 1 << 20])));
    for file in [
        "pointers.rua",
        "entries.rua",
        "entries.mtx",
        "array.mtx",
        "rows.sms",
        "negative.sms",
        "absurd.sms",
        "line.sms.gz",
        "head.gz",
    ] {
        for kib in [LEAST, 4_000_000] {
            let run = limited(&lab, kib, &format!("rank {file} -p 7 -q"));
            assert_eq!(run.code, 3, "{file} within {kib} KiB: {}", run.stderr);
            assert!(run.stderr.contains(file), "{}", run.stderr);
        }
    }
}

#[test]
fn memory_follows_what_is_stored() {
    let lab = Lab::new("limits-bombs");
    // 200 MB of blank lines, comments and zeros around one entry.
    let chunk = [&b"\n"[..], b"% nothing\n", b"1 1 0\n"].map(|line| line.repeat((64 << 20) / line.len()));
    let head = b"3 3 M\n2 2 5\n".to_vec();
    lab.write("blank.sms.gz", gzip(std::iter::once(head).chain(chunk).chain([b"0 0 0\n".to_vec()])));
    let run = limited(&lab, LEAST, "rank blank.sms.gz -p 7 -q");
    assert_eq!((run.code, run.stdout.as_str()), (0, "1\n"), "{}", run.stderr);
    // 40 million entries at one position have to be held, nine bytes each, until they are summed.
    let chunks = (0..40).map(|_| b"1 1 1\n".repeat(1_000_000));
    let same = std::iter::once(b"3 3 M\n".to_vec()).chain(chunks).chain([b"0 0 0\n".to_vec()]);
    lab.write("same.sms.gz", gzip(same));
    assert_eq!(answer_or_end(&lab, LEAST, "rank same.sms.gz -p 7 -q", None), 4);
    assert_eq!(answer_or_end(&lab, LEAST, "rank same.sms.gz -p 7 --json -q", None), 4);
    let run = lab.run("rank same.sms.gz -p 7 -q --max-memory 100M");
    assert!(run.code == 4 && run.stderr.contains("104857600 bytes are allowed"), "{}", run.stderr);
    // So is a generated matrix.
    assert_eq!(answer_or_end(&lab, LEAST, "generate ch9-9-b5 -o large.mtx -q", None), 4);
}

#[test]
fn certificates_that_lie_are_refused_unread() {
    let lab = Lab::new("limits-certificates");
    lab.write("diagonal.sms", DIAGONAL);
    lab.answer("rank diagonal.sms -p 7 --certificate good.cert");
    let good = lab.read("good.cert");
    let text = String::from_utf8_lossy(&good).into_owned();
    let header = text.lines().nth(1).unwrap();
    let lie = header.replace("\"rank\":3", "\"rank\":4294967295").replace("\"triangular\":3", "\"triangular\":0");
    assert_ne!(lie, header);
    let magic = text.lines().next().unwrap();
    lab.write("lie.cert", format!("{magic}\n{lie}\n0123456789"));
    lab.write("long.cert", [&good[..], &[0; 1 << 20]].concat());
    for certificate in ["lie.cert", "long.cert", "/dev/zero"] {
        let run = limited(&lab, LEAST, &format!("verify {certificate} diagonal.sms --json -q"));
        assert_eq!(run.code, 3, "{certificate}: {}", run.stderr);
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&document["verdict"], &document["kind"]), (&false.into(), &"input".into()), "{document}");
    }
}

#[test]
fn small_work_needs_little() {
    let lab = Lab::with_diagonal("limits-small");
    for args in [
        "rank diagonal.sms -p 65521 -q",
        "rank diagonal.sms -p 65521 --method wiedemann -q",
        "rank diagonal.sms --rational -q",
        "permanent diagonal.sms -q",
        "info diagonal.sms -q",
        "--version",
    ] {
        for threads in ["", " --threads 64"] {
            let args = if args == "--version" { args.into() } else { format!("{args}{threads}") };
            let run = limited(&lab, LEAST, &args);
            assert_eq!((run.code, run.stdout), (0, lab.answer(&args)), "{args}: {}", run.stderr);
        }
    }
}

#[test]
fn every_step_of_the_ladder_ends_in_order() {
    let lab = Lab::new("limits-ladder");
    lab.answer("generate ch6-6-b3 -o m.mtx");
    lab.answer("rank m.mtx -p 65521 --certificate good.cert");
    lab.answer("generate dominoes_12_12 -o board.sms");
    let mut ended = 0;
    for args in [
        "rank m.mtx -p 65521 -q",
        "rank m.mtx -p 2,3,65521 -q --threads 8",
        "rank m.mtx -p 65521 --method elimination --json -q",
        "rank m.mtx -p 65521 --method hybrid -q",
        "rank m.mtx --rational -q",
        "rank m.mtx -p 65521 --certificate c.cert -q",
        "verify good.cert m.mtx -q",
        "permanent board.sms -q",
        "permanent board.sms --method frontier -q",
        "info m.mtx -q",
        "convert m.mtx copy.sms.gz --transpose -q",
    ] {
        let expected = lab.answer(args);
        // A document has the seconds that were measured.
        let expected = (!args.contains("--json")).then_some(expected.as_str());
        for kib in LADDER {
            ended += i32::from(answer_or_end(&lab, kib, args, expected) == 4);
        }
        // Below the smallest limit not everything works, but every exit is orderly where the program starts at all.
        for kib in [60_000, 80_000, 100_000, 120_000, 150_000].into_iter().filter(|&kib| starts(kib)) {
            let run = limited(&lab, kib, args);
            assert!(matches!(run.code, 0 | 4), "{args} within {kib} KiB: {}: {}", run.code, run.stderr);
        }
    }
    println!("{ended} of the runs ended for lack of memory");
}
