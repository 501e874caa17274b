//! Inclusion matrices of pairs in k-subsets, and small block designs.
//!
//! `bibd_v_k`: rows are the pairs, columns the k-subsets of v points, both in lexicographic order, entry 1 where the
//! pair lies in the subset. Adding the same points to two subsets does not change their order, so that a row is filled
//! from left to right by walking over the (k-2)-subsets of the other points.

use super::assemble::{Shape, constant_rows};
use super::combinatorics::{Subsets, binomial, next_subset, product};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};

/// The inclusion matrix of pairs in k-subsets of v points, 2 ≤ k ≤ v.
pub(super) fn pairs_in_subsets(v: usize, k: usize) -> Result<Triplets> {
    if !(2..=v).contains(&k) {
        return Err(Error::Usage(format!("blocks of {k} among {v} points: 2 <= k <= v is needed")));
    }
    let (v128, k128) = (v as u128, k as u128);
    let (rows, cols) = (binomial(v128, 2), binomial(v128, k128));
    let shape = Shape::checked(rows, cols, product([rows, binomial(v128 - 2, k128 - 2)]))?;
    // A large subset is named by its complement, which comes as late as the subset comes early.
    let complement = k > v - k;
    let small = k.min(v - k);
    let (pairs, names) = (Subsets::new(v, 2), Subsets::new(v, small));
    constant_rows(
        shape,
        || (Vec::new(), Vec::new()),
        |(others, chosen): &mut (Vec<usize>, Vec<usize>), i, row, values| {
            values.fill(1);
            let mut pair = [0; 2];
            let mut at = 0;
            pairs.unrank_within(v, 2, i as u64, |x| {
                pair[at] = x;
                at += 1;
            });
            others.clear();
            others.extend((0..v).filter(|x| !pair.contains(x)));
            chosen.clear();
            chosen.extend(0..if complement { small } else { k - 2 });
            let last = row.len() - 1;
            for slot in 0..row.len() {
                let points = chosen.iter().map(|&x| others[x]);
                if complement {
                    row[last - slot] = (shape.cols as u64 - 1 - names.rank(small, points)) as u32;
                } else {
                    row[slot] = names.rank(k, merged(points, pair)) as u32;
                }
                next_subset(chosen, others.len());
            }
        },
    )
}

/// The ascending union of ascending points and a pair, disjoint from them.
fn merged(points: impl Iterator<Item = usize>, pair: [usize; 2]) -> impl Iterator<Item = usize> {
    let (mut points, mut pair) = (points.peekable(), pair.into_iter().peekable());
    std::iter::from_fn(move || match (points.peek(), pair.peek()) {
        (Some(x), Some(y)) if x < y => points.next(),
        (_, Some(_)) => pair.next(),
        _ => points.next(),
    })
}

/// The rank of the inclusion matrix: for t ≤ min(k, v-k) that of t-subsets in k-subsets is the sum of C(v,i) - C(v,i-1)
/// over the i ≤ t with p ∤ C(k-i, t-i); over ℚ all i count, so that the rank is C(v,t).
///
/// D. Gottlieb, *A certain class of incidence matrices*, 1966 (ℚ); R. Wilson, *A diagonal form for the incidence
/// matrices of t-subsets vs. k-subsets*, European J. Combin. 11 (1990) (every p). For k > v-2 complements turn pairs in
/// k-subsets into (v-k)-subsets in (v-2)-subsets.
pub(super) fn pairs_in_subsets_rank(v: usize, k: usize, p: Option<Modulus>) -> Option<usize> {
    if !(2..=v).contains(&k) {
        return None;
    }
    let (t, k) = if v - k < 2 { (v - k, v - 2) } else { (2, k) };
    let vanishes = |c: u128| p.is_some_and(|p| c.is_multiple_of(u128::from(p.get())));
    let mut rank = 0;
    for i in 0..=t as u128 {
        let step = binomial(v as u128, i)? - if i == 0 { 0 } else { binomial(v as u128, i - 1)? };
        if !vanishes(binomial(k as u128 - i, t as u128 - i)?) {
            rank += step;
        }
    }
    usize::try_from(rank).ok()
}

/// A set of points as bits.
pub(super) type Block = u32;

/// The cyclic Steiner triple system on 13 points: the translates of {0, 1, 4} and {0, 2, 7}.
pub(super) fn cyclic_triples_13() -> Vec<Block> {
    translates(13, &[[0, 1, 4], [0, 2, 7]])
}

/// The 35 lines of the projective space PG(3, 2): {a, b, a ⊕ b} for the points 1 … 15.
pub(super) fn lines_of_projective_space() -> Vec<Block> {
    let pairs = (1u32..16).flat_map(|a| (a + 1..16).map(move |b| (a, b)));
    pairs.filter(|(a, b)| a ^ b > *b).map(|(a, b)| 1 << a | 1 << b | 1 << (a ^ b)).collect()
}

/// The cyclic Steiner triple system on 15 points that is not PG(3, 2): {0, 1, 4}, {0, 2, 9} and the short orbit of {0,
/// 5, 10}.
pub(super) fn cyclic_triples_15() -> Vec<Block> {
    let mut blocks = translates(15, &[[0, 1, 4], [0, 2, 9]]);
    blocks.extend((0..5).map(|s| 1 << s | 1 << (s + 5) | 1 << (s + 10)));
    blocks
}

fn translates(v: u32, bases: &[[u32; 3]]) -> Vec<Block> {
    let translate = |base: &[u32; 3], s: u32| base.iter().map(|x| 1 << ((x + s) % v)).sum();
    bases.iter().flat_map(|base| (0..v).map(move |s| translate(base, s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triple_systems_cover_every_pair_once() {
        for (v, first, blocks) in
            [(13, 0, cyclic_triples_13()), (15, 1, lines_of_projective_space()), (15, 0, cyclic_triples_15())]
        {
            assert_eq!(blocks.len(), v * (v - 1) / 6);
            for b in first..first + v {
                for a in first..b {
                    let pair = 1 << a | 1 << b;
                    assert_eq!(blocks.iter().filter(|&&block| block & pair == pair).count(), 1, "{a}, {b} of {v}");
                }
            }
        }
    }
}
