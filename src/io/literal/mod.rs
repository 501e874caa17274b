//! Matrices as computer algebra systems print them, and as they are typed in: read where only one matrix can be meant.
//!
//! | system | spellings |
//! | --- | --- |
//! | PARI/GP | `[1,2;3,4]`, `Mat([1,2;3,4])`, `matrix(2,3)`, `[;]`; `~` transposes |
//! | Sage | `[[1,2],[3,4]]`, `matrix(ZZ, [[…],…])`, `matrix(QQ, 2, 2, […])`, `matrix(ZZ, 2, 2, {(0,0): 1})`, rows `[1 2]` in lines |
//! | SymPy, NumPy | `Matrix([[…],…])`, `SparseMatrix(2, 2, {(0, 0): 1})`, `array([[…],…])`, `[[1 2] [3 4]]` |
//! | Magma | `Matrix(IntegerRing(), 2, 2, […])`, `SparseMatrix(2, 2, [<1,1,5>])` |
//! | GAP | `[ [ 1, 2 ], [ 3, 4 ] ]` |
//! | Maple | `Matrix([[…],…])`, `Matrix(2, 2, […], …)`, `Matrix(2, 2, {(1, 1) = 5}, storage = sparse)` |
//! | Mathematica | `{{1, 2}, {3, 4}}`, `SparseArray[{{1, 1} -> 5}, {2, 2}]`, `SparseArray[Automatic, …]` |
//! | Macaulay2 | `matrix {{1, 2}, {3, 4}}` |
//! | Maxima | `matrix([1,2],[3,4])` |
//! | MATLAB, Octave, Julia | `[1 2; 3 4]` |
//!
//! Before the matrix there may be a name, `a = ` or `a := `, and after it `;`, `:` or `$`. Positions count from 1 where
//! the language does (after `->`, `=`, `<`), and from 0 before a colon. A list of numbers, `[1, 2, 3]`, could be a row
//! or a column and is refused. [`parse`] makes an expression of the text, [`interpret`] a matrix of it.

mod expression;
mod interpret;
mod matrix;
mod names;
mod parse;
mod sparse;

use super::options::ReadOptions;
use super::text::Text;
use crate::Result;
use crate::sparse::RationalMatrix;
use names::{FUNCTIONS, plain_name};

/// Whether the text begins with a bracket or one of these functions, perhaps after a name that it is assigned to.
pub(super) fn sniff(head: &[u8]) -> bool {
    let mut rest = parse::skip_blank(head, 0);
    for _ in 0..2 {
        let word = parse::word(head, rest);
        let behind = parse::skip_blank(head, word.end);
        match head.get(behind) {
            Some(b'[' | b'{') if word.is_empty() => return true,
            Some(b'(' | b'[' | b'{') => return FUNCTIONS.contains(&plain_name(&head[word]).as_str()),
            Some(b':') if head.get(behind + 1) == Some(&b'=') => rest = parse::skip_blank(head, behind + 2),
            Some(b'=') => rest = parse::skip_blank(head, behind + 1),
            _ => return false,
        }
    }
    false
}

/// Reads the matrix.
pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let whole = text.whole(options.max_memory)?;
    let placed = |error: parse::Fault| match error {
        parse::Fault::At(at, message) => text.error_at(&whole, at, message),
        parse::Fault::Other(error) => error,
    };
    let statements = parse::parse(&whole).map_err(placed)?;
    interpret::interpret(text, &whole, &statements, options, fractions).map_err(placed)
}
