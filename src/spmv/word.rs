//! Sums of two residues in the lane that holds them, without a wider word.

/// An unsigned integer of a lane.
pub(super) trait Word: Copy {
    /// A number that fits.
    fn narrow(x: u64) -> Self;
    /// The difference of p and a residue.
    fn minus(self, x: Self) -> Self;
    /// (self + x) mod p for a residue self, a residue x or x = p, and `opposite` = p - x: self ≥ p - x says that p must
    /// go, and neither result leaves 0 … p - 1.
    fn add_residue(self, x: Self, opposite: Self) -> Self;
}

macro_rules! words {
    ($($word:ty)*) => {
        $(impl Word for $word {
            #[inline(always)]
            fn narrow(x: u64) -> Self {
                x as $word
            }
            #[inline(always)]
            fn minus(self, x: Self) -> Self {
                self.wrapping_sub(x)
            }
            #[inline(always)]
            fn add_residue(self, x: Self, opposite: Self) -> Self {
                // The branch not taken may wrap.
                if self >= opposite { self.wrapping_sub(opposite) } else { self.wrapping_add(x) }
            }
        })*
    };
}
words!(u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    #[test]
    fn sums_stay_residues_up_to_the_largest_modulus_of_a_word() {
        fn check<W: Word + Into<u64>>(p: u64) {
            let m = Modulus::new(p).unwrap();
            let some = [0, 1, 2, p / 2, p / 2 + 1, p - 2, p - 1].map(|x| x % p);
            for a in some {
                for x in some {
                    let (word, opposite) = (W::narrow(x), W::narrow(p).minus(W::narrow(x)));
                    let sum: u64 = W::narrow(a).add_residue(word, opposite).into();
                    let difference: u64 = W::narrow(a).add_residue(opposite, word).into();
                    assert_eq!((sum, difference), (m.add(a, x), m.sub(a, x)), "{a} and {x} mod {p}");
                }
            }
        }
        [2, 3, 127, 131, 251].into_iter().for_each(check::<u8>);
        [2, 257, 32749, 32771, 65521].into_iter().for_each(check::<u16>);
        [3, 65537, (1 << 31) - 1, 2_147_483_659, 4_294_967_291].into_iter().for_each(check::<u32>);
        [2, 4_294_967_311, (1 << 61) - 1, (1 << 63) - 25].into_iter().for_each(check::<u64>);
    }
}
