//! Block products against throw-away loops, in one run on one thread: 10⁹ multiply-adds a second and their ratio.
//!
//! `cargo bench --bench spmv [-- MATRIX…]`. The throw-away loops are the least that a product mod 65521 can be:
//! compressed rows in raw arrays, all entries taken as +1 (or all as values), fixed width, a constant modulus, one
//! reduction a row; they are compiled for the same instruction set. Both sides are checked against plain 64-bit
//! arithmetic before they are timed, and timed in alternation. Over GF(2), 512 and 1024 packed vectors: 10⁹ bit
//! multiply-adds.

use blackfield::families;
use blackfield::field::{Modulus, Rng};
use blackfield::isa::{Isa, Kernel};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Block, Lane, Plan, PlanOptions, Product, SolveLines, TriangularSolve};
use rand::SeedableRng;
use std::time::Instant;

const P: u64 = 65521;
const ROUNDS: usize = 101;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    println!(
        "{:24} {:>22} {:>9} {:>10} {:>7} {:>9}",
        "matrix", "residues, width", "product", "throw-away", "median", "of minima"
    );
    for name in ["EX5", "bibd_81_3", "ch7-8-b4"]
        .into_iter()
        .filter(|name| wanted.is_empty() || wanted.iter().any(|w| w == name))
    {
        let a = families::generate(name).unwrap().reduce(Modulus::new(P).unwrap());
        pool.install(|| {
            compare(name, &a);
            compare(&format!("{name} transposed"), &a.transpose().unwrap());
            contest_of_bits::<16>(name, &a);
            contest_of_bits::<32>(name, &a);
        });
    }
}

/// All comparisons for one matrix.
fn compare(name: &str, a: &SparseMatrix) {
    let shape = format!("{name} {}x{}", a.rows(), a.cols());
    contest::<u16, 16, true>(&shape, "±1, u16, 16", a);
    contest::<u16, 32, true>(&shape, "±1, u16, 32", a);
    contest::<u32, 16, true>(&shape, "±1, u16 (loop u32), 16", a);
    contest::<u32, 16, false>(&shape, "values, u16 (u32), 16", &with_values(a));
    contest::<u16, 32, false>(&shape, "values, u16, 32", &with_values(a));
}

/// The product of `a` with u16 residues beside the throw-away loop with residues of type L.
fn contest<L: Residue, const W: usize, const SIGNS: bool>(shape: &str, what: &str, a: &SparseMatrix) {
    let mut rng = Rng::seed_from_u64(1);
    let plan = Plan::choose(a, &PlanOptions::default()).unwrap();
    let product = Product::new(a, &plan).unwrap();
    let x = Block::random(Lane::U16, a.cols(), W, a.modulus(), &mut rng).unwrap();
    let mut y = Block::zeros(Lane::U16, a.rows(), W).unwrap();
    let residues = x.to_residues().unwrap();
    product.apply_scaled(None, &x, &mut y).unwrap();
    assert_eq!(y.to_residues().unwrap(), plain(a, &residues, W, |v| v), "the product is wrong");

    // On whole cache lines: at most one row before the first is left out.
    let mut floor_x = vec![Line([L::default(); W]); a.cols() + 1];
    let skip = floor_x.as_ptr().align_offset(64).min(1);
    let floor_x = &mut floor_x[skip..][..a.cols()];
    for (line, row) in floor_x.iter_mut().zip(residues.chunks_exact(W)) {
        line.0 = std::array::from_fn(|l| L::from_residue(row[l]));
    }
    let mut floor_y = vec![Line([L::default(); W]); a.rows()];
    let (start, col) = (a.row_starts().to_vec(), (0..a.rows()).flat_map(|i| a.row(i).0.to_vec()).collect::<Vec<u32>>());
    let value: Vec<u32> =
        (0..a.rows()).flat_map(|i| a.row(i).1.iter().map(|&v| v as u32).collect::<Vec<_>>()).collect();
    macro_rules! throw_away {
        () => {
            Isa::best().run(ThrowAway::<L, W, SIGNS> {
                start: &start,
                col: &col,
                value: &value,
                x: &floor_x,
                y: &mut floor_y,
            })
        };
    }
    throw_away!();
    let expected = plain(a, &residues, W, |v| if SIGNS { 1 } else { v });
    assert!(floor_y.iter().flat_map(|row| row.0.map(L::residue)).eq(expected), "the throw-away loop is wrong");

    let work = (a.nnz() * W) as f64;
    let repeats = (5e-4 * 3e10 / work).ceil() as usize;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        (0..repeats).for_each(|_| product.apply_scaled(None, &x, &mut y).unwrap());
        ours.push(clock.elapsed().as_secs_f64() / repeats as f64);
        let clock = Instant::now();
        (0..repeats).for_each(|_| throw_away!());
        floor.push(clock.elapsed().as_secs_f64() / repeats as f64);
    }
    ours.sort_by(f64::total_cmp);
    floor.sort_by(f64::total_cmp);
    let rate = |seconds: f64| work / seconds / 1e9;
    println!(
        "{shape:24} {what:>22} {:9.1} {:10.1} {:7.2} {:9.2}",
        rate(ours[ROUNDS / 2]),
        rate(floor[ROUNDS / 2]),
        floor[ROUNDS / 2] / ours[ROUNDS / 2],
        floor[0] / ours[0]
    );
}

/// The product of the pattern of `a` with 32·W packed vectors over GF(2), as a triangular solve of which no row needs
/// another.
fn contest_of_bits<const W: usize>(name: &str, a: &SparseMatrix) {
    let (two, mut rng) = (Modulus::new(2).unwrap(), Rng::seed_from_u64(2));
    let entries: Vec<_> = (0..a.rows()).flat_map(|i| a.row(i).0.iter().map(move |&j| (i, j as usize, 1))).collect();
    let l = SparseMatrix::from_triplets(two, a.rows(), a.cols() + a.rows(), &entries);
    let solve = TriangularSolve::packed(a.cols(), SolveLines::of(&l).unwrap()).unwrap();
    let mut w = Block::zeros(Lane::U32, a.cols() + a.rows(), W).unwrap();
    w.fill_bits(0..a.cols(), &mut rng);
    let lines = |rows: std::ops::Range<usize>, w: &Block| -> Vec<Line<[u32; W]>> {
        rows.map(|i| Line(std::array::from_fn(|l| w.get(i, l) as u32))).collect()
    };
    let x = lines(0..a.cols(), &w);
    let mut y = vec![Line([0; W]); a.rows()];
    let (start, col) = (a.row_starts().to_vec(), (0..a.rows()).flat_map(|i| a.row(i).0.to_vec()).collect::<Vec<u32>>());
    let mut throw_away = || Isa::best().run(Xor::<W> { start: &start, col: &col, x: &x, y: &mut y });
    throw_away();
    solve.run(&mut w);

    let work = (a.nnz() * 32 * W) as f64;
    let repeats = (5e-4 * 1e12 / work).ceil() as usize;
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        (0..repeats).for_each(|_| solve.run(&mut w));
        ours.push(clock.elapsed().as_secs_f64() / repeats as f64);
        let clock = Instant::now();
        (0..repeats).for_each(|_| throw_away());
        floor.push(clock.elapsed().as_secs_f64() / repeats as f64);
    }
    assert!(lines(a.cols()..a.cols() + a.rows(), &w).iter().zip(&y).all(|(ours, y)| ours.0 == y.0), "wrong bits");
    ours.sort_by(f64::total_cmp);
    floor.sort_by(f64::total_cmp);
    let rate = |seconds: f64| work / seconds / 1e9;
    let shape = format!("{name} {}x{}", a.rows(), a.cols());
    println!(
        "{shape:24} {:>22} {:9.1} {:10.1} {:7.2} {:9.2}",
        format!("GF(2), {}", 32 * W),
        rate(ours[ROUNDS / 2]),
        rate(floor[ROUNDS / 2]),
        floor[ROUNDS / 2] / ours[ROUNDS / 2],
        floor[0] / ours[0]
    );
}

/// The throw-away loop over GF(2).
struct Xor<'a, const W: usize> {
    start: &'a [usize],
    col: &'a [u32],
    x: &'a [Line<[u32; W]>],
    y: &'a mut [Line<[u32; W]>],
}

impl<const W: usize> Kernel for Xor<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (span, y) in self.start.windows(2).zip(self.y) {
            let mut sum = [0; W];
            for &j in &self.col[span[0]..span[1]] {
                let x = &self.x[j as usize].0;
                for l in 0..W {
                    sum[l] ^= x[l];
                }
            }
            y.0 = sum;
        }
    }
}

/// A·X in plain 64-bit arithmetic.
fn plain(a: &SparseMatrix, x: &[u64], width: usize, value: impl Fn(u64) -> u64) -> Vec<u64> {
    let mut y = vec![0; a.rows() * width];
    for (i, y) in y.chunks_exact_mut(width).enumerate() {
        let (cols, values) = a.row(i);
        for (&j, &v) in cols.iter().zip(values) {
            for (y, x) in y.iter_mut().zip(&x[j as usize * width..]) {
                *y = (*y + value(v) * x) % P;
            }
        }
    }
    y
}

/// The pattern of `a` with values other than ±1.
fn with_values(a: &SparseMatrix) -> SparseMatrix {
    let mut v = 1u64;
    let entries: Vec<_> = (0..a.rows())
        .flat_map(|i| a.row(i).0.iter().map(move |&j| (i, j as usize)))
        .map(|(i, j)| {
            v = v.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (i, j, 2 + (v >> 33) % (P - 3))
        })
        .collect();
    SparseMatrix::from_triplets(a.modulus(), a.rows(), a.cols(), &entries)
}

/// A row that no cache line cuts, if the first begins on one.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Line<T>(T);

trait Residue: Copy + Default + Send + Sync {
    fn from_residue(r: u64) -> Self;
    fn residue(self) -> u64;
}
impl Residue for u16 {
    #[inline(always)]
    fn from_residue(r: u64) -> Self {
        r as u16
    }
    #[inline(always)]
    fn residue(self) -> u64 {
        self as u64
    }
}
impl Residue for u32 {
    #[inline(always)]
    fn from_residue(r: u64) -> Self {
        r as u32
    }
    #[inline(always)]
    fn residue(self) -> u64 {
        self as u64
    }
}

/// The throw-away loop: no formats, no signs, no scaling, no tiles, one modulus, one width.
struct ThrowAway<'a, L, const W: usize, const SIGNS: bool> {
    start: &'a [usize],
    col: &'a [u32],
    value: &'a [u32],
    x: &'a [Line<[L; W]>],
    y: &'a mut [Line<[L; W]>],
}

impl<L: Residue, const W: usize, const SIGNS: bool> Kernel for ThrowAway<'_, L, W, SIGNS> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (y, bounds) in self.y.iter_mut().zip(self.start.windows(2)) {
            let row = bounds[0]..bounds[1];
            if SIGNS {
                let mut sum = [0u32; W];
                for &j in &self.col[row] {
                    let x = &self.x[j as usize].0;
                    for (sum, x) in sum.iter_mut().zip(x) {
                        *sum = sum.wrapping_add(x.residue() as u32);
                    }
                }
                for (y, sum) in y.0.iter_mut().zip(sum) {
                    *y = L::from_residue((sum % P as u32) as u64);
                }
            } else {
                let mut sum = [0i64; W];
                for (&j, &v) in self.col[row.clone()].iter().zip(&self.value[row]) {
                    let x = &self.x[j as usize].0;
                    for (sum, x) in sum.iter_mut().zip(x) {
                        *sum = sum.wrapping_add((v as u64 * x.residue()) as i64);
                    }
                }
                for (y, sum) in y.0.iter_mut().zip(sum) {
                    // The nearest multiple of P by a reciprocal: 64-bit remainders are no vector instruction.
                    let quotient = (sum as f64 * (1.0 / P as f64) + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits());
                    let r = sum.wrapping_sub((quotient as i64).wrapping_mul(P as i64));
                    *y = L::from_residue((r + ((r >> 63) & P as i64)) as u64);
                }
            }
        }
    }
}

/// 1.5·2⁵²: adding it rounds to an integer in the low bits.
const MAGIC: f64 = 6755399441055744.0;
