//! The figures of the source paper's section 2 on the first CUDA GPU: formats, ±1 apart or not, many products in a row
//! or one by one; each result that of the processor.

use super::clock::Clock;
use blackfield::field::{Modulus, Rng};
use blackfield::gpu::{Device, Stream};
use blackfield::sparse::SparseMatrix;
use blackfield::spmv::{Block, GpuFormat, GpuFormatted, GpuMatrix, GpuShape, Plan, PlanOptions, Product};
use blackfield::{DeviceReason, Error, Result, families};
use rand::SeedableRng;
use std::time::Instant;

const WIDTHS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Products between two events, and how often.
const PRODUCTS: usize = 8;
const TIMES: usize = 7;
/// Products with A and its transpose in turn.
const LONG: usize = 100;

pub fn time(clock: &mut Clock, device: &Device, modulus: Modulus) -> Result<()> {
    let mut rng = Rng::seed_from_u64(1);
    let name = clock.pick("ch4-4-b2", "bibd_81_3");
    let a = families::generate(name)?.try_reduce(modulus)?;
    let product = Product::new(&a, &Plan::choose(&a, &PlanOptions::default())?)?;
    for &block in clock.pick(&WIDTHS[..2], &WIDTHS[..]) {
        let shape = GpuShape { modulus, block, degree: 1 };
        let x = Block::random(shape.lane(), a.cols(), block, modulus, &mut rng)?;
        let mut expected = Block::zeros(shape.lane(), a.rows(), block)?;
        product.apply_scaled(None, &x, &mut expected)?;
        let mut case = Case { clock, device, a: &a, name, shape, x: &x, expected: &expected };
        for format in GpuFormat::ALL {
            case.format(format)?;
        }
        for segregate in [true, false] {
            case.sliced(segregate)?;
        }
        case.in_a_row()?;
    }
    Ok(())
}

/// Products with one block.
struct Case<'a, 'c, 'o> {
    clock: &'c mut Clock<'o>,
    device: &'a Device,
    a: &'a SparseMatrix,
    name: &'a str,
    shape: GpuShape,
    x: &'a Block,
    expected: &'a Block,
}

impl Case<'_, '_, '_> {
    /// One format; nothing where it does not suit.
    fn format(&mut self, format: GpuFormat) -> Result<()> {
        let mut formatted = match GpuFormatted::new(self.device, self.a, self.shape, format, true) {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoKernel => return Ok(()),
            formatted => formatted?,
        };
        let (x, mut y) = (formatted.upload(self.x)?, formatted.zeros()?);
        let stream = formatted.stream().clone();
        let seconds = median(&stream, || formatted.apply(&x, &mut y))?;
        self.right(format.name(), &formatted.download(&y)?)?;
        self.push(format.name(), seconds, 1)?;
        Ok(())
    }

    /// Sliced ELL, which everything else uses.
    fn sliced(&mut self, segregate: bool) -> Result<()> {
        let (name, matrix) = match segregate {
            true => ("sliced ELL", GpuMatrix::new(self.device, self.a, self.shape)?),
            false => ("sliced ELL with +-1 as values", GpuMatrix::without_signs(self.device, self.a, self.shape)?),
        };
        let (mut x, mut y) = (matrix.upload(self.x, false)?, matrix.zeros(true)?);
        let seconds = median(matrix.stream(), || matrix.apply(false, None, &mut x, &mut y))?;
        self.right(name, &matrix.download(&y, self.a.rows())?)?;
        self.push(name, seconds, 1)?;
        Ok(())
    }

    /// Products with A and its transpose in turn, whose vectors stay on the GPU or are copied for each, by the clock.
    fn in_a_row(&mut self) -> Result<()> {
        let matrix = GpuMatrix::new(self.device, self.a, self.shape)?;
        let (mut ends, mut y) = (vec![], matrix.zeros(true)?);
        for name in ["products in a row", "products one by one"] {
            let mut best = f64::INFINITY;
            for _ in 0..3 {
                let mut x = matrix.upload(self.x, false)?;
                let start = Instant::now();
                for _ in 0..LONG / 2 {
                    matrix.apply(false, None, &mut x, &mut y)?;
                    if name == "products one by one" {
                        y = matrix.upload(&matrix.download(&y, self.a.rows())?, true)?;
                    }
                    matrix.apply(true, None, &mut y, &mut x)?;
                    if name == "products one by one" {
                        x = matrix.upload(&matrix.download(&x, self.a.cols())?, false)?;
                    }
                }
                ends.push(matrix.download(&x, self.a.cols())?);
                best = best.min(start.elapsed().as_secs_f64());
            }
            self.push(&format!("{LONG} {name}"), best, LONG)?;
        }
        match ends.windows(2).all(|pair| pair[0] == pair[1]) {
            true => Ok(()),
            false => Err(Error::Check(format!("{LONG} products with {} on {}", self.name, self.device))),
        }
    }

    fn right(&self, what: &str, found: &Block) -> Result<()> {
        if found == self.expected {
            return Ok(());
        }
        Err(Error::Check(format!("the product with {} in {what} on {}", self.name, self.device)))
    }

    fn push(&mut self, what: &str, seconds: f64, times: usize) -> Result<()> {
        let work = (times * self.a.nnz() * self.shape.block) as f64;
        let name = format!("{}, {what}, {} vectors", self.name, self.shape.block);
        self.clock.add("gpu formats", name, seconds, (work, "multiply-adds"))
    }
}

/// The median seconds of a product, by the device's events.
fn median(stream: &Stream, mut product: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = Vec::new();
    // The first is to warm up.
    for _ in 0..=TIMES {
        let begin = stream.mark()?;
        for _ in 0..PRODUCTS {
            product()?;
        }
        seconds.push(stream.mark()?.seconds_since(&begin)? / PRODUCTS as f64);
    }
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[TIMES / 2])
}
