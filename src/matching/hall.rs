//! Why a matching cannot be larger: Hall violators and minimum vertex covers, both read off the alternating paths that
//! start in unmatched rows.
//!
//! Follow any entry from a row to a column, and the matching from a column to a row. If the matching is maximum, the
//! columns reached are all matched, and they are exactly the neighbours of the rows reached. Hence (P. Hall, 1935) the
//! rows reached outnumber their neighbours, and (D. Kőnig, 1931) the columns reached, together with the rows not
//! reached, cover every entry with as many lines as the matching has pairs. Both claims are checked by counting: no
//! path has to be trusted.

use super::{Matching, NONE};
use crate::sparse::Pattern;
use crate::{Result, memory};

/// What the memory is for.
const REACH: &str = "alternating paths";

/// Rows and columns reached by alternating paths.
pub(super) struct Reach {
    pub row: Vec<bool>,
    pub col: Vec<bool>,
    /// The rows reached, in the order of discovery; there is room for all.
    pub rows: Vec<u32>,
}

impl Reach {
    /// Breadth-first search from the given unmatched rows.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If an unmatched column is reached (the matching is not maximum), or the shapes differ.
    pub fn new(pattern: &Pattern, matching: &Matching, sources: impl Iterator<Item = u32>) -> Result<Self> {
        assert_eq!((matching.col_of_row.len(), matching.row_of_col.len()), (pattern.rows(), pattern.cols()), "shape");
        let (rows, cols) = (pattern.rows(), pattern.cols());
        let mut reach = Reach {
            row: memory::filled(false, rows, REACH)?,
            col: memory::filled(false, cols, REACH)?,
            rows: memory::with_capacity(rows, REACH)?,
        };
        reach.rows.extend(sources);
        reach.rows.iter().for_each(|&i| reach.row[i as usize] = true);
        let mut k = 0;
        while let Some(&i) = reach.rows.get(k) {
            k += 1;
            for &j in pattern.row(i as usize) {
                if !std::mem::replace(&mut reach.col[j as usize], true) {
                    let next = matching.row(j as usize).expect("the matching is maximum");
                    reach.row[next as usize] = true;
                    reach.rows.push(next);
                }
            }
        }
        Ok(reach)
    }
}

/// The unmatched rows.
pub(super) fn unmatched_rows(matching: &Matching) -> impl Iterator<Item = u32> + Clone + '_ {
    matching.col_of_row.iter().enumerate().filter(|&(_, &j)| j == NONE).map(|(i, _)| i as u32)
}

/// Rows that outnumber their neighbouring columns, ascending: the reason why not all rows are matched. `None` if they
/// are. `matching` must be maximum.
///
/// There is one neighbour fewer than rows, and no proper subset would do: without any one of the rows, the rest can be
/// matched. For columns that violate Hall's condition, pass the transposes of pattern and matching.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If the matching turns out not to be maximum, or not to have the shape of the pattern.
pub fn hall_violator(pattern: &Pattern, matching: &Matching) -> Result<Option<Vec<u32>>> {
    // Any unmatched row leads to one; a row with few entries promises a short proof.
    let Some(source) = unmatched_rows(matching).min_by_key(|&i| pattern.degree(i as usize)) else { return Ok(None) };
    let mut rows = Reach::new(pattern, matching, std::iter::once(source))?.rows;
    rows.sort_unstable();
    Ok(Some(rows))
}

/// Lines that together meet every entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexCover {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// The columns, ascending.
    pub cols: Vec<u32>,
}

impl VertexCover {
    /// Number of lines: an upper bound on the size of every matching, and on the rank over every field.
    pub fn size(&self) -> usize {
        self.rows.len() + self.cols.len()
    }

    /// Whether every entry of the pattern lies in one of the lines.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn covers(&self, pattern: &Pattern) -> Result<bool> {
        let mut col = memory::filled(false, pattern.cols(), REACH)?;
        self.cols.iter().for_each(|&j| col[j as usize] = true);
        let mut rows = self.rows.iter().peekable();
        Ok((0..pattern.rows())
            .all(|i| rows.next_if(|&&r| r as usize == i).is_some() || pattern.row(i).iter().all(|&j| col[j as usize])))
    }
}

/// Lines that cover every entry, as many as the matching has pairs: the proof that both are optimal. `matching` must be
/// maximum.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If the matching turns out not to be maximum, or not to have the shape of the pattern.
pub fn minimum_vertex_cover(pattern: &Pattern, matching: &Matching) -> Result<VertexCover> {
    let reach = Reach::new(pattern, matching, unmatched_rows(matching))?;
    Ok(VertexCover {
        rows: memory::collect((0..pattern.rows() as u32).filter(|&i| !reach.row[i as usize]), REACH)?,
        cols: memory::collect((0..pattern.cols() as u32).filter(|&j| reach.col[j as usize]), REACH)?,
    })
}
