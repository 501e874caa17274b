//! The method of four Russians on one strip of 512 columns: lines += coefficients · basis.
//!
//! Six basis lines make a table of their 64 sums, 4 KiB; six tables, which stay in the first cache, clear 36 pivot
//! columns of a line in one pass over it. Fewer lines do not repay so large tables: they get sums of four, or none.

use super::line::Line;

/// Basis lines that one call takes: the bits of a coefficient.
pub(super) const DEPTH: usize = 64;
/// Lines that are added one by one up to here: tables of sums of four cost 16 · 16 additions, and save half of 64 for
/// each.
const FEW: usize = 16;
/// Lines that repay tables of 64 sums.
const MANY: usize = 160;
/// Lines of all tables of a pass.
const ROOM: usize = 6 << 6;

/// Memory for tables.
#[derive(Debug)]
pub(super) struct Room([Line; ROOM]);

impl Room {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Room([Line::default(); ROOM])
    }

    /// Adds to each line the sum of the basis lines, at most 64, whose bits its coefficient has.
    #[inline(always)]
    pub(super) fn add(&mut self, basis: &[Line], coefficients: &[u64], lines: &mut [Line]) {
        debug_assert!(basis.len() <= DEPTH && coefficients.len() == lines.len());
        match lines.len() {
            0..FEW => add_singly(basis, coefficients, lines),
            FEW..MANY => self.by_tables_of_16(basis, coefficients, lines),
            MANY.. => self.by_tables_of_64(basis, coefficients, lines),
        }
    }

    #[inline(always)]
    fn by_tables_of_64(&mut self, basis: &[Line], coefficients: &[u64], lines: &mut [Line]) {
        for first in (0..basis.len()).step_by(36) {
            let part = &basis[first..];
            match part.len() {
                0..=6 => self.pass::<6, 1>(part, first, coefficients, lines),
                7..=12 => self.pass::<6, 2>(part, first, coefficients, lines),
                13..=24 => self.pass::<6, 4>(part, first, coefficients, lines),
                25..=30 => self.pass::<6, 5>(part, first, coefficients, lines),
                _ => self.pass::<6, 6>(part, first, coefficients, lines),
            }
        }
    }
    #[inline(always)]
    fn by_tables_of_16(&mut self, basis: &[Line], coefficients: &[u64], lines: &mut [Line]) {
        for first in (0..basis.len()).step_by(32) {
            let part = &basis[first..];
            match part.len() {
                0..=8 => self.pass::<4, 2>(part, first, coefficients, lines),
                9..=16 => self.pass::<4, 4>(part, first, coefficients, lines),
                _ => self.pass::<4, 8>(part, first, coefficients, lines),
            }
        }
    }
    /// Adds the sums of up to `BITS · TABLES` lines of `basis`, whose first has the coefficient bit `first`.
    #[inline(always)]
    fn pass<const BITS: usize, const TABLES: usize>(
        &mut self,
        basis: &[Line],
        first: usize,
        coefficients: &[u64],
        lines: &mut [Line],
    ) {
        let tables = &mut self.0[..TABLES << BITS];
        for t in 0..TABLES {
            let part = basis.get(BITS * t..).unwrap_or(&[]);
            fill(&part[..part.len().min(BITS)], &mut tables[t << BITS..(t + 1) << BITS]);
        }
        let tables = &*tables;
        // The bits without a pivot row.
        let beyond = if first + basis.len() < DEPTH { !0 << (first + basis.len()) } else { 0 };
        for (line, &c) in lines.iter_mut().zip(coefficients) {
            // A loop that may end here is not turned round by the compiler to gather words from eight lines at once.
            assert!(c & beyond == 0, "a coefficient of a line that is not there");
            let (mut sum, c) = (*line, c >> first);
            for t in 0..TABLES {
                sum.add(&tables[t << BITS | (c >> (BITS * t)) as usize & ((1 << BITS) - 1)]);
            }
            *line = sum;
        }
    }
}

/// Writes all sums of `lines`, each the one before plus a line, in the order of the Gray code.
#[inline(always)]
fn fill(lines: &[Line], table: &mut [Line]) {
    let mut sum = Line::default();
    table[0] = sum;
    for i in 1..1usize << lines.len() {
        sum.add(&lines[i.trailing_zeros() as usize]);
        table[i ^ i >> 1] = sum;
    }
}

#[inline(always)]
fn add_singly(basis: &[Line], coefficients: &[u64], lines: &mut [Line]) {
    for (line, &c) in lines.iter_mut().zip(coefficients) {
        let (mut sum, mut rest) = (*line, c);
        while rest != 0 {
            sum.add(&basis[rest.trailing_zeros() as usize]);
            rest &= rest - 1;
        }
        *line = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::isa::{Isa, Kernel};
    use rand::{RngExt, SeedableRng};

    struct Add<'a>(&'a [Line], &'a [u64], &'a mut [Line]);
    impl Kernel for Add<'_> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            Room::new().add(self.0, self.1, self.2);
        }
    }

    #[test]
    fn sums_by_tables_are_sums_line_by_line() {
        let mut rng = Rng::seed_from_u64(41);
        let mut random = |count: usize| -> Vec<Line> {
            (0..count).map(|_| Line(std::array::from_fn(|_| rng.random_range(0..=u64::MAX)))).collect()
        };
        for depth in [0, 1, 5, 6, 7, 12, 13, 30, 31, 35, 36, 37, 43, 61, 63, 64] {
            for count in [0, 1, 15, 16, 17, 159, 160, 161] {
                let (basis, lines) = (random(depth), random(count));
                let mask = if depth == 64 { !0 } else { (1 << depth) - 1 };
                let coefficients: Vec<u64> = random(count).iter().map(|line| line.0[0] & mask).collect();
                let mut twin = lines.clone();
                for (line, c) in twin.iter_mut().zip(&coefficients) {
                    (0..depth).filter(|k| c >> k & 1 == 1).for_each(|k| line.add(&basis[k]));
                }
                for isa in Isa::available() {
                    let mut sums = lines.clone();
                    isa.run(Add(&basis, &coefficients, &mut sums));
                    assert_eq!(sums, twin, "{count} lines of {depth} by {isa:?}");
                }
            }
        }
    }
}
