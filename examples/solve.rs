//! Linear systems mod p: a solution, or a reason why there is none.

use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    let p = Modulus::new(101)?;
    // x + y = 3, y + z = 5, x - z = b for two right sides: b = -2, which the others imply, and b = 0.
    let a = SparseMatrix::from_csr(p, 3, &[0, 2, 4, 6], &[0, 1, 1, 2, 0, 2], &[1, 1, 1, 1, 1, -1])?;
    let right_side = |b: i64| SparseMatrix::from_csr(p, 1, &[0, 1, 2, 3], &[0, 0, 0], &[3, 5, b]);

    let found = solve(&a, &right_side(-2)?, &SolveOptions::default(), &Silent)?;
    let x = found.solutions.expect("the third equation follows from the others");
    println!("rank {}, a solution: {:?}", found.rank.rank, x.values());

    let none = solve(&a, &right_side(0)?, &SolveOptions::default(), &Silent)?;
    assert!(!none.is_consistent());
    let contradiction = none.contradiction.expect("0 is not -2");
    println!("no solution: the equations {:?} add up to 0 = {}", contradiction.y, contradiction.value);
    Ok(())
}
