//! Every method against recursion, known numbers, and each other.

use super::bound::{hafnian_bound, matchings_bound};
use super::oracle::{
    buckminsterfullerene, complete, cycle, dodecahedron, graph, grid, hypercube, naive, naive_hafnian, path, petersen,
    random, random_planar,
};
use super::reduce::reduce;
use super::{Matchings, Method, Options, WeightedGraph, matchings};
use crate::field::Rng;
use crate::{Error, Forecast, Observer, Silent};
use num_bigint::BigInt;
use rand::{RngExt, SeedableRng};
use std::sync::Mutex;

const METHODS: [Method; 6] =
    [Method::Auto, Method::Permanent, Method::Planar, Method::Frontier, Method::InclusionExclusion, Method::Complement];

fn count(graph: &WeightedGraph, method: Method) -> Matchings {
    matchings(graph, &Options::default().method(method), &Silent).unwrap()
}

fn auto(graph: &WeightedGraph) -> BigInt {
    count(graph, Method::Auto).perfect
}

#[test]
fn every_method_on_random_graphs_with_and_without_reductions() {
    let mut rng = Rng::seed_from_u64(1);
    let mut done = [0; 6];
    for round in 0..500 {
        let n = round % 15;
        let graph = if round % 5 == 4 { random_planar(n + 3, 0.8, &mut rng) } else { random(n, &mut rng) };
        let expected = naive_hafnian(&graph);
        assert!(expected.magnitude().bits() <= hafnian_bound(&graph).unwrap().bits + 1, "{graph:?}");
        for (k, method) in METHODS.into_iter().enumerate() {
            for reductions in [true, false] {
                let options = Options::default().method(method).reductions(reductions);
                match matchings(&graph, &options, &Silent) {
                    Ok(answer) => assert_eq!(answer.perfect, expected, "{method:?} {reductions} {graph:?}"),
                    Err(Error::Usage(text)) => assert!(text.contains("cannot compute this block"), "{text}"),
                    Err(other) => panic!("{other}"),
                }
                done[k] += 1;
            }
        }
    }
    assert!(done.iter().all(|&count| count > 100), "{done:?}");
}

#[test]
fn sizes_of_random_graphs_and_their_bound() {
    let mut rng = Rng::seed_from_u64(2);
    for round in 0..150 {
        let graph = random(round % 14, &mut rng);
        let answer = matchings(&graph, &Options::default().by_size(true), &Silent).unwrap();
        let expected = naive(&graph);
        assert_eq!(answer.by_size.as_ref(), Some(&expected), "{graph:?}");
        assert_eq!(answer.total, Some(expected.iter().sum()));
        assert_eq!(answer.perfect, naive_hafnian(&graph));
        let most = expected.iter().map(|x| x.magnitude().bits()).max().unwrap();
        assert!(most <= matchings_bound(&graph).bits + 1, "{graph:?}");
    }
}

#[test]
fn degenerate_graphs() {
    let none = |n| WeightedGraph::from_edges(n, [] as [(usize, usize, i64); 0]);
    for method in METHODS {
        assert_eq!(count(&none(0), method).perfect, 1.into());
        assert_eq!(count(&none(1), method).perfect, 0.into());
        assert_eq!(count(&none(4), method).perfect, 0.into());
        assert_eq!(count(&cycle(7), method).perfect, 0.into());
    }
    let answer = count(&cycle(7), Method::Auto);
    assert!(answer.path[0].why.contains("no edge left") || answer.path[0].why.contains("odd"), "{:?}", answer.path);
    // Even orders without a perfect matching: a star, and Sylvester's cubic graph with a barrier of one vertex.
    assert_eq!(auto(&graph(4, [(0, 1), (0, 2), (0, 3)])), 0.into());
    let arm = |k: usize| {
        let b = 1 + 5 * k;
        vec![
            (0, b),
            (b, b + 1),
            (b, b + 2),
            (b + 1, b + 3),
            (b + 1, b + 4),
            (b + 2, b + 3),
            (b + 2, b + 4),
            (b + 3, b + 4),
        ]
    };
    let sylvester = graph(16, (0..3).flat_map(arm));
    let reduced = reduce(&sylvester, true, &Silent).unwrap();
    assert!(reduced.zero.unwrap().contains("components of odd order"));
    assert_eq!(auto(&sylvester), naive_hafnian(&sylvester));
    // Weights that cancel.
    assert_eq!(auto(&WeightedGraph::from_edges(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, -1)])), 0.into());
    let sizes = matchings(&none(3), &Options::default().by_size(true), &Silent).unwrap();
    assert_eq!((sizes.by_size, sizes.total), (Some(vec![1.into(), 0.into()]), Some(1.into())));
}

#[test]
fn known_numbers() {
    let mut odd = BigInt::from(1);
    for n in 1..=40u32 {
        odd *= 2 * n - 1;
        assert_eq!(auto(&complete(2 * n as usize)), odd, "complete graph on {} vertices", 2 * n);
    }
    assert_eq!((auto(&petersen()), auto(&dodecahedron())), (6.into(), 36.into()));
    assert_eq!(auto(&buckminsterfullerene()), 12500.into());
    for (d, expected) in [(1, 1), (2, 2), (3, 9), (4, 272), (5, 589_185)] {
        assert_eq!(auto(&hypercube(d)), expected.into(), "cube of dimension {d}");
    }
    // A004003: domino tilings of the 2n × 2n board; and odd × even.
    for (n, expected) in [(1, 2u64), (2, 36), (3, 6728), (4, 12_988_816)] {
        assert_eq!(auto(&grid(2 * n, 2 * n, false)), expected.into());
    }
    assert_eq!(
        (auto(&grid(3, 4, false)), auto(&grid(5, 6, false)), auto(&grid(5, 5, false))),
        (11.into(), 1183.into(), 0.into())
    );
    for n in 2..30 {
        assert_eq!(auto(&cycle(2 * n)), 2.into());
        assert_eq!(auto(&path(2 * n)), 1.into());
    }
    // Domino tilings of the Möbius-free cylinder: C₅ × P₂, the pentagonal prism, has 11.
    let prism = graph(10, (0..5).flat_map(|v| [(v, (v + 1) % 5), (v + 5, (v + 1) % 5 + 5), (v, v + 5)]));
    assert_eq!(auto(&prism), naive_hafnian(&prism));
}

#[test]
fn planar_frontier_and_inclusion_agree_beyond_the_oracle() {
    let mut rng = Rng::seed_from_u64(5);
    for round in 0..25 {
        let n = 20 + 2 * (round % 6);
        let graph = random_planar(n, rng.random_range(0.7..1.0), &mut rng);
        let planar = count(&graph, Method::Planar).perfect;
        assert_eq!(planar, count(&graph, Method::Frontier).perfect, "{graph:?}");
        assert_eq!(planar, count(&graph, Method::InclusionExclusion).perfect, "{graph:?}");
    }
    let lattice = grid(6, 8, true);
    assert_eq!(count(&lattice, Method::Planar).perfect, count(&lattice, Method::Frontier).perfect);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let mut rng = Rng::seed_from_u64(6);
    let graph = WeightedGraph::from_edges(
        24,
        (0..24usize).flat_map(|v| (0..v).map(move |w| (v, w))).map(|(v, w)| (v, w, rng.random_range(-9..10i64))),
    );
    let on = |threads: usize, method| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| count(&graph, method).perfect)
    };
    for method in [Method::InclusionExclusion, Method::Frontier] {
        assert_eq!(on(1, method), on(3, method));
    }
    assert_eq!(on(2, Method::InclusionExclusion), on(2, Method::Frontier));
}

/// Each component takes the time of its own edges: with a pass over all vertices for each, this would not end.
#[test]
fn many_small_components() {
    for (n, reductions) in [(200_000, true), (400, false)] {
        let pairs = graph(n, (0..n / 2).map(|k| (2 * k, 2 * k + 1)));
        let answer = matchings(&pairs, &Options::default().reductions(reductions), &Silent).unwrap();
        assert_eq!(answer.perfect, 1.into());
    }
}

/// A step is announced before it begins, and where nothing but plans is wanted nothing is computed.
#[test]
fn steps_are_announced() {
    struct Plans(bool, Mutex<Vec<Forecast>>);
    impl Observer for Plans {
        fn forecast(&self, forecast: &Forecast) {
            self.1.lock().unwrap().push(forecast.clone());
        }
        fn plans_only(&self) -> bool {
            self.0
        }
    }
    let two = |graph: &WeightedGraph| {
        let n = graph.n();
        let twice = graph.edges().flat_map(|(v, w, x)| [(v, w, x), (v + n as u32, w + n as u32, x)]);
        WeightedGraph::from_edges(2 * n, twice.map(|(v, w, x)| (v as usize, w as usize, x.clone())))
    };
    // Neither bipartite nor planar; two blocks; bipartite.
    for (graph, blocks, name) in
        [(petersen(), 1, ""), (two(&petersen()), 2, ""), (hypercube(4), 1, ""), (grid(4, 4, true), 1, "planar")]
    {
        for by_size in [false, true] {
            let (options, told) = (Options::default().by_size(by_size), Plans(false, Mutex::default()));
            let done = matchings(&graph, &options, &told).unwrap();
            let all = told.1.into_inner().unwrap();
            assert_eq!(all.len(), if by_size { 1 } else { blocks }, "{all:?}");
            assert!(by_size || name.is_empty() || (all[0].name, done.method) == (name, name), "{all:?}");
            let plans = Plans(true, Mutex::default());
            assert!(matches!(matchings(&graph, &options, &plans), Err(Error::Interrupted)));
            assert_eq!(plans.1.into_inner().unwrap().len(), 1);
        }
    }
}

#[test]
fn a_limit_on_memory_names_the_need() {
    let graph = grid(5, 6, true);
    let options = Options::default().by_size(true).max_memory(100);
    let error = matchings(&graph, &options, &Silent).unwrap_err();
    assert!(matches!(&error, Error::Memory(text) if text.contains("100 are allowed")), "{error}");
    let options = Options::default().method(Method::Frontier).reductions(false).max_memory(100);
    assert!(matches!(matchings(&graph, &options, &Silent), Err(Error::Memory(_))));
    let by_size = Options::default().by_size(true).method(Method::Planar);
    assert!(matches!(matchings(&graph, &by_size, &Silent), Err(Error::Usage(_))));
}

/// States are kept where they can be written.
#[cfg(feature = "serde")]
mod states {
    use super::*;
    use num_traits::Zero;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Stops after some questions.
    struct Stop(AtomicUsize);

    impl Observer for Stop {
        fn cancelled(&self) -> bool {
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        }
    }

    #[test]
    fn an_interrupted_sum_is_resumed() {
        let mut rng = Rng::seed_from_u64(9);
        let graph = WeightedGraph::from_edges(
            24,
            (0..24usize).flat_map(|v| (0..v).map(move |w| (v, w))).map(|(v, w)| (v, w, rng.random_range(1..10i64))),
        );
        let folder = std::env::temp_dir().join(format!("blackfield-hafnian-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("state");
        let options = Options::default().method(Method::InclusionExclusion).checkpoint(file.clone());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let run = |observer: &dyn Observer| pool.install(|| matchings(&graph, &options, observer));
        let expected = pool.install(|| count(&graph, Method::InclusionExclusion).perfect);
        assert!(matches!(run(&Stop(AtomicUsize::new(3))), Err(Error::Interrupted)));
        assert!(file.exists());
        let other = complete(24);
        let refused = matchings(&other, &options, &Silent).unwrap_err();
        assert!(matches!(&refused, Error::Input { message, .. } if message.contains("another matrix")), "{refused}");
        let answer = run(&Silent).unwrap();
        assert_eq!(answer.perfect, expected);
        assert!(!answer.proof.resumed.is_empty() && !file.exists());
        assert!(!expected.is_zero());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
