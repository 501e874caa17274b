//! What stays from one product to the next, and how long: as long as a `Kept` exists, and is then freed.

use super::{buffer, fourier, keepers, ntt};

/// As long as one lives, scratch memory of products (at most 128 MB in the whole program) and tables of transforms (at
/// most 32 bytes a point of the longest for each prime) wait for the next product; with the last one they are given
/// back to the system. Products without one are right as well, and slower where they are many.
///
/// A search for a generator ([`GeneratorSearch`](crate::sigma_basis::GeneratorSearch)) has one. Tables of up to 2¹³
/// points stay in any case: 512 kB together.
#[derive(Debug)]
pub struct Kept(());

impl Kept {
    /// Keeps scratch from here on.
    #[must_use = "it keeps scratch as long as it lives"]
    pub fn new() -> Self {
        keepers::add();
        Kept(())
    }
}

impl Default for Kept {
    fn default() -> Self {
        Kept::new()
    }
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        Kept::new()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if keepers::remove() {
            buffer::give_back();
            ntt::give_back();
            fourier::give_back();
        }
    }
}
