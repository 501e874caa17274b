//! Ranks of products with a sparse factor, whose rows share parts.

use super::{Method, RankOptions, rank, rank_owned, rank_plan};
use crate::Silent;
use crate::certify::Certainty;
use crate::field::{Modulus, Rng};
use crate::sparse::SparseMatrix;
use rand::{RngExt, SeedableRng};

/// L·R: two entries a row, some rows with one or none; eight a row.
fn product(p: u64) -> SparseMatrix {
    let (mut rng, modulus) = (Rng::seed_from_u64(93), Modulus::new(p).unwrap());
    let right: Vec<[usize; 8]> = (0..500).map(|_| [0; 8].map(|_| rng.random_range(0..4000))).collect();
    let mut entries = vec![];
    for i in 0..5000 {
        for _ in 0..(i % 50).min(2) {
            let (part, factor) = (rng.random_range(0..right.len()), rng.random_range(1..p));
            entries.extend(right[part].iter().map(|&j| (i, j, factor)));
        }
    }
    SparseMatrix::from_triplets(modulus, 5000, 4000, &entries)
}

#[test]
fn parts_take_the_place_of_rows() {
    for p in [2, 65521] {
        let a = product(p);
        let options = |method| RankOptions { method, ..Default::default() };
        let expected = rank(&a, &options(Method::Elimination), &Silent).unwrap();
        assert!(expected.certainty == Certainty::Proven && expected.path[0].name == "structural pivots");
        for threads in [1, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let auto = options(Method::Auto);
            let [answer, owned] =
                pool.install(|| [rank(&a, &auto, &Silent).unwrap(), rank_owned(a.clone(), &auto, &Silent).unwrap()]);
            assert_eq!([answer.rank, owned.rank], [expected.rank; 2]);
            assert_eq!(answer.path.iter().filter_map(|step| step.rank).sum::<usize>(), answer.rank);
            assert_eq!(answer.path[0].name, "shared parts", "{:?}", answer.path);
            let plan = rank_plan(&a, &auto, &Silent).unwrap();
            assert_eq!((plan.made[0].name, &plan.made[0].found), ("shared parts", &answer.path[0].found));
        }
        // Lines of A are named by a minor.
        let minor = RankOptions { minor: true, ..Default::default() };
        let named = rank(&a, &minor, &Silent).unwrap();
        assert_eq!((named.rank, named.path[0].name), (expected.rank, "structural pivots"));
        assert_eq!(named.minor.unwrap().rows().len(), expected.rank);
    }
}
