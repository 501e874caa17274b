//! An integer matrix arranged around a minor that is invertible mod q, and what is solved with it: A\[I, J\]·x = -c mod
//! q.
//!
//! Rows and columns are numbered by their place: the chain's t first, then the others of the minor up to its order r,
//! then all that are outside. A\[I₁, J₁\] is upper triangular. The right-hand side c is a sum of columns of A, sparse,
//! and so is the solution: the chain is solved from its last column to its first, each value *pushed* down its column
//! as soon as it is known, and only places that are reached are visited or cleared ([`Marks`]). Several right-hand
//! sides, lanes, go together: neighbouring columns of a matrix from a complex reach nearly the same places.

use crate::answers::Minor;
use crate::answers::marks::Marks;
use crate::field::Balanced;
use crate::isa::{Isa, Kernel};
use crate::sparse::{Integer, Triplets};
use crate::{Error, Result};

/// The columns of A, and the pivots of the chain.
#[derive(Debug)]
pub(super) struct System {
    pub field: Balanced,
    /// Rows of A.
    pub rows: usize,
    /// t.
    pub chain: usize,
    /// r.
    pub order: usize,
    cols: usize,
    /// Of each column come first the entries in rows of the chain, with the pivot last; after `split` those in other
    /// rows; after `live` those that q divides, which only products over the integers see.
    start: Vec<usize>,
    split: Vec<usize>,
    live: Vec<usize>,
    row: Vec<u32>,
    value: Vec<i64>,
    residue: Vec<i32>,
    /// -1/a mod q for the pivots a.
    factor: Vec<i64>,
    /// The largest sum of absolute values of a row.
    norm: u128,
    /// Whether sums of products stay small enough without reductions: [`Balanced::LARGEST_SUM`].
    lazy: bool,
}

/// Sums by row and values by column, clean between two solutions.
#[derive(Debug)]
pub(super) struct Workspace<const L: usize> {
    pub sums: Vec<[i64; L]>,
    /// Rows of the chain whose sums may not be 0.
    chain: Marks,
    /// The other rows whose sums may not be 0, less t.
    beyond: Marks,
    /// Values of the minor's columns, 0 in those that are not `used`.
    pub x: Vec<[i32; L]>,
    pub used: Vec<u32>,
    /// Entries that were visited.
    pub visits: u64,
}

impl System {
    /// `a`, which has `minor`, invertible mod q. `None` where entries leave 64 bits, or dimensions 31.
    ///
    /// # Errors
    /// [`Error::Check`] if the chain is none.
    pub fn new(field: Balanced, a: &Triplets, minor: &Minor) -> Result<Option<System>> {
        let (chain, order) = (minor.triangular, minor.rows.len());
        if a.rows().max(a.cols()) >> 31 > 0 || a.entries().any(|(_, _, v)| matches!(v, Integer::Big(_))) {
            return Ok(None);
        }
        let (rows_by_place, _) = arrange(a.rows(), &minor.rows);
        let (_, col_place) = arrange(a.cols(), &minor.cols);
        // Rows of A by place, then their entries to the columns: each column has its rows by place.
        let mut row_start = vec![0; a.rows() + 1];
        let mut start = vec![0; a.cols() + 1];
        for (i, j, _) in a.entries() {
            row_start[i + 1] += 1;
            start[col_place[j] as usize + 1] += 1;
        }
        (0..a.rows()).for_each(|i| row_start[i + 1] += row_start[i]);
        (0..a.cols()).for_each(|j| start[j + 1] += start[j]);
        let mut entries: Vec<(u32, i64)> = vec![(0, 0); a.nnz()];
        a.entries().enumerate().for_each(|(at, (_, j, v))| {
            let Integer::Small(v) = v else { unreachable!("looked for above") };
            entries[at] = (col_place[j], v);
        });
        let residue_of = |v: i64| field.of_residue(field.modulus().reduce_i64(v));
        let (mut row, mut value, mut residue) = (vec![0; a.nnz()], vec![0; a.nnz()], vec![0; a.nnz()]);
        let (mut next, mut split, mut live) = (start.clone(), start.clone(), start.clone());
        let (mut norm, mut residues) = (0, 0);
        for divisible in [false, true] {
            for (place, &i) in rows_by_place.iter().enumerate() {
                let (mut sum, mut residue_sum) = (0u128, 0u128);
                for &(j, v) in &entries[row_start[i as usize]..row_start[i as usize + 1]] {
                    let (r, at) = (residue_of(v), next[j as usize]);
                    sum += u128::from(v.unsigned_abs());
                    residue_sum += u128::from(r.unsigned_abs());
                    if (r == 0) == divisible {
                        (row[at], value[at], residue[at]) = (place as u32, v, r as i32);
                        next[j as usize] += 1;
                        split[j as usize] += usize::from(place < chain && !divisible);
                        live[j as usize] += usize::from(!divisible);
                    }
                }
                (norm, residues) = (sum.max(norm), residue_sum.max(residues));
            }
        }
        let lazy = residues <= u128::from(Balanced::LARGEST_SUM);
        let cols = a.cols();
        let (rows, factor) = (a.rows(), vec![]);
        let mut system =
            System { field, rows, chain, order, cols, start, split, live, row, value, residue, factor, norm, lazy };
        system.factor = (0..chain).map(|k| system.pivot_factor(k)).collect::<Result<_>>()?;
        Ok(Some(system))
    }

    /// -1/a for the last entry a of column k in the chain's rows, which must be in row k.
    fn pivot_factor(&self, k: usize) -> Result<i64> {
        let at = self.split[k].checked_sub(1).filter(|&at| at >= self.start[k] && self.row[at] as usize == k);
        let pivot = at.map(|at| self.field.to_residue(self.residue[at].into()));
        let pivot =
            pivot.ok_or_else(|| Error::Check(format!("column {k} of the minor breaks its triangular chain")))?;
        let p = self.field.modulus();
        Ok(self.field.of_residue(p.neg(p.inv(pivot))))
    }

    /// Columns outside the minor that have entries.
    pub fn free_columns(&self) -> Vec<u32> {
        (self.order..self.cols).filter(|&j| self.start[j] < self.start[j + 1]).map(|j| j as u32).collect()
    }
    /// Bytes of a system and of a workspace.
    pub fn memory(a: &Triplets, order: usize, lanes: usize) -> [u64; 2] {
        let entries = a.nnz() as u64 * (4 + 8 + 4 + 16);
        let lines = (a.rows() * 20 + a.cols() * 32) as u64;
        [entries + lines, (a.rows() * lanes * 8 + order * lanes * 4) as u64]
    }
    /// The entries of column j: row and value.
    pub fn column(&self, j: u32) -> impl Iterator<Item = (usize, i64)> {
        let range = self.start[j as usize]..self.start[j as usize + 1];
        self.row[range.clone()].iter().zip(&self.value[range]).map(|(&i, &v)| (i as usize, v))
    }
    /// The largest absolute value of vectors whose products with the rows, unit in one place more, are sure to fit 64
    /// bits: norm·(x + 1) < 2⁶³.
    pub fn largest_factor(&self) -> i64 {
        let most = ((1u128 << 63) - 1) / self.norm.max(1);
        i64::try_from(most).map_or(i64::MAX - 1, |most| most - 1).max(0)
    }

    pub fn workspace<const L: usize>(&self) -> Workspace<L> {
        Workspace {
            sums: vec![[0; L]; self.rows],
            chain: Marks::new(self.chain),
            beyond: Marks::new(self.rows - self.chain),
            x: vec![[0; L]; self.order],
            used: vec![],
            visits: 0,
        }
    }

    /// Adds the residues of column j times x, |x| ≤ [`Balanced::LARGEST`], to the sums. Each column once between two
    /// solutions.
    #[inline(always)]
    pub fn push<const L: usize>(&self, j: usize, x: &[i64; L], w: &mut Workspace<L>) {
        match self.lazy {
            true => self.push_as::<L, true>(j, x, w, self.split[j]),
            false => self.push_as::<L, false>(j, x, w, self.split[j]),
        }
    }
    #[inline(always)]
    fn push_as<const L: usize, const LAZY: bool>(&self, j: usize, x: &[i64; L], w: &mut Workspace<L>, split: usize) {
        let add = |sums: &mut [i64; L], a: i32| {
            for l in 0..L {
                let product = i64::from(a) * x[l];
                sums[l] += if LAZY { product } else { self.field.reduce(product) };
            }
        };
        for (&i, &a) in self.row[self.start[j]..split].iter().zip(&self.residue[self.start[j]..split]) {
            w.chain.insert(i as usize);
            add(&mut w.sums[i as usize], a);
        }
        let beyond = self.split[j]..self.live[j];
        for (&i, &a) in self.row[beyond.clone()].iter().zip(&self.residue[beyond]) {
            w.beyond.insert(i as usize - self.chain);
            add(&mut w.sums[i as usize], a);
        }
        w.visits += (self.live[j] - self.start[j]) as u64;
    }
    /// Adds x to the sums of row i.
    pub fn add<const L: usize>(&self, i: usize, x: [i64; L], w: &mut Workspace<L>) {
        match i.checked_sub(self.chain) {
            None => w.chain.insert(i),
            Some(k) => w.beyond.insert(k),
        }
        (0..L).for_each(|l| w.sums[i][l] += x[l]);
    }
    /// Gives column k ≥ t of the minor the values x.
    pub fn give<const L: usize>(&self, k: usize, x: &[i64; L], w: &mut Workspace<L>) {
        w.x[k] = x.map(|x| x as i32);
        w.used.push(k as u32);
        self.push(k, x, w);
    }
    /// Completes x on the chain, so that the sums of its rows vanish mod q.
    pub fn solve_chain<const L: usize>(&self, w: &mut Workspace<L>) {
        match self.lazy {
            true => Isa::best().run(SolveChain::<L, true> { system: self, w }),
            false => Isa::best().run(SolveChain::<L, false> { system: self, w }),
        }
    }
    /// Takes the sums of the rows beyond the chain, as residues that are not all 0, by ascending row.
    pub fn take_beyond<const L: usize>(&self, w: &mut Workspace<L>, mut each: impl FnMut(usize, [i64; L])) {
        let Workspace { sums, beyond, .. } = w;
        beyond.drain(|k| {
            let sum = std::mem::replace(&mut sums[self.chain + k], [0; L]).map(|v| self.field.least(v));
            if sum != [0; L] {
                each(self.chain + k, sum);
            }
        });
    }
    /// Cleans x.
    pub fn clear<const L: usize>(&self, w: &mut Workspace<L>) {
        w.used.drain(..).for_each(|k| w.x[k as usize] = [0; L]);
    }
    /// Whether A·y = 0 over the integers, lane by lane, where y is `unit[l]` in column `free[l]` and the rest is `y(k)`
    /// in each column k that is used. All of absolute value up to [`System::largest_factor`].
    pub fn vanishes<const L: usize>(
        &self,
        free: &[u32],
        unit: &[i64; L],
        y: impl Fn(u32) -> [i64; L],
        w: &mut Workspace<L>,
    ) -> [bool; L] {
        for (l, &f) in free.iter().enumerate() {
            let mut x = [0; L];
            x[l] = unit[l];
            Isa::best().run(PushIntegers { system: self, j: f as usize, x: &x, w });
        }
        let used = std::mem::take(&mut w.used);
        for &k in &used {
            Isa::best().run(PushIntegers { system: self, j: k as usize, x: &y(k), w });
        }
        w.used = used;
        let mut zero = [true; L];
        let Workspace { sums, chain, beyond, .. } = w;
        let mut look = |i: usize| {
            let sum = std::mem::replace(&mut sums[i], [0; L]);
            (0..L).for_each(|l| zero[l] &= sum[l] == 0);
        };
        chain.drain(&mut look);
        beyond.drain(|k| look(self.chain + k));
        zero
    }
}

/// See [`System::solve_chain`].
struct SolveChain<'a, const L: usize, const LAZY: bool> {
    system: &'a System,
    w: &'a mut Workspace<L>,
}

impl<const L: usize, const LAZY: bool> Kernel for SolveChain<'_, L, LAZY> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let SolveChain { system, w } = self;
        while let Some(k) = w.chain.take_last() {
            let sum = system.field.reduce_all(&std::mem::replace(&mut w.sums[k], [0; L]));
            let factor = system.factor[k];
            let x = system.field.reduce_all(&std::array::from_fn(|l| sum[l] * factor));
            if x == [0; L] {
                continue;
            }
            w.x[k] = x.map(|x| x as i32);
            w.used.push(k as u32);
            // But for the pivot, the last in the chain's rows.
            system.push_as::<L, LAZY>(k, &x, w, system.split[k] - 1);
        }
    }
}

/// Adds a column of integers times x to the sums.
struct PushIntegers<'a, const L: usize> {
    system: &'a System,
    j: usize,
    x: &'a [i64; L],
    w: &'a mut Workspace<L>,
}

impl<const L: usize> Kernel for PushIntegers<'_, L> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let PushIntegers { system, j, x, w } = self;
        let (start, end) = (system.start[j], system.start[j + 1]);
        for (&i, &a) in system.row[start..end].iter().zip(&system.value[start..end]) {
            match (i as usize).checked_sub(system.chain) {
                None => w.chain.insert(i as usize),
                Some(k) => w.beyond.insert(k),
            }
            let sums = &mut w.sums[i as usize];
            (0..L).for_each(|l| sums[l] += a * x[l]);
        }
        w.visits += (end - start) as u64;
    }
}

/// The lines 0 … n-1 with `first` in front: the line at each place, and the place of each line.
fn arrange(n: usize, first: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut place = vec![u32::MAX; n];
    first.iter().zip(0..).for_each(|(&line, p)| place[line as usize] = p);
    let others = (0..n as u32).filter(|&line| place[line as usize] == u32::MAX);
    let lines: Vec<u32> = first.iter().copied().chain(others).collect();
    lines.iter().zip(0..).for_each(|(&line, p)| place[line as usize] = p);
    (lines, place)
}
