//! TOML documents read field by field: whatever is missing, unknown or of another kind is told with its line.

use crate::{Error, Result};
use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The text of a document and where it is from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// [`Error::Input`] about the line in which `span` begins.
    fn error(&self, span: Range<usize>, message: String) -> Error {
        let before = self.text.as_bytes().iter().take(span.start);
        let line = 1 + before.filter(|&&byte| byte == b'\n').count() as u64;
        Error::Input { file: self.file.to_owned(), line, message }
    }

    /// The tables of the document.
    pub fn parse(&self) -> Result<Spanned<DeTable<'a>>> {
        DeTable::parse(self.text).map_err(|error| {
            let end = self.text.len().saturating_sub(1);
            self.error(error.span().unwrap_or(end..end), format!("no TOML: {}", error.message().replace('\n', " ")))
        })
    }

    /// A table of the document under its name.
    pub fn table<'t>(self, name: String, span: Range<usize>, fields: &'t DeTable<'a>) -> Table<'a, 't> {
        Table { source: self, name, span, fields, taken: RefCell::default() }
    }
}

/// A table, whose fields are taken one after the other.
pub struct Table<'a, 't> {
    source: Source<'a>,
    name: String,
    span: Range<usize>,
    fields: &'t DeTable<'a>,
    taken: RefCell<Vec<String>>,
}

impl<'a, 't> Table<'a, 't> {
    /// [`Error::Input`] about a field.
    pub fn error(&self, key: &str, expected: &str) -> Error {
        let span = self.fields.get(key).map_or(self.span.clone(), Spanned::span);
        self.source.error(span, format!("{}{key}: {expected} is expected", self.prefix()))
    }

    fn prefix(&self) -> String {
        if self.name.is_empty() { String::new() } else { format!("{}.", self.name) }
    }

    /// The field, if it is there.
    pub fn optional(&self, key: &str) -> Option<&'t Spanned<DeValue<'a>>> {
        let mut taken = self.taken.borrow_mut();
        if taken.iter().all(|other| other != key) {
            taken.push(key.into());
        }
        self.fields.get(key)
    }

    fn field(&self, key: &str, expected: &str) -> Result<&'t Spanned<DeValue<'a>>> {
        let missing = || {
            self.source.error(self.span.clone(), format!("{}{key} is missing: {expected} is expected", self.prefix()))
        };
        self.optional(key).ok_or_else(missing)
    }

    pub fn string(&self, key: &str) -> Result<String> {
        let expected = "a string";
        let value = self.field(key, expected)?.get_ref().as_str();
        value.map(String::from).ok_or_else(|| self.error(key, expected))
    }

    pub fn strings(&self, key: &str) -> Result<Vec<String>> {
        let expected = "a list of strings";
        let list = self.field(key, expected)?.get_ref().as_array().ok_or_else(|| self.error(key, expected))?;
        let strings = list.iter().map(|value| value.get_ref().as_str().map(String::from));
        strings.collect::<Option<_>>().ok_or_else(|| self.error(key, expected))
    }

    /// A number in a range, its ends included.
    pub fn number(&self, key: &str, range: [f64; 2]) -> Result<f64> {
        let expected = in_range(range);
        let value = number(self.field(key, &expected)?.get_ref());
        value.filter(|value| within(*value, range)).ok_or_else(|| self.error(key, &expected))
    }

    /// A list of so many numbers in a range, its ends included.
    pub fn numbers(&self, key: &str, count: usize, range: [f64; 2]) -> Result<Vec<f64>> {
        let expected = format!("a list of {count} numbers, each {},", &in_range(range)["a number ".len()..]);
        let list = self.field(key, &expected)?.get_ref().as_array().ok_or_else(|| self.error(key, &expected))?;
        let one = |value: &Spanned<DeValue>| number(value.get_ref()).filter(|value| within(*value, range));
        let numbers = list.iter().map(one).collect::<Option<Vec<_>>>();
        numbers.filter(|numbers| numbers.len() == count).ok_or_else(|| self.error(key, &expected))
    }

    /// A whole number.
    pub fn count(&self, key: &str) -> Result<u64> {
        let value = self.number(key, [0.0, 2f64.powi(53)])?;
        if value.fract() == 0.0 { Ok(value as u64) } else { Err(self.error(key, "a whole number")) }
    }

    /// A table within this one.
    pub fn table(&self, key: &str) -> Result<Table<'a, 't>> {
        let field = self.field(key, "a table")?;
        self.inner(key, field)
    }

    /// All fields of this table, which must be tables, by their names.
    pub fn tables(&self) -> Result<Vec<(String, Table<'a, 't>)>> {
        let fields = self.fields.iter();
        fields
            .map(|(key, value)| {
                let key = key.get_ref().to_string();
                self.taken.borrow_mut().push(key.clone());
                Ok((key.clone(), self.inner(&key, value)?))
            })
            .collect()
    }

    /// A list of tables; empty if it is not there.
    pub fn list(&self, key: &str) -> Result<Vec<Table<'a, 't>>> {
        let Some(field) = self.optional(key) else { return Ok(vec![]) };
        let list = field.get_ref().as_array().ok_or_else(|| self.error(key, "a list of tables"))?;
        list.iter().map(|value| self.inner(key, value)).collect()
    }

    fn inner(&self, key: &str, value: &'t Spanned<DeValue<'a>>) -> Result<Table<'a, 't>> {
        let fields = value.get_ref().as_table().ok_or_else(|| self.error(key, "a table"))?;
        Ok(self.source.table(format!("{}{key}", self.prefix()), value.span(), fields))
    }

    /// Refuses fields that were not asked for.
    pub fn finish(self) -> Result<()> {
        let taken = self.taken.borrow();
        let Some((key, _)) = self.fields.iter().find(|(key, _)| taken.iter().all(|t| t != key.get_ref())) else {
            return Ok(());
        };
        let known = if taken.is_empty() { "nothing".into() } else { taken.join(", ") };
        let message = format!("{}{} is unknown: {known} is expected", self.prefix(), key.get_ref());
        Err(self.source.error(key.span(), message))
    }
}

fn within(value: f64, [least, most]: [f64; 2]) -> bool {
    (least..=most).contains(&value)
}

fn in_range([least, most]: [f64; 2]) -> String {
    format!("a number from {least:e} to {most:e}")
}

/// The number that a value is, if it is one; it may be no number in the sense of floating point.
fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|n| n as f64),
        _ => None,
    }
}
