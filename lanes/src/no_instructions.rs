//! What stands for the instructions of a processor that has none for SHA-256, or none that this crate knows.

use crate::blocks::Block;
use crate::compression::State;

/// Instructions that there are not.
#[derive(Clone, Copy)]
pub enum Instructions {}

impl Instructions {
    /// Nothing.
    #[inline]
    pub fn detect() -> Option<Instructions> {
        None
    }

    /// Compresses blocks into the state at the same place.
    #[inline]
    pub fn compress<const W: usize>(self, _: [&mut State; W], _: [&[Block]; W]) {
        match self {}
    }
}
