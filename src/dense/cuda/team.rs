//! A basis of the span of rows over several GPUs, always in reduced row echelon form: that of [`panels`](super::panels)
//! with its columns dealt out.
//!
//! Bands of columns go to the GPUs in turn, so that each has about as many that are no pivots yet. A panel of rows is
//! copied to all of them; each clears the known pivots from its columns, one product; the first GPU gathers the panel,
//! reduces it (`window`), and deals it out again. The columns of the basis at the new pivots go, packed, from the GPU
//! that has them to the others, and each GPU clears them from its part of the basis, another product. So all work but
//! the windows' is divided by the number of GPUs g; of an h × n panel over a basis of r rows, 3·h·n + h·r residues go
//! to each other GPU, where it makes 2·h·r·n/g multiply-adds.
//!
//! The stream of the first GPU waits for each other's in every panel, and they for it, which orders all that goes from
//! one to the other: what is read of another GPU's memory in one panel is not written before the next has been dealt.

use super::kernels::{GpuField, THREADS, grid};
use super::matrix::GpuDense;
use super::member::{BAND, Given, Member, Share, place_of};
use super::panels::columns_of;
use super::product::{Part, Scratch};
use super::profile::Profile;
use super::window::{Found, HEIGHT, Panel};
use crate::dense::entry::{Entry, Residue};
use crate::field::Modulus;
use crate::gpu::{Buffer, Event};
use crate::{Result, memory};

/// What the memory is for.
const PIVOTS: &str = "the pivots of a dense elimination";

/// A basis of the row space of the rows met so far, on several GPUs.
#[derive(Debug)]
pub struct GpuTeam {
    cols: usize,
    members: Vec<Member>,
    /// A panel of all columns, and what its elimination needs, on the first GPU.
    panel: Panel,
    scratch: Scratch,
    /// On the first GPU, the panels of the others.
    dealt: Vec<Buffer<u32>>,
    /// Positions of the panel before this one, a multiple of words, are pivots'.
    first: usize,
    is_pivot: Vec<bool>,
    profile: Profile,
}

impl GpuTeam {
    /// The empty basis in a space of `cols` dimensions, with room for `rank` rows at first, over as many of the GPUs as
    /// get a band of columns. All of them are over one field; one may be there more than once.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If there is none, or they are over different fields.
    pub fn new(fields: &[GpuField], cols: usize, rank: usize) -> Result<GpuTeam> {
        let lead = fields.first().expect("a GPU");
        assert!(fields.iter().all(|field| field.modulus() == lead.modulus()), "GPUs over different fields");
        let count = fields.len().min(cols.div_ceil(BAND)).max(1);
        let fields = &fields[..count];
        for field in fields {
            fields.iter().for_each(|other| _ = field.stream().open_to(other.stream()));
        }
        let member = |(number, field)| Member::new(field, number, count, cols, rank);
        let members = fields.iter().enumerate().map(member).collect::<Result<Vec<Member>>>()?;
        let words = |member: &Member| lead.stream().zeros(member.words(HEIGHT));
        Ok(GpuTeam {
            cols,
            panel: Panel::new(&lead.0, lead.0.form.stride(cols))?,
            scratch: Scratch::default(),
            dealt: members[1..].iter().map(words).collect::<Result<_>>()?,
            members,
            first: 0,
            is_pivot: memory::filled(false, cols, PIVOTS)?,
            profile: Profile::default(),
        })
    }

    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.profile.rank()
    }
    /// How many rows were absorbed.
    pub fn rows_seen(&self) -> usize {
        self.profile.seen
    }
    /// The row rank profile, ascending.
    pub fn pivot_rows(&self) -> &[usize] {
        &self.profile.rows
    }
    /// The column rank profile in the order of the basis.
    pub fn found_cols(&self) -> &[u32] {
        &self.profile.cols
    }
    /// GPUs that have columns.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// Adds rows from this machine's memory to the span: `rows` of them, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn absorb_dense<R: Residue>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let rows = self.members[0].field.upload(rows, self.cols, data)?;
        self.absorb(&rows)
    }
    /// Adds the rows of a matrix on the first GPU to the span.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If it has another number of columns.
    pub fn absorb(&mut self, rows: &GpuDense) -> Result<()> {
        assert_eq!(rows.cols, self.cols, "rows of another length");
        (0..rows.rows).step_by(HEIGHT).try_for_each(|first| self.panel(rows, first, (rows.rows - first).min(HEIGHT)))
    }
    fn panel(&mut self, rows: &GpuDense, first: usize, count: usize) -> Result<()> {
        let found = self.pivots_of(rows, first, count)?;
        self.profile.add(count, &found)
    }
    /// Absorbs a panel, all but what is known of it in the profile.
    fn pivots_of(&mut self, rows: &GpuDense, first: usize, count: usize) -> Result<Found> {
        let rank = self.rank();
        if rank == self.cols {
            return Ok(Found::default());
        }
        self.spread(rows, first, count)?;
        for member in &mut self.members {
            let own = member.rows.take();
            let part = |words| Part { words, offset: first * rows.stride, stride: rows.stride, terms: None };
            member.begin(part(own.as_ref().unwrap_or(&rows.words)), count, &self.profile.cols)?;
            member.rows = own;
        }
        self.gather(count)?;
        let found = self.panel.reduce(&self.members[0].field.0, &mut self.scratch, count, self.first)?;
        if found.rows.is_empty() {
            return Ok(found);
        }
        self.deal(count)?;
        self.extend(&found)?;
        found.positions.iter().for_each(|&j| self.is_pivot[j as usize] = true);
        let lanes = self.members[0].field.0.form.lanes();
        let lead = self.is_pivot[self.first..].iter().position(|&is| !is).map_or(self.panel.stride, |k| self.first + k);
        self.first = lead - lead % lanes;
        Ok(found)
    }

    /// Its pivots, and how many rows it has met.
    pub(super) fn profile(&self) -> &Profile {
        &self.profile
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.members[0].field.modulus()
    }
    /// Number of columns.
    pub(super) fn cols(&self) -> usize {
        self.cols
    }
    /// Bytes of a residue.
    pub(in crate::dense) fn bytes(&self) -> usize {
        self.members[0].field.0.form.bytes()
    }
    /// The columns without a pivot, ascending.
    pub(super) fn free_cols(&self) -> Result<Vec<u32>> {
        memory::collect((0..self.cols as u32).filter(|&j| !self.is_pivot[j as usize]), PIVOTS)
    }
    /// These columns, ascending, of the rows of the basis: row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(super) fn behind<T: Entry + bytemuck::Pod>(&self, free: &[u32]) -> Result<Vec<T>> {
        let (rank, members) = (self.rank(), self.members.len());
        let mut all = memory::zeros::<T>(rank * free.len(), PIVOTS)?;
        for (number, member) in self.members.iter().enumerate() {
            let mut own = vec![];
            for (to, &column) in free.iter().enumerate() {
                let (of, position) = place_of(column as usize, members);
                if of == number {
                    memory::push(&mut own, (to, position as u32), PIVOTS)?;
                }
            }
            let positions = memory::collect(own.iter().map(|&(_, position)| position), PIVOTS)?;
            let part: Vec<T> = columns_of(&member.field, &member.basis, (rank, member.stride), &positions)?;
            for (row, part) in all.chunks_exact_mut(free.len().max(1)).zip(part.chunks_exact(own.len().max(1))) {
                own.iter().zip(part).for_each(|(&(to, _), &x)| row[to] = x);
            }
        }
        Ok(all)
    }

    /// Copies rows of a matrix on the first GPU to the others.
    fn spread(&mut self, rows: &GpuDense, first: usize, count: usize) -> Result<()> {
        let (lead, others) = self.members.split_first_mut().expect("there is a first");
        let (bytes, begun) = (lead.field.0.form.bytes(), lead.field.stream().mark()?);
        let word = |row: usize| row * rows.stride * bytes / 4;
        for member in others {
            let kernels = &member.field.0;
            kernels.stream.wait(&begun)?;
            let to = kernels.room(&mut member.rows, rows.words.len())?;
            kernels.stream.copy_between(to, &rows.words, word(first)..word(first + count))?;
        }
        Ok(())
    }
    /// Makes one panel of those of all members, on the first GPU.
    fn gather(&mut self, count: usize) -> Result<()> {
        let (lead, others) = self.members.split_first_mut().expect("there is a first");
        let kernels = &lead.field.0;
        for (to, member) in self.dealt.iter_mut().zip(&*others) {
            kernels.stream.wait(&member.stream().mark()?)?;
            kernels.stream.copy_between(to, &member.panel, 0..member.words(count))?;
        }
        self.shuffle(count, false)
    }
    /// Gives its part of the panel to each member.
    fn deal(&mut self, count: usize) -> Result<()> {
        self.shuffle(count, true)?;
        let (lead, others) = self.members.split_first_mut().expect("there is a first");
        let dealt = lead.stream().mark()?;
        for (from, member) in self.dealt.iter().zip(others) {
            let (words, stream) = (member.words(count), member.field.stream());
            stream.wait(&dealt)?;
            stream.copy_between(&mut member.panel, from, 0..words)?;
        }
        Ok(())
    }
    /// Copies between the parts of a panel and the whole, all on the first GPU.
    fn shuffle(&mut self, count: usize, to_parts: bool) -> Result<()> {
        let (members, stride) = (self.members.len() as u32, self.panel.stride as u32);
        let sizes: Vec<(usize, usize)> = self.members.iter().map(|member| (member.cols, member.stride)).collect();
        let lead = &mut self.members[0];
        let parts = std::iter::once(&mut lead.panel).chain(&mut self.dealt);
        let kernels = &lead.field.0;
        for (number, (part, (cols, part_stride))) in parts.zip(sizes).enumerate() {
            let (widths, number) = ((part_stride as u32, cols as u32), number as u32);
            let whole = &mut self.panel.words;
            let arguments =
                (whole, part, stride, widths.0, widths.1, BAND as u32, members, number, u32::from(to_parts));
            kernels.stream.enqueue(&kernels.deal, grid(cols.div_ceil(THREADS as usize), count), arguments)?;
        }
        Ok(())
    }

    /// Clears the new pivots from the basis, and appends the panel's rows to it.
    fn extend(&mut self, found: &Found) -> Result<()> {
        let (rank, count) = (self.rank(), self.members.len());
        let mut shares: Vec<Share> = (0..count).map(|_| Share::default()).collect();
        for (&row, &column) in found.rows.iter().zip(&found.positions) {
            let (number, position) = place_of(column as usize, count);
            shares[number].rows.push(row);
            shares[number].positions.push(position as u32);
        }
        // Copies from this machine wait for what a GPU has begun: all before the first product.
        let given = |member: &mut Member| {
            member.make_room(rank, found.rows.len())?;
            let stream = member.stream();
            let lines = shares.iter().map(|share| stream.upload(&share.rows)).collect::<Result<_>>()?;
            let positions = shares.iter().map(|share| stream.upload(&share.positions)).collect::<Result<_>>()?;
            Ok(Given { all: stream.upload(&found.rows)?, lines, positions })
        };
        let given: Vec<Given> = self.members.iter_mut().map(given).collect::<Result<_>>()?;
        if rank > 0 {
            self.exchange(&shares, &given, rank)?;
        }
        for (number, (member, given)) in self.members.iter_mut().zip(&given).enumerate() {
            if rank > 0 {
                member.clear(&shares, given, rank)?;
                member.forget(&shares[number], &given.positions[number], rank)?;
            }
            member.append(&given.all, found.rows.len(), rank)?;
            member.settle(&shares[number]);
        }
        Ok(())
    }
    /// Packs the columns of the basis at the new pivots where they are, and copies them to the other members.
    fn exchange(&mut self, shares: &[Share], given: &[Given], rank: usize) -> Result<()> {
        for (number, (member, given)) in self.members.iter_mut().zip(given).enumerate() {
            let count = shares[number].rows.len();
            if count > 0 {
                let (basis, terms) = (&member.basis, Some(&given.positions[number]));
                let part = Part { words: basis, offset: 0, stride: member.stride, terms };
                member.field.0.pack_a(&mut member.columns[number], rank, 0..count, true, part)?;
            }
        }
        let packed = self.members.iter().map(|member| member.stream().mark()).collect::<Result<Vec<Event>>>()?;
        for (number, share) in shares.iter().enumerate().filter(|(_, share)| !share.rows.is_empty()) {
            let from = self.members[number].columns[number].take().expect("they were packed");
            let words = self.members[number].field.0.packed((rank, 0), share.rows.len()).words_of_a();
            for (_, other) in self.members.iter_mut().enumerate().filter(|(other, _)| *other != number) {
                let kernels = &other.field.0;
                kernels.stream.wait(&packed[number])?;
                let to = kernels.room(&mut other.columns[number], words)?;
                kernels.stream.copy_between(to, &from, 0..words)?;
            }
            self.members[number].columns[number] = Some(from);
        }
        Ok(())
    }
}
