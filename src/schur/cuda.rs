//! S on a GPU: both of its products for block Wiedemann, and folded combinations of its rows for sketches.
//!
//! S stays implicit: the triangular solves of a [`Split`] are maps on the GPU (`spmv::GpuMap`), whose levels are
//! launches, and M of a sketch is a sparse matrix there. What comes back are folded rows, the same residues as the
//! processor makes, in the same order. While the processor eliminates a panel of them, the GPU makes the next.

use super::Split;
use super::combine::{Combination, Mixer, Vectors};
use super::fold::Fold;
use super::kept::Kept;
use crate::dense::{Echelon, GpuField};
use crate::gpu::Device;
use crate::parallel::{self, Each};
use crate::spmv::{Block, GpuBlock, GpuCopies, GpuMap, GpuResidues, GpuShape, GpuSolve, LANES, Lanes};
use crate::{DeviceReason, Error, Observer, Result, memory};
use rayon::prelude::*;

/// Combinations that a GPU makes at once: a panel of the dense elimination.
pub(super) const AT_ONCE: usize = 256;
/// Rows and columns of a tile of a transposition.
const TILE: usize = 32;
/// What the memory is for.
const COMBINATIONS: &str = "combinations for a GPU";
const CHECK: &str = "the blocks of a check";

/// S and Sᵀ on each of these GPUs that gets a column of the blocks.
///
/// # Errors
/// [`crate::Error::Device`], also where a chain of pivots is too long for it; [`crate::Error::Memory`].
pub fn complement_on_gpus(split: &Split, devices: &[Device], shape: GpuShape) -> Result<GpuCopies> {
    let (rows, cols) = (split.rows.len(), split.cols.len());
    let (forward, backward) = parallel::join(|| split.forward_coefficients(), || split.backward_coefficients());
    let (forward, backward) = (forward?, backward?);
    let solve = |inputs, l, outputs| GpuSolve { inputs, l, outputs };
    GpuCopies::of_solves(devices, shape, &solve(cols, &forward, rows), &solve(rows, &backward, cols))
}

/// What makes folded combinations of rows of S.
pub(super) enum Folder {
    Processor(Box<Mixer>),
    Gpu(Box<GpuFolder>),
}

impl Folder {
    /// On the device, if there is one, with products by S there, if there is room.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn new(
        split: &Split,
        fold: Fold,
        kept: Kept,
        device: Option<&Device>,
    ) -> Result<(Folder, Option<GpuProducts>)> {
        Ok(match device {
            Some(device) => {
                let (folder, products) = GpuFolder::new(split, fold, kept, device)?;
                (Folder::Gpu(Box::new(folder)), products)
            }
            None => (Folder::Processor(Box::new(Mixer::folded(split, fold, kept)?)), None),
        })
    }
    /// What combinations are folded by.
    pub fn fold(&self) -> &Fold {
        match self {
            Folder::Processor(mixer) => mixer.fold().expect("a sketch is folded"),
            Folder::Gpu(folder) => &folder.fold,
        }
    }
    /// What was kept. From now on, combinations are folded to its width, and kept in the width `next`.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn widen(&mut self, next: usize) -> Result<Kept> {
        match self {
            Folder::Processor(mixer) => Ok(mixer.widen(next)),
            Folder::Gpu(folder) => folder.widen(next),
        }
    }
    /// Adds the combinations, zeros after them up to a multiple of [`LANES`].
    ///
    /// # Errors
    /// Those of [`Echelon::absorb`], [`crate::Error::Device`].
    pub fn absorb(
        &mut self,
        combinations: &[Combination],
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        match self {
            Folder::Processor(mixer) => {
                let vectors: Vec<Vectors> = combinations.chunks(LANES).map(Vectors::Few).collect();
                mixer.absorb(&vectors, echelon, observer)
            }
            Folder::Gpu(folder) => folder.absorb(combinations, echelon, observer),
        }
    }
}

/// Z ↦ S·Z for few columns on a GPU.
pub(super) struct GpuProducts(GpuMap);

impl GpuProducts {
    /// By the kernels of another map; `None` where the GPU has no room for its blocks beside so many bytes.
    fn new(like: &GpuMap, solve: &GpuSolve, beside: u64) -> Result<Option<Self>> {
        let made = like.another(solve).and_then(|map| {
            map.require(beside + map.operand_bytes() + map.result_bytes(), CHECK)?;
            Ok(GpuProducts(map))
        });
        match made {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => Ok(None),
            made => made.map(Some),
        }
    }
    /// S·Z, for at most [`AT_ONCE`] columns of as many residues as fill four bytes.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn image(&self, z: &Block) -> Result<Block> {
        let GpuProducts(map) = self;
        map.require(map.operand_bytes() + map.result_bytes(), CHECK)?;
        let (mut x, mut y) = (map.zeros()?, map.zeros_of_result()?);
        map.upload_columns(&mut x, z)?;
        map.apply(None, &mut x, &mut y)?;
        map.download_columns(&mut y, z.width())
    }
}

/// Folded combinations by a GPU.
pub(super) struct GpuFolder {
    fold: Fold,
    kept: Kept,
    /// Y ↦ Sᵀ·Y.
    backward: GpuMap,
    /// V ↦ Mᵀ·V, for M as wide as rows are kept.
    folding: GpuMap,
    /// Y, zero but while a product is made; Sᵀ·Y; Mᵀ·Sᵀ·Y.
    y: GpuBlock,
    rows: GpuBlock,
    folded: GpuBlock,
}

impl GpuFolder {
    fn new(split: &Split, fold: Fold, kept: Kept, device: &Device) -> Result<(Self, Option<GpuProducts>)> {
        let (p, rows, cols) = (split.modulus(), split.rows.len(), split.cols.len());
        let solves = || parallel::join(|| split.backward_coefficients(), || split.forward_coefficients());
        let ((l, u), m) = parallel::join(solves, || fold.transposed(p, kept.width()));
        let (l, u, m) = (l?, u?, m?);
        let solve = GpuSolve { inputs: rows, l: &l, outputs: cols };
        let backward = GpuMap::open(device, GpuShape { modulus: p, block: AT_ONCE, degree: 1 }, &solve, &m)?;
        let folding = backward.another(&GpuSolve::product(&m))?;
        let needed = backward.operand_bytes() + folding.operand_bytes() + folding.result_bytes();
        backward.require(needed, "the blocks of a sketch")?;
        let products = GpuProducts::new(&backward, &GpuSolve { inputs: cols, l: &u, outputs: rows }, needed)?;
        let (y, rows, folded) = (backward.zeros()?, folding.zeros()?, folding.zeros_of_result()?);
        Ok((GpuFolder { fold, kept, backward, folding, y, rows, folded }, products))
    }

    fn widen(&mut self, next: usize) -> Result<Kept> {
        self.fold.widen(self.kept.width());
        let kept = self.kept.widen(next);
        let m = self.fold.transposed(self.backward.modulus(), next)?;
        self.folding = self.backward.another(&GpuSolve::product(&m))?;
        (self.rows, self.folded) = (self.folding.zeros()?, self.folding.zeros_of_result()?);
        Ok(kept)
    }

    fn absorb(&mut self, combinations: &[Combination], echelon: &mut Echelon, observer: &dyn Observer) -> Result<()> {
        match echelon.gpu().cloned() {
            Some(field) => self.absorb_there(&field, combinations, echelon, observer),
            None => self.absorb_here(combinations, echelon, observer),
        }
    }

    /// The rows stay on the GPU, where the basis is.
    fn absorb_there(
        &mut self,
        field: &GpuField,
        combinations: &[Combination],
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        for group in combinations.chunks(AT_ONCE) {
            observer.check()?;
            self.begin(group)?;
            let (shape, count) = ((self.folding.rows(), AT_ONCE), group.len().next_multiple_of(LANES));
            let panel = field.turned(&self.folded.words, shape, count)?;
            self.kept.absorb_on_gpu(field, &panel, self.fold.width(), echelon, observer)?;
        }
        Ok(())
    }

    /// The rows come back to the processor, where the basis is.
    fn absorb_here(
        &mut self,
        combinations: &[Combination],
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut groups = combinations.chunks(AT_ONCE).peekable();
        if let Some(first) = groups.peek() {
            self.begin(first)?;
        }
        while let Some(group) = groups.next() {
            observer.check()?;
            let columns = self.folding.download(&self.folded, self.folding.rows())?;
            if let Some(next) = groups.peek() {
                self.begin(next)?;
            }
            let count = group.len().next_multiple_of(LANES);
            let panel = turned(&columns, count)?;
            drop(columns);
            self.kept.absorb(self.backward.modulus(), (&panel, count), self.fold.width(), echelon, observer)?;
        }
        Ok(())
    }

    /// Begins to make the rows that some combinations are.
    fn begin(&mut self, combinations: &[Combination]) -> Result<()> {
        let mut residues = memory::with_capacity(combinations.iter().map(Vec::len).sum(), COMBINATIONS)?;
        let lanes = (0u32..).zip(combinations);
        residues.extend(lanes.flat_map(|(lane, terms)| terms.iter().map(move |&(i, c)| (i, lane, c))));
        let residues: GpuResidues = self.backward.residues(&residues)?;
        self.backward.scatter(&mut self.y, &residues, true)?;
        self.backward.apply(None, &mut self.y, &mut self.rows)?;
        self.folding.apply(None, &mut self.rows, &mut self.folded)?;
        self.backward.scatter(&mut self.y, &residues, false)
    }
}

/// The first `count` columns of a block, as rows of `columns.rows()` residues.
fn turned(columns: &Block, count: usize) -> Result<Block> {
    let (height, width) = (columns.rows(), columns.width());
    let mut rows = Block::zeros(columns.lane(), count, height)?;
    macro_rules! turn {
        ($($lane:ident)*) => {
            match (&mut rows.lanes, &columns.lanes) {
                $((Lanes::$lane(to), Lanes::$lane(from)) => {
                    to.par_chunks_mut((TILE * height).max(1)).enumerate().each(|(band, to)| {
                        for first in (0..height).step_by(TILE) {
                            for (l, to) in to.chunks_exact_mut(height).enumerate() {
                                let lane = band * TILE + l;
                                let tile = &mut to[first..height.min(first + TILE)];
                                tile.iter_mut().zip(first..).for_each(|(x, i)| *x = from[i * width + lane]);
                            }
                        }
                    });
                })*
                _ => unreachable!("triangular solves have integer lanes"),
            }
        };
    }
    turn!(U8 U16 U32 U64);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Place;
    use crate::field::{Modulus, Rng};
    use crate::gpu::trials::{are_small, first_device};
    use crate::oracles::greedy_pivots;
    use crate::sparse::SparseMatrix;
    use crate::spmv::Lane;
    use crate::{Silent, families};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn columns_are_turned_to_rows() {
        for (height, width, count) in [(0, 32, 32), (1, 32, 32), (70, 64, 32), (33, 256, 256)] {
            let entries: Vec<u64> = (0..height * width).map(|k| k as u64 % 65521).collect();
            let block = Block::from_residues(Lane::U16, height, width, &entries).unwrap();
            let rows = turned(&block, count).unwrap();
            assert_eq!((rows.rows(), rows.width()), (count, height));
            assert!((0..count).all(|l| (0..height).all(|i| rows.get(l, i) == block.get(i, l))));
        }
    }

    /// On a GPU the same rows are kept and absorbed as on the processor, whatever the widths; without one the reason
    /// is printed.
    #[test]
    fn combinations_are_those_of_the_processor() {
        let Some(device) = first_device() else { return };
        let mut rng = Rng::seed_from_u64(91);
        let cases = [
            ("mk9-b3", 65521),
            ("mk9-b3", 251),
            ("ch5-5-b3", (1 << 31) - 1),
            ("bibd_12_5", (1 << 63) - 25),
            ("Trefethen_500", 5),
        ];
        let (step, divisor) = if are_small() { (4, 5) } else { (1, 1) };
        for (name, p) in cases.into_iter().step_by(step) {
            let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
            let (p, pivots) = (a.modulus(), greedy_pivots(&a));
            for pivots in [crate::pivots::Pivots::default(), pivots] {
                let split = Split::new(&a, &pivots).unwrap();
                let (rows, cols) = (split.rows.len() as u32, split.cols.len());
                if rows == 0 || cols == 0 {
                    continue;
                }
                let mut one = |_: usize| -> Combination {
                    let mut terms: Combination =
                        (0..8).map(|_| (rng.random_range(0..rows), rng.random_range(1..p.get()))).collect();
                    terms.sort_unstable();
                    terms.dedup_by_key(|term| term.0);
                    terms
                };
                let combinations: Vec<Combination> = (0..600).map(&mut one).collect();
                // Rows come back at first, and go there again; or stay there.
                for (widths, count) in [([1024, 4096, 16384], 300), ([4096, 16384, 16384], 90)] {
                    let count = count / divisor;
                    let seen = [None, Some(&device)].map(|device| {
                        let fold = Fold::new(cols, widths[0], &mut Rng::seed_from_u64(5)).unwrap();
                        let (mut folder, _) = match Folder::new(&split, fold, Kept::new(widths[1], 1 << 20), device) {
                            Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => return None,
                            folder => folder.unwrap(),
                        };
                        let mut place = Place::new(device.map_or(&[], std::slice::from_ref), p);
                        let mut narrow = place.echelon(widths[0], true).unwrap();
                        folder.absorb(&combinations[..count], &mut narrow, &Silent).unwrap();
                        let kept = folder.widen(widths[2]).unwrap();
                        let mut wide = place.echelon(widths[1], true).unwrap();
                        kept.hand_over(&mut wide, &Silent).unwrap();
                        folder.absorb(&combinations[..2 * count], &mut wide, &Silent).unwrap();
                        let forms = [narrow, wide].map(|form| (form.pivot_rows().to_vec(), form.pivot_cols().unwrap()));
                        Some((forms, folder.fold().width()))
                    });
                    assert!(seen[1].is_none() || seen[0] == seen[1], "{name} mod {p}, {widths:?}");
                }
            }
        }
    }

    /// The products of block Wiedemann with S.
    #[test]
    fn products_with_the_complement_are_those_of_the_processor() {
        use crate::blackbox::{Operator, Scratch};
        let Some(device) = first_device() else { return };
        let mut rng = Rng::seed_from_u64(92);
        for (name, p) in [("mk9-b3", 65521), ("ch5-5-b3", 2), ("bibd_12_5", 3), ("mk9-b3", (1 << 61) - 1)] {
            let a: SparseMatrix = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
            let pivots = greedy_pivots(&a);
            let split = Split::new(&a, &pivots).unwrap();
            let complement = super::super::Complement::new(&split).unwrap();
            let shape = GpuShape { modulus: a.modulus(), block: 32, degree: 1 };
            let copies = match complement_on_gpus(&split, std::slice::from_ref(&device), shape) {
                Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => return eprintln!("skipped: {no}"),
                copies => copies.unwrap(),
            };
            let matrix = copies.only();
            for transpose in [false, true] {
                let (rows, operand) =
                    if transpose { (split.cols.len(), split.rows.len()) } else { (split.rows.len(), split.cols.len()) };
                let x = Block::random(shape.lane(), operand, 32, a.modulus(), &mut rng).unwrap();
                let d: Vec<u64> = (0..rows).map(|_| rng.random_range(1..p)).collect();
                let mut expected = Block::zeros(shape.lane(), rows, 32).unwrap();
                let mut scratch = Scratch::default();
                match transpose {
                    false => complement.apply_scaled(Some(&d), &x, &mut expected, &mut scratch).unwrap(),
                    true => complement.apply_transpose_scaled(Some(&d), &x, &mut expected, &mut scratch).unwrap(),
                }
                let (mut x, mut y) = (matrix.upload(&x, transpose).unwrap(), matrix.zeros(!transpose).unwrap());
                let d = matrix.diagonal(&d).unwrap();
                matrix.apply(transpose, Some(&d), &mut x, &mut y).unwrap();
                assert!(matrix.download(&y, rows).unwrap() == expected, "{name} mod {p}, transpose {transpose}");
            }
        }
    }
}
