//! Which machine this is: what prices depend on, as far as the operating system tells it.

use crate::isa::{Extra, Isa};

/// A machine, for the question whether prices were measured on it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fingerprint {
    /// The processor's architecture, such as `x86_64`.
    pub arch: String,
    /// The operating system, such as `linux`.
    pub system: String,
    /// The processor's name; empty where the system does not tell it.
    pub processor: String,
    /// The instructions beyond the architecture's that this program knows, by name.
    pub instructions: Vec<String>,
    /// The instruction set that the process works with.
    pub isa: String,
    /// The sizes of the caches that one core sees.
    pub caches: Caches,
}

/// Bytes of the data caches that one core sees; 0 where the system does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// The first level.
    pub l1: u64,
    /// The second level.
    pub l2: u64,
    /// The third level.
    pub l3: u64,
}

impl Fingerprint {
    /// The machine that this process runs on, and the instruction set that it works with ([`Isa::best`]).
    pub fn here() -> Self {
        let families = [Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_available()).map(Isa::name);
        let extras = [(Extra::Clmul, "clmul"), (Extra::Ifma, "ifma"), (Extra::Vnni, "vnni"), (Extra::Amx, "amx")];
        let extras = extras.into_iter().filter(|(extra, _)| extra.is_available()).map(|(_, name)| name);
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Fingerprint {
            arch: std::env::consts::ARCH.into(),
            system: std::env::consts::OS.into(),
            processor: processor(&cpuinfo),
            instructions: families.chain(extras).map(String::from).collect(),
            isa: Isa::best().name().into(),
            caches: Caches::here(),
        }
    }

    /// What is not the same on `other`, in words; nothing for the same machine.
    pub fn differences(&self, other: &Fingerprint) -> Vec<String> {
        let caches = |Caches { l1, l2, l3 }: Caches| format!("{l1}, {l2} and {l3} bytes");
        let facts = |of: &Fingerprint| {
            [
                ("architecture", of.arch.clone()),
                ("system", of.system.clone()),
                ("processor", of.processor.clone()),
                ("instructions", of.instructions.join(" ")),
                ("instruction set in use", of.isa.clone()),
                ("caches", caches(of.caches)),
            ]
        };
        let pairs = facts(self).into_iter().zip(facts(other));
        let different = pairs.filter(|(mine, its)| mine != its);
        different.map(|((what, mine), (_, its))| format!("{what}: `{mine}`, not `{its}`")).collect()
    }
}

/// The name of the processor in the text of `/proc/cpuinfo`; empty where it is not there.
fn processor(cpuinfo: &str) -> String {
    let field = |name: &str| {
        let lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_string())
    };
    let parts = || Some(format!("implementer {} part {}", field("CPU implementer")?, field("CPU part")?));
    field("model name").or_else(parts).unwrap_or_default()
}

impl Caches {
    /// Those of the first core, as Linux tells them.
    fn here() -> Self {
        let mut caches = Caches::default();
        for index in 0..8 {
            let read = |what: &str| {
                let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
                std::fs::read_to_string(file).map(|text| text.trim().to_string())
            };
            let (Ok(level), Ok(kind), Ok(size)) = (read("level"), read("type"), read("size")) else { continue };
            caches.add(&level, &kind, &size);
        }
        caches
    }

    /// Takes note of one cache, as the files of a folder in `/sys` describe it.
    fn add(&mut self, level: &str, kind: &str, size: &str) {
        if kind == "Instruction" {
            return;
        }
        let digits = size.trim_end_matches(|c: char| !c.is_ascii_digit());
        let unit = match &size[digits.len()..] {
            "K" => 1 << 10,
            "M" => 1 << 20,
            "G" => 1 << 30,
            _ => 1,
        };
        let bytes = digits.parse::<u64>().unwrap_or(0).saturating_mul(unit);
        match level {
            "1" => self.l1 = bytes,
            "2" => self.l2 = bytes,
            "3" => self.l3 = bytes,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_named() {
        let intel = "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Some Processor @ 2.0GHz\nmodel name\t: other\n";
        assert_eq!(processor(intel), "Some Processor @ 2.0GHz");
        let arm = "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd40\n";
        assert_eq!(processor(arm), "implementer 0x41 part 0xd40");
        assert_eq!((processor(""), processor("CPU part : 0xd40\n")), (String::new(), String::new()));
    }

    #[test]
    fn caches_are_counted_in_bytes() {
        let mut caches = Caches::default();
        for (level, kind, size) in [
            ("1", "Data", "48K"),
            ("1", "Instruction", "32K"),
            ("2", "Unified", "2048K"),
            ("3", "Unified", "105M"),
            ("4", "Unified", "1G"),
        ] {
            caches.add(level, kind, size);
        }
        assert_eq!(caches, Caches { l1: 48 << 10, l2: 2 << 20, l3: 105 << 20 });
        caches.add("3", "Unified", "no number");
        assert_eq!(caches.l3, 0);
    }

    #[test]
    fn another_machine_is_told_apart() {
        let here = Fingerprint::here();
        assert_eq!(here.differences(&Fingerprint::here()), [""; 0]);
        let mut other = here.clone();
        other.processor = "another".into();
        other.caches.l2 += 1;
        let found = here.differences(&other);
        assert!(
            found.len() == 2 && found[0].starts_with("processor: `") && found[1].starts_with("caches"),
            "{found:?}"
        );
        let mut narrower = here.clone();
        narrower.isa = "another".into();
        assert_eq!(here.differences(&narrower).len(), 1);
    }
}
