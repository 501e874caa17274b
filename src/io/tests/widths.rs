//! Values of every width, in files that are read in many chunks.

use super::*;

/// Lines of a file and what they mean: `count` entries in file order, with values of more and more bytes.
fn entries(count: usize) -> Vec<(usize, usize, i64)> {
    let wide = [1, 127, -128, 128, 32767, -32769, 1 << 31, -(1 << 31), i64::MAX, i64::MIN];
    (0..count)
        .map(|k| {
            // Most entries of a chunk are narrow; one in a thousand is as wide as its position in the file allows.
            let v = if k % 1000 == 7 { wide[k * wide.len() / count] } else { [1, -1, 5][k % 3] };
            (k / 100, k % 100, v)
        })
        .collect()
}

fn text(rows: usize, entries: &[(usize, usize, i64)]) -> String {
    let lines: String = entries.iter().map(|(i, j, v)| format!("{} {} {v}\n", i + 1, j + 1)).collect();
    format!("{rows} 100 M\n{lines}0 0 0\n")
}

#[test]
fn chunks_of_different_widths() {
    let count = 200_000;
    let mut entries = entries(count);
    let rows = count / 100;
    let expected = Triplets::from_entries(rows, 100, entries.iter().copied());
    assert!(text(rows, &entries).len() > 3 << 19, "there are several chunks");
    let check = |entries: &[(usize, usize, i64)], about: &str| {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let read = pool.install(|| read_text(text(rows, entries), &EXACT).unwrap());
            assert!(read == expected, "{about}, {threads} threads");
            assert_eq!(read.digest(), expected.digest());
        }
    };
    check(&entries, "narrow ones first");
    assert!(expected.entries().eq(entries.iter().map(|&(i, j, v)| (i, j, v.into()))));
    entries.reverse();
    check(&entries, "wide ones first");
    entries.sort_by_key(|&(i, j, _)| (j, i));
    check(&entries, "by columns");
}

#[test]
fn duplicates_of_all_widths_vanish() {
    let count = 60_000;
    let mut all = entries(count);
    let kept = all.len() / 2;
    // Both signs occur, so that the smallest number of each type is included.
    let negated: Vec<_> = all[kept..].iter().flat_map(|&(i, j, v)| [(i, j, -(v / 2)), (i, j, -(v - v / 2))]).collect();
    let expected = Triplets::from_entries(600, 100, all[..kept].iter().copied());
    all.extend(negated);
    assert!(read_text(text(600, &all), &EXACT).unwrap() == expected);
}

#[test]
fn arrays_without_values_are_sorted_as_well() {
    for (shape, found) in [("3 0", "3x0: "), ("0 3", "0x3: "), ("0 0", "0x0: ")] {
        assert_eq!(shown(format!("%%MatrixMarket matrix array integer general\n{shape}\n\n"), &EXACT), found);
    }
}
