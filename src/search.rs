//! Searching for the first byte of a kind, in vector code where there is any. Determinism: D1.
//!
//! Canonical text is mostly plain: writer and readers live off skipping what needs no look.

#![forbid(unsafe_code)]

/// Bytes searched in small blocks before large ones: most stretches are short, and then a large
/// block is looked at in vain.
const NEAR: usize = 64;

/// Whether blocks are worth their code: bare processors have no vector unit as a rule.
const IN_BLOCKS: bool = !cfg!(target_os = "none");

/// The number of bytes at the front of `bytes` that do not stop the search.
///
/// `stops` is evaluated for whole blocks without a branch, which the compiler turns into vector
/// code; so it should be made of comparisons joined by `|`.
#[inline]
pub(crate) fn run(bytes: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    let mut length = 0usize;
    if IN_BLOCKS {
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
}
