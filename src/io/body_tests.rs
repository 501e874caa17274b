//! Memory for the entries of a text whose length is known.

use super::*;
use crate::sparse::Numbers;

fn layout(rows: u64) -> Layout {
    Layout {
        rows,
        cols: 7,
        first: 1,
        array: false,
        numbers: 1,
        symmetry: Symmetry::General,
        ones: false,
        fractions: true,
        announced: None,
        end_marker: true,
        comments: b"%#",
    }
}

/// The matrix of a text that is read in blocks of about so many bytes, and whether its rows lie where the first block's
/// entries were put.
fn read(text: &[u8], block: usize, bytes: Option<u64>, limit: Option<u64>) -> (RationalMatrix, bool) {
    let mut body = Body::new(layout(100_000), 0, limit, 1).unwrap().of_text(bytes);
    let (mut rest, mut first) = (text, None);
    while !rest.is_empty() {
        let (some, behind) = rest.split_at(lines_end(rest, block));
        assert!(body.parse(some).is_ok());
        first.get_or_insert((body.entries.row.as_ptr(), body.entries.row.capacity()));
        rest = behind;
    }
    let stayed = first == Some((body.entries.row.as_ptr(), body.entries.row.capacity()));
    (body.finish(Duplicates::Sum).unwrap(), stayed)
}

#[test]
fn entries_are_not_moved_where_the_length_of_the_text_is_known() {
    let lines = |n: u64| (1..=n).map(|i| format!("{i} {} {}\n", 1 + i % 7, 3 * i as i64 - 9)).collect::<String>();
    let text = lines(20_000) + "0 0 0\n";
    let (expected, _) = read(text.as_bytes(), text.len(), None, None);
    assert_eq!(expected.nnz(), 19_999);
    let len = text.len() as u64;
    // Known; not known; too long for any memory; limited, where no more is asked for than is needed.
    for (bytes, limit, stays) in
        [(Some(len), None, true), (None, None, false), (Some(u64::MAX), None, false), (Some(len), Some(1 << 30), false)]
    {
        let (matrix, stayed) = read(text.as_bytes(), 5000, bytes, limit);
        assert!(matrix == expected && stayed == stays, "{bytes:?}, {limit:?}");
    }
    // A first block that says nothing, or too much, of those that follow.
    for head in ["% a comment\n\n".repeat(500), lines(9).repeat(60)] {
        let text = head + &text;
        let (matrix, _) = read(text.as_bytes(), 5000, Some(text.len() as u64), None);
        assert!(matrix == read(text.as_bytes(), text.len(), None, None).0);
    }
}

/// A wider type has no room that nobody needs where there is no memory for it.
#[test]
fn room_that_was_hoped_for_is_no_reason_to_fail() {
    let most = (20..47).rev().find_map(|k| memory::with_capacity::<i8>(1 << k, "a test").ok());
    let mut values = Numbers::I8(most.unwrap());
    values.push(5);
    values.append(&[&[1 << 40]], spread(1 << 40)).unwrap();
    assert_eq!(values.iter().collect::<Vec<i64>>(), [5, 1 << 40]);
}
