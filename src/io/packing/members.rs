//! gzip files of several members, of which many are decompressed at a time.
//!
//! A gzip file is one member after the other (RFC 1952, 2.2); `blackfield`, `bgzip` and `cat` make files of many. Where
//! a member ends is known once it is decompressed. But its first bytes are known, and seldom found elsewhere: what
//! follows places that look like a beginning is decompressed ahead, in parallel, and taken if the member before ends
//! exactly there. So the content is that which one decompressor finds, going from member to member, and it goes on
//! alone from the first place where this leads nowhere: in a long member, at damage, or where beginnings are not what
//! they seem.

use super::gzip::Gzip;
use crate::io::source::Failed;
use crate::memory;
use crate::parallel::Each;
use flate2::bufread::GzDecoder;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::io::{self, Chain, Cursor, Read};

/// Compressed bytes for each thread that are looked at together; a file whose first member is longer than those of all
/// threads is left to one decompressor. (Fewer in tests.)
const WINDOW: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };
/// The most bytes of the first member of a window, …
const MOST: usize = 16 << 20;
/// … and those of others for each compressed byte up to the next beginning: a few may expand to thousands, and all of a
/// window together are held in memory.
const EXPANSION: usize = 32;
/// Bytes that room is made for at first.
const FIRST: usize = WINDOW / 16;
/// Bytes of a member without content, or more: beginnings do not lie closer together.
const SHORTEST: usize = 18;
/// Bytes that one task looks at.
const TASK: usize = 1 << 16;
/// Bytes that one task copies.
const COPIED: usize = if cfg!(test) { 100 } else { 1 << 18 };
/// What the memory is for.
const CONTENT: &str = "members of a gzip file";

type Source<'a> = Box<dyn Read + Send + 'a>;

/// The content of a gzip file.
pub(super) struct Members<'a> {
    state: State<'a>,
    /// What was decompressed ahead, and how many bytes of the first piece were read.
    ahead: VecDeque<Vec<u8>>,
    at: usize,
}

enum State<'a> {
    /// Compressed bytes that were read but not decompressed, and those behind them, of which there may be none; whether
    /// a member came before them, and whether most of what seemed to begin a member did not.
    Many {
        packed: Vec<u8>,
        source: Source<'a>,
        ended: bool,
        begun: bool,
        misleads: bool,
    },
    One(Gzip<Chain<Cursor<Vec<u8>>, Source<'a>>>),
}

impl<'a> Members<'a> {
    /// The content of a compressed stream.
    pub fn new(source: Source<'a>) -> Self {
        let state = State::Many { packed: vec![], source, ended: false, begun: false, misleads: false };
        Members { state, ahead: VecDeque::new(), at: 0 }
    }

    /// Leaves what follows to one decompressor.
    fn one_by_one(&mut self) {
        if let State::Many { packed, source, begun, .. } = &mut self.state {
            let packed = Cursor::new(std::mem::take(packed));
            let source = packed.chain(std::mem::replace(source, Box::new(io::empty())));
            self.state = State::One(if *begun { Gzip::behind_member(source) } else { Gzip::new(source) });
        }
    }

    /// Copies what was decompressed ahead, as much as there is and fits, by several tasks: pages that are written for
    /// the first time keep a thread busy. Returns how much that was.
    fn take(&mut self, buffer: &mut [u8]) -> usize {
        let (mut copies, mut taken, mut rest) = (vec![], 0, buffer);
        let mut from = self.at;
        for content in &self.ahead {
            let some = rest.len().min(content.len() - from);
            let (to, behind) = rest.split_at_mut(some);
            copies.extend(to.chunks_mut(COPIED).zip(content[from..].chunks(COPIED)));
            (taken, rest, from) = (taken + some, behind, 0);
            if rest.is_empty() {
                break;
            }
        }
        let copy = |(to, from): (&mut [u8], &[u8])| to.copy_from_slice(&from[..to.len()]);
        match taken {
            0..=COPIED => copies.into_iter().for_each(copy),
            _ => copies.into_par_iter().each(copy),
        }
        self.at += taken;
        while let Some(content) = self.ahead.front().filter(|content| content.len() <= self.at) {
            self.at -= content.len();
            self.ahead.pop_front();
        }
        taken
    }

    /// Decompresses the members that follow, as many as are seen.
    fn decompress_ahead(&mut self) {
        let State::Many { packed, source, ended, begun, misleads } = &mut self.state else { return };
        let window = WINDOW * rayon::current_num_threads();
        if !*ended && memory::reserve(packed, window.saturating_sub(packed.len()), CONTENT).is_ok() {
            let want = window.saturating_sub(packed.len()) as u64;
            match source.by_ref().take(want).read_to_end(packed) {
                Ok(got) => *ended = (got as u64) < want,
                Err(error) => {
                    // It comes again behind what was read before it.
                    *source = Box::new(Failed::new(error));
                    return self.one_by_one();
                }
            }
        }
        if packed.is_empty() && *ended {
            return;
        }
        if *misleads {
            return self.one_by_one();
        }
        let mut starts = beginnings(packed);
        if !*ended {
            // The last one may go on behind the window.
            starts.pop();
        }
        let ends = starts.iter().copied().skip(1).chain([packed.len()]);
        let limit = |start: usize, next| if start == 0 { MOST } else { MOST.min(EXPANSION * (next - start)) };
        let members: Vec<(usize, usize)> =
            starts.iter().zip(ends).map(|(&start, next)| (start, limit(start, next))).collect();
        let found: Vec<Option<(Vec<u8>, usize)>> =
            members.par_iter().with_max_len(1).make(|&(start, limit)| member(&packed[start..], limit));
        let (mut end, mut wasted) = (0, 0);
        for (start, found) in starts.iter().copied().zip(found) {
            match found {
                Some((content, len)) if start == end => {
                    self.ahead.push_back(content);
                    end = start + len;
                }
                _ => wasted += 1,
            }
        }
        packed.drain(..end);
        *begun |= end > 0;
        *misleads = 2 * wasted > starts.len();
        if end == 0 {
            self.one_by_one();
        }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let got = self.take(buffer);
            if got > 0 {
                return Ok(got);
            }
            match &mut self.state {
                State::One(decoder) => return decoder.read(buffer),
                State::Many { packed, ended: true, .. } if packed.is_empty() => return Ok(0),
                State::Many { .. } => self.decompress_ahead(),
            }
        }
    }
}

/// The first byte, and where else a member seems to begin, ascending.
fn beginnings(packed: &[u8]) -> Vec<usize> {
    let at = |start: usize| {
        let end = packed.len().min(start + TASK);
        (start..end).filter(|&at| at == 0 || packed[at] == 0x1f && is_beginning(&packed[at..])).collect::<Vec<_>>()
    };
    let tasks: Vec<Vec<usize>> = (0..packed.len().div_ceil(TASK)).into_par_iter().make(|k| at(k * TASK));
    let mut starts: Vec<usize> = vec![];
    for at in tasks.into_iter().flatten() {
        if starts.last().is_none_or(|&last| last + SHORTEST <= at) {
            starts.push(at);
        }
    }
    starts
}

/// Whether these bytes look like the beginning of a member (RFC 1952, 2.3.1): its marks, deflate, no reserved flag, and
/// a degree of compression and an operating system that have a meaning.
fn is_beginning(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1f, 0x8b, 8, 0..=0x1f, _, _, _, _, 0 | 2 | 4, 0..=13 | 255, ..])
}

/// The content of the member at the beginning of these bytes, and its length in them; `None` if there is none whose
/// checksum is right, with at most `limit` bytes.
fn member(packed: &[u8], limit: usize) -> Option<(Vec<u8>, usize)> {
    let mut decoder = GzDecoder::new(packed);
    let mut content = vec![];
    while content.len() <= limit {
        let more = content.len().max(FIRST).min(limit + 1 - content.len());
        memory::reserve(&mut content, more, CONTENT).ok()?;
        if decoder.by_ref().take(more as u64).read_to_end(&mut content).ok()? < more {
            return Some((content, packed.len() - decoder.into_inner().len()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use flate2::Compression;
    use flate2::read::MultiGzDecoder;
    use rand::{RngExt, SeedableRng};

    fn packed(content: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], Compression::new(level));
        io::Write::write_all(&mut encoder, content).unwrap();
        encoder.finish().unwrap()
    }

    /// All that can be read, and how it ends.
    fn content(mut reader: impl Read) -> (Vec<u8>, Option<String>) {
        let mut content = vec![];
        let error = reader.read_to_end(&mut content).err();
        (content, error.map(|error| format!("{:?}: {error}", error.kind())))
    }

    /// The same as one decompressor finds, on any number of threads; whether it was left to that one.
    fn check(file: &[u8], case: &str) -> bool {
        let expected = content(Gzip::new(file));
        let of_crate = content(MultiGzDecoder::new(file));
        let junk = expected.1.as_ref().is_some_and(|error| error.contains("no gzip member"));
        match junk || case == "zeros behind them" {
            true => assert!(expected.0 == of_crate.0 && of_crate.1.is_some(), "{case}"),
            false => assert_eq!(expected, of_crate, "{case}"),
        }
        let mut left = false;
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut members = Members::new(Box::new(file));
            assert_eq!(pool.install(|| content(&mut members)), expected, "{case}, {threads} threads");
            left |= matches!(members.state, State::One(_));
        }
        left
    }

    #[test]
    fn the_content_is_that_of_one_decompressor() {
        let mut rng = Rng::seed_from_u64(91);
        let mut text = |len: usize| (0..len).map(|_| b"0123456789 \n"[rng.random_range(0..12)]).collect::<Vec<u8>>();
        // Members of every size about the window, empty ones, and none.
        for len in [0, 1, 100, 700, 900] {
            let file: Vec<u8> = (0..40).flat_map(|k| packed(&text(len * (k % 3)), 6)).collect();
            assert!(!check(&file, "members"), "{len}");
            assert!(check(&[&file[..], b"not gzip"].concat(), "something else behind them"), "{len}");
            assert!(check(&[&file[..], &[0; 100]].concat(), "zeros behind them"), "{len}");
            for cut in (1..20).chain([file.len() / 3, file.len() / 2]).filter(|&cut| cut < file.len()) {
                check(&file[..file.len() - cut], "truncated");
                let mut damaged = file.clone();
                damaged[file.len() - cut] ^= 4;
                check(&damaged, "damaged");
            }
        }
        assert!(check(&packed(&text(100_000), 6), "one long member"));
        let between = [packed(&text(500), 6), packed(&text(100_000), 6), packed(&text(500), 6)].concat();
        assert!(check(&between, "a long member among others"));
        // Members that are the content of another one.
        let inner: Vec<u8> = (0..30).flat_map(|_| packed(&text(40), 6)).collect();
        let one = packed(&inner, 0);
        check(&one, "members in a member");
        assert!(check(&[&one[..], &one].concat(), "members in two members"));
        let file: Vec<u8> =
            (0..30).flat_map(|k| packed(if k % 7 == 0 { &inner[..200] } else { b"1 1 1\n" }, 0)).collect();
        check(&file, "members in some members");
    }

    /// Members that expand much are not decompressed ahead; others are, with a limit for what they take together.
    #[test]
    fn what_is_ahead_has_a_limit() {
        let mut rng = Rng::seed_from_u64(92);
        let mut lines = |count: usize| (0..count).flat_map(|_| [rng.random_range(48..58), b'\n']).collect::<Vec<u8>>();
        let text = packed(&[lines(20), vec![b'\n'; 400]].concat(), 9);
        let long = packed(&[b'\n'; 20_000], 9);
        assert!(EXPANSION * text.len() > 440 && EXPANSION * long.len() < 20_000);
        assert!(!check(&text.repeat(300), "lines"));
        assert!(check(&long.repeat(300), "long ones"));
        check(&[&text[..], &long].concat().repeat(200), "both");
        for (file, threads) in
            [&text, &long].into_iter().flat_map(|file| [1, 3].map(|threads| (file.repeat(300), threads)))
        {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut members, mut most) = (Members::new(Box::new(&file[..])), 0);
            pool.install(|| {
                let mut buffer = [0; 99];
                while members.read(&mut buffer).unwrap() > 0 {
                    most = most.max(members.ahead.iter().map(Vec::capacity).sum::<usize>());
                }
            });
            assert!(most > 0 && most <= EXPANSION * WINDOW * threads + 2 * 20_000, "{most}, {threads} threads");
        }
    }

    #[test]
    fn a_failure_of_the_file_comes_behind_what_was_read() {
        let file: Vec<u8> = (0..40).flat_map(|_| packed(&[b'1'; 3000], 6)).collect();
        for len in [0, 1, 30, 500, file.len() / 2, file.len()] {
            let fails = || Failed::new(io::Error::from_raw_os_error(5));
            let expected = content(MultiGzDecoder::new(file[..len].chain(fails())));
            assert!(expected.1.is_some());
            assert_eq!(content(Members::new(Box::new(file[..len].chain(fails())))), expected, "{len}");
        }
    }
}
