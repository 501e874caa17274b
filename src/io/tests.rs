//! Every accepted spelling, every refusal with its message, and random files against what they were made from.

use super::*;
use crate::Silent;
use crate::sparse::Integer;
use flate2::{Compression, write::GzEncoder};
use num_bigint::BigInt;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

const EXACT: ReadOptions = ReadOptions { pattern: false };
const PATTERN: ReadOptions = ReadOptions { pattern: true };

fn read_text(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Triplets> {
    read_bytes(Path::new("t"), text.as_ref(), options, &Silent)
}

/// Rows, columns and entries, or the error as it is shown.
fn shown(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match read_text(text, options) {
        Ok(a) => {
            let entries: Vec<String> = a.entries().map(|(i, j, v)| format!("{} {} {v}", i + 1, j + 1)).collect();
            format!("{}x{}: {}", a.rows(), a.cols(), entries.join(", "))
        }
        Err(e) => e.to_string(),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const MM: &str = "%%MatrixMarket matrix coordinate";

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
    let complex = "complex values have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)";
    let formats = "expected a MatrixMarket banner (\"%%MatrixMarket …\"), an SMS header (\"rows cols M\") or a Harwell-Boeing header";
    let mm = |rest: &str| format!("{MM} {rest}");
    let cases: Vec<(String, String)> = vec![
        // No matrix at all.
        ("".into(), format!("1: {formats}, found nothing in the first line")),
        ("\n\n".into(), format!("1: {formats}, found nothing in the first line")),
        ("hello, world\n".into(), format!("1: {formats}, found \"hello, world\"")),
        ("1 2 3\n".into(), format!("1: {formats}, found \"1 2 3\"")),
        ("\u{1}\0\0\u{7f}".into(), format!("1: {formats}, found binary data")),
        (format!("{}\n", "long ".repeat(100)), format!("1: {formats}, found \"{}…\"", "long ".repeat(8))),
        ("BZh91AY".into(), "1: bzip2-compressed: decompress it first (only gzip is read as it is)".into()),
        // SMS.
        ("2 2 M\n1 1 1\n".into(), "2: the file ends after 1 entries without the end marker \"0 0 0\": a truncated file".into()),
        ("2 2 M\n".into(), "1: the file ends after 0 entries without the end marker \"0 0 0\": a truncated file".into()),
        ("2 2 M\n0 0 0\n\n1 1 1\n".into(), "4: expected nothing after the end marker \"0 0 0\", found \"1 1 1\"".into()),
        ("2 2 M\n0 1 1\n0 0 0\n".into(), "2: row index 0 is outside 1..=2".into()),
        ("2 2 M\n1 0 1\n0 0 0\n".into(), "2: column index 0 is outside 1..=2".into()),
        ("2 2 M\n1 1 1\n3 1 1\n0 0 0\n".into(), "3: row index 3 is outside 1..=2".into()),
        ("2 2 M\n1 3 1\n0 0 0\n".into(), "2: column index 3 is outside 1..=2".into()),
        ("2 2 M\n1 -1 1\n0 0 0\n".into(), "2: column index -1 is outside 1..=2".into()),
        ("2 2 M\n18446744073709551617 1 1\n0 0 0\n".into(), "2: row index 18446744073709551617 is outside 1..=2".into()),
        ("0 2 M\n1 1 1\n0 0 0\n".into(), "2: row index 1 is outside 1..=0".into()),
        ("2 2 M\nx 1 1\n0 0 0\n".into(), "2: expected a row index, found \"x\"".into()),
        ("2 2 M\n1 1.0 1\n0 0 0\n".into(), "2: expected a column index, found \"1.0\"".into()),
        ("2 2 M\n1 1\n0 0 0\n".into(), "2: expected row, column and value, found \"1 1\"".into()),
        ("2 2 M\n1 1 1 1\n0 0 0\n".into(), "2: expected row, column and value, found \"1 1 1 1\"".into()),
        ("2 2 M\n1 1 x\n0 0 0\n".into(), "2: expected a number, found \"x\"".into()),
        ("2 2 M\n1 1 0.5\n0 0 0\n".into(), format!("2: expected an integer, found \"0.5\": {hint}")),
        ("2 2 M\n1 1 1e9999\n0 0 0\n".into(), "2: found \"1e9999\": exponents go up to 4932".into()),
        ("2 2 M\n1 1 NaN\n0 0 0\n".into(), "2: expected a finite number, found \"NaN\"".into()),
        ("2 2 C\n1 1 1 1\n0 0 0 0\n".into(), format!("1: {complex}")),
        ("-2 2 M\n0 0 0\n".into(), "1: the number of rows must not be negative, found \"-2\"".into()),
        ("4294967296 2 M\n0 0 0\n".into(), "1: 4294967296 rows: dimensions go up to 4294967295".into()),
        ("2 99999999999999999999 M\n0 0 0\n".into(),
         "1: the number of columns must be below 2^64, found \"99999999999999999999\"".into()),
        ("2 2 M\n1 1 1\n\0\0\n0 0 0\n".into(), "3: expected row, column and value, found \"\\0\\0\"".into()),
        // MatrixMarket.
        (mm("integer general\n2 2 3\n1 1 1\n2 2 2\n"), "4: the file ends after 2 of the 3 entries that line 2 announces".into()),
        (mm("integer general\n2 2 1\n1 1 1\n\n2 2 2\n"), "5: more than the 1 entries that line 2 announces".into()),
        (mm("integer general\n2 2 0\n1 1 1\n"), "3: more than the 0 entries that line 2 announces".into()),
        (mm("integer general\n2 2 18446744073709551615\n1 1 1\n"),
         "3: the file ends after 1 of the 18446744073709551615 entries that line 2 announces".into()),
        (mm("integer general\n2 2 18446744073709551616\n"),
         "2: the number of entries must be below 2^64, found \"18446744073709551616\"".into()),
        (mm("integer general\n2 2 -1\n"), "2: the number of entries must not be negative, found \"-1\"".into()),
        (mm("integer general\n2 2 x\n"), "2: expected the number of entries, found \"x\"".into()),
        (mm("integer general\n2 2\n"), "2: expected the size line \"rows columns entries\", found \"2 2\"".into()),
        (mm("integer general\n% only\n"), "2: the file ends before its size line (\"rows columns entries\")".into()),
        (mm("integer general\n4294967296 1 0\n"), "2: 4294967296 rows: dimensions go up to 4294967295".into()),
        (mm("integer general\n2 2 1\n0 1 1\n"), "3: row index 0 is outside 1..=2".into()),
        (mm("integer general\n2 2 1\n0 0 0\n"), "3: row index 0 is outside 1..=2".into()),
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
         "3: entry (1, 2) lies above the diagonal; a symmetric file stores the lower triangle alone".into()),
        (mm("integer skew-symmetric\n2 2 1\n2 2 1\n"),
         "3: non-zero entry (2, 2) on the diagonal of a skew-symmetric matrix".into()),
        ("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n".into(),
         "5: the file ends after 3 of the 4 entries that line 2 announces".into()),
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
fn gzip_members_and_damage() {
    let text = "2 2 M\n1 1 5\n2 2 6\n0 0 0\n";
    let whole = "2x2: 1 1 5, 2 2 6";
    let members = [gzip(&text.as_bytes()[..9]), gzip(b""), gzip(&text.as_bytes()[9..])].concat();
    assert_eq!(shown(&members, &EXACT), whole);

    let packed = gzip(text.as_bytes());
    for cut in 2..packed.len() {
        let message = shown(&packed[..cut], &EXACT);
        assert!(message.ends_with(": the gzip stream ends early: a truncated file"), "{cut}: {message}");
    }
    let mut damaged = packed.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(shown(&damaged, &EXACT).starts_with("t:5: the gzip stream is damaged: "), "{}", shown(&damaged, &EXACT));
    // What is wrong before the damage is told first.
    let early = gzip(b"2 2 M\n1 1 x\n0 0 0\n");
    assert_eq!(shown(&early[..early.len() - 1], &EXACT), "t:2: expected a number, found \"x\"");
}

/// A reader that gives a few bytes at a time, as pipes do.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = (self.0.len() % 7 + 1).min(self.0.len()).min(buffer.len());
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn streams_read_as_files_do() {
    for text in [
        "2 2 M\n1 1 5\n2 2 6\n0 0 0\n",
        "",
        "1",
        "\u{1f}",
        "2 2 M\n1 1 x\n",
        "%%MatrixMarket matrix array real general\n1 1\n1",
    ] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let stream = Text::from_reader(Path::new("t"), Dribble(&bytes), 0, &Silent).and_then(|t| parse(t, &EXACT));
            let whole = read_text(&bytes, &EXACT);
            assert_eq!(format!("{stream:?}"), format!("{whole:?}"), "{text}");
        }
    }
}

/// A text of many blocks, read on pools of several sizes, plain and gzipped: the same matrix, and the same line in errors.
#[test]
fn blocks_and_threads() {
    let mut text = "300000 1000 M\n".to_string();
    let mut expected = BTreeMap::new();
    for k in 0..600_000usize {
        let (i, j, v) = (k * 7919 % 300_000, k * k % 1000, k as i64 % 11 - 5);
        // Spellings of all kinds and lengths, so that chunks end anywhere.
        let (pad, end) = ([" ", "  ", "\t", " +"][k % 4], ["\n", "\r\n", " \n", "\n\n"][k / 3 % 4]);
        let pad = if v < 0 && k % 4 == 3 { " " } else { pad };
        text.push_str(&format!("{} {}{pad}{v}{end}", i + 1, j + 1));
        *expected.entry((i, j)).or_insert(0) += v;
    }
    expected.retain(|_, v| *v != 0);
    let lines = text.matches('\n').count();
    let good = format!("{text}0 0 0\n");
    let mut wrong = text.clone();
    wrong.push_str("1 1 x\n0 0 0\n");
    let expected: Vec<(usize, usize, i64)> = expected.into_iter().map(|((i, j), v)| (i, j, v)).collect();
    let mut digest = None;
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for packed in [false, true] {
                let file = |text: &str| if packed { gzip(text.as_bytes()) } else { text.as_bytes().to_vec() };
                let a = read_text(file(&good), &EXACT).unwrap();
                let found = a.entries().map(|(i, j, v)| (i, j, if let Integer::Small(v) = v { v } else { 0 }));
                assert!(found.eq(expected.iter().copied()));
                assert_eq!(&a.digest(), digest.get_or_insert(a.digest()));
                let place = lines + 1;
                assert_eq!(shown(file(&wrong), &EXACT), format!("t:{place}: expected a number, found \"x\""));
                let message = "the file ends after 600000 entries without the end marker \"0 0 0\": a truncated file";
                assert_eq!(shown(file(&text), &EXACT), format!("t:{lines}: {message}"));
                let after = format!("{good}{}1 1 1\n", "\n".repeat(5_000_000));
                let message = "expected nothing after the end marker \"0 0 0\", found \"1 1 1\"";
                assert_eq!(shown(file(&after), &EXACT), format!("t:{}: {message}", lines + 2 + 5_000_000));
            }
        });
    }
}

/// The Harwell–Boeing text of a matrix given by columns; `values` are the fields of its value section, if any.
fn harwell_boeing(
    kind: &str,
    rows: usize,
    columns: &[Vec<usize>],
    values: Option<(&str, usize, Vec<String>)>,
) -> String {
    let entries: usize = columns.iter().map(Vec::len).sum();
    let wrapped = |fields: Vec<String>, repeat: usize, width: usize| -> String {
        fields
            .chunks(repeat)
            .map(|line| line.iter().map(|f| format!("{f:>width$}")).collect::<String>() + "\n")
            .collect()
    };
    let mut pointer = 1;
    let mut pointers = vec!["1".to_string()];
    for column in columns {
        pointer += column.len();
        pointers.push(pointer.to_string());
    }
    let indices = columns.iter().flatten().map(|i| (i + 1).to_string()).collect();
    let cards = usize::from(values.is_some());
    let (format, body) = match values {
        Some((format, width, fields)) => (format, wrapped(fields, 3, width)),
        None => ("", String::new()),
    };
    format!(
        "A title of seventy-two characters or fewer                              KEY\n{:14}{:14}{:14}{cards:14}{:14}\n\
         {kind}           {rows:14}{:14}{entries:14}{:14}\n(5I4)           (7I3)           {format}\n{}{}{body}",
        9,
        1,
        1,
        0,
        columns.len(),
        0,
        wrapped(pointers, 5, 4),
        wrapped(indices, 7, 3)
    )
}

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
            "t:3: type RUE: elemental (unassembled) matrices are not read; assemble it first",
        ),
        (
            harwell_boeing("CUA", 3, &columns, None),
            "t:3: complex values have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)",
        ),
        (harwell_boeing("QUA", 3, &columns, None), "t:3: type QUA: auxiliary files hold no matrix"),
        (
            harwell_boeing("RUA", 3, &columns, None),
            "t:3: type RUA announces values, but the file has none (--pattern takes its 0-1 pattern)",
        ),
        (harwell_boeing("PSA", 2, &columns, None), "t:3: a symmetric matrix must be square, found 2 x 3"),
        (
            harwell_boeing("PSA", 3, &columns, None),
            "t:6: entry (2, 3) lies above the diagonal; a symmetric file stores the lower triangle alone",
        ),
        (
            harwell_boeing("IZA", 3, &[vec![0], vec![], vec![]], integer(&["4"])),
            "t:7: non-zero entry (1, 1) on the diagonal of a skew-symmetric matrix",
        ),
        (harwell_boeing("PUA", 2, &columns, None), "t:6: expected a row index in 1..=2, found \"3\""),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("   1   3   3   4", "   1   3   2   4"),
            "t:5: expected the pointer of column 3, in 3..=4, found \"2\"",
        ),
        (
            harwell_boeing("PUA", 3, &columns, None).replace("   1   3   3   4", "   1   3   3   3"),
            "t:5: the last pointer is 3, expected 4 for 3 entries",
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
    assert_eq!(shown(lines[..5].join("\n"), &EXACT), "t:5: the file ends after 0 of 3 row indices");
    assert_eq!(shown(lines[..4].join("\n"), &EXACT), "t:4: the file ends after 0 of 4 column pointers");
    let complex = Some(("(3F5.1)", 5, ["0.0", "0.5", "0.0", "0.0", "2.0", "0.0"].map(String::from).to_vec()));
    assert_eq!(shown(harwell_boeing("CUA", 3, &columns, complex), &PATTERN), "3x3: 1 1 1, 2 3 1");
    assert_eq!(shown(harwell_boeing("RUA", 3, &columns, None), &PATTERN), "3x3: 1 1 1, 2 3 1, 3 1 1");
    assert_eq!(
        shown(harwell_boeing("RUA", 3, &columns, real(&["0.0E+00", "0.1", "1.0E-9"])), &PATTERN),
        "3x3: 2 3 1, 3 1 1"
    );
}

/// A folder that goes away.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("blackfield-io-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn files_written_and_read_back() {
    let folder = Folder::new("files");
    let a = read_text("3 2 M\n3 1 -9223372036854775808\n1 2 123456789012345678901234567890\n2 2 7\n0 0 0\n", &EXACT)
        .unwrap();
    let names = ["a.mtx", "a.mtx.gz", "a.sms", "b.SMS.GZ"];
    for name in names {
        let path = folder.0.join(name);
        let (format, gzipped) = Format::from_path(&path).unwrap();
        for _replace in 0..2 {
            write(&path, &a, format, &mut Cursor::new(vec![]), &Silent).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]), gzipped, "{name}");
        assert_eq!(read(&path, &EXACT, &Silent).unwrap(), a, "{name}");
    }
    assert_eq!(folder.names(), names);

    let mut out = vec![];
    write(Path::new("-"), &a, Format::MatrixMarket, &mut out, &Silent).unwrap();
    let text = "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 2 123456789012345678901234567890\n2 2 7\n3 1 -9223372036854775808\n";
    assert_eq!(String::from_utf8(out).unwrap(), text);
    let mut out = vec![];
    write_to(&mut out, &a, Format::Sms, false, &Silent).unwrap();
    assert!(out.starts_with(b"3 2 M\n1 2 ") && out.ends_with(b"\n0 0 0\n"));

    for name in ["a.txt", "sms", "a.gz", "-"] {
        let expected = format!("{name}: the name must end in .sms or .mtx, with .gz behind it for compression");
        assert_eq!(Format::from_path(Path::new(name)).unwrap_err().to_string(), expected);
    }
}

#[test]
fn batches_do_not_depend_on_threads() {
    let a = Triplets::from_entries(1000, 1000, (0..600_000usize).map(|k| (k / 1000, k % 1000, k as i64 - 299_999)));
    let mut first: Option<Vec<u8>> = None;
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = vec![];
        pool.install(|| write_to(&mut out, &a, Format::MatrixMarket, true, &Silent)).unwrap();
        assert_eq!(read_text(&out, &EXACT).unwrap(), a);
        assert!(first.get_or_insert(out.clone()) == &out);
    }
}

/// An observer that stops everything at once.
struct Stop;

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn interrupted_and_failed_work_leaves_nothing() {
    let folder = Folder::new("stop");
    let path = folder.0.join("a.sms");
    let a = read_text("1 1 M\n1 1 5\n0 0 0\n", &EXACT).unwrap();
    write(&path, &a, Format::Sms, &mut Cursor::new(vec![]), &Silent).unwrap();
    let old = std::fs::read(&path).unwrap();
    assert!(matches!(write(&path, &a, Format::MatrixMarket, &mut Cursor::new(vec![]), &Stop), Err(Error::Interrupted)));
    assert_eq!(std::fs::read(&path).unwrap(), old);
    assert_eq!(folder.names(), ["a.sms"]);
    assert!(matches!(read(&path, &EXACT, &Stop), Err(Error::Interrupted)));

    let missing = folder.0.join("no/a.sms");
    assert!(matches!(write(&missing, &a, Format::Sms, &mut Cursor::new(vec![]), &Silent), Err(Error::Io { .. })));
    assert!(matches!(read(&missing, &EXACT, &Silent), Err(Error::Io { .. })));
    assert!(matches!(read(&folder.0, &EXACT, &Silent), Err(Error::Io { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let a = read_text("1 1 M\n1 1 5\n0 0 0\n", &EXACT).unwrap();
    let error = write(Path::new("/dev/full"), &a, Format::Sms, &mut Cursor::new(vec![]), &Silent).unwrap_err();
    assert!(matches!(&error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull), "{error}");
    let mut full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert!(matches!(write(Path::new("-"), &a, Format::Sms, &mut full, &Silent), Err(Error::Io { .. })));
}

#[test]
fn lying_counts_cost_no_memory() {
    // Were the count believed, 2⁶⁰ entries would be reserved, and this test would abort.
    let text = format!("{MM} integer general\n9 9 1152921504606846976\n1 1 1\n");
    assert_eq!(
        shown(text, &EXACT),
        "t:3: the file ends after 1 of the 1152921504606846976 entries that line 2 announces"
    );
    let text = harwell_boeing("PUA", 3, &[vec![0]], None).replace(
        "             1             1             0\n(",
        "    4294967290    1152921504606846976             0\n(",
    );
    assert!(shown(text, &EXACT).starts_with("t:5: "));
}

#[test]
fn digests() {
    let a = read_text("2 3 M\n1 1 5\n2 3 -7\n1 2 18446744073709551616\n0 0 0\n", &EXACT).unwrap();
    // Computed outside from the documented layout.
    assert_eq!(a.digest(), "9a73d1594bd7002701897359930cba49b4dd3e4ee14a79bbfa3b37dbc4bfe312");
    let b = read_text(
        format!("{MM} real general\n2 3 5\n2 3 1\n1 2 18446744073709551617\n1 1 5\n2 3 -8\n1 2 -1\n"),
        &EXACT,
    )
    .unwrap();
    assert_eq!(a.digest(), b.digest());
    assert_ne!(a.digest(), a.transpose().digest());
}

/// A random matrix file as data: entries as spelled, and what they mean.
#[derive(Clone, Debug)]
struct Case {
    rows: usize,
    cols: usize,
    /// Row, column (0-based), mantissa, zeros behind it.
    entries: Vec<(usize, usize, i64, u32)>,
    /// Source of spelling choices.
    style: Vec<u8>,
}

fn case() -> impl Strategy<Value = Case> {
    let value = prop_oneof![3 => -3i64..4, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)];
    (0usize..9, 0usize..9).prop_flat_map(move |(rows, cols)| {
        let count = if rows * cols == 0 { 0..1 } else { 0..40 };
        let entry = (0..rows.max(1), 0..cols.max(1), value.clone(), prop_oneof![4 => Just(0u32), 1 => 1u32..25]);
        let entries = proptest::collection::vec(entry, count);
        (entries, proptest::collection::vec(any::<u8>(), 32)).prop_map(move |(entries, style)| Case {
            rows,
            cols,
            entries,
            style,
        })
    })
}

impl Case {
    /// The k-th choice among n.
    fn pick(&self, k: usize, n: usize) -> usize {
        self.style[k % self.style.len()] as usize % n
    }

    /// A spelling of an entry's value.
    fn value(&self, k: usize) -> String {
        let (_, _, v, zeros) = self.entries[k];
        let plain = format!("{v}{}", "0".repeat(zeros as usize));
        match self.pick(k, 5) {
            0 if v >= 0 => format!("+{plain}"),
            1 => format!("{v}e{zeros}"),
            2 => format!("{v}.00E+{zeros:02}"),
            3 => format!("{plain}."),
            4 => format!("{v}0d{}", i64::from(zeros) - 1),
            _ => plain,
        }
    }

    /// The entries as lines, with blank lines, comments and odd white space among them; `end` included.
    fn lines(&self, end: &str) -> String {
        let mut text = String::new();
        for (k, &(i, j, ..)) in self.entries.iter().enumerate() {
            let blank = [" ", "  ", "\t", " \t "][self.pick(k + 1, 4)];
            let lead = ["", "", " ", "\n\t", "% c\n"][self.pick(k + 2, 5)];
            let behind = ["\n", "\r\n", " \n"][self.pick(k + 3, 3)];
            text.push_str(&format!("{lead}{}{blank}{}{blank}{}{behind}", i + 1, j + 1, self.value(k)));
        }
        text + end
    }

    /// What the file means: sums over the integers, mirrored where `mirror` says with which sign.
    fn meaning(&self, mirror: Option<i32>) -> Vec<(usize, usize, BigInt)> {
        let mut sum: BTreeMap<(usize, usize), BigInt> = BTreeMap::new();
        for &(i, j, v, zeros) in &self.entries {
            let v = BigInt::from(v) * BigInt::from(10).pow(zeros);
            *sum.entry((i, j)).or_default() += &v;
            if let Some(sign) = mirror
                && i != j
            {
                *sum.entry((j, i)).or_default() += v * sign;
            }
        }
        sum.into_iter().filter(|(_, v)| *v != BigInt::ZERO).map(|((i, j), v)| (i, j, v)).collect()
    }

    /// The same matrix folded into a lower triangle (without diagonal, if `strict`).
    fn triangle(mut self, strict: bool) -> Case {
        let n = self.rows.max(self.cols);
        (self.rows, self.cols) = (n, n);
        self.entries.iter_mut().for_each(|e| (e.0, e.1) = (e.0.max(e.1), e.0.min(e.1)));
        self.entries.retain(|e| !strict || e.0 != e.1);
        self
    }
}

fn meaning(a: &Triplets) -> Vec<(usize, usize, BigInt)> {
    a.entries().map(|(i, j, v)| (i, j, v.to_bigint())).collect()
}

proptest! {
    #[test]
    fn files_mean_what_they_were_made_from(case in case()) {
        let Case { rows, cols, .. } = case;
        let expected = case.meaning(None);
        let sms = read_text(format!("{rows} {cols} M\n{}", case.lines("0 0 0\n")), &EXACT).unwrap();
        prop_assert_eq!(meaning(&sms), expected.clone());
        prop_assert_eq!((sms.rows(), sms.cols()), (rows, cols));
        let head = format!("{MM} real general\n{rows} {cols} {}\n", case.entries.len());
        let mm = read_text(head + &case.lines(""), &EXACT).unwrap();
        prop_assert_eq!(&mm, &sms);

        // Through every writer and back; the digest is that of the matrix, not of the file.
        for format in [Format::Sms, Format::MatrixMarket] {
            for gzip in [false, true] {
                let mut out = vec![];
                write_to(&mut out, &sms, format, gzip, &Silent).unwrap();
                let back = read_text(&out, &EXACT).unwrap();
                prop_assert_eq!(&back, &sms);
                prop_assert_eq!(back.digest(), sms.digest());
            }
        }
        prop_assert_eq!(sms.transpose().transpose(), sms.clone());

        // The 0-1 pattern: positions of entries stored with a non-zero value, even if their sum is 0.
        let stored: std::collections::BTreeSet<_> =
            case.entries.iter().filter(|e| e.2 != 0).map(|e| (e.0, e.1, BigInt::from(1))).collect();
        let pattern = read_text(format!("{rows} {cols} M\n{}", case.lines("0 0 0")), &PATTERN).unwrap();
        prop_assert_eq!(meaning(&pattern), stored.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn triangles_are_expanded(case in case()) {
        for (kind, sign) in [("symmetric", 1), ("skew-symmetric", -1)] {
            let case = case.clone().triangle(sign < 0);
            let head = format!("{MM} real {kind}\n{} {} {}\n", case.rows, case.cols, case.entries.len());
            let a = read_text(head + &case.lines(""), &EXACT).unwrap();
            prop_assert_eq!(meaning(&a), case.meaning(Some(sign)));
        }
    }

    #[test]
    fn arrays_are_read_by_columns(rows in 0usize..6, cols in 0usize..6, values in proptest::collection::vec(any::<i16>(), 36)) {
        let value = |i: usize, j: usize| values[i * 6 + j] as i64 % 5;
        let text = |kind: &str, cols: usize, first: &dyn Fn(usize) -> usize| {
            let mut text = format!("%%MatrixMarket matrix array integer {kind}\n{rows} {cols}\n");
            for j in 0..cols {
                (first(j)..rows).for_each(|i| text.push_str(&format!("{}\n", value(i, j))));
            }
            text
        };
        let all = |cols: usize| (0..rows).flat_map(move |i| (0..cols).map(move |j| (i, j)));
        let general = Triplets::from_entries(rows, cols, all(cols).map(|(i, j)| (i, j, value(i, j))));
        prop_assert_eq!(read_text(text("general", cols, &|_| 0), &EXACT).unwrap(), general);
        let lower = |i: usize, j: usize| value(i.max(j), i.min(j));
        let symmetric = Triplets::from_entries(rows, rows, all(rows).map(|(i, j)| (i, j, lower(i, j))));
        prop_assert_eq!(read_text(text("symmetric", rows, &|j| j), &EXACT).unwrap(), symmetric);
        let sign = |i: usize, j: usize| (i as i64 - j as i64).signum();
        let skew = Triplets::from_entries(rows, rows, all(rows).map(|(i, j)| (i, j, sign(i, j) * lower(i, j))));
        prop_assert_eq!(read_text(text("skew-symmetric", rows, &|j| j + 1), &EXACT).unwrap(), skew);
    }

    #[test]
    fn harwell_boeing_agrees_with_triplets(rows in 1usize..30, columns in proptest::collection::vec(proptest::collection::vec((any::<u8>(), -99999i64..99999), 0..12), 0..20)) {
        let columns: Vec<Vec<(usize, i64)>> =
            columns.into_iter().map(|c| c.into_iter().map(|(i, v)| (i as usize % rows, v)).collect()).collect();
        let indices: Vec<Vec<usize>> = columns.iter().map(|c| c.iter().map(|e| e.0).collect()).collect();
        let values = columns.iter().flatten().map(|e| e.1.to_string()).collect();
        let text = harwell_boeing("IRA", rows, &indices, Some(("(3I6)", 6, values)));
        let entries = columns.iter().enumerate().flat_map(|(j, c)| c.iter().map(move |&(i, v)| (i, j, v)));
        prop_assert_eq!(read_text(text, &EXACT).unwrap(), Triplets::from_entries(rows, columns.len(), entries));
    }

    /// Files with random bytes changed, cut or doubled give a matrix or an error; never a panic.
    #[test]
    fn damaged_files_never_panic(
        case in case(),
        kind in 0usize..7,
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..3, prop_oneof![any::<u8>(), proptest::sample::select(b"0123456789 -+.eE\n%".to_vec())]), 0..6),
        pattern: bool,
    ) {
        let triangle = case.clone().triangle(true);
        let n = case.entries.len();
        let columns: Vec<Vec<usize>> = (0..case.cols).map(|j| case.entries.iter().filter(|e| e.1 == j).map(|e| e.0).collect()).collect();
        let values = (0..n).map(|k| case.value(k)).filter(|v| v.len() < 9).chain(std::iter::repeat("7".into())).take(n).collect();
        let mut bytes = match kind {
            0 => format!("{} {} M\n{}", case.rows, case.cols, case.lines("0 0 0\n")).into_bytes(),
            1 => format!("{MM} real general\n{} {} {n}\n{}", case.rows, case.cols, case.lines("")).into_bytes(),
            2 => format!("{MM} real skew-symmetric\n{0} {0} {1}\n{2}", triangle.rows, triangle.entries.len(), triangle.lines("")).into_bytes(),
            3 => format!("%%MatrixMarket matrix array integer symmetric\n2 2\n{n}\n2\n-3\n").into_bytes(),
            4 => harwell_boeing("RUA", case.rows, &columns, Some(("(1P3E9.1)", 9, values))).into_bytes(),
            5 => harwell_boeing("PUA", case.rows, &columns, None).into_bytes(),
            _ => gzip(format!("{} {} M\n{}", case.rows, case.cols, case.lines("0 0 0\n")).as_bytes()),
        };
        for (at, how, byte) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        match read_text(&bytes, &ReadOptions { pattern }) {
            Ok(a) => prop_assert!(a.entries().all(|(i, j, v)| i < a.rows() && j < a.cols() && !v.is_zero())),
            Err(e) => prop_assert!(matches!(e, Error::Input { .. }), "{}", e),
        }
    }
}
