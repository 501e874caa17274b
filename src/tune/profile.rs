//! Prices that were measured, where, and from what.

use super::bandwidth::Bandwidth;
use super::fingerprint::Fingerprint;
use super::prices::{PRICES, Price};
use crate::cost::Machine;

/// What a price rests on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// Its price.
    pub price: Price,
    /// What was run.
    pub what: String,
    /// Seconds of one thread that a run took, the least of several.
    pub seconds: f64,
    /// Operations of this price in it, as the planner counts them.
    pub operations: f64,
    /// Seconds of a run that other prices account for.
    pub others: f64,
    /// The price in seconds: (`seconds` - `others`) / `operations`, or what the system says.
    pub value: f64,
    /// What is built in for this instruction set.
    pub built_in: f64,
}

/// The prices of one machine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The version of blackfield that measured.
    pub version: String,
    /// The machine.
    pub fingerprint: Fingerprint,
    /// The cores that the process could use.
    pub cores: usize,
    /// Its memory.
    pub bandwidth: Bandwidth,
    /// The prices that are not built in.
    pub prices: Vec<(Price, f64)>,
    /// What they rest on.
    pub measurements: Vec<Measurement>,
}

impl Profile {
    /// The profile of this machine from measurements made in this process.
    pub fn new(bandwidth: Bandwidth, measurements: Vec<Measurement>) -> Self {
        Profile {
            version: env!("CARGO_PKG_VERSION").into(),
            fingerprint: Fingerprint::here(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            bandwidth,
            prices: prices(&measurements),
            measurements,
        }
    }

    /// The prices of this process with those of the profile in their places.
    pub fn machine(&self) -> Machine {
        let mut machine = Machine::default();
        self.prices.iter().for_each(|(price, value)| price.set(&mut machine, *value));
        machine
    }

    /// Why it is not for this machine and process; nothing if it is.
    pub fn differences(&self) -> Vec<String> {
        self.fingerprint.differences(&Fingerprint::here())
    }
}

/// The prices that were measured, and the built-in ones beside them in the same list.
fn prices(measurements: &[Measurement]) -> Vec<(Price, f64)> {
    let built_in = Machine::default();
    let measured = |price: Price| measurements.iter().rfind(|found| found.price == price).map(|found| found.value);
    let in_a_list = |price: Price| {
        let same = |found: &Measurement| (found.price.table, found.price.name) == (price.table, price.name);
        measurements.iter().any(same).then(|| price.of(&built_in))
    };
    let all = PRICES.iter().map(|&price| (price, measured(price).or_else(|| in_a_list(price))));
    all.filter_map(|(price, value)| Some((price, value?))).collect()
}
