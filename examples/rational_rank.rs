//! The rank over the rationals, and what it says about primes with a smaller one.

use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    // Boundary matrix of the matching complex of nine points, whose homology has 3-torsion.
    let a = families::generate("mk9-b3")?;
    let primes = [Modulus::new(2)?, Modulus::new(3)?];
    let answer = rational_rank(&a, &RationalOptions::default().moduli(primes), &Silent)?;
    println!("rank {} over Q ({}): {}", answer.rank, answer.certainty.name(), answer.reason);
    for at in &answer.asked {
        println!("rank {} mod {}: {} invariant factors are multiples", at.rank, at.modulus, answer.rank - at.rank);
    }
    assert_eq!((answer.rank, answer.asked[1].rank), (875, 867));
    Ok(())
}
