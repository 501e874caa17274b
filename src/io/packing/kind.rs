//! How a file is packed, by its first bytes.

/// A stream in a stream, or files in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Packing {
    Gzip,
    Xz,
    Bzip2,
    Zstd,
    Tar,
    Zip,
}

impl Packing {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Xz => "xz",
            Packing::Bzip2 => "bzip2",
            Packing::Zstd => "zstd",
            Packing::Tar => "tar",
            Packing::Zip => "zip",
        }
    }
}

/// Bytes that a header of tar has.
pub(super) const BLOCK: usize = 512;

/// How a file that begins with these bytes is packed; at least [`BLOCK`] bytes, or the whole file.
pub(in super::super) fn packing(head: &[u8]) -> Option<Packing> {
    let begins = |magic: &[u8]| head.starts_with(magic);
    let zstd_skippable = matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    let bzip2 = matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', ..])
        && [b"1AY&SY", &b"\x17\x72\x45\x38\x50\x90"[..]].iter().any(|mark| head[4..].starts_with(mark));
    match () {
        () if begins(b"\x1f\x8b") => Some(Packing::Gzip),
        () if begins(b"\xfd7zXZ\0") => Some(Packing::Xz),
        () if bzip2 => Some(Packing::Bzip2),
        () if begins(b"\x28\xb5\x2f\xfd") || zstd_skippable => Some(Packing::Zstd),
        () if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") => Some(Packing::Zip),
        () if is_tar(head) => Some(Packing::Tar),
        () => None,
    }
}

/// Whether a block is a header of tar, of any age: it has its own checksum, bytes 148 to 155, taken as blanks in the
/// sum (POSIX.1-1988, 10.1.1).
fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.get(..BLOCK) else { return false };
    let field = &block[148..156];
    let digits = field.trim_ascii_start();
    let digits = &digits[..digits.iter().position(|b| !b.is_ascii_digit()).unwrap_or(digits.len())];
    let Some(told) = std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, 8).ok()) else {
        return false;
    };
    let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
    told == sum - field.iter().map(|&b| u32::from(b)).sum::<u32>() + 8 * 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes() {
        for (head, expected) in [
            (&b"\x1f\x8b\x08"[..], Some(Packing::Gzip)),
            (b"\xfd7zXZ\0\0", Some(Packing::Xz)),
            (b"BZh91AY&SY", Some(Packing::Bzip2)),
            (b"BZh9\x17\x72\x45\x38\x50\x90", Some(Packing::Bzip2)),
            (b"BZh matrices", None),
            (b"\x28\xb5\x2f\xfd", Some(Packing::Zstd)),
            (b"\x5a\x2a\x4d\x18", Some(Packing::Zstd)),
            (b"PK\x03\x04", Some(Packing::Zip)),
            (b"PK\x05\x06", Some(Packing::Zip)),
            (b"2 2 M\n", None),
            (b"", None),
            (&[0; 1024], None),
        ] {
            assert_eq!(packing(head), expected, "{head:?}");
        }
    }

    #[test]
    fn headers_of_tar_have_checksums() {
        let mut block = [0; BLOCK];
        block[..5].copy_from_slice(b"a.mtx");
        block[148..156].copy_from_slice(b"000737\0 ");
        // a.mtx: 97 + 46 + 109 + 116 + 120 = 488, and eight blanks: 744 = 0o1350.
        assert_eq!(packing(&block), None);
        block[148..156].copy_from_slice(b"  1350\0 ");
        assert_eq!(packing(&block), Some(Packing::Tar));
        block[0] ^= 1;
        assert_eq!(packing(&block), None);
        assert_eq!(packing(&block[..BLOCK - 1]), None);
    }
}
