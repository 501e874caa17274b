//! Profiles of a machine: what is read has prices within their ranges, and is written back as the same profile.

use blackfield::Error;
use blackfield::tune::Profile;
use std::path::Path;

/// Whether the bytes are a profile.
pub fn profile(data: &[u8]) -> bool {
    let file = Path::new("input");
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let read = match Profile::parse(file, text) {
        Ok(read) => read,
        Err(Error::Input { .. }) => return false,
        Err(error) => panic!("not an error about the text: {error}"),
    };
    for (price, value) in &read.prices {
        let [least, most] = price.range();
        assert!(least <= *value && *value <= most, "{price} {value}");
    }
    assert_eq!(Profile::parse(file, &read.to_toml()).expect("what was written"), read);
    true
}
