//! The file of a profile: TOML, to be read by people and changed by hand.

use super::bandwidth::Bandwidth;
use super::fingerprint::{Caches, Fingerprint};
use super::prices::{PRICES, Price};
use super::profile::{Measurement, Profile};
use super::tables::{Source, Table};
use crate::io::AtomicFile;
use crate::{Error, Result};
use std::fmt::{self, Display, Write as _};
use std::fs::File;
use std::io::{Read, Write as _};
use std::path::Path;

/// The layout of the file; the number at the end rises when an older program could be misled.
const SCHEMA: &str = "blackfield/profile/1";

/// Bytes of a file, at most: a hundred times what is written.
const LONGEST: u64 = 1 << 22;

/// Any number that is not negative.
const ANY: [f64; 2] = [0.0, f64::MAX];

const HEAD: &str = "\
# What operations cost on one machine: a profile of blackfield.
#
# Written by `blackfield tune --install`. It changes plans, and with them speed, never answers. On another machine than
# that of [machine] it is not used. Prices are seconds of one thread for an operation (passes.cache: bytes); what is
# left out is as built in. Each of [[measurements]] justifies a price: value = (seconds - others) / operations, where
# others is what the remaining prices account for.
";

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// [`Error::Io`] where the system cannot read; [`Error::Input`] with the line and what was expected, if the file is
    /// no profile.
    pub fn read(file: &Path) -> Result<Profile> {
        let io = |source| Error::Io { file: file.to_owned(), source };
        let mut bytes = vec![];
        File::open(file).and_then(|opened| opened.take(LONGEST + 1).read_to_end(&mut bytes)).map_err(io)?;
        let wrong = |line, message: &str| Error::Input { file: file.to_owned(), line, message: message.into() };
        if bytes.len() as u64 > LONGEST {
            return Err(wrong(0, "too long for a profile: at most 4 MiB are expected"));
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() as u64;
            wrong(line, "no text in UTF-8, which TOML is expected to be")
        })?;
        Profile::parse(file, text)
    }

    /// Reads the text of a profile; `file` stands in error messages.
    ///
    /// # Errors
    /// [`Error::Input`], as [`Profile::read`].
    pub fn parse(file: &Path, text: &str) -> Result<Profile> {
        let source = Source { file, text };
        let document = source.parse()?;
        let root = source.table(String::new(), 0..0, document.get_ref());
        if root.string("schema")? != SCHEMA {
            return Err(root.error("schema", &format!("\"{SCHEMA}\"")));
        }
        let version = root.string("version")?;
        let machine = root.table("machine")?;
        let (fingerprint, cores) = (fingerprint(&machine)?, machine.count("cores")? as usize);
        let bandwidth =
            Bandwidth { one: machine.number("bandwidth_one", ANY)?, all: machine.number("bandwidth_all", ANY)? };
        machine.finish()?;
        let prices = prices(root.table("prices")?)?;
        let measurements = root.list("measurements")?.into_iter().map(measurement).collect::<Result<_>>()?;
        root.finish()?;
        Ok(Profile { version, fingerprint, cores, bandwidth, prices, measurements })
    }

    /// The text of the file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from(HEAD);
        self.write_to(&mut text).expect("a string takes all text");
        text
    }

    /// Writes the file, which takes its name when it is whole.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        let io = |source| Error::Io { file: path.to_owned(), source };
        file.write_all(self.to_toml().as_bytes()).map_err(io)?;
        file.finish()
    }

    fn write_to(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "schema = {}\nversion = {}\n", quoted(SCHEMA), quoted(&self.version))?;
        let Fingerprint { arch, system, processor, instructions, isa, caches: Caches { l1, l2, l3 } } =
            &self.fingerprint;
        writeln!(text, "[machine]")?;
        for (key, value) in [("arch", arch), ("system", system), ("processor", processor), ("isa", isa)] {
            writeln!(text, "{key} = {}", quoted(value))?;
        }
        let instructions: Vec<_> = instructions.iter().map(quoted).collect();
        writeln!(text, "instructions = [{}]", instructions.join(", "))?;
        writeln!(text, "l1 = {l1}\nl2 = {l2}\nl3 = {l3}\ncores = {}", self.cores)?;
        let Bandwidth { one, all } = self.bandwidth;
        writeln!(text, "bandwidth_one = {one:e} # bytes a second\nbandwidth_all = {all:e}")?;
        let mut table = "";
        writeln!(text, "\n[prices]")?;
        for (price, value) in &self.prices {
            if price.table != table {
                table = price.table;
                writeln!(text, "\n[prices.{table}]")?;
            }
            match price.index {
                None => writeln!(text, "{} = {value:e}", price.name)?,
                Some(0) => writeln!(text, "{} = [{}]", price.name, self.list(*price))?,
                Some(_) => {}
            }
        }
        for found in &self.measurements {
            let Measurement { price, what, seconds, operations, others, value, built_in } = found;
            writeln!(text, "\n[[measurements]]\nprice = {}\nwhat = {}", quoted(price), quoted(what))?;
            writeln!(text, "seconds = {seconds:e}\noperations = {operations:e}\nothers = {others:e}")?;
            writeln!(text, "value = {value:e}\nbuilt_in = {built_in:e}")?;
        }
        Ok(())
    }

    /// All prices of a list.
    fn list(&self, first: Price) -> String {
        let prices = self.prices.iter().filter(|(price, _)| (price.table, price.name) == (first.table, first.name));
        prices.map(|(_, value)| format!("{value:e}")).collect::<Vec<_>>().join(", ")
    }
}

/// A string of TOML.
fn quoted(text: impl Display) -> String {
    let mut out = String::from('"');
    for c in text.to_string().chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => write!(out, "\\u{:04X}", c as u32).expect("a string takes all text"),
            c => out.push(c),
        }
    }
    out + "\""
}

fn fingerprint(table: &Table) -> Result<Fingerprint> {
    Ok(Fingerprint {
        arch: table.string("arch")?,
        system: table.string("system")?,
        processor: table.string("processor")?,
        instructions: table.strings("instructions")?,
        isa: table.string("isa")?,
        caches: Caches { l1: table.count("l1")?, l2: table.count("l2")?, l3: table.count("l3")? },
    })
}

/// The prices in their tables, in the order of [`PRICES`].
fn prices(tables: Table) -> Result<Vec<(Price, f64)>> {
    let mut found = vec![];
    for (name, table) in tables.tables()? {
        let own: Vec<Price> = PRICES.iter().copied().filter(|price| price.table == name).collect();
        if own.is_empty() {
            let mut known: Vec<_> = PRICES.iter().map(|price| price.table).collect();
            known.dedup();
            return Err(tables.error(&name, &format!("one of {}", known.join(", "))));
        }
        for price in own.iter().filter(|price| price.index.is_none_or(|index| index == 0)) {
            if table.optional(price.name).is_none() {
                continue;
            }
            let list: Vec<Price> = own.iter().copied().filter(|other| other.name == price.name).collect();
            let values = match price.index {
                None => vec![table.number(price.name, price.range())?],
                Some(_) => table.numbers(price.name, list.len(), price.range())?,
            };
            found.extend(list.into_iter().zip(values));
        }
        table.finish()?;
    }
    found.sort_by_key(|(price, _)| PRICES.iter().position(|other| other == price));
    Ok(found)
}

fn measurement(table: Table) -> Result<Measurement> {
    let found = Measurement {
        price: Price::named(&table.string("price")?).ok_or_else(|| table.error("price", "the name of a price"))?,
        what: table.string("what")?,
        seconds: table.number("seconds", ANY)?,
        operations: table.number("operations", ANY)?,
        others: table.number("others", [f64::MIN, f64::MAX])?,
        value: table.number("value", ANY)?,
        built_in: table.number("built_in", ANY)?,
    };
    table.finish()?;
    Ok(found)
}
