//! The ranks and invariant factors of all boundaries over some coefficients, and how sure they are.

use super::coefficients::Coefficients;
use super::groups::Invariants;
use crate::answers::{RankOptions, RationalOptions, SmithOptions, rank_owned, rational_rank, smith};
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::report::Phases;
use crate::sparse::Triplets;
use crate::{Observer, Result};

/// What one boundary was found to be.
pub(super) struct Found {
    pub invariants: Invariants,
    pub certainty: Certainty,
    /// How sure the torsion is, if the rank is right.
    pub torsion: Certainty,
    pub reason: String,
    pub phases: Phases,
}

/// What is asked of one boundary.
pub(super) struct Question<'a> {
    pub matrix: &'a Triplets,
    pub coefficients: Coefficients,
    /// At least the rank, whatever the coefficients.
    pub bound: usize,
    pub options: &'a RankOptions,
}

impl Question<'_> {
    /// Its invariants over the coefficients.
    ///
    /// # Errors
    /// Those of the ranks.
    pub fn answer(&self, observer: &dyn Observer) -> Result<Found> {
        if self.matrix.nnz() == 0 {
            let (invariants, phases) = (Invariants::default(), Phases::default());
            return Ok(Found {
                invariants,
                certainty: Certainty::Proven,
                torsion: Certainty::Proven,
                reason: "no entry".into(),
                phases,
            });
        }
        match self.coefficients {
            Coefficients::Integers => self.integral(observer),
            Coefficients::Rationals => self.rational(observer),
            Coefficients::Field(p) => self.modular(p, observer),
        }
    }

    fn modular(&self, p: Modulus, observer: &dyn Observer) -> Result<Found> {
        let mut phases = Phases::default();
        let matrix = phases.shown("reduce", observer, || self.matrix.compact()?.matrix.try_reduce(p))?;
        let found = rank_owned(matrix, self.options, observer)?;
        phases.extend(&found.phases);
        let invariants = Invariants { rank: found.rank, torsion: vec![] };
        let torsion = Certainty::Proven;
        Ok(Found { invariants, certainty: found.certainty, torsion, reason: found.reason, phases })
    }

    fn integral(&self, observer: &dyn Observer) -> Result<Found> {
        let found = smith(self.matrix, &SmithOptions::default().rank(self.options.clone()), observer)?;
        let invariants = Invariants { rank: found.rank, torsion: found.torsion().cloned().collect() };
        let (certainty, torsion) = (found.certainty, found.primes);
        Ok(Found { invariants, certainty, torsion, reason: found.reason, phases: found.phases })
    }

    fn rational(&self, observer: &dyn Observer) -> Result<Found> {
        let mut phases = Phases::default();
        let options = RationalOptions::default().rank(self.options.clone()).rank_bound(self.bound);
        let found = phases.time("rank over Q", || rational_rank(self.matrix, &options, observer))?;
        let invariants = Invariants { rank: found.rank, torsion: vec![] };
        let torsion = Certainty::Proven;
        Ok(Found { invariants, certainty: found.certainty, torsion, reason: found.reason, phases })
    }
}
