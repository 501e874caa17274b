//! What this machine is, and what operations cost on it: a profile for [`Machine`](crate::cost::Machine), in a file.
//!
//! A [`Fingerprint`] names a machine. [`calibrate`] runs the kernels behind the prices and solves for them: a planner
//! predicts c₀ + c₁·x seconds for a run, x being the price; the run takes t, so x = (t - c₀)/c₁. Predictions are the
//! planners' own functions, so a price is what makes them come true. A [`Profile`] keeps the prices with the timings
//! that justify each; what it leaves out stays as it is built in. It is read and written as TOML (with the feature
//! `cli`), and refused with file, line and what was expected where it is damaged. A profile changes plans, and with
//! them speed, never answers (`tests/profiles.rs`); that of another machine is not used ([`Profile::differences`]).
//!
//! Not measured, and so built in: right-looking elimination, null vectors but for their products, permanents, GPUs. The
//! prices of the Gray code stay the same everywhere on purpose ([`Gray`](crate::cost::Gray)): checkpoints depend on
//! them.
//!
//! [`time_products`] times products with a matrix and its transpose, to be compared with other formats, and with what
//! no product can beat: [`floor_bytes`] over a [`Bandwidth`], and [`cached_rate`].

mod bandwidth;
mod calibrate;
#[cfg(feature = "cli")]
mod file;
mod fingerprint;
mod measure;
mod methods;
mod prices;
mod products;
mod profile;
#[cfg(feature = "cli")]
mod tables;

pub use bandwidth::{Bandwidth, bandwidth};
pub use calibrate::calibrate;
pub use fingerprint::{Caches, Fingerprint};
pub use measure::Effort;
pub use methods::{MethodCost, method_costs};
pub use prices::{PRICES, Price};
pub use products::{cached_rate, floor_bytes, time_products};
pub use profile::{Measurement, Profile};

#[cfg(test)]
mod tests;
