//! Which CUDA GPUs a computation may use: as asked for, and as found.

use super::device::Device;
use crate::{DeviceReason, Error, Result};
use std::fmt;
use std::str::FromStr;

/// Where a computation runs.
///
/// ```
/// use blackfield::gpu::Devices;
/// assert_eq!("cuda:all".parse::<Devices>()?, Devices::All);
/// assert_eq!("cuda:0,1".parse::<Devices>()?.to_string(), "cuda:0,1");
/// # Ok::<(), blackfield::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Devices {
    /// On the processor.
    #[default]
    Processor,
    /// On CUDA GPUs where that is worthwhile; on the processor if there are none or they fail.
    Auto,
    /// On CUDA GPUs, as many as the work takes unasked: ranks the first, permanents all; an error without any.
    Gpus,
    /// On all CUDA GPUs; an error without any.
    All,
    /// On these CUDA GPUs; an error where one of them is missing.
    These(Ordinals),
}

/// Ordinals of CUDA devices, at least one, in the order given. One that is given several times stands for as many
/// GPUs, which share a device: what runs on several can be tried on a machine with one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ordinals {
    ordinals: [u8; Ordinals::MOST],
    count: u8,
}

impl Ordinals {
    /// The most GPUs that are used together.
    pub const MOST: usize = 16;

    /// # Errors
    /// [`Error::Usage`] for none, for more than [`Ordinals::MOST`], and for ordinals above 255.
    pub fn new(given: &[usize]) -> Result<Ordinals> {
        if given.is_empty() || given.len() > Self::MOST {
            let message = format!("{} GPUs are named: 1 to {} are possible", given.len(), Self::MOST);
            return Err(Error::Usage(message));
        }
        let mut ordinals = [0; Self::MOST];
        for (to, &ordinal) in ordinals.iter_mut().zip(given) {
            *to = u8::try_from(ordinal).map_err(|_| {
                Error::Usage(format!("cuda:{ordinal} is out of range: cuda:0 to cuda:255 are possible"))
            })?;
        }
        Ok(Ordinals { ordinals, count: given.len() as u8 })
    }
    /// In the order given.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.ordinals[..usize::from(self.count)].iter().map(|&ordinal| usize::from(ordinal))
    }
    /// The devices of these ordinals.
    fn among(&self, there: &[Device]) -> Result<Vec<Device>> {
        let find = |ordinal: usize| {
            let found = there.iter().find(|device| device.index == ordinal);
            found.cloned().ok_or_else(|| {
                let names: Vec<String> = there.iter().map(|device| format!("cuda:{}", device.index)).collect();
                let message = format!("there is no CUDA device {ordinal}: {} can be asked for", names.join(", "));
                Error::device(DeviceReason::NoDevice, message)
            })
        };
        self.iter().map(find).collect()
    }
}

impl fmt::Debug for Ordinals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Devices {
    /// Whether nothing but a GPU will do.
    #[must_use]
    pub fn are_demanded(self) -> bool {
        matches!(self, Devices::Gpus | Devices::All | Devices::These(_))
    }
    /// Those asked for, at least one, of those that are `there`; unless named, or all wanted, the first.
    ///
    /// # Errors
    /// [`Error::Device`] if one that is named is not there.
    pub fn first_or_named(self, mut there: Vec<Device>) -> Result<Vec<Device>> {
        if !matches!(self, Devices::All | Devices::These(_)) {
            there.truncate(1);
        }
        self.all_or_named(there)
    }
    /// Those asked for, at least one, of those that are `there`; unless named, all of them.
    ///
    /// # Errors
    /// As [`Devices::first_or_named`].
    pub fn all_or_named(self, there: Vec<Device>) -> Result<Vec<Device>> {
        match self {
            Devices::These(ordinals) => ordinals.among(&there),
            _ => Ok(there),
        }
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Devices::Processor => f.write_str("cpu"),
            Devices::Auto => f.write_str("auto"),
            Devices::Gpus => f.write_str("cuda"),
            Devices::All => f.write_str("cuda:all"),
            Devices::These(ordinals) => {
                let names: Vec<String> = ordinals.iter().map(|ordinal| ordinal.to_string()).collect();
                write!(f, "cuda:{}", names.join(","))
            }
        }
    }
}

/// `cpu`, `auto`, `cuda`, `cuda:all`, `cuda:1`, `cuda:0,1`.
impl FromStr for Devices {
    type Err = Error;

    fn from_str(text: &str) -> Result<Devices> {
        let unknown =
            || Error::Usage(format!("`{text}` is no device: cpu, auto, cuda, cuda:all or cuda:0,1 is needed"));
        match text {
            "cpu" => Ok(Devices::Processor),
            "auto" => Ok(Devices::Auto),
            "cuda" => Ok(Devices::Gpus),
            "cuda:all" => Ok(Devices::All),
            _ => {
                let list = text.strip_prefix("cuda:").ok_or_else(unknown)?;
                // A number may have a sign for `parse`; more digits than a usize has are out of range, too.
                let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
                if !list.split(',').all(is_number) {
                    return Err(unknown());
                }
                let numbers: Vec<usize> = list.split(',').map(|word| word.parse().unwrap_or(usize::MAX)).collect();
                Ordinals::new(&numbers).map(Devices::These)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(index: usize) -> Device {
        Device {
            index,
            name: format!("number {index}"),
            memory: 1 << 30,
            compute_capability: (9, 0),
            multiprocessors: 132,
            grant: Default::default(),
        }
    }

    #[test]
    fn words_and_lists_are_read_and_written() {
        for text in ["cpu", "auto", "cuda", "cuda:all", "cuda:0", "cuda:7,0,3", "cuda:0,0", "cuda:255"] {
            assert_eq!(text.parse::<Devices>().unwrap().to_string(), text);
        }
        let seventeen = format!("cuda:{}", ["0"; 17].join(","));
        for text in [
            "",
            "gpu",
            "CUDA",
            "cuda:",
            "cuda:,",
            "cuda:0,",
            "cuda:-1",
            "cuda:+1",
            "cuda:0-1",
            "cuda:1.0",
            "cuda:256",
            "cuda: 1",
            "cuda:0;1",
            "cuda:all,0",
            "cuda:99999999999999999999999",
            &seventeen,
        ] {
            assert!(matches!(text.parse::<Devices>(), Err(Error::Usage(_))), "{text}");
        }
        assert!(Ordinals::new(&[]).is_err());
    }

    #[test]
    fn only_gpus_are_demanded() {
        let demanded = |text: &str| text.parse::<Devices>().unwrap().are_demanded();
        assert!(["cuda", "cuda:all", "cuda:0", "cuda:1,0"].into_iter().all(demanded));
        assert!(!["cpu", "auto"].into_iter().any(demanded));
    }

    #[test]
    fn those_asked_for_are_found_or_named() {
        let there = || (0..4).map(device).collect::<Vec<_>>();
        let of = |text: &str, first: bool| {
            let devices: Devices = text.parse().unwrap();
            let found = if first { devices.first_or_named(there()) } else { devices.all_or_named(there()) };
            found.map(|found| found.iter().map(|device| device.index).collect::<Vec<_>>())
        };
        for text in ["auto", "cuda"] {
            assert_eq!((of(text, true).unwrap(), of(text, false).unwrap()), (vec![0], vec![0, 1, 2, 3]), "{text}");
        }
        for (text, expected) in
            [("cuda:all", vec![0, 1, 2, 3]), ("cuda:2", vec![2]), ("cuda:3,1", vec![3, 1]), ("cuda:0,0", vec![0, 0])]
        {
            assert_eq!((of(text, true).unwrap(), of(text, false).unwrap()), (expected.clone(), expected), "{text}");
        }
        for text in ["cuda:4", "cuda:0,9"] {
            match of(text, true) {
                Err(Error::Device(no)) => {
                    assert_eq!(no.reason, DeviceReason::NoDevice);
                    assert!(no.message.contains("cuda:0, cuda:1, cuda:2, cuda:3 can be asked for"), "{no}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
