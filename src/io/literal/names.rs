//! The names that a literal may have besides numbers.

/// Functions that make a matrix of their arguments, in lower case.
pub(super) const FUNCTIONS: [&str; 9] = [
    "matrix",
    "mat",
    "array",
    "sparsematrix",
    "sparsearray",
    "immutablematrix",
    "immutabledensematrix",
    "immutablesparsematrix",
    "sparse_matrix",
];

/// The name of a function without the module before it, in lower case.
pub(super) fn plain_name(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    name.rsplit('.').next().unwrap_or_default().to_string()
}

/// Rings over which matrices are made, in lower case.
pub(super) const RINGS: [&str; 11] = [
    "zz",
    "qq",
    "integers",
    "rationals",
    "integerring",
    "rationalfield",
    "gf",
    "finitefield",
    "zmod",
    "integermodring",
    "automatic",
];
