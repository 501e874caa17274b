//! Profiles: where they are looked for, what is refused, and that answers do not depend on them.

use crate::Lab;
use blackfield::field::Rng;
use blackfield::tune::{Bandwidth, PRICES, Profile};
use rand::{RngExt, SeedableRng};

/// A profile of this machine whose prices are off by up to a factor of `spread`.
fn profile(spread: f64, seed: u64) -> Profile {
    let mut profile = Profile::new(Bandwidth { one: 1e10, all: 1e10 }, vec![]);
    let machine = profile.machine();
    // Each is drawn by its name: others that are added change none.
    let wild = |price: &blackfield::tune::Price| {
        let mut stream = [0; 32];
        let name = price.to_string();
        stream.iter_mut().zip(name.bytes().rev()).for_each(|(to, byte)| *to = byte);
        stream[31] = seed as u8;
        let mut rng = Rng::from_seed(stream);
        let [least, most] = price.range();
        let value = price.of(&machine) * spread.powf(rng.random_range(-1.0..=1.0));
        (*price, value.clamp(least, most))
    };
    profile.prices = PRICES.iter().map(wild).collect();
    profile
}

#[test]
fn answers_do_not_depend_on_the_profile() {
    let lab = Lab::with_diagonal("profile-answers");
    lab.answer("generate EX1 -o e.mtx");
    lab.answer("generate dominoes_4_6 -o d.mtx");
    for seed in 0..3 {
        lab.write("p.toml", profile(1e6, seed).to_toml());
        let rank = lab.run("rank e.mtx -p 65521,2 --profile p.toml");
        assert_eq!((rank.code, rank.stdout), (0, lab.answer("rank e.mtx -p 65521,2")), "{}", rank.stderr);
        assert!(rank.stderr.contains("prices of p.toml"), "{}", rank.stderr);
        assert_eq!(lab.answer("permanent diagonal.sms d.mtx --bare --profile p.toml"), "12\n281\n");
        assert_eq!(lab.answer("rank diagonal.sms --rational --profile p.toml"), "3\n");
    }
}

#[test]
fn profiles_are_found_where_the_help_says() {
    let lab = Lab::with_diagonal("profile-places");
    let said = |args: &str, variable: Option<&str>| {
        let mut command = lab.command(args);
        variable.into_iter().for_each(|value| _ = command.env("BLACKFIELD_PROFILE", value));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let rank = "rank diagonal.sms -p 7";
    assert!(!said(rank, None).1.contains("prices of"));
    lab.write("one.toml", profile(2.0, 1).to_toml());
    lab.write("two.toml", profile(2.0, 2).to_toml());
    std::fs::create_dir_all(lab.dir.join("blackfield")).unwrap();
    lab.write("blackfield/profile.toml", profile(2.0, 3).to_toml());
    for (args, variable, place) in [
        ("", None, Some("blackfield/profile.toml")),
        ("", Some("two.toml"), Some("two.toml")),
        (" --profile one.toml", Some("two.toml"), Some("one.toml")),
        (" --profile none", Some("two.toml"), None),
        ("", Some("none"), None),
    ] {
        let (code, stderr) = said(&format!("{rank}{args}"), variable);
        assert_eq!(code, Some(0), "{stderr}");
        match place {
            Some(place) => assert!(stderr.contains("prices of ") && stderr.contains(place), "{args}: {stderr}"),
            None => assert!(!stderr.contains("prices of"), "{args}: {stderr}"),
        }
    }
    // What is asked for must be there; so must what lies in the directory be a profile.
    assert_eq!(said(&format!("{rank} --profile missing.toml"), None).0, Some(3));
    lab.write("blackfield/profile.toml", "schema = 1\n");
    let (code, stderr) = said(rank, None);
    assert!(code == Some(3) && stderr.contains("profile.toml:1: schema: a string is expected"), "{stderr}");
    assert_eq!(said(&format!("{rank} --profile none"), None).0, Some(0));
}

#[test]
fn a_damaged_profile_is_bad_input() {
    let lab = Lab::with_diagonal("profile-damaged");
    let text = profile(2.0, 1).to_toml();
    let line = 1 + text[..text.find("entry = ").unwrap()].matches('\n').count();
    lab.write("p.toml", text.replacen("entry = ", "entry = -", 1));
    for command in ["rank diagonal.sms -p 7", "permanent diagonal.sms", "info diagonal.sms", "bench ranks --quick"] {
        let run = lab.run(&format!("{command} --profile p.toml"));
        assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{command}: {}", run.stderr);
        let expected =
            format!("blackfield: p.toml:{line}: prices.schur.entry: a number from 1e-20 to 1e6 is expected\n");
        assert!(run.stderr.ends_with(&expected), "{command}: {}", run.stderr);
    }
    let run = lab.run("rank diagonal.sms -p 7 --json --profile p.toml");
    assert!(run.code == 3 && run.stdout.is_empty() && run.stderr.contains("\"kind\":\"input\""), "{}", run.stderr);
}

#[test]
fn another_machines_profile_is_left_alone() {
    let lab = Lab::with_diagonal("profile-other");
    let mut other = profile(1e6, 1);
    other.fingerprint.processor = "another one".into();
    lab.write("p.toml", other.to_toml());
    let run = lab.run("rank diagonal.sms -p 7 --profile p.toml");
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"));
    let warning = "blackfield: warning: the profile p.toml is another machine's, built-in prices are used instead";
    assert!(run.stderr.contains(warning) && run.stderr.contains("processor: `another one`"), "{}", run.stderr);
    let document = lab.document("rank diagonal.sms -p 7 --json --profile p.toml");
    assert!(document["warnings"][0].as_str().unwrap().contains("another machine's"), "{document}");
    // The prices are the built-in ones.
    let predicted = |args: &str| lab.document(&format!("info diagonal.sms --json{args}"))["predicted"].clone();
    assert_eq!(predicted(" --profile p.toml"), predicted(""));
    lab.write("q.toml", profile(1e6, 1).to_toml());
    assert_ne!(predicted(" --profile q.toml")["seconds"], predicted("")["seconds"]);
    assert_eq!(predicted(" --profile q.toml")["profile"], "q.toml");
}

/// Prices that were measured with other instructions are not used either.
#[test]
fn narrower_instructions_are_another_machine() {
    let lab = Lab::with_diagonal("profile-isa");
    lab.write("p.toml", profile(2.0, 1).to_toml());
    let run = lab.run("rank diagonal.sms -p 7 --profile p.toml --isa portable");
    let narrower = profile(2.0, 1).fingerprint.isa != "portable";
    assert_eq!((run.code, run.stdout.as_str()), (0, "3\n"));
    assert_eq!(run.stderr.contains("instruction set in use"), narrower, "{}", run.stderr);
}
