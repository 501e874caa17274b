//! Progress, warnings and cancellation: an observer that prints phases, and one that stops after a while.

use blackfield::Error;
use blackfield::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Prints what it hears; asks to stop once it has been asked so many times.
struct Teller {
    asked: AtomicU64,
    most: u64,
}

impl Observer for Teller {
    fn phase(&self, name: &str, total: u64) {
        println!("  {name}, {total} units");
    }
    fn warning(&self, message: &str) {
        println!("  warning: {message}");
    }
    // Called from the computing threads, at least once in every round of a long loop.
    fn cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

fn main() -> Result<(), Error> {
    let a = families::generate("EX1")?.reduce(Modulus::new(65521)?);
    let options = RankOptions::default().method(Method::Wiedemann);
    println!("to the end:");
    let patient = Teller { asked: AtomicU64::new(0), most: u64::MAX };
    let answer = rank(&a, &options, &patient)?;
    println!("rank {} after {} questions", answer.rank, patient.asked.load(Ordering::Relaxed));

    println!("stopped:");
    let stopped = rank(&a, &options, &Teller { asked: AtomicU64::new(0), most: 10 });
    assert!(matches!(stopped, Err(Error::Interrupted)));
    println!("interrupted, and nothing is left behind");
    Ok(())
}
