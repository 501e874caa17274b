//! Scratch memory for transforms: zeroed rows, on huge pages where the system has them.
//!
//! A product touches tens of megabytes once; with 4 KiB pages the faults cost as much as the transforms, and the strided walks
//! miss the address cache. So large buffers are mapped anonymously with the advice to use huge pages.

use super::simd::Row;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// From this size on memory is mapped: two huge pages.
const MAPPED: usize = 4 << 20;

/// A zeroed, growable-by-nobody slice of rows.
#[derive(Debug)]
pub(crate) enum Buffer {
    Heap(Vec<Row>),
    Mapped(MmapMut),
}

impl Buffer {
    /// `len` rows of zeros.
    ///
    /// # Panics
    /// If the system has no memory left.
    pub(crate) fn zeros(len: usize) -> Self {
        let bytes = len * size_of::<Row>();
        if bytes < MAPPED {
            return Buffer::Heap(vec![Row::default(); len]);
        }
        let map = MmapMut::map_anon(bytes).unwrap_or_else(|e| panic!("no memory for {bytes} bytes of scratch: {e}"));
        #[cfg(target_os = "linux")]
        {
            // Advice only: where it is refused the small pages serve as well.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Buffer::Mapped(map)
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = Buffer::zeros(self.len());
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Buffer {
    type Target = [Row];
    fn deref(&self) -> &[Row] {
        match self {
            Buffer::Heap(rows) => rows,
            Buffer::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [Row] {
        match self {
            Buffer::Heap(rows) => rows,
            Buffer::Mapped(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_zeroed_and_writable() {
        let edge = MAPPED / size_of::<Row>();
        for len in [0, 1, edge - 1, edge, edge + 1] {
            let mut buffer = Buffer::zeros(len);
            assert_eq!(matches!(buffer, Buffer::Mapped(_)), len >= edge);
            assert!(buffer.len() == len && buffer.iter().all(|row| *row == Row::default()));
            if let Some(row) = buffer.last_mut() {
                row.0[7] = 5;
            }
            assert_eq!(buffer.clone().last(), buffer.last());
        }
    }
}
