//! `blackfield info`: facts, the plan of the rank, pictures.

use crate::Lab;
use serde_json::{Value, json};

const GENERAL: &str = "%%MatrixMarket matrix coordinate integer general\n2 3 4\n2 3 -7\n1 1 5\n1 1 1\n2 1 3\n";

fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.write("a.mtx", GENERAL);
    lab
}

#[test]
fn info_describes_the_matrix_and_the_plan() {
    let lab = lab("info");
    let transcript = lab.run("info a.mtx -p 11").transcript();
    // The plans depend on the machine's instruction set; the rooms `answers` and `spmv` test what they say.
    let (facts, plans) = transcript.split_once("\nrank mod 11\n").unwrap();
    insta::assert_snapshot!(facts);
    let (rank, products) = plans.split_once("\nproducts mod 11\n").unwrap();
    assert!(rank.contains("of one thread and") && rank.contains("the answer would be proven"), "{rank}");
    assert!(products.contains("2 x 3, 3 entries mod 11"), "{products}");
}

/// Standard output has nothing of the run itself.
#[test]
fn info_says_the_same_again() {
    let lab = Lab::new("info-again");
    lab.answer("generate mk9-b3 -o m.sms");
    assert_eq!(lab.answer("info m.sms"), lab.answer("info m.sms"));
}

#[test]
fn info_in_json() {
    let lab = lab("info-json");
    let d = lab.document("info a.mtx --json");
    assert_eq!((&d["file"], &d["modulus"]), (&json!("a.mtx"), &json!(65521)));
    assert!(d["digest"].as_str().is_some_and(|digest| digest.len() == 64) && d["seconds"].is_f64());
    assert_eq!((&d["plan"]["modulus"], &d["plan"]["nnz"]), (&json!(65521), &json!(3)));
    insta::assert_json_snapshot!(d, {
        ".plan" => "[plan]",
        ".rank_plan" => "[rank plan]",
        ".predicted.seconds" => "[seconds]",
        ".seconds" => "[seconds]",
        ".version" => "[version]",
    });
}

/// What `info` says of the rank is what `rank` does: the same steps, for the same reasons.
#[test]
fn the_rank_follows_its_plan() {
    let lab = Lab::new("info-rank");
    for (name, p) in [("mk9-b3", 65521), ("mk9-b3", 3), ("EX1", 2147483647), ("Trefethen_200", 2), ("bibd_9_5", 7)] {
        lab.answer(&format!("generate {name} -o m.sms"));
        let plan = lab.document(&format!("info m.sms -p {p} --json"))["rank_plan"].clone();
        let answer = lab.document(&format!("rank m.sms -p {p} --json"));
        let words = |step: &Value| (step["name"].clone(), step["found"].clone(), step["why"].clone());
        let path = answer["path"].as_array().unwrap();
        let made = plan["made"].as_array().unwrap();
        for (made, step) in made.iter().zip(path) {
            assert_eq!(words(made), words(step), "{name} mod {p}");
        }
        let (next, step) = (plan["next"].get(0), path.get(made.len()));
        let reason = |step: Option<&Value>| step.map(|step| (step["name"].clone(), step["why"].clone()));
        assert_eq!(reason(next), reason(step), "{name} mod {p}: {plan} and {path:?}");
    }
}

/// Blocks, components and structural rank of a matrix whose form is known.
#[test]
fn blocks_are_told() {
    let lab = Lab::new("info-blocks");
    // A cycle of three, an arc to a pair, an empty line on both sides.
    lab.write("m.sms", "6 6 M\n1 2 1\n2 3 1\n3 1 1\n3 4 1\n4 5 1\n5 4 1\n0 0 0\n");
    let text = lab.answer("info m.sms -p 7");
    assert!(text.contains("structural rank 5\n"), "{text}");
    assert!(text.contains("  square: 5 x 5 in 5 blocks of size 1\n"), "{text}");
    assert!(text.contains("  3 strongly connected components of sizes 3, 2, 1\n"), "{text}");
    let blocks = lab.document("info m.sms -p 7 --json")["blocks"].clone();
    assert_eq!(blocks["horizontal"], json!({"rows": 0, "cols": 1, "blocks": 1}));
    assert_eq!(blocks["vertical"], json!({"rows": 1, "cols": 0, "blocks": 1}));
    // Nothing at all, and lines without entries.
    lab.write("none.sms", "0 0 M\n0 0 0\n");
    lab.write("empty.sms", "3 4000000000 M\n0 0 0\n");
    for file in ["none.sms", "empty.sms"] {
        let text = lab.answer(&format!("info {file} --spy s.svg --histogram h.png --report r.html"));
        assert!(text.contains("nothing is left to do: the rank is proven"), "{text}");
        assert!(String::from_utf8(lab.read("r.html")).unwrap().contains("found at once, and proven"));
    }
}

#[test]
fn pictures_have_the_format_of_their_names() {
    let lab = lab("spy");
    lab.answer("info a.mtx --spy a.png --spy-size 100 --histogram h.PNG");
    for file in ["a.png", "h.PNG"] {
        assert!(lab.read(file).starts_with(b"\x89PNG\r\n\x1a\n"));
    }
    let decoder = png::Decoder::new(std::io::Cursor::new(lab.read("a.png")));
    let info = decoder.read_info().unwrap().info().clone();
    assert!(info.width > 100 && info.height > 66, "axes and title come on top: {info:?}");
    lab.answer("info a.mtx --spy a.svg --histogram h.svg");
    for (file, words) in
        [("a.svg", "2 rows × 3 columns, 3 non-zeros"), ("h.svg", "1 to 2, median 1, mean 1.50; 0 empty")]
    {
        let svg = String::from_utf8(lab.read(file)).unwrap();
        assert!(svg.starts_with("<svg xmlns") && svg.contains(words) && !svg.contains("<script"), "{svg}");
    }
    for args in ["--spy a.jpg", "--spy picture", "--histogram h.pdf"] {
        let run = lab.run(&format!("info a.mtx {args}"));
        assert!(run.code == 2 && run.stderr.contains("a name with .png or .svg is needed"), "{args}: {}", run.stderr);
    }
    let run = lab.run("info a.mtx --report missing/r.html");
    assert!(run.code != 0 && run.stderr.contains("missing"), "{}", run.stderr);
}
