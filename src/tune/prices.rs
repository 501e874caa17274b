//! The prices of a [`Machine`] by name.

use crate::cost::Machine;
use std::fmt;

/// A price of a [`Machine`] by name, such as `schur.entry` or `dense.product[2]`.
#[derive(Clone, Copy)]
pub struct Price {
    /// The kind of work: a field of [`Machine`].
    pub table: &'static str,
    /// The field in it.
    pub name: &'static str,
    /// The place in a field that is a list.
    pub index: Option<usize>,
    at: fn(&mut Machine) -> &mut f64,
}

/// What is written in square brackets behind a name.
macro_rules! index {
    () => {
        None
    };
    ($index:literal) => {
        Some($index)
    };
}

macro_rules! prices {
    ($($table:ident: $($name:ident $([$index:literal])?)*;)*) => {
        /// All of them, table by table.
        pub const PRICES: &[Price] = &[$($(Price {
            table: stringify!($table),
            name: stringify!($name),
            index: index!($($index)?),
            at: |machine| &mut machine.$table.$name$([$index])?,
        },)*)*];
    };
}

prices! {
    dense: product[0] product[1] product[2] product[3] product[4] byte_product absorb scatter;
    passes: gather gather_byte cache far reduce row product push_byte push ready;
    sparse: transpose cover search matching;
    schur: product entry;
    elimination: scan change row combination;
    random: uniform rough;
    poly: multiply_add field_multiply_add butterfly movement fourier_butterfly fourier_multiply_add fourier_movement
        fourier_test start;
    wiedemann: scaling dense_projection gram gram_digits gram_wide projection basis basis_digit determinant;
    integers: visit lane product operation;
    permanent: rook_product form_product determinant vertex start;
    frontier: choice look key slot tables;
    gray: start setting operation build;
    device: find start setting operation entry row_byte far cache residue product projection gram bases order leaf
        basis level dense;
    hafnian: slot look product pfaffian vertex start;
}

impl Price {
    /// The price that [`Display`](fmt::Display) writes so.
    pub fn named(name: &str) -> Option<Price> {
        PRICES.iter().copied().find(|price| price.to_string() == name)
    }

    /// What it is on a machine.
    pub fn of(self, machine: &Machine) -> f64 {
        *(self.at)(&mut machine.clone())
    }

    /// Sets it.
    pub fn set(self, machine: &mut Machine, value: f64) {
        *(self.at)(machine) = value;
    }

    /// What a profile may say: seconds of an operation or, of the cache, bytes.
    pub fn range(self) -> [f64; 2] {
        match (self.table, self.name) {
            ("passes" | "device", "cache") => [1.0, 1e15],
            _ => [1e-20, 1e6],
        }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.table, self.name)?;
        self.index.map_or(Ok(()), |index| write!(f, "[{index}]"))
    }
}

impl fmt::Debug for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl PartialEq for Price {
    fn eq(&self, other: &Price) -> bool {
        (self.table, self.name, self.index) == (other.table, other.name, other.index)
    }
}

impl Eq for Price {}
