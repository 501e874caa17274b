//! `blackfield convert` and `generate`.

use crate::Lab;

const GENERAL: &str =
    "%%MatrixMarket matrix coordinate integer general\n% a comment\n2 3 4\n2 3 -7\n1 1 5\n1 1 1\n2 1 3\n";

fn lab(test: &str) -> Lab {
    let lab = Lab::new(test);
    lab.write("a.mtx", GENERAL);
    lab
}

#[test]
fn convert_writes_canonical_triplets() {
    let lab = lab("convert");
    assert_eq!(lab.answer("convert a.mtx - --to sms"), "2 3 M\n1 1 6\n2 1 3\n2 3 -7\n0 0 0\n");
    assert_eq!(lab.answer("convert a.mtx - --to sms --transpose"), "3 2 M\n1 1 6\n1 2 3\n3 2 -7\n0 0 0\n");
    assert_eq!(lab.answer("convert a.mtx - --to sms -p 3"), "2 3 M\n2 3 2\n0 0 0\n");
    assert_eq!(lab.answer("convert a.mtx - --to sms --pattern"), "2 3 M\n1 1 1\n2 1 1\n2 3 1\n0 0 0\n");
    let market = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 6\n2 1 3\n2 3 -7\n";
    assert_eq!(lab.answer("convert a.mtx -"), market, "standard output has no name: MatrixMarket");
}

#[test]
fn every_format_keeps_the_matrix() {
    let lab = lab("round-trip");
    let digest = |file: &str| lab.document(&format!("rank {file} -p 7 --json"))["digest"].clone();
    let expected = digest("a.mtx");
    assert!(expected.as_str().is_some_and(|d| d.len() == 64));
    for file in ["b.sms", "b.mtx", "b.sms.gz", "b.mtx.gz"] {
        assert_eq!(lab.answer(&format!("convert a.mtx {file}")), "", "{file}");
        assert_eq!(digest(file), expected, "{file}");
        assert_eq!(lab.read(file).starts_with(&[0x1f, 0x8b]), file.ends_with(".gz"), "{file}");
    }
    lab.answer("convert a.mtx t.sms --transpose");
    assert_ne!(digest("t.sms"), expected);
    lab.answer("convert t.sms t.sms --transpose");
    assert_eq!(digest("t.sms"), expected, "a file may be converted in place");
}

#[test]
fn generate_makes_the_named_matrix() {
    let lab = Lab::new("generate");
    lab.answer("generate bibd_9_5 -o b.mtx.gz");
    let piped = lab.answer("generate bibd_9_5 -o - --to sms");
    assert!(piped.starts_with("36 126 M\n"), "{piped}");
    lab.write("b.sms", piped);
    assert_eq!(lab.answer("rank b.mtx.gz b.sms -p 65521 --bare"), "36\n36\n");
}

#[test]
fn the_list_of_families_is_complete() {
    let lab = Lab::new("generate-list");
    let list = lab.answer("generate --list");
    let families = blackfield::families::catalogue();
    let (list, complexes) = list.split_once("\nWith --complex, all boundary matrices of\n\n").unwrap();
    let lines: Vec<_> = list.lines().collect();
    assert_eq!(lines.len(), 3 * families.len());
    for (entry, family) in lines.chunks(3).zip(families) {
        assert_eq!((entry[0], entry[1].trim()), (family.pattern, family.about));
        assert!(entry[2].ends_with(&format!("such as {}", family.example)), "{}", entry[2]);
    }
    let families = blackfield::families::complex_catalogue();
    let lines: Vec<_> = complexes.lines().map(str::trim).collect();
    assert_eq!(lines.len(), 3 * families.len());
    for (entry, family) in lines.chunks(3).zip(families) {
        assert_eq!(entry, [family.pattern, family.about, &format!("such as {}", family.example)]);
    }
}
