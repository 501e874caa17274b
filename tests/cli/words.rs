//! The words of the program: names for people, one row and two rows.

use crate::Lab;

/// Nouns that the program counts.
const NOUNS: &[&str] = &[
    "rows",
    "columns",
    "entries",
    "non-zeros",
    "digits",
    "bits",
    "bytes",
    "primes",
    "pivots",
    "vectors",
    "threads",
    "blocks",
    "components",
    "states",
    "diagonals",
    "residues",
    "products",
    "units",
    "cells",
    "pairs",
    "factors",
    "values",
    "lines",
    "terms",
    "answers",
    "trials",
    "steps",
];

/// Names that only the source has.
const INNER: &[&str] = &[
    "Enough",
    "FewPivots",
    "Predicted",
    "Grown",
    "Avx2",
    "Avx512",
    "Portable",
    "U8",
    "U16",
    "U32",
    "U64",
    "F32",
    "F64",
    "Narrow",
    "Wide",
    "Valued",
    "Plus",
    "Minus",
    "Some(",
    "None",
    "Ok(",
    "Err(",
];

/// A word without what stands behind it; a colon makes it a title.
fn bare(word: &str) -> &str {
    word.trim_end_matches(|c: char| ",.;)".contains(c))
}

#[test]
fn nobody_reads_names_of_the_source_or_one_rows() {
    let lab = Lab::with_diagonal("words");
    lab.write("one.sms", "1 1 M\n1 1 7\n0 0 0\n");
    lab.write("dot.sms", "2 2 M\n1 1 1\n0 0 0\n");
    lab.write("wide.sms", "2 3 M\n1 1 1\n1 2 1\n2 3 1\n0 0 0\n");
    lab.write("rhs.sms", "1 1 M\n1 1 3\n0 0 0\n");
    lab.write("point", "a\n");
    lab.answer("generate bibd_9_5 -o b.sms");
    lab.answer("generate EX1 -o e.mtx");
    lab.answer("generate dominoes_4_6 -o d.mtx");
    for args in [
        "rank one.sms -p 65521 --threads 1",
        "rank one.sms -p 65521 --method wiedemann",
        "rank dot.sms -p 2 --method hybrid",
        "rank b.sms -p 65521 --method wiedemann",
        "rank e.mtx -p 65521",
        "rank e.mtx -p 65521 --method hybrid",
        "rank e.mtx -p 65521 --proven",
        "rank one.sms --rational -p 7",
        "rank dot.sms --rational --proven",
        "kernel dot.sms -p 7 -o n.sms",
        "kernel wide.sms --rational -o n.sms",
        "solve one.sms --rhs rhs.sms -p 65521 -o x.sms",
        "solve one.sms --rhs rhs.sms --rational -o x.sms",
        "rref one.sms -p 7 -o r.sms",
        "rref wide.sms --rational -o r.sms",
        "det one.sms -p 65521",
        "det one.sms",
        "det dot.sms",
        "smith one.sms",
        "smith e.mtx",
        "minpoly one.sms -p 65521",
        "charpoly diagonal.sms -p 65521",
        "homology one.sms",
        "homology --facets point",
        "permanent one.sms",
        "permanent d.mtx --method frontier",
        "permanent one.sms --method gray --without degree-1,dulmage-mendelsohn,structural-rank",
    ] {
        let run = lab.run(&format!("{args} --explain"));
        assert_eq!(run.code, 0, "{args}: {}", run.stderr);
        check(args, &format!("{}{}", run.stdout, run.stderr));
    }
    for args in ["info one.sms", "info dot.sms", "info b.sms", "convert one.sms t.sms", "generate bibd_9_5 -o t.sms"] {
        let run = lab.run(args);
        check(args, &format!("{}{}", run.stdout, run.stderr));
    }
}

fn check(args: &str, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let inner = |word: &&str| INNER.contains(&bare(word.trim_start_matches('(')));
    assert!(!words.iter().any(inner), "{args}: {:?} in {text}", words.iter().find(|word| inner(word)));
    for three in [&["", ""][..], &words].concat().windows(3) {
        // Step 1 has a name.
        let counted = three[0] != "step" && three[1].trim_start_matches('(') == "1";
        assert!(!counted || !NOUNS.contains(&bare(three[2])), "{args}: `1 {}` in {text}", three[2]);
    }
    assert!(!text.contains("Some(") && !text.contains("None"), "{args}: {text}");
}

#[test]
fn the_check_sees_what_it_looks_for() {
    let seen = |text: &str| std::panic::catch_unwind(|| check("a test", text)).is_err();
    assert!(seen("found 1 rows.") && seen("pivots (Enough)") && seen("code Avx512, and") && seen("degree Some(3)"));
    assert!(!seen("found 1 row of 11 rows"));
}
