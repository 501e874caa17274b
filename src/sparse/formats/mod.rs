//! The sparse formats as data (source paper, sections 2.1 and 2.4.3–2.4.4).
//!
//! Each holds the positions of some entries of a rows × cols matrix, and their values of a storage type V, or no values
//! at all where they are all +1 or all -1. Column indices are 32-bit, offsets 64-bit. Every format is built from
//! [`Csr`], and all except [`Dia`] find the entries of the next row in constant time ([`Rows::span`]).

mod coo;
mod coo_s;
mod csr;
mod dia;
mod ell;
mod ell_r;
mod format;
mod rows;

pub use coo::Coo;
pub use coo_s::CooS;
pub use csr::Csr;
pub use dia::Dia;
pub use ell::Ell;
pub use ell_r::EllR;
pub use format::Format;
pub use rows::{Rows, Runs};

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of weights 3, 0, 1, 3, 0 over 6 columns.
    fn sample() -> Csr<i16> {
        Csr::new(vec![0, 3, 3, 4, 7, 7], vec![0, 2, 5, 1, 0, 3, 4], vec![1, -2, 3, 4, 5, -6, 7])
    }
    fn listed<V: Copy>(rows: usize, a: &impl Rows<V>, from: usize) -> Vec<(usize, u32, V)> {
        let mut cursor = a.seek(from);
        (from..rows)
            .flat_map(|i| a.span(i, &mut cursor).map(move |k| (i, a.columns()[k], a.values()[k])).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn all_formats_hold_the_same_entries_from_any_row_on() {
        let a = sample();
        for from in 0..=5 {
            let expected = listed(5, &a, from);
            assert_eq!(expected.len(), a.columns().len() - [0, 3, 3, 4, 7, 7][from]);
            assert_eq!(listed(5, &Coo::new(&a).unwrap(), from), expected);
            assert_eq!(listed(5, &CooS::new(&a).unwrap(), from), expected);
            assert_eq!(listed(5, &EllR::new(&a).unwrap(), from), expected);
            let columns: Vec<u32> = expected.iter().map(|&(_, j, _)| j).collect();
            assert_eq!(a.runs(from..5).flatten().copied().collect::<Vec<_>>(), columns);
            assert_eq!(EllR::new(&a).unwrap().runs(from..5).flatten().copied().collect::<Vec<_>>(), columns);
        }
        let (ell, rest) = Ell::split(&a, 1).unwrap();
        assert_eq!(rest.nnz() + ell.columns().len(), a.nnz());
        assert_eq!(ell.columns().len(), 0, "a row without entries leaves nothing to a format of equal rows");
        let full = Csr::new(vec![0, 2, 4], vec![0, 1, 1, 2], vec![1i16, 2, 3, 4]);
        let (ell, rest) = Ell::split(&full, 2).unwrap();
        assert_eq!((listed(2, &ell, 1), rest.nnz()), (vec![(1, 1, 3), (1, 2, 4)], 0));
        assert_eq!(ell.runs(1..2).collect::<Vec<_>>(), [[1, 2]]);
        let (ell, rest) = Ell::split(&full, 1).unwrap();
        assert_eq!((listed(2, &ell, 0), listed(2, &rest, 0)), (vec![(0, 0, 1), (1, 1, 3)], vec![(0, 1, 2), (1, 2, 4)]));
    }

    #[test]
    fn diagonals_are_found_and_taken_out() {
        // A full diagonal at +1, a lone entry elsewhere.
        let a = Csr::new(vec![0, 1, 3, 4], vec![1, 0, 2, 3], vec![1i16, 9, 2, 3]);
        let (dia, rest) = Dia::split(&a, 4, 1.0).unwrap();
        assert_eq!((dia.offsets(), rest.nnz()), (&[1i64][..], 1));
        assert_eq!((0..3).map(|i| dia.value(0, i)).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(listed(3, &rest, 0), [(1, 0, 9)]);
        let (all, rest) = Dia::split(&a, 4, 0.0).unwrap();
        assert_eq!((all.offsets().len(), all.nnz(), rest.nnz()), (2, 4, 0));
        assert_eq!((all.value(0, 0), all.value(0, 1)), (0, 9), "absent positions hold zero");
    }
}
