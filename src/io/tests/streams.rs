//! Compression, pipes, blocks and threads: the same matrix and the same messages however the file is read.

use super::*;
use crate::sparse::Integer;
use std::collections::BTreeMap;
use std::io::Read;

#[cfg(feature = "gzip")]
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
    // Errors before the damage are reported first.
    let early = gzip(b"2 2 M\n1 1 x\n0 0 0\n");
    assert_eq!(shown(&early[..early.len() - 1], &EXACT), "t:2: expected a number, found \"x\"");
}

/// Zero bytes behind the last member are padding; other bytes are told from a truncated file, on pools of any size.
#[cfg(feature = "gzip")]
#[test]
fn what_follows_gzip_members() {
    let text = "2 2 M\n1 1 5\n2 2 6\n0 0 0\n";
    let (one, empty) = (gzip(text.as_bytes()), gzip(b""));
    let two = [gzip(&text.as_bytes()[..9]), gzip(&text.as_bytes()[9..])].concat();
    let whole = "2x2: 1 1 5, 2 2 6";
    let junk = "t:5: bytes after the end of the gzip stream are no gzip member";
    let truncated = "t:5: the gzip stream ends early: a truncated file";
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for members in [&one, &two] {
                let with = |behind: &[u8]| shown([&members[..], behind].concat(), &EXACT);
                for zeros in [1, 8, 10, 512, 10_240, 100_000] {
                    assert_eq!(with(&vec![0; zeros]), whole, "{zeros} zeros, {threads} threads");
                }
                for behind in [&b"8 of junk"[..8], b"x", b"more than ten bytes of it", b"\0\0\0x", b"\x1f\x1f"] {
                    assert_eq!(with(behind), junk, "{behind:?}, {threads} threads");
                }
                for cut in 1..empty.len() {
                    assert_eq!(with(&empty[..cut]), truncated, "{cut}, {threads} threads");
                }
            }
        });
    }
}

/// A reader that returns a few bytes at a time, as pipes do.
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
            let stream = Bytes::Stream(Stream::counted(Dribble(&bytes)));
            let source = Source { name: Path::new("t"), observer: &Silent, bytes: stream, select: "", limit: None };
            let stream = unpack(source, 1, &mut |content| parse_content(content, &EXACT, false))
                .map(|a| a.into_integers().unwrap());
            let whole = read_text(&bytes, &EXACT);
            assert_eq!(format!("{stream:?}"), format!("{whole:?}"), "{text}");
        }
    }
}

/// A text of many blocks, read on pools of several sizes, plain and gzipped: the same matrix, and the same line in
/// errors.
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
                let message = "the file ends after 600000 entries, without its last line \"0 0 0\": a truncated file";
                assert_eq!(shown(file(&text), &EXACT), format!("t:{lines}: {message}"));
                let after = format!("{good}{}1 1 1\n", "\n".repeat(5_000_000));
                let message = "expected nothing after the end marker \"0 0 0\", found \"1 1 1\"";
                assert_eq!(shown(file(&after), &EXACT), format!("t:{}: {message}", lines + 2 + 5_000_000));
            }
        });
    }
}

#[test]
fn lines_and_entries_have_limits() {
    let line = "7".repeat(text::MAX_LINE);
    let long = format!("3 3 M\n1 1 1\n1 2 {line}\n0 0 0\n");
    for bytes in [long.clone().into_bytes(), gzip(long.as_bytes())] {
        assert_eq!(shown(bytes, &EXACT), "t:3: a line of more than 16777216 bytes; expected an entry in each line");
    }
    let three = "3 3 M\n1 1 1\n1 2 0\n2 2 1\n3 3 1\n0 0 0\n";
    let boeing = "title\n3 1 1 1 0\nIUA 3 3 3 0\n(4I2) (3I2) (3I2)\n 1 2 3 4\n 1 2 3\n 1 1 1\n";
    let within = |text: &str, limit| read_text(text, &ReadOptions { max_memory: Some(limit), ..EXACT });
    for text in [three, boeing] {
        assert_eq!(within(text, 48).unwrap().nnz(), 3);
        let message = within(text, 47).unwrap_err().to_string();
        assert_eq!(message, "3 entries of the matrix take 48 bytes, 47 bytes are allowed");
    }
}
