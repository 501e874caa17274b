//! Planar graphs: the hafnian as a Pfaffian with the signs of a Pfaffian orientation (M. E. Fisher, P. W. Kasteleyn, H.
//! N. V. Temperley, 1961–1967).
//!
//! 1. [`graph::embed`] decides whether the graph is planar and gives an embedding, which [`pfaffian_orientation`]
//!    verifies by Euler's formula and orients. K has +a_vw where the edge points from v to w, -a_vw where it points to
//!    v.
//! 2. Kasteleyn: all perfect matchings have the same sign in Pf K, whatever the weights are; one of them, found by
//!    [`graph::perfect_matching`], says which.
//! 3. `order` eliminates K modulo a large prime with pivots (v, u) chosen for low fill-in; `replay` repeats them modulo
//!    as many 31-bit primes as the bound on |haf A| requires. Pf K itself takes half of the primes of det K = (Pf K)²,
//!    and has a sign.
//!
//! With α = K_vu the Schur complement of a pair is skew-symmetric again, and Pf K = ±α·Pf K':
//!
//! ```text
//! K'_ab = K_ab + (K_ua·K_vb - K_va·K_ub)/α
//! ```
//!
//! Nothing here is random: the answer is proven.

mod order;
mod replay;

use super::WeightedGraph;
use crate::cost::Hafnian;
use crate::elimination::is_odd;
use crate::field::Modulus;
use crate::graph::{self, Fault, pfaffian_orientation};
use crate::integers::{Bound, Multimodular};
use crate::permanent::Exact;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use order::{Row, eliminate};
use replay::{LANES, Replay};

/// The prime that determines the order of pivots: 2⁶³ - 25, the largest modulus, is least likely to divide one.
const ORDER: u64 = (1 << 63) - 25;

/// What the memory is for.
const MATRIX: &str = "a skew-symmetric matrix";

/// A planar graph with its orientation.
#[derive(Debug)]
pub struct Planar {
    n: usize,
    /// The edges (v, w, K_vw) with v < w.
    edges: Vec<(u32, u32, BigInt)>,
    /// Whether the hafnian is -Pf K; `None` if there is no perfect matching.
    negate: Option<bool>,
}

impl Planar {
    /// The graph with its orientation, or `None` if it is not planar.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Interrupted`]; [`Error::Check`] if the embedding fails its verification, which would
    /// be a bug.
    pub fn new(graph: &WeightedGraph, observer: &dyn Observer) -> Result<Option<Self>> {
        let skeleton = graph.skeleton();
        let Some(rotation) = graph::embed(&skeleton) else { return Ok(None) };
        let n = graph.n();
        let matching = graph::perfect_matching(&skeleton, observer)?;
        let reversed = match pfaffian_orientation(&skeleton, &rotation) {
            Err(Fault::NotPlane) => return Err(Error::Check("an embedding in the plane fails Euler's formula".into())),
            Err(Fault::OddComponent) if matching.is_ok() => {
                return Err(Error::Check("a component with a perfect matching cannot be oriented".into()));
            }
            Err(Fault::OddComponent) => return Ok(Some(Planar { n, edges: vec![], negate: None })),
            Ok(reversed) => reversed,
        };
        let mut edges = memory::with_capacity(reversed.len(), MATRIX)?;
        for ((v, w, x), &reversed) in graph.edges().zip(&reversed) {
            edges.push((v, w, if reversed { -x } else { x.clone() }));
        }
        let negate = match matching {
            Err(_) => None,
            Ok(mate) => {
                let pairs = (0..n as u32).map(|v| (v, mate[v as usize])).filter(|(v, w)| v < w);
                let line: Vec<u32> = pairs.flat_map(|(v, w)| [v, w]).collect();
                let along = graph.edges().zip(&reversed).filter(|((v, w, _), _)| mate[*v as usize] == *w);
                let turned = along.filter(|(_, reversed)| **reversed).count();
                Some(odd(&line)? != (turned % 2 == 1))
            }
        };
        Ok(Some(Planar { n, edges, negate }))
    }

    /// Predicted seconds of one thread and bytes for all threads, for a hafnian within `bound`: groups of [`LANES`]
    /// primes, each for the fill of a planar graph, n^1.5 (R. J. Lipton, D. J. Rose, R. E. Tarjan, 1979).
    pub fn predict(&self, bound: Bound, prices: &Hafnian) -> (f64, f64) {
        let groups = (bound.bits / 31 / LANES as u64 + 1) as f64;
        let n = self.n as f64;
        let bytes = 64.0 * n.powf(1.5) + 64.0 * n * n.log2().max(1.0) * rayon::current_num_threads() as f64;
        (groups * prices.pfaffian * n.powf(1.5) + prices.vertex * n, bytes)
    }

    /// The rows of K mod p.
    fn rows(&self, p: Modulus) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = memory::collect((0..self.n).map(|_| Row::new()), MATRIX)?;
        for (v, w, x) in &self.edges {
            let x = p.reduce_bigint(x);
            if x != 0 {
                memory::push(&mut rows[*v as usize], (*w, x), MATRIX)?;
                memory::push(&mut rows[*w as usize], (*v, p.neg(x)), MATRIX)?;
            }
        }
        rows.iter_mut().for_each(|row| row.sort_unstable_by_key(|e| e.0));
        Ok(rows)
    }

    /// Pf K mod p, by an elimination of its own.
    fn pfaffian_mod(&self, p: Modulus, observer: &dyn Observer) -> Result<u64> {
        let found = eliminate(self.rows(p)?, p, observer)?;
        if found.pairs.len() * 2 < self.n {
            return Ok(0);
        }
        Ok(if odd(&line(&found.pairs))? { p.neg(found.product) } else { found.product })
    }

    /// The hafnian, proven by as many primes as the given bound requires. Parallel over groups of primes.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Interrupted`].
    pub fn hafnian(&self, bound: Bound, observer: &dyn Observer) -> Result<Exact> {
        let Some(negate) = self.negate else { return Ok(Exact::integer(0)) };
        let p = Modulus::new(ORDER)?;
        let order = eliminate(self.rows(p)?, p, observer)?;
        // Singular mod a large prime, and therefore presumably over the integers: this is checked mod every prime.
        let regular = order.pairs.len() * 2 == self.n;
        let places = || self.edges.iter().map(|&(v, w, _)| (v, w));
        let replay = regular.then(|| Replay::new(self.n, &order.pairs, places(), observer)).transpose()?;
        let flip = regular && odd(&line(&order.pairs))?;
        let integer = Multimodular {
            bound,
            prime_bits: 31,
            group: if regular { LANES } else { 1 },
            phase: "Pfaffians mod primes",
            observer,
        };
        let found = integer.proven(|primes| {
            let known = match &replay {
                Some(replay) => replay.products(primes, |k, p| p.reduce_bigint(&self.edges[k].2))?,
                None => vec![None; primes.len()],
            };
            let each = primes.iter().zip(known).map(|(&p, known)| {
                let value = match known {
                    Some(product) if flip => p.neg(product),
                    Some(product) => product,
                    None => self.pfaffian_mod(p, observer)?,
                };
                Ok(if negate { p.neg(value) } else { value })
            });
            each.collect()
        })?;
        let moduli = found.moduli.iter().map(|p| p.get().into()).collect();
        Ok(Exact { value: found.value, moduli, bound: Some(bound), resumed: None })
    }
}

/// The vertices of the pairs, one pair after the other.
fn line(pairs: &[(u32, u32)]) -> Vec<u32> {
    pairs.iter().flat_map(|&(v, u)| [v, u]).collect()
}

/// Whether a permutation, given as the list of its values, is odd.
fn odd(line: &[u32]) -> Result<bool> {
    let mut seen = vec![false; line.len()];
    if line.iter().any(|&v| std::mem::replace(&mut seen[v as usize], true)) {
        return Err(Error::Check("the pairs of an elimination share a vertex".into()));
    }
    let pairs: Vec<(u32, u32)> = line.iter().enumerate().map(|(k, &v)| (k as u32, v)).collect();
    is_odd(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::hafnian::bound::hafnian_bound;
    use crate::hafnian::oracle::{
        buckminsterfullerene, complete, cycle, dodecahedron, grid, naive_hafnian, petersen, random_planar,
    };
    use rand::{RngExt, SeedableRng};

    fn planar(graph: &WeightedGraph) -> Exact {
        let planar = Planar::new(graph, &Silent).unwrap().expect("planar");
        planar.hafnian(hafnian_bound(graph).unwrap(), &Silent).unwrap()
    }

    #[test]
    fn random_planar_graphs_with_weights_of_both_signs() {
        let mut rng = Rng::seed_from_u64(8);
        let (mut zero, mut nonzero) = (0, 0);
        for round in 0..400 {
            let n = 4 + round % 13;
            let keep = rng.random_range(0.4..1.0);
            let graph = random_planar(n, keep, &mut rng);
            let expected = naive_hafnian(&graph);
            assert_eq!(planar(&graph).value, expected, "{graph:?}");
            if expected == BigInt::ZERO { zero += 1 } else { nonzero += 1 }
        }
        assert!(zero > 20 && nonzero > 100, "{zero} {nonzero}");
    }

    #[test]
    fn known_numbers() {
        assert_eq!(planar(&dodecahedron()).value, 36.into());
        assert_eq!(planar(&buckminsterfullerene()).value, 12500.into());
        assert_eq!(planar(&grid(8, 8, false)).value, 12_988_816.into());
        assert_eq!(planar(&grid(5, 7, false)).value, 0.into());
        assert_eq!(planar(&cycle(40)).value, 2.into());
        assert!(
            Planar::new(&petersen(), &Silent).unwrap().is_none()
                && Planar::new(&complete(6), &Silent).unwrap().is_none()
        );
        assert_eq!(planar(&complete(4)).value, 3.into());
        assert_eq!(planar(&WeightedGraph::from_edges(0, [] as [(usize, usize, i64); 0])).value, 1.into());
        assert_eq!(planar(&WeightedGraph::from_edges(2, [(0, 1, -7)])).value, BigInt::from(-7));
    }

    /// Many primes: the bound is far above one, and the groups agree with single eliminations.
    #[test]
    fn a_large_triangular_lattice() {
        let graph = grid(30, 30, true);
        let exact = planar(&graph);
        assert!(exact.moduli.len() > LANES && exact.value.bits() > 200);
        let planar = Planar::new(&graph, &Silent).unwrap().unwrap();
        for p in [3u64, 65521, 1_000_003] {
            let p = Modulus::new(p).unwrap();
            let value = planar.pfaffian_mod(p, &Silent).unwrap();
            let value = if planar.negate == Some(true) { p.neg(value) } else { value };
            assert_eq!(value, p.reduce_bigint(&exact.value));
        }
    }

    /// The fill of the repeated elimination is that of a planar graph, whatever cancels mod the first prime.
    #[test]
    fn fill_grows_as_predicted() {
        let mut rng = Rng::seed_from_u64(12);
        for random in [false, true] {
            let lattice = grid(40, 40, true);
            let mut weight = || if random { rng.random_range(1..1_000_000i64) } else { 1 };
            let edges = lattice.edges().map(|(v, w, _)| (v as usize, w as usize, weight()));
            let planar = Planar::new(&WeightedGraph::from_edges(1600, edges), &Silent).unwrap().unwrap();
            let p = Modulus::new(ORDER).unwrap();
            let order = eliminate(planar.rows(p).unwrap(), p, &Silent).unwrap();
            let places = planar.edges.iter().map(|&(v, w, _)| (v, w));
            let joins = Replay::new(planar.n, &order.pairs, places, &Silent).unwrap().joins() as f64;
            assert!(joins < 10.0 * (planar.n as f64).powf(1.5), "{joins} joins, random weights: {random}");
        }
    }

    /// Cancellation: there are matchings, and their sum is 0.
    #[test]
    fn singular_matrices() {
        let graph = WeightedGraph::from_edges(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, -1)]);
        assert_eq!(planar(&graph).value, BigInt::ZERO);
    }
}
