//! The compression function in the SHA2 instructions of aarch64.

use core::arch::aarch64::{
    uint32x4_t, vaddq_u32, vdupq_n_u32, vld1q_u8, vld1q_u32, vreinterpretq_u32_u8, vrev32q_u8,
    vsha256h2q_u32, vsha256hq_u32, vsha256su0q_u32, vsha256su1q_u32, vst1q_u32,
};

use crate::blocks::Block;
use crate::compression::State;
use crate::constants::ROUNDS;

cpufeatures::new!(sha2_instructions, "sha2");

/// The SHA2 instructions of this processor; without them there is no such value.
#[derive(Clone, Copy)]
pub struct Instructions(());

impl Instructions {
    /// The instructions, if the processor has them.
    #[inline]
    pub fn detect() -> Option<Instructions> {
        sha2_instructions::get().then_some(Instructions(()))
    }

    /// Compresses blocks into the state at the same place. All places have as many blocks.
    #[inline]
    #[allow(unsafe_code)]
    pub fn compress<const W: usize>(self, states: [&mut State; W], blocks: [&[Block]; W]) {
        // SAFETY: there is a `self`, so the processor has the instructions.
        unsafe { compress(states, blocks) }
    }
}

/// Four rounds for each group, of all lanes in turn. From the fifth group on, the message words are made of those of the
/// four groups before.
macro_rules! rounds {
    ($abcd:ident, $efgh:ident, $words:ident, $($group:literal)*) => {$(
        let constants = load_four(&ROUNDS[$group]);
        for lane in 0..W {
            let words = &mut $words[lane];
            if $group >= 4 {
                words[$group % 4] = vsha256su1q_u32(
                    vsha256su0q_u32(words[$group % 4], words[($group + 1) % 4]),
                    words[($group + 2) % 4],
                    words[($group + 3) % 4],
                );
            }
            let sum = vaddq_u32(words[$group % 4], constants);
            let abcd = $abcd[lane];
            $abcd[lane] = vsha256hq_u32(abcd, $efgh[lane], sum);
            $efgh[lane] = vsha256h2q_u32($efgh[lane], abcd, sum);
        }
    )*};
}

#[target_feature(enable = "neon,sha2")]
#[allow(
    clippy::indexing_slicing,
    reason = "a lane is below the length of all arrays, and the compiler sees it"
)]
fn compress<const W: usize>(states: [&mut State; W], blocks: [&[Block]; W]) {
    let mut abcd = [vdupq_n_u32(0); W];
    let mut efgh = abcd;
    for lane in 0..W {
        (abcd[lane], efgh[lane]) = load_state(states[lane]);
    }
    let counts = blocks.iter().map(|blocks| blocks.len());
    for number in 0..counts.min().unwrap_or(0) {
        let (old_abcd, old_efgh) = (abcd, efgh);
        let mut words = [[vdupq_n_u32(0); 4]; W];
        for lane in 0..W {
            if let Some(block) = blocks[lane].get(number) {
                words[lane] = load_words(block);
            }
        }
        rounds!(abcd, efgh, words, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for lane in 0..W {
            abcd[lane] = vaddq_u32(abcd[lane], old_abcd[lane]);
            efgh[lane] = vaddq_u32(efgh[lane], old_efgh[lane]);
        }
    }
    for (lane, state) in states.into_iter().enumerate() {
        store_state(state, abcd[lane], efgh[lane]);
    }
}

#[inline]
#[target_feature(enable = "neon")]
#[allow(unsafe_code)]
fn load_four(words: &[u32; 4]) -> uint32x4_t {
    // SAFETY: the load takes four words.
    unsafe { vld1q_u32(words.as_ptr()) }
}

/// The words of a block, which has them in big-endian order.
#[inline]
#[target_feature(enable = "neon")]
#[allow(unsafe_code)]
fn load_words(block: &Block) -> [uint32x4_t; 4] {
    let first = block.as_ptr();
    [0, 16, 32, 48].map(|offset| {
        // SAFETY: a block has four times 16 bytes.
        let bytes = unsafe { vld1q_u8(first.add(offset)) };
        vreinterpretq_u32_u8(vrev32q_u8(bytes))
    })
}

/// The halves of the state: ABCD and EFGH.
#[inline]
#[target_feature(enable = "neon")]
#[allow(unsafe_code)]
fn load_state(state: &State) -> (uint32x4_t, uint32x4_t) {
    let first = state.as_ptr();
    // SAFETY: a state has two times four words.
    unsafe { (vld1q_u32(first), vld1q_u32(first.add(4))) }
}

#[inline]
#[target_feature(enable = "neon")]
#[allow(unsafe_code)]
fn store_state(state: &mut State, abcd: uint32x4_t, efgh: uint32x4_t) {
    let first = state.as_mut_ptr();
    // SAFETY: a state has two times four words.
    unsafe {
        vst1q_u32(first, abcd);
        vst1q_u32(first.add(4), efgh);
    }
}
