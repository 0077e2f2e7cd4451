//! Readers of a ledger file: line by line, or in blocks of whole lines.
//!
//! formats.md §6, Ledger file. A reader holds one block in memory. No line is longer than [`MAX_LINE_BYTES`].

use std::io::{self, Read};

use axilog::evidence::view::MAX_GATEWAY_RECORD_BYTES;
use axilog::ledger_line::MAX_LINE_OVERHEAD;

/// The length of the longest possible line, its line feed included.
pub const MAX_LINE_BYTES: usize = MAX_GATEWAY_RECORD_BYTES + MAX_LINE_OVERHEAD;

/// The length of the longest block. It has room for several of the longest lines and fits into a core's own
/// cache.
const BLOCK_BYTES: usize = 1 << 18;
const _: () = assert!(BLOCK_BYTES > MAX_LINE_BYTES);

/// One line of a ledger file, or the bytes that stand in the place of one.
#[derive(Debug, PartialEq, Eq)]
pub enum LedgerLine<'b> {
    /// A line with its line feed.
    Whole(&'b [u8]),
    /// The last bytes of the file, without a line feed.
    Torn(&'b [u8]),
    /// More bytes than the longest line has, without a line feed.
    TooLong,
}

/// A block of consecutive lines.
#[derive(Debug, Default)]
pub struct LineBlock {
    bytes: Vec<u8>,
    offset: u64,
}

impl LineBlock {
    /// The line that begins `at` bytes into the block, with its offset in the file and the place in the
    /// block where the next line begins. `None` at the end. [`LedgerLine::Torn`] and [`LedgerLine::TooLong`] are the
    /// last lines of a file.
    fn line(&self, at: usize) -> Option<(u64, LedgerLine<'_>, usize)> {
        let rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let longest = rest.get(..MAX_LINE_BYTES).unwrap_or(rest);
        let line = match memchr::memchr(b'\n', longest) {
            Some(end) => LedgerLine::Whole(rest.get(..=end)?),
            None if rest.len() < MAX_LINE_BYTES => LedgerLine::Torn(rest),
            None => LedgerLine::TooLong,
        };
        let next = match line {
            LedgerLine::Whole(line) => at.saturating_add(line.len()),
            _ => self.bytes.len(),
        };
        Some((self.offset.saturating_add(at as u64), line, next))
    }

    /// The lines of the block with their offsets in the file.
    pub fn lines(&self) -> impl Iterator<Item = (u64, LedgerLine<'_>)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let (offset, line, next) = self.line(at)?;
            at = next;
            Some((offset, line))
        })
    }

    /// The offset in the file at which the block ends.
    #[must_use]
    pub fn end_offset(&self) -> u64 {
        self.offset.saturating_add(self.bytes.len() as u64)
    }
}

/// A reader of blocks.
pub struct BlockReader<R> {
    source: R,
    /// The beginning of a line that ends in the next block.
    rest: Vec<u8>,
    offset: u64,
    ended: bool,
}

impl<R: Read> BlockReader<R> {
    /// Creates a reader that begins at the current position of `source`, which offsets count from.
    pub fn new(source: R) -> BlockReader<R> {
        BlockReader::starting_at(source, 0)
    }

    /// Creates a reader that begins at the current position of `source`, which is `offset` in the file.
    pub fn starting_at(source: R, offset: u64) -> BlockReader<R> {
        BlockReader {
            source,
            rest: Vec::new(),
            offset,
            ended: false,
        }
    }

    /// The offset in the file at which the next block begins.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next block into the memory of `used`; `None` at the end.
    ///
    /// # Errors
    /// The source's error.
    pub fn next_block(&mut self, used: LineBlock) -> io::Result<Option<LineBlock>> {
        if self.ended {
            return Ok(None);
        }
        let mut bytes = used.bytes;
        bytes.clear();
        // One byte more than is read: `read_to_end` would else grow the buffer to look for the end.
        bytes.reserve(BLOCK_BYTES + 1);
        bytes.append(&mut self.rest);
        let wanted = BLOCK_BYTES.saturating_sub(bytes.len()) as u64;
        (&mut self.source).take(wanted).read_to_end(&mut bytes)?;
        self.ended = bytes.len() < BLOCK_BYTES;
        if !self.ended {
            match memchr::memrchr(b'\n', &bytes) {
                Some(last) => self.rest = bytes.split_off(last + 1),
                // The line is too long, and no caller reads on after it.
                None => self.ended = true,
            }
        }
        let block = LineBlock {
            bytes,
            offset: self.offset,
        };
        self.offset = block.end_offset();
        Ok(Some(block).filter(|block| !block.bytes.is_empty()))
    }

    /// Whether the last block was read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.ended
    }
}

/// A reader of lines, one at a time.
pub struct LineReader<R> {
    blocks: BlockReader<R>,
    block: LineBlock,
    at: usize,
}

impl<R: Read> LineReader<R> {
    /// Creates a reader that begins at the current position of `source`, which offsets count from.
    pub fn new(source: R) -> LineReader<R> {
        LineReader {
            blocks: BlockReader::new(source),
            block: LineBlock::default(),
            at: 0,
        }
    }

    /// Reads the next line and gives the offset of its first byte too; `None` at the end. [`LedgerLine::Torn`] and
    /// [`LedgerLine::TooLong`] are the last lines of a file.
    ///
    /// # Errors
    /// The source's error.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, LedgerLine<'_>)>> {
        if self.at >= self.block.bytes.len() {
            let used = std::mem::take(&mut self.block);
            let Some(block) = self.blocks.next_block(used)? else {
                return Ok(None);
            };
            self.block = block;
            self.at = 0;
        }
        let line = self.block.line(self.at);
        Ok(line.map(|(offset, line, next)| {
            self.at = next;
            (offset, line)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_offsets_and_a_longest_length() {
        let mut lines = LineReader::new(b"a\n\nbc".as_slice());
        assert_eq!(
            lines.next_line().unwrap(),
            Some((0, LedgerLine::Whole(b"a\n")))
        );
        assert_eq!(
            lines.next_line().unwrap(),
            Some((2, LedgerLine::Whole(b"\n")))
        );
        assert_eq!(
            lines.next_line().unwrap(),
            Some((3, LedgerLine::Torn(b"bc")))
        );
        assert_eq!(lines.next_line().unwrap(), None);

        let mut longest = vec![b'x'; MAX_LINE_BYTES - 1];
        longest.push(b'\n');
        let mut lines = LineReader::new(longest.as_slice());
        assert_eq!(
            lines.next_line().unwrap(),
            Some((0, LedgerLine::Whole(longest.as_slice())))
        );
        assert_eq!(lines.next_line().unwrap(), None);

        let mut lines = LineReader::new(io::repeat(b'x'));
        assert_eq!(lines.next_line().unwrap(), Some((0, LedgerLine::TooLong)));
        assert_eq!(lines.next_line().unwrap(), None);
        for more in [0, 1, BLOCK_BYTES] {
            let mut long = vec![b'x'; MAX_LINE_BYTES + more];
            *long.last_mut().unwrap() = if more == 0 { b'x' } else { b'\n' };
            let mut lines = LineReader::new(long.as_slice());
            assert_eq!(lines.next_line().unwrap(), Some((0, LedgerLine::TooLong)));
        }
    }

    /// A source that gives its bytes in pieces of varying length.
    struct UnevenReader<'a>(&'a [u8], usize);

    impl Read for UnevenReader<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.1 = self.1 * 5 % 4093 + 1;
            let len = self.1.min(out.len()).min(self.0.len());
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    #[test]
    fn every_line_is_read_whole_across_blocks() {
        // Lines of many lengths, so that block ends fall everywhere within them.
        let mut file = Vec::new();
        for n in 0..400usize {
            file.extend(std::iter::repeat_n(b'a' + (n % 26) as u8, n * 7919 % 5000));
            file.push(b'\n');
        }
        file.extend_from_slice(b"torn");
        let mut lines = LineReader::new(UnevenReader(&file, 1));
        let mut read = Vec::new();
        while let Some((offset, line)) = lines.next_line().unwrap() {
            assert_eq!(offset, read.len() as u64);
            match line {
                LedgerLine::Whole(line) => {
                    assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
                    read.extend_from_slice(line);
                }
                LedgerLine::Torn(rest) => read.extend_from_slice(rest),
                LedgerLine::TooLong => unreachable!(),
            }
        }
        assert!(read == file && file.len() > 3 * BLOCK_BYTES);
    }
}
