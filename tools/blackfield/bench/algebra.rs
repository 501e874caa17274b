//! Transforms, products of polynomial matrices, order bases, ranks of dense matrices.

use super::clock::{Clock, Run};
use blackfield::cost::Machine;
use blackfield::dense::{Echelon, gemm};
use blackfield::field::{Field, Modulus, PrimeField, Rng};
use blackfield::poly::{Kept, Ntt, PolyMatrix, ProductPlan, ProductShape, Row, evaluate_at};
use blackfield::sigma_basis::{Params, pm_basis, verify};
use blackfield::{Error, Result};
use rand::{RngExt, SeedableRng};

fn random(field: &PrimeField, rows: usize, cols: usize, len: usize, rng: &mut Rng) -> PolyMatrix<u64> {
    PolyMatrix::from_coefficients(rows, cols, (0..rows * cols * len).map(|_| field.random(rng)).collect())
}

/// Forward and back: the coefficients times the number of points.
pub fn transforms(clock: &mut Clock) -> Result<()> {
    let p = Modulus::new(Ntt::PRIMES[0])?;
    let mut rng = Rng::seed_from_u64(1);
    for points in clock.pick(&[64, 96][..], &[1024, 4096, 12288, 65536, 262144][..]) {
        let ntt = Ntt::new(0, *points);
        let given: Vec<Row> =
            (0..*points).map(|_| Row(std::array::from_fn(|_| rng.random_range(0..p.get())))).collect();
        // The sum over all roots of unity is the constant term times their number.
        let mut values = given.clone();
        ntt.forward(&mut values);
        let sum = values.iter().fold(0, |sum, row| p.add(sum, row.0[3]));
        if sum != p.mul(*points as u64, given[0].0[3]) {
            return Err(Error::Check(format!("a transform of {points} points")));
        }
        let run = Run {
            group: "transforms",
            name: format!("eight of {points} points mod {p}, forward and back"),
            work: 16.0 * *points as f64 * (*points as f64).log2(),
            unit: "points by levels",
            predicted: None,
            goal: None,
        };
        let there_and_back = |data: &mut Vec<Row>| {
            data.copy_from_slice(&given);
            ntt.forward(data);
            ntt.inverse(data);
            Ok(())
        };
        let scaled = |row: &Row| row.0.map(|c| p.mul(c, *points as u64));
        let is_right = |data: &Vec<Row>| Ok(data.iter().zip(&given).all(|(found, row)| found.0 == scaled(row)));
        clock.time(run, given.clone(), there_and_back, is_right)?;
    }
    Ok(())
}

/// Each method that is predicted to take at most ten times as long as the best; checked at a random point.
pub fn polynomials(clock: &mut Clock, modulus: Modulus, machine: &Machine) -> Result<()> {
    let field = PrimeField(modulus);
    let mut rng = Rng::seed_from_u64(2);
    let _kept = Kept::new();
    let (size, lengths) = clock.pick((4, &[1, 40][..]), (32, &[4, 64, 512, 4096][..]));
    for &len in lengths {
        let (a, b) = (random(&field, size, size, len, &mut rng), random(&field, size, size / 2, len, &mut rng));
        let plan = ProductPlan::at(&machine.poly, &field, ProductShape::of(&a, &b, 0, 2 * len - 1));
        let point = field.random(&mut rng);
        let [at_a, at_b] = [&a, &b].map(|factor| evaluate_at(&field, factor, point));
        let mut expected = vec![0; size * size / 2];
        gemm(modulus, size, size, size / 2, &at_a, &at_b, &mut expected)?;
        let best = plan.candidates.iter().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min);
        for &(method, seconds) in plan.candidates.iter().filter(|(_, seconds)| *seconds <= 10.0 * best) {
            let forced = plan.clone().with_method(method);
            let chosen = if method == plan.method { ", chosen" } else { "" };
            let run = Run {
                group: "polynomials",
                name: format!("{size} x {size} x {} of length {len}, {method}{chosen}", size / 2),
                work: (len * len * size * size * size / 2) as f64,
                unit: "multiply-adds of the definition",
                predicted: Some(seconds),
                goal: None,
            };
            let multiply = |product: &mut Option<PolyMatrix<u64>>| {
                *product = Some(forced.execute(&field, &a, &b)?);
                Ok(())
            };
            let is_right = |product: &Option<PolyMatrix<u64>>| {
                Ok(product.as_ref().is_some_and(|product| evaluate_at(&field, product, point) == expected))
            };
            clock.time(run, None, multiply, is_right)?;
        }
    }
    Ok(())
}

/// Order bases of random series, verified.
pub fn sigma_basis(clock: &mut Clock, modulus: Modulus, machine: &Machine) -> Result<()> {
    let field = PrimeField(modulus);
    let mut rng = Rng::seed_from_u64(3);
    let _kept = Kept::new();
    let observer = clock.stops();
    let (s, orders) = clock.pick((2, &[16][..]), (16, &[256, 1024, 4096][..]));
    for &order in orders {
        let series = random(&field, 2 * s, s, order, &mut rng);
        let (params, shift) = (Params::for_field(&field), vec![0; 2 * s]);
        let work = 16.0 * (s as f64).powi(3) * order as f64 * (order as f64).log2();
        let run = Run {
            group: "sigma-basis",
            name: format!("{} x {s} of order {order} mod {modulus}", 2 * s),
            work,
            unit: "multiply-adds by levels",
            predicted: Some(work * machine.wiedemann.basis_of(s)),
            goal: None,
        };
        let search = |basis: &mut Option<_>| {
            *basis = Some(pm_basis(&field, &series, order, &shift, &params, &observer)?);
            Ok(())
        };
        clock.time(run, None, search, |basis| {
            let mut rng = Rng::seed_from_u64(4);
            let basis = basis.as_ref().ok_or_else(|| Error::Check("no order basis".into()))?;
            verify(&field, &series, &shift, basis, 1, &mut rng).map(|()| true)
        })?;
    }
    Ok(())
}

/// Ranks of products L·R whose rank is known: L begins with a unit lower triangle, R with a unit upper one.
pub fn ranks(clock: &mut Clock, modulus: Modulus, machine: &Machine) -> Result<()> {
    let mut rng = Rng::seed_from_u64(5);
    let observer = clock.stops();
    for &n in clock.pick(&[24][..], &[500, 1000, 2000][..]) {
        for rank in [n, n / 4] {
            let [mut left, mut right] = [(); 2].map(|()| vec![0; n * rank]);
            for i in 0..n {
                for k in 0..rank {
                    let random = rng.random_range(0..modulus.get());
                    left[i * rank + k] = if i == k { 1 } else { random * u64::from(i > k) };
                    let random = rng.random_range(0..modulus.get());
                    right[k * n + i] = if i == k { 1 } else { random * u64::from(i > k) };
                }
            }
            let mut a = vec![0; n * n];
            gemm(modulus, n, rank, n, &left, &right, &mut a)?;
            let dense = &machine.dense;
            let seconds = Echelon::seconds(dense, modulus, rank, n)
                + Echelon::dependent_seconds(dense, modulus, n - rank, rank, n)
                + Echelon::absorbing_seconds(dense, modulus, n, n);
            let (m, r) = (n as f64, rank as f64);
            let run = Run {
                group: "ranks",
                name: format!("{n} x {n} of rank {rank} mod {modulus}"),
                work: r * r * (m / 2.0 - r / 6.0) + (m - r) * r * (m - r / 2.0),
                unit: "multiply-adds",
                predicted: Some(seconds),
                goal: None,
            };
            let eliminate = |found: &mut usize| {
                *found = Echelon::new(modulus, n)?.absorb_block(n, &a, &observer)?;
                Ok(())
            };
            clock.time(run, 0, eliminate, |found| Ok(*found == rank))?;
        }
    }
    Ok(())
}
