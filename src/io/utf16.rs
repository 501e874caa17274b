//! UTF-16, in which some editors, shells and spreadsheets save text: recognised by its byte order mark, or by the zeros
//! between ASCII characters; turned into UTF-8.

use super::text::Text;
use crate::{Error, Result, memory};

/// The order of the two bytes of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Whether a text begins as UTF-16 does.
pub(super) fn sniff(head: &[u8]) -> Option<Order> {
    match head {
        [0xff, 0xfe, 0, 0, ..] => None, // UTF-32
        [0xff, 0xfe, ..] => Some(Order::Little),
        [0xfe, 0xff, ..] => Some(Order::Big),
        _ => {
            let printed = |b: u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
            let units = head.get(..8)?.chunks(2);
            if units.clone().all(|unit| printed(unit[0]) && unit[1] == 0) {
                return Some(Order::Little);
            }
            units.clone().all(|unit| unit[0] == 0 && printed(unit[1])).then_some(Order::Big)
        }
    }
}

/// The text in UTF-8, without a byte order mark.
///
/// # Errors
/// [`Error::Input`] for half a character or a lone surrogate, [`Error::Memory`].
pub(super) fn decode(text: &Text<'_>, bytes: &[u8], order: Order) -> Result<Vec<u8>> {
    let mut out: Vec<u8> = memory::with_capacity(bytes.len() / 2, "a text in UTF-16")?;
    let unit = |pair: &[u8]| match order {
        Order::Little => u16::from_le_bytes([pair[0], pair[1]]),
        Order::Big => u16::from_be_bytes([pair[0], pair[1]]),
    };
    let fail = |out: &[u8], message: &str| -> Error {
        let line = out.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
        text.error(line, format!("{message} in UTF-16: save the file as UTF-8"))
    };
    for found in char::decode_utf16(bytes.chunks_exact(2).map(unit)) {
        let Ok(c) = found else { return Err(fail(&out, "half of a surrogate pair")) };
        if c == '\u{feff}' && out.is_empty() {
            continue;
        }
        memory::reserve(&mut out, 4, "a text in UTF-16")?;
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    if bytes.len() % 2 == 1 {
        return Err(fail(&out, "an odd number of bytes, which cuts off the last character,"));
    }
    Ok(out)
}
