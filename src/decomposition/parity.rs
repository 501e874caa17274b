//! The sign of a permutation.

use crate::{Result, memory};

/// What the memory is for.
const LINES: &str = "a permutation";

/// Whether the permutation that sends the row of each pair to its column is odd.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// Unless the pairs are those of a permutation of 0 … n-1.
pub fn is_odd(pairs: &[(u32, u32)]) -> Result<bool> {
    let mut image = memory::filled(u32::MAX, pairs.len(), LINES)?;
    pairs.iter().for_each(|&(i, j)| image[i as usize] = j);
    let mut odd = false;
    for i in 0..image.len() {
        // A cycle of length l is a product of l - 1 transpositions.
        let mut at = i;
        while image[at] as usize != i && image[at] != u32::MAX {
            odd = !odd;
            at = std::mem::replace(&mut image[at], u32::MAX) as usize;
        }
        image[at] = u32::MAX;
    }
    Ok(odd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn parity_is_that_of_the_inversions() {
        let mut rng = Rng::seed_from_u64(1);
        for n in 0..40 {
            let mut image: Vec<u32> = (0..n).collect();
            (1..n as usize).for_each(|i| image.swap(i, rng.random_range(0..=i)));
            let inversions = (0..n as usize).flat_map(|i| (0..i).map(move |k| (k, i)));
            let inversions = inversions.filter(|&(k, i)| image[k] > image[i]).count();
            let mut pairs: Vec<(u32, u32)> = (0..n).zip(image).collect();
            pairs.reverse();
            assert_eq!(is_odd(&pairs).unwrap(), inversions % 2 == 1);
        }
    }
}
