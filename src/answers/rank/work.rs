//! What accompanies the work on one component: options, prices, what was done, and who watches; and where steps are
//! made.

use super::{Machine, Phases, RankOptions};
use crate::certify::Streams;
use crate::gpu::{Device, Devices, require_devices};
use crate::{Error, Observer, Result, Step};

/// How many times the start of a GPU a step must take on the processor, so that one is looked for.
const WORTH: f64 = 2.0;

/// What accompanies the work.
pub(super) struct Work<'a> {
    pub options: &'a RankOptions,
    pub streams: &'a Streams<'a>,
    /// The prices, as far as steps have not shown that they are others.
    pub machine: Machine,
    pub path: Vec<Step>,
    pub phases: &'a mut Phases,
    pub observer: &'a dyn Observer,
    /// The GPUs that made a step, most of them if several did.
    pub devices: Vec<Device>,
    /// Whether they made the last step, which is not in the path yet, or another run made a part of that.
    pub was_elsewhere: bool,
}

impl<'a> Work<'a> {
    /// Nothing done yet.
    pub fn new(
        options: &'a RankOptions,
        streams: &'a Streams<'a>,
        machine: Machine,
        phases: &'a mut Phases,
        observer: &'a dyn Observer,
    ) -> Self {
        Work { options, streams, machine, path: vec![], phases, observer, devices: vec![], was_elsewhere: false }
    }

    /// Makes a step, of so many predicted seconds of one thread, on a GPU if one is demanded, or allowed, there and
    /// worthwhile; otherwise, or where a GPU that is not demanded fails, on the processor.
    pub fn somewhere<T>(
        &mut self,
        seconds: f64,
        mut step: impl FnMut(&mut Self, Option<&Device>) -> Result<T>,
    ) -> Result<T> {
        self.on_several(seconds, 1, |work, devices| step(work, devices.first()))
    }

    /// The same of a step that may be made on up to `most` GPUs; on none of them on the processor.
    pub fn on_several<T>(
        &mut self,
        seconds: f64,
        most: usize,
        mut step: impl FnMut(&mut Self, &[Device]) -> Result<T>,
    ) -> Result<T> {
        let mut devices = self.gpus(seconds)?;
        devices.truncate(most);
        if !devices.is_empty() {
            self.was_elsewhere = true;
            match step(self, &devices) {
                // Memory of the host as well: the processor needs less of it.
                Err(reason @ (Error::Device(_) | Error::Memory(_))) if self.options.devices == Devices::Auto => {
                    self.observer.warning(&instead(&reason));
                    self.was_elsewhere = false;
                }
                done => {
                    if devices.len() > self.devices.len() {
                        self.devices = devices;
                    }
                    return done;
                }
            }
        }
        step(self, &[])
    }

    /// [`Work::somewhere`] if a GPU has a part in the step, else on the processor.
    pub fn somewhere_if<T>(
        &mut self,
        possible: bool,
        seconds: f64,
        mut step: impl FnMut(&mut Self, Option<&Device>) -> Result<T>,
    ) -> Result<T> {
        if possible { self.somewhere(seconds, step) } else { step(self, None) }
    }

    /// Those for a step of so many seconds; none for the processor.
    fn gpus(&self, seconds: f64) -> Result<Vec<Device>> {
        let prices = &self.machine.device;
        let worth = || seconds > WORTH * (prices.find + prices.start) * rayon::current_num_threads() as f64;
        let asked = self.options.devices;
        let find = || asked.first_or_named(require_devices()?);
        match asked {
            Devices::Auto if worth() => match find() {
                Ok(devices) => Ok(devices),
                Err(reason) => {
                    self.observer.warning(&instead(&reason));
                    Ok(vec![])
                }
            },
            _ if asked.are_demanded() => find(),
            _ => Ok(vec![]),
        }
    }
}

/// What is said where a GPU is not used after all.
pub(super) fn instead(reason: &Error) -> String {
    format!("on the processor instead of a CUDA GPU: {reason}")
}
