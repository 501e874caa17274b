//! Integers and floating-point numbers made of one another by additions, which every instruction set has for vectors.

/// 3·2⁵¹: added to a number below 2⁵¹ in size it rounds that to an integer, which then appears in the low bits.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;

/// x as a floating-point number, for |x| < 2⁵¹.
#[inline(always)]
pub(crate) fn float(x: i64) -> f64 {
    f64::from_bits(x.wrapping_add(ROUND.to_bits() as i64) as u64) - ROUND
}

/// The integer nearest to x, for |x| < 2⁵¹; of two, the even one.
#[inline(always)]
pub(crate) fn rounded(x: f64) -> i64 {
    ((x + ROUND).to_bits() as i64).wrapping_sub(ROUND.to_bits() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_up_to_the_edge() {
        let edge = (1 << 51) - 1;
        for x in [0, 1, 2, 3, 1 << 24, (1 << 32) + 1, (1 << 50) + 1, edge - 1, edge] {
            for x in [x, -x] {
                assert_eq!((float(x), rounded(x as f64)), (x as f64, x));
            }
        }
        // Halves are even there; below 2⁵⁰ there are numbers between.
        for (x, integer) in
            [(0.5, 0), (1.5, 2), (-0.5, 0), (-1.5, -2), (2.4, 2), (-2.6, -3), (1e15 + 0.75, 1_000_000_000_000_001)]
        {
            assert_eq!(rounded(x), integer, "{x}");
        }
    }
}
