//! `blackfield tune` and `blackfield bench`: what they write and print. Nothing depends on the times themselves.

use crate::Lab;
use blackfield::tune::{PRICES, Profile};
use serde_json::json;

#[test]
fn what_is_installed_is_used() {
    let lab = Lab::with_diagonal("tune-install");
    let told = lab.answer("tune --install --quick");
    assert!(told.contains("processor") && told.contains("written to "), "{told}");
    let profile = Profile::read(&lab.dir.join("blackfield/profile.toml")).unwrap();
    assert!(profile.differences().is_empty() && profile.prices.len() > 5, "{profile:?}");
    for m in &profile.measurements {
        assert!(PRICES.contains(&m.price) && told.contains(&m.price.to_string()), "{m:?}");
        assert!(profile.prices.contains(&(m.price, m.value)), "{m:?}");
    }
    let run = lab.run("rank diagonal.sms -p 7");
    assert!(run.stdout == "3\n" && run.stderr.contains("prices of "), "{}", run.stderr);

    let text = lab.answer("tune --install --quick --output -");
    assert!(text.starts_with("# What operations cost") && text.contains("[[measurements]]"), "{text}");
    lab.answer("tune --install --quick --output new/folder/p.toml");
    assert_eq!(lab.run("rank diagonal.sms -p 7 --profile new/folder/p.toml").stdout, "3\n");
    for wrong in ["tune", "tune --install e.mtx", "tune e.mtx --output p", "tune e.mtx --check --report r.html"] {
        assert_eq!(lab.run(wrong).code, 2, "{wrong}");
    }
}

#[test]
fn formats_are_compared_and_reported() {
    let lab = Lab::with_diagonal("tune-report");
    lab.answer("generate ch4-4-b2 -o m.mtx");
    for p in ["2", "65521", "2305843009213693951"] {
        let table = lab.answer(&format!("tune m.mtx -p {p} --quick --widths 1,16 --report r.html --threads 2"));
        for word in ["chosen ", "floor: bytes", "floor: operations", "chosen / best", "by 1, ", "transpose:"] {
            assert!(table.contains(word), "{p}: no {word} in {table}");
        }
        let page = String::from_utf8(lab.read("r.html")).unwrap();
        for part in ["<svg ", "data:image/png;base64,iVBORw0KGgo", "block Wiedemann", "floor: bytes", "m.mtx mod"] {
            assert!(page.contains(part), "{p}: no {part}");
        }
        // It needs nothing from elsewhere.
        for foreign in ["<script", "http:", "https:", "<link", "@import", "url("] {
            assert!(!page.contains(foreign), "{p}: {foreign}");
        }
        let opened = |tag: &str| page.matches(&format!("<{tag}")).count();
        for tag in ["svg", "table", "h2", "pre", "html"] {
            assert_eq!(opened(tag), page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    assert_eq!(lab.run("tune zero.sms --quick").code, 3);
    assert_eq!(lab.run("tune missing.sms --quick").code, 3);
}

#[test]
fn steps_are_held_against_their_predictions() {
    let lab = Lab::with_diagonal("tune-check");
    lab.answer("generate EX1 -o e.mtx");
    let rank = lab.answer("rank e.mtx -p 65521");
    let table = lab.answer("tune e.mtx -p 65521 --check");
    assert!(table.starts_with(&format!("rank {} mod 65521 by one thread\n", rank.trim())), "{table}");
    assert!(table.contains("predicted / measured") && table.contains("\nstructural pivots"), "{table}");
    lab.write("zero.sms", "2 5 M\n0 0 0\n");
    assert!(lab.answer("tune zero.sms -p 7 --check").starts_with("rank 0 mod 7"));
}

#[test]
fn everything_is_timed_and_right() {
    let lab = Lab::new("bench");
    let document = lab.document("bench --quick --json");
    let results = document["results"].as_array().unwrap();
    for group in ["products", "transforms", "polynomials", "sigma-basis", "ranks", "readers"] {
        let of_group: Vec<_> = results.iter().filter(|result| result["group"] == json!(group)).collect();
        assert!(!of_group.is_empty(), "no {group}");
        for result in of_group {
            let number = |key: &str| result[key].as_f64().unwrap();
            assert!((number("rate") * number("seconds") / number("work") - 1.0).abs() < 1e-9, "{result}");
        }
    }
    assert!(results.iter().any(|result| result["goal"] == json!(500e6)), "{document}");
    for p in [2, 3, 2147483647] {
        let some = lab.answer(&format!("bench products polynomials sigma-basis ranks --quick -p {p} --threads 2"));
        assert!(some.contains("ranks ") && !some.contains("readers "), "{some}");
    }
    assert_eq!(lab.run("bench nothing").code, 2);
}
