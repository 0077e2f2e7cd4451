//! A message as the blocks that are hashed, its padding included.

use crate::Message;

/// The bytes that one compression takes.
pub type Block = [u8; 64];

/// The place of the message's length in the last block.
const LENGTH_AT: usize = 56;

/// The byte after the message.
const MARK: u8 = 0x80;

/// A message that is read block by block.
pub struct BlockReader<'a> {
    /// The blocks that come next where they lie within a part.
    within: &'a [Block],
    /// The block that comes next where `within` has none: put together from ends of parts and padding.
    assembled: Block,
    /// The rest of the part that is being read.
    part: &'a [u8],
    parts: core::slice::Iter<'a, &'a [u8]>,
    /// Bytes of the whole message.
    length: u64,
    padding: Padding,
}

/// The padding that is still to come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Whole,
    /// The length, which found no room after the mark and gets a block of its own.
    Length,
    Nothing,
}

impl<'a> BlockReader<'a> {
    /// A reader at the first block of `message`. Also an empty message has one.
    #[inline]
    pub fn new(message: Message<'a>) -> BlockReader<'a> {
        let lengths = message.iter().map(|part| part.len() as u64);
        let mut reader = BlockReader {
            within: &[],
            assembled: [0; 64],
            part: &[],
            parts: message.iter(),
            length: lengths.fold(0, u64::wrapping_add),
            padding: Padding::Whole,
        };
        reader.read();
        reader
    }

    /// The blocks that come next, one at least.
    #[inline]
    pub fn blocks(&self) -> &[Block] {
        if self.within.is_empty() {
            core::slice::from_ref(&self.assembled)
        } else {
            self.within
        }
    }

    /// Goes on to the blocks after the next `count`; whether there are any.
    #[inline]
    pub fn pass(&mut self, count: usize) -> bool {
        self.within = self.within.get(count..).unwrap_or_default();
        !self.within.is_empty() || self.read()
    }

    /// Reads the next blocks: as many as lie within the part, or else one. There are none after the last.
    #[inline]
    fn read(&mut self) -> bool {
        self.skip_to_bytes();
        let (within, rest) = self.part.as_chunks();
        if !within.is_empty() {
            (self.within, self.part) = (within, rest);
            return true;
        }
        let used = self.fill();
        used == self.assembled.len() || self.pad(used)
    }

    /// Goes on to the next part that has bytes, where this one has none left.
    #[inline]
    fn skip_to_bytes(&mut self) {
        while self.part.is_empty()
            && let Some(part) = self.parts.next()
        {
            self.part = part;
        }
    }

    /// Copies bytes of the message to the front of the assembled block and returns their number. Only the end of the
    /// message leaves a part of the block free.
    #[inline]
    fn fill(&mut self) -> usize {
        let mut used = 0usize;
        while let Some(free) = self.assembled.get_mut(used..)
            && !free.is_empty()
            && !self.part.is_empty()
        {
            let count = free.len().min(self.part.len());
            let (Some((taken, rest)), Some(room)) =
                (self.part.split_at_checked(count), free.get_mut(..count))
            else {
                break;
            };
            room.copy_from_slice(taken);
            self.part = rest;
            used = used.wrapping_add(count);
            self.skip_to_bytes();
        }
        used
    }

    /// Writes the padding, or as much of it as fits, after the first `used` bytes of the assembled block. Tells whether
    /// there was any.
    #[inline]
    fn pad(&mut self, used: usize) -> bool {
        if self.padding == Padding::Nothing {
            return false;
        }
        let free = self.assembled.get_mut(used..).unwrap_or_default();
        free.fill(0);
        if self.padding == Padding::Whole
            && let Some(mark) = free.first_mut()
        {
            *mark = MARK;
        }
        self.padding = Padding::Length;
        if used < LENGTH_AT
            && let Some(length) = self.assembled.last_chunk_mut()
        {
            *length = self.length.wrapping_mul(8).to_be_bytes();
            self.padding = Padding::Nothing;
        }
        true
    }
}
