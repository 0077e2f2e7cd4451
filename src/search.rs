//! Searching for the first byte of a kind, in vector code where there is any. Determinism: D1.
//!
//! Canonical text is mostly plain: writer and readers live off skipping what needs no look.

#![forbid(unsafe_code)]

/// Bytes searched in small blocks before large ones: most stretches are short, and then a large
/// block is looked at in vain.
const NEAR: usize = 64;

/// Whether the processor is a bare one, which has little memory for code, and no vector unit as a rule. What only
/// makes a search faster is then not worth its code.
pub(crate) const IS_SMALL: bool = cfg!(target_os = "none");

/// The number of bytes at the front of `bytes` that do not stop the search.
///
/// `stops` is evaluated for whole blocks without a branch, which the compiler turns into vector
/// code; so it should be made of comparisons joined by `|`.
#[inline]
pub(crate) fn run(bytes: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let mut length = 0usize;
    if !IS_SMALL {
        let near = bytes.get(..NEAR).unwrap_or(bytes);
        length = free_blocks::<16>(near, &stops);
        if length == NEAR {
            length = length.wrapping_add(free_blocks::<128>(rest(bytes, length), &stops));
            length = length.wrapping_add(free_blocks::<16>(rest(bytes, length), &stops));
        }
    }
    let tail = rest(bytes, length);
    length.wrapping_add(
        tail.iter()
            .position(|&byte| stops(byte))
            .unwrap_or(tail.len()),
    )
}

#[inline]
fn rest(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}

/// The number of bytes in the blocks of `N` at the front of `bytes` that do not stop the search.
#[inline]
fn free_blocks<const N: usize>(bytes: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let free = |block: &&[u8; N]| {
        block
            .iter()
            .fold(0u8, |any, &byte| any | u8::from(stops(byte)))
            == 0
    };
    let blocks = bytes.as_chunks::<N>().0.iter().take_while(free).count();
    blocks.saturating_mul(N)
}

/// The top bit of each byte of a word.
const TOP: u64 = 0x8080_8080_8080_8080;

/// `byte` in each byte of a word.
#[inline]
const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The top bit of each byte of `word` that is at least `least`, which is below 0x80 and above 0.
#[inline]
pub(crate) const fn bytes_from(word: u64, least: u8) -> u64 {
    // No sum reaches the next byte, since both summands are below 0x80.
    ((word & !TOP).wrapping_add(repeat(0x80u8.wrapping_sub(least))) | word) & TOP
}

/// The top bit of each byte of `word` that is `byte`.
#[inline]
pub(crate) const fn bytes_equal(word: u64, byte: u8) -> u64 {
    !bytes_from(word ^ repeat(byte), 1) & TOP
}

/// The number of bytes of a word before the first whose top bit is set; 8 where none is.
#[inline]
pub(crate) const fn bytes_before(top_bits: u64) -> usize {
    // The bit above the last byte, which needs no look at whether there is another.
    match top_bits & TOP {
        0 => 8,
        bits => bits.trailing_zeros() as usize / 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_finds_the_first_stop_at_every_distance() {
        let mut bytes = [b'a'; 1100];
        for at in 0..bytes.len() {
            bytes[at] = b'\\';
            bytes[1099] = b'\\';
            assert_eq!(run(&bytes, |byte| byte == b'\\'), at);
            bytes[at] = b'a';
            assert_eq!(run(&bytes[..at], |byte| byte == b'\\'), at);
        }
    }

    #[test]
    fn words_are_searched_byte_by_byte() {
        let mut word = [0u8; 8];
        for byte in 0..=255u8 {
            for other in [0, byte.wrapping_sub(1), byte.wrapping_add(1), 0x7f, 0xff] {
                for at in 0..8 {
                    word.fill(other);
                    word[at] = byte;
                    let bits = |test: &dyn Fn(u8) -> bool| {
                        word.map(|byte| if test(byte) { 0x80 } else { 0 })
                    };
                    let value = u64::from_le_bytes(word);
                    for least in [1, 10, 0x21, 0x7f] {
                        let expected = bits(&|byte| byte >= least);
                        assert_eq!(bytes_from(value, least).to_le_bytes(), expected);
                    }
                    let expected = bits(&|found| found == byte);
                    assert_eq!(bytes_equal(value, byte).to_le_bytes(), expected);
                    let first = word.iter().position(|found| *found == byte);
                    assert_eq!(Some(bytes_before(bytes_equal(value, byte))), first);
                }
            }
        }
        assert_eq!(bytes_before(0), 8);
    }
}
