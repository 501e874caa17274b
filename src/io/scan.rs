//! The inner loop of the reader: decimal digits eight bytes at a time, and the form of line that nearly every entry
//! has.
//!
//! The leading digits of a word of text are converted without a branch on their number: find the first byte that is not
//! a digit, shift the digits to the top of the word, and combine pairs, then fours, then eights with three
//! multiplications (SIMD within a register). Branch predictors fail on short numbers of varying length. [`plain_line`]
//! recognises `row col value` in its plainest spelling; whatever it declines goes to the general parser
//! ([`line`](super::line)), so it may decline anything.

/// Bytes that must be readable at the start of a line for [`plain_line`]: 8 digits, separator, 8 digits, separator,
/// sign, 24 digits, and an end of line of two bytes.
pub(super) const WINDOW: usize = 48;

/// The number of leading decimal digits of an 8-byte little-endian word (0 to 8).
#[inline(always)]
fn digit_count(word: u64) -> u32 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let x = word ^ 0x3030_3030_3030_3030;
    // A byte is a digit iff x ≤ 9 there. x + 0x76 reaches 0x80 for x = 10 … 0x7f; a carry out of a larger x only
    // disturbs bytes behind the first non-digit.
    let other = (x.wrapping_add(0x7676_7676_7676_7676) | x) & HIGH;
    other.trailing_zeros() / 8
}

/// The number that the first `count` bytes (1 to 8 digits) of a little-endian word spell.
#[inline(always)]
fn digits_value(word: u64, count: u32) -> u64 {
    debug_assert!((1..=8).contains(&count));
    let x = (word << (64 - 8 * count)) & 0x0f0f_0f0f_0f0f_0f0f;
    let x = x.wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let x = x.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    x.wrapping_mul(10000 << 32 | 1) >> 32
}

/// The number at `at` and the position after it; `None` unless it has 1 to 8 digits and is far enough from the window's
/// end.
#[inline(always)]
fn number(window: &[u8; WINDOW], at: usize) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(window.get(at..at + 8)?.try_into().ok()?);
    let count = digit_count(word);
    (count > 0).then(|| (digits_value(word, count), at + count as usize))
}

/// The number of up to 19 digits at `at`, whose first 8 are known to be `high`, and the position after it; `None` for
/// more digits.
#[inline]
fn long_number(window: &[u8; WINDOW], high: u64, at: usize) -> Option<(u64, usize)> {
    const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    let (low, behind) = number(window, at + 8)?;
    let count = behind - at;
    let value = high * POWERS[count - 8] + low;
    if count < 16 || !window[behind].is_ascii_digit() {
        return Some((value, behind));
    }
    let (low, behind) = number(window, behind)?;
    // 10¹⁹ - 1 is below 2⁶⁴.
    (behind - at <= 19).then(|| (value * POWERS[behind - at - 16] + low, behind))
}

/// The number of a row, and its text with the separator after it. Rows come in runs, so the next line usually begins
/// with the same text: the position of the column is then known before the row is parsed.
pub(super) struct Repeated {
    text: u64,
    mask: u64,
    row: u64,
    len: usize,
}

impl Default for Repeated {
    /// No line begins like this, or if one does, its row is 0.
    fn default() -> Self {
        Repeated { text: 0, mask: u64::MAX, row: 0, len: 0 }
    }
}

impl Repeated {
    /// The row at the start of the window and the position of the blank after it.
    #[inline(always)]
    fn row(&mut self, window: &[u8; WINDOW]) -> Option<(u64, usize)> {
        let text = u64::from_le_bytes(window[..8].try_into().expect("8 bytes"));
        if (text ^ self.text) & self.mask == 0 {
            return Some((self.row, self.len));
        }
        let (row, len) = number(window, 0)?;
        if !is_blank(window[len]) {
            return None;
        }
        if len < 8 {
            let mask = u64::MAX >> (56 - 8 * len);
            *self = Repeated { text: text & mask, mask, row, len };
        }
        Some((row, len))
    }
}

/// Whether a byte separates numbers.
#[inline(always)]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Row, column and value (1 if `VALUE` is false and the line has none) at the start of the window, and the length of
/// the line with its end. Accepts single blanks or tabs between numbers of at most 8 digits each (19 for the value), a
/// minus sign before the value, and either kind of line end; `None` for anything else, including a value beyond 64
/// bits. `repeated` comes from an earlier line, if any.
#[inline(always)]
pub(super) fn plain_line<const VALUE: bool>(
    window: &[u8; WINDOW],
    repeated: &mut Repeated,
) -> Option<(u64, u64, i64, usize)> {
    let (i, at) = repeated.row(window)?;
    let (j, mut at) = number(window, at + 1)?;
    let mut v = 1;
    if VALUE {
        if !is_blank(window[at & 31]) {
            return None;
        }
        let minus = i64::from(window[(at & 31) + 1] == b'-');
        let start = at + 1 + minus as usize;
        // Signs and bits are single digits: what follows need not wait for the word.
        if let [digit @ b'0'..=b'9', b'\n', ..] = window[start & 31..] {
            v = (i64::from(digit - b'0') ^ -minus) + minus;
            return Some((i, j, v, start + 2));
        }
        let mut magnitude;
        (magnitude, at) = number(window, start)?;
        if at - start == 8 && window.get(at).is_some_and(u8::is_ascii_digit) {
            (magnitude, at) = long_number(window, magnitude, start)?;
            if magnitude > i64::MAX as u64 {
                return None;
            }
        }
        v = (magnitude as i64 ^ -minus) + minus;
    }
    let end = match window.get(at..at + 2)? {
        [b'\n', _] => at + 1,
        b"\r\n" => at + 2,
        _ => return None,
    };
    Some((i, j, v, end))
}

/// The number of line feeds.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    // Sums of bytes over short pieces: the compiler turns them into vector adds without widening.
    text.chunks(128).map(|piece| u64::from(piece.iter().map(|&b| u8::from(b == b'\n')).sum::<u8>())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same line by splitting strings.
    fn naive(line: &str) -> Option<(u64, u64, i64)> {
        let fields: Vec<&str> = line.trim_end_matches(['\n', '\r']).split([' ', '\t']).collect();
        let [i, j, v] = fields[..] else { return None };
        let digits = |s: &str, most| (1..=most).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
        let magnitude = v.strip_prefix('-').unwrap_or(v);
        (digits(i, 8) && digits(j, 8) && digits(magnitude, 19) && magnitude.parse::<i64>().is_ok())
            .then(|| (i.parse().unwrap(), j.parse().unwrap(), v.parse().unwrap()))
    }

    /// The scanner on a first line.
    fn alone<const VALUE: bool>(line: &str) -> Option<(u64, u64, i64, usize)> {
        plain_line::<VALUE>(&window(line), &mut Repeated::default())
    }

    fn window(line: &str) -> [u8; WINDOW] {
        let mut w = [b'7'; WINDOW];
        w[..line.len()].copy_from_slice(line.as_bytes());
        w
    }

    proptest! {
        #[test]
        fn digits_agree_with_the_standard_parser(x in 0u64..100_000_000, tail in any::<[u8; 8]>()) {
            let text = x.to_string();
            let mut bytes = tail;
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            if text.len() < 8 {
                bytes[text.len()] = tail[0].clamp(b':', u8::MAX);
            }
            let word = u64::from_le_bytes(bytes);
            prop_assert_eq!(digit_count(word), text.len() as u32);
            prop_assert_eq!(digits_value(word, text.len() as u32), x);
        }

        #[test]
        fn plain_lines_agree_with_split_and_parse(line in "[0-9]{1,8}[ \t][0-9]{1,8}[ \t]-?[0-9]{1,19}(\r\n|\n)") {
            let expected = naive(&line).map(|(i, j, v)| (i, j, v, line.len()));
            prop_assert_eq!(alone::<true>(&line), expected);
        }

        #[test]
        fn other_lines_are_declined_or_right(line in "[-+0-9. \tx]{0,46}\n") {
            if let Some((i, j, v, end)) = alone::<true>(&line) {
                prop_assert_eq!(naive(&line), Some((i, j, v)));
                prop_assert_eq!(end, line.len());
            }
        }

        #[test]
        fn what_came_before_changes_nothing(lines in proptest::collection::vec(("[0-2]{0,9}", "[0-9 \t]{0,9}"), 1..9)) {
            let mut repeated = Repeated::default();
            for (row, rest) in lines {
                let line = format!("{row} {rest} 1\n");
                prop_assert_eq!(plain_line::<true>(&window(&line), &mut repeated), alone::<true>(&line));
            }
        }

        #[test]
        fn lines_are_counted(text in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..600)) {
            prop_assert_eq!(count_lines(&text), text.iter().filter(|&&b| b == b'\n').count() as u64);
        }
    }

    #[test]
    fn every_single_byte_is_judged() {
        for b in 0..=255u8 {
            let word = u64::from_le_bytes([b'4', b, b'1', b'1', b'1', b'1', b'1', b'1']);
            assert_eq!(digit_count(word), if b.is_ascii_digit() { 8 } else { 1 }, "byte {b}");
        }
    }

    #[test]
    fn pattern_lines() {
        assert_eq!(alone::<false>("12 345\n"), Some((12, 345, 1, 7)));
        assert_eq!(alone::<false>("12 345 1\n"), None);
        assert_eq!(alone::<true>("12 345\n"), None);
        assert_eq!(alone::<true>("123456789 1 1\n"), None);
        assert_eq!(alone::<true>("1 123456789 1\n"), None);
        assert_eq!(alone::<false>("1 123456789\n"), None);
    }

    #[test]
    fn long_values() {
        for v in [99_999_999, 100_000_000, 10i64.pow(15), 10i64.pow(16) - 1, 10i64.pow(16), 10i64.pow(18), i64::MAX] {
            for v in [v, -v] {
                let line = format!("12345678 12345678 {v}\r\n");
                assert_eq!(alone::<true>(&line), Some((12345678, 12345678, v, line.len())));
            }
        }
        for v in ["9223372036854775808", "-9223372036854775808", "9999999999999999999", "00000000000000000001"] {
            assert_eq!(alone::<true>(&format!("1 1 {v}\n")), None, "{v} is left to the general parser");
        }
        assert_eq!(alone::<true>("1 1 0000000000000000001\n"), Some((1, 1, 1, 24)));
    }

    #[test]
    fn eight_zero_bytes_are_no_row() {
        let line = "\0\0\0\0\0\0\0\0 1 1\n";
        assert!(alone::<true>(line).is_none_or(|(i, ..)| i == 0));
    }
}
