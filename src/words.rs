//! Numbers in sentences.

use std::fmt::Display;

/// A count with its noun: `1 row`, `2 rows`, `0 entries`. `one` is the singular of a noun whose plural is regular; in
/// `row of A` and the like its first word is made plural.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, one: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {one}");
    }
    let (noun, rest) = one.split_at(one.find(" of ").unwrap_or(one.len()));
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let plural = match stem {
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with("ex") => format!("{}ices", &noun[..noun.len() - 2]),
        None if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    format!("{count} {plural}{rest}")
}

/// Seconds with about two digits, in a unit that suits them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-4 => "less than 0.1 ms".into(),
        s if s < 0.01 => format!("{:.1} ms", 1e3 * s),
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 36_000.0 => format!("{:.1} h", s / 3600.0),
        s if s < 360_000.0 => format!("{:.0} h", s / 3600.0),
        s if s < 3e8 => format!("{:.0} days", s / 86_400.0),
        s if s < 3e13 => format!("{:.0} years", s / 31_557_600.0),
        s => format!("{:.0e} years", s / 31_557_600.0),
    }
}

/// A count that is an estimate: whole as long as that is short.
pub fn about(count: f64) -> String {
    if count < 1e6 { format!("{count:.0}") } else { format!("{count:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_suit_their_size() {
        for (seconds, words) in [
            (0.0, "less than 0.1 ms"),
            (0.0004, "0.4 ms"),
            (0.25, "250 ms"),
            (3.16, "3.2 s"),
            (80.0, "80 s"),
            (600.0, "10 min"),
            (5300.0, "88 min"),
            (7200.0, "2.0 h"),
            (86_400.0, "24 h"),
            (864_000.0, "10 days"),
            (1e9, "32 years"),
            (1e12, "31688 years"),
            (1e20, "3e12 years"),
        ] {
            assert_eq!(duration(seconds), words);
        }
        assert_eq!((about(33.0), about(1.84e7)), ("33".into(), "1.8e7".into()));
    }

    #[test]
    fn one_is_singular_and_all_else_plural() {
        for (count, one, words) in [
            (1usize, "row", "1 row"),
            (0, "row", "0 rows"),
            (2, "entry", "2 entries"),
            (1, "entry", "1 entry"),
            (3, "array", "3 arrays"),
            (2, "match", "2 matches"),
            (5, "column of the form", "5 columns of the form"),
            (1, "column of the form", "1 column of the form"),
        ] {
            assert_eq!(counted(count, one), words);
        }
        assert_eq!((counted(1.0, "bit"), counted(2.0, "bit")), ("1 bit".into(), "2 bits".into()));
    }
}
