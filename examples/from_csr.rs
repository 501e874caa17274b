//! A matrix from the arrays of another library: compressed rows with indices and values of any integer type.

use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    // [ 1  2  .  ]
    // [ 2  4  .  ]
    // [ .  .  -1 ]
    let start = [0i32, 2, 4, 5];
    let col = [0i32, 1, 0, 1, 2];
    let value = [1i64, 2, 2, 4, -1];
    let p = Modulus::new(2147483647)?;
    let a = SparseMatrix::from_csr(p, 3, &start, &col, &value)?;

    // `rank_owned` and `rank` take options; the observer hears of progress.
    let answer = rank(&a, &RankOptions::default().proven(true).seed(7), &Silent)?;
    println!("rank {} mod {p}, {}", answer.rank, answer.certainty.name());
    assert_eq!(answer.rank, 2);

    // Integers of any size come as entries, counted from 0; repeated ones are summed.
    let b = Triplets::from_entries(2, 2, [(0, 0, 3i64), (1, 1, 5), (1, 1, -5)]);
    assert_eq!(b.reduce(p).rank()?.rank, 1);
    Ok(())
}
