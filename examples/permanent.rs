//! Perfect matchings counted to the last digit: domino tilings of a chessboard as a permanent.

use blackfield::permanent;
use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    // White squares are rows, black ones columns; neighbours have an entry.
    let (side, mut entries) = (8usize, vec![]);
    for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))).filter(|(x, y)| (x + y) % 2 == 0) {
        let neighbours = [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
        for (u, v) in neighbours.into_iter().filter(|&(u, v)| u < side && v < side) {
            entries.push((side * x / 2 + y / 2, side * u / 2 + v / 2, 1i64));
        }
    }
    let board = Triplets::from_entries(side * side / 2, side * side / 2, entries);
    let answer = permanent(&board, &permanent::Options::default(), &Silent)?;
    println!("{} tilings with dominoes, by the method {}", answer.value, answer.method);
    assert_eq!(answer.value, 12988816.into());
    Ok(())
}
