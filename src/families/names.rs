//! Names of families: patterns with a word in braces for each number, and what is said of names that match none.

use crate::{Error, Result};

/// The member of a catalogue whose pattern a name matches, and the numbers in the name; `None` if there is none.
pub(super) fn find_among<F>(
    catalogue: &'static [F],
    pattern: fn(&F) -> &'static str,
    name: &str,
) -> Option<Result<(&'static F, Vec<usize>)>> {
    let (family, digits) = catalogue.iter().find_map(|f| Some((f, matched(pattern(f), name)?)))?;
    let number = |digits: &&str| digits.parse::<u32>().map(|x| x as usize);
    let numbers: std::result::Result<Vec<usize>, _> = digits.iter().map(number).collect();
    Some(
        numbers.map(|numbers| (family, numbers)).map_err(|_| Error::Usage(format!("{name}: a number beyond 2^32 - 1"))),
    )
}

/// The numbers in a name that matches the pattern: equal literal text, and a decimal number without leading zeros for
/// each brace.
pub(super) fn matched<'a>(pattern: &str, name: &'a str) -> Option<Vec<&'a str>> {
    let (mut rest, mut numbers) = (name, Vec::new());
    for (literal, braces) in
        pattern.split('}').map(|part| part.split_once('{').map_or((part, false), |(l, _)| (l, true)))
    {
        rest = rest.strip_prefix(literal)?;
        if braces {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, after) = rest.split_at(end);
            if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
                return None;
            }
            numbers.push(digits);
            rest = after;
        }
    }
    rest.is_empty().then_some(numbers)
}

/// The message for an unknown name of a `kind`: the patterns, with an example each, that begin with the same letter, or
/// all patterns.
pub(super) fn unknown(
    name: &str,
    kind: &str,
    known: impl Iterator<Item = (&'static str, &'static str)> + Clone,
) -> String {
    let letter = |s: &str| s.chars().next().map(|c| c.to_ascii_lowercase());
    let alike = known.clone().filter(|(pattern, _)| letter(pattern) == letter(name));
    let mut hints: Vec<String> = alike.map(|(pattern, example)| format!("{pattern} (as in {example})")).collect();
    if hints.is_empty() {
        hints = known.map(|(pattern, _)| pattern.to_string()).collect();
    }
    format!("no family has a {kind} '{name}'; known are {}", hints.join(", "))
}

/// The error with the name of what was to be made.
pub(super) fn named(name: &str, error: Error) -> Error {
    match error {
        Error::Usage(message) => Error::Usage(format!("{name}: {message}")),
        Error::Memory(message) => Error::Memory(format!("{name}: {message}")),
        other => other,
    }
}
