//! How the program exits: each exit code with its message.

use crate::Lab;

/// The transcript of a run that must exit with `code`.
fn ending(lab: &Lab, args: &str, code: i32) -> String {
    let run = lab.run(args);
    assert_eq!(run.code, code, "{args}: {}", run.stderr);
    run.transcript()
}

#[test]
fn usage() {
    let lab = Lab::with_diagonal("usage");
    let endings: Vec<_> = [
        "rank diagonal.sms -p 65520",
        "rank diagonal.sms -p 1",
        "rank diagonal.sms -p 9223372036854775808",
        "rank diagonal.sms -p 99999999999999999999999",
        "rank diagonal.sms -p seven",
        "rank diagonal.sms",
        "rank - - -p 7",
        "rank diagonal.sms -p 7 --error 2",
        "rank diagonal.sms -p 7 --trials 0",
        "rank diagonal.sms -p 7 --block 0",
        "rank diagonal.sms -p 7 --threads 0",
        "rank diagonal.sms -p 7 --seed x",
        "rank diagonal.sms -p 7 --max-memory 2Q",
        "rank diagonal.sms -p 7 --format ellr",
        "rank diagonal.sms -p 7 --format ell --forbid-format csr",
        "kernel diagonal.sms --dimension",
        "minpoly diagonal.sms",
        "kernel diagonal.sms -p 7",
        "rref diagonal.sms -p 7",
        "determinant diagonal.sms",
        "convert diagonal.sms diagonal.xyz",
        "generate bibd_9_5",
        "generate no-such-family -o f.sms",
        "info diagonal.sms --spy-size 9",
        "completions tcsh",
    ]
    .iter()
    .map(|args| format!("$ blackfield {args}\n{}", ending(&lab, args, 2)))
    .collect();
    insta::assert_snapshot!(endings.join("\n"));
}

#[test]
fn bad_input() {
    let lab = Lab::with_diagonal("bad-input");
    lab.write("words.sms", "3 3 M\n1 1 1\n2 two 2\n0 0 0\n");
    lab.write("outside.sms", "3 3 M\n1 1 1\n4 1 1\n0 0 0\n");
    lab.write("noise.bin", [0u8, 159, 146, 150, 7]);
    lab.write("empty", "");
    lab.answer("convert diagonal.sms whole.sms.gz");
    let gz = lab.read("whole.sms.gz");
    lab.write("truncated.sms.gz", &gz[..gz.len() - 10]);
    let endings: Vec<_> = ["missing.sms", "words.sms", "outside.sms", "noise.bin", "empty", "truncated.sms.gz", "."]
        .iter()
        .map(|file| format!("$ blackfield rank {file} -p 7\n{}", ending(&lab, &format!("rank {file} -p 7"), 3)))
        .collect();
    insta::assert_snapshot!(endings.join("\n"));
}

#[test]
fn bytes_behind_a_gzip_stream() {
    let lab = Lab::with_diagonal("gzip-behind");
    lab.answer("convert diagonal.sms whole.sms.gz");
    let gz = lab.read("whole.sms.gz");
    lab.write("padded.sms.gz", [&gz[..], &[0; 512]].concat());
    assert_eq!(lab.answer("rank padded.sms.gz -p 7"), lab.answer("rank diagonal.sms -p 7"));
    let junk = "bytes after the end of the gzip stream are no gzip member";
    for (behind, words) in [(&b"8 of jun"[..], junk), (&gz[..8], "the gzip stream ends early: a truncated file")] {
        lab.write("behind.sms.gz", [&gz[..], behind].concat());
        let run = lab.run("rank behind.sms.gz -p 7 -q");
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{}", run.stderr);
        assert!(run.stderr.contains("behind.sms.gz") && run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn an_error_in_json() {
    let lab = Lab::new("json-error");
    insta::assert_snapshot!(ending(&lab, "rank missing.sms -p 7 --json", 3));
}

#[test]
fn what_is_no_command_is_a_document_too() {
    let lab = Lab::with_diagonal("json-usage");
    for (args, words) in [
        ("rank diagonal.sms --json", "--modulus <P>"),
        ("rank diagonal.sms --json", "--rational"),
        ("rank diagonal.sms -p 4 --json", "composite"),
        ("rank --json --no-such-option", "--no-such-option"),
        ("minpoly --json", "<FILE>"),
    ] {
        let run = lab.run(args);
        let document: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!((run.code, run.stdout.as_str(), &document["kind"]), (2, "", &"usage".into()), "{document}");
        assert!(document["error"].as_str().unwrap().contains(words), "{document}");
    }
    // What stands behind `--` is a file.
    assert!(lab.run("minpoly -- --json").stderr.starts_with("error: "));
}

#[test]
fn too_little_memory() {
    let lab = Lab::with_diagonal("memory");
    insta::assert_snapshot!(ending(&lab, "rank diagonal.sms -p 7 --max-memory 64 -q", 4));
    // The matrix fits (35576 bytes), but the method does not.
    lab.answer("generate bibd_9_5 -o b.sms");
    let run = lab.run("rank b.sms -p 65521 --method wiedemann --max-memory 36K");
    assert_eq!((run.code, run.stdout.as_str()), (4, ""), "{}", run.stderr);
}

#[test]
fn a_device_that_is_not_there() {
    let lab = Lab::with_diagonal("device");
    let run = lab.run("rank diagonal.sms -p 65521 --method elimination --device cuda");
    assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{}", run.stderr);
    assert!(run.stderr.contains("CUDA GPUs do not serve --method elimination"), "{}", run.stderr);
    // A rank by whatever method asks for a GPU that is demanded, needed or not.
    let run = lab.run("rank diagonal.sms -p 65521 --device cuda");
    match blackfield::gpu::require_devices() {
        Ok(_) => assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"), "{}", run.stderr),
        Err(error) => {
            assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{}", run.stderr);
            assert!(run.stderr.trim_end().ends_with(&error.to_string()), "{}", run.stderr);
        }
    }
    // Block Wiedemann on the matrix itself runs on a GPU, says that it is missing, or goes on without it.
    let [demanded, if_there] = ["cuda", "auto"]
        .map(|device| lab.run(&format!("rank diagonal.sms -p 65521 --method wiedemann --device {device}")));
    assert_eq!(if_there.code, 0, "{}", if_there.stderr);
    // What is done before a GPU is ready asks for none.
    assert!(if_there.stderr.contains("before a GPU is ready (600 ms)"), "{}", if_there.stderr);
    match blackfield::gpu::require_devices() {
        Ok(_) => assert_eq!((demanded.code, demanded.stdout), (0, if_there.stdout), "{}", demanded.stderr),
        Err(_) => {
            assert_eq!((demanded.code, demanded.stdout.as_str()), (5, ""), "{}", demanded.stderr);
            assert!(!if_there.stderr.contains("CUDA"), "{}", if_there.stderr);
        }
    }
    // A GPU that is not there is named, and a word that is none is explained.
    for command in ["rank diagonal.sms -p 7", "permanent diagonal.sms"] {
        let run = lab.run(&format!("{command} --device cuda:0,200"));
        assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{}", run.stderr);
        assert!(
            blackfield::gpu::require_devices().is_err() || run.stderr.contains("no CUDA device 200"),
            "{}",
            run.stderr
        );
        let run = lab.run(&format!("{command} --device gpu:1"));
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("cpu, auto, cuda, cuda:all or cuda:0,1 is needed"), "{}", run.stderr);
    }
    // A permanent runs on GPUs, or says that there are none; by default it does not need any.
    let run = lab.run("permanent diagonal.sms --method gray --device cuda -q");
    match blackfield::gpu::require_devices() {
        Ok(_) => assert_eq!(run.code, 0, "{}", run.stderr),
        Err(error) => {
            assert_eq!((run.code, run.stdout.as_str()), (5, ""), "{}", run.stderr);
            assert_eq!(run.stderr.trim_end(), format!("blackfield: {error}"));
        }
    }
    assert_eq!(lab.run("permanent diagonal.sms --method gray").code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    use std::fs::File;
    let lab = Lab::with_diagonal("full-disk");
    for (args, name) in [
        ("rank diagonal.sms -p 7", "standard output"),
        ("rank diagonal.sms -p 7 --json", "standard output"),
        ("generate bibd_9_5 -o -", "standard output"),
        ("generate bibd_9_5 -o /dev/full --to sms", "/dev/full"),
        ("kernel diagonal.sms -p 7 -o /dev/full", "/dev/full"),
        ("man", "standard output"),
        ("--help", "standard output"),
        ("--version", "standard output"),
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = lab.command(args).stdout(full).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{args}: {stderr}");
        assert!(stderr.contains(name) && stderr.contains("No space left on device"), "{args}: {stderr}");
    }
    // Errors cannot be reported if standard error is full, but nothing breaks.
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = lab.command("rank diagonal.sms -p 65521").stderr(full).output().unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"3\n"[..]));
}

#[test]
fn a_reader_that_leaves_ends_the_program_quietly() {
    let lab = Lab::with_diagonal("closed-pipe");
    for args in ["rank diagonal.sms -p 7 -q", "generate bibd_9_5 -o - -q", "completions bash", "man", "--help"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = lab.command(args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args}");
        assert!(output.stderr.is_empty(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn options_of_block_wiedemann_are_refused_where_it_is_left_out() {
    let lab = Lab::with_diagonal("no-wiedemann");
    for option in ["--trials 3", "--block 4", "--route codegree", "--no-early-termination"] {
        let said = ending(&lab, &format!("rank diagonal.sms -p 7 --method elimination {option}"), 2);
        let name = option.split(' ').next().unwrap();
        assert!(said.contains(&format!("{name} is for block Wiedemann")), "{option}: {said}");
        let _ = ending(&lab, &format!("rank diagonal.sms -p 7 {option}"), 0);
    }
}

/// Format options take effect, as `--explain` shows, or are refused with the reason: by every method, and over the
/// rationals too.
#[test]
fn format_options_act_or_are_refused() {
    let lab = Lab::with_diagonal("formats");
    let wishes = ["--format coo", "--segregate always", "--segregate never", "--forbid-format csr"];
    for method in ["", "--method auto", "--method elimination", "--method hybrid", "--proven", "--rational"] {
        for wish in wishes {
            let said = ending(&lab, &format!("rank diagonal.sms -p 7 {method} {wish}"), 2);
            assert!(said.contains("choose the method wiedemann"), "{method} {wish}: {said}");
        }
        let _ = ending(&lab, &format!("rank diagonal.sms -p 7 {method} --segregate auto"), 0);
    }
    let plan = |wish: &str| ending(&lab, &format!("rank diagonal.sms -p 65521 --method wiedemann --explain {wish}"), 0);
    assert!(plan("--format coo").contains("in COO") && plan("--format dia").contains("in DIA"));
    assert!(!plan("--forbid-format dia,coo").contains("in DIA") && plan("--segregate always").contains("+1 in"));
}
