//! SHA-256, tagged commitments, the closed set of evidence tags and the chain step.
//!
//! formats.md §1; SRS-001's commitment scheme as SRS-004 uses it. Determinism: D1.

#![forbid(unsafe_code)]

use sha2::{Digest, Sha256};

use crate::sink::Sink;

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// A digest as 64 lower-case hexadecimal digits.
pub type HexHash = [u8; 64];

/// The chain value of a ledger that holds the golden genesis record only (formats.md §1).
pub const GOLDEN_GENESIS: Hash = [
    0x7b, 0xb0, 0xd7, 0x91, 0x69, 0x73, 0x06, 0xce, 0x2f, 0x1c, 0xc5, 0xdf, 0x0b, 0xcd, 0xf6, 0x6d,
    0x81, 0x0d, 0x6a, 0xf9, 0x42, 0x5a, 0xa3, 0x80, 0xb3, 0x52, 0xa6, 0x24, 0x53, 0xa5, 0xec, 0x7b,
];

/// What the message of each chain value begins with.
pub(crate) const CHAIN_PREFIX: &[u8] = b"AX:LEDGER:v1";

/// The evidence tags. The set is closed: no other tag ever reaches a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// `AX:OBS:v1`: what an oracle answered.
    Obs,
    /// `AX:POLICY:v1`: what one policy said of it.
    Policy,
    /// `AX:TRANS:v1`: what the agent did then.
    Trans,
    /// `AX:STATE:v1`: the genesis.
    State,
    /// `AX:PROOF:v1`: a seal.
    Proof,
}

impl Tag {
    /// Every tag.
    pub const ALL: [Tag; 5] = [Tag::Obs, Tag::Policy, Tag::Trans, Tag::State, Tag::Proof];

    /// The tag's text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Tag::Obs => "AX:OBS:v1",
            Tag::Policy => "AX:POLICY:v1",
            Tag::Trans => "AX:TRANS:v1",
            Tag::State => "AX:STATE:v1",
            Tag::Proof => "AX:PROOF:v1",
        }
    }

    /// The tag whose text is exactly `text`, if there is one.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Tag> {
        Tag::ALL
            .into_iter()
            .find(|tag| tag.as_str().as_bytes() == text)
    }
}

/// An incremental SHA-256.
#[derive(Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// An empty hash.
    #[must_use]
    pub fn new() -> Hasher {
        Hasher(Sha256::new())
    }

    /// A commitment to a payload of `len` bytes, which follow through [`Hasher::update`].
    #[must_use]
    pub fn commitment(tag: &[u8], len: u64) -> Hasher {
        let mut hasher = Hasher::new();
        hasher.update(tag);
        hasher.update(&len.to_le_bytes());
        hasher
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything added.
    #[must_use]
    pub fn finish(self) -> Hash {
        self.0.finalize().into()
    }
}

impl Sink for Hasher {
    fn put(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// `sha256(bytes)`.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finish()
}

/// `sha256(tag ‖ LE64(len(payload)) ‖ payload)`, for any tag.
#[must_use]
pub fn commit(tag: &[u8], payload: &[u8]) -> Hash {
    // A slice never holds more than u64::MAX bytes.
    let mut hasher = Hasher::commitment(tag, payload.len() as u64);
    hasher.update(payload);
    hasher.finish()
}

/// The chain value after `commit`, `previous` being the one before (`None` for the genesis).
#[must_use]
pub fn chain(previous: Option<&Hash>, commit: &Hash) -> Hash {
    let mut hasher = Hasher::new();
    hasher.update(CHAIN_PREFIX);
    if let Some(previous) = previous {
        hasher.update(previous);
    }
    hasher.update(commit);
    hasher.finish()
}

/// The 64 lower-case hexadecimal digits of `hash`.
#[must_use]
pub fn hex(hash: &Hash) -> HexHash {
    let mut out = [0u8; 64];
    for (pair, &byte) in out.as_chunks_mut::<2>().0.iter_mut().zip(hash) {
        *pair = hex_pair(byte);
    }
    out
}

/// The two lower-case hexadecimal digits of `byte`.
#[must_use]
pub fn hex_pair(byte: u8) -> [u8; 2] {
    [hex_digit(byte >> 4), hex_digit(byte & 15)]
}

fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 {
        b'0'.wrapping_add(nibble)
    } else {
        b'a'.wrapping_add(nibble.wrapping_sub(10))
    }
}

/// Reads 64 lower-case hexadecimal digits; anything else is `None`.
#[must_use]
pub fn unhex(digits: &HexHash) -> Option<Hash> {
    // Without branches, so that it is done in vector code: every record has several digests.
    let valid = |digit: u8| digit.is_ascii_digit() | (b'a'..=b'f').contains(&digit);
    let all = digits.iter().fold(true, |all, &digit| all & valid(digit));
    let value = |digit: u8| (digit & 15).wrapping_add((digit >> 6).wrapping_mul(9));
    let mut out = [0u8; 32];
    for (byte, &[high, low]) in out.iter_mut().zip(digits.as_chunks::<2>().0) {
        *byte = value(high) << 4 | value(low);
    }
    all.then_some(out)
}

/// Whether two equally long byte strings are equal, in time that depends on the length alone.
#[must_use]
pub fn equal_ct(a: &[u8], b: &[u8]) -> bool {
    let difference = a.iter().zip(b).fold(0u8, |acc, (x, y)| acc | (x ^ y));
    // Keeps the compiler from turning the fold into an early exit.
    a.len() == b.len() && core::hint::black_box(difference) == 0
}
