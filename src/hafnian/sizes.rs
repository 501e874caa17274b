//! Matchings by size: components multiply as polynomials; each by the frontier, or by its complement.
//!
//! **Complement.** If most pairs of vertices have the weight c ≠ 0, write A = c·J + E off the diagonal, where E has few
//! edges. A matching of the complete graph chooses for each of its edges either the weight c or that of E:
//!
//! ```text
//! mₖ(A) = Σⱼ mⱼ(E) · cᵏ⁻ʲ · N(n - 2j, k - j),     N(n, k) = n!/((n - 2k)! k! 2ᵏ) the k-matchings of the complete graph
//! ```
//!
//! (E. J. Farrell, J. Combin. Theory B 27 (1979); L. Lovász, *Combinatorial Problems and Exercises*, 5.18, for perfect
//! matchings.) E may fall into components with complements of their own: complete multipartite graphs and all other
//! cographs need no frontier.

use super::bound::matchings_bound;
use super::frontier;
use super::{Method, Options, WeightedGraph};
use crate::integers::Bound;
use crate::permanent::Engine;
use crate::words::counted;
use crate::{Error, Observer, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::collections::HashMap;

/// Complements within complements, beyond which a graph is left to its frontier: each is a level of recursion.
const DEPTH: usize = 1000;

/// How to count the matchings of a graph by size.
#[derive(Debug)]
pub(super) enum Plan {
    /// No edge.
    Empty,
    /// The components.
    Product(Vec<(usize, Plan)>),
    /// One component by its frontier.
    Frontier(frontier::Plan, Bound),
    /// The matchings of E, and c.
    Complement(Box<Plan>, BigInt),
}

/// Moduli and bounds by which integers were determined.
pub(super) type Residues = Vec<(Bound, Vec<BigUint>)>;

/// The cheapest plan within the memory that is allowed.
///
/// # Errors
/// [`Error::Memory`] with the need if there is none; [`Error::Interrupted`].
pub(super) fn plan(graph: &WeightedGraph, options: &Options, observer: &dyn Observer) -> Result<Plan> {
    plan_within(graph, DEPTH, options, observer)
}

fn plan_within(graph: &WeightedGraph, depth: usize, options: &Options, observer: &dyn Observer) -> Result<Plan> {
    if graph.edge_count() == 0 {
        return Ok(Plan::Empty);
    }
    let mut parts = graph.split()?;
    parts.retain(|part| part.n() > 1);
    match &parts[..] {
        [whole] if whole.n() == graph.n() => connected(graph, depth, options, observer),
        _ => {
            let plans = parts.iter().map(|part| Ok((part.n(), plan_within(part, depth, options, observer)?)));
            plans.collect::<Result<_>>().map(Plan::Product)
        }
    }
}

/// The cheaper of frontier and complement.
fn connected(graph: &WeightedGraph, depth: usize, options: &Options, observer: &dyn Observer) -> Result<Plan> {
    observer.check()?;
    let prices = &options.machine.hafnian;
    let mut plans = vec![];
    if options.method != Method::Frontier
        && depth > 0
        && let Some((rest, c)) = complement(graph)
    {
        match plan_within(&rest, depth - 1, options, observer) {
            Ok(inner) => plans.push(Plan::Complement(Box::new(inner), c)),
            // The frontier of the graph itself may do.
            Err(Error::Memory(_)) => {}
            Err(other) => return Err(other),
        }
    }
    let beat = plans.first().map_or(f64::INFINITY, Plan::seconds);
    if beat > prices.start {
        let by_frontier = frontier::plan(graph, beat, prices, observer)?;
        plans.push(Plan::Frontier(by_frontier, matchings_bound(graph)));
    }
    let need = plans.iter().map(Plan::bytes).fold(f64::INFINITY, f64::min);
    plans.retain(|plan| plan.bytes() <= options.max_memory.map_or(f64::INFINITY, |limit| limit as f64));
    let cheapest = plans.into_iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    cheapest.ok_or_else(|| {
        let (n, limit) = (graph.n(), options.max_memory.unwrap_or(u64::MAX));
        Error::Memory(format!(
            "the matchings by size of a component of {n} vertices need {need:.1e} bytes for the states of a frontier, \
             {limit} are allowed"
        ))
    })
}

/// E and c, if the most frequent weight c of all pairs of vertices is not 0.
pub(super) fn complement(graph: &WeightedGraph) -> Option<(WeightedGraph, BigInt)> {
    let (n, edges) = (graph.n(), graph.edge_count());
    let mut counts: HashMap<&BigInt, usize> = HashMap::new();
    graph.edges().for_each(|(_, _, x)| *counts.entry(x).or_default() += 1);
    let (c, count) = counts.into_iter().max_by_key(|&(c, count)| (count, c))?;
    if count <= n * (n - 1) / 2 - edges {
        return None;
    }
    let pairs = (0..n).flat_map(|w| (0..w).map(move |v| (v, w)));
    let rest = pairs.map(|(v, w)| (v, w, graph.weight(v as u32, w as u32).map_or_else(|| -c, |x| x - c)));
    Some((WeightedGraph::from_edges(n, rest), c.clone()))
}

impl Plan {
    /// Predicted seconds of one thread.
    pub fn seconds(&self) -> f64 {
        match self {
            Plan::Empty => 0.0,
            Plan::Product(parts) => parts.iter().map(|(_, plan)| plan.seconds()).sum(),
            Plan::Frontier(plan, bound) => plan.seconds * frontier::runs(plan, *bound) as f64,
            Plan::Complement(inner, _) => inner.seconds(),
        }
    }
    /// Bytes that it needs at least.
    pub fn bytes(&self) -> f64 {
        match self {
            Plan::Empty => 0.0,
            Plan::Product(parts) => parts.iter().map(|(_, plan)| plan.bytes()).fold(0.0, f64::max),
            Plan::Frontier(plan, ..) => plan.bytes,
            Plan::Complement(inner, _) => inner.bytes(),
        }
    }
    /// What the prediction rests on.
    pub fn basis(&self) -> String {
        match self {
            Plan::Empty => "no edge".into(),
            Plan::Product(parts) => counted(parts.len(), "component"),
            Plan::Frontier(plan, bound) => {
                let runs = counted(frontier::runs(plan, *bound), "run");
                format!("a frontier of {}, {runs}", counted(plan.width(), "vertex"))
            }
            Plan::Complement(inner, _) => format!("the complement: {}", inner.basis()),
        }
    }
    /// The method that does the work.
    pub fn method(&self) -> Method {
        match self {
            Plan::Complement(..) => Method::Complement,
            _ => Method::Frontier,
        }
    }

    /// The matchings of a graph with n vertices by their sizes: `[k]` with k edges, as long as there are any.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Interrupted`].
    pub fn run(
        &self,
        n: usize,
        memory: Option<u64>,
        residues: &mut Residues,
        observer: &dyn Observer,
    ) -> Result<Vec<BigInt>> {
        observer.check()?;
        match self {
            Plan::Empty => Ok(vec![BigInt::one()]),
            Plan::Product(parts) => {
                let mut product = vec![BigInt::one()];
                for (n, part) in parts {
                    product = times(&product, &part.run(*n, memory, residues, observer)?);
                }
                Ok(product)
            }
            Plan::Frontier(plan, bound) => {
                let (sizes, moduli) = frontier::by_size(plan, *bound, memory, observer)?;
                residues.push((*bound, moduli));
                Ok(sizes)
            }
            Plan::Complement(inner, c) => Ok(with_constant(n, c, &inner.run(n, memory, residues, observer)?)),
        }
    }
}

impl Engine for Plan {
    fn name(&self) -> &'static str {
        self.method().name()
    }
    fn keeps_checkpoints(&self) -> bool {
        false
    }
}

/// The product of two polynomials.
fn times(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
    let mut product = vec![BigInt::zero(); a.len() + b.len() - 1];
    for (i, a) in a.iter().enumerate() {
        b.iter().enumerate().for_each(|(k, b)| product[i + k] += a * b);
    }
    product
}

/// mₖ(cJ + E) from mⱼ(E).
fn with_constant(n: usize, c: &BigInt, of_rest: &[BigInt]) -> Vec<BigInt> {
    let mut sizes = vec![BigInt::zero(); n / 2 + 1];
    for (j, inner) in of_rest.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        // mⱼ(E)·cⁱ·N(n - 2j, i): N(m, i + 1) = N(m, i)·C(m - 2i, 2)/(i + 1).
        let (m, mut term) = (n - 2 * j, inner.clone());
        for i in 0..=m / 2 {
            sizes[i + j] += &term;
            let left = m - 2 * i;
            term = term * c * (left * left.saturating_sub(1) / 2) / (i + 1);
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::hafnian::oracle::{complete, cycle, graph, naive, path, petersen, random};
    use rand::SeedableRng;

    fn sizes(graph: &WeightedGraph, method: Method) -> Vec<BigInt> {
        let plan = plan(graph, &Options::default().method(method), &Silent).unwrap();
        let mut sizes = plan.run(graph.n(), None, &mut vec![], &Silent).unwrap();
        sizes.resize(graph.n() / 2 + 1, BigInt::zero());
        sizes
    }

    #[test]
    fn random_graphs_by_both_methods() {
        let mut rng = Rng::seed_from_u64(21);
        for round in 0..250 {
            let graph = random(round % 15, &mut rng);
            let expected = naive(&graph);
            assert_eq!(sizes(&graph, Method::Frontier), expected, "{graph:?}");
            assert_eq!(sizes(&graph, Method::Auto), expected, "{graph:?}");
        }
    }

    /// Chebyshev polynomials: of the path with n vertices C(n - k, k), of the cycle n/(n - k)·C(n - k, k).
    #[test]
    fn paths_and_cycles() {
        let binomial = |n: usize, k: usize| (0..k).fold(BigInt::one(), |b, i| b * (n - i) / (i + 1));
        for n in 3..60usize {
            let of_path: Vec<BigInt> = (0..=n / 2).map(|k| binomial(n - k, k)).collect();
            let of_cycle: Vec<BigInt> = (0..=n / 2).map(|k| binomial(n - k, k) * n / (n - k)).collect();
            assert_eq!((sizes(&path(n), Method::Auto), sizes(&cycle(n), Method::Auto)), (of_path, of_cycle), "{n}");
        }
    }

    #[test]
    fn cographs_need_no_frontier() {
        let numbers = |sizes: Vec<BigInt>| sizes.iter().map(BigInt::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(numbers(sizes(&petersen(), Method::Auto)), "1 15 75 145 90 6");
        assert_eq!(numbers(sizes(&complete(6), Method::Complement)), "1 15 45 15");
        // K_{20,20,20}: far beyond any frontier.
        let parts = graph(60, (0..60).flat_map(|v| (0..v).map(move |w| (w, v))).filter(|(w, v)| w / 20 != v / 20));
        let plan = plan(&parts, &Options::default(), &Silent).unwrap();
        assert!(plan.seconds() == 0.0 && plan.method() == Method::Complement, "{}", plan.basis());
        // A threshold graph: complements within complements, as deep as it has vertices.
        let threshold =
            |n: usize| graph(n, (0..n).flat_map(|v| (0..v).map(move |w| (w, v))).filter(|(_, v)| v % 2 == 0));
        assert_eq!(sizes(&threshold(13), Method::Auto), naive(&threshold(13)));
        assert_eq!(sizes(&threshold(120), Method::Auto)[1], threshold(120).edge_count().into());
        // The octahedron K_{2,2,2}.
        let octahedron = graph(6, (0..6).flat_map(|v| (0..v).map(move |w| (w, v))).filter(|(w, v)| w / 2 != v / 2));
        assert_eq!(sizes(&octahedron, Method::Auto), naive(&octahedron));
    }
}
