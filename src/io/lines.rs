//! Text files other than matrices, line by line.

use super::content::{self, Content};
use super::encoding;
use super::text::Text;
use crate::{Observer, Result};
use std::path::Path;

/// Calls `take` with the number, from 1, and the text of each line of a file, plain or packed; `-` is standard input.
///
/// # Errors
/// Those of `take`; [`Error::Input`](crate::Error::Input) for a damaged compressed file or a line of more than 16 MiB,
/// [`Error::Io`](crate::Error::Io), [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn for_each_line(
    path: &Path,
    observer: &dyn Observer,
    mut take: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    content::open(path, None, observer, &mut |content| {
        let text = match content {
            Content::Text(source) => Text::new(source)?,
            Content::Arrays(_, source) => return Err(source.error("expected a text, found a binary file")),
        };
        encoding::decoded(text, None, |mut text| {
            while let Some(line) = text.next_line()? {
                if text.line_number().is_multiple_of(1 << 12) {
                    text.report()?;
                }
                take(text.line_number(), &line)?;
            }
            Ok(())
        })
    })
}
