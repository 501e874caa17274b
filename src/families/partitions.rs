//! Partitions and the dimensions of their Specht modules, in terms of which the Betti numbers of chessboard and
//! matching complexes are expressed.

use num_bigint::BigUint;

/// A partition: parts descending, none zero.
pub(super) type Partition = Vec<usize>;

/// All partitions of n.
pub(super) fn partitions(n: usize) -> Vec<Partition> {
    fn extend(left: usize, largest: usize, parts: &mut Partition, all: &mut Vec<Partition>) {
        if left == 0 {
            all.push(parts.clone());
        }
        for part in (1..=left.min(largest)).rev() {
            parts.push(part);
            extend(left - part, part, parts, all);
            parts.pop();
        }
    }
    let mut all = Vec::new();
    extend(n, n, &mut Vec::new(), &mut all);
    all
}

/// The self-conjugate partitions of n with Durfee square d × d: they are the partitions of n into d distinct odd parts,
/// read as the hooks on the diagonal.
pub(super) fn self_conjugate_partitions(n: usize, d: usize) -> Vec<Partition> {
    fn extend(left: usize, count: usize, smallest: usize, hooks: &mut Vec<usize>, all: &mut Vec<Partition>) {
        if count == 0 {
            if left == 0 {
                all.push(from_hooks(hooks));
            }
            return;
        }
        // `count` distinct odd hooks from `hook` on need at least count·hook + count(count - 1).
        let mut hook = smallest;
        while count * hook + count * (count - 1) <= left {
            hooks.push(hook);
            extend(left - hook, count - 1, hook + 2, hooks, all);
            hooks.pop();
            hook += 2;
        }
    }
    /// Hooks ascending: the last is the outermost, with arm and leg (h - 1)/2.
    fn from_hooks(hooks: &[usize]) -> Partition {
        let d = hooks.len();
        let arm = |i: usize| (hooks[d - 1 - i] - 1) / 2;
        let rows = if d == 0 { 0 } else { arm(0) + 1 };
        // Row i < d has i cells left of the diagonal, the diagonal cell, and the arm; the rows below the square are
        // read from the legs: column j < d reaches down to row j + arm(j).
        (0..rows).map(|i| if i < d { i + 1 + arm(i) } else { (0..d).filter(|&j| j + arm(j) >= i).count() }).collect()
    }
    let mut all = Vec::new();
    extend(n, d, 1, &mut Vec::new(), &mut all);
    all
}

/// The conjugate partition.
pub(super) fn conjugate(parts: &[usize]) -> Partition {
    (0..parts.first().copied().unwrap_or(0)).map(|j| parts.iter().filter(|&&x| x > j).count()).collect()
}

/// The partition with one more cell in each of its first k rows (rows are added where there are fewer).
pub(super) fn with_column(parts: &[usize], k: usize) -> Partition {
    (0..k.max(parts.len())).map(|i| parts.get(i).copied().unwrap_or(0) + usize::from(i < k)).collect()
}

/// Whether the diagram contains an a × b rectangle.
pub(super) fn contains_rectangle(parts: &[usize], a: usize, b: usize) -> bool {
    a == 0 || b == 0 || parts.get(a - 1).is_some_and(|&x| x >= b)
}

/// The dimension of the Specht module, n! / Π hook lengths (Frame, Robinson, Thrall 1954).
pub(super) fn specht_dimension(parts: &[usize]) -> BigUint {
    let columns = conjugate(parts);
    let cells = parts.iter().enumerate().flat_map(|(i, &x)| (0..x).map(move |j| (i, j)));
    let hooks: BigUint = cells.map(|(i, j)| BigUint::from(parts[i] - j + columns[j] - i - 1)).product();
    (1..=parts.iter().sum::<usize>()).map(BigUint::from).product::<BigUint>() / hooks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_square_and_sum_to_the_order_of_the_group() {
        let mut factorial = BigUint::from(1u32);
        for n in 0..9usize {
            factorial *= BigUint::from(n.max(1));
            let squares: BigUint = partitions(n).iter().map(|l| specht_dimension(l).pow(2)).sum();
            assert_eq!(squares, factorial, "S_{n}");
        }
        assert_eq!(partitions(10).len(), 42);
    }

    #[test]
    fn self_conjugate_partitions_are_those_that_equal_their_conjugate() {
        for n in 0..16 {
            let durfee = |l: &Partition| l.iter().enumerate().filter(|&(i, &x)| x > i).count();
            for d in 0..5 {
                let mut expected = partitions(n);
                expected.retain(|l| conjugate(l) == *l && durfee(l) == d);
                let mut found = self_conjugate_partitions(n, d);
                expected.sort();
                found.sort();
                assert_eq!(found, expected, "n = {n}, d = {d}");
            }
        }
    }

    #[test]
    fn shapes_grow_and_are_compared() {
        assert_eq!(with_column(&[3, 1], 3), [4, 2, 1]);
        assert_eq!(with_column(&[3, 1, 1], 1), [4, 1, 1]);
        assert!(
            contains_rectangle(&[3, 2], 2, 2) && !contains_rectangle(&[3, 2], 2, 3) && contains_rectangle(&[], 0, 9)
        );
    }
}
