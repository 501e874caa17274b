//! The determinant of a polynomial matrix over GF(p): by interpolation in GF(p) if it has enough points, else in an
//! extension.
//!
//! Over GF(q), q = pᵏ, values at x and at xᵖ determine each other: F has its coefficients in GF(p), so that det F(xᵖ) =
//! (det F(x))ᵖ. One determinant serves the k conjugates of a point. Newton's interpolation then takes d² operations for
//! degree d.

use crate::dense;
use crate::field::{ExtensionField, Field, Modulus, Packed, Rng};
use crate::parallel::Each;
use crate::poly::{PolyMatrix, evaluate_at};
use crate::univariate::trim;
use crate::wiedemann::determinant_by_interpolation;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::collections::HashMap;

/// What the memory is for.
const VALUES: &str = "the determinant of a polynomial matrix";
/// Points whose determinants are computed before the observer is asked.
const BATCH: usize = 256;

/// det F, of degree at most `bound`.
pub(super) fn determinant(
    p: Modulus,
    f: &PolyMatrix<u64>,
    bound: usize,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<u64>> {
    let mut found = match determinant_by_interpolation(p, f, bound, observer)? {
        Some(found) => found,
        None => in_an_extension(p, f, bound, rng, observer)?,
    };
    trim(&mut found);
    Ok(found)
}

/// A point of the extension for each class of conjugates, until these are `count` or more together.
fn representatives(field: &ExtensionField, count: usize) -> Result<Vec<Vec<Packed>>> {
    let (p, k) = (field.modulus().get(), field.degree());
    let mut seen: HashMap<Packed, ()> = HashMap::new();
    let mut digits = vec![0; k];
    let mut orbits = vec![];
    while seen.len() < count {
        let x = field.from_digits(&digits);
        if !seen.contains_key(&x) {
            let mut orbit = vec![];
            let mut conjugate = x;
            memory::reserve_table(&mut seen, k, VALUES)?;
            while seen.insert(conjugate, ()).is_none() {
                orbit.push(conjugate);
                conjugate = field.pow(conjugate, p.into());
            }
            memory::push(&mut orbits, orbit, VALUES)?;
        }
        // The next element: digits as those of a number.
        for digit in &mut digits {
            *digit += 1;
            if *digit < p {
                break;
            }
            *digit = 0;
        }
    }
    Ok(orbits)
}

fn in_an_extension(
    p: Modulus,
    f: &PolyMatrix<u64>,
    bound: usize,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<u64>> {
    let degree = (1..).find(|&k| (p.get() as u128).pow(k as u32) > bound as u128).expect("a power above the bound");
    let field = ExtensionField::new(p, degree, rng);
    let s = f.rows();
    let embedded = memory::collect(f.data().iter().map(|&x| field.embed(x)), VALUES)?;
    let embedded = PolyMatrix::from_coefficients(s, s, embedded);
    let orbits = representatives(&field, bound + 1)?;
    let mut newton = Newton::new(&field, bound)?;
    observer.phase("interpolation", orbits.len() as u64);
    for (orbits, done) in orbits.chunks(BATCH).zip((0..).step_by(BATCH)) {
        observer.check()?;
        observer.progress(done);
        let value = |orbit: &Vec<Packed>| {
            let mut at = evaluate_at(&field, &embedded, orbit[0]);
            dense::determinant(&field, s, &mut at)
        };
        let values: Vec<Packed> = orbits.par_iter().make(value);
        for (orbit, mut value) in orbits.iter().zip(values) {
            for &x in orbit {
                newton.add(x, value);
                value = field.pow(value, p.get().into());
            }
        }
    }
    let mut digits = vec![0; degree];
    let mut residues = memory::with_capacity(bound + 1, VALUES)?;
    for &c in &newton.polynomial[..=bound] {
        field.write_digits(c, &mut digits);
        if digits[1..].iter().any(|&d| d != 0) {
            return Err(Error::Check("a determinant over GF(p) with a coefficient outside GF(p)".into()));
        }
        residues.push(digits[0]);
    }
    Ok(residues)
}

/// The polynomial of least degree with given values, point after point.
struct Newton<'a> {
    field: &'a ExtensionField,
    polynomial: Vec<Packed>,
    /// Π (x - xᵢ), of as many coefficients as there are points, and one.
    master: Vec<Packed>,
}

impl<'a> Newton<'a> {
    fn new(field: &'a ExtensionField, bound: usize) -> Result<Self> {
        let room = bound + 1 + field.degree();
        let mut master = memory::with_capacity(room + 1, VALUES)?;
        master.push(field.one());
        Ok(Newton { field, polynomial: memory::filled(field.zero(), room, VALUES)?, master })
    }

    fn add(&mut self, x: Packed, value: Packed) {
        let Newton { field, polynomial, master } = self;
        let points = master.len() - 1;
        let at = |f: &[Packed]| f.iter().rev().fold(field.zero(), |sum, &c| field.add(field.mul(sum, x), c));
        let missing = field.sub(value, at(&polynomial[..points]));
        let factor = field.mul(missing, field.inv(at(master)));
        field.axpy(&mut polynomial[..=points], factor, master);
        master.push(field.one());
        for k in (0..=points).rev() {
            let below = if k > 0 { master[k - 1] } else { field.zero() };
            master[k] = field.sub(below, field.mul(x, master[k]));
        }
    }
}
