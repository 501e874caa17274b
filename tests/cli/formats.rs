//! Files of other programs: `convert` writes them, every command reads them, and names select in them.

use crate::Lab;
use std::path::Path;

#[test]
fn convert_writes_what_is_read_again() {
    let lab = Lab::with_diagonal("formats");
    let names = ["a.npz", "a.npy", "a.npy.xz", "a.mtx.xz", "a.sms.bz2", "a.mtx.zst", "a.sms.gz"];
    for (from, to) in ["diagonal.sms"].iter().chain(&names).zip(names) {
        lab.answer(&format!("convert {from} {to}"));
        assert_eq!(lab.answer(&format!("convert {to} - --to sms")), "3 3 M\n1 1 1\n2 2 2\n3 3 6\n0 0 0\n", "{to}");
    }
    assert_eq!(lab.answer("convert a.npz - --to coo -p 2"), "1 1 1\n3 3 0\n");
    assert_eq!(lab.answer("rank a.npz a.mtx.zst -p 2 -p 7 --bare"), "1\n3\n1\n3\n");
    assert_eq!(lab.answer("det a.npy"), "12\n");
    lab.answer("generate ch4-4-b2 -o c.npz");
    lab.answer("generate ch4-4-b2 -o c.sms");
    let digest = |file: &str| lab.document(&format!("rank {file} -p 7 --json"))["digest"].clone();
    assert_eq!(digest("c.npz"), digest("c.sms"));
    // Pipes, too.
    let packed = lab.read("a.npy.xz");
    let run = lab.run_with_input("rank - -p 7", packed);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"), "{}", run.stderr);
}

#[test]
fn answers_are_written_in_the_same_formats() {
    let lab = Lab::new("format-answers");
    lab.write("a.sms", "2 4 M\n1 1 1\n1 2 2\n2 3 1\n2 4 -1\n0 0 0\n");
    lab.write("b.sms", "2 1 M\n1 1 3\n2 1 4\n0 0 0\n");
    let commands = [
        "kernel a.sms -p 7 -o",
        "kernel a.sms -p 7 --left -o",
        "rref a.sms -p 7 -o",
        "solve a.sms --rhs b.sms -p 7 -o",
    ];
    for command in commands {
        lab.answer(&format!("{command} x.sms"));
        let expected = lab.answer("convert x.sms - --to sms");
        for name in ["x.npz", "x.npy", "x.mtx.gz", "x.sms.xz"] {
            lab.answer(&format!("{command} {name}"));
            assert_eq!(lab.answer(&format!("convert {name} - --to sms")), expected, "{command} {name}");
        }
    }
    lab.answer("kernel a.sms --rational -o n.mtx.zst");
    assert_eq!(lab.answer("rank n.mtx.zst -p 7"), "2\n");
}

#[test]
fn what_cannot_be_written_is_refused_before_any_work() {
    let lab = Lab::with_diagonal("format-refusals");
    lab.write("half.sms", "1 1 Q\n1 1 1/2\n0 0 0\n");
    lab.write("big.sms", "1 1 M\n1 1 9223372036854775808\n0 0 0\n");
    for (args, code, words) in [
        ("convert diagonal.sms a.npz.gz", 2, "a.npz.gz: an .npz file is compressed by itself"),
        ("convert diagonal.sms a.sms.lz4", 2, "a.sms.lz4: the name must end in .sms, .mtx, .coo, .npy or .npz"),
        ("convert half.sms a.npz", 3, "entry (1, 1) is 1/2: .npz has integers of 64 bits"),
        ("convert big.sms a.npy", 3, "entry (1, 1) has 64 bits: .npy has integers of 64 bits"),
        ("kernel diagonal.sms --rational -o n.npz", 2, "n.npz: the format has integers of 64 bits"),
        ("solve diagonal.sms --rhs diagonal.sms --rational -o x.npy", 2, "x.npy: the format has integers of 64 bits"),
        ("kernel diagonal.sms::x -p 7 -o diagonal.sms", 2, "--output would replace the input"),
        ("rank diagonal.sms::x -p 7", 3, "diagonal.sms: expected several matrices of which \"x\" is one, found a text"),
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{args}: {}", run.stderr);
        assert!(!lab.dir.join("a.npz").exists() && !lab.dir.join("a.npy").exists(), "{args}");
    }
}

#[test]
fn names_select_one_of_several() {
    let lab = Lab::new("format-selections");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/formats/arrays");
    for file in ["several.mat", "small.tar", "arrays.tar.zst", "column.sms", "small.sms"] {
        std::fs::copy(folder.join(file), lab.dir.join(file)).unwrap();
    }
    let run = lab.run("rank several.mat -p 7");
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    let words = "blackfield: several.mat: expected one matrix, found S, B, title, cells: name the variable, as in several.mat::S\n";
    assert_eq!(run.stderr, words);
    assert_eq!(lab.answer("convert several.mat::S - --to sms"), lab.answer("convert small.sms - --to sms"));
    assert_eq!(lab.answer("convert small.tar::small_b.mtx - --to sms"), lab.answer("convert column.sms - --to sms"));
    let inner = lab.document("rank arrays.tar.zst::problem.mat::Problem.aux.Q -p 7 --json");
    assert_eq!(inner["file"], "arrays.tar.zst::problem.mat::Problem.aux.Q");
}
