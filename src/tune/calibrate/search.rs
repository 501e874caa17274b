//! Prices from timings: a planner's prediction is linear in each price.

use crate::cost::Machine;
use crate::tune::measure::{Effort, least};
use crate::tune::prices::Price;
use crate::tune::profile::Measurement;
use crate::{Observer, Result};

/// How often all prices are solved for: each prediction holds others, which have moved meanwhile.
const SWEEPS: usize = 12;

/// A price that differs from the built-in one by more than this factor is not believed: what it was to be told from is
/// no larger than the noise.
const BELIEVED: f64 = 1000.0;

/// A run that was timed, and what is predicted for it.
struct Trial {
    price: Price,
    what: String,
    seconds: f64,
    predict: Box<dyn Fn(&Machine) -> f64>,
}

/// Runs that were timed, each for the sake of one price.
pub struct Search<'a> {
    pub effort: Effort,
    pub built_in: Machine,
    observer: &'a dyn Observer,
    trials: Vec<Trial>,
}

impl<'a> Search<'a> {
    /// No runs yet, and the prices of this process.
    pub fn new(effort: Effort, observer: &'a dyn Observer) -> Self {
        Search { effort, built_in: Machine::default(), observer, trials: vec![] }
    }

    /// Times `run`, for which `predict` predicts the seconds of one thread, mostly at `price`.
    pub fn time(
        &mut self,
        price: &str,
        what: impl Into<String>,
        predict: impl Fn(&Machine) -> f64 + 'static,
        run: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        self.observer.check()?;
        let price = Price::named(price).expect("a price of the table");
        let seconds = least(self.effort, run)?;
        self.trials.push(Trial { price, what: what.into(), seconds, predict: Box::new(predict) });
        self.observer.progress(self.trials.len() as u64);
        Ok(())
    }

    /// The prices at which all predictions come true, as far as they can be told.
    pub fn solve(self) -> Vec<Measurement> {
        let mut machine = self.built_in.clone();
        let mut found = vec![];
        for _ in 0..SWEEPS {
            found.clear();
            for Trial { price, what, seconds, predict } in &self.trials {
                let with = |value: f64| {
                    let mut changed = machine.clone();
                    price.set(&mut changed, value);
                    predict(&changed)
                };
                let (others, built_in) = (with(0.0), price.of(&self.built_in));
                // A unit near the price loses no digits.
                let operations = (with(built_in) - others) / built_in;
                let value = (seconds - others) / operations;
                let believed = value > built_in / BELIEVED && value < built_in * BELIEVED;
                price.set(&mut machine, if believed { value } else { built_in });
                if believed {
                    let (price, what, seconds) = (*price, what.clone(), *seconds);
                    found.push(Measurement { price, what, seconds, operations, others, value, built_in });
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;

    type Predict = fn(&Machine) -> f64;

    /// Runs that take what a machine of our own making predicts.
    fn solved(truth: &Machine, predictions: Vec<(&str, Predict)>) -> Vec<Measurement> {
        let mut search = Search::new(Effort::Quick, &Silent);
        for (price, predict) in predictions {
            let price = Price::named(price).unwrap();
            search.trials.push(Trial { price, what: "".into(), seconds: predict(truth), predict: Box::new(predict) });
        }
        search.solve()
    }

    #[test]
    fn predictions_come_true() {
        let mut truth = Machine::default();
        (truth.passes.gather, truth.passes.gather_byte, truth.schur.entry) = (7e-10, 3e-11, 1e-7);
        let found = solved(
            &truth,
            vec![
                ("passes.gather", |m| 1e6 * m.passes.gather + 8e6 * m.passes.gather_byte),
                ("passes.gather_byte", |m| 1e6 * m.passes.gather + 2e8 * m.passes.gather_byte),
                ("schur.entry", |m| 10.0 * m.schur.entry + m.passes.gather),
            ],
        );
        let values = found.iter().map(|m| m.value / m.price.of(&truth));
        assert!(values.clone().count() == 3 && values.clone().all(|v| (v - 1.0).abs() < 1e-6), "{found:?}");
        for m in &found {
            let again = m.others + m.operations * m.value;
            assert!((again / m.seconds - 1.0).abs() < 1e-6 && m.built_in == m.price.of(&Machine::default()), "{m:?}");
        }
    }

    #[test]
    fn what_cannot_be_told_stays() {
        let mut truth = Machine::default();
        truth.schur.entry *= 1e5;
        truth.schur.product = 0.0;
        let found = solved(
            &truth,
            vec![
                ("schur.entry", |m| m.schur.entry),
                ("schur.product", |m| m.schur.product),
                ("passes.far", |m| m.random.rough),
            ],
        );
        assert_eq!(found, []);
    }
}
