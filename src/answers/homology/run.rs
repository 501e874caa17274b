//! From a complex to its groups, over each of the coefficients.

use super::clearing::{Cleared, clear};
use super::coefficients::Coefficients;
use super::groups::{Groups, Invariants, groups};
use super::over::{Found, Question};
use super::{Homology, HomologyOptions};
use crate::answers::{RankOptions, Route};
use crate::certify::Certainty;
use crate::complexes::ChainComplex;
use crate::report::{Kept, Phases};
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use num_traits::Zero;
use std::time::Instant;

/// The homology of a chain complex, or its cohomology.
///
/// If only fields GF(p) are asked for, ∂∂ = 0 need only hold over these.
///
/// ```
/// use blackfield::{Silent, answers::{HomologyOptions, homology}, complexes::SimplicialComplex};
/// // The real projective plane with six vertices.
/// let facets = ["0 1 2", "0 2 3", "0 3 4", "0 4 5", "0 1 5", "1 2 4", "2 3 5", "1 3 4", "2 4 5", "1 3 5"];
/// let plane = SimplicialComplex::from_facets(facets.map(|facet| facet.split(' ')))?.chain_complex(None, &Silent)?;
/// let answer = homology(&plane, &HomologyOptions::default(), &Silent)?;
/// let groups: Vec<String> = answer.over[0].groups.iter().map(|group| group.to_string()).collect();
/// assert_eq!(groups, ["Z", "Z/2", "0"]);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] if ∂∂ ≠ 0, [`Error::Usage`] for options out of range, [`Error::Memory`], [`Error::Interrupted`]
/// when the observer says so, and [`Error::Check`] if computations contradict each other.
pub fn homology(complex: &ChainComplex, options: &HomologyOptions, observer: &dyn Observer) -> Result<Homology> {
    if options.coefficients.is_empty() {
        return Err(Error::Usage("homology needs coefficients: none were given".into()));
    }
    options.rank.check()?;
    let mut phases = Phases::default();
    let fields = options.coefficients.iter().map(|c| if let Coefficients::Field(p) = c { Some(*p) } else { None });
    let moduli = fields.collect::<Option<Vec<_>>>().unwrap_or_default();
    phases.time("boundary of boundary", || complex.check(&moduli, observer))?;
    let start = Instant::now();
    let cleared = phases.time("clearing", || clear(complex.cells(), complex.boundaries(), observer))?;
    let step = Step {
        name: "clearing",
        found: format!(
            "{} among {}",
            counted(cleared.pairs, "pair"),
            counted(complex.cells().iter().sum::<usize>(), "cell")
        ),
        why: "what a pair determines is left out of the neighbouring boundaries".into(),
        rank: None,
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    let mut answer = Homology { over: vec![], pairs: cleared.pairs, phases: Phases::default() };
    let mut all_found = Vec::with_capacity(options.coefficients.len());
    for &coefficients in &options.coefficients {
        let work = Work { complex, cleared: &cleared, coefficients, options, observer };
        let (mut over, found) = work.groups(&mut phases)?;
        over.path.insert(0, step.clone());
        answer.over.push(over);
        all_found.push(found);
    }
    compare(&options.coefficients, &all_found)?;
    answer.phases = phases;
    Ok(answer)
}

/// One kind of coefficients.
struct Work<'a> {
    complex: &'a ChainComplex,
    cleared: &'a Cleared<'a>,
    coefficients: Coefficients,
    options: &'a HomologyOptions,
    observer: &'a dyn Observer,
}

impl Work<'_> {
    fn groups(&self, phases: &mut Phases) -> Result<(Groups, Vec<Found>)> {
        let (mut found, mut path) = (Vec::new(), Vec::new());
        let quick = RankOptions { proven: false, ..self.options.rank.clone() };
        for k in 0..self.complex.boundaries().len() {
            found.push(self.answer(k, &quick, &found, phases, &mut path)?);
        }
        self.prove_by_exactness(&mut found);
        for k in 0..found.len() {
            if self.options.rank.proven && found[k].certainty != Certainty::Proven {
                found[k] = self.answer(k, &self.options.rank, &found, phases, &mut path)?;
            }
        }
        let invariants: Vec<_> = found.iter().map(|found| found.invariants.clone()).collect();
        let lowest = self.complex.lowest_degree();
        let groups = groups(lowest, self.complex.cells(), &invariants, self.options.cohomology)?;
        let certainty = found.iter().fold(Certainty::Proven, |all, one| all.and(one.certainty));
        let reason = self.reason(&found);
        let groups = Groups { coefficients: self.coefficients, groups, certainty, reason, path };
        let euler = (groups.euler_characteristic(), self.complex.euler_characteristic());
        if euler.0 != euler.1 {
            let message = format!("Betti numbers with alternating sum {}, cells with {}", euler.0, euler.1);
            return Err(Error::Check(message));
        }
        Ok((groups, found))
    }

    /// The name of a boundary.
    fn name(&self, k: usize) -> String {
        format!("D{}", self.complex.lowest_degree() + k as i64 + 1)
    }

    /// What another process found of a boundary, or what is found now, and kept.
    fn kept(&self, question: &Question<'_>) -> Result<Found> {
        if question.matrix.nnz() == 0 {
            return question.answer(self.observer);
        }
        let key = || (question.matrix.digest(), self.coefficients.to_string(), question.options.proven);
        let kept = Kept::of("boundary", key, self.observer)?;
        // That process may have been asked for a less certain answer.
        let asked = question.options.error;
        let is_enough = |certainty: &Certainty| match certainty {
            Certainty::Proven => true,
            Certainty::MonteCarlo { error_bound } => asked.is_none_or(|asked| *error_bound <= asked),
            Certainty::Heuristic => asked.is_none(),
        };
        if let Some(((rank, factors), (certainty, torsion), reason)) =
            kept.load()?.filter(|(_, (certainty, _), _)| is_enough(certainty))
        {
            let invariants = Invariants { rank, torsion: factors };
            return Ok(Found { invariants, certainty, torsion, reason, phases: Phases::default() });
        }
        let found = question.answer(self.observer)?;
        let Found { invariants: Invariants { rank, torsion: factors }, certainty, torsion, reason, .. } = &found;
        kept.complete(&((rank, factors), (certainty, torsion), reason))?;
        Ok(found)
    }

    /// The invariants of boundary k, given those of others: the ones before it, or all.
    fn answer(
        &self,
        k: usize,
        options: &RankOptions,
        others: &[Found],
        phases: &mut Phases,
        path: &mut Vec<Step>,
    ) -> Result<Found> {
        let (start, cells) = (Instant::now(), self.complex.cells());
        let rank = |k: Option<usize>| k.and_then(|k| others.get(k)).map_or(0, |found| found.invariants.rank);
        let matrix = &self.cleared.boundaries[k];
        let left = (cells[k] - rank(k.checked_sub(1))).min(cells[k + 1] - rank(Some(k + 1)));
        let bound = left.min(matrix.rows()).min(matrix.cols());
        let question = Question { matrix, coefficients: self.coefficients, bound, options };
        let found = self.kept(&question)?;
        phases.extend(&found.phases);
        let torsion: usize = found.invariants.torsion.iter().map(|(_, count)| count).sum();
        let torsion = if torsion > 0 {
            format!(", {} other than 1", counted(torsion, "invariant factor"))
        } else {
            String::new()
        };
        path.push(Step {
            name: "boundary",
            found: format!("{} over {}: rank {}{torsion}", self.name(k), self.coefficients, found.invariants.rank),
            why: found.reason.clone(),
            rank: Some(found.invariants.rank),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(found)
    }

    /// Ranks that fill the cells between them are proven: none exceeds the true one, and those have no more room. What
    /// is left is how sure their torsion is.
    fn prove_by_exactness(&self, found: &mut [Found]) {
        // The one way that may exceed the rank.
        if self.options.rank.route == Route::CoDegree {
            return;
        }
        let ranks: Vec<usize> = found.iter().map(|found| found.invariants.rank).collect();
        let rank = |k: Option<usize>| k.and_then(|k| ranks.get(k)).copied().unwrap_or(0);
        for (k, &cells) in self.complex.cells().iter().enumerate() {
            let (below, above) = (k.checked_sub(1), Some(k));
            if rank(below) + rank(above) != cells {
                continue;
            }
            for side in [below, above].into_iter().flatten() {
                if let Some(found) = found.get_mut(side).filter(|found| found.certainty != found.torsion) {
                    found.certainty = found.torsion;
                    if found.torsion == Certainty::Proven {
                        let degree = self.complex.lowest_degree() + k as i64;
                        found.reason = format!("no more room for a rank: the Betti number of degree {degree} is 0");
                    }
                }
            }
        }
    }

    /// What the certainty of all groups rests on.
    fn reason(&self, found: &[Found]) -> String {
        let open = (0..).zip(found).filter(|(_, found)| found.certainty != Certainty::Proven);
        let open: Vec<String> = open.map(|(k, found)| format!("{}: {}", self.name(k), found.reason)).collect();
        match open.is_empty() {
            true => "every rank is proven, by its computation or since a group next to it has Betti number 0".into(),
            false => open.join("; "),
        }
    }
}

/// Holds what was found over several coefficients against each other.
///
/// # Errors
/// [`Error::Check`] if the rank mod p of a boundary is not the number of its invariant factors that p does not divide.
fn compare(coefficients: &[Coefficients], all: &[Vec<Found>]) -> Result<()> {
    let Some(integral) = coefficients.iter().position(|&c| c == Coefficients::Integers) else { return Ok(()) };
    for (&over, found) in coefficients.iter().zip(all) {
        for (k, (field, integers)) in found.iter().zip(&all[integral]).enumerate() {
            let multiples = |p: u64| integers.invariants.torsion.iter().filter(move |(d, _)| (d % p).is_zero());
            let lost = match over {
                Coefficients::Field(p) => multiples(p.get()).map(|(_, count)| count).sum(),
                _ => 0,
            };
            let (expected, rank) = (integers.invariants.rank - lost, field.invariants.rank);
            if expected != rank {
                return Err(Error::Check(format!(
                    "boundary {}: rank {rank} over {over}, {expected} by the invariant factors",
                    k + 1
                )));
            }
        }
    }
    Ok(())
}
