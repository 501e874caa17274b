//! Exact black-box linear algebra over finite fields.
pub mod answers;
pub mod blackbox;
pub mod certify;
pub mod dense;
pub mod elimination;
pub mod error;
pub mod families;
pub mod field;
pub mod gpu;
pub mod io;
pub mod observer;
pub mod poly;
pub mod sequence;
pub mod sigma_basis;
pub mod sparse;
pub mod spmv;

pub use error::{Error, Result};
pub use observer::{Observer, Silent};
