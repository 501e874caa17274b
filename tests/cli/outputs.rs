//! Where what is written may go: never in the place of an input, and a wrong place is refused before any work.

use crate::Lab;

/// A run that must be refused as wrong usage, without having read a file; what it says.
fn refused(lab: &Lab, args: &str) -> String {
    let run = lab.run(args);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{args}: {}", run.stderr);
    assert!(!run.stderr.contains("read in"), "{args}: {}", run.stderr);
    run.stderr
}

#[test]
fn no_output_replaces_an_input_or_another_output() {
    let lab = Lab::with_diagonal("outputs");
    for (args, option) in [
        ("rank diagonal.sms -p 7 --certificate diagonal.sms", "--certificate"),
        ("kernel diagonal.sms -p 7 -o diagonal.sms", "--output"),
        ("solve diagonal.sms --rhs diagonal.sms -p 7 -o ./diagonal.sms", "--output"),
        ("info diagonal.sms --report diagonal.sms", "--report"),
        ("tune diagonal.sms --report diagonal.sms", "--report"),
    ] {
        let said = refused(&lab, args);
        assert!(said.contains(&format!("{option} would replace the input diagonal.sms")), "{args}: {said}");
    }
    assert_eq!(lab.text("diagonal.sms"), crate::DIAGONAL);
    let said = refused(&lab, "info diagonal.sms --spy x.png --histogram ./x.png");
    assert!(said.contains("--spy and --histogram name one file: ./x.png"), "{said}");
    // `convert` may: the new file takes the place of the old one when it is complete.
    lab.answer("convert diagonal.sms diagonal.sms -p 5");
    assert_eq!(lab.text("diagonal.sms"), "3 3 M\n1 1 1\n2 2 2\n3 3 1\n0 0 0\n");
}

#[test]
fn places_that_take_no_file_are_refused_before_any_work() {
    let lab = Lab::with_diagonal("outputs-places");
    for args in [
        "convert diagonal.sms none/x.sms",
        "solve diagonal.sms --rhs diagonal.sms -p 7 -o none/x.sms",
        "kernel diagonal.sms -p 7 -o none/x.sms",
        "rank diagonal.sms -p 7 --certificate none/x.cert",
        "info diagonal.sms --spy none/x.png",
        "tune diagonal.sms --report none/x.html",
        "convert diagonal.sms . --to sms",
    ] {
        let run = lab.run(args);
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{args}: {}", run.stderr);
        assert!(!run.stderr.contains("read in") && run.stderr.lines().count() == 1, "{args}: {}", run.stderr);
    }
    for args in ["generate mk4 --complex -o diagonal.sms", "man diagonal.sms"] {
        let said = refused(&lab, args);
        assert!(said.contains("diagonal.sms: a folder is needed, this is a file"), "{args}: {said}");
    }
    let said = refused(&lab, "convert diagonal.sms x.gz --to npz");
    assert!(said.contains("an .npz file is compressed by itself"), "{said}");
    // Nothing is left of what was tried.
    let left: Vec<_> = std::fs::read_dir(&lab.dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["diagonal.sms"]);
}

#[cfg(unix)]
#[test]
fn devices_and_long_names_are_places_too() {
    let lab = Lab::new("outputs-devices");
    lab.write("a.sms", "1 3 M\n1 1 1\n1 2 1\n0 0 0\n");
    for command in ["kernel a.sms -p 7", "rref a.sms -p 7", "solve a.sms --rhs a.sms -p 7", "convert a.sms"] {
        let output = if command.starts_with("convert") { "/dev/null" } else { "-o /dev/null" };
        lab.answer(&format!("{command} {output}"));
    }
    // As many bytes as a name may have.
    let name = format!("{}.sms", "x".repeat(251));
    lab.answer(&format!("convert a.sms {name}"));
    assert_eq!(lab.answer(&format!("rank {name} -p 7")), "1\n");
}
