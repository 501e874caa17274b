//! The generators of a sequence while its terms arrive, and what they say in the end (source paper, section 3.3).

use super::codegree::{codegree_by_interpolation, codegree_by_row_division};
use super::options::Route;
use crate::certify::ErrorBound;
use crate::field::{Field, Rng};
use crate::poly::PolyMatrix;
use crate::sigma_basis::{GeneratorSearch, GpuBases};
use crate::spmv::GpuMatrix;
use crate::{DeviceReason, Error, Observer, Result, memory};

/// Terms that must leave the generator unchanged before it is believed. Each is s² equations, so that already one would
/// not hold by chance; several guard against sequences that pause, such as those of bipartite patterns with a symmetric
/// form.
pub(super) const STABLE_TERMS: usize = 6;
/// The σ-basis is checked by other arithmetic than it was found by: an error passes with at most this probability. A
/// guard against machines and mistakes, on which no certainty rests.
pub(super) const CHECK: ErrorBound = ErrorBound::of_bits(64);

/// The generators under way: of the sequence itself and, for the comparison, of the sequence without its first term.
pub(super) struct Searches<F: Field> {
    paper: Option<GeneratorSearch<F>>,
    shortcut: Option<GeneratorSearch<F>>,
    /// Whether the first term has been dropped for the shortcut (only needed when both read one sequence from X).
    skip: usize,
}

impl<F: Field> Searches<F> {
    /// Searches for s×s terms; with `gpu`, beside the work on that matrix.
    pub fn new(field: &F, s: usize, route: Route, gpu: Option<&GpuMatrix>) -> Result<Self> {
        let search = || {
            let search = GeneratorSearch::new(field.clone(), s)?;
            let Some(gpu) = gpu else { return Ok(search) };
            match GpuBases::beside(gpu.stream(), gpu.capability(), field.modulus(), 2 * s, s) {
                Ok(bases) => Ok(search.on_gpu(bases)),
                // None for such blocks, or none at the moment: the processor does as well.
                Err(Error::Device(no)) if no.reason != DeviceReason::Failed => Ok(search),
                Err(other) => Err(other),
            }
        };
        Ok(Searches {
            paper: (route != Route::Shortcut).then(search).transpose()?,
            shortcut: (route != Route::CoDegree).then(search).transpose()?,
            skip: if route == Route::Both { s * s } else { 0 },
        })
    }
    fn each(&self) -> impl Iterator<Item = &GeneratorSearch<F>> {
        self.paper.iter().chain(&self.shortcut)
    }
    /// Whether a GPU makes the bases.
    pub fn are_on_gpu(&self) -> bool {
        self.each().any(GeneratorSearch::is_on_gpu)
    }
    pub fn extend(&mut self, terms: &[F::Elem], observer: &dyn Observer) -> Result<()> {
        if let Some(search) = &mut self.paper {
            search.extend(terms, observer)?;
        }
        if let Some(search) = &mut self.shortcut {
            let skipped = self.skip.min(terms.len());
            self.skip -= skipped;
            search.extend(&terms[skipped..], observer)?;
        }
        Ok(())
    }
    pub fn settled(&self) -> bool {
        self.each().all(|search| search.stable_terms() >= STABLE_TERMS)
    }
    /// Whether the value has reached the order n, which it cannot exceed, and the last term left the generator as it
    /// was, so that its determinant is not zero.
    pub fn full(&self, n: usize) -> bool {
        self.shortcut.as_ref().is_some_and(|search| search.rank_bound() >= n && search.stable_terms() > 0)
    }
    pub fn verify(&self, rng: &mut Rng) -> Result<()> {
        for search in self.each() {
            search.verify(CHECK, rng)?;
        }
        Ok(())
    }
    /// The rank as the routes read it; the shortcut's where there are two, since it cannot exceed the truth whatever
    /// the length of the sequence.
    pub fn value(&self, field: &F, observer: &dyn Observer) -> Result<usize> {
        let shortcut = match &self.shortcut {
            Some(search) => {
                // deg det F is a rank already; a co-degree above 0 is a zero eigenvalue that is not semisimple.
                let (degree, codegree) = degrees(field, search, observer)?;
                if codegree > 0 {
                    observer.warning(&format!("the zero eigenvalue of B has nilpotent blocks (co-degree {codegree})"));
                }
                Some(degree)
            }
            None => None,
        };
        let paper = match &self.paper {
            Some(search) => {
                let (degree, codegree) = degrees(field, search, observer)?;
                Some(degree - codegree)
            }
            None => None,
        };
        if let (Some(a), Some(b)) = (paper, shortcut)
            && a != b
        {
            observer.warning(&format!("co-degree route says {a}, shortcut {b}: the shortcut's is taken"));
        }
        Ok(shortcut.or(paper).expect("a route"))
    }
}

/// Degree and co-degree of det F: by interpolation where GF(p) has the points, and by row division at 0; they must
/// agree.
///
/// A generator that the last term still changed may have det F = 0: then only the sum of its row degrees is known.
fn degrees<F: Field>(field: &F, search: &GeneratorSearch<F>, observer: &dyn Observer) -> Result<(usize, usize)> {
    let generator = search.generator()?;
    let degree: usize = generator.row_degrees.iter().sum();
    if search.stable_terms() == 0 {
        return Ok((degree, 0));
    }
    let codegree = codegree_by_row_division(field, &generator.matrix, degree, observer)?
        .ok_or_else(|| Error::Check("the generator's determinant is zero".into()))?;
    if field.degree() == 1 {
        let residues = residues(field, &generator.matrix)?;
        if let Some(found) = codegree_by_interpolation(field.modulus(), &residues, degree, observer)?
            && found != (degree, codegree)
        {
            let (other, less) = found;
            let message = format!(
                "det F has degree {other} and co-degree {less} by interpolation, {degree} and {codegree} by rows"
            );
            return Err(Error::Check(message));
        }
    }
    Ok((degree, codegree))
}

/// A polynomial matrix over a prime field as residues.
fn residues<F: Field>(field: &F, f: &PolyMatrix<F::Elem>) -> Result<PolyMatrix<u64>> {
    let mut digit = [0];
    let mut residues = memory::with_capacity(f.data().len(), "the residues of a generator")?;
    residues.extend(f.data().iter().map(|&x| {
        field.write_digits(x, &mut digit);
        digit[0]
    }));
    Ok(PolyMatrix::from_coefficients(f.rows(), f.cols(), residues))
}
