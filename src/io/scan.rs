//! The inner loop of the reader: decimal digits eight bytes at a time, and the line shape nearly every entry has.
//!
//! A word of text is turned into its leading digits without a branch on their number: find the first byte that is no digit,
//! shift the digits to the top of the word, and combine pairs, then fours, then eights with three multiplications
//! (SIMD within a register). Short numbers of varying length are what branch predictors fail on.
//! [`plain_line`] recognises `row col value` in its plainest spelling; whatever it declines, the general
//! [`line`](super::line) parser decides, so it may decline anything.

/// Bytes that must be readable at the start of a line for [`plain_line`]: 8 digits, separator, 8 digits, separator, sign,
/// 8 digits, and an end of line of two bytes.
pub(super) const WINDOW: usize = 32;

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

/// The number at `at` and the position behind it; `None` unless it has 1 to 8 digits, or too near the window's end.
#[inline(always)]
fn number(window: &[u8; WINDOW], at: usize) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(window.get(at..at + 8)?.try_into().ok()?);
    let count = digit_count(word);
    (count > 0).then(|| (digits_value(word, count), at + count as usize))
}

/// Row, column and value (1 if `VALUE` is false and the line has none) at the start of the window, and the length of the
/// line with its end. Accepts single blanks or tabs between numbers of at most 8 digits, a minus sign before the value,
/// and either end of line; `None` for anything else.
#[inline(always)]
pub(super) fn plain_line<const VALUE: bool>(window: &[u8; WINDOW]) -> Option<(u64, u64, i64, usize)> {
    let blank = |at: usize| matches!(window[at & (WINDOW - 1)], b' ' | b'\t');
    let (i, at) = number(window, 0)?;
    if !blank(at) {
        return None;
    }
    let (j, mut at) = number(window, at + 1)?;
    let mut v = 1;
    if VALUE {
        if !blank(at) {
            return None;
        }
        let minus = i64::from(window[at + 1] == b'-');
        let magnitude;
        (magnitude, at) = number(window, at + 1 + minus as usize)?;
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
        let digits = |s: &str| (1..=8).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
        (digits(i) && digits(j) && digits(v.strip_prefix('-').unwrap_or(v)))
            .then(|| (i.parse().unwrap(), j.parse().unwrap(), v.parse().unwrap()))
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
        fn plain_lines_agree_with_split_and_parse(line in "[0-9]{1,8}[ \t][0-9]{1,8}[ \t]-?[0-9]{1,8}(\r\n|\n)") {
            let (i, j, v) = naive(&line).unwrap();
            prop_assert_eq!(plain_line::<true>(&window(&line)), Some((i, j, v, line.len())));
        }

        #[test]
        fn other_lines_are_declined_or_right(line in "[-+0-9. \tx]{0,30}\n") {
            if let Some((i, j, v, end)) = plain_line::<true>(&window(&line)) {
                prop_assert_eq!(naive(&line), Some((i, j, v)));
                prop_assert_eq!(end, line.len());
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
        assert_eq!(plain_line::<false>(&window("12 345\n")), Some((12, 345, 1, 7)));
        assert_eq!(plain_line::<false>(&window("12 345 1\n")), None);
        assert_eq!(plain_line::<true>(&window("12 345\n")), None);
        assert_eq!(plain_line::<true>(&window("123456789 1 1\n")), None);
        assert_eq!(plain_line::<true>(&window("12345678 12345678 -12345678\r\n")).unwrap().3, 29);
    }
}
