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
    /// The GPU that made a step.
    pub device: Option<Device>,
    /// Whether it made the last step, which is not in the path yet.
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
        Work { options, streams, machine, path: vec![], phases, observer, device: None, was_elsewhere: false }
    }

    /// Makes a step, of so many predicted seconds of one thread, on a GPU if one is demanded, or allowed, there and
    /// worthwhile; otherwise, or where a GPU that is not demanded fails, on the processor.
    pub fn somewhere<T>(
        &mut self,
        seconds: f64,
        mut step: impl FnMut(&mut Self, Option<&Device>) -> Result<T>,
    ) -> Result<T> {
        if let Some(device) = self.gpu(seconds)? {
            self.was_elsewhere = true;
            match step(self, Some(&device)) {
                // Memory of the host as well: the processor needs less of it.
                Err(reason @ (Error::Device(_) | Error::Memory(_))) if self.options.devices == Devices::Auto => {
                    self.observer.warning(&instead(&reason));
                    self.was_elsewhere = false;
                }
                done => {
                    self.device = Some(device);
                    return done;
                }
            }
        }
        step(self, None)
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

    fn gpu(&self, seconds: f64) -> Result<Option<Device>> {
        let prices = &self.machine.device;
        let worth = || seconds > WORTH * (prices.find + prices.start) * rayon::current_num_threads() as f64;
        match self.options.devices {
            Devices::Gpus => Ok(Some(require_devices()?.swap_remove(0))),
            Devices::Auto if worth() => match require_devices() {
                Ok(mut devices) => Ok(Some(devices.swap_remove(0))),
                Err(reason) => {
                    self.observer.warning(&instead(&reason));
                    Ok(None)
                }
            },
            _ => Ok(None),
        }
    }
}

/// What is said where a GPU is not used after all.
pub(super) fn instead(reason: &Error) -> String {
    format!("on the processor instead of a CUDA GPU: {reason}")
}
