//! Pages that need nothing beside themselves: no script, no style sheet, no picture from elsewhere.

use std::fmt::Display;

const STYLE: &str = "body { font: 14px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
svg text { font: 12px sans-serif } table { border-collapse: collapse } td, th { padding: 2px 10px; text-align: right }
td:first-child, th:first-child { text-align: left } tr:nth-child(even) { background: #f4f4f4 }
pre { background: #f4f4f4; padding: 8px; overflow-x: auto } img { image-rendering: pixelated; border: 1px solid #ccc }";

/// Text as HTML shows it.
pub fn escaped(text: impl Display) -> String {
    let text = text.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

/// A whole page around sections, each a heading and HTML.
pub fn page(title: &str, sections: &[(&str, String)]) -> String {
    let sections: String =
        sections.iter().map(|(heading, body)| format!("<h2>{}</h2>\n{body}\n", escaped(heading))).collect();
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}\n\
         </style>\n</head>\n<body>\n<h1>{title}</h1>\n{sections}</body>\n</html>\n"
    )
}

/// A table with a line of headings.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let line = |tag: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = line("th", &mut headings.iter().map(|heading| heading.to_string()));
    let body: String = rows.iter().map(|row| line("td", &mut row.iter().cloned())).collect();
    format!("<table>\n{head}{body}</table>\n")
}

/// A PNG picture within the page.
pub fn picture(png: &[u8], about: &str) -> String {
    format!("<img alt=\"{}\" src=\"data:image/png;base64,{}\">\n", escaped(about), base64(png))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
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
        let page = page("a<b", &[("x & y", table(&["<i>"], &[vec!["'\"".into()]]))]);
        assert!(page.contains("<title>a&lt;b</title>") && page.contains("<h2>x &amp; y</h2>"), "{page}");
        assert!(page.contains("<th>&lt;i&gt;</th>") && page.contains("<td>&#39;&quot;</td>"), "{page}");
    }
}
