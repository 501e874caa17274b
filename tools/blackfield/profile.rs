//! The prices that plans are made from: those of a profile, where there is one for this machine, or the built-in ones.

use crate::args::ProfileArgs;
use crate::progress::Bars;
use blackfield::cost::Machine;
use blackfield::tune::Profile;
use blackfield::{Observer, Result};
use std::path::{Path, PathBuf};

/// Prices, and the file that they are from, if they are from one.
pub struct Prices {
    pub machine: Machine,
    pub file: Option<PathBuf>,
}

/// Finds the prices. What is asked for must be there and a profile; so must what lies in the configuration directory be
/// one. If it is for another machine, a warning says so and the built-in prices are taken.
pub fn find(args: &ProfileArgs, bars: &Bars) -> Result<Prices> {
    let built_in = || Prices { machine: Machine::default(), file: None };
    let file = match &args.profile {
        Some(none) if none == Path::new("none") || none.as_os_str().is_empty() => return Ok(built_in()),
        Some(file) => file.clone(),
        None => match default_file().filter(|file| file.exists()) {
            Some(file) => file,
            None => return Ok(built_in()),
        },
    };
    let profile = Profile::read(&file)?;
    match profile.differences()[..] {
        [] => {
            bars.note(&format!("prices of {}", file.display()));
            Ok(Prices { machine: profile.machine(), file: Some(file) })
        }
        ref differences => {
            let differences = differences.join("; ");
            let file = file.display();
            bars.warning(&format!(
                "the profile {file} is another machine's, built-in prices are used instead (it says {differences}); \
                 `blackfield tune --install` makes one of this machine"
            ));
            Ok(built_in())
        }
    }
}

/// Where a profile is written and looked for: `blackfield/profile.toml` in the user's configuration directory, by the
/// XDG Base Directory Specification; `None` where no environment variable tells it.
pub fn default_file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("blackfield").join("profile.toml"))
}
