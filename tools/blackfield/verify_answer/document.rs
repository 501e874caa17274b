//! The JSON document of an answer, as it is claimed.

use blackfield::field::Modulus;
use blackfield::num_bigint::BigInt;
use blackfield::{Error, Result};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Whether the file begins as a JSON document does, and no certificate.
pub fn is_document(file: &Path) -> bool {
    let mut first = [0];
    file.is_file() && File::open(file).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"{"
}

/// A document.
pub struct Answer {
    file: PathBuf,
    value: Value,
}

impl Answer {
    /// # Errors
    /// [`Error::Io`], [`Error::Input`] if it is none.
    pub fn read(file: &Path) -> Result<Answer> {
        let bytes = std::fs::read(file).map_err(|source| Error::Io { file: file.into(), source })?;
        let value = serde_json::from_slice(&bytes).map_err(|error| Error::Input {
            file: file.into(),
            line: error.line() as u64,
            message: format!("not a JSON document: {error}"),
        })?;
        Ok(Answer { file: file.into(), value })
    }
    /// That there is something else in it than expected.
    pub fn refuse(&self, message: impl Into<String>) -> Error {
        Error::Input { file: self.file.clone(), line: 0, message: message.into() }
    }
    /// What it is about: the word in its schema.
    pub fn kind(&self) -> Result<String> {
        let schema = self.text("schema")?;
        let kind = schema.strip_prefix("blackfield/").and_then(|rest| rest.strip_suffix("/1"));
        kind.map(str::to_string).ok_or_else(|| self.refuse(format!("the schema `{schema}` is not one of an answer")))
    }
    pub fn get(&self, key: &str) -> Result<&Value> {
        self.value.get(key).ok_or_else(|| self.refuse(format!("no field `{key}`")))
    }
    /// Whether a field is there, and not null.
    pub fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|value| !value.is_null())
    }
    pub fn text(&self, key: &str) -> Result<&str> {
        self.get(key)?.as_str().ok_or_else(|| self.refuse(format!("`{key}` is no text")))
    }
    pub fn count(&self, key: &str) -> Result<usize> {
        let count = self.get(key)?.as_u64().and_then(|count| usize::try_from(count).ok());
        count.ok_or_else(|| self.refuse(format!("`{key}` is no count")))
    }
    pub fn flag(&self, key: &str) -> Result<bool> {
        self.get(key)?.as_bool().ok_or_else(|| self.refuse(format!("`{key}` is neither true nor false")))
    }
    pub fn list(&self, key: &str) -> Result<&Vec<Value>> {
        self.get(key)?.as_array().ok_or_else(|| self.refuse(format!("`{key}` is no list")))
    }
    pub fn modulus(&self) -> Result<Modulus> {
        let p = self.get("modulus")?.as_u64().ok_or_else(|| self.refuse("`modulus` is no number"))?;
        Modulus::new(p).map_err(|error| self.refuse(error.to_string()))
    }
    /// An integer in digits.
    pub fn integer(&self, value: &Value) -> Result<BigInt> {
        let parsed = value.as_str().and_then(|text| text.parse().ok());
        parsed.ok_or_else(|| self.refuse(format!("{value} is no integer in digits")))
    }
    /// A list of pairs, each of something and a count.
    pub fn pair<'v>(&self, value: &'v Value) -> Result<(&'v Value, usize)> {
        let pair = value.as_array().filter(|pair| pair.len() == 2);
        let pair = pair.and_then(|pair| Some((&pair[0], usize::try_from(pair[1].as_u64()?).ok()?)));
        pair.ok_or_else(|| self.refuse(format!("{value} is no pair of a value and a count")))
    }
    /// # Errors
    /// [`Error::Input`] if the document is about another matrix than that of `file`.
    pub fn check_digest(&self, key: &str, digest: &str, file: &Path) -> Result<()> {
        let claimed = match self.has(key) {
            true => self.text(key)?,
            false => return Err(self.refuse(format!("no `{key}`: the answer does not say which matrix it is about"))),
        };
        let message = format!(
            "an answer about another matrix: its {key} is {claimed}, that of {} is {digest}",
            super::name(file)
        );
        if claimed == digest { Ok(()) } else { Err(self.refuse(message)) }
    }
}
