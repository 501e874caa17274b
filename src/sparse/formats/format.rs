//! The names of the formats.

/// The names of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Format {
    /// Coordinates: row and column of every entry.
    Coo,
    /// Compressed rows, with pointers to the non-empty rows only.
    #[cfg_attr(feature = "serde", serde(rename = "coo_s"))]
    CooS,
    /// Compressed rows.
    Csr,
    /// ELLpack: every row has the same number of entries.
    Ell,
    /// ELLpack with the number of entries of each row.
    #[cfg_attr(feature = "serde", serde(rename = "ell_r"))]
    EllR,
    /// Dense diagonals.
    Dia,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] = [Format::Coo, Format::CooS, Format::Csr, Format::Ell, Format::EllR, Format::Dia];

    /// The name as the source paper prints it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Coo => "COO",
            Format::CooS => "COO_S",
            Format::Csr => "CSR",
            Format::Ell => "ELL",
            Format::EllR => "ELL_R",
            Format::Dia => "DIA",
        }
    }
}
