//! The kernel of GF(p) against the one of any field, and at the edges of its sums.

use super::super::kernel::FieldKernel;
use super::*;
use crate::field::{PrimeField, Rng};
use rand::{RngExt, SeedableRng};

/// Around the largest p for which 20 terms fit in one word, and the ends.
const PRIMES: [u64; 8] = [3, 5, 251, 65521, 960383881, 960383909, 4294967279, 4294967291];

#[test]
fn one_word_holds_exactly_the_terms_promised() {
    for p in PRIMES {
        let (k, square) = (terms_in_one_word(Modulus::new(p).unwrap()) as u128, (p as u128 - 1) * (p as u128 - 1));
        assert!(k * square < 1 << 64 && (k + 1) * square >= 1 << 64);
    }
}

#[test]
fn a_step_divides_by_two_to_the_32_for_every_word() {
    for p in PRIMES {
        let kernel = WordKernel::new(Modulus::new(p).unwrap()).unwrap();
        for x in [0, 1, p - 1, p, (p - 1) * (p - 1), LOW, LOW + 1, u64::MAX - 1, u64::MAX] {
            let y = kernel.step(x);
            assert!((1..=(x >> 32) + p).contains(&y));
            assert_eq!((u128::from(y) << 32) % u128::from(p), u128::from(x) % u128::from(p));
        }
    }
}

#[test]
fn even_and_large_moduli_are_left_to_others() {
    for p in [2, 4294967311] {
        assert!(WordKernel::new(Modulus::new(p).unwrap()).is_none());
    }
}

/// Every instruction set against the element-by-element kernel; in round 0 with the largest sums that 20 terms can
/// have.
#[test]
fn all_instruction_sets_agree_with_the_field() {
    let mut rng = Rng::seed_from_u64(3);
    for p in PRIMES {
        let field = PrimeField(Modulus::new(p).unwrap());
        for isa in Isa::available() {
            let kernel = WordKernel::with_isa(field.0, isa).unwrap();
            for round in 0..12 {
                let count = if round == 0 { 19 } else { rng.random_range(1..=20) };
                let (targets, skip, len) = (rng.random_range(0..10), rng.random_range(0..3), rng.random_range(0..80));
                let mut draw =
                    |k| (0..k).map(|_| if round == 0 { p - 1 } else { rng.random_range(0..p) }).collect::<Vec<u64>>();
                let stride = skip + len + 1;
                let (panel, mut rows) = (draw(count * stride), draw(targets * stride));
                // The prepared form of -2⁻⁶⁴ is p - 1.
                let largest = field.0.inv(field.0.neg(kernel.scale));
                let factors = if round == 0 { vec![largest; targets * count] } else { draw(targets * count) };
                let narrow = |v: &[u64]| v.iter().map(|&a| a as u32).collect::<Vec<u32>>();
                let (panel32, mut rows32, mut factors32) = (narrow(&panel), narrow(&rows), narrow(&factors));

                Kernel::<PrimeField>::prepare(&kernel, &mut factors32);
                assert!(round > 0 || factors32.iter().all(|&f| u64::from(f) == p - 1));
                combine(&kernel, &mut rows32, &factors32, &panel32, stride, skip);
                combine(&FieldKernel(&field), &mut rows, &factors, &panel, stride, skip);
                assert_eq!(narrow(&rows), rows32, "combine, p = {p}, {isa:?}");

                // Lines that depend on others, and zero ones.
                let (lines, n) = (rng.random_range(1..24), rng.random_range(1..12));
                let width = n + n.min(lines);
                let mut work = vec![0; lines * width];
                for line in work.chunks_exact_mut(width) {
                    let value = if round == 0 { p - 1 } else { rng.random_range(0..p) };
                    let from = rng.random_range(0..=n);
                    line[from..n].iter_mut().enumerate().for_each(|(i, x)| *x = value * (i as u64 + 1) % p);
                    line[rng.random_range(0..n)] = rng.random_range(0..p);
                }
                let (before, mut work32) = (work.clone(), narrow(&work));
                let pivots = Kernel::<PrimeField>::eliminate(&kernel, &mut work32, width, n);
                assert_eq!(FieldKernel(&field).eliminate(&mut work, width, n), pivots, "p = {p}, {isa:?}");
                assert_eq!(narrow(&work), work32, "eliminate, p = {p}, {isa:?}");
                is_eliminated(&field, &before, &work, &pivots, (width, n));
            }
        }
    }
}

/// The first entries of every line are its old ones and the combination of pivots that its factors say; they are
/// zero just for lines that are no pivots, and those have no factor of a later pivot.
fn is_eliminated(field: &PrimeField, old: &[u64], new: &[u64], pivots: &[usize], (width, n): (usize, usize)) {
    for (at, (line, old_line)) in new.chunks_exact(width).zip(old.chunks_exact(width)).enumerate() {
        let is_pivot = pivots.contains(&at);
        assert_eq!(line[..n].iter().any(|&x| x != 0), is_pivot);
        let mut sum = if is_pivot { vec![0; n] } else { old_line[..n].to_vec() };
        for (&factor, &pivot) in line[n..].iter().zip(pivots) {
            assert!(factor == 0 || pivot <= at);
            field.axpy(&mut sum, factor, &old[pivot * width..][..n]);
        }
        assert_eq!(sum, line[..n]);
    }
}

fn combine<K: Kernel<PrimeField>>(
    kernel: &K,
    rows: &mut [K::Elem],
    factors: &[K::Elem],
    panel: &[K::Elem],
    stride: usize,
    skip: usize,
) {
    let panel: Vec<&[K::Elem]> = panel.chunks_exact(stride).map(|row| &row[skip..]).collect();
    let rows = rows.chunks_exact_mut(stride).zip(factors.chunks_exact(panel.len()));
    let mut targets: Vec<_> = rows.map(|(row, factors)| Target { row: &mut row[skip..], factors }).collect();
    kernel.combine(&mut targets, &panel);
}
