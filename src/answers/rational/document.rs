//! The rank over ℚ as a document: each prime has its number of invariant factors, which takes both ranks to know.

use super::{ModularRank, RationalRank};
use crate::Step;
use crate::certify::Certainty;
use serde::{Serialize, Serializer};

#[derive(Serialize)]
struct Document<'a> {
    rank: usize,
    #[serde(flatten)]
    certainty: Certainty,
    reason: &'a str,
    minor_bits: f64,
    prime_bits: u32,
    random_primes: Vec<Prime<'a>>,
    proof_primes: Vec<Prime<'a>>,
    primes: Vec<Prime<'a>>,
    path: &'a [Step],
}

#[derive(Serialize)]
struct Prime<'a> {
    #[serde(flatten)]
    modular: &'a ModularRank,
    invariant_factors: usize,
}

fn primes<'a>(answer: &RationalRank, list: &'a [ModularRank]) -> Vec<Prime<'a>> {
    list.iter().map(|q| Prime { modular: q, invariant_factors: answer.multiples_of(q) }).collect()
}

impl Serialize for RationalRank {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // δ enters the certainty.
        let RationalRank { rank, certainty, reason, path, minor_bits, prime_bits, bad_prime: _, drawn, proving, asked } =
            self;
        Document {
            rank: *rank,
            certainty: *certainty,
            reason,
            minor_bits: *minor_bits,
            prime_bits: *prime_bits,
            random_primes: primes(self, drawn),
            proof_primes: primes(self, proving),
            primes: primes(self, asked),
            path,
        }
        .serialize(serializer)
    }
}
