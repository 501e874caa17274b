//! Entries ±1 split off one by one: A ~ (1) ⊕ (A' - column·row/±1), over ℤ.
//!
//! Row operations clear the pivot's column; its row is then cleared by column operations that change nothing else.
//! Pivots have small Markowitz cost (see [`crate::elimination`]). Rows whose primitive parts agree up to sign span what
//! one row spans, the greatest common divisor of the contents times that part, and are merged now and then: boundary
//! matrices, once cut down, have most of their rows several times.
//!
//! **No overflow.** Every row knows b, the least number with all entries below 2ᵇ. Adding a multiple of a row of b₁
//! bits by an entry of a row of b₂ bits keeps that one below 2^(b₁ + b₂ + 1): pivots for which this exceeds the limit
//! are left.

use super::buckets::Buckets;
use super::entry::Entry;
use super::pace::Pace;
use super::worth::{Rest, Worth};
use crate::answers::RankOptions;
use crate::report::Kept;
use crate::{Observer, Result, memory};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

/// What the memory is for.
const ROWS: &str = "the rows of an elimination over Z";
const LISTS: &str = "the columns of an elimination over Z";
/// Candidates that are looked at before the best so far is taken.
const CANDIDATES: usize = 6;
/// Pivots between two looks at the observer and at repeated rows.
const WINDOW: usize = 64;

/// A sparse row, columns ascending.
pub(super) type Row<V> = Vec<(u32, V)>;

/// What is left of a matrix.
pub(super) struct Active<V> {
    /// Rows; those that were pivots or vanished are empty.
    pub rows: Vec<Row<V>>,
    /// The rows with an entry in each column.
    pub(super) lists: Vec<Vec<u32>>,
    /// Of the largest entry of each row.
    pub(super) bits: Vec<u32>,
    pub(super) limit: u32,
    pub nnz: usize,
    /// Entries changed, made or removed.
    pub(super) work: u64,
    pub(super) buckets: Buckets,
}

/// How far pivots one by one are.
pub(super) struct Course {
    /// Units that were split off.
    pub count: usize,
    /// The work at the last look at repeated rows, and how much of it passes before the next one.
    pub last: u64,
    pub distance: u64,
    pub worth: Worth,
    /// Whether no more are taken.
    pub done: bool,
}

#[derive(Clone, Copy)]
struct Pivot {
    row: u32,
    col: u32,
    cost: u64,
}

impl<V: Entry> Active<V> {
    /// Of rows with columns below `cols`.
    pub fn new(rows: Vec<Row<V>>, cols: usize) -> Result<Self> {
        let mut counts = memory::zeros::<usize>(cols, LISTS)?;
        rows.iter().flatten().for_each(|e| counts[e.0 as usize] += 1);
        let mut lists: Vec<Vec<u32>> = memory::with_capacity(cols, LISTS)?;
        for count in counts {
            lists.push(memory::with_capacity(count, LISTS)?);
        }
        for (i, row) in rows.iter().enumerate() {
            row.iter().for_each(|e| lists[e.0 as usize].push(i as u32));
        }
        let bits = memory::collect(rows.iter().map(|row| bits_of(row)), ROWS)?;
        let limit = V::limit(bits.iter().copied().max().unwrap_or(0));
        let nnz = rows.iter().map(Vec::len).sum();
        Ok(Active { rows, lists, bits, limit, nnz, work: 0, buckets: Buckets::default() })
    }

    /// Splits units off while there are any that may be taken, while it is worth it ([`Worth`]), and as long as what is
    /// left takes at most as many bytes as are allowed: how many. States of it are `kept`: one goes on to the same end.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory); those of [`Kept`].
    pub fn split_units(&mut self, kept: &Kept<'_>, options: &RankOptions, observer: &dyn Observer) -> Result<usize> {
        let most = self.rows.len().min(self.lists.len());
        observer.phase("units", most as u64);
        let mut course = Course { count: 0, last: 0, distance: 1, worth: Worth::new(), done: false };
        match kept.load::<(Active<V>, Course)>()? {
            Some((active, before))
                if active.rows.len() == self.rows.len() && active.lists.len() == self.lists.len() =>
            {
                (*self, course) = (active, before);
                observer.restored(course.count as u64);
            }
            _ => self.refill()?,
        }
        let mut pace = Pace::new();
        while !course.done {
            if course.count.is_multiple_of(WINDOW) && kept.is_due() {
                kept.store(&(&*self, &course))?;
            }
            let Course { count, last, distance, worth, .. } = &mut course;
            if worth.is_due(self.work, self.rows.len(), &options.machine)
                && worth.is_lost(self.rest(), &options.machine)
            {
                break;
            }
            if count.is_multiple_of(WINDOW) {
                observer.check()?;
                observer.progress(*count as u64);
                let bytes = (self.nnz * (size_of::<(u32, V)>() + 4) * 3 / 2) as u64;
                if options.max_memory.is_some_and(|limit| bytes > limit) {
                    return Ok(*count);
                }
                pace.rest(WINDOW, most - *count, bytes).inspect(|forecast| observer.forecast(forecast));
                if self.work - *last >= *distance * self.nnz as u64 / 4 {
                    let (merged, rows) = self.merge_repeated()?;
                    *last = self.work;
                    if merged * 16 < rows {
                        *distance *= 2;
                    }
                }
            }
            let Some(pivot) = self.search() else {
                // What is left of rows that are merged may have units.
                if self.merge_repeated()?.0 > 0 {
                    continue;
                }
                break;
            };
            self.eliminate(pivot)?;
            *count += 1;
        }
        observer.progress(course.count as u64);
        course.done = true;
        kept.keep(&(&*self, &course), true)?;
        Ok(course.count)
    }

    /// What is left, as far as the work on it depends on that.
    fn rest(&self) -> Rest {
        let (mut rows, mut bits) = (0, 0);
        for (_, own) in self.rows.iter().zip(&self.bits).filter(|e| !e.0.is_empty()) {
            rows += 1;
            bits += u64::from(*own);
        }
        let cols = self.lists.iter().filter(|list| !list.is_empty()).count();
        Rest { rows, cols, nnz: self.nnz, bits }
    }

    fn refill(&mut self) -> Result<()> {
        let Buckets { rows, cols, least } = &mut self.buckets;
        rows.iter_mut().chain(cols.iter_mut()).for_each(Vec::clear);
        for (i, row) in self.rows.iter().enumerate().rev() {
            Buckets::put(rows, least, row.len(), i as u32)?;
        }
        for (j, list) in self.lists.iter().enumerate().rev() {
            Buckets::put(cols, least, list.len(), j as u32)?;
        }
        Ok(())
    }

    /// A unit of small Markowitz cost; `None` if there is none that may be taken.
    fn search(&mut self) -> Option<Pivot> {
        let mut buckets = std::mem::take(&mut self.buckets);
        let (mut best, mut searched): (Option<Pivot>, usize) = (None, 0);
        let end = buckets.rows.len().max(buckets.cols.len());
        let mut first = end;
        for count in buckets.least.max(1)..end {
            let floor = (count as u64 - 1).pow(2);
            let enough =
                |best: Option<Pivot>, searched| best.is_some_and(|pivot| pivot.cost <= floor || searched >= CANDIDATES);
            for of_rows in [false, true] {
                let side = if of_rows { &mut buckets.rows } else { &mut buckets.cols };
                let Some(bucket) = side.get_mut(count) else { continue };
                let mut at = bucket.len();
                while at > 0 && !enough(best, searched) {
                    at -= 1;
                    let line = bucket[at];
                    let found = match of_rows {
                        true if self.rows[line as usize].len() == count => self.unit_of_row(line),
                        false if self.lists[line as usize].len() == count => self.unit_of_col(line),
                        _ => None,
                    };
                    match found {
                        Some(pivot) => {
                            searched += 1;
                            if best.is_none_or(|best| pivot.cost < best.cost) {
                                best = Some(pivot);
                            }
                        }
                        None => drop(bucket.swap_remove(at)),
                    }
                }
                if !bucket.is_empty() {
                    first = first.min(count);
                }
            }
            if enough(best, searched) {
                first = first.min(count);
                break;
            }
        }
        buckets.least = first;
        self.buckets = buckets;
        best
    }

    fn unit_of_row(&self, i: u32) -> Option<Pivot> {
        let row = &self.rows[i as usize];
        let units = row.iter().filter(|e| e.1.is_unit());
        let mut best: Option<Pivot> = None;
        for &(j, _) in units {
            let cost = self.cost(i, j);
            if best.is_none_or(|best| cost < best.cost) && self.may_take(i, j) {
                best = Some(Pivot { row: i, col: j, cost });
            }
        }
        best
    }
    fn unit_of_col(&self, j: u32) -> Option<Pivot> {
        let mut best: Option<Pivot> = None;
        for &i in &self.lists[j as usize] {
            let cost = self.cost(i, j);
            if best.is_none_or(|best| cost < best.cost) && self.value(i, j).is_unit() && self.may_take(i, j) {
                best = Some(Pivot { row: i, col: j, cost });
            }
        }
        best
    }
    fn cost(&self, i: u32, j: u32) -> u64 {
        (self.rows[i as usize].len() as u64 - 1) * (self.lists[j as usize].len() as u64 - 1)
    }
    fn value(&self, i: u32, j: u32) -> &V {
        let row = &self.rows[i as usize];
        &row[row.binary_search_by_key(&j, |e| e.0).expect("the list names the row")].1
    }
    /// Whether all entries stay within the limit.
    fn may_take(&self, i: u32, j: u32) -> bool {
        let own = self.bits[i as usize];
        let fits = |&t: &u32| t == i || own + self.bits[t as usize] < self.limit;
        self.rows[i as usize].len() == 1 || self.lists[j as usize].iter().all(fits)
    }

    fn eliminate(&mut self, Pivot { row: i, col: j, .. }: Pivot) -> Result<()> {
        let mut targets = std::mem::take(&mut self.lists[j as usize]);
        targets.sort_unstable(); // as they lie in memory
        let mut pivot = std::mem::take(&mut self.rows[i as usize]);
        self.nnz -= pivot.len() + targets.len() - 1;
        let at = pivot.binary_search_by_key(&j, |e| e.0).expect("the pivot is an entry");
        let unit = pivot.remove(at).1;
        for e in &pivot {
            leave(&mut self.lists[e.0 as usize], i);
        }
        for &t in targets.iter().filter(|&&t| t != i) {
            self.reduce(t, j, &unit, &pivot)?;
            Buckets::put(&mut self.buckets.rows, &mut self.buckets.least, self.rows[t as usize].len(), t)?;
        }
        for e in &pivot {
            let count = self.lists[e.0 as usize].len();
            Buckets::put(&mut self.buckets.cols, &mut self.buckets.least, count, e.0)?;
        }
        Ok(())
    }

    /// Row t less its entry in column j, and the multiple of the pivot row that makes it vanish.
    fn reduce(&mut self, t: u32, j: u32, unit: &V, pivot: &[(u32, V)]) -> Result<()> {
        let old = std::mem::take(&mut self.rows[t as usize]);
        self.work += (old.len() + pivot.len()) as u64;
        let at = old.binary_search_by_key(&j, |e| e.0).expect("targets have an entry in the pivot's column");
        let f = old[at].1.product(unit);
        let mut new: Row<V> = memory::with_capacity(old.len() - 1 + pivot.len(), ROWS)?;
        let mut rest = pivot.iter().peekable();
        let (lists, mut bits) = (&mut self.lists, 0);
        let mut keep = |new: &mut Row<V>, c: u32, v: V| {
            bits = v.bits().max(bits);
            new.push((c, v));
        };
        for (c, v) in old {
            while let Some((d, x)) = rest.next_if(|e| e.0 < c) {
                keep(&mut new, *d, V::minus_product(&f, x));
                memory::push(&mut lists[*d as usize], t, LISTS)?;
                self.nnz += 1;
            }
            if let Some((_, x)) = rest.next_if(|e| e.0 == c) {
                let v = v.minus(&f, x);
                if v.is_zero() {
                    leave(&mut lists[c as usize], t);
                    self.nnz -= 1;
                } else {
                    keep(&mut new, c, v);
                }
            } else if c != j {
                keep(&mut new, c, v);
            }
        }
        for (d, x) in rest {
            keep(&mut new, *d, V::minus_product(&f, x));
            memory::push(&mut lists[*d as usize], t, LISTS)?;
            self.nnz += 1;
        }
        if new.capacity() > 2 * new.len() {
            new.shrink_to_fit();
        }
        self.bits[t as usize] = bits;
        self.rows[t as usize] = new;
        Ok(())
    }

    /// Merges rows whose primitive parts agree up to sign: how many went, of how many.
    fn merge_repeated(&mut self) -> Result<(usize, usize)> {
        let left = self.rows.iter().filter(|row| !row.is_empty()).count();
        let mut seen: HashMap<u64, (u32, V)> = HashMap::new();
        memory::reserve_table(&mut seen, left, "the hashes of rows")?;
        let mut merged = 0;
        for i in 0..self.rows.len() {
            if self.rows[i].is_empty() {
                continue;
            }
            let content = signed_content(&self.rows[i]);
            let hash = self.rows[i].iter().fold(0, |hash: u64, (c, v)| {
                let v = v.divided(&content).hash();
                let mixed = (v ^ u64::from(*c).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (hash.rotate_left(5) ^ mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
            });
            match seen.entry(hash) {
                Slot::Vacant(slot) => drop(slot.insert((i as u32, content))),
                Slot::Occupied(mut slot) => {
                    let (first, other) = slot.get_mut();
                    let same =
                        |(x, y): (&(u32, V), &(u32, V))| x.0 == y.0 && x.1.divided(&content) == y.1.divided(other);
                    let (a, b) = (&self.rows[i], &self.rows[*first as usize]);
                    // Another row with the same hash stays.
                    if a.len() != b.len() || !a.iter().zip(b).all(same) {
                        continue;
                    }
                    let own = content.gcd(other);
                    if own != other.gcd(other) {
                        let row = &mut self.rows[*first as usize];
                        row.iter_mut().for_each(|e| e.1 = e.1.divided(other).product(&own));
                        self.bits[*first as usize] = bits_of(row);
                        let (length, first) = (row.len(), *first);
                        *other = own;
                        Buckets::put(&mut self.buckets.rows, &mut self.buckets.least, length, first)?;
                    }
                    let row = std::mem::take(&mut self.rows[i]);
                    self.nnz -= row.len();
                    merged += 1;
                }
            }
        }
        if merged > 0 {
            for (j, list) in self.lists.iter_mut().enumerate() {
                let before = list.len();
                list.retain(|&i| !self.rows[i as usize].is_empty());
                if list.len() < before {
                    Buckets::put(&mut self.buckets.cols, &mut self.buckets.least, list.len(), j as u32)?;
                }
            }
        }
        Ok((merged, left))
    }
}

fn bits_of<V: Entry>(row: &[(u32, V)]) -> u32 {
    row.iter().map(|e| e.1.bits()).max().unwrap_or(0)
}

/// The content of a row with entries, with the sign of the first.
fn signed_content<V: Entry>(row: &[(u32, V)]) -> V {
    let first = &row[0].1;
    let mut content = first.gcd(first);
    for e in &row[1..] {
        if content.is_unit() {
            break;
        }
        content = content.gcd(&e.1);
    }
    // x/|x| is the sign.
    if first.is_negative() { first.divided(&first.gcd(first)).product(&content) } else { content }
}

/// Takes row i off the list of a column.
fn leave(list: &mut Vec<u32>, i: u32) {
    let at = list.iter().position(|&t| t == i).expect("the list names the row");
    list.swap_remove(at);
}
