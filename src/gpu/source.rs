//! Kernels before and after compilation.

/// A kernel in CUDA C++.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file name, for messages.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// The headers that it includes: names and texts.
    pub headers: &'a [(&'a str, &'a str)],
}

/// Machine code for one architecture.
#[derive(Clone, Debug)]
pub struct Cubin {
    /// The image.
    pub code: Vec<u8>,
    /// The compiler's warnings.
    pub log: String,
}
