//! Harwell–Boeing files: types, formats, and damage in every section.

use super::*;

#[test]
fn harwell_boeing_files() {
    let columns = vec![vec![0, 2], vec![], vec![1]];
    let real = |fields: &[&str]| Some(("(1P,3E12.4)", 12, fields.iter().map(|f| f.to_string()).collect()));
    let integer = |fields: &[&str]| Some(("(3I6)", 6, fields.iter().map(|f| f.to_string()).collect()));
    let cases = [
        (harwell_boeing("PUA", 3, &columns, None), "3x3: 1 1 1, 2 3 1, 3 1 1"),
        (harwell_boeing("pra", 4, &columns, None), "4x3: 1 1 1, 2 3 1, 3 1 1"),
        (
            harwell_boeing("RUA", 3, &columns, real(&["1.0000E+00", "-2.00D+01", "3.0+02"])),
            "3x3: 1 1 1, 2 3 300, 3 1 -20",
        ),
        (harwell_boeing("IUA", 3, &columns, integer(&["17", "-5", "0"])), "3x3: 1 1 17, 3 1 -5"),
        (harwell_boeing("PSA", 3, &[vec![0, 2], vec![1], vec![]], None), "3x3: 1 1 1, 1 3 1, 2 2 1, 3 1 1"),
        (
            harwell_boeing("ISA", 3, &[vec![0, 2], vec![1], vec![]], integer(&["4", "5", "6"])),
            "3x3: 1 1 4, 1 3 5, 2 2 6, 3 1 5",
        ),
        (
            harwell_boeing("IZA", 3, &[vec![1, 2], vec![], vec![]], integer(&["4", "5"])),
            "3x3: 1 2 -4, 1 3 -5, 2 1 4, 3 1 5",
        ),
        (harwell_boeing("PUA", 0, &[], None), "0x0: "),
        (
            harwell_boeing("IUA", 3, &columns, integer(&["17", "-5", "0"])).replace("PUA", "IUA")
                + "  1.0  2.0 right-hand side\n",
            "3x3: 1 1 17, 3 1 -5",
        ),
        (
            harwell_boeing("RUA", 3, &columns, real(&["1.5E+00", "-2.00D+01", "3.0+02"])),
            "t:7: expected an integer, found \"1.5E+00\": exact arithmetic needs integers (--pattern takes the 0-1 pattern of any matrix)",
        ),
        (
            harwell_boeing("RUA", 3, &columns, real(&["1.0E+00", "NaN", "3.0+02"])),
            "t:7: expected a finite number, found \"NaN\"",
        ),
        (harwell_boeing("RUA", 3, &columns, real(&["1.0E+00", "2.0E+00"])), "t:7: expected a number, found \"\""),
        (
            harwell_boeing("RUE", 3, &columns, None),
            "t:3: expected an assembled matrix, found type RUE: assemble it first, by adding up its elements",
        ),
        (
            harwell_boeing("CUA", 3, &columns, None),
            "t:3: expected integers, found complex values, which have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)",
        ),
        (harwell_boeing("QUA", 3, &columns, None), "t:3: expected a matrix, found type QUA: an auxiliary file"),
        (
            harwell_boeing("RUA", 3, &columns, None),
            "t:3: type RUA announces values, but the file has none (--pattern takes its 0-1 pattern)",
        ),
        (harwell_boeing("PSA", 2, &columns, None), "t:3: a symmetric matrix must be square, found 2 x 3"),
        (
            harwell_boeing("PSA", 3, &columns, None),
            "t:6: expected the lower triangle of a symmetric matrix, found entry (2, 3) above the diagonal",
        ),
        (
            harwell_boeing("IZA", 3, &[vec![0], vec![], vec![]], integer(&["4"])),
            "t:7: expected zeros on the diagonal of a skew-symmetric matrix, found entry (1, 1)",
        ),
        (harwell_boeing("PUA", 2, &columns, None), "t:6: expected a row index in 1..=2, found \"3\""),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("   1   3   3   4", "   1   3   2   4"),
            "t:5: expected the pointer of column 3, in 3..=4, found \"2\"",
        ),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("   1   3   3   4", "   1   3   3   3"),
            "t:5: expected 4 as the last pointer, for 3 entries, found 3",
        ),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("   1   3   3   4", "   2   3   3   4"),
            "t:5: expected the pointer of column 1, in 1..=1, found \"2\"",
        ),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("(5I4)", "(A40)"),
            "t:4: expected a Fortran format of column pointers like (16I5), found \"(A40)\"",
        ),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("             9", "         lines"),
            "t:2: expected the numbers of lines: 4 or 5 integers",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&text, &EXACT), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
    }
    let cut = harwell_boeing("PUA", 3, &columns, None);
    let lines: Vec<&str> = cut.lines().collect();
    assert_eq!(shown(lines[..5].join("\n"), &EXACT), "t:5: the file ends after 0 of 3 row indices: a truncated file");
    assert_eq!(
        shown(lines[..4].join("\n"), &EXACT),
        "t:4: the file ends after 0 of 4 column pointers: a truncated file"
    );
    let complex = Some(("(3F5.1)", 5, ["0.0", "0.5", "0.0", "0.0", "2.0", "0.0"].map(String::from).to_vec()));
    assert_eq!(shown(harwell_boeing("CUA", 3, &columns, complex), &PATTERN), "3x3: 1 1 1, 2 3 1");
    assert_eq!(shown(harwell_boeing("RUA", 3, &columns, None), &PATTERN), "3x3: 1 1 1, 2 3 1, 3 1 1");
    assert_eq!(
        shown(harwell_boeing("RUA", 3, &columns, real(&["0.0E+00", "0.1", "1.0E-9"])), &PATTERN),
        "3x3: 2 3 1, 3 1 1"
    );
}
