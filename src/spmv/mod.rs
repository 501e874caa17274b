//! Sparse products y ← αAx + βy and Y ← αAX + βY.

mod block;
pub use block::{Block, Lane};
