//! Numbers as people read them: three digits and a unit.

/// Seconds, in a unit that leaves one to three digits before the point.
pub fn seconds(s: f64) -> String {
    let (per, unit) = match s {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        s if s < 60.0 => (1.0, "s"),
        s if s < 3600.0 => (1.0 / 60.0, "min"),
        s if s < 172_800.0 => (1.0 / 3600.0, "h"),
        s if s < 31_536_000.0 => (1.0 / 86_400.0, "days"),
        _ => (1.0 / 31_536_000.0, "years"),
    };
    format!("{} {unit}", digits(s * per))
}

/// Bytes, in powers of 1000.
pub fn bytes(b: f64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let k = if b < 1e3 { 0 } else { ((b.log10() / 3.0) as usize).min(units.len() - 1) };
    format!("{} {}", digits(b / 1e3f64.powi(k as i32)), units[k])
}

/// A number with three digits, and no zeros behind the point that say nothing.
pub fn digits(x: f64) -> String {
    if x != 0.0 && x.abs() < 1e-3 {
        return format!("{x:.1e}");
    }
    let before = if x == 0.0 { 1 } else { x.abs().log10().floor() as i32 + 1 };
    let behind = (3 - before).max(0) as usize;
    let text = format!("{x:.behind$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

/// A count with narrow spaces between groups of three digits, from five digits on.
pub fn count(n: usize) -> String {
    let text = n.to_string();
    if text.len() < 5 {
        return text;
    }
    let gap = |k: usize| if k > 0 && (text.len() - k).is_multiple_of(3) { "\u{202f}" } else { "" };
    text.char_indices().map(|(k, digit)| format!("{}{digit}", gap(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_that_suit() {
        for (s, text) in [
            (0.0, "0 ns"),
            (3.21e-8, "32.1 ns"),
            (1.5e-5, "15 µs"),
            (0.0123, "12.3 ms"),
            (1.0, "1 s"),
            (59.0, "59 s"),
            (60.0, "1 min"),
            (600.0, "10 min"),
            (3600.0, "1 h"),
            (86_400.0, "24 h"),
            (864_000.0, "10 days"),
            (3.2e9, "101 years"),
        ] {
            assert_eq!(seconds(s), text);
        }
        for (b, text) in [(0.0, "0 bytes"), (999.0, "999 bytes"), (1e3, "1 kB"), (2.55e6, "2.55 MB"), (4e18, "4 EB")] {
            assert_eq!(bytes(b), text);
        }
        for (x, text) in
            [(0.0123, "0.0123"), (0.1234, "0.123"), (1.0, "1"), (12.34, "12.3"), (1e5, "100000"), (2e-5, "2.0e-5")]
        {
            assert_eq!(digits(x), text);
        }
        assert_eq!([count(1234), count(12345), count(1_234_567)], ["1234", "12\u{202f}345", "1\u{202f}234\u{202f}567"]);
    }
}
