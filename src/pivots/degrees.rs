//! How many entries the lines of a matrix have: one number per line, in as few bytes as hold the largest.

use crate::{Result, memory};

/// What the memory is for.
const DEGREES: &str = "the degrees of the lines";

/// A number of entries.
pub(super) trait Degree: Copy {
    /// The number, which fits.
    fn cut(degree: u32) -> Self;
    fn get(self) -> usize;
}

macro_rules! degrees {
    ($($word:ty),*) => {$(
        impl Degree for $word {
            #[inline(always)]
            fn cut(degree: u32) -> Self {
                degree as $word
            }
            #[inline(always)]
            fn get(self) -> usize {
                self as usize
            }
        }
    )*};
}
degrees!(u8, u16, u32);

/// The number of each line.
#[derive(Debug)]
pub(super) enum Degrees {
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Degrees {
    pub fn new(degrees: Vec<u32>) -> Result<Self> {
        fn cut<D: Degree>(degrees: &[u32]) -> Result<Vec<D>> {
            memory::collect(degrees.iter().map(|&d| D::cut(d)), DEGREES)
        }
        Ok(match degrees.iter().copied().max().unwrap_or(0) {
            0..=0xff => Degrees::U8(cut(&degrees)?),
            0x100..=0xffff => Degrees::U16(cut(&degrees)?),
            _ => Degrees::U32(degrees),
        })
    }
    pub fn len(&self) -> usize {
        match self {
            Degrees::U8(d) => d.len(),
            Degrees::U16(d) => d.len(),
            Degrees::U32(d) => d.len(),
        }
    }
    pub fn get(&self, line: u32) -> usize {
        match self {
            Degrees::U8(d) => d[line as usize].get(),
            Degrees::U16(d) => d[line as usize].get(),
            Degrees::U32(d) => d[line as usize].get(),
        }
    }
}
