//! Fallible allocation: buffers whose size depends on the input are allocated here, and a refusal becomes an
//! [`Error::Memory`] that says how many bytes were requested and for what.
//!
//! A program may replace the global allocator by one that exits cleanly when the system refuses memory (the command
//! line does). Such an allocator must not exit for requests whose refusal is handled: [`refusal_is_expected`]
//! identifies them.

pub(crate) use crate::plain::plain;
use crate::{Error, Result};
use bytemuck::{Pod, Zeroable};
use memmap2::MmapMut;
use rayon::prelude::*;
use std::cell::Cell;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::hash::Hash;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

/// Bytes from which on several threads clear them.
const CLEARED: usize = 1 << 19;
/// Elements that are cleared at a time.
const PIECE: usize = 64;
/// Elements that one task appends.
const APPENDED: usize = if cfg!(test) { 1 } else { 1 << 14 };

thread_local! {
    /// Whether this thread is inside [`softly`]. No destructor and no lazy initialisation: an allocator may read it.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread handles a refusal of the request that it is making. For global allocators.
pub fn refusal_is_expected() -> bool {
    EXPECTED.try_with(Cell::get).unwrap_or(false)
}

/// Runs `ask`, a fallible request for memory and nothing else.
fn softly<T>(ask: impl FnOnce() -> T) -> T {
    let before = EXPECTED.replace(true);
    let answer = ask();
    EXPECTED.set(before);
    answer
}

/// How the message of every refusal begins.
pub const REFUSED: &str = "out of memory: ";

/// The error for a refused request of `count` elements of a type for `what`.
fn refused<T>(count: usize, what: &str) -> Error {
    let bytes = count as u128 * size_of::<T>() as u128;
    Error::Memory(format!("{REFUSED}{bytes} bytes asked for ({what})"))
}

/// A predicted number of bytes, saturating: no machine has more than a word can count.
pub(crate) fn saturated(bytes: u128) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The value, or a panic with the error's message, which begins with [`REFUSED`]: for functions that have no other way
/// to report that memory has run out.
///
/// # Panics
/// If there is an error.
pub(crate) fn or_panic<T>(result: Result<T>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// An empty vector with room for `capacity` elements; the error says `what` it was for.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn with_capacity<T>(capacity: usize, what: &str) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    softly(|| vector.try_reserve_exact(capacity)).map_err(|_| refused::<T>(capacity, what))?;
    Ok(vector)
}

/// `len` zeros, which the system provides page by page when they are first touched.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn zeros<T: Zeroable>(len: usize, what: &str) -> Result<Vec<T>> {
    softly(|| bytemuck::allocation::try_zeroed_vec(len)).map_err(|()| refused::<T>(len, what))
}

/// `len` zeros that all threads write where they are many. What an allocator has kept for the next request is cleared
/// by whoever asks for it, and of several megabytes the others would wait for that.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn cleared<T: Pod + Send>(len: usize, what: &str) -> Result<Vec<T>> {
    if len.saturating_mul(size_of::<T>()) < CLEARED || rayon::current_num_threads() == 1 {
        return zeros(len, what);
    }
    let count = len.div_ceil(PIECE);
    let mut pieces = with_capacity::<[T; PIECE]>(count, what)?;
    let each = (CLEARED / 8 / size_of::<[T; PIECE]>()).max(1);
    pieces.par_extend((0..count).into_par_iter().with_min_len(each).map(|_| [T::zeroed(); PIECE]));
    let mut zeros: Vec<T> = bytemuck::allocation::cast_vec(pieces);
    zeros.truncate(len);
    Ok(zeros)
}

/// Who keeps account of pages that no allocator sees.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// So many bytes are wanted: whether they may be had, and counted then.
    pub charge: fn(usize) -> bool,
    /// So many bytes were given back.
    pub release: fn(usize),
}

static ACCOUNT: OnceLock<Account> = OnceLock::new();

/// From now on, pages that are mapped are charged to `account`: for a program whose allocator keeps a limit. The first
/// account stays.
pub fn keep_account(account: Account) {
    let _ = ACCOUNT.set(account);
}

/// Anonymous pages, charged to the [`Account`] if there is one.
#[derive(Debug)]
pub(crate) struct Pages {
    map: MmapMut,
    charged: bool,
}

impl Deref for Pages {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if let Some(account) = ACCOUNT.get().filter(|_| self.charged) {
            (account.release)(self.map.len());
        }
    }
}

/// So many zero bytes on pages of their own: huge ones where the system has them, since a walk through megabytes at
/// random would miss the address cache at each step. For buffers of some megabytes that are read so: clearing a huge
/// page costs more than clearing what is used of it.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn mapped(bytes: usize, what: &str) -> Result<Pages> {
    let account = ACCOUNT.get();
    if account.is_some_and(|account| !(account.charge)(bytes)) {
        return Err(refused::<u8>(bytes, what));
    }
    let map = MmapMut::map_anon(bytes).map_err(|e| {
        if let Some(account) = account {
            (account.release)(bytes);
        }
        Error::Memory(format!("{REFUSED}{bytes} bytes asked for ({what}): {e}"))
    })?;
    #[cfg(target_os = "linux")]
    {
        // Advice only: where it is refused the small pages serve as well.
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    Ok(Pages { map, charged: account.is_some() })
}

/// `len` copies of `value`.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn filled<T: Clone>(value: T, len: usize, what: &str) -> Result<Vec<T>> {
    let mut vector = with_capacity(len, what)?;
    vector.resize(len, value);
    Ok(vector)
}

/// Makes room for `more` elements after those of `vector`: with some to spare, so that many small requests stay cheap,
/// or for exactly that many if the larger request is refused.
///
/// # Errors
/// [`Error::Memory`].
#[inline]
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    if vector.capacity() - vector.len() >= more {
        return Ok(());
    }
    softly(|| vector.try_reserve(more).or_else(|_| vector.try_reserve_exact(more)))
        .map_err(|_| refused::<T>(vector.len().saturating_add(more), what))
}

/// Makes room for `more` entries of `table`, with some to spare.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve_table<K: Eq + Hash, V>(table: &mut HashMap<K, V>, more: usize, what: &str) -> Result<()> {
    softly(|| table.try_reserve(more)).map_err(|_| refused::<(K, V)>(table.len().saturating_add(more), what))
}

/// Appends `value` to a queue.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn push_back<T>(queue: &mut VecDeque<T>, value: T, what: &str) -> Result<()> {
    if queue.len() == queue.capacity() {
        softly(|| queue.try_reserve(1)).map_err(|_| refused::<T>(queue.len().saturating_add(1), what))?;
    }
    queue.push_back(value);
    Ok(())
}

/// Adds `value` to a heap.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn push_heap<T: Ord>(heap: &mut BinaryHeap<T>, value: T, what: &str) -> Result<()> {
    if heap.len() == heap.capacity() {
        softly(|| heap.try_reserve(1)).map_err(|_| refused::<T>(heap.len().saturating_add(1), what))?;
    }
    heap.push(value);
    Ok(())
}

/// Makes room for exactly `more` elements after those of `vector`.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn reserve_exact<T>(vector: &mut Vec<T>, more: usize, what: &str) -> Result<()> {
    softly(|| vector.try_reserve_exact(more)).map_err(|_| refused::<T>(vector.len().saturating_add(more), what))
}

/// Appends `value`, as [`Vec::push`] does.
///
/// # Errors
/// [`Error::Memory`].
#[inline(always)]
pub(crate) fn push<T>(vector: &mut Vec<T>, value: T, what: &str) -> Result<()> {
    if vector.len() == vector.capacity() {
        grow(vector, what)?;
    }
    vector.push(value);
    Ok(())
}

/// Room for one more element; out of line, since most calls have room.
#[cold]
#[inline(never)]
fn grow<T>(vector: &mut Vec<T>, what: &str) -> Result<()> {
    reserve(vector, 1, what)
}

/// All items, in order. If the iterator knows their number, memory is requested once.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn collect<T>(items: impl IntoIterator<Item = T>, what: &str) -> Result<Vec<T>> {
    let mut items = items.into_iter();
    let (least, most) = items.size_hint();
    let mut vector = with_capacity(least, what)?;
    if most == Some(least) {
        vector.extend(items);
        return Ok(vector);
    }
    items.try_for_each(|item| push(&mut vector, item, what))?;
    Ok(vector)
}

/// The first and the second components of all pairs, as two vectors.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn unzip<A, B>(pairs: impl ExactSizeIterator<Item = (A, B)>, what: &str) -> Result<(Vec<A>, Vec<B>)> {
    let (mut first, mut second) = (with_capacity(pairs.len(), what)?, with_capacity(pairs.len(), what)?);
    pairs.for_each(|(a, b)| {
        first.push(a);
        second.push(b);
    });
    Ok((first, second))
}

/// Appends what `make` makes of all elements of some parts, one part behind the other: by several tasks, since pages
/// that are written for the first time keep a thread busy.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn append_parts<S: Copy + Sync, T: Send>(
    vector: &mut Vec<T>,
    parts: &[&[S]],
    make: impl Fn(S) -> T + Sync + Send,
    what: &str,
) -> Result<()> {
    let more = parts.iter().map(|part| part.len()).sum();
    reserve(vector, more, what)?;
    if rayon::current_num_threads() == 1 {
        parts.iter().for_each(|part| vector.extend(part.iter().map(|&x| make(x))));
        return Ok(());
    }
    let mut ends = with_capacity(parts.len(), what)?;
    parts.iter().for_each(|part| ends.push(ends.last().unwrap_or(&0) + part.len()));
    // A task takes elements in order: it goes on from the part that it is in.
    let element = |at: &mut usize, k: usize| {
        while ends[*at] <= k {
            *at += 1;
        }
        make(parts[*at][k + parts[*at].len() - ends[*at]])
    };
    vector.par_extend((0..more).into_par_iter().with_min_len(APPENDED).map_init(|| 0, element));
    Ok(())
}

/// A copy of `slice`.
///
/// # Errors
/// [`Error::Memory`].
pub(crate) fn copy<T: Copy>(slice: &[T], what: &str) -> Result<Vec<T>> {
    let mut vector = with_capacity(slice.len(), what)?;
    vector.extend_from_slice(slice);
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_with_its_size() {
        let texts = [
            with_capacity::<u64>(1 << 60, "a test").map(drop),
            zeros::<u64>(1 << 60, "a test").map(drop),
            cleared::<u64>(1 << 60, "a test").map(drop),
            filled(7u64, 1 << 60, "a test").map(drop),
            reserve(&mut Vec::<u64>::new(), 1 << 60, "a test"),
            reserve_exact(&mut Vec::<u64>::new(), 1 << 60, "a test"),
            collect(0..1u64 << 60, "a test").map(drop),
            unzip((0..1usize << 60).map(|_| (0u64, ())), "a test").map(drop),
            append_parts(&mut Vec::<u64>::new(), &[&[(); 1 << 60][..]], |()| 0, "a test"),
        ]
        .map(|result| result.unwrap_err().to_string());
        for text in texts {
            assert_eq!(text, "out of memory: 9223372036854775808 bytes asked for (a test)");
        }
        let error = zeros::<u64>(usize::MAX, "a test").unwrap_err().to_string();
        assert!(error.contains("147573952589676412920 bytes"), "{error}");
        assert!(!refusal_is_expected());
    }

    #[test]
    fn what_is_there_is_given() {
        assert_eq!(zeros::<u32>(3, "").unwrap(), [0; 3]);
        assert_eq!(filled(5u8, 2, "").unwrap(), [5, 5]);
        assert_eq!(copy(&[1, 2], "").unwrap(), [1, 2]);
        assert!(zeros::<u64>(0, "").unwrap().is_empty());
        assert_eq!(collect(3..6, "").unwrap(), [3, 4, 5]);
        assert_eq!(collect((0..100).filter(|x| x % 33 == 0), "").unwrap(), [0, 33, 66, 99]);
        assert_eq!(unzip([(1, 'a'), (2, 'b')].into_iter(), "").unwrap(), (vec![1, 2], vec!['a', 'b']));
        let mut v = vec![1u8, 2];
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for threads in [1, 3] {
            let parts = [&[3u64, 4][..], &[], &[5], &[]];
            pool(threads).install(|| append_parts(&mut v, &parts, |x| x as u8, "")).unwrap();
            append_parts(&mut v, &[], |x: u8| x, "").unwrap();
        }
        assert_eq!(v, [1, 2, 3, 4, 5, 3, 4, 5]);
        // Where several threads clear them, of any length.
        for threads in [1, 3] {
            for len in [0, 1, CLEARED / 4 - 1, CLEARED / 4, CLEARED / 4 + 1, CLEARED + 63] {
                let made = pool(threads).install(|| cleared::<u32>(len, "")).unwrap();
                assert!(made.len() == len && made.iter().all(|&x| x == 0), "{len} on {threads} threads");
            }
        }
        let mut v = vec![1, 2];
        reserve(&mut v, 10, "").unwrap();
        assert!(v.capacity() >= 12 && v == [1, 2]);
        assert!(softly(refusal_is_expected) && !refusal_is_expected());
    }
}
