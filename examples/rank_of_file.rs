//! The rank of a matrix in a file, modulo several primes.
//!
//! `cargo run --release --example rank_of_file -- FILE [P ...]`

use blackfield::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "datasets/curtis54.mtx".into());
    let mut primes: Vec<u64> = arguments.map(|p| p.parse()).collect::<Result<_, _>>()?;
    if primes.is_empty() {
        primes = vec![2, 65521];
    }
    // Read once, as integers; the format is detected from the content.
    let matrix = Triplets::read(&file)?;
    println!("{file}: {} x {}, {} non-zeros", matrix.rows(), matrix.cols(), matrix.nnz());
    for p in primes {
        let answer = matrix.reduce(Modulus::new(p)?).rank()?;
        println!("rank {} mod {p} ({}): {}", answer.rank, answer.certainty.name(), answer.reason);
    }
    Ok(())
}
