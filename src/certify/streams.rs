//! Where random choices come from: a keystream for each use, whose key hashes everything that must be fixed before the
//! choice.
//!
//! The bounds of this library have the form: whatever the matrix, a uniformly random choice fails with probability at
//! most ε. They require a choice that the author of the matrix did not know. A generator keyed by the seed alone does
//! not provide that: the default seed is known, and a matrix constructed from its stream can hide part of its rank from
//! it. So the key is
//!
//! **SHA-256(`blackfield stream 1\n` ‖ domain ‖ `\n` ‖ digest of the matrix ‖ modulus ‖ seed ‖ part ‖ number)**,
//!
//! numbers as 8 bytes, little-endian, and the stream is that of ChaCha20 under it. Same matrix, modulus and seed, same
//! choices; each use has its own domain, so that no two ever see the same numbers.
//!
//! **Hypothesis.** SHA-256 and ChaCha20 behave like random functions. Then someone who tries N matrices against a known
//! seed finds one that is answered wrongly with probability at most N·ε; against a seed drawn afterwards
//! (`--seed random`), at most ε.

use crate::field::{Modulus, Rng};
use crate::sparse::SparseMatrix;
use rand::SeedableRng;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;

/// What random numbers are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// The sample from which the fill-in of a Schur complement is predicted.
    Rounds,
    /// The lines of a long matrix that are tried before all of them.
    Lines,
    /// The sample of rows of which a row space is first explored.
    Sample,
    /// The combinations of rows that explore a row space.
    Exploration,
    /// The combinations of rows that explore a sketch, and how columns are folded.
    Sketch,
    /// The combinations of rows that check whether a row space is complete: [`Streams::challenge`].
    Checks,
    /// The extension field of a run of block Wiedemann.
    Extension,
    /// The diagonals of its preconditioner.
    Preconditioner,
    /// Its projection Y.
    Projection,
    /// Its start X.
    Start,
    /// The points at which its generator is verified.
    Verification,
    /// Random primes.
    Primes,
    /// The free coordinates of random null vectors and solutions.
    Solutions,
    /// The polynomials that split others.
    Splitting,
    /// The vectors that compare the products with an operator and with its transpose.
    Transposes,
}

impl Domain {
    /// All uses.
    pub const ALL: [Domain; 15] = [
        Domain::Rounds,
        Domain::Lines,
        Domain::Sample,
        Domain::Exploration,
        Domain::Sketch,
        Domain::Checks,
        Domain::Extension,
        Domain::Preconditioner,
        Domain::Projection,
        Domain::Start,
        Domain::Verification,
        Domain::Primes,
        Domain::Solutions,
        Domain::Splitting,
        Domain::Transposes,
    ];

    /// The domain in the key.
    pub fn name(self) -> &'static str {
        match self {
            Domain::Rounds => "rounds",
            Domain::Lines => "lines",
            Domain::Sample => "sample",
            Domain::Exploration => "exploration",
            Domain::Sketch => "sketch",
            Domain::Checks => "checks",
            Domain::Extension => "extension",
            Domain::Preconditioner => "preconditioner",
            Domain::Projection => "projection",
            Domain::Start => "start",
            Domain::Verification => "verification",
            Domain::Primes => "primes",
            Domain::Solutions => "solutions",
            Domain::Splitting => "splitting",
            Domain::Transposes => "transposes",
        }
    }
}

/// The random streams of one answer.
#[derive(Clone, Debug)]
pub struct Streams<'a> {
    source: Source<'a>,
    modulus: u64,
    seed: u64,
    part: u64,
}

/// The matrix that is hashed.
#[derive(Clone, Debug)]
enum Source<'a> {
    /// Hashed when the first stream is requested: many answers need none.
    Matrix(&'a SparseMatrix, OnceLock<[u8; 32]>),
    Digest([u8; 32]),
}

impl<'a> Streams<'a> {
    /// The streams for a question about `matrix` mod its modulus.
    pub fn of(matrix: &'a SparseMatrix, seed: u64) -> Self {
        let source = Source::Matrix(matrix, OnceLock::new());
        Streams { source, modulus: matrix.modulus().get(), seed, part: 0 }
    }
    /// [`Streams::of`] a matrix that will change while they are in use: it is hashed now.
    pub fn hashed(matrix: &SparseMatrix, seed: u64) -> Streams<'static> {
        Streams { source: Source::Digest(matrix.digest()), modulus: matrix.modulus().get(), seed, part: 0 }
    }
    /// The streams for a question about an integer matrix with this [digest](crate::sparse::Triplets::digest), whatever
    /// the modulus.
    pub fn of_integers(digest: &str, seed: u64) -> Streams<'static> {
        let digest = Sha256::digest(digest.as_bytes()).into();
        Streams { source: Source::Digest(digest), modulus: 0, seed, part: 0 }
    }
    /// The streams for a question about an operator mod a modulus of which only the numbers of rows and columns are
    /// known: an operator with products that its author chose by these streams may be answered wrongly.
    pub fn of_shape(modulus: Modulus, [rows, cols]: [usize; 2], seed: u64) -> Streams<'static> {
        let digest = Sha256::digest(format!("blackfield operator 1\n{rows} {cols}\n")).into();
        Streams { source: Source::Digest(digest), modulus: modulus.get(), seed, part: 0 }
    }
    /// The streams for a part of the matrix that is processed separately, such as a connected component: different from
    /// those for the whole (which is part 0) and for every other part.
    #[must_use]
    pub fn part(&self, part: u64) -> Streams<'static> {
        // Hashed once for all parts.
        Streams { source: Source::Digest(self.digest()), modulus: self.modulus, seed: self.seed, part }
    }
    /// The stream `number` for a use.
    pub fn stream(&self, domain: Domain, number: u64) -> Rng {
        Rng::from_seed(self.hash(domain, number).finalize().into())
    }
    /// The stream `number` of a challenge to an answer, given as lists of lines: its key hashes the answer as well (the
    /// length of each list as 8 bytes and its lines as 4 bytes each, after the number), so that nobody knows a
    /// challenge before the answer is fixed, with or without the seed.
    pub fn challenge(&self, number: u64, answer: &[&[u32]]) -> Rng {
        let mut hash = self.hash(Domain::Checks, number);
        for list in answer {
            hash.update((list.len() as u64).to_le_bytes());
            list.iter().for_each(|line| hash.update(line.to_le_bytes()));
        }
        Rng::from_seed(hash.finalize().into())
    }

    fn hash(&self, domain: Domain, number: u64) -> Sha256 {
        let mut hash = Sha256::new();
        hash.update(b"blackfield stream 1\n");
        hash.update(domain.name());
        hash.update(b"\n");
        hash.update(self.digest());
        for number in [self.modulus, self.seed, self.part, number] {
            hash.update(number.to_le_bytes());
        }
        hash
    }

    fn digest(&self) -> [u8; 32] {
        match &self.source {
            Source::Matrix(matrix, digest) => *digest.get_or_init(|| matrix.digest()),
            Source::Digest(digest) => *digest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use crate::sparse::Triplets;
    use rand::RngExt;
    use std::collections::HashSet;

    fn matrix(entry: i64, p: u64) -> SparseMatrix {
        Triplets::from_entries(3, 4, [(0, 0, 1), (2, 3, entry)]).reduce(Modulus::new(p).unwrap())
    }

    #[test]
    fn every_context_has_its_own_streams() {
        let first = |streams: &Streams, domain, number| streams.stream(domain, number).random::<u64>();
        let mut seen = HashSet::new();
        for (entry, p) in [(2, 7), (3, 7), (2, 11), (2, 65521)] {
            let a = matrix(entry, p);
            for seed in [0, 1, u64::MAX] {
                let whole = Streams::of(&a, seed);
                for streams in [whole.clone(), whole.part(1), whole.part(2)] {
                    for domain in Domain::ALL {
                        for number in 0..3 {
                            assert!(seen.insert(first(&streams, domain, number)), "{domain:?} {number}");
                            assert_eq!(first(&streams, domain, number), first(&streams.clone(), domain, number));
                        }
                    }
                }
            }
        }
        for digest in ["a", "b"] {
            assert!(seen.insert(first(&Streams::of_integers(digest, 1), Domain::Primes, 0)));
        }
        let a = matrix(2, 7);
        for answer in [&[][..], &[&[][..]], &[&[1][..]], &[&[1, 2]], &[&[1], &[2]], &[&[2], &[1]], &[&[1, 2], &[]]] {
            for number in 0..2 {
                let mut stream = Streams::of(&a, 1).challenge(number, answer);
                // Without an answer it is the plain stream.
                assert_eq!(seen.insert(stream.random::<u64>()), !answer.is_empty(), "{answer:?}");
            }
        }
        let names: HashSet<_> = Domain::ALL.iter().map(|domain| domain.name()).collect();
        assert_eq!(names.len(), Domain::ALL.len());
        // Equal residues, equal matrices.
        assert_eq!(first(&Streams::of(&matrix(2, 7), 1), Domain::Checks, 0), {
            first(&Streams::of(&matrix(9, 7), 1), Domain::Checks, 0)
        });
    }
}
