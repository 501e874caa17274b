//! What stands for the cards in a build without CUDA: types of which there is no value.

use super::{Cubin, Device, Launch};
use crate::{Error, Result};

/// The reason for everything here.
pub(super) fn error() -> Error {
    Error::Device("this build has no CUDA support: build it with the feature `cuda`".into())
}

/// A card ready for work: none.
#[derive(Debug)]
pub enum Card {}

/// A kernel loaded on one card: none.
#[derive(Debug)]
pub enum Kernel {}

/// Data on a card: none.
#[derive(Debug)]
pub enum Buffer {}

/// A launch under way: none.
#[derive(Debug)]
pub enum Running {}

impl Card {
    /// No card.
    ///
    /// # Errors
    /// [`Error::Device`] always.
    pub fn open(_: &Device) -> Result<Card> {
        Err(error())
    }
}

impl Kernel {
    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn load(card: &Card, _: &Cubin, _: &str) -> Result<Kernel> {
        match *card {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn upload(&self, _: &[u8]) -> Result<Buffer> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn start(&self, _: &Launch<'_>, _: &[u8], _: &[&Buffer]) -> Result<Running> {
        match *self {}
    }
}

impl Running {
    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn is_done(&self) -> Result<bool> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn finish(self) -> Result<Vec<u64>> {
        match self {}
    }
}
