//! The stream that long results are written to, piece by piece: they may be longer than memory.
//!
//! A reader that stops reading is no error, as in `output`: the rest of the result is dropped.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;

use axilog_ledger::error::FileError;

use crate::error::CommandError;

/// A buffered stream. It keeps its first failure for [`OutputStream::finish`].
pub(crate) struct OutputStream<W: Write> {
    out: BufWriter<W>,
    failed: Option<io::Error>,
}

impl<W: Write> OutputStream<W> {
    pub(crate) fn new(out: W) -> OutputStream<W> {
        OutputStream {
            out: BufWriter::new(out),
            failed: None,
        }
    }

    /// Writes `bytes`, unless writing has failed before.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(bytes).err();
        }
    }

    /// Writes what is buffered; whether the reader still gets it.
    pub(crate) fn flush(&mut self) -> bool {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        self.failed.is_none()
    }

    /// Ends the stream and gives its first failure, if there was one; `name` is what the stream went
    /// to. A closed pipe is no failure.
    pub(crate) fn finish(mut self, name: &Path) -> Result<(), CommandError> {
        let flushed = self.out.flush().err();
        match self.failed.or(flushed) {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(FileError::from_io(name, "write")(error).into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(feature = "parquet")]
impl<W: Write> Write for OutputStream<W> {
    /// As [`OutputStream::put`]: a failure shows in [`OutputStream::finish`].
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The name of standard output in messages.
pub(crate) fn stdout_name() -> &'static Path {
    Path::new("standard output")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full(ErrorKind);
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure_and_a_full_disk_is() {
        for (kind, fine) in [
            (ErrorKind::BrokenPipe, true),
            (ErrorKind::StorageFull, false),
        ] {
            for bytes in [&[b'x'; 10][..], &[b'x'; 100_000]] {
                let mut stream = OutputStream::new(Full(kind));
                stream.put(bytes);
                stream.put(bytes);
                assert_eq!(stream.finish(stdout_name()).is_ok(), fine, "{kind:?}");
            }
        }
        let mut written = Vec::new();
        let mut stream = OutputStream::new(&mut written);
        stream.put(b"a");
        stream.put(b"b");
        stream.finish(stdout_name()).unwrap();
        assert_eq!(written, b"ab");
    }
}
