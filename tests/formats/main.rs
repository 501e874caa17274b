//! The files in `datasets/formats`, most of them made by the tool that their format comes from: each is the matrix of
//! its twin in SMS.

mod arrays;
#[cfg(feature = "cli")]
mod texts;
