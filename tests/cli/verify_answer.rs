//! `blackfield verify ANSWER.json`: what answers say, and what they do not.

use crate::Lab;
use serde_json::{Value, json};

/// The document of an answer, kept in a file.
fn ask(lab: &Lab, args: &str, file: &str) -> Value {
    let document = lab.document(&format!("{args} --json"));
    lab.write(file, document.to_string());
    document
}

/// Refused with this exit code, and so in its document.
fn refused(lab: &Lab, answer: &Value, files: &str, code: i32, words: &str) {
    lab.write("wrong.json", answer.to_string());
    let run = lab.run(&format!("verify wrong.json {files} --json -q"));
    assert_eq!(run.code, code, "{answer}: {}{}", run.stdout, run.stderr);
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stderr));
    assert_eq!((&document["verdict"], &document["code"]), (&json!(false), &json!(code)), "{document}");
    assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
}

fn with(answer: &Value, key: &str, value: Value) -> Value {
    let mut changed = answer.clone();
    changed[key] = value;
    changed
}

fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.answer("generate ch3-4-b2 -o a.sms");
    lab.write("b.sms", "24 1 M\n1 1 1\n0 0 0\n");
    lab.write("q.sms", "3 4 M\n1 1 1/2\n1 2 3\n2 2 2\n2 4 -5/3\n3 1 4\n3 2 26\n3 4 -5/3\n0 0 0\n");
    lab.write("square.sms", "3 3 M\n1 1 2\n1 2 1\n2 2 6\n2 3 9\n3 3 4\n0 0 0\n");
    lab
}

#[test]
fn null_spaces_are_verified() {
    let lab = lab("verify-kernel");
    for (p, side) in [("-p 65521", ""), ("-p 2", "--left"), ("-p 3 --method hybrid", "")] {
        let answer = ask(&lab, &format!("kernel a.sms {p} {side} -o n.sms"), "k.json");
        assert_eq!(lab.answer("verify k.json a.sms n.sms"), "kernel holds (proven)\n", "{p} {side}");
        let smaller = answer["dimension"].as_u64().unwrap() - 1;
        refused(&lab, &with(&answer, "dimension", json!(smaller)), "a.sms n.sms", 1, "a null space of dimension");
        let rank = answer["rank"].as_u64().unwrap() + 1;
        let wrong = with(&with(&answer, "rank", json!(rank)), "dimension", json!(smaller));
        refused(&lab, &wrong, "a.sms n.sms", 1, "vectors");
        refused(&lab, &answer, "square.sms n.sms", 3, "another matrix");
        // A wrong entry, a vector twice.
        let text = lab.text("n.sms");
        let mut lines: Vec<&str> = text.lines().collect();
        let entry: Vec<&str> = lines[1].split(' ').collect();
        let changed = format!("{} {} {}", entry[0], entry[1], entry[2].parse::<i64>().unwrap() + 1);
        lines[1] = &changed;
        lab.write("wrong.sms", lines.join("\n"));
        refused(&lab, &answer, "a.sms wrong.sms", 1, "not mapped to zero");
    }
    let answer = ask(&lab, "kernel q.sms --rational -o n.sms", "k.json");
    assert_eq!(lab.answer("verify k.json q.sms n.sms"), "kernel holds (proven)\n");
    lab.write("wrong.sms", lab.text("n.sms").replacen("1 ", "2 ", 1));
    assert_ne!(lab.run("verify k.json q.sms wrong.sms").code, 0);
    refused(&lab, &with(&answer, "vectors", json!(1)), "q.sms n.sms", 1, "vectors of");
    ask(&lab, "kernel a.sms -p 7 --vectors 3 -o n.sms", "k.json");
    let words = lab.answer("verify k.json a.sms n.sms");
    assert!(words.starts_with("kernel holds ("), "{words}");
    assert_eq!(lab.run("verify k.json a.sms").code, 2);
}

#[test]
fn systems_and_forms_are_verified() {
    let lab = lab("verify-solve");
    for p in ["-p 65521", "-p 2", "--rational"] {
        let answer = ask(&lab, &format!("solve a.sms --rhs a.sms {p} -o x.sms"), "s.json");
        let holds = lab.answer("verify s.json a.sms a.sms x.sms");
        assert!(holds.ends_with("solve holds (proven)\n"), "{holds}");
        lab.write("wrong.sms", lab.text("x.sms").replacen(" 1\n", " 0\n", 1));
        refused(&lab, &answer, "a.sms a.sms wrong.sms", 1, "do not solve equation");
        let answer = ask(&lab, &format!("solve a.sms --rhs b.sms {p}"), "s.json");
        assert_eq!(answer["consistent"], json!(false));
        assert!(lab.answer("verify s.json a.sms b.sms").ends_with("solve holds (proven)\n"));
        let mut wrong = answer.clone();
        wrong["contradiction"]["y"].as_array_mut().unwrap().pop();
        refused(&lab, &wrong, "a.sms b.sms", 1, "does not contradict");
        refused(&lab, &answer, "a.sms a.sms", 3, "rhs_digest");
    }
    for p in [65521, 2] {
        let answer = ask(&lab, &format!("rref a.sms -p {p} -o r.sms"), "r.json");
        assert_eq!(lab.answer("verify r.json a.sms r.sms"), "rref holds (proven)\n");
        let mut wrong = answer.clone();
        let last = wrong["pivots"].as_array().unwrap().len() - 1;
        wrong["pivots"][last] = json!(wrong["pivots"][last].as_u64().unwrap() + 1);
        refused(&lab, &wrong, "a.sms r.sms", 1, "refuted");
        let mut wrong = answer.clone();
        wrong["pivots"].as_array_mut().unwrap().pop();
        refused(&lab, &wrong, "a.sms r.sms", 1, "pivots for rank");
        ask(&lab, &format!("rref a.sms -p {p} --pivots-only"), "r.json");
        lab.answer("verify r.json a.sms");
    }
}

#[test]
fn determinants_polynomials_and_smith_forms_are_verified() {
    let lab = lab("verify-det");
    let answer = ask(&lab, "det square.sms", "d.json");
    assert!(lab.answer("verify d.json square.sms").starts_with("det holds ("));
    refused(&lab, &with(&answer, "det", json!("-48")), "square.sms", 1, "another one mod");
    for kind in ["det", "minpoly", "charpoly"] {
        let answer = ask(&lab, &format!("{kind} square.sms -p 65521"), "d.json");
        let holds = lab.answer("verify d.json square.sms");
        assert!(holds.starts_with(&format!("{kind} holds (")), "{holds}");
        let wrong = match kind {
            "det" => with(&answer, "det", json!("5")),
            _ => with(&answer, "coefficients", json!(["5", "1"])),
        };
        refused(&lab, &wrong, "square.sms", 1, "refuted");
    }
    let answer = ask(&lab, "smith square.sms", "f.json");
    assert_eq!(lab.answer("verify f.json square.sms"), "smith holds (heuristic)\n");
    for wrong in [json!([["1", 3]]), json!([["1", 2], ["24", 1]]), json!([["2", 2], ["12", 1]]), json!([["1", 2]])] {
        refused(&lab, &with(&answer, "factors", wrong), "square.sms", 1, "refuted");
    }
    // Ranks mod 2 and 3 are those of other powers, and no determinant tells.
    std::fs::write(lab.dir.join("singular.sms"), "4 4 M\n1 1 1\n2 2 4\n3 3 12\n0 0 0\n").unwrap();
    let answer = ask(&lab, "smith singular.sms", "f.json");
    assert_eq!(answer["factors"], json!([["1", 1], ["4", 1], ["12", 1]]));
    assert_eq!(lab.answer("verify f.json singular.sms"), "smith holds (heuristic)\n");
    for wrong in [
        json!([["1", 1], ["2", 1], ["12", 1]]),
        json!([["1", 1], ["4", 1], ["36", 1]]),
        json!([["1", 1], ["2", 1], ["6", 1]]),
    ] {
        refused(&lab, &with(&answer, "factors", wrong), "singular.sms", 1, "other powers");
    }
}

#[test]
fn homology_groups_are_verified() {
    let lab = Lab::new("verify-homology");
    lab.answer("generate --complex mk7 -o mk7");
    let folder = std::fs::read_dir(lab.dir.join("mk7")).unwrap();
    let mut files: Vec<String> =
        folder.map(|file| format!("mk7/{}", file.unwrap().file_name().to_str().unwrap())).collect();
    files.sort();
    let files = files.join(" ");
    for options in ["", "--cohomology --reduced", "-p 3,2 --integral --rational"] {
        let answer = ask(&lab, &format!("homology {files} {options}"), "h.json");
        assert_eq!(lab.answer(&format!("verify h.json {files}")), "homology holds (heuristic)\n");
        for k in 0..answer["over"].as_array().unwrap().len() {
            let mut wrong = answer.clone();
            let betti = &mut wrong["over"][k]["groups"][1]["betti"];
            *betti = json!(betti.as_u64().unwrap() + 1);
            refused(&lab, &wrong, &files, 1, "contradict the group");
        }
        let mut wrong = answer.clone();
        let groups = wrong["over"][0]["groups"].as_array_mut().unwrap();
        if let Some(group) = groups.iter_mut().find(|group| group["torsion"] != json!([])) {
            group["torsion"] = json!([]);
            refused(&lab, &wrong, &files, 1, "contradict the group");
        }
    }
}

/// Other powers of the same primes, which no rank mod a prime tells apart; other primes beyond those tried.
#[test]
fn torsion_is_verified_by_its_powers() {
    let lab = Lab::new("verify-torsion");
    lab.write("plane.txt", "1 2 3\n1 3 4\n1 4 5\n1 5 6\n1 2 6\n2 3 5\n3 4 6\n2 4 5\n3 5 6\n2 4 6\n");
    lab.write("powers.sms", "5 5 M\n1 1 2\n2 2 4\n3 3 4\n4 4 60\n0 0 0\n");
    lab.write("squares.sms", "2 3 M\n1 1 9\n2 2 25\n0 0 0\n");
    // An order beyond 64 bits: 3 · 2⁶⁷.
    lab.write("large.sms", "2 2 M\n1 1 2\n2 2 442721857769029238784\n0 0 0\n");
    // No prime of these beyond 13 is tried.
    let (huge, other) = ("18447352816263984031203328", "18446799413941772744654848");
    lab.write("huge.sms", format!("1 1 M\n1 1 {huge}\n0 0 0\n"));
    let words = "has other powers";
    let cases = [
        ("--facets plane.txt", json!([["2", 1]]), json!([["4", 1]]), words),
        ("--facets plane.txt", json!([["2", 1]]), json!([["2", 2]]), "contradict the group"),
        ("--facets plane.txt", json!([["2", 1]]), json!([["34", 1]]), "contradict the group"),
        ("powers.sms", json!([["2", 1], ["4", 2], ["60", 1]]), json!([["2", 1], ["4", 2], ["30", 1]]), "do not divide"),
        ("powers.sms", json!([["2", 1], ["4", 2], ["60", 1]]), json!([["2", 2], ["4", 1], ["60", 1]]), words),
        ("powers.sms", json!([["2", 1], ["4", 2], ["60", 1]]), json!([["2", 3], ["60", 1]]), words),
        ("powers.sms", json!([["2", 1], ["4", 2], ["60", 1]]), json!([["4", 3], ["60", 1]]), words),
        ("powers.sms", json!([["2", 1], ["4", 2], ["60", 1]]), json!([["2", 1], ["4", 2], ["180", 1]]), words),
        // Right as a group, but no invariant factors.
        ("squares.sms", json!([["225", 1]]), json!([["9", 1], ["25", 1]]), "do not divide"),
        ("squares.sms", json!([["225", 1]]), json!([["15", 1]]), words),
        ("large.sms", json!([["2", 1], ["442721857769029238784", 1]]), json!([["2", 1], ["6", 1]]), words),
        (
            "large.sms",
            json!([["2", 1], ["442721857769029238784", 1]]),
            json!([["2", 1], ["885443715538058477568", 1]]),
            words,
        ),
        ("huge.sms", json!([[huge, 1]]), json!([[other, 1]]), "other invariant factors"),
    ];
    for (of, right, wrong, words) in cases {
        for options in ["", "--cohomology", "--reduced", "--cohomology --reduced", "-p 3,2 --integral --rational"] {
            // Only facets have an augmentation.
            if options.contains("--reduced") && !of.contains("--facets") {
                continue;
            }
            let file = of.trim_start_matches("--facets ");
            let answer = ask(&lab, &format!("homology {of} {options}"), "h.json");
            assert_eq!(lab.answer(&format!("verify h.json {file}")), "homology holds (heuristic)\n", "{of} {options}");
            let mut changed = answer.clone();
            for groups in ["/over/0/groups", "/groups"] {
                let groups = changed.pointer_mut(groups).unwrap().as_array_mut().unwrap();
                let group = groups.iter_mut().find(|group| group["torsion"] == right);
                group.unwrap_or_else(|| panic!("{right}: {answer}"))["torsion"] = wrong.clone();
            }
            refused(&lab, &changed, file, 1, words);
        }
    }
    // Torsion that nothing can make: over a field, and where there are no cells.
    let answer = ask(&lab, "homology --facets plane.txt --integral --rational", "h.json");
    let mut wrong = answer.clone();
    wrong["over"][1]["groups"][1]["torsion"] = json!([["2", 1]]);
    refused(&lab, &wrong, "plane.txt", 1, "over the field Q");
    let mut wrong = answer.clone();
    let far = json!({ "degree": 9, "betti": 0, "torsion": [["2", 1]] });
    wrong["over"][0]["groups"].as_array_mut().unwrap().push(far);
    refused(&lab, &wrong, "plane.txt", 1, "torsion in degree 9");
}

/// Modulo primes beyond 2⁶³: multiplied out in integers.
#[test]
fn answers_modulo_large_primes_are_verified() {
    let lab = lab("verify-large");
    for p in ["2^127-1", "2^521-1"] {
        for side in ["", "--left"] {
            let answer = ask(&lab, &format!("kernel a.sms -p {p} {side} -o n.sms"), "k.json");
            assert_eq!(lab.answer("verify k.json a.sms n.sms"), "kernel holds (proven)\n", "{p} {side}");
            let (smaller, rank) = (answer["dimension"].as_u64().unwrap() - 1, answer["rank"].as_u64().unwrap() + 1);
            let wrong = with(&with(&answer, "rank", json!(rank)), "dimension", json!(smaller));
            refused(&lab, &wrong, "a.sms n.sms", 1, "vectors");
            refused(
                &lab,
                &with(&answer, "modulus", json!("170141183460469231731687303715884105729")),
                "a.sms n.sms",
                3,
                "prime",
            );
            let text = lab.text("n.sms");
            let mut lines: Vec<&str> = text.lines().collect();
            let entry: Vec<&str> = lines[1].split(' ').collect();
            let changed = format!("{} {} 17", entry[0], entry[1]);
            lines[1] = &changed;
            lab.write("wrong.sms", lines.join("\n"));
            refused(&lab, &answer, "a.sms wrong.sms", 1, "not mapped to zero");
            lines.remove(1);
            lab.write("wrong.sms", lines.join("\n"));
            refused(&lab, &answer, "a.sms wrong.sms", 1, "not mapped to zero");
        }
        ask(&lab, &format!("kernel a.sms -p {p} --dimension"), "k.json");
        assert_eq!(lab.answer("verify k.json a.sms"), "kernel holds (proven)\n");
        lab.write("s.sms", "24 1 M\n1 1 1\n2 1 2\n0 0 0\n");
        let answer = ask(&lab, &format!("solve square.sms --rhs square.sms -p {p} -o x.sms"), "s.json");
        assert_eq!(answer["consistent"], json!(true));
        assert_eq!(lab.answer("verify s.json square.sms square.sms x.sms"), "solve holds (proven)\n");
        refused(&lab, &answer, "square.sms square.sms square.sms", 1, "do not solve");
        let answer = ask(&lab, &format!("solve a.sms --rhs s.sms -p {p} -o x.sms"), "s.json");
        assert_eq!(answer["consistent"], json!(false));
        assert_eq!(lab.answer("verify s.json a.sms s.sms"), "solve holds (proven)\n");
        let mut wrong = answer.clone();
        wrong["contradiction"]["y"][0][1] = json!("5");
        refused(&lab, &wrong, "a.sms s.sms", 1, "does not contradict");
    }
}

#[test]
fn echelon_forms_over_the_rationals_are_verified() {
    let lab = lab("verify-rational-form");
    for file in ["a.sms", "q.sms", "square.sms"] {
        let answer = ask(&lab, &format!("rref {file} --rational -o r.sms"), "r.json");
        assert_eq!(lab.answer(&format!("verify r.json {file} r.sms")), "rref holds (proven)\n", "{file}");
        // Another pivot, a rank too small, another factor, a row less.
        let mut wrong = answer.clone();
        wrong["pivots"][0] = json!(1);
        refused(&lab, &wrong, &format!("{file} r.sms"), if answer["pivots"][1] == json!(1) { 3 } else { 1 }, "");
        let text = lab.text("r.sms");
        let doubled: Vec<String> = text
            .lines()
            .map(|line| match line.strip_prefix("1 ").and_then(|rest| rest.split_once(' ')) {
                Some((j, _)) => format!("1 {j} 2"),
                None => line.into(),
            })
            .collect();
        lab.write("wrong.sms", doubled.join("\n"));
        refused(&lab, &answer, &format!("{file} wrong.sms"), 1, "does not begin with 1");
    }
    let answer = ask(&lab, "rref q.sms --rational -o r.sms", "r.json");
    // Entries off the pivots: fractions that are others.
    let text = lab.text("r.sms");
    assert!(text.contains('/'), "{text}");
    lab.write("wrong.sms", text.replace('/', "1/"));
    refused(&lab, &answer, "q.sms wrong.sms", 1, "no combination");
    ask(&lab, "rref q.sms --rational --pivots-only", "r.json");
    assert_eq!(lab.answer("verify r.json q.sms"), "rref holds (heuristic)\n");
}

/// The projective plane by its facets; a graph, whose facets might be taken for entries.
#[test]
fn homology_of_facets_is_verified() {
    let lab = lab("verify-facets");
    lab.write("plane.txt", "1 2 3\n1 3 4\n1 4 5\n1 5 6\n1 2 6\n2 3 5\n3 4 6\n2 4 5\n3 5 6\n2 4 6\n");
    lab.write("cycle.txt", "1 2\n2 3\n1 3\n");
    for file in ["plane.txt", "cycle.txt"] {
        for options in ["", "--reduced", "-p 2"] {
            let answer = ask(&lab, &format!("homology --facets {file} {options}"), "h.json");
            assert_eq!(
                lab.answer(&format!("verify h.json {file}")),
                "homology holds (heuristic)\n",
                "{file} {options}"
            );
            let mut wrong = answer.clone();
            wrong["groups"][1]["betti"] = json!(7);
            refused(&lab, &wrong, file, 1, "the first coefficients");
            wrong["over"][0]["groups"][1]["betti"] = json!(7);
            let run = {
                lab.write("wrong.json", wrong.to_string());
                lab.run(&format!("verify wrong.json {file} -q"))
            };
            assert_eq!(run.code, 1, "{}", run.stderr);
        }
    }
    let answer = ask(&lab, "homology --facets plane.txt", "h.json");
    let run = {
        lab.write("h.json", answer.to_string());
        lab.run("verify h.json cycle.txt -q")
    };
    assert_eq!(run.code, 3, "{}", run.stderr);
}
