//! Lanes: each holds a message that is being hashed, and all of them advance together.

use core::array::from_fn;

use crate::blocks::BlockReader;
use crate::compression::{Compression, State};
use crate::constants::INITIAL;
use crate::{Digest, Message};

/// The number of lanes.
const LANES: usize = 3;

/// A message that is being hashed.
pub struct Lane<'m, 'd> {
    pub state: State,
    pub blocks: BlockReader<'m>,
    digest: &'d mut Digest,
}

impl<'m, 'd> Lane<'m, 'd> {
    /// A lane at the beginning of `message`, whose digest goes to `digest`.
    #[inline]
    pub fn begin(message: Message<'m>, digest: &'d mut Digest) -> Lane<'m, 'd> {
        Lane {
            state: INITIAL,
            blocks: BlockReader::new(message),
            digest,
        }
    }

    /// Writes the digest of the message, all of whose blocks are compressed.
    #[inline]
    pub fn finish(self) {
        for (bytes, word) in self.digest.as_chunks_mut().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
    }
}

/// Puts the digests of all messages that `begin` gives a lane for into their places.
pub fn fill_digests<'m, 'd>(
    compression: Compression,
    mut begin: impl FnMut() -> Option<Lane<'m, 'd>>,
) {
    let mut lanes: [Option<Lane<'_, '_>>; LANES] = from_fn(|_| begin());
    loop {
        let mut active = lanes.iter_mut().flatten();
        let count = match (active.next(), active.next(), active.next()) {
            (Some(a), Some(b), Some(c)) => advance(compression, [a, b, c]),
            (Some(a), Some(b), None) => advance(compression, [a, b]),
            (Some(a), ..) => advance(compression, [a]),
            (None, ..) => return,
        };
        for place in &mut lanes {
            if let Some(lane) = place.take_if(|lane| !lane.blocks.pass(count)) {
                lane.finish();
                *place = begin();
            }
        }
    }
}

/// Compresses as many blocks as each of the lanes has, and returns their number.
#[inline]
fn advance<const W: usize>(compression: Compression, lanes: [&mut Lane<'_, '_>; W]) -> usize {
    let counts = lanes.iter().map(|lane| lane.blocks.blocks().len());
    let count = counts.min().unwrap_or(0);
    let mut blocks = [[].as_slice(); W];
    let mut taken = blocks.iter_mut();
    let states = lanes.map(|lane| {
        if let Some(blocks) = taken.next() {
            *blocks = lane.blocks.blocks().get(..count).unwrap_or_default();
        }
        &mut lane.state
    });
    compression.compress(states, blocks);
    count
}
