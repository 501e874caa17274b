//! The digest of a matrix beside the work on it: one thread hashes a copy of the integers while the others go on.

use blackfield::sparse::Triplets;
use std::sync::OnceLock;
use std::time::Instant;

/// A copy to be hashed, if there is another thread for it.
pub fn copy(triplets: &Triplets) -> Option<Triplets> {
    (rayon::current_num_threads() > 1).then(|| triplets.clone())
}

/// What `work` makes; the digest of the copy, and the seconds for which it was waited for in the end.
pub fn beside<R>(copy: Option<Triplets>, work: impl FnOnce() -> R) -> (R, Option<(String, f64)>) {
    let Some(copy) = copy else { return (work(), None) };
    let digest = OnceLock::new();
    let (made, done) = rayon::in_place_scope(|scope| {
        // The copy is dropped as soon as it is hashed.
        scope.spawn(|_| _ = digest.set({ copy }.digest()));
        (work(), Instant::now())
    });
    (made, digest.into_inner().map(|digest| (digest, done.elapsed().as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_beside() {
        let a = Triplets::from_entries(3, 4, [(0, 1, 7), (2, 3, -1)]);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let copy = pool.install(|| copy(&a));
            assert_eq!(copy.is_some(), threads > 1);
            let (made, digest) = pool.install(|| beside(copy, || 5));
            assert_eq!((made, digest.map(|(digest, _)| digest)), (5, (threads > 1).then(|| a.digest())));
        }
    }
}
