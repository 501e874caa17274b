//! Help, version, completions, manual pages.

use crate::Lab;

const SUBCOMMANDS: [&str; 18] = [
    "rank",
    "verify",
    "kernel",
    "solve",
    "rref",
    "det",
    "smith",
    "minpoly",
    "charpoly",
    "homology",
    "permanent",
    "info",
    "tune",
    "bench",
    "convert",
    "generate",
    "completions",
    "man",
];

#[test]
fn help_texts() {
    let lab = Lab::new("help");
    insta::assert_snapshot!("help", lab.answer("--help"));
    for subcommand in SUBCOMMANDS {
        insta::assert_snapshot!(format!("help-{subcommand}"), lab.answer(&format!("{subcommand} --help")));
    }
    insta::assert_snapshot!("help-rank-short", lab.answer("rank -h"));
}

#[test]
fn version() {
    let lab = Lab::new("version");
    assert_eq!(lab.answer("--version"), format!("blackfield {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_know_every_subcommand_and_parse() {
    let lab = Lab::new("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = lab.answer(&format!("completions {shell}"));
        for word in SUBCOMMANDS.into_iter().chain(["max-memory", "no-early-termination"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
        lab.write("script", &script);
        // `-n` reads a script without running it; a machine without the shell checks the words only.
        if ["bash", "fish", "zsh"].contains(&shell)
            && let Ok(output) = std::process::Command::new(shell).arg("-n").arg(lab.dir.join("script")).output()
        {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn manual_pages_render() {
    let lab = Lab::new("man");
    let page = lab.answer("man");
    assert!(page.contains(".TH blackfield 1") && page.contains("\n.nf\nExit codes:\n    0  "), "{page}");
    lab.answer("man pages/1");
    let names = SUBCOMMANDS.map(|name| format!("blackfield-{name}.1"));
    for name in names.iter().map(String::as_str).chain(["blackfield.1"]) {
        let text = String::from_utf8(lab.read(&format!("pages/1/{name}"))).unwrap();
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{name}");
        // A machine without groff checks the sections only.
        let groff = ["-man", "-Tutf8", "-ww", "-z"];
        if let Ok(output) =
            std::process::Command::new("groff").args(groff).arg(lab.dir.join("pages/1").join(name)).output()
        {
            let complaints = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && complaints.is_empty(), "{name}: {complaints}");
        }
    }
}
