//! Zstandard (RFC 8878): frames one after the other, skippable ones among them, as `zstd`, `pzstd` and `cat` make them.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};

/// The content of all frames.
pub(super) struct Frames<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    /// Whether the decoder is inside a frame.
    inside: bool,
}

impl<R: Read> Frames<R> {
    pub fn new(packed: R) -> Self {
        Frames { source: BufReader::new(packed), decoder: FrameDecoder::new(), inside: false }
    }

    /// Goes on to the next frame; false at the end of the stream.
    fn next(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    if io::copy(&mut self.source.by_ref().take(length), &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(plain(error)),
            }
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside && !self.next()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, blocks).map_err(plain)?;
            }
            let got = self.decoder.read(buffer)?;
            if got > 0 || buffer.is_empty() {
                return Ok(got);
            }
            let told = self.decoder.get_checksum_from_data();
            if told.is_some() && told != self.decoder.get_calculated_checksum() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a checksum does not match"));
            }
            self.inside = false;
        }
    }
}

/// The error of the stream below, if that is what failed.
fn plain(error: FrameDecoderError) -> io::Error {
    if let FrameDecoderError::WindowSizeTooBig { .. } = error {
        return io::ErrorKind::OutOfMemory.into();
    }
    let mut inner: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(cause) = inner {
        if let Some(below) = cause.downcast_ref::<io::Error>()
            && below.kind() == io::ErrorKind::UnexpectedEof
        {
            return io::ErrorKind::UnexpectedEof.into();
        }
        inner = cause.source();
    }
    io::Error::other(error)
}
