//! The runs that prices are solved from: kernels of the library, on inputs made from a fixed seed.

mod dense;
mod integers;
mod passes;
mod poly;
mod search;
mod sparse;
mod wiedemann;

use super::fingerprint::Caches;
use super::measure::Effort;
use super::prices::Price;
use super::profile::Measurement;
use crate::{Observer, Result};
use search::Search;

/// Measures prices of this machine with the instruction set of this process, one after the other. It is to be called
/// where rayon's current pool has one thread: a price is one thread's. Reports a phase "prices" in runs.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory);
/// [`Error::Check`](crate::Error::Check) if a run gives a wrong answer.
pub fn calibrate(caches: Caches, effort: Effort, observer: &dyn Observer) -> Result<Vec<Measurement>> {
    observer.phase("prices", 0);
    let mut search = Search::new(effort, observer);
    let cache = (caches.l2 > 0).then_some(caches.l2 as f64);
    if let Some(bytes) = cache {
        search.built_in.passes.cache = bytes;
    }
    dense::time(&mut search)?;
    passes::time(&mut search)?;
    sparse::time(&mut search)?;
    poly::time(&mut search)?;
    wiedemann::time(&mut search)?;
    integers::time(&mut search)?;
    let known = cache.map(|value| Measurement {
        price: Price::named("passes.cache").expect("a price of the table"),
        what: "the second-level cache, as the system tells it".into(),
        seconds: 0.0,
        operations: 0.0,
        others: 0.0,
        value,
        built_in: crate::cost::Passes::default().cache,
    });
    Ok(known.into_iter().chain(search.solve()).collect())
}
