//! Pages that need nothing beside themselves: no script, no picture from elsewhere; light or dark as the reader's
//! system is. Reports are made of them (`tune --report`, `info --report`).

pub mod bars;
pub mod cards;
mod scale;
pub mod svg;
pub mod units;

pub use scale::Scale;

use blackfield::io::AtomicFile;
use blackfield::tune::Fingerprint;
use blackfield::words::counted;
use blackfield::{Error, Result};
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

/// Colours and sizes, in one place. `--s0` is what was chosen, the other `--s` are what it is compared with.
const STYLE: &str = include_str!("page.css");

/// Text as HTML shows it.
pub fn escaped(text: impl Display) -> String {
    let text = text.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// A part of the page: a heading, and HTML below it.
pub struct Card {
    pub heading: &'static str,
    pub body: String,
    /// Whether it stands beside another one, where there is room.
    pub half: bool,
}

/// A whole page: a title, a line below it in HTML, and cards.
pub fn page(title: &str, lead: &str, cards: &[Card], foot: &str) -> String {
    let card = |Card { heading, body, half }: &Card| {
        let half = if *half { " class=\"half\"" } else { "" };
        format!("<section{half}>\n<h2>{}</h2>\n{body}\n</section>\n", escaped(heading))
    };
    let cards: String = cards.iter().map(card).collect();
    let (title, foot) = (escaped(title), escaped(foot));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}\
         </style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n<p>{lead}</p>\n</header>\n<main>\n{cards}</main>\n\
         <footer>{foot}</footer>\n</body>\n</html>\n"
    )
}

/// Writes a page.
pub fn write(to: &Path, page: &str) -> Result<()> {
    let mut file = AtomicFile::create(to)?;
    file.write_all(page.as_bytes()).map_err(|source| Error::Io { file: to.to_owned(), source })?;
    file.finish()
}

/// What a page ends with: the program, and the machine that it ran on.
pub fn foot(threads: usize) -> String {
    let here = Fingerprint::here();
    format!(
        "blackfield {}, {} ({}), {}",
        env!("CARGO_PKG_VERSION"),
        here.processor,
        here.isa,
        counted(threads, "thread")
    )
}

/// A cell of a table: its words, and how full its background is, from 0 to 1.
pub struct Cell {
    pub words: String,
    pub shade: f64,
    pub best: bool,
}

impl Cell {
    /// A cell of words alone.
    pub fn of(words: impl Into<String>) -> Cell {
        Cell { words: words.into(), shade: 0.0, best: false }
    }
}

/// A table with a line of headings; `ruled` rows at its end are set apart.
pub fn table(headings: &[String], rows: &[Vec<Cell>], ruled: usize) -> String {
    let head: String = headings.iter().map(|heading| format!("<th>{}</th>", escaped(heading))).collect();
    let cell = |Cell { words, shade, best }: &Cell| {
        let shade = if *shade > 0.0 { format!(" style=\"--h:{:.0}%\"", 100.0 * shade) } else { String::new() };
        let words = if *best { format!("<b>{}</b>", escaped(words)) } else { escaped(words) };
        format!("<td{shade}>{words}</td>")
    };
    let row = |(k, row): (usize, &Vec<Cell>)| {
        let apart = if k + ruled >= rows.len() { " class=\"apart\"" } else { "" };
        format!("<tr{apart}>{}</tr>\n", row.iter().map(cell).collect::<String>())
    };
    let body: String = rows.iter().enumerate().map(row).collect();
    format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n{body}</table></div>\n")
}

/// Facts in large letters, each with what it is.
pub fn tiles(facts: &[(&str, String)]) -> String {
    let tile =
        |(what, fact): &(&str, String)| format!("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(what), escaped(fact));
    format!("<dl class=\"tiles\">\n{}</dl>\n", facts.iter().map(tile).collect::<String>())
}

/// A PNG picture within the page.
pub fn picture(png: &[u8], about: &str) -> String {
    format!("<img alt=\"{}\" src=\"data:image/png;base64,{}\">\n", escaped(about), base64(png))
}

/// RFC 4648, section 4.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |k: usize| u32::from(group.get(k).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize % 64] as char;
            text.push(if k <= group.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn text_stays_text() {
        let body = table(&["<i>".into()], &[vec![Cell::of("'\"")]], 0) + &tiles(&[("<b>", "&".into())]);
        let page = page("a<b", "<em>lead</em>", &[Card { heading: "x & y", body, half: false }], "<foot>");
        assert!(page.contains("<title>a&lt;b</title>") && page.contains("<h2>x &amp; y</h2>"), "{page}");
        assert!(page.contains("<th>&lt;i&gt;</th>") && page.contains("<td>&#39;&quot;</td>"), "{page}");
        assert!(page.contains("<dt>&lt;b&gt;</dt><dd>&amp;</dd>") && page.contains("&lt;foot&gt;"), "{page}");
        assert!(page.contains("<p><em>lead</em></p>"), "{page}");
    }
}
