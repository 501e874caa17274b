//! Answers over the integers and rationals.

use super::exact::{BITS, LOG2_PRIMES, PRIMES, lcm, primes};
use super::modular::{SEED, check_rank, rational_solutions};
use super::{Check, Work, refuted};
use crate::memory;
use blackfield::answers::{self, HomologyOptions, RankOptions, SmithOptions};
use blackfield::complexes::{ChainComplex, SimplicialComplex};
use blackfield::field::{Modulus, prime_factors};
use blackfield::num_bigint::{BigInt, BigUint};
use blackfield::report::ErrorBound;
use blackfield::sparse::{RationalMatrix, Triplets};
use blackfield::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The matrix, which has to be of integers.
fn integers(matrix: RationalMatrix) -> Result<Triplets> {
    matrix.into_integers().ok_or_else(|| Error::Matrix("a Smith normal form is of integers, here are fractions".into()))
}

/// A system over the rationals.
pub fn solve(work: &Work<'_>) -> Result<Vec<Check>> {
    let answer = &work.answer;
    if answer.flag("consistent")? {
        return rational_solutions(work);
    }
    work.expect_files(2, "A B")?;
    let (a, b) = (work.matrix(0)?, work.matrix(1)?);
    answer.check_digest("rhs_digest", &b.digest(), &work.args.files[1])?;
    let found = answer.get("contradiction")?;
    let column = found["column"].as_u64().ok_or_else(|| answer.refuse("a contradiction without a column of B"))?;
    let mut y = BTreeMap::new();
    for entry in found["y"].as_array().ok_or_else(|| answer.refuse("a contradiction without y"))? {
        let row = entry[0].as_u64().ok_or_else(|| answer.refuse("y names no row"))?;
        y.insert(row as usize, answer.integer(&entry[1])?);
    }
    // y combines the equations, without denominators: the rows of (A | b) over one common denominator each.
    let common = |i: usize| -> BigInt {
        let of = |m: &RationalMatrix| m.denominators().find(|(row, _)| *row == i).map(|(_, d)| BigInt::from(d.clone()));
        let [d, e] =
            [of(&a), of(&b)].map(Option::unwrap_or_default).map(|d| if d == BigInt::ZERO { 1.into() } else { d });
        lcm(&d, &e)
    };
    let (mut sums, mut value) = (BTreeMap::<usize, BigInt>::new(), BigInt::ZERO);
    let scaled = |i: usize, v: &blackfield::sparse::Fraction<'_>| -> BigInt {
        v.numerator().to_bigint() * common(i) / v.denominator().to_bigint()
    };
    for (i, j, v) in a.entries() {
        if let Some(by) = y.get(&i) {
            *sums.entry(j).or_default() += scaled(i, &v) * by;
        }
    }
    for (i, k, v) in b.entries() {
        if let Some(by) = y.get(&i).filter(|_| k as u64 == column) {
            value += scaled(i, &v) * by;
        }
    }
    if sums.values().any(|sum| *sum != BigInt::ZERO) || value == BigInt::ZERO {
        return refuted("y does not contradict: y·A is not 0, or y·b is");
    }
    Ok(vec![Check::proven(format!("no solution for right side {}", column + 1), "y·A = 0, y·b ≠ 0, over Z")])
}

/// A determinant, by residues mod random primes.
pub fn determinant(work: &Work<'_>) -> Result<Vec<Check>> {
    work.expect_files(1, "A")?;
    let (answer, a) = (&work.answer, work.matrix(0)?);
    let claimed = answer.text("det")?;
    let (above, below) = claimed.split_once('/').unwrap_or((claimed, "1"));
    let parse = |text: &str| text.parse::<BigInt>().map_err(|_| answer.refuse(format!("`{text}` is no integer")));
    let (above, below) = (parse(above)?, parse(below)?);
    if a.rows() != a.cols() || below == BigInt::ZERO {
        return refuted("a determinant of a matrix that is not square, or over 0");
    }
    let denominator: BigInt = a.denominators().map(|(_, d)| BigInt::from(d.clone())).product();
    let claim = format!("{claimed} {}", a.digest());
    let (numerators, _) = a.into_parts();
    for p in primes(&claim) {
        let found = answers::determinant(&numerators.try_reduce(p)?, &RankOptions::default(), work.bars)?;
        let [left, right] = [(found.value.into(), &below), (above.clone(), &denominator)]
            .map(|(of, by): (BigInt, &BigInt)| p.reduce_bigint(&(of * by)));
        if left != right {
            return refuted(format!("the determinant is another one mod {p}"));
        }
    }
    // A difference that is not zero has at most as many of the primes as factors as it has bits over 60.
    let hadamard = answer.get("hadamard_bits")?.as_f64().filter(|bits| bits.is_finite()).unwrap_or(f64::MAX);
    let bits = hadamard.max(above.bits() as f64) + below.bits() as f64 + denominator.bits() as f64 + 2.0;
    let each = (bits / f64::from(BITS - 1)).log2().max(0.0) - LOG2_PRIMES;
    let error = ErrorBound::from_log2((each * PRIMES as f64).min(0.0));
    Ok(vec![Check::bounded("determinant", "its residues mod random primes, from a hash of the claim", error)])
}

/// Primes at which torsion that is missing in a claim is looked for.
const SMALL: [u64; 6] = [2, 3, 5, 7, 11, 13];

/// The primes that divide one of some integers, as far as these have no more than 64 bits, and small ones.
fn primes_of<'f>(factors: impl Iterator<Item = &'f BigInt>) -> BTreeSet<u64> {
    let words = factors.filter_map(|factor| u64::try_from(factor).ok()).filter(|&factor| factor > 1);
    words.flat_map(prime_factors).filter(|&q| q < 1 << 63).chain(SMALL).collect()
}

/// The powers of q beyond 1 in factors that are not 0, with their numbers.
fn powers(factors: &[(BigInt, usize)], q: u64) -> BTreeMap<BigInt, usize> {
    let mut powers = BTreeMap::new();
    for (factor, count) in factors {
        let (mut power, mut rest) = (BigInt::from(1), factor.clone());
        while &rest % q == BigInt::ZERO {
            (power, rest) = (power * q, rest / q);
        }
        if rest != *factor {
            *powers.entry(power).or_default() += count;
        }
    }
    powers
}

/// Factors that were computed here.
fn integral(factors: &[(BigUint, usize)]) -> Vec<(BigInt, usize)> {
    factors.iter().map(|(factor, count)| (factor.clone().into(), *count)).collect()
}

/// A Smith normal form.
pub fn smith(work: &Work<'_>) -> Result<Vec<Check>> {
    work.expect_files(1, "A")?;
    let (answer, a) = (&work.answer, integers(work.matrix(0)?)?);
    let rank = answer.count("rank")?;
    let mut factors: Vec<(BigInt, usize)> = vec![];
    for pair in answer.list("factors")? {
        let (factor, count) = answer.pair(pair)?;
        factors.push((answer.integer(factor)?, count));
    }
    factors.retain(|(factor, _)| *factor != BigInt::ZERO);
    let divides = factors.windows(2).all(|pair| pair[0].0 < pair[1].0 && &pair[1].0 % &pair[0].0 == BigInt::ZERO);
    let count: usize = factors.iter().map(|(_, count)| count).sum();
    if !divides || factors.iter().any(|(factor, _)| *factor < BigInt::from(1)) || count != rank {
        return refuted(format!(
            "{count} factors, which do not divide one another or are not as many as the rank {rank}"
        ));
    }
    if answer.has("local") {
        return Err(answer.refuse("local forms are not verified by this program"));
    }
    let mut checks = vec![Check::proven("each factor divides the next, and they are as many as the rank", "division")];
    let claim = format!("{factors:?} {}", a.digest());
    for p in primes(&claim) {
        let _ = check_rank(a.try_reduce(p)?, rank, work)?;
    }
    checks.push(Check::expected(format!("rank {rank}"), "ranks mod random primes"));
    let primes_here = primes_of(factors.iter().map(|(factor, _)| factor));
    // A rank mod q does not tell q from its powers.
    let again = match factors.iter().any(|(factor, _)| *factor > BigInt::from(1)) {
        true => integral(
            &answers::smith(&a, &SmithOptions::default().rank(RankOptions::default().seed(SEED)), work.bars)?.factors,
        ),
        false => factors.clone(),
    };
    for &q in &primes_here {
        let p = Modulus::new(q)?;
        let units = factors.iter().filter(|(factor, _)| factor % q != BigInt::ZERO).map(|(_, count)| count).sum();
        let _ = check_rank(a.try_reduce(p)?, units, work)?;
        if powers(&factors, q) != powers(&again, q) {
            return refuted(format!("the local form at {q} has other powers"));
        }
        checks.push(Check::expected(format!("powers of {q}"), "the rank mod this prime, and the form, computed again"));
    }
    if factors != again {
        return refuted("the matrix has other invariant factors");
    }
    if a.rows() == a.cols() && rank == a.rows() {
        let product: BigInt = factors.iter().map(|(factor, count)| factor.pow(*count as u32)).product();
        for p in primes(&claim) {
            let found = answers::determinant(&a.try_reduce(p)?, &RankOptions::default(), work.bars)?.value;
            let product = p.reduce_bigint(&product);
            if found != product && found != p.neg(product) {
                return refuted(format!("the product of the factors is not the determinant mod {p}"));
            }
        }
        checks.push(Check::expected("the product of all factors", "the determinant mod random primes"));
    }
    Ok(checks)
}

/// The complex of the boundaries, or of the facets if they are those that the answer is about.
fn complex(work: &Work<'_>) -> Result<ChainComplex> {
    let (answer, files) = (&work.answer, &work.args.files);
    let reduced = answer.flag("reduced")?;
    let augmented = |complex: ChainComplex| if reduced { complex.augmented() } else { Ok(complex) };
    let of_facets = || {
        let complex = SimplicialComplex::read(&files[0], work.bars)?.chain_complex(memory::of_machine(), work.bars)?;
        augmented(complex)
    };
    let of_boundaries = || {
        let load = |file: &PathBuf| Ok(crate::input::load(file, work.args.input.text, work.bars)?.triplets);
        let boundaries = files.iter().map(load).collect::<Result<_>>()?;
        augmented(ChainComplex::named(boundaries, files.iter().map(|f| super::name(f)).collect())?)
    };
    let is_meant = |complex: &ChainComplex| answer.check_digest("digest", &complex.digest(), &files[0]).is_ok();
    // A document does not say which of both it was; a digest does.
    let facets = files.len() == 1 && !of_boundaries().is_ok_and(|complex| is_meant(&complex));
    match facets.then(of_facets) {
        Some(Ok(complex)) if is_meant(&complex) => Ok(complex),
        _ => of_boundaries(),
    }
}

/// Homology groups, by the ranks of the boundaries mod primes; where torsion is, it is computed again.
pub fn homology(work: &Work<'_>) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let complex = complex(work)?;
    answer.check_digest("digest", &complex.digest(), &work.args.files[0])?;
    let (cohomology, mut checks) = (answer.flag("cohomology")?, vec![]);
    for over in answer.list("over")? {
        let coefficients = over["coefficients"].as_str().unwrap_or_default();
        let groups = Groups::read(work, over)?;
        let moduli = match coefficients.strip_prefix("GF(").and_then(|rest| rest.strip_suffix(')')) {
            Some(p) => vec![p.parse::<u64>().map_err(|_| answer.refuse("coefficients that are no field"))?],
            None if coefficients == "Q" => vec![],
            None => primes_of(groups.torsion()).into_iter().collect(),
        };
        let field = coefficients.starts_with("GF(");
        complex.check(&if field { vec![Modulus::new(moduli[0])?] } else { vec![] }, work.bars)?;
        let random = primes(&format!("{over} {}", complex.digest()));
        let random = if field { &[][..] } else { &random[..1] };
        let all = moduli.iter().map(|&q| Modulus::new(q)).collect::<Result<Vec<_>>>()?;
        for &p in all.iter().chain(random) {
            let torsion = if field { None } else { Some(p.get()) };
            groups.check(&complex, p, torsion, cohomology, work)?;
        }
        let claim = format!("{} over {coefficients}", if cohomology { "cohomology" } else { "homology" });
        checks.push(Check::expected(
            claim.clone(),
            "ranks of the boundaries mod the primes of the torsion, those up to 13 and a random one",
        ));
        if groups.torsion().next().is_some() {
            if field || coefficients == "Q" {
                return refuted(format!("torsion over the field {coefficients}"));
            }
            groups.check_torsion(&complex, cohomology, work)?;
            checks.push(Check::expected(
                format!("torsion of {claim}"),
                "invariant factors of the boundaries, computed again with other random choices",
            ));
        }
    }
    // Those of the first coefficients stand there twice.
    if answer.list("over")?.first().map(|over| &over["groups"]) != Some(answer.get("groups")?) {
        return refuted("the groups are not those of the first coefficients");
    }
    Ok(checks)
}

/// Claimed groups by degree: Betti number, torsion coefficients with their numbers.
struct Groups(BTreeMap<i64, (usize, Vec<(BigInt, usize)>)>);

impl Groups {
    fn read(work: &Work<'_>, over: &serde_json::Value) -> Result<Groups> {
        let answer = &work.answer;
        let list = over["groups"].as_array().ok_or_else(|| answer.refuse("no groups"))?;
        let mut groups = BTreeMap::new();
        for group in list {
            let (degree, betti) = (group["degree"].as_i64(), group["betti"].as_u64());
            let (Some(degree), Some(betti)) = (degree, betti) else {
                return Err(answer.refuse("a group without numbers"));
            };
            let mut torsion = vec![];
            for pair in group["torsion"].as_array().into_iter().flatten() {
                let (factor, count) = answer.pair(pair)?;
                torsion.push((answer.integer(factor)?, count));
            }
            groups.insert(degree, (betti as usize, torsion));
        }
        Ok(Groups(groups))
    }
    fn torsion(&self) -> impl Iterator<Item = &BigInt> {
        self.0.values().flat_map(|(_, torsion)| torsion.iter().map(|(factor, _)| factor))
    }
    fn betti(&self, degree: i64) -> usize {
        self.0.get(&degree).map_or(0, |(betti, _)| *betti)
    }
    /// How many torsion coefficients p divides.
    fn divisible(&self, degree: i64, p: u64) -> usize {
        let torsion = self.0.get(&degree).map(|(_, torsion)| &torsion[..]).unwrap_or_default();
        torsion.iter().filter(|(factor, _)| factor % p == BigInt::ZERO).map(|(_, count)| count).sum()
    }
    /// Universal coefficients: the Betti number mod p in degree k is that over Z, and a cyclic group of an order that p
    /// divides counts in its own degree and in the next (for cohomology, the one before).
    fn check(
        &self,
        complex: &ChainComplex,
        p: Modulus,
        torsion: Option<u64>,
        cohomology: bool,
        work: &Work<'_>,
    ) -> Result<()> {
        let (cells, lowest) = (complex.cells(), complex.lowest_degree());
        let mut ranks = vec![0];
        for boundary in complex.boundaries() {
            let matrix = boundary.compact()?.matrix.try_reduce(p)?;
            ranks.push(answers::rank(&matrix, &RankOptions::default(), work.bars)?.rank);
        }
        ranks.resize(cells.len() + 1, 0);
        for (k, &count) in cells.iter().enumerate() {
            let degree = lowest + k as i64;
            let found = count.checked_sub(ranks[k] + ranks[k + 1]);
            let other = if cohomology { degree + 1 } else { degree - 1 };
            let more = torsion.map_or(0, |q| self.divisible(degree, q) + self.divisible(other, q));
            if found != Some(self.betti(degree) + more) {
                return refuted(format!("ranks mod {p} contradict the group of degree {degree}"));
            }
        }
        Ok(())
    }
    /// Torsion coefficients are the invariant factors beyond 1 of a boundary, which are computed again: all those of a
    /// complex take less than the local form of one large boundary does by itself, whose pairs with others are not
    /// seen.
    fn check_torsion(&self, complex: &ChainComplex, cohomology: bool, work: &Work<'_>) -> Result<()> {
        let claimed = || self.0.iter().map(|(degree, (_, torsion))| (*degree, torsion));
        for (degree, torsion) in claimed() {
            let beyond = torsion.iter().all(|(factor, count)| *factor > BigInt::from(1) && *count > 0);
            let divides = |pair: &[(BigInt, usize)]| pair[0].0 < pair[1].0 && &pair[1].0 % &pair[0].0 == BigInt::ZERO;
            if !beyond || !torsion.windows(2).all(divides) {
                return refuted(format!(
                    "torsion coefficients of degree {degree} that are not above 1, or do not divide one another"
                ));
            }
        }
        let options = HomologyOptions::default().cohomology(cohomology).rank(RankOptions::default().seed(SEED));
        let own = answers::homology(complex, &options, work.bars)?;
        let own: BTreeMap<_, _> =
            own.over[0].groups.iter().map(|group| (group.degree, integral(&group.torsion))).collect();
        for (degree, torsion) in claimed() {
            let found = own.get(&degree).map(Vec::as_slice).unwrap_or_default();
            for q in primes_of(torsion.iter().map(|(factor, _)| factor)) {
                if powers(torsion, q) != powers(found, q) {
                    return refuted(format!("torsion in degree {degree}: the local form at {q} has other powers"));
                }
            }
            if torsion != found {
                return refuted(format!("torsion in degree {degree}: the boundary has other invariant factors"));
            }
        }
        Ok(())
    }
}
