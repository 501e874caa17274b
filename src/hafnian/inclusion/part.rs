//! One part of the sum: the recursion below a given choice for the first pairs.

use super::product::{LANES, PAD, Poly, Reduce, Small, Word, coefficient, plus_shifted, products};
use crate::hafnian::WeightedGraph;
use crate::hafnian::residues::Pass;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};

/// What the memory is for.
const POLYNOMIALS: &str = "the polynomials of a hafnian";

/// A part: bit d of the number says whether the d-th pair from the end is included; `cuts` pairs are decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub number: u64,
    pub cuts: usize,
}

/// The sum for one graph modulo one modulus.
pub(super) struct Sum {
    pass: Pass,
    n: usize,
    /// The weights below the diagonal, by rows.
    weights: Vec<u64>,
}

/// The position of (i, 0) in a triangle of rows.
fn row(i: usize) -> usize {
    i * i.saturating_sub(1) / 2
}

impl Sum {
    pub fn new(graph: &WeightedGraph, pass: Pass) -> Result<Self> {
        let mut weights = memory::zeros(row(graph.n()), POLYNOMIALS)?;
        graph.edges().for_each(|(v, w, x)| weights[row(w as usize) + v as usize] = pass.image(x));
        Ok(Sum { pass, n: graph.n(), weights })
    }

    /// The residue of one part.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn part(&self, part: Part) -> Result<u64> {
        if self.n == 0 {
            return Ok(1);
        }
        match self.pass {
            Pass::Word => self.sized(Word, part),
            Pass::Prime(modulus) => self.sized(Small { modulus }, part),
        }
    }

    fn sized<R: Reduce>(&self, r: R, part: Part) -> Result<u64> {
        match (self.n / 2).div_ceil(LANES) {
            1 => self.recurse::<8, R>(r, part),
            2 => self.recurse::<16, R>(r, part),
            3 => self.recurse::<24, R>(r, part),
            4 => self.recurse::<32, R>(r, part),
            _ => self.recurse::<40, R>(r, part),
        }
    }

    fn recurse<const D: usize, R: Reduce>(&self, r: R, part: Part) -> Result<u64> {
        let (n, pairs) = (self.n, self.n / 2);
        let constant = |c: u64| {
            let mut poly = [0; D];
            poly[0] = c;
            poly
        };
        let start: Vec<Poly<D>> = memory::collect(self.weights.iter().map(|&w| constant(w)), POLYNOMIALS)?;
        let mut levels = memory::with_capacity(pairs, POLYNOMIALS)?;
        for left in (1..pairs).rev() {
            levels.push(memory::filled([0; D], row(2 * left), POLYNOMIALS)?);
        }
        let scratch = memory::filled(0, 2 * n * (PAD + D), POLYNOMIALS)?;
        let mut walk = Walk { r, isa: Isa::best(), pairs, scratch };
        Ok(walk.path(&mut levels, &start, n, &constant(1), part))
    }
}

/// The recursion: [xᵐ] g·f(b), where b has the given number of vertices.
struct Walk<R> {
    r: R,
    isa: Isa,
    /// m.
    pairs: usize,
    /// Polynomials of the last two vertices after zeros.
    scratch: Vec<u64>,
}

impl<R: Reduce> Walk<R> {
    /// The first decisions are those of the part.
    fn path<const D: usize>(
        &mut self,
        levels: &mut [Vec<Poly<D>>],
        b: &[Poly<D>],
        s: usize,
        g: &Poly<D>,
        part: Part,
    ) -> u64 {
        if part.cuts == 0 {
            return self.visit(levels, b, s, g);
        }
        let (next, rest) = levels.split_first_mut().expect("a level for each pair but one");
        let below = Part { number: part.number >> 1, cuts: part.cuts - 1 };
        if part.number & 1 == 1 {
            let g = self.include(next, b, s, g);
            self.path(rest, next, s - 2, &g, below)
        } else {
            let value = self.path(rest, b, s - 2, g, below);
            self.r.sub(0, value)
        }
    }

    fn visit<const D: usize>(&mut self, levels: &mut [Vec<Poly<D>>], b: &[Poly<D>], s: usize, g: &Poly<D>) -> u64 {
        let (r, d) = (self.r, self.pairs - 1);
        match s {
            // f = x·b₁₀.
            2 => coefficient(r, g, &b[0], d),
            4 => self.isa.run(Four { r, b, g, d }),
            _ => {
                let (next, rest) = levels.split_first_mut().expect("a level for each pair but one");
                let more = self.include(next, b, s, g);
                let with = self.visit(rest, next, s - 2, &more);
                let without = self.visit(rest, b, s - 2, g);
                r.sub(with, without)
            }
        }
    }

    /// Writes b' into `next`; returns g·(1 + x·b_uv).
    fn include<const D: usize>(&mut self, next: &mut [Poly<D>], b: &[Poly<D>], s: usize, g: &Poly<D>) -> Poly<D> {
        self.isa.run(Include { r: self.r, next, b, s, g, scratch: &mut self.scratch })
    }
}

/// [`Walk::include`].
struct Include<'a, const D: usize, R> {
    r: R,
    next: &'a mut [Poly<D>],
    b: &'a [Poly<D>],
    s: usize,
    g: &'a Poly<D>,
    scratch: &'a mut [u64],
}

impl<const D: usize, R: Reduce> Kernel for Include<'_, D, R> {
    type Output = Poly<D>;
    #[inline(always)]
    fn run(self) -> Poly<D> {
        let Include { r, next, b, s, g, scratch } = self;
        let rest = s - 2;
        let (u, v) = (&b[row(s - 2)..][..rest], &b[row(s - 1)..][..rest]);
        let size = PAD + D;
        for (k, padded) in scratch.chunks_exact_mut(size).take(2 * rest).enumerate() {
            padded[PAD..].copy_from_slice(if k % 2 == 0 { &u[k / 2] } else { &v[k / 2] });
        }
        let padded = |k: usize| &scratch[k * size..][..size];
        let zero = |k: usize| padded(k).iter().all(|&c| c == 0);
        for i in 1..rest {
            let lonely = zero(2 * i) && zero(2 * i + 1);
            for k in 0..i {
                let at = row(i) + k;
                next[at] = if lonely {
                    b[at]
                } else {
                    let through = products(r, &[(&u[i], padded(2 * k + 1)), (&v[i], padded(2 * k))]);
                    plus_shifted(r, &b[at], &through)
                };
            }
        }
        times_one_plus(r, g, &b[row(s - 1) + s - 2])
    }
}

/// g·(1 + x·b).
#[inline(always)]
fn times_one_plus<const D: usize, R: Reduce>(r: R, g: &Poly<D>, b: &Poly<D>) -> Poly<D> {
    let mut padded = [[0; LANES]; 6];
    let flat = padded.as_flattened_mut();
    flat[PAD..PAD + D].copy_from_slice(b);
    plus_shifted(r, g, &products(r, &[(g, flat)]))
}

/// [`Walk::visit`] for the last two pairs, without storing b'.
struct Four<'a, const D: usize, R> {
    r: R,
    b: &'a [Poly<D>],
    g: &'a Poly<D>,
    d: usize,
}

impl<const D: usize, R: Reduce> Kernel for Four<'_, D, R> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        let Four { r, b, g, d } = self;
        // (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2).
        let [last, u0, u1, v0, v1, uv] = &b[..6] else { unreachable!("six entries") };
        four(r, [last, u0, u1, v0, v1, uv], g, d)
    }
}

#[inline(always)]
fn four<const D: usize, R: Reduce>(r: R, b: [&Poly<D>; 6], g: &Poly<D>, d: usize) -> u64 {
    let [last, u0, u1, v0, v1, uv] = b;
    let mut padded = [[[0; LANES]; 6]; 2];
    let [first, second] = &mut padded;
    let (first, second) = (first.as_flattened_mut(), second.as_flattened_mut());
    first[PAD..PAD + D].copy_from_slice(v0);
    second[PAD..PAD + D].copy_from_slice(u0);
    let through = products(r, &[(u1, &*first), (v1, &*second)]);
    let b = plus_shifted(r, last, &through);
    let more = times_one_plus(r, g, uv);
    r.sub(coefficient(r, &more, &b, d), coefficient(r, g, last, d))
}
