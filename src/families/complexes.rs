//! Whole complexes by name: the boundary matrices of a family from degree 1 upwards.

use super::names::{find_among, named, unknown};
use super::{chessboard, connectivity, matching, sums};
use crate::complexes::ChainComplex;
use crate::sparse::Triplets;
use crate::{Error, Result};

/// A family of simplicial complexes: a pattern of names, with a one-sentence description.
#[derive(Debug)]
#[non_exhaustive]
pub struct ComplexFamily {
    /// The names, with a word in braces for each number, as in `mk{n}`.
    pub pattern: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// A name of the family.
    pub example: &'static str,
    dimension: fn(&[usize]) -> Result<usize>,
    boundary: fn(&[usize], usize) -> Result<Triplets>,
}

const CATALOGUE: &[ComplexFamily] = &[
    ComplexFamily {
        pattern: "mk{n}",
        about: "The matching complex of the complete graph on n vertices.",
        example: "mk9",
        dimension: |a| rooms(a[0] / 2, || format!("a matching needs 2 vertices, there are {}", a[0])),
        boundary: |a, k| matching::boundary(a[0], 2, k),
    },
    ComplexFamily {
        pattern: "ch{m}-{n}",
        about: "The m x n chessboard complex: placements of rooks that do not attack each other.",
        example: "ch5-5",
        dimension: |a| rooms(a[0].min(a[1]), || "a board needs at least one row and one column".into()),
        boundary: |a, k| chessboard::boundary(a[0], a[1], k),
    },
    ComplexFamily {
        pattern: "shar_te2",
        about: "The complex of disjoint triples of 13 points.",
        example: "shar_te2",
        dimension: |_| Ok(3),
        boundary: |_, k| matching::boundary(13, 3, k),
    },
    ComplexFamily {
        pattern: "nc{n}",
        about: "The complex of not connected graphs on n vertices.",
        example: "nc6",
        dimension: |a| connectivity::dimension(1, a[0]),
        boundary: |a, k| connectivity::boundary(1, a[0], k),
    },
    ComplexFamily {
        pattern: "n2c{n}",
        about: "The complex of not 2-connected graphs on n vertices.",
        example: "n2c6",
        dimension: |a| connectivity::dimension(2, a[0]),
        boundary: |a, k| connectivity::boundary(2, a[0], k),
    },
    ComplexFamily {
        pattern: "n3c{n}",
        about: "The complex of not 3-connected graphs on n vertices.",
        example: "n3c6",
        dimension: |a| connectivity::dimension(3, a[0]),
        boundary: |a, k| connectivity::boundary(3, a[0], k),
    },
    ComplexFamily {
        pattern: "sum{n}_{a}_{b}",
        about: "The sum complex of {a, b} mod n: n points, edges whose ends sum to a or b.",
        example: "sum11_0_1",
        dimension: sums::dimension,
        boundary: sums::boundary,
    },
    ComplexFamily {
        pattern: "sum{n}_{a}_{b}_{c}",
        about: "The sum complex of {a, b, c} mod n: all edges, triangles whose vertices sum to one of them.",
        example: "sum13_0_1_3",
        dimension: sums::dimension,
        boundary: sums::boundary,
    },
    ComplexFamily {
        pattern: "sum{n}_{a}_{b}_{c}_{d}",
        about: "The sum complex of {a, b, c, d} mod n: all triangles, tetrahedra whose vertices sum to one of them.",
        example: "sum11_0_1_2_4",
        dimension: sums::dimension,
        boundary: sums::boundary,
    },
];

/// The dimension of a complex whose largest faces have so many vertices; the error if these are none.
fn rooms(most: usize, why: impl Fn() -> String) -> Result<usize> {
    most.checked_sub(1).ok_or_else(|| Error::Usage(why()))
}

/// All families of complexes, in a fixed order.
#[must_use]
pub fn complex_catalogue() -> &'static [ComplexFamily] {
    CATALOGUE
}

/// The complex of the given name, e.g. `mk9`, from degree 0 on: one without edges has one boundary matrix, without
/// rows.
///
/// # Errors
/// As [`generate`](super::generate).
pub fn complex(name: &str) -> Result<ChainComplex> {
    let known = || CATALOGUE.iter().map(|f| (f.pattern, f.example));
    let found = find_among(CATALOGUE, |f| f.pattern, name);
    let (family, numbers) = found.unwrap_or_else(|| Err(Error::Usage(unknown(name, "complex", known()))))?;
    let boundaries = || match (family.dimension)(&numbers)? {
        // The rows of b0 are the vertices.
        0 => {
            let points = (family.boundary)(&numbers, 0)?.rows();
            Ok(vec![Triplets { rows: 0, cols: points, ..Triplets::default() }])
        }
        dimension => (1..=dimension).map(|k| (family.boundary)(&numbers, k)).collect::<Result<Vec<_>>>(),
    };
    boundaries().and_then(ChainComplex::new).map_err(|error| named(name, error))
}
