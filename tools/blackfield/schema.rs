//! The kinds of JSON documents that the program prints. Each begins with the name of its schema; `docs/schema`
//! describes them, and the number at the end rises when a reader of the one before could be misled.

use serde::{Serialize, Serializer};

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// A rank, mod p or over ℚ.
    Rank,
    /// A null space.
    Kernel,
    /// Solutions of a linear system, or why there are none.
    Solve,
    /// A reduced row echelon form.
    Rref,
    /// A determinant, mod p or over ℤ.
    Det,
    /// A Smith normal form over ℤ.
    Smith,
    /// A minimal polynomial.
    Minpoly,
    /// A characteristic polynomial.
    Charpoly,
    /// Homology groups.
    Homology,
    /// A permanent.
    Permanent,
    /// Numbers of matchings.
    Matchings,
    /// What a certificate was found to be.
    Verify,
    /// What an answer was found to be.
    VerifyAnswer,
    /// What a matrix looks like.
    Info,
    /// What was measured of this machine.
    Tune,
    /// What was timed.
    Bench,
    /// A matrix that was rewritten.
    Convert,
    /// Matrices that were made, or can be.
    Generate,
    /// What would be done.
    Plan,
    /// How far the work is.
    Progress,
    /// Why there is no answer.
    Error,
}

impl Schema {
    /// The value of the key `schema`.
    pub const fn name(self) -> &'static str {
        match self {
            Schema::Rank => "blackfield/rank/1",
            Schema::Kernel => "blackfield/kernel/1",
            Schema::Solve => "blackfield/solve/1",
            Schema::Rref => "blackfield/rref/1",
            Schema::Det => "blackfield/det/1",
            Schema::Smith => "blackfield/smith/1",
            Schema::Minpoly => "blackfield/minpoly/1",
            Schema::Charpoly => "blackfield/charpoly/1",
            Schema::Homology => "blackfield/homology/1",
            Schema::Permanent => "blackfield/permanent/1",
            Schema::Matchings => "blackfield/matchings/1",
            Schema::Verify => "blackfield/verify/1",
            Schema::VerifyAnswer => "blackfield/verify-answer/1",
            Schema::Info => "blackfield/info/1",
            Schema::Tune => "blackfield/tune/1",
            Schema::Bench => "blackfield/bench/1",
            Schema::Convert => "blackfield/convert/1",
            Schema::Generate => "blackfield/generate/1",
            Schema::Plan => "blackfield/plan/1",
            Schema::Progress => "blackfield/progress/1",
            Schema::Error => "blackfield/error/1",
        }
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
