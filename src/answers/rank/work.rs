//! What accompanies the work on one component: options, prices, what was done, and who watches; and where steps are
//! made.

use super::{Machine, Phases, RankOptions};
use crate::certify::Streams;
use crate::gpu::{Device, require_devices};
use crate::{Error, Observer, Result, Step};

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
    /// The GPUs, once they were looked for.
    pub cards: Vec<Device>,
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
        Work {
            options,
            streams,
            machine,
            path: vec![],
            phases,
            observer,
            devices: vec![],
            was_elsewhere: false,
            cards: vec![],
        }
    }

    /// Makes a step on a GPU, or on the processor.
    ///
    /// # Errors
    /// Those of the step; [`Error::Device`](crate::Error::Device) without a GPU.
    pub fn somewhere<T>(
        &mut self,
        on_gpu: bool,
        step: impl FnOnce(&mut Self, Option<&Device>) -> Result<T>,
    ) -> Result<T> {
        self.on_several(usize::from(on_gpu), |work, devices| step(work, devices.first()))
    }

    /// Makes a step on up to `most` GPUs; on none of them on the processor.
    ///
    /// # Errors
    /// As [`Work::somewhere`].
    pub fn on_several<T>(&mut self, most: usize, step: impl FnOnce(&mut Self, &[Device]) -> Result<T>) -> Result<T> {
        if most == 0 {
            return step(self, &[]);
        }
        let mut devices = self.cards()?;
        devices.truncate(most);
        self.was_elsewhere = true;
        let done = step(self, &devices);
        match &done {
            Ok(_) if devices.len() > self.devices.len() => self.devices = devices,
            Ok(_) => {}
            Err(_) => self.was_elsewhere = false,
        }
        done
    }

    /// The GPUs that are asked for, with the memory that is granted, which all steps share.
    fn cards(&mut self) -> Result<Vec<Device>> {
        if self.cards.is_empty() {
            let found = self.options.devices.first_or_named(require_devices()?)?;
            self.cards = Device::each_limited(found, self.options.max_device_memory);
        }
        Ok(self.cards.clone())
    }
}

/// What is said where the memory of a GPU has no room for the transpose.
pub(super) const SHARED: &str =
    "; products with the transpose from the storage of the matrix, as there is no room for two on the GPU";

/// What is said where a GPU is not used after all.
pub(super) fn instead(reason: &Error) -> String {
    format!("on the processor instead of a CUDA GPU: {reason}")
}
