//! The compression function in the SHA extensions of x86-64 (SHA-NI).

use core::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_blend_epi16, _mm_loadu_si128, _mm_set_epi32,
    _mm_set_epi64x, _mm_setzero_si128, _mm_sha256msg1_epu32, _mm_sha256msg2_epu32,
    _mm_sha256rnds2_epu32, _mm_shuffle_epi8, _mm_shuffle_epi32, _mm_storeu_si128,
};

use crate::blocks::Block;
use crate::compression::State;
use crate::constants::ROUNDS;

cpufeatures::new!(sha_extensions, "sha", "sse2", "ssse3", "sse4.1");

/// The SHA extensions of this processor; without them there is no such value.
#[derive(Clone, Copy)]
pub struct Instructions(());

impl Instructions {
    /// The extensions, if the processor has them.
    #[inline]
    pub fn detect() -> Option<Instructions> {
        sha_extensions::get().then_some(Instructions(()))
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
    ($abef:ident, $cdgh:ident, $words:ident, $($group:literal)*) => {$(
        for lane in 0..W {
            let words = &mut $words[lane];
            if $group >= 4 {
                words[$group % 4] = schedule(
                    words[$group % 4],
                    words[($group + 1) % 4],
                    words[($group + 2) % 4],
                    words[($group + 3) % 4],
                );
            }
            let [a, b, c, d] = ROUNDS[$group].map(u32::cast_signed);
            let sum = _mm_add_epi32(words[$group % 4], _mm_set_epi32(d, c, b, a));
            $cdgh[lane] = _mm_sha256rnds2_epu32($cdgh[lane], $abef[lane], sum);
            let sum = _mm_shuffle_epi32(sum, 0x0E);
            $abef[lane] = _mm_sha256rnds2_epu32($abef[lane], $cdgh[lane], sum);
        }
    )*};
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
#[allow(
    clippy::indexing_slicing,
    reason = "a lane is below the length of all arrays, and the compiler sees it"
)]
fn compress<const W: usize>(states: [&mut State; W], blocks: [&[Block]; W]) {
    let mut abef = [_mm_setzero_si128(); W];
    let mut cdgh = abef;
    for lane in 0..W {
        (abef[lane], cdgh[lane]) = load_state(states[lane]);
    }
    let counts = blocks.iter().map(|blocks| blocks.len());
    for number in 0..counts.min().unwrap_or(0) {
        let (old_abef, old_cdgh) = (abef, cdgh);
        let mut words = [[_mm_setzero_si128(); 4]; W];
        for lane in 0..W {
            if let Some(block) = blocks[lane].get(number) {
                words[lane] = load_words(block);
            }
        }
        rounds!(abef, cdgh, words, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        for lane in 0..W {
            abef[lane] = _mm_add_epi32(abef[lane], old_abef[lane]);
            cdgh[lane] = _mm_add_epi32(cdgh[lane], old_cdgh[lane]);
        }
    }
    for (lane, state) in states.into_iter().enumerate() {
        store_state(state, abef[lane], cdgh[lane]);
    }
}

/// The four message words that follow those of four groups.
#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn schedule(first: __m128i, second: __m128i, third: __m128i, fourth: __m128i) -> __m128i {
    let sum = _mm_add_epi32(
        _mm_sha256msg1_epu32(first, second),
        _mm_alignr_epi8(fourth, third, 4),
    );
    _mm_sha256msg2_epu32(sum, fourth)
}

/// The words of a block, which has them in big-endian order.
#[inline]
#[target_feature(enable = "sse2,ssse3")]
#[allow(unsafe_code)]
fn load_words(block: &Block) -> [__m128i; 4] {
    let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let first = block.as_ptr().cast::<__m128i>();
    [0, 1, 2, 3].map(|quarter| {
        // SAFETY: a block has four times 16 bytes, and this load needs no alignment.
        let words = unsafe { _mm_loadu_si128(first.add(quarter)) };
        _mm_shuffle_epi8(words, order)
    })
}

/// The state in the order in which the instructions take it: ABEF and CDGH.
#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
#[allow(unsafe_code)]
fn load_state(state: &State) -> (__m128i, __m128i) {
    let first = state.as_ptr().cast::<__m128i>();
    // SAFETY: a state has two times 16 bytes, and these loads need no alignment.
    let (dcba, hgfe) = unsafe { (_mm_loadu_si128(first), _mm_loadu_si128(first.add(1))) };
    let cdab = _mm_shuffle_epi32(dcba, 0xB1);
    let efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    (
        _mm_alignr_epi8(cdab, efgh, 8),
        _mm_blend_epi16(efgh, cdab, 0xF0),
    )
}

#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
#[allow(unsafe_code)]
fn store_state(state: &mut State, abef: __m128i, cdgh: __m128i) {
    let feba = _mm_shuffle_epi32(abef, 0x1B);
    let dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    let first = state.as_mut_ptr().cast::<__m128i>();
    // SAFETY: a state has two times 16 bytes, and these stores need no alignment.
    unsafe {
        _mm_storeu_si128(first, _mm_blend_epi16(feba, dchg, 0xF0));
        _mm_storeu_si128(first.add(1), _mm_alignr_epi8(dchg, feba, 8));
    }
}
