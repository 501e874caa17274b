//! A rank that others can check without repeating the work: a certificate, and its verdict.

use blackfield::answers::certificate;
use blackfield::certify;
use blackfield::prelude::*;

fn main() -> Result<(), blackfield::Error> {
    let integers = families::generate("ch4-4-b2")?;
    // The certificate names the matrix by its digest.
    let (a, digest) = (integers.reduce(Modulus::new(65521)?), integers.digest());

    let answer = rank(&a, &RankOptions::default().minor(true), &Silent)?;
    let minor = answer.minor.expect("it was asked for");
    let certificate = certificate(&a, &digest, &minor, &Silent)?;

    // Whoever has the matrix checks both bounds in time linear in its entries.
    let verdict = certify::verify(&certificate, &a, &digest, &Silent)?;
    println!("rank {} is {}", verdict.rank, verdict.certainty().name());
    assert_eq!(verdict.rank, answer.rank);

    // Another matrix is not what it is about.
    let other = families::generate("ch4-4-b1")?;
    let refuted = certify::verify(&certificate, &other.reduce(a.modulus()), &other.digest(), &Silent);
    println!("for another matrix: {}", refuted.expect_err("it has another digest"));
    Ok(())
}
