//! Reading the ledger file that is open for writing.

use std::io::{self, Read, Seek, SeekFrom};

use super::appender::SharedAppender;

/// A reader of a ledger file's bytes.
#[derive(Debug)]
pub struct LedgerBytes<'s> {
    appender: &'s SharedAppender,
    position: u64,
}

impl<'s> LedgerBytes<'s> {
    pub(super) fn new(appender: &'s SharedAppender) -> LedgerBytes<'s> {
        LedgerBytes {
            appender,
            position: 0,
        }
    }
}

impl Read for LedgerBytes<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self
            .appender
            .lock()
            .storage()
            .read_at(self.position, into)?;
        self.position = self.position.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for LedgerBytes<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.appender.lock().storage().len()?.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
