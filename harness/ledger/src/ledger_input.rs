//! Ledgers that are opened to be read: as they stand, or compressed by gzip or Zstandard.
//!
//! A ledger is read more than once, and from places in it. So a compressed one is decompressed first, into a temporary
//! file without a name, which is gone when the program closes it or ends. A compressed ledger is never written.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::error::FileError;
use crate::input_file::{open_input, open_regular_file};

/// A form in which a ledger is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstandard,
}

impl Compression {
    /// The form of what begins with these bytes; `None` where it is not compressed. A ledger begins with `{`.
    fn of_beginning(bytes: &[u8]) -> Option<Compression> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstandard),
            _ => None,
        }
    }

    /// The form of the file, which is read from its beginning and left there.
    pub(crate) fn of_file(mut file: &File) -> io::Result<Option<Compression>> {
        let mut beginning = Vec::new();
        file.take(4).read_to_end(&mut beginning)?;
        file.rewind()?;
        Ok(Compression::of_beginning(&beginning))
    }
}

/// Opens a ledger for reading. Besides regular files, pipes are read that this process has open already, and `-`, which is
/// standard input: what comes through them is taken as it is, and is not decompressed.
///
/// # Errors
/// As [`open_input`]; [`FileError::Io`] where the ledger cannot be decompressed.
pub fn open_ledger_input(path: &Path) -> Result<File, FileError> {
    decompress(open_input(path, "open the ledger")?, path)
}

/// Opens a ledger for reading: it must be a regular file, or a link to one, since it may be read more than once.
///
/// # Errors
/// [`FileError::Io`], also where the ledger cannot be decompressed.
pub fn open_ledger(path: &Path) -> Result<File, FileError> {
    decompress(open_regular_file(path, "open the ledger")?, path)
}

/// The name that the ledger at `path` has where it is not compressed, by which the files beside it are called:
/// `run.jsonl` for a compressed `run.jsonl.gz` or `run.jsonl.zst`, and else `path` itself.
#[must_use]
pub fn uncompressed_name(path: &Path) -> Cow<'_, Path> {
    let has_ending = path
        .extension()
        .is_some_and(|ending| ending == "gz" || ending == "zst");
    match has_ending && is_compressed(path) {
        true => Cow::Owned(path.with_extension("")),
        false => Cow::Borrowed(path),
    }
}

/// Whether the file at `path` is a compressed one. What cannot be opened is not.
#[must_use]
pub fn is_compressed(path: &Path) -> bool {
    open_regular_file(path, "open the ledger")
        .is_ok_and(|file| Compression::of_file(&file).is_ok_and(|form| form.is_some()))
}

/// The contents of `file`, from their beginning: the file itself where it is not compressed.
fn decompress(file: File, path: &Path) -> Result<File, FileError> {
    let failed = || FileError::from_io(path, "decompress the ledger");
    if !file.metadata().map_err(failed())?.is_file() {
        return Ok(file);
    }
    let Some(form) = Compression::of_file(&file).map_err(failed())? else {
        return Ok(file);
    };
    let source = BufReader::new(file);
    let mut contents = BufWriter::new(tempfile::tempfile().map_err(failed())?);
    match form {
        Compression::Gzip => io::copy(&mut MultiGzDecoder::new(source), &mut contents).map(|_| ()),
        Compression::Zstandard => decompress_frames(source, &mut contents),
    }
    .map_err(failed())?;
    let mut contents = contents
        .into_inner()
        .map_err(|error| failed()(error.into_error()))?;
    contents.rewind().map_err(failed())?;
    Ok(contents)
}

/// Writes the contents of each Zstandard frame, one after another: a file may have several (RFC 8878 section 3).
fn decompress_frames(mut source: impl BufRead, contents: &mut impl Write) -> io::Result<()> {
    let mut decoder = FrameDecoder::new();
    while !source.fill_buf()?.is_empty() {
        match StreamingDecoder::new_with_decoder(&mut source, &mut decoder) {
            Ok(mut frame) => {
                io::copy(&mut frame, contents)?;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                io::copy(&mut (&mut source).take(length.into()), &mut io::sink())?;
            }
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
        let (stated, computed) = (
            decoder.get_checksum_from_data(),
            decoder.get_calculated_checksum(),
        );
        if stated.is_some() && stated != computed {
            let reason = "the contents do not have the checksum that the file states";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression as Level;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::path::PathBuf;

    fn gzip(contents: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Level::default());
        out.write_all(contents).unwrap();
        out.finish().unwrap()
    }

    fn zstandard(contents: &[u8]) -> Vec<u8> {
        compress_to_vec(contents, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> Result<String, FileError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl.gz");
        std::fs::write(&path, bytes).unwrap();
        let mut text = String::new();
        open_ledger(&path)?.read_to_string(&mut text).unwrap();
        Ok(text)
    }

    #[test]
    fn a_ledger_is_read_as_it_was_before_it_was_compressed() {
        let text: String = (0..5000_u32).map(|n| format!("line {n}\n")).collect();
        let (first, second) = text.as_bytes().split_at(20_000);
        // A frame that holds no contents: its magic number, its length and its bytes.
        let skipped = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'];
        for stored in [
            text.clone().into_bytes(),
            gzip(text.as_bytes()),
            zstandard(text.as_bytes()),
            [gzip(first), gzip(second)].concat(),
            [zstandard(first), zstandard(second)].concat(),
            [&zstandard(first)[..], &skipped, &zstandard(second)].concat(),
        ] {
            assert_eq!(read(&stored).unwrap(), text);
        }
        assert_eq!(read(b"").unwrap(), "");
        assert_eq!(read(b"\x1f").unwrap(), "\u{1f}");
        assert_eq!(read(&gzip(b"")).unwrap(), "");
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused() {
        let text = "the same line\n".repeat(1000);
        for stored in [gzip(text.as_bytes()), zstandard(text.as_bytes())] {
            for kept in [5, stored.len() / 2, stored.len() - 1] {
                let told = read(&stored[..kept]).unwrap_err().to_string();
                assert!(told.contains("cannot decompress the ledger"), "{told}");
            }
            let mut changed = stored.clone();
            *changed.last_mut().unwrap() ^= 1;
            let told = read(&changed).unwrap_err().to_string();
            assert!(told.contains("cannot decompress the ledger"), "{told}");
        }
    }

    #[test]
    fn files_beside_a_compressed_ledger_have_the_name_that_it_had_before() {
        let dir = tempfile::tempdir().unwrap();
        let name = |name: &str, contents: &[u8]| -> PathBuf {
            let path = dir.path().join(name);
            std::fs::write(&path, contents).unwrap();
            path
        };
        let plain = dir.path().join("run.jsonl");
        for (ending, contents) in [("gz", gzip(b"{")), ("zst", zstandard(b"{"))] {
            let path = name(&format!("run.jsonl.{ending}"), &contents);
            assert_eq!(uncompressed_name(&path), plain);
        }
        // A ledger whose name only looks so, and a compressed one with another name.
        let looks_so = name("other.gz", b"{");
        assert_eq!(uncompressed_name(&looks_so), looks_so);
        let copy = name("copy", &gzip(b"{"));
        assert_eq!(uncompressed_name(&copy), copy);
    }
}
