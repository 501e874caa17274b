//! `--device`: the processor, or which CUDA GPUs.

use blackfield::gpu::Devices;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use std::ffi::OsStr;

/// Reads what `--device` takes; help and completions have the words with what they mean for a command.
#[derive(Clone, Copy, Debug)]
pub struct DeviceParser {
    auto: &'static str,
    cuda: &'static str,
}

/// For ranks.
pub const OF_RANKS: DeviceParser = DeviceParser {
    auto: "The first CUDA GPU where that is predicted to take less time and it can be used; --explain says why",
    cuda: "The first CUDA GPU, for sketches and block Wiedemann, or an error",
};

/// For benches.
pub const OF_BENCHES: DeviceParser =
    DeviceParser { auto: "Refused: a bench says where it is run", cuda: "The first CUDA GPU" };

/// For permanents.
pub const OF_PERMANENTS: DeviceParser = DeviceParser {
    auto: "All CUDA GPUs where they are predicted to be sooner and are there",
    cuda: "All visible CUDA GPUs (see CUDA_VISIBLE_DEVICES), or an error",
};

fn read(text: &str) -> blackfield::Result<Devices> {
    text.parse()
}

impl TypedValueParser for DeviceParser {
    type Value = Devices;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Devices, Error> {
        read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = [
            ("auto", self.auto),
            ("cpu", "The processor"),
            ("cuda", self.cuda),
            ("cuda:all", "All CUDA GPUs"),
            ("cuda:0,1", "These CUDA GPUs, by ordinal: any list; a GPU named twice works as two"),
        ];
        Some(Box::new(words.into_iter().map(|(word, help)| PossibleValue::new(word).help(help))))
    }
}
