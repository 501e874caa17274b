//! Counting and ranking of subsets: checked binomials, and the position of a k-subset in lexicographic order without a
//! table of all subsets.
//!
//! Among the k-subsets x₀ < … < x_{k-1} of {0, …, n-1} in lexicographic order, x has the position C(n, k) - 1 - Σᵢ
//! C(n-1-xᵢ, k-i) (the combinatorial number system, D. E. Knuth, *The Art of Computer Programming* 4A, 7.2.1.3).

/// C(n, k), or `None` if it or an intermediate product, at most n · C(n, k), exceeds 128 bits.
pub(super) fn binomial(n: u128, k: u128) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    // C(n, i+1) = C(n, i) (n-i) / (i+1), always exact; for i < n/2 the values grow, so that an overflow is found early.
    (0..k.min(n - k)).try_fold(1u128, |c, i| Some(c.checked_mul(n - i)? / (i + 1)))
}

/// n (n-1) … (n-k+1), or `None` if that exceeds 128 bits.
pub(super) fn falling_factorial(n: u128, k: u128) -> Option<u128> {
    if k > n { Some(0) } else { (0..k).try_fold(1u128, |c, i| c.checked_mul(n - i)) }
}

/// a · b · c …, or `None` if a factor is `None` or the product exceeds 128 bits.
pub(super) fn product<const N: usize>(factors: [Option<u128>; N]) -> Option<u128> {
    factors.into_iter().try_fold(1u128, |c, x| c.checked_mul(x?))
}

/// Positions of the k-subsets of {0, …, n-1} in lexicographic order, for all k up to a bound.
pub(super) struct Subsets {
    n: usize,
    /// C(m, k) at `m * (kmax + 1) + k`, saturating: a saturated value never belongs to a subset that can be ranked.
    binomials: Vec<u64>,
    kmax: usize,
}

impl Subsets {
    /// Tables for all k ≤ kmax: (n + 1)(kmax + 1) words.
    pub fn new(n: usize, kmax: usize) -> Self {
        let width = kmax + 1;
        let mut binomials = vec![0u64; (n + 1) * width];
        for m in 0..=n {
            binomials[m * width] = 1;
            for k in 1..=kmax.min(m) {
                let above = (m - 1) * width + k;
                binomials[m * width + k] = binomials[above].saturating_add(binomials[above - 1]);
            }
        }
        Subsets { n, binomials, kmax }
    }

    /// C(m, k) for m ≤ n, k ≤ kmax.
    #[inline]
    pub fn binomial(&self, m: usize, k: usize) -> u64 {
        self.binomials[m * (self.kmax + 1) + k]
    }

    /// The position of the k-subset with the given ascending elements among all k-subsets of {0, …, n-1}.
    #[inline]
    pub fn rank(&self, k: usize, elements: impl Iterator<Item = usize>) -> u64 {
        self.rank_within(self.n, k, elements)
    }

    /// The same among the k-subsets of {0, …, m-1}, m ≤ n.
    #[inline]
    pub fn rank_within(&self, m: usize, k: usize, elements: impl Iterator<Item = usize>) -> u64 {
        let after: u64 = elements.zip((1..=k).rev()).map(|(x, left)| self.binomial(m - 1 - x, left)).sum();
        self.binomial(m, k) - 1 - after
    }

    /// The k-subset of {0, …, m-1} at the given position: `emit` receives its elements, ascending.
    #[inline]
    pub fn unrank_within(&self, m: usize, k: usize, mut place: u64, mut emit: impl FnMut(usize)) {
        let mut x = 0;
        for left in (1..=k).rev() {
            // Subsets whose next element is x: the others are chosen among the m-1-x larger ones.
            while place >= self.binomial(m - 1 - x, left - 1) {
                place -= self.binomial(m - 1 - x, left - 1);
                x += 1;
            }
            emit(x);
            x += 1;
        }
    }
}

/// Steps to the next k-subset of {0, …, n-1} in lexicographic order; false after the last one.
#[inline]
pub(super) fn next_subset(subset: &mut [usize], n: usize) -> bool {
    let k = subset.len();
    let Some(i) = (0..k).rev().find(|&i| subset[i] < n - k + i) else { return false };
    subset[i] += 1;
    for j in i + 1..k {
        subset[j] = subset[j - 1] + 1;
    }
    true
}

/// All k-subsets of {0, …, n-1} in lexicographic order.
pub(super) fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
    let mut subset: Vec<usize> = (0..k).collect();
    let mut all = Vec::new();
    if k <= n {
        all.push(subset.clone());
        while next_subset(&mut subset, n) {
            all.push(subset.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_number_the_subsets_in_order() {
        for n in 0..8 {
            let tables = Subsets::new(n, n);
            for k in 0..=n {
                let all = subsets(n, k);
                assert_eq!(all.len() as u128, binomial(n as u128, k as u128).unwrap());
                assert!(all.is_sorted_by(|a, b| a < b));
                for (place, subset) in all.iter().enumerate() {
                    assert_eq!(tables.rank(k, subset.iter().copied()), place as u64);
                    let mut back = Vec::new();
                    tables.unrank_within(n, k, place as u64, |x| back.push(x));
                    assert_eq!(&back, subset);
                }
            }
        }
        assert!(subsets(2, 3).is_empty());
    }

    #[test]
    fn counts_are_exact_or_refused() {
        assert_eq!(binomial(100, 50), Some(100_891_344_545_564_193_334_812_497_256));
        assert_eq!(binomial(140, 70), None);
        assert_eq!(binomial(1 << 32, 1 << 31), None);
        assert_eq!(binomial(3, 5), Some(0));
        assert_eq!(falling_factorial(8, 6), Some(20160));
        assert_eq!(falling_factorial(5, 6), Some(0));
        assert_eq!(falling_factorial(40, 40), None);
        assert_eq!(product([Some(6), None]), None);
        assert_eq!(product([Some(u128::MAX), Some(2)]), None);
    }
}
