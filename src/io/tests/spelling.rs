//! Spellings that are read, and content that is refused, each with its exact message.

use super::*;

#[test]
fn accepted_files() {
    let cases = [
        ("2 3 M\n1 1 5\n2 3 -7\n0 0 0\n".to_string(), "2x3: 1 1 5, 2 3 -7"),
        ("# made by hand\n\n2 3 I\n% note\n2 3 -7\n1 1 +5\n0 0 0".into(), "2x3: 1 1 5, 2 3 -7"),
        ("2 2 R\r\n1 1 1.0\r\n 2\t2  -2.0E+01 \r\n0 0 0\r\n\r\n".into(), "2x2: 1 1 1, 2 2 -20"),
        ("0 5 M\n0 0 0\n".into(), "0x5: "),
        ("5 0 M\n0 0 0\n".into(), "5x0: "),
        (
            "4294967295 4294967295 M\n4294967295 1 1\n1 4294967295 2\n0 0 0\n".into(),
            "4294967295x4294967295: 1 4294967295 2, 4294967295 1 1",
        ),
        ("1 1 M\n1 1 3\n1 1 -3\n0 0 0\n".into(), "1x1: "),
        ("1 1 M\n1 1 9223372036854775807\n1 1 9223372036854775807\n0 0 0\n".into(), "1x1: 1 1 18446744073709551614"),
        ("1 1 M\n1 1 18446744073709551616\n1 1 -18446744073709551615\n0 0 0\n".into(), "1x1: 1 1 1"),
        ("1 1 M\n1 1 18446744073709551616\n1 1 -18446744073709551616\n0 0 0\n".into(), "1x1: "),
        (
            "1 2 M\n1 2 9223372036854775808\n1 1 -9223372036854775808\n0 0 0\n".into(),
            "1x2: 1 1 -9223372036854775808, 1 2 9223372036854775808",
        ),
        (format!("1 1 M\n1 1 {}\n0 0 0\n", "8".repeat(1000)), &*format!("1x1: 1 1 {}", "8".repeat(1000))),
        (format!("{MM} integer general\n% a\n%\n\n2 2 2\n1 2 3\n2 1 4\n"), "2x2: 1 2 3, 2 1 4"),
        (format!("\u{feff}{MM} integer general\n1 1 1\n1 1 3\n"), "1x1: 1 1 3"),
        ("%%matrixmarket MATRIX Coordinate REAL General\n1 2 2\n1 2 1e3\n1 1 12.50e1".into(), "1x2: 1 1 125, 1 2 1000"),
        (format!("{MM} real general\n1 1 1\n1 1 1e20\n"), "1x1: 1 1 100000000000000000000"),
        (format!("{MM} pattern general\n2 2 3\n1 2\n 1\t1\n1 2\n"), "2x2: 1 1 1, 1 2 2"),
        (format!("{MM} pattern symmetric\n3 3 2\n1 1\n3 1\n"), "3x3: 1 1 1, 1 3 1, 3 1 1"),
        (
            format!("{MM} integer symmetric\n3 3 3\n3 2 5\n2 2 4\n3 1 18446744073709551616\n"),
            "3x3: 1 3 18446744073709551616, 2 2 4, 2 3 5, 3 1 18446744073709551616, 3 2 5",
        ),
        (format!("{MM} integer skew-symmetric\n2 2 2\n2 1 5\n1 1 0\n"), "2x2: 1 2 -5, 2 1 5"),
        (
            format!("{MM} integer skew-symmetric\n2 2 1\n2 1 -9223372036854775808\n"),
            "2x2: 1 2 9223372036854775808, 2 1 -9223372036854775808",
        ),
        (format!("{MM} integer general\n0 0 0\n"), "0x0: "),
        (format!("{MM} integer symmetric\n0 0 0\n"), "0x0: "),
        (
            "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n0\n5\n6".into(),
            "2x3: 1 1 1, 1 2 3, 1 3 5, 2 1 2, 2 3 6",
        ),
        (
            "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n36893488147419103232\n".into(),
            "3x3: 1 1 1, 1 2 2, 1 3 3, 2 1 2, 2 2 4, 2 3 5, 3 1 3, 3 2 5, 3 3 36893488147419103232",
        ),
        (
            "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n7\n0\n9\n".into(),
            "3x3: 1 2 -7, 2 1 7, 2 3 -9, 3 2 9",
        ),
        ("%%MatrixMarket matrix array integer skew-symmetric\n0 0\n".into(), "0x0: "),
        ("%%MatrixMarket matrix array integer general\n0 7\n".into(), "0x7: "),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&text, &EXACT), expected, "{text}");
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected, "{text}");
        assert_eq!(shown(text.trim_end(), &EXACT), expected, "{text}");
        assert_eq!(shown(text.replace("\r", "").replace('\n', "\r\n"), &EXACT), expected, "{text}");
    }
}

#[test]
fn patterns_of_anything() {
    let cases = [
        ("2 2 M\n1 1 -7\n1 2 0\n2 2 5\n2 2 -5\n0 0 0\n".to_string(), "2x2: 1 1 1, 2 2 1"),
        (format!("{MM} real symmetric\n3 3 3\n2 1 0.25\n3 3 0.0e5\n3 2 1e-400\n"), "3x3: 1 2 1, 2 1 1, 2 3 1, 3 2 1"),
        (format!("{MM} real skew-symmetric\n2 2 1\n2 1 0.25\n"), "2x2: 1 2 1, 2 1 1"),
        (format!("{MM} complex general\n1 3 3\n1 1 0 0.5\n1 2 0 0\n1 3 1 0\n"), "1x3: 1 1 1, 1 3 1"),
        (format!("{MM} complex hermitian\n2 2 1\n2 1 0 0.5\n"), "2x2: 1 2 1, 2 1 1"),
        ("%%MatrixMarket matrix array complex general\n2 1\n0 0\n0 1\n".into(), "2x1: 2 1 1"),
        (format!("{MM} pattern general\n1 1 2\n1 1\n1 1\n"), "1x1: 1 1 1"),
        (format!("1 1 M\n1 1 {}\n0 0 0\n", "9".repeat(100)), "1x1: 1 1 1"),
        ("1 1 C\n1 1 0 2\n0 0 0 0\n".into(), "1x1: 1 1 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&text, &PATTERN), expected, "{text}");
    }
}

#[test]
fn refused_files() {
    let hint = "exact arithmetic needs integers (--pattern takes the 0-1 pattern of any matrix)";
    let complex = "expected integers, found complex values, which have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)";
    let formats = "expected a matrix or a graph: MatrixMarket, SMS (\"rows cols M\"), Harwell-Boeing, lines of numbers, a literal matrix, or one of the other formats in docs/formats.md";
    let mm = |rest: &str| format!("{MM} {rest}");
    let cases: Vec<(String, String)> = vec![
        // Not a matrix at all.
        ("".into(), format!("1: {formats}; found an empty file")),
        ("\n\n".into(), format!("1: {formats}; found an empty file")),
        ("hello, world\n".into(), format!("1: {formats}; found \"hello, world\"")),
        (
            "1 2 3\n".into(),
            "1: so few lines of three numbers can mean several things: say --layout triples (row, column, value), edges (of a graph, with weights), arcs or dense".into(),
        ),
        ("\u{1}\0\0\u{7f}".into(), format!("1: {formats}; found binary data")),
        (format!("{}\n", "long ".repeat(100)), format!("1: {formats}; found \"{}…\"", "long ".repeat(8))),
        ("070701".into(), "1: a cpio archive: take the matrix out of it: cpio -i < t".into()),
        // SMS.
        ("2 2 M\n1 1 1\n".into(), "2: the file ends after 1 entry, without its last line \"0 0 0\": a truncated file".into()),
        ("2 2 M\n".into(), "1: the file ends after 0 entries, without its last line \"0 0 0\": a truncated file".into()),
        ("2 2 M\n0 0 0\n\n1 1 1\n".into(), "4: expected nothing after the end marker \"0 0 0\", found \"1 1 1\"".into()),
        ("2 2 M\n0 1 1\n0 0 0\n".into(), "2: row index 0 is outside 1..=2: does it count from 0? Say --base 0".into()),
        ("2 2 M\n1 0 1\n0 0 0\n".into(), "2: column index 0 is outside 1..=2: does it count from 0? Say --base 0".into()),
        ("2 2 M\n1 1 1\n3 1 1\n0 0 0\n".into(), "3: row index 3 is outside 1..=2".into()),
        ("2 2 M\n1 3 1\n0 0 0\n".into(), "2: column index 3 is outside 1..=2".into()),
        ("2 2 M\n1 -1 1\n0 0 0\n".into(), "2: column index -1 is outside 1..=2".into()),
        ("2 2 M\n18446744073709551617 1 1\n0 0 0\n".into(), "2: row index 18446744073709551617 is outside 1..=2".into()),
        ("0 2 M\n1 1 1\n0 0 0\n".into(), "2: expected no entries in a matrix without rows, found row index 1".into()),
        ("2 2 M\nx 1 1\n0 0 0\n".into(), "2: expected a row index, found \"x\"".into()),
        ("2 2 M\n1 1.0 1\n0 0 0\n".into(), "2: expected a column index, found \"1.0\"".into()),
        ("2 2 M\n1 1\n0 0 0\n".into(), "2: expected row, column and value, found \"1 1\"".into()),
        ("2 2 M\n1 1 1 1\n0 0 0\n".into(), "2: expected row, column and value, found \"1 1 1 1\"".into()),
        ("2 2 M\n1 1 x\n0 0 0\n".into(), "2: expected a number, found \"x\"".into()),
        ("2 2 M\n1 1 0.5\n0 0 0\n".into(), format!("2: expected an integer, found \"0.5\": {hint}")),
        ("2 2 M\n1 1 1e9999\n0 0 0\n".into(), "2: expected an exponent of at most 4932, found \"1e9999\"".into()),
        ("2 2 M\n1 1 NaN\n0 0 0\n".into(), "2: expected a finite number, found \"NaN\"".into()),
        ("2 2 C\n1 1 1 1\n0 0 0 0\n".into(), format!("1: {complex}")),
        ("-2 2 M\n0 0 0\n".into(), "1: the number of rows must not be negative, found \"-2\"".into()),
        ("4294967296 2 M\n0 0 0\n".into(), "1: expected at most 4294967295 rows, found 4294967296".into()),
        ("2 99999999999999999999 M\n0 0 0\n".into(),
         "1: the number of columns must be below 2^64, found \"99999999999999999999\"".into()),
        ("2 2 M\n1 1 1\n\0\0\n0 0 0\n".into(), "3: expected row, column and value, found \"\\0\\0\"".into()),
        // MatrixMarket.
        (mm("integer general\n2 2 3\n1 1 1\n2 2 2\n"), "4: the file ends after 2 of the 3 entries that line 2 announces: a truncated file, or a wrong number".into()),
        (mm("integer general\n2 2 1\n1 1 1\n\n2 2 2\n"), "5: more than the 1 entry that line 2 announces".into()),
        (mm("integer general\n2 2 0\n1 1 1\n"), "3: more than the 0 entries that line 2 announces".into()),
        (mm("integer general\n2 2 18446744073709551615\n1 1 1\n"),
         "3: the file ends after 1 of the 18446744073709551615 entries that line 2 announces: a truncated file, or a wrong number".into()),
        (mm("integer general\n2 2 18446744073709551616\n"),
         "2: the number of entries must be below 2^64, found \"18446744073709551616\"".into()),
        (mm("integer general\n2 2 -1\n"), "2: the number of entries must not be negative, found \"-1\"".into()),
        (mm("integer general\n2 2 x\n"), "2: expected the number of entries, found \"x\"".into()),
        (mm("integer general\n2 2\n"), "2: expected the size line \"rows columns entries\", found \"2 2\"".into()),
        (mm("integer general\n% only\n"), "2: the file ends before its size line; expected \"rows columns entries\"".into()),
        (mm("integer general\n4294967296 1 0\n"), "2: expected at most 4294967295 rows, found 4294967296".into()),
        (mm("integer general\n2 2 1\n0 1 1\n"), "3: row index 0 is outside 1..=2: does it count from 0? Say --base 0".into()),
        (mm("integer general\n2 2 1\n0 0 0\n"), "3: row index 0 is outside 1..=2: does it count from 0? Say --base 0".into()),
        (mm("pattern general\n2 2 1\n1 1 1\n"), "3: expected row and column, found \"1 1 1\"".into()),
        (mm("real general\n2 2 1\n1 1 1.5\n"), format!("3: expected an integer, found \"1.5\": {hint}")),
        (mm("real general\n2 2 1\n1 1 -inf\n"), "3: expected a finite number, found \"-inf\"".into()),
        (mm("complex general\n2 2 1\n1 1 1 0\n"), format!("1: {complex}")),
        (mm("real hermitian\n2 2 1\n1 1 1\n"), format!("1: {complex}")),
        (mm("quaternion general\n"), "1: expected the field integer, real, pattern or complex, found \"quaternion\"".into()),
        (mm("integer upper\n"),
         "1: expected the symmetry general, symmetric, skew-symmetric or hermitian, found \"upper\"".into()),
        (mm("pattern skew-symmetric\n"),
         "1: expected the symmetry of a pattern general or symmetric, found \"skew-symmetric\"".into()),
        (mm("integer\n"),
         "1: expected \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\", found \"%%MatrixMarket matrix coordinate integer\"".into()),
        ("%%MatrixMarket vector coordinate integer general\n".into(), "1: expected the object matrix, found \"vector\"".into()),
        ("%%MatrixMarket matrix list integer general\n".into(),
         "1: expected the format coordinate or array, found \"list\"".into()),
        ("%%MatrixMarket matrix array pattern general\n".into(),
         "1: expected the field of an array integer, real or complex, found \"pattern\"".into()),
        (mm("integer symmetric\n2 3 0\n"), "2: a symmetric matrix must be square, found 2 x 3".into()),
        (mm("integer symmetric\n2 2 1\n1 2 1\n"),
         "3: expected the lower triangle of a symmetric matrix, found entry (1, 2) above the diagonal".into()),
        (mm("integer skew-symmetric\n2 2 1\n2 2 1\n"),
         "3: expected zeros on the diagonal of a skew-symmetric matrix, found entry (2, 2)".into()),
        ("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n".into(),
         "5: the file ends after 3 of the 4 entries that line 2 announces: a truncated file, or a wrong number".into()),
        ("%%MatrixMarket matrix array integer general\n1 2\n1\n2\n3\n".into(),
         "5: more than the 2 entries that line 2 announces".into()),
        ("%%MatrixMarket matrix array integer general\n1 2\n1 2\n".into(), "3: expected one value, found \"1 2\"".into()),
        ("%%MatrixMarket matrix array integer general\n1 2 2\n1\n2\n".into(),
         "2: expected the size line \"rows columns\", found \"1 2 2\"".into()),
    ];
    for (text, expected) in cases {
        let expected = format!("t:{expected}");
        assert_eq!(shown(&text, &EXACT), expected);
        assert_eq!(shown(gzip(text.as_bytes()), &EXACT), expected);
    }
}

#[test]
fn lying_counts_cost_no_memory() {
    // If the count were trusted, 2⁶⁰ entries would be reserved, and this test would abort.
    let text = format!("{MM} integer general\n9 9 1152921504606846976\n1 1 1\n");
    assert_eq!(
        shown(text, &EXACT),
        "t:3: the file ends after 1 of the 1152921504606846976 entries that line 2 announces: a truncated file, or a wrong number"
    );
    let text = harwell_boeing("PUA", 3, &[vec![0]], None).replace(
        "             1             1             0\n(",
        "    4294967290    1152921504606846976             0\n(",
    );
    assert!(shown(text, &EXACT).starts_with("t:5: "));
}
