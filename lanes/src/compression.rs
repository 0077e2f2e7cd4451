//! The compression function of SHA-256 over several states side by side.

use sha2::compress256;
use sha2::digest::generic_array::GenericArray;

use crate::blocks::Block;
use crate::instructions::Instructions;

/// The state of a digest between two blocks.
pub type State = [u32; 8];

/// A way to compress: with the processor's instructions, or without.
#[derive(Clone, Copy)]
pub struct Compression(Option<Instructions>);

impl Compression {
    /// The fastest way on this processor.
    #[inline]
    pub fn of_processor() -> Compression {
        Compression(Instructions::detect())
    }

    /// The way of every processor: one state after the other.
    #[cfg(test)]
    pub const PORTABLE: Compression = Compression(None);

    /// Whether it takes the processor's instructions.
    #[cfg(test)]
    pub fn has_instructions(self) -> bool {
        self.0.is_some()
    }

    /// Compresses blocks into the state at the same place. All places have as many blocks.
    #[inline]
    pub fn compress<const W: usize>(self, states: [&mut State; W], blocks: [&[Block]; W]) {
        match self.0 {
            Some(instructions) => instructions.compress(states, blocks),
            None => {
                for (state, blocks) in states.into_iter().zip(blocks) {
                    for block in blocks {
                        let block: &GenericArray<u8, _> = block.into();
                        compress256(state, core::slice::from_ref(block));
                    }
                }
            }
        }
    }
}
