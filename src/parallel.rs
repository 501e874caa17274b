//! Parallel loops that the compiler makes one copy of.
//!
//! A loop by rayon's own `for_each` or `collect` takes all of rayon's machinery with it: for each closure the compiler
//! makes a task for either half, a way into the pool and one out of it, and puts the loop into each of them. With a
//! thousand loops, most of them for several types of numbers, that was a fifth of the library. Here the items that are
//! left and what is done with them are behind a pointer, so that the machinery exists once; the loop over the items of
//! a piece is compiled for its closure, once, and runs as fast. A split costs two small allocations.
//!
//! Entry points: [`Each`] for iterators of rayon's that know how many items they have, and [`join`].

use rayon::iter::plumbing::{Producer, ProducerCallback};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Items of a loop that nobody has begun, and what is done with each.
trait Piece<'p>: Send + 'p {
    /// The first `at` items, and the others.
    fn split(self: Box<Self>, at: usize) -> [Box<dyn Piece<'p> + 'p>; 2];
    /// Goes through all items, in order.
    fn run(self: Box<Self>);
}

struct Items<'p, P, W> {
    producer: P,
    work: &'p W,
}

impl<'p, P: Producer + 'p, W: Fn(P::Item) + Sync> Piece<'p> for Items<'p, P, W> {
    fn split(self: Box<Self>, at: usize) -> [Box<dyn Piece<'p> + 'p>; 2] {
        let (first, rest) = self.producer.split_at(at);
        [Box::new(Self { producer: first, work: self.work }), Box::new(Self { producer: rest, work: self.work })]
    }

    fn run(self: Box<Self>) {
        self.producer.into_iter().for_each(self.work);
    }
}

/// How far a piece is split: into as many as there are threads, and further where another thread took one, which shows
/// that some have nothing to do.
#[derive(Clone, Copy)]
struct Splits {
    /// How often a piece, and each of its parts, may be split yet.
    left: usize,
    /// No piece has fewer items.
    least: usize,
}

/// Runs the `len` items of `piece`, which may have been `taken` by another thread than the one that made it.
fn share<'p>(piece: Box<dyn Piece<'p> + 'p>, len: usize, splits: Splits, taken: bool) {
    let left = if taken { rayon::current_num_threads().max(splits.left / 2) } else { splits.left / 2 };
    if len / 2 < splits.least || (!taken && splits.left == 0) {
        return piece.run();
    }
    let [first, rest] = piece.split(len / 2);
    let splits = Splits { left, ..splits };
    let half = |piece, len| move |context: rayon::FnContext| share(piece, len, splits, context.migrated());
    rayon::join_context(half(first, len / 2), half(rest, len - len / 2));
}

/// Takes the items of an iterator of `len` to [`share`].
struct Start<'w, W> {
    len: usize,
    work: &'w W,
}

impl<I, W: Fn(I) + Sync> ProducerCallback<I> for Start<'_, W> {
    type Output = ();
    fn callback<P: Producer<Item = I>>(self, producer: P) {
        let threads = rayon::current_num_threads();
        let splits =
            Splits { left: threads.max(self.len / producer.max_len().max(1)), least: producer.min_len().max(1) };
        share(Box::new(Items { producer, work: self.work }), self.len, splits, false);
    }
}

/// Loops over the items of a parallel iterator, on rayon's current pool.
pub(crate) trait Each: IndexedParallelIterator {
    /// Calls `work` with each item, in any order.
    fn each(self, work: impl Fn(Self::Item) + Sync) {
        let start = Start { len: self.len(), work: &work };
        self.with_producer(start);
    }

    /// Calls `work` with each item, in any order, until a call fails.
    ///
    /// # Errors
    /// Of the calls that failed, what one that was early returned.
    fn try_each<E: Send>(self, work: impl Fn(Self::Item) -> Result<(), E> + Sync) -> Result<(), E> {
        let failed = AtomicBool::new(false);
        let error = Mutex::new(None);
        self.each(|item| {
            if !failed.load(Relaxed)
                && let Err(e) = work(item)
            {
                failed.store(true, Relaxed);
                error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            }
        });
        error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// What `make` makes of the items, in their order.
    fn make<R: Send>(self, make: impl Fn(Self::Item) -> R + Sync) -> Vec<R> {
        let mut made: Vec<Option<R>> = (0..self.len()).map(|_| None).collect();
        self.zip(made.par_iter_mut()).each(|(item, made)| *made = Some(make(item)));
        made.into_iter().map(|made| made.expect("every item has been worked on")).collect()
    }

    /// What `make` makes of the items, in their order, if no call fails.
    ///
    /// # Errors
    /// Of the calls that failed, what one that was early returned.
    fn try_make<R: Send, E: Send>(self, make: impl Fn(Self::Item) -> Result<R, E> + Sync) -> Result<Vec<R>, E> {
        let mut made: Vec<Option<R>> = (0..self.len()).map(|_| None).collect();
        self.zip(made.par_iter_mut()).try_each(|(item, made)| {
            *made = Some(make(item)?);
            Ok(())
        })?;
        Ok(made.into_iter().map(|made| made.expect("every item has been worked on")).collect())
    }
}

impl<I: IndexedParallelIterator> Each for I {}

/// Both, each on a thread of rayon's current pool if one has nothing to do: [`rayon::join`], compiled once.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut first, mut second) = (None, None);
    let (mut a, mut b) = (Some(a), Some(b));
    both(&mut || first = a.take().map(|a| a()), &mut || second = b.take().map(|b| b()));
    (first.expect("the first has run"), second.expect("the second has run"))
}

fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn within<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    /// Every item once, in its place, whatever the number of threads and the least or largest piece: also inside of
    /// other loops, and of lists of nothing.
    #[test]
    fn every_item_once() {
        for threads in [1, 2, 3, 8] {
            for len in [0, 1, 2, 7, 100, 1000] {
                for (least, most) in [(1, usize::MAX), (1, 1), (7, 9), (2000, usize::MAX)] {
                    let once = || {
                        let mut list = vec![0; len];
                        let items = list.par_iter_mut().with_min_len(least).with_max_len(most);
                        items.enumerate().each(|(i, x)| *x += i + 1);
                        assert!(list.iter().enumerate().all(|(i, &x)| x == i + 1), "{threads} {len} {least} {most}");
                        let twice = list.par_iter().with_min_len(least).make(|x| 2 * x);
                        assert!(twice.iter().zip(&list).all(|(&y, x)| y == 2 * x), "{threads} {len} {least}");
                    };
                    within(threads, || {
                        once();
                        (0..10).into_par_iter().each(|_| once());
                    });
                    once();
                }
            }
        }
    }

    struct Counted<'p> {
        len: usize,
        pieces: &'p Mutex<Vec<usize>>,
    }

    impl<'p> Piece<'p> for Counted<'p> {
        fn split(self: Box<Self>, at: usize) -> [Box<dyn Piece<'p> + 'p>; 2] {
            [at, self.len - at].map(|len| -> Box<dyn Piece<'p> + 'p> { Box::new(Counted { len, ..*self }) })
        }
        fn run(self: Box<Self>) {
            self.pieces.lock().unwrap().push(self.len);
        }
    }

    /// A list shorter than twice the least is not split, nor one that may not be; others are, into a piece for each
    /// thread.
    #[test]
    fn pieces_have_their_lengths() {
        for (len, left, least, fewest) in
            [(4096, 4, 1, 8), (4096, 4, 1000, 4), (4096, 4, 4096, 1), (5, 0, 1, 1), (0, 9, 1, 1)]
        {
            let pieces = Mutex::new(Vec::new());
            let piece = Box::new(Counted { len, pieces: &pieces });
            within(4, || share(piece, len, Splits { left, least }, false));
            let pieces = pieces.into_inner().unwrap();
            assert_eq!(pieces.iter().sum::<usize>(), len);
            assert!(pieces.len() >= fewest, "{pieces:?}");
            assert!(pieces.len() == 1 || pieces.iter().all(|&len| len >= least), "{pieces:?}");
        }
    }

    /// An error ends the loop, and is returned: the one there is, or one of several.
    #[test]
    fn an_error_is_returned() {
        for threads in [1, 4] {
            within(threads, || {
                let alone = (0..1000).into_par_iter().try_each(|i| if i == 700 { Err(i) } else { Ok(()) });
                assert_eq!(alone, Err(700));
                let several = (0..1000usize).into_par_iter().try_make(|i| if i >= 700 { Err(i) } else { Ok(i) });
                assert!(several.unwrap_err() >= 700);
                assert_eq!((0..4usize).into_par_iter().try_make(Ok::<_, ()>), Ok(vec![0, 1, 2, 3]));
                let calls = AtomicUsize::new(0);
                let first = (0..1000).into_par_iter().with_min_len(1000).try_each(|_| {
                    calls.fetch_add(1, Relaxed);
                    Err(())
                });
                assert_eq!((first, calls.into_inner()), (Err(()), 1));
            });
        }
    }

    /// Items that nobody worked on are dropped, and what was made before another failed.
    #[test]
    fn nothing_is_kept_of_a_loop_that_failed() {
        for threads in [1, 4] {
            let item = std::sync::Arc::new(());
            let items = vec![item.clone(); 500];
            let made = within(threads, || {
                items.into_par_iter().enumerate().try_make(|(i, item)| if i == 300 { Err(i) } else { Ok(item) })
            });
            assert_eq!((made.unwrap_err(), std::sync::Arc::strong_count(&item)), (300, 1));
        }
    }

    #[test]
    fn both_run() {
        for threads in [1, 2] {
            assert_eq!(within(threads, || join(|| vec![1], || "two")), (vec![1], "two"));
        }
        assert_eq!(join(|| join(|| 1, || 2), || 3), ((1, 2), 3));
    }

    /// A panic of one goes through to who asked, as with rayon's own.
    #[test]
    #[should_panic(expected = "at 77")]
    fn a_panic_goes_through() {
        within(3, || (0..100).into_par_iter().each(|i| assert!(i != 77, "at 77")));
    }

    #[test]
    #[should_panic(expected = "the second")]
    fn a_panic_of_one_of_two_goes_through() {
        within(2, || join(|| 1, || panic!("the second")));
    }
}
