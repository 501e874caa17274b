//! Harwell–Boeing and Rutherford–Boeing files (I. S. Duff, R. G. Grimes, J. G. Lewis, *Users' guide for the
//! Harwell–Boeing sparse matrix collection*, 1992; *The Rutherford–Boeing sparse matrix collection*, 1997), assembled
//! matrices.
//!
//! ```text
//! title                                                        key
//! lines: all, of pointers, of row indices, of values [, of right-hand sides]
//! type   rows  columns  entries  0
//! (pointer format) (index format) (value format) [(right-hand side format)]
//! [right-hand side type, number, indices]       if there are any
//! pointers    columns + 1, 1-based: where each column begins
//! indices     1-based rows, column after column
//! values      unless the type is a pattern
//! ```
//!
//! The type is three letters: R real, C complex, P pattern, I integer; U unsymmetric, S symmetric, H Hermitian, Z skew,
//! R rectangular; A assembled, E elemental. Data are in fixed columns ([`super::fortran`]). Right-hand sides come last
//! and are not read.

use super::body::within_limit;
use super::decimal::{integer_or_one, malformed};
use super::fortran::Fields;
use super::header;
use super::line::{Layout, Symmetry, complex_is_nonzero};
use super::options::{ReadOptions, duplicates};
use super::pointers::Pointers;
use super::source::Stop;
use super::text::{Text, fields, quote};
use crate::sparse::{Coordinates, Integer, RationalMatrix};
use crate::words::counted;
use crate::{Result, memory};

/// Whether the first four lines are a header: a type and its sizes in line 3, Fortran formats in line 4.
pub(super) fn sniff(first: &[&[u8]]) -> bool {
    let [_, _, sizes, formats] = first else { return false };
    let letter = |k: usize, choice: &[u8]| sizes.get(k).is_some_and(|b| choice.contains(&b.to_ascii_uppercase()));
    letter(0, b"RCPIQ") && letter(1, b"USHZR") && letter(2, b"AE") && formats.trim_ascii_start().starts_with(b"(")
}

/// Reads the file, whose Fortran formats know no fractions.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, _: bool) -> Result<RationalMatrix> {
    let header = Header::read(text, options)?;
    let Layout { rows, cols, symmetry, numbers, .. } = header.layout;

    within_limit(header.entries, options.max_memory.unwrap_or(u64::MAX))?;

    let starts = column_starts(text, &header)?;
    // An index takes at least one character; how many a stream holds is not known.
    let room = header.entries.min(text.remaining().unwrap_or(0)) as usize;
    let mut row: Vec<u32> = memory::with_capacity(room, "the row indices")?;
    numbers_of(text, &header.indices, header.entries, "row indices", |field| {
        let i = whole(field).filter(|i| (1..=rows).contains(i));
        row.push((i.ok_or_else(|| format!("expected a row index in 1..={rows}, found {}", quote(field)))? - 1) as u32);
        Ok(())
    })?;
    let mut entries = Coordinates::new();
    memory::reserve(&mut entries.row, row.len(), "the entries of the matrix")?;
    memory::reserve(&mut entries.col, row.len(), "the entries of the matrix")?;
    entries.value.reserve(row.len())?;
    let mut positions = row.iter().zip(starts.lines());
    let mut put = |v: Integer<'static>| -> std::result::Result<(), String> {
        let (&i, j) = positions.next().expect("as many values as indices");
        if u64::from(j) >= header.layout.row_width(u64::from(i) + 1) {
            header.layout.beyond_triangle(u64::from(i) + 1, u64::from(j) + 1, v.is_zero())?;
        }
        entries.push(i, j, v);
        Ok(())
    };
    match (&header.values, numbers) {
        (Some(format), 1) => numbers_of(text, format, header.entries, "values", |field| {
            let number = format.decimal(field).ok_or_else(|| malformed(field))?;
            Ok(put(integer_or_one(number, field, options.pattern)?)?)
        })?,
        (Some(format), 2) => {
            let mut real = None;
            numbers_of(text, format, 2 * header.entries, "values", |field| match real.take() {
                None => {
                    real = Some(field.to_vec());
                    Ok(())
                }
                Some(real) => Ok(put(complex_is_nonzero([&real, field])?)?),
            })?;
        }
        _ => {
            for _ in 0..row.len() {
                put(Integer::Small(1)).map_err(|message| text.error(text.line_number(), message))?;
            }
        }
    }
    if symmetry != Symmetry::General {
        entries.mirror(symmetry == Symmetry::Skew && !options.pattern);
    }
    Ok(entries.canonical(rows as usize, cols as usize, duplicates(options))?.into())
}

/// Where the columns begin.
fn column_starts(text: &mut Text<'_>, header: &Header) -> Result<Pointers> {
    let mut starts = Pointers::default();
    let mut column = 0;
    numbers_of(text, &header.pointers, header.layout.cols + 1, "column pointers", |field| {
        column += 1;
        let allowed = starts.allowed(header.entries);
        let pointer = whole(field).and_then(|pointer| pointer.checked_sub(1)).filter(|start| allowed.contains(start));
        let pointer = pointer.ok_or_else(|| {
            let (least, most) = (allowed.start() + 1, allowed.end() + 1);
            format!("expected the pointer of column {column}, in {least}..={most}, found {}", quote(field))
        })?;
        Ok(starts.push(pointer)?)
    })?;
    if starts.last() != header.entries {
        let message = format!(
            "expected {} as the last pointer, for {}, found {}",
            header.entries + 1,
            counted(header.entries, "entry"),
            starts.last() + 1
        );
        return Err(text.error(text.line_number(), message));
    }
    Ok(starts)
}

/// Reads `count` fixed-width fields and passes each to `take`.
fn numbers_of(
    text: &mut Text<'_>,
    format: &Fields,
    count: u64,
    what: &str,
    mut take: impl FnMut(&[u8]) -> std::result::Result<(), Stop>,
) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let Some(line) = text.next_line()? else {
            let message = format!("the file ends after {} of {count} {what}: a truncated file", count - left);
            return Err(text.error(text.line_number(), message));
        };
        let here = left.min(format.repeat as u64) as usize;
        let mut each = |field: &[u8]| {
            take(field).map_err(|stop| match stop {
                Stop::Told(message) => text.error(text.line_number(), message),
                Stop::Other(error) => error,
            })
        };
        match separate(&line, format, here) {
            true => fields(&line).try_for_each(&mut each)?,
            false => format.split(&line).take(here).try_for_each(&mut each)?,
        }
        left -= here as u64;
    }
    text.report()
}

/// Whether the format cuts through numbers, so many of which are separated by blanks: SciPy writes real numbers in
/// fields that are a character narrower than their format says. A field with a blank inside is no number: nothing is
/// read in another way that could be read as the format says.
fn separate(line: &[u8], format: &Fields, numbers: usize) -> bool {
    format.split(line).take(numbers).any(|field| field.iter().any(u8::is_ascii_whitespace))
        && fields(line).take(numbers + 1).count() == numbers
}

/// A field of digits.
fn whole(field: &[u8]) -> Option<u64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// What the header says.
struct Header {
    layout: Layout,
    entries: u64,
    pointers: Fields,
    indices: Fields,
    /// The format of the values, `None` for a pattern.
    values: Option<Fields>,
}

/// The formats of the column pointers, the row indices, and the values if there are any: line 4.
fn formats(text: &mut Text<'_>, valued: bool) -> Result<(Fields, Fields, Option<Fields>)> {
    let formats = text.next_line()?.expect("the sniffer saw four lines");
    let formats = String::from_utf8_lossy(&formats).into_owned();
    let mut formats = formats.split_inclusive(')').map(str::trim);
    let mut format = |what: &str| {
        let found = formats.next().unwrap_or("");
        Fields::parse(found).ok_or_else(|| {
            text.error(4, format!("expected a Fortran format of {what} like (16I5), found {}", quote(found.as_bytes())))
        })
    };
    let (pointers, indices) = (format("column pointers")?, format("row indices")?);
    let values = if valued { Some(format("values")?) } else { None };
    Ok((pointers, indices, values))
}

impl Header {
    fn read(text: &mut Text<'_>, options: &ReadOptions) -> Result<Header> {
        let _title = text.next_line()?;
        let cards = text.next_line()?.expect("the sniffer saw four lines");
        let cards: Vec<&[u8]> = fields(&cards).collect();
        if !(4..=5).contains(&cards.len()) || !cards.iter().all(|card| header::is_integer(card)) {
            return Err(text.error(2, "expected the numbers of lines: 4 or 5 integers".to_string()));
        }
        let has_values = cards[3].iter().any(|&b| b != b'0');
        let has_right_hand_sides = cards.get(4).is_some_and(|card| card.iter().any(|&b| b != b'0'));

        let sizes = text.next_line()?.expect("the sniffer saw four lines");
        let kind = sizes[..3].to_ascii_uppercase();
        let shown = String::from_utf8_lossy(&kind).into_owned();
        let numbers_found: Vec<&[u8]> = fields(&sizes[3..]).collect();
        if !(3..=4).contains(&numbers_found.len()) {
            return Err(text.error(3, format!("expected \"{shown} rows columns entries 0\", found {}", quote(&sizes))));
        }
        if kind[2] == b'E' {
            return Err(text.error(
                3,
                format!(
                    "expected an assembled matrix, found type {shown}: assemble it first, by adding up its elements"
                ),
            ));
        }
        let complex = kind[0] == b'C' || kind[1] == b'H';
        if complex && !options.pattern {
            return Err(header::complex(text, 3));
        }
        if kind[0] == b'Q' {
            return Err(text.error(3, format!("expected a matrix, found type {shown}: an auxiliary file")));
        }
        if kind[0] != b'P' && !has_values && !options.pattern {
            let message =
                format!("type {shown} announces values, but the file has none (--pattern takes its 0-1 pattern)");
            return Err(text.error(3, message));
        }
        let rows = header::dimension(text, numbers_found[0], "rows")?;
        let cols = header::dimension(text, numbers_found[1], "columns")?;
        let entries = header::count(text, numbers_found[2], "entries")?;
        let symmetry = match kind[1] {
            b'S' | b'H' => Symmetry::Symmetric,
            b'Z' => Symmetry::Skew,
            _ => Symmetry::General,
        };
        if symmetry != Symmetry::General && rows != cols {
            return Err(text.error(3, format!("a symmetric matrix must be square, found {rows} x {cols}")));
        }
        // No file holds that many, and twice their number (complex values) must still fit a word.
        if entries > u64::MAX / 4 {
            return Err(text.error(3, format!("{entries} entries do not fit in any matrix")));
        }

        let numbers = match (has_values && kind[0] != b'P', kind[0] == b'C') {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        let (pointers, indices, values) = formats(text, numbers > 0)?;
        if has_right_hand_sides {
            text.next_line()?;
        }
        let layout = Layout {
            rows,
            cols,
            first: 1,
            array: false,
            numbers,
            symmetry,
            ones: options.pattern,
            fractions: false,
            announced: None,
            end_marker: false,
            comments: b"",
        };
        Ok(Header { layout, entries, pointers, indices, values })
    }
}
