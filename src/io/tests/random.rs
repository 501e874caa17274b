//! Random files against the data they were made from, and random damage.

use super::*;
use num_bigint::BigInt;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A random matrix file as data: entries as spelled, and what they mean.
#[derive(Clone, Debug)]
struct Case {
    rows: usize,
    cols: usize,
    /// Row, column (0-based), mantissa, number of zeros after it.
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

    /// The entries as lines, mixed with blank lines, comments and odd white space; `end` included.
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

    /// What the file means: sums over the integers, mirrored with the sign `mirror` if there is one.
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

/// Any byte, more often one that files contain.
fn damaging_byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), proptest::sample::select(b"0123456789 -+.eE\n%".to_vec())]
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

        // Through every writer and back; the digest depends on the matrix, not on the file.
        for format in [FileFormat::Sms, FileFormat::MatrixMarket] {
            for packed in [Compression::None, PACKED] {
                let mut out = vec![];
                write_to(&mut out, &sms, format, packed, &Silent).unwrap();
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
    fn harwell_boeing_agrees_with_triplets(
        rows in 1usize..30,
        columns in proptest::collection::vec(proptest::collection::vec((any::<u8>(), -99999i64..99999), 0..12), 0..20),
    ) {
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
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..3, damaging_byte()), 0..6),
        pattern: bool,
    ) {
        let triangle = case.clone().triangle(true);
        let n = case.entries.len();
        let column = |j: usize| case.entries.iter().filter(|e| e.1 == j).map(|e| e.0).collect();
        let columns: Vec<Vec<usize>> = (0..case.cols).map(column).collect();
        let short = (0..n).map(|k| case.value(k)).filter(|v| v.len() < 9);
        let values = short.chain(std::iter::repeat("7".into())).take(n).collect();
        let mut bytes = match kind {
            0 => format!("{} {} M\n{}", case.rows, case.cols, case.lines("0 0 0\n")).into_bytes(),
            1 => format!("{MM} real general\n{} {} {n}\n{}", case.rows, case.cols, case.lines("")).into_bytes(),
            2 => {
                let (n, count, lines) = (triangle.rows, triangle.entries.len(), triangle.lines(""));
                format!("{MM} real skew-symmetric\n{n} {n} {count}\n{lines}").into_bytes()
            }
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
        match read_text(&bytes, &ReadOptions { pattern, ..Default::default() }) {
            Ok(a) => prop_assert!(a.entries().all(|(i, j, v)| i < a.rows() && j < a.cols() && !v.is_zero())),
            Err(e) => prop_assert!(matches!(e, Error::Input { .. }), "{}", e),
        }
    }
}
