//! Closed forms on planar graphs, weights of both signs against Laplace, and graphs that are not planar.

use super::Planar;
use crate::field::{Modulus, Rng};
use crate::permanent::shapes::{aztec_diamond, board, chessboard, dominoes, hexagon, laplace, macmahon};
use crate::permanent::{Exact, IntMatrix};
use crate::{Silent, permanent::bound::permanent_bound};
use num_bigint::{BigInt, BigUint};
use rand::{RngExt, SeedableRng};

fn planar(a: &IntMatrix) -> Exact {
    Planar::new(a).unwrap().expect("planar").permanent(permanent_bound(a).unwrap(), &Silent).unwrap()
}

#[test]
fn domino_boards() {
    assert_eq!(planar(&chessboard(8, 8).unwrap()).value, BigInt::from(12_988_816));
    for m in 1..9 {
        for n in 1..9 {
            if let Some(a) = chessboard(m, n as i32) {
                assert_eq!(planar(&a).value, dominoes(m, n).into(), "{m} x {n}");
            }
        }
    }
    assert_eq!(planar(&chessboard(40, 7).unwrap()).value, dominoes(40, 7).into());
}

#[test]
fn a_large_square_board_is_a_power_of_two_times_a_square() {
    // W. Jockusch, Perfect matchings and perfect squares (1994): 2^k times an odd square on the 2k × 2k board.
    let exact = planar(&chessboard(30, 30).unwrap());
    let value: BigUint = exact.value.try_into().unwrap();
    assert_eq!(value.trailing_zeros(), Some(15));
    let odd: BigUint = value >> 15;
    assert_eq!(odd.sqrt().pow(2), odd);
    assert!(exact.bound.unwrap().bits > 200 && exact.moduli.len() > 6);
}

#[test]
fn aztec_diamonds_and_hexagons() {
    for n in 0..13 {
        assert_eq!(planar(&aztec_diamond(n)).value, BigInt::from(1) << (n * (n + 1) / 2), "order {n}");
    }
    for (a, b, c) in [(1, 1, 1), (2, 2, 2), (1, 3, 4), (4, 3, 2), (5, 5, 5), (8, 7, 6)] {
        assert_eq!(planar(&hexagon(a, b, c)).value, macmahon(a as u32, b as u32, c as u32).into(), "{a} {b} {c}");
    }
}

#[test]
fn holes_bridges_several_components_and_weights_of_both_signs() {
    let mut rng = Rng::seed_from_u64(5);
    let (mut zero, mut nonzero) = (0, 0);
    for round in 0..600 {
        // A board with random cells and edges removed; its pieces are connected by bridges or not at all.
        let keep = rng.random_range(0.6..1.0);
        let cells: Vec<_> =
            (0..6).flat_map(|x| (0..6).map(move |y| (x, y))).filter(|_| rng.random_bool(keep)).collect();
        let Some(a) = board(cells.into_iter()) else { continue };
        let weights = [vec![1], vec![1, 2], vec![-3, -1, 1, 2], vec![i64::MIN, i64::MAX, -1]];
        let weights = &weights[round % 4];
        let entries: Vec<_> = a
            .entries()
            .map(|(i, j, _)| {
                (i, j, if rng.random_bool(0.95) { weights[rng.random_range(0..weights.len())] } else { 0 })
            })
            .collect();
        let a = IntMatrix::from_entries(a.n(), entries);
        let (found, expected) = (planar(&a), laplace(&a));
        assert_eq!(found.value, expected, "{a:?}");
        assert!(expected.magnitude().bits() <= permanent_bound(&a).unwrap().bits + 1);
        for p in [2, 3, 65521] {
            let residue = Planar::new(&a).unwrap().unwrap().permanent_mod(Modulus::new(p).unwrap(), &Silent).unwrap();
            assert_eq!(residue, Modulus::new(p).unwrap().reduce_bigint(&expected));
        }
        if expected == BigInt::ZERO { zero += 1 } else { nonzero += 1 }
    }
    assert!(zero > 20 && nonzero > 50, "{zero} {nonzero}");
}

#[test]
fn small_and_degenerate_matrices() {
    let none = std::iter::empty::<(usize, usize, i64)>;
    assert_eq!(planar(&IntMatrix::from_entries(0, none())).value, BigInt::from(1));
    assert_eq!(planar(&IntMatrix::from_entries(3, none())).value, BigInt::ZERO);
    assert_eq!(planar(&IntMatrix::from_entries(1, [(0, 0, -7)])).value, BigInt::from(-7));
    // Cancellation: the signed sum vanishes although there are matchings.
    assert_eq!(planar(&IntMatrix::from_entries(2, [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, -1)])).value, BigInt::ZERO);
    assert!(Planar::new(&IntMatrix::from_entries(3, (0..9).map(|k| (k / 3, k % 3, 1)))).unwrap().is_none());
}
