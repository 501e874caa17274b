//! From the text of a literal matrix to expressions.

use super::expression::{Expression, Kind, List, Relation};
use crate::io::text::quote;
use crate::{Error, memory};
use std::ops::Range;

/// What went wrong: at a byte of the text, or for another reason.
pub(super) enum Fault {
    At(usize, String),
    Other(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Other(error)
    }
}

pub(super) type Parsed<T> = Result<T, Fault>;

/// How deep brackets may be nested.
const DEPTH: usize = 8;

/// What the memory is for.
const LITERAL: &str = "a literal matrix";

/// The first byte from `at` on that is no white space, and no comment from `#`, `%` or `//` to the end of its line, or
/// within `/* */` or `(* *)`.
pub(super) fn skip_blank(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = &text[at.min(text.len())..];
        let (end, behind): (&[u8], usize) = match rest {
            [b, ..] if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            [b'\\', b'\n', ..] | [b'\\', b'\r', ..] => {
                at += 1;
                continue;
            }
            [b'#' | b'%', ..] | [b'/', b'/', ..] => (b"\n", 0),
            [b'/', b'*', ..] => (b"*/", 2),
            [b'(', b'*', ..] => (b"*)", 2),
            _ => return at,
        };
        at += match rest.windows(end.len()).position(|window| window == end) {
            Some(found) => found + behind.max(1),
            None => rest.len(),
        };
    }
}

/// The name that begins at `at`: letters, digits, dots and underscores after a letter; empty if there is none.
pub(super) fn word(text: &[u8], at: usize) -> Range<usize> {
    let rest = &text[at.min(text.len())..];
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
    match rest.first() {
        Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
            at..at + rest.iter().position(|b| !is_word(b)).unwrap_or(rest.len())
        }
        _ => at..at,
    }
}

/// All expressions of the text, each perhaps assigned to a name.
pub(super) fn parse(text: &[u8]) -> Parsed<Vec<Expression>> {
    let mut parser = Parser { text, at: 0 };
    let mut found = vec![];
    loop {
        parser.blank();
        match parser.peek() {
            None => return Ok(found),
            Some(b';' | b':' | b'$') if !found.is_empty() => parser.at += 1,
            Some(_) => {
                let expression = parser.statement()?;
                memory::push(&mut found, expression, LITERAL)?;
            }
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn blank(&mut self) {
        self.at = skip_blank(self.text, self.at);
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Fault::At(self.at, message.into()))
    }

    /// An expression, without the name that it is assigned to.
    fn statement(&mut self) -> Parsed<Expression> {
        let name = word(self.text, self.at);
        let sign = skip_blank(self.text, name.end);
        let assigned = match &self.text[sign..] {
            [b':', b'=', ..] => Some(2),
            [b'=', b'=', ..] => None,
            [b'=', ..] => Some(1),
            _ => None,
        };
        if let Some(length) = assigned.filter(|_| !name.is_empty()) {
            self.at = sign + length;
            self.blank();
        }
        self.primary(0)
    }

    /// An expression with what follows the sign of a pair.
    fn item(&mut self, depth: usize, open: u8) -> Parsed<Expression> {
        let left = self.primary(depth)?;
        let behind = skip_blank(self.text, self.at);
        let (relation, length) = match &self.text[behind..] {
            [b'-', b'>', ..] => (Relation::Arrow, 2),
            [b'=', b'=', ..] => return Ok(left),
            [b'=', ..] => (Relation::Equals, 1),
            [b':', b'=', ..] => return Ok(left),
            [b':', ..] if open == b'{' => (Relation::Colon, 1),
            _ => return Ok(left),
        };
        self.at = behind + length;
        self.blank();
        let right = self.primary(depth)?;
        Ok(Expression { at: left.at, kind: Kind::Pair(Box::new(left), relation, Box::new(right)) })
    }

    /// A list, a value, a name, or a function with its arguments.
    fn primary(&mut self, depth: usize) -> Parsed<Expression> {
        let at = self.at;
        let mut kind = match self.peek() {
            Some(b'[' | b'{' | b'(' | b'<') => Kind::List(self.list(depth)?),
            Some(b'"' | b'\'') => return self.fail("expected a number, found a string: take off the quotation marks"),
            None => return self.fail("the text ends where an entry should be: a truncated file"),
            Some(_) => self.value_or_word(depth)?,
        };
        while self.peek() == Some(b'~') {
            self.at += 1;
            kind = Kind::Transposed(Box::new(Expression { at, kind }));
        }
        Ok(Expression { at, kind })
    }

    fn value_or_word(&mut self, depth: usize) -> Parsed<Kind> {
        let name = word(self.text, self.at);
        if !name.is_empty() {
            self.at = name.end;
            let behind = skip_blank(self.text, name.end);
            return match self.text.get(behind) {
                Some(b'(' | b'[') if behind == name.end => Ok(Kind::Call(name, self.list(depth)?)),
                // Macaulay2 needs no parentheses.
                Some(b'{' | b'(') if depth == 0 => {
                    self.at = behind;
                    let list = self.list(depth)?;
                    let items = match list.open {
                        b'{' => vec![Expression { at: behind, kind: Kind::List(list) }],
                        _ => return Ok(Kind::Call(name, list)),
                    };
                    Ok(Kind::Call(name, List { open: b'(', items, breaks: vec![], commas: false, lines: false }))
                }
                _ => Ok(Kind::Word(name)),
            };
        }
        let start = self.at;
        while let Some(b) = self.peek() {
            let broken = self.rest().starts_with(b"\\\n") || self.rest().starts_with(b"\\\r\n");
            let stops = b.is_ascii_whitespace()
                || matches!(
                    b,
                    b'[' | b']'
                        | b'{'
                        | b'}'
                        | b'('
                        | b')'
                        | b'<'
                        | b'>'
                        | b','
                        | b';'
                        | b':'
                        | b'='
                        | b'~'
                        | b'$'
                        | b'"'
                )
                || self.rest().starts_with(b"->");
            if stops && !broken {
                break;
            }
            // A number goes on after a backslash at the end of a line.
            self.at += if broken { 1 + self.rest().iter().position(|&b| b == b'\n').expect("it is there") } else { 1 };
        }
        if self.at == start {
            let found = self.rest();
            return self.fail(format!("expected a number or a list, found {}", quote(&found[..found.len().min(1)])));
        }
        Ok(Kind::Value(start..self.at))
    }

    /// What stands between the bracket here and the one that closes it.
    fn list(&mut self, depth: usize) -> Parsed<List> {
        let begin = self.at;
        let open = self.text[begin];
        if depth == DEPTH {
            return self.fail(format!("brackets within {DEPTH} others; expected rows of numbers"));
        }
        let close = match open {
            b'[' => b']',
            b'{' => b'}',
            b'(' => b')',
            _ => b'>',
        };
        self.at += 1;
        let mut list = List { open, items: vec![], breaks: vec![], commas: false, lines: false };
        // Whether an item must come next: after a comma; and where the one before it ends, if there is nothing between.
        let (mut due, mut before, mut blanks) = (None, None, false);
        loop {
            self.blank();
            match self.peek() {
                None => {
                    let close = char::from(close);
                    return Err(Fault::At(
                        begin,
                        format!("expected \"{close}\" for this bracket; the text ends before it: a truncated file"),
                    ));
                }
                Some(b) if b == close => {
                    if let Some(comma) = due.filter(|_| open != b'(') {
                        return Err(Fault::At(comma, "expected an entry after this comma".into()));
                    }
                    self.at += 1;
                    return Ok(list);
                }
                Some(b @ (b')' | b']' | b'}' | b'>')) => {
                    let (b, close) = (char::from(b), char::from(close));
                    return self.fail(format!("expected \"{close}\" or an entry, found \"{b}\""));
                }
                Some(b',') => {
                    if list.items.is_empty() || due.is_some() {
                        return self.fail("expected an entry before this comma");
                    }
                    if blanks {
                        return self.fail("expected commas between all entries or none, found one after blanks");
                    }
                    (due, before) = (Some(self.at), None);
                    list.commas = true;
                    self.at += 1;
                }
                Some(b';') => {
                    if due.is_some() {
                        return self.fail("expected an entry before this semicolon");
                    }
                    list.breaks.push(list.items.len());
                    before = None;
                    self.at += 1;
                }
                Some(_) => {
                    if let Some(end) = before {
                        // Other systems multiply what stands side by side, or take no notice of blanks.
                        if open != b'[' || list.commas {
                            return self.fail("expected a comma before this entry");
                        }
                        list.lines |= self.text[end..self.at].contains(&b'\n');
                        blanks = true;
                    }
                    let item = self.item(depth + 1, open)?;
                    memory::push(&mut list.items, item, LITERAL)?;
                    (due, before) = (None, Some(self.at));
                }
            }
        }
    }
}
