//! The elements of HDF5's datasets, as their bytes.

use super::element::{Element, Kind};
use crate::io::options::ReadOptions;
use crate::{Error, Observer, Result, memory};
use hdf5_pure::{Dataset, Datatype, DatatypeByteOrder, FloatingPointLayout};
use std::path::Path;

/// Bytes that are read at a time, unless a line is longer.
pub(super) const PIECE: u64 = 1 << 20;

/// What reading and errors need.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    pub file: &'s Path,
    pub options: &'s ReadOptions,
    pub observer: &'s dyn Observer,
}

impl Context<'_> {
    /// The error with this message about a part of the file.
    pub fn error(self, part: &str, message: impl std::fmt::Display) -> Error {
        Error::Input { file: self.file.to_path_buf(), line: 0, message: format!("{part}: {message}") }
    }

    /// The error for what is damaged, or beyond the crate.
    pub fn refused(self, part: &str, error: hdf5_pure::Error) -> Error {
        match error {
            hdf5_pure::Error::Io(source) => Error::Io { file: self.file.to_path_buf(), source },
            error => self.error(
                part,
                format!(
                    "expected what MATLAB writes, found: {error}; if MATLAB reads it: load FILE, save('out.mat', '-v7')"
                ),
            ),
        }
    }
}

/// A dataset of numbers, of `lines` times `inner` elements.
pub(super) struct Array<'s> {
    context: Context<'s>,
    name: &'s str,
    data: &'s Dataset,
    pub element: Element,
    pub lines: u64,
    pub inner: u64,
}

impl<'s> Array<'s> {
    /// The dataset, a part of the variable with this name.
    pub fn new(context: Context<'s>, name: &'s str, data: &'s Dataset) -> Result<Array<'s>> {
        let refused = |error| context.refused(name, error);
        let element = element(&data.datatype().map_err(refused)?)
            .ok_or_else(|| context.error(name, "expected integers or floating-point numbers"))?;
        let sides = data.shape().map_err(refused)?;
        let (&lines, inner) = sides.split_first().unwrap_or((&1, &[]));
        let inner = inner.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
        let inner = inner.ok_or_else(|| context.error(name, format!("a shape of {sides:?}")))?;
        Ok(Array { context, name, data, element, lines, inner })
    }

    /// The bytes of `count` lines from `begin` on.
    pub fn lines(&self, begin: u64, count: u64) -> Result<Vec<u8>> {
        self.context.observer.check()?;
        let elements = memory::saturated(u128::from(count) * u128::from(self.inner));
        let bytes = elements.saturating_mul(self.element.size as u64);
        // The crate cannot be refused what it asks for: here it is, before.
        let room =
            memory::with_capacity::<u8>(usize::try_from(bytes).unwrap_or(usize::MAX), "the elements of an array")?;
        drop(room);
        let found = self.data.read_raw_rows(begin, count).map_err(|error| self.context.refused(self.name, error))?;
        match found.len() as u64 == bytes {
            true => Ok(found),
            false => Err(self.context.error(self.name, format!("expected {elements} elements, found {}", found.len()))),
        }
    }

    /// Passes the bytes of each element to `take`, in their order.
    pub fn for_each(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let line = self.inner.saturating_mul(self.element.size as u64);
        if line == 0 {
            return Ok(());
        }
        let window = (PIECE / line).max(1);
        let mut begin = 0;
        while begin < self.lines {
            let count = window.min(self.lines - begin);
            self.lines(begin, count)?.chunks_exact(self.element.size).try_for_each(&mut take)?;
            begin += count;
        }
        Ok(())
    }
}

/// The type of elements whose bytes are numbers without gaps.
fn element(datatype: &Datatype) -> Option<Element> {
    let order = |order: &DatatypeByteOrder| match order {
        DatatypeByteOrder::LittleEndian => Some(false),
        DatatypeByteOrder::BigEndian => Some(true),
        DatatypeByteOrder::Vax => None,
    };
    match datatype {
        Datatype::FixedPoint { size, byte_order, layout } => {
            let is_whole = layout.bit_offset == 0 && u32::from(layout.bit_precision) == 8 * size;
            let kind = if layout.signed { Kind::Signed } else { Kind::Unsigned };
            let size = Some(*size as usize).filter(|size| is_whole && [1, 2, 4, 8].contains(size))?;
            Some(Element { kind, size, big_endian: order(byte_order)? })
        }
        Datatype::FloatingPoint { size, byte_order, layout } => {
            let known = [(4, FloatingPointLayout::IEEE754_BINARY32), (8, FloatingPointLayout::IEEE754_BINARY64)];
            known.contains(&(*size, *layout)).then_some(())?;
            Some(Element { kind: Kind::Float, size: *size as usize, big_endian: order(byte_order)? })
        }
        // Real and imaginary part.
        Datatype::Compound { size, members } if members.len() == 2 => {
            let (real, imaginary) = (element(&members[0].datatype)?, element(&members[1].datatype)?);
            let halves = real == imaginary && real.kind == Kind::Float && *size as usize == 2 * real.size;
            let places = members[0].byte_offset == 0 && members[1].byte_offset as usize == real.size;
            (halves && places).then_some(Element { kind: Kind::Complex, size: *size as usize, ..real })
        }
        _ => None,
    }
}
