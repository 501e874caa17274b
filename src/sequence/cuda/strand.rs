//! Some columns of the blocks of a sequence: on one GPU, or on several that have the rows of the matrix between them.
//!
//! Several make a factor's product row by row of their own, then copy the others' rows from where they were made. A GPU
//! waits for the others' products before it copies; what it overwrites later was copied before, since the copies of the
//! next factor wait for the streams that did it.

use super::projection::GpuProjection;
use crate::Result;
use crate::blackbox::Diagonals;
use crate::gpu::Event;
use crate::sequence::Projection;
use crate::spmv::{Block, GpuBlock, GpuDiagonal, GpuMatrix};
use std::ops::Range;

/// Some columns of the running blocks X, BX, B²X, …
#[derive(Debug)]
pub(super) struct Strand<'a> {
    /// Which columns these are, elements of GF(pᵏ).
    pub columns: Range<usize>,
    pub projection: GpuProjection,
    team: Vec<Member<'a>>,
}

/// A GPU with its blocks. Each of them is whole.
#[derive(Debug)]
struct Member<'a> {
    matrix: &'a GpuMatrix,
    /// The factors of B: whether it is Aᵀ, and what scales the product.
    factors: Vec<(bool, GpuDiagonal)>,
    current: GpuBlock,
    next: GpuBlock,
    between: Option<GpuBlock>,
}

impl<'a> Strand<'a> {
    /// The columns of the sequence of B, `diagonals` about the matrix, that starts with the block `x`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn new(
        (columns, team): (Range<usize>, &'a [GpuMatrix]),
        diagonals: &Diagonals,
        projection: &Projection,
        x: &Block,
    ) -> Result<Self> {
        let member = |matrix: &'a GpuMatrix| Member::new(matrix, diagonals, x, columns.start);
        let y = (diagonals.order(), x.width() / diagonals.degree());
        let projection = GpuProjection::new(&team[0], projection, y)?;
        let team = team.iter().map(member).collect::<Result<_>>()?;
        Ok(Strand { columns, projection, team })
    }

    /// The GPU that projects.
    pub fn matrix(&self) -> &'a GpuMatrix {
        self.team[0].matrix
    }

    /// The first `rows` rows of the current block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn current(&self, rows: usize) -> Result<Block> {
        self.matrix().download(&self.team[0].current, rows)
    }

    /// Goes on from the columns of another block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn restore(&mut self, block: &Block) -> Result<()> {
        let first = self.columns.start;
        for member in &mut self.team {
            member.current = member.matrix.upload_columns(block, first, member.factors[0].0)?;
        }
        Ok(())
    }

    /// Begins to project the current block, as number `number` of those that are collected together.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn project(&mut self, number: u32) -> Result<()> {
        self.projection.project(self.team[0].matrix, &self.team[0].current, number)
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn step(&mut self) -> Result<()> {
        for number in 0..self.team[0].factors.len() {
            self.team.iter_mut().try_for_each(|member| member.multiply(number))?;
            if self.team.len() > 1 {
                self.exchange(number)?;
            }
        }
        self.team.iter_mut().for_each(|member| std::mem::swap(&mut member.current, &mut member.next));
        Ok(())
    }

    /// Every GPU gets the rows of a product that others made.
    fn exchange(&mut self, number: usize) -> Result<()> {
        let made = self.marks()?;
        for to in 0..self.team.len() {
            for from in (0..self.team.len()).filter(|&from| from != to) {
                let [member, other] = self.team.get_disjoint_mut([to, from]).expect("two of the team");
                let (stream, rows) = (member.matrix.stream(), other.matrix.own(other.factors[number].0));
                stream.wait(&made[from])?;
                member.made(number).pull(stream, other.made(number), rows)?;
            }
        }
        Ok(())
    }

    /// The points that the streams have now.
    fn marks(&self) -> Result<Vec<Event>> {
        self.team.iter().map(|member| member.matrix.stream().mark()).collect()
    }
}

impl Drop for Strand<'_> {
    /// No block is freed before others have copied from it.
    fn drop(&mut self) {
        if self.team.len() == 1 {
            return;
        }
        for mark in self.marks().unwrap_or_default() {
            for member in &self.team {
                // A device that fails here has failed before, where it was told.
                let _ = member.matrix.stream().wait(&mark);
            }
        }
    }
}

impl<'a> Member<'a> {
    fn new(matrix: &'a GpuMatrix, diagonals: &Diagonals, x: &Block, first_column: usize) -> Result<Self> {
        let factors = diagonals.factors();
        let first = factors[0].0;
        let upload = |&(transpose, d): &(bool, &[u64])| Ok((transpose, matrix.diagonal(d)?));
        Ok(Member {
            matrix,
            factors: factors.iter().map(upload).collect::<Result<_>>()?,
            current: matrix.upload_columns(x, first_column, first)?,
            next: matrix.zeros(first)?,
            between: if factors.len() == 2 { Some(matrix.zeros(!first)?) } else { None },
        })
    }

    /// Begins the product by factor `number`, of the rows left to this GPU.
    fn multiply(&mut self, number: usize) -> Result<()> {
        let Member { matrix, factors, current, next, between } = self;
        let (transpose, diagonal) = &factors[number];
        let (x, y) = match (factors.len(), number, between) {
            (1, 0, _) => (current, next),
            (2, 0, Some(between)) => (current, between),
            (2, 1, Some(between)) => (between, next),
            _ => unreachable!("B has one factor, or two with a block between them"),
        };
        matrix.apply(*transpose, Some(diagonal), x, y)
    }

    /// The block that factor `number` makes.
    fn made(&mut self, number: usize) -> &mut GpuBlock {
        match &mut self.between {
            Some(between) if number == 0 => between,
            _ => &mut self.next,
        }
    }
}
