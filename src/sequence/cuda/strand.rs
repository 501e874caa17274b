//! Some columns of the blocks of a sequence: on one GPU, or on several that have the rows of the matrix between them.
//!
//! Several make rows of their own of a factor's product. Where their kernels reach each other's memory, each writes its
//! rows to the blocks of all. After a product all wait for each other: then the block that it made is whole, and nobody
//! reads the block any more that it was made of, which the next product may overwrite.
//!
//! Where they do not, and over extensions, each copies the others' rows from where they were made. A GPU waits for the
//! others' products before it copies; what it overwrites later was copied before, since the copies of the next factor
//! wait for the streams that did it.

use super::gram::GpuGram;
use super::projection::GpuProjection;
use crate::Result;
use crate::blackbox::Diagonals;
use crate::gpu::Event;
use crate::sequence::Left;
use crate::spmv::{Block, GpuBlock, GpuDiagonal, GpuMatrix, GpuPlaces};
use std::ops::Range;

/// Some columns of the running blocks X, BX, B²X, …
#[derive(Debug)]
pub(super) struct Strand<'a> {
    /// Which columns these are, elements of GF(pᵏ).
    pub columns: Range<usize>,
    pub left: GpuLeft,
    team: Vec<Member<'a>>,
    /// Whether each GPU writes to the blocks of the others.
    direct: bool,
}

/// What blocks are multiplied by to make terms: a Y on the first GPU, or themselves, on each GPU the rows that it
/// makes.
#[derive(Debug)]
pub(super) enum GpuLeft {
    Drawn(Box<GpuProjection>),
    Own(Vec<GpuGram>),
}

/// A GPU with its blocks. Each of them is whole.
#[derive(Debug)]
struct Member<'a> {
    matrix: &'a GpuMatrix,
    /// The factors of B: whether it is Aᵀ, and what scales the product.
    factors: Vec<(bool, GpuDiagonal)>,
    current: Shared,
    next: Shared,
    between: Option<Shared>,
}

/// What a block is for: those of all GPUs change at the same time.
#[derive(Clone, Copy, Debug)]
enum Role {
    Current,
    Next,
    Between,
}

/// A block, and where the other GPUs have theirs, if this one writes there.
#[derive(Debug)]
struct Shared {
    block: GpuBlock,
    others: Option<GpuPlaces>,
}

impl<'a> Strand<'a> {
    /// The columns of the sequence of B, `diagonals` about the matrix, that starts with the block `x`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn new(
        (columns, team, open): (Range<usize>, &'a [GpuMatrix], bool),
        diagonals: &Diagonals,
        left: &Left,
        x: &Block,
    ) -> Result<Self> {
        let member = |matrix: &'a GpuMatrix| Member::new(matrix, diagonals, x, columns.start);
        let left = match left {
            Left::Drawn(projection) => {
                let y = (diagonals.order(), x.width() / diagonals.degree());
                GpuLeft::Drawn(Box::new(GpuProjection::new(&team[0], projection, y)?))
            }
            Left::Own(gram) => {
                let last = diagonals.factors()[diagonals.factors().len() - 1].0;
                GpuLeft::Own(team.iter().map(|matrix| GpuGram::new(matrix, gram, last)).collect::<Result<_>>()?)
            }
        };
        let team = team.iter().map(member).collect::<Result<Vec<_>>>()?;
        let direct = team.len() > 1 && open && team[0].factors.iter().all(|(_, diagonal)| diagonal.is_of_residues());
        let mut strand = Strand { columns, left, team, direct };
        strand.connect()?;
        Ok(strand)
    }

    /// Tells each GPU where the others have their blocks.
    fn connect(&mut self) -> Result<()> {
        if !self.direct {
            return Ok(());
        }
        for role in [Role::Current, Role::Next, Role::Between] {
            for to in 0..self.team.len() {
                let blocks = self.team.iter().enumerate().filter(|(from, _)| *from != to);
                let blocks = blocks.filter_map(|(_, other)| Some((other.matrix.stream(), &other.shared(role)?.block)));
                let others = Some(GpuPlaces::of(self.team[to].matrix.stream(), blocks)?);
                if let Some(shared) = self.team[to].shared_mut(role) {
                    shared.others = others;
                }
            }
        }
        // Nobody writes to a block before it is there.
        self.meet()
    }

    /// The first GPU, which projects where Y is drawn.
    pub fn matrix(&self) -> &'a GpuMatrix {
        self.team[0].matrix
    }

    /// The first `rows` rows of the current block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn current(&self, rows: usize) -> Result<Block> {
        self.matrix().download(&self.team[0].current.block, rows)
    }

    /// Goes on from the columns of another block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn restore(&mut self, block: &Block) -> Result<()> {
        self.wait_for_all()?;
        let first = self.columns.start;
        for member in &mut self.team {
            member.current.block = member.matrix.upload_columns(block, first, member.factors[0].0)?;
        }
        self.connect()
    }

    /// Of how many blocks terms are collected together, at most.
    pub fn capacity(&self) -> usize {
        match &self.left {
            GpuLeft::Drawn(projection) => projection.capacity(),
            GpuLeft::Own(grams) => grams[0].capacity(),
        }
    }

    /// Begins to make the term, or both terms, of the current block, as number `number` of a half of what is collected,
    /// and the block after it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn advance(&mut self, number: (usize, usize)) -> Result<()> {
        let Strand { left, team, .. } = self;
        if let GpuLeft::Drawn(projection) = left {
            projection.project(team[0].matrix, &team[0].current.block, number)?;
        }
        self.step()?;
        let Strand { left, team, .. } = self;
        if let GpuLeft::Own(grams) = left {
            for (gram, Member { matrix, current, next, .. }) in grams.iter_mut().zip(&*team) {
                // What was current is next: of it, too, these are rows that only this GPU writes.
                gram.add(matrix, (&next.block, &current.block), number)?;
            }
        }
        Ok(())
    }

    /// All terms of a half have been begun.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn filled(&mut self, half: usize) -> Result<()> {
        match &mut self.left {
            GpuLeft::Drawn(projection) => projection.filled(half, self.team[0].matrix),
            GpuLeft::Own(grams) => grams.iter_mut().try_for_each(|gram| gram.filled(half)),
        }
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn step(&mut self) -> Result<()> {
        let last = self.team[0].factors.len() - 1;
        for number in 0..=last {
            if number == last {
                // It overwrites the block before the current one.
                self.wait_for_terms()?;
            }
            self.team.iter_mut().try_for_each(|member| member.multiply(number))?;
            match (self.team.len(), self.direct) {
                (1, _) => {}
                (_, true) => self.meet()?,
                (_, false) => self.exchange(number)?,
            }
        }
        self.team.iter_mut().for_each(|member| std::mem::swap(&mut member.current, &mut member.next));
        Ok(())
    }

    /// No block is overwritten or freed before terms were made of it.
    fn wait_for_terms(&self) -> Result<()> {
        let GpuLeft::Own(grams) = &self.left else { return Ok(()) };
        grams.iter().zip(&self.team).try_for_each(|(gram, member)| gram.wait(member.matrix))
    }

    /// Nor before others have copied from it.
    fn wait_for_all(&self) -> Result<()> {
        self.wait_for_terms()?;
        if self.team.len() > 1 { self.meet() } else { Ok(()) }
    }

    /// Every GPU waits for what the others have been given to do.
    fn meet(&self) -> Result<()> {
        let marks = self.marks()?;
        for (to, member) in self.team.iter().enumerate() {
            for (_, mark) in marks.iter().enumerate().filter(|(from, _)| *from != to) {
                member.matrix.stream().wait(mark)?;
            }
        }
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
                member.made(number).block.pull(stream, &other.made(number).block, rows)?;
            }
        }
        Ok(())
    }

    /// The points that the streams have now.
    fn marks(&self) -> Result<Vec<Event>> {
        self.team.iter().map(|member| member.matrix.stream().mark()).collect()
    }
}

impl Shared {
    fn alone(block: GpuBlock) -> Shared {
        Shared { block, others: None }
    }
}

impl Drop for Strand<'_> {
    /// No block is freed before terms were made of it, and others have copied from it.
    fn drop(&mut self) {
        // A device that fails here has failed before, where it was told.
        let _ = self.wait_for_all();
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
            current: Shared::alone(matrix.upload_columns(x, first_column, first)?),
            next: Shared::alone(matrix.zeros(first)?),
            between: if factors.len() == 2 { Some(Shared::alone(matrix.zeros(!first)?)) } else { None },
        })
    }

    fn shared(&self, role: Role) -> Option<&Shared> {
        match role {
            Role::Current => Some(&self.current),
            Role::Next => Some(&self.next),
            Role::Between => self.between.as_ref(),
        }
    }
    fn shared_mut(&mut self, role: Role) -> Option<&mut Shared> {
        match role {
            Role::Current => Some(&mut self.current),
            Role::Next => Some(&mut self.next),
            Role::Between => self.between.as_mut(),
        }
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
        match &y.others {
            Some(others) => matrix.apply_to(*transpose, diagonal, (&mut x.block, &mut y.block), others),
            None => matrix.apply(*transpose, Some(diagonal), &mut x.block, &mut y.block),
        }
    }

    /// The block that factor `number` makes.
    fn made(&mut self, number: usize) -> &mut Shared {
        match &mut self.between {
            Some(between) if number == 0 => between,
            _ => &mut self.next,
        }
    }
}
