//! The lines of a ledger file, one at a time, with their offsets.
//!
//! formats.md §6, Ledger file. Memory is one line, whose length is bounded by what a record may be.

use std::io::{self, BufRead, BufReader, Read};

use axilog::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use axilog::ledger_line::MAX_LINE_OVERHEAD;

/// The longest line there can be, its line feed included.
pub const MAX_LINE_BYTES: usize = MAX_GATEWAY_RECORD_BYTES + MAX_LINE_OVERHEAD;

/// What stands where a line should.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'b> {
    /// A line with its line feed.
    Whole(&'b [u8]),
    /// The last bytes of the file, without a line feed.
    Torn(&'b [u8]),
    /// More bytes than any record has, without a line feed.
    TooLong,
}

/// A reader of lines.
pub struct Lines<R> {
    source: BufReader<R>,
    line: Vec<u8>,
    offset: u64,
}

impl<R: Read> Lines<R> {
    /// Reads from where `source` stands; offsets count from there.
    pub fn new(source: R) -> Lines<R> {
        Lines {
            source: BufReader::with_capacity(1 << 16, source),
            line: Vec::new(),
            offset: 0,
        }
    }

    /// The next line and the offset of its first byte; `None` at the end. Nothing useful follows
    /// [`Line::Torn`] or [`Line::TooLong`].
    ///
    /// # Errors
    /// What reading gives.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, Line<'_>)>> {
        self.line.clear();
        let read = (&mut self.source)
            .take(MAX_LINE_BYTES as u64)
            .read_until(b'\n', &mut self.line)?;
        let offset = self.offset;
        self.offset = offset.saturating_add(read as u64);
        Ok(match self.line.last() {
            None => None,
            Some(b'\n') => Some((offset, Line::Whole(&self.line))),
            Some(_) if read < MAX_LINE_BYTES => Some((offset, Line::Torn(&self.line))),
            Some(_) => Some((offset, Line::TooLong)),
        })
    }

    /// Bytes read so far: behind the last line, the length of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_offsets_and_a_bound() {
        let mut lines = Lines::new(b"a\n\nbc".as_slice());
        assert_eq!(lines.next_line().unwrap(), Some((0, Line::Whole(b"a\n"))));
        assert_eq!(lines.next_line().unwrap(), Some((2, Line::Whole(b"\n"))));
        assert_eq!(lines.next_line().unwrap(), Some((3, Line::Torn(b"bc"))));
        assert_eq!(lines.next_line().unwrap(), None);
        assert_eq!(lines.offset(), 5);

        let mut longest = vec![b'x'; MAX_LINE_BYTES - 1];
        longest.push(b'\n');
        let mut lines = Lines::new(longest.as_slice());
        assert_eq!(
            lines.next_line().unwrap(),
            Some((0, Line::Whole(longest.as_slice())))
        );
        assert_eq!(lines.next_line().unwrap(), None);

        let mut lines = Lines::new(io::repeat(b'x'));
        assert_eq!(lines.next_line().unwrap(), Some((0, Line::TooLong)));
    }
}
