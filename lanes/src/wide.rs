//! Sixteen messages at a time in the vector instructions of AVX-512: each holds one word of sixteen states.

use core::arch::x86_64::{
    __m512i, _mm_set_epi64x, _mm512_add_epi32, _mm512_broadcast_i32x4, _mm512_loadu_si512,
    _mm512_ror_epi32, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_shuffle_epi8,
    _mm512_shuffle_i32x4, _mm512_srli_epi32, _mm512_storeu_si512, _mm512_ternarylogic_epi32,
    _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
};

use crate::blocks::Block;
use crate::compression::State;
use crate::constants::ROUNDS;

cpufeatures::new!(avx512, "avx512f", "avx512bw");

/// The number of states in a vector.
pub const WIDTH: usize = 16;

/// The block of a lane that has none.
const NO_BLOCK: &Block = &[0; 64];

/// The vector instructions of this processor; without them there is no such value.
#[derive(Clone, Copy)]
pub struct WideInstructions(());

impl WideInstructions {
    /// The instructions, if the processor has them.
    #[inline]
    pub fn detect() -> Option<WideInstructions> {
        avx512::get().then_some(WideInstructions(()))
    }

    /// Compresses the first `count` blocks of each lane into its state. The state of a lane that has fewer is of no
    /// meaning afterwards.
    #[inline]
    #[allow(unsafe_code)]
    pub fn compress(self, states: &mut WideStates, blocks: &[&[Block]; WIDTH], count: usize) {
        // SAFETY: there is a `self`, so the processor has the instructions.
        unsafe { compress(states, blocks, count) }
    }
}

/// The states of all lanes, word by word.
pub struct WideStates([[u32; WIDTH]; 8]);

impl WideStates {
    /// States of no meaning.
    pub const NONE: WideStates = WideStates([[0; WIDTH]; 8]);

    /// The state of a lane.
    #[inline]
    pub fn get(&self, lane: usize) -> State {
        self.0
            .each_ref()
            .map(|words| words.get(lane).copied().unwrap_or_default())
    }

    /// Sets the state of a lane.
    #[inline]
    pub fn set(&mut self, lane: usize, state: State) {
        for (words, word) in self.0.iter_mut().zip(state) {
            if let Some(place) = words.get_mut(lane) {
                *place = word;
            }
        }
    }
}

/// One round. The caller names the words of the state in another order each time, so that none has to move.
macro_rules! round {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $word:expr, $constant:expr) => {
        let sum1 = xor3(
            _mm512_ror_epi32($e, 6),
            _mm512_ror_epi32($e, 11),
            _mm512_ror_epi32($e, 25),
        );
        let choice = _mm512_ternarylogic_epi32($e, $f, $g, 0xCA);
        let input = _mm512_add_epi32($word, _mm512_set1_epi32($constant.cast_signed()));
        let first = _mm512_add_epi32(_mm512_add_epi32($h, input), _mm512_add_epi32(sum1, choice));
        let sum0 = xor3(
            _mm512_ror_epi32($a, 2),
            _mm512_ror_epi32($a, 13),
            _mm512_ror_epi32($a, 22),
        );
        let majority = _mm512_ternarylogic_epi32($a, $b, $c, 0xE8);
        $d = _mm512_add_epi32($d, first);
        $h = _mm512_add_epi32(first, _mm512_add_epi32(sum0, majority));
    };
}

/// Eight rounds, after which the words of the state have their names again. `$at` is the first one's place in `words`.
macro_rules! eight_rounds {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $words:ident, $at:literal, $constants:expr) => {
        let [k0, k1, k2, k3] = $constants[$at / 4];
        let [k4, k5, k6, k7] = $constants[$at / 4 + 1];
        round!($a $b $c $d $e $f $g $h, $words[$at], k0);
        round!($h $a $b $c $d $e $f $g, $words[$at + 1], k1);
        round!($g $h $a $b $c $d $e $f, $words[$at + 2], k2);
        round!($f $g $h $a $b $c $d $e, $words[$at + 3], k3);
        round!($e $f $g $h $a $b $c $d, $words[$at + 4], k4);
        round!($d $e $f $g $h $a $b $c, $words[$at + 5], k5);
        round!($c $d $e $f $g $h $a $b, $words[$at + 6], k6);
        round!($b $c $d $e $f $g $h $a, $words[$at + 7], k7);
    };
}

/// The next sixteen message words, in the places of those sixteen rounds before.
macro_rules! schedule {
    ($words:ident, $($at:literal)*) => {$(
        $words[$at] = _mm512_add_epi32(
            _mm512_add_epi32($words[$at], small_sum0($words[($at + 1) % 16])),
            _mm512_add_epi32($words[($at + 9) % 16], small_sum1($words[($at + 14) % 16])),
        );
    )*};
}

#[target_feature(enable = "avx512f,avx512bw")]
fn compress(states: &mut WideStates, blocks: &[&[Block]; WIDTH], count: usize) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = load_states(states);
    let (groups, _) = ROUNDS.as_chunks::<4>();
    for number in 0..count {
        let before = [a, b, c, d, e, f, g, h];
        let mut words =
            transpose(blocks.map(|blocks| load_block(blocks.get(number).unwrap_or(NO_BLOCK))));
        for (group, constants) in groups.iter().enumerate() {
            if group > 0 {
                schedule!(words, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            }
            eight_rounds!(a b c d e f g h, words, 0, constants);
            eight_rounds!(a b c d e f g h, words, 8, constants);
        }
        let [a0, b0, c0, d0, e0, f0, g0, h0] = before;
        a = _mm512_add_epi32(a, a0);
        b = _mm512_add_epi32(b, b0);
        c = _mm512_add_epi32(c, c0);
        d = _mm512_add_epi32(d, d0);
        e = _mm512_add_epi32(e, e0);
        f = _mm512_add_epi32(f, f0);
        g = _mm512_add_epi32(g, g0);
        h = _mm512_add_epi32(h, h0);
    }
    store_states(states, [a, b, c, d, e, f, g, h]);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(first: __m512i, second: __m512i, third: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32(first, second, third, 0x96)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn small_sum0(word: __m512i) -> __m512i {
    xor3(
        _mm512_ror_epi32(word, 7),
        _mm512_ror_epi32(word, 18),
        _mm512_srli_epi32(word, 3),
    )
}

#[inline]
#[target_feature(enable = "avx512f")]
fn small_sum1(word: __m512i) -> __m512i {
    xor3(
        _mm512_ror_epi32(word, 17),
        _mm512_ror_epi32(word, 19),
        _mm512_srli_epi32(word, 10),
    )
}

/// The words of a block, which has them in big-endian order.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
#[allow(unsafe_code)]
fn load_block(block: &Block) -> __m512i {
    let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    // SAFETY: a block has the 64 bytes of the load, which needs no alignment.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(order))
}

/// Makes of sixteen blocks, each with sixteen words, sixteen vectors, each with the same word of all blocks.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose(rows: [__m512i; 16]) -> [__m512i; 16] {
    // Of four blocks each: vector `j` has in its quarter `q` the word `4q + j` of the four.
    let mut fours = [[_mm512_setzero_si512(); 4]; 4];
    for (four, rows) in fours.iter_mut().zip(rows.as_chunks::<4>().0) {
        let [first, second, third, fourth] = *rows;
        let low = _mm512_unpacklo_epi32(first, second);
        let high = _mm512_unpackhi_epi32(first, second);
        let other_low = _mm512_unpacklo_epi32(third, fourth);
        let other_high = _mm512_unpackhi_epi32(third, fourth);
        *four = [
            _mm512_unpacklo_epi64(low, other_low),
            _mm512_unpackhi_epi64(low, other_low),
            _mm512_unpacklo_epi64(high, other_high),
            _mm512_unpackhi_epi64(high, other_high),
        ];
    }
    let [
        [a0, a1, a2, a3],
        [b0, b1, b2, b3],
        [c0, c1, c2, c3],
        [d0, d1, d2, d3],
    ] = fours;
    let [w0, w4, w8, w12] = transpose_quarters(a0, b0, c0, d0);
    let [w1, w5, w9, w13] = transpose_quarters(a1, b1, c1, d1);
    let [w2, w6, w10, w14] = transpose_quarters(a2, b2, c2, d2);
    let [w3, w7, w11, w15] = transpose_quarters(a3, b3, c3, d3);
    [
        w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15,
    ]
}

/// Vectors of the first quarters, of the second, of the third and of the fourth.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose_quarters(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [__m512i; 4] {
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    let even = _mm512_shuffle_i32x4(a, b, EVEN);
    let odd = _mm512_shuffle_i32x4(a, b, ODD);
    let other_even = _mm512_shuffle_i32x4(c, d, EVEN);
    let other_odd = _mm512_shuffle_i32x4(c, d, ODD);
    [
        _mm512_shuffle_i32x4(even, other_even, EVEN),
        _mm512_shuffle_i32x4(odd, other_odd, EVEN),
        _mm512_shuffle_i32x4(even, other_even, ODD),
        _mm512_shuffle_i32x4(odd, other_odd, ODD),
    ]
}

#[inline]
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
fn load_states(states: &WideStates) -> [__m512i; 8] {
    states.0.each_ref().map(|words| {
        // SAFETY: the load takes sixteen words, and needs no alignment.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
fn store_states(states: &mut WideStates, vectors: [__m512i; 8]) {
    for (words, vector) in states.0.iter_mut().zip(vectors) {
        // SAFETY: the store writes sixteen words, and needs no alignment.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
    }
}
