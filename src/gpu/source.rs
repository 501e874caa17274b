//! Kernels before and after compilation.

/// A kernel in CUDA C++.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its file name, for messages.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// What it includes: names and texts.
    pub headers: &'a [(&'a str, &'a str)],
}

/// Machine code of one architecture.
#[derive(Clone, Debug)]
pub struct Cubin {
    /// The image.
    pub code: Vec<u8>,
    /// What the compiler said: warnings.
    pub log: String,
}
