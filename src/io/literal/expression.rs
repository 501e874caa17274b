//! What a text of brackets and commas says, without its meaning.

use std::ops::Range;

/// An expression, with the byte where it begins.
#[derive(Debug)]
pub(super) struct Expression {
    pub at: usize,
    pub kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A number, or what stands in the place of one.
    Value(Range<usize>),
    /// A name.
    Word(Range<usize>),
    List(List),
    /// A function with its arguments.
    Call(Range<usize>, List),
    /// `left -> right`, `left = right`, `left: right`.
    Pair(Box<Expression>, Relation, Box<Expression>),
    /// The transpose, `a~`.
    Transposed(Box<Expression>),
}

/// What stands between brackets.
#[derive(Debug)]
pub(super) struct List {
    /// The opening bracket.
    pub open: u8,
    pub items: Vec<Expression>,
    /// How many items came before each semicolon.
    pub breaks: Vec<usize>,
    /// Whether there was a comma.
    pub commas: bool,
    /// Whether a line ends between two items with nothing but blanks between them.
    pub lines: bool,
}

/// The sign of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Arrow,
    Equals,
    Colon,
}

impl Expression {
    pub fn list(&self) -> Option<&List> {
        match &self.kind {
            Kind::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn value(&self) -> Option<Range<usize>> {
        match &self.kind {
            Kind::Value(range) => Some(range.clone()),
            _ => None,
        }
    }
}

impl List {
    /// Whether there is nothing in it but values.
    pub fn is_flat(&self) -> bool {
        self.items.iter().all(|item| item.list().is_none())
    }
}
