//! SHA-256 of several messages side by side.
//!
//! Of two SHA instructions of one message, the second needs the result of the first, and the processor waits. With
//! several messages it goes on with another one meanwhile. [`digest_each`] and [`digest_into`] let up to three messages
//! take turns; [`digest_many`] lays sixteen side by side in the vectors of AVX-512, where the processor has them:
//!
//!     let [first, second] = axilog_lanes::digest_each([&[b"one"], &[b"an", b"other"]]);
//!     assert_ne!(first, second);
//!
//! The digests are those of `sha2`, whatever the processor. It is asked at run time for its instructions: SHA-NI and
//! AVX-512 on x86-64, SHA2 on aarch64. Where it has none, `sha2` takes the messages one after the other. The crate is
//! `no_std`, does not allocate and cannot panic.

#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod blocks;
mod compression;
mod constants;
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(
    all(target_arch = "aarch64", target_endian = "little"),
    path = "aarch64.rs"
)]
#[cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    )),
    path = "no_instructions.rs"
)]
mod instructions;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod wide_lanes;

#[cfg(test)]
mod tests;

use compression::Compression;
use lanes::{Lane, fill_digests};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// A message in parts: its bytes are those of all parts, one after the other.
pub type Message<'a> = &'a [&'a [u8]];

/// The SHA-256 digest of each message, in the order of the messages.
#[must_use]
pub fn digest_each<const N: usize>(messages: [Message<'_>; N]) -> [Digest; N] {
    let mut digests = [[0; 32]; N];
    digest_into(messages.into_iter().zip(&mut digests));
    digests
}

/// Puts the SHA-256 digest of each message into the place beside it. For a few messages.
pub fn digest_into<'m, 'd>(messages: impl IntoIterator<Item = (Message<'m>, &'d mut Digest)>) {
    let mut waiting = messages
        .into_iter()
        .map(|(message, digest)| Lane::begin(message, digest));
    fill_digests(Compression::of_processor(), || waiting.next());
}

/// Puts the SHA-256 digest of each message into the place beside it. For a dozen messages and more.
pub fn digest_many<'m, 'd>(messages: impl IntoIterator<Item = (Message<'m>, &'d mut Digest)>) {
    let mut waiting = messages
        .into_iter()
        .map(|(message, digest)| Lane::begin(message, digest));
    #[cfg(target_arch = "x86_64")]
    if let Some(instructions) = wide::WideInstructions::detect() {
        let begun = wide_lanes::fill_digests(instructions, || waiting.next());
        let mut begun = begun.into_iter().flatten();
        return fill_digests(Compression::of_processor(), || begun.next());
    }
    fill_digests(Compression::of_processor(), || waiting.next());
}
