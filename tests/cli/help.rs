//! Help, version, completions, manual pages.

use crate::Lab;

const SUBCOMMANDS: [&str; 19] = [
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
    "matchings",
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
fn help_is_a_command_as_well() {
    let lab = Lab::new("help-command");
    assert_eq!(lab.answer("help"), lab.answer("--help"));
    for subcommand in SUBCOMMANDS {
        assert_eq!(lab.answer(&format!("help {subcommand}")), lab.answer(&format!("{subcommand} --help")));
    }
    assert_eq!(lab.run("help no-such-command").code, 2);
}

#[test]
fn version() {
    let lab = Lab::new("version");
    let short = format!("blackfield {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((lab.answer("--version"), lab.answer("-V")), (short.clone(), short.clone()));
    let long = lab.answer("--version --verbose");
    for words in ["-V -v", "-Vv", "--verbose --version"] {
        assert_eq!(lab.answer(words), long, "{words}");
    }
    let facts: Vec<&str> = long.strip_prefix(&short).unwrap().lines().collect();
    for name in ["commit", "build", "features", "instructions", "CUDA driver", "NVRTC"] {
        let fact = facts.iter().find_map(|line| line.strip_prefix(&format!("{name:<13} ")));
        assert!(fact.is_some_and(|fact| !fact.trim().is_empty()), "{name}: {long}");
    }
    let best = blackfield::isa::Isa::best().name();
    assert!(
        long.contains(&format!("; {best} is used"))
            && long.contains(" cli archives ")
            && long.contains(" graphml gzip "),
        "{long}"
    );
    assert_eq!(lab.run("--verbose rank x -p 7").code, 2);
}

/// What bash would offer for the word under the cursor, the last one; `None` where it completes names of files.
fn offered(lab: &Lab, words: &str) -> Option<Vec<String>> {
    let last = words.rsplit(' ').next().unwrap();
    let words: Vec<&str> = words.split(' ').collect();
    let at = words.len() - 1;
    let list: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source ./script; COMP_WORDS=({}); COMP_CWORD={at}; compopt() {{ :; }}; \
         _blackfield blackfield '{last}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        list.join(" "),
        words[at - 1]
    );
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(&lab.dir).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().filter(|l| !l.is_empty()).map(String::from).collect();
    (!found.is_empty()).then_some(found)
}

#[test]
fn bash_completes_names_of_files_after_the_command() {
    if std::process::Command::new("bash").arg("--version").output().is_err() {
        println!("skipped: there is no bash");
        return;
    }
    let lab = Lab::new("completions-files");
    let script = lab.answer("completions bash");
    // Names of files are bash's own business wherever the function offers nothing.
    assert!(script.lines().any(|line| line.contains("complete -F _blackfield") && line.contains("-o default")));
    lab.write("script", &script);
    for words in ["rank ", "rank m", "rank m.mtx ", "kernel ", "verify c.cert ", "homology a.sms ", "tune ", "man "] {
        assert_eq!(offered(&lab, &format!("blackfield {words}")), None, "{words}");
    }
    let has = |words: &str, word: &str| {
        let offer = offered(&lab, &format!("blackfield {words}")).unwrap_or_default();
        assert!(offer.iter().any(|offer| offer == word), "{words}: {offer:?}");
    };
    has("", "rank");
    has("ra", "rank");
    has("rank --ra", "--rational");
    has("rank m.mtx --met", "--method");
    has("rank m.mtx --method ", "wiedemann");
    has("completions ", "bash");
    has("bench ", "products");
    has("help ", "rank");
}

/// Read, not run: Elvish is rarely there.
#[test]
fn elvish_completes_names_of_files_after_the_command() {
    let script = Lab::new("completions-elvish").answer("completions elvish");
    let (map, offer) = script.split_once("\n    ]\n").unwrap();
    assert!(!map.contains("for word") && map.contains("&'blackfield;rank'= {"), "{script}");
    // A word that is no subcommand is an operand.
    assert!(offer.contains("if (not (has-key $completions $command';'$word)) {\n            break"), "{offer}");
    let files = offer.split_once("(has-value [").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    let files: Vec<&str> = files.split(' ').collect();
    assert!(files.contains(&"rank") && files.contains(&"homology") && !files.contains(&"bench"), "{files:?}");
    assert!(offer.contains("edit:complete-filename $words[-1]"), "{offer}");
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
