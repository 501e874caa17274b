//! Lines as a terminal shows them: broken between words, the rest below where the text began.

/// A line broken into several of at most `width` characters, where its words allow that. What follows the first is
/// indented to the column where the text behind a label begins (`  why      text`), or by four.
pub fn wrapped(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.into();
    }
    let indent = Some(indent(line)).filter(|&indent| 2 * indent <= width).unwrap_or(4);
    let mut out = String::with_capacity(line.len() + 64);
    let (mut column, mut fresh) = (0, true);
    // Blanks stay in front of the word that they are followed by.
    for piece in pieces(line) {
        let (blanks, word) = piece.split_at(piece.len() - piece.trim_start().len());
        let length = piece.chars().count();
        if !fresh && column + length > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(word);
            column = indent + length - blanks.chars().count();
        } else {
            out.push_str(piece);
            column += length;
        }
        fresh = false;
    }
    out
}

/// Each word with the blanks before it.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let begin = rest.len() - rest.trim_start().len();
        let end = rest[begin..].find(' ').map_or(rest.len(), |length| begin + length);
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Where the text of a line begins: behind a label at its head that two or more blanks follow.
fn indent(line: &str) -> usize {
    let head = line.len() - line.trim_start().len();
    let label = line[head..].find("  ").map(|end| head + end).filter(|_| head > 0);
    match label {
        Some(end) if end < 24 => end + line[end..].len() - line[end..].trim_start().len(),
        _ => head + 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_below_their_text() {
        assert_eq!(wrapped("short", 10), "short");
        let line = "  why      one two three four five six seven";
        assert_eq!(wrapped(line, 25), "  why      one two three\n           four five six\n           seven");
        assert_eq!(wrapped("blackfield: a b c d e f", 16), "blackfield: a b\n    c d e f");
        // A word that is longer than a line stays whole.
        assert_eq!(wrapped("see aaaaaaaaaaaaaaaaaaaa b", 10), "see\n    aaaaaaaaaaaaaaaaaaaa\n    b");
    }

    #[test]
    fn nothing_is_lost_and_nothing_is_too_long() {
        let line = "  step 1   rows: 12 of 345 were found (since ε is small); 0.123 s, 0.456 s predicted";
        for width in 1..100 {
            let text = wrapped(line, width);
            let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
            assert_eq!(words(&text), words(line), "{width}");
            if width >= 32 {
                assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
            }
        }
    }
}
