//! The digests beside published ones and beside those of `sha2`, with the processor's instructions and without.

extern crate std;

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use std::string::String;
use std::vec::Vec;
use std::{format, vec};

use crate::compression::Compression;
use crate::lanes::{Lane, fill_digests};
#[cfg(target_arch = "x86_64")]
use crate::wide::WideInstructions;
use crate::{Digest, Message, digest_each, digest_many};

/// The ways to compress that this processor has. They are the same one where it has no instructions.
fn ways() -> [Compression; 2] {
    [Compression::of_processor(), Compression::PORTABLE]
}

/// The digests of messages, compressed in one way.
fn digests_in(way: Compression, messages: &[Message<'_>]) -> Vec<Digest> {
    let mut digests = vec![[0; 32]; messages.len()];
    let mut lanes = messages
        .iter()
        .copied()
        .zip(&mut digests)
        .map(|(message, digest)| Lane::begin(message, digest));
    fill_digests(way, || lanes.next());
    digests
}

/// The digests of messages, each in one part.
fn digests_of(way: Compression, texts: &[&[u8]]) -> Vec<Digest> {
    let messages: Vec<Message<'_>> = texts.iter().map(core::slice::from_ref).collect();
    digests_in(way, &messages)
}

/// The digests of many messages.
fn many_digests_of(messages: &[Message<'_>]) -> Vec<Digest> {
    let mut digests = vec![[0; 32]; messages.len()];
    digest_many(messages.iter().copied().zip(&mut digests));
    digests
}

fn expected_of(text: &[u8]) -> Digest {
    Sha256::digest(text).into()
}

fn hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes of which no two blocks are alike.
fn bytes(length: usize, seed: usize) -> Vec<u8> {
    (0..length)
        .map(|at| (at * 131 + at / 64 * 7 + seed * 17) as u8)
        .collect()
}

/// The lengths at which the padding changes its form, and their neighbours.
fn border_lengths() -> impl Iterator<Item = usize> + Clone {
    [0, 55, 56, 64, 119, 120, 128, 192, 1024]
        .into_iter()
        .flat_map(|border: usize| border.saturating_sub(1)..border + 2)
}

#[test]
fn the_instructions_are_found_where_std_finds_them() {
    #[cfg(target_arch = "x86_64")]
    {
        let has_sha = std::is_x86_feature_detected!("sha");
        assert_eq!(Compression::of_processor().has_instructions(), has_sha);
        let is_wide = std::is_x86_feature_detected!("avx512bw");
        assert_eq!(WideInstructions::detect().is_some(), is_wide);
    }
    #[cfg(target_arch = "aarch64")]
    {
        let has_sha2 = std::arch::is_aarch64_feature_detected!("sha2");
        assert_eq!(Compression::of_processor().has_instructions(), has_sha2);
    }
    assert!(!Compression::PORTABLE.has_instructions());
}

#[test]
fn the_published_digests() {
    let published: [(&[u8], &str); 5] = [
        (
            b"",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            b"abc",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
        ),
        (
            &[b'a'; 1_000_000],
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        ),
    ];
    // Miri takes minutes for the last.
    let count = if cfg!(miri) { 4 } else { 5 };
    let (texts, expected): (Vec<_>, Vec<_>) = published.into_iter().take(count).unzip();
    for way in ways() {
        let digests = digests_of(way, &texts);
        assert_eq!(digests.iter().map(hex).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn each_length_beside_each_other_at_the_borders_of_blocks() {
    for (number, first) in border_lengths().enumerate() {
        // Miri takes minutes for all.
        if cfg!(miri) && number % 5 != 0 {
            continue;
        }
        for second in border_lengths() {
            let texts = [bytes(first, 1), bytes(second, 2), bytes(first / 2, 3)];
            let texts = texts.each_ref().map(Vec::as_slice);
            let expected = texts.map(expected_of);
            for way in ways() {
                assert_eq!(digests_of(way, &texts), expected, "{first} and {second}");
                assert_eq!(digests_of(way, &texts[..2]), expected[..2]);
                assert_eq!(digests_of(way, &texts[..1]), expected[..1]);
            }
        }
    }
}

#[test]
fn every_length_up_to_five_blocks() {
    for length in 0..=320 {
        let texts = [0, 1, 2].map(|seed| bytes(length, seed));
        let texts = texts.each_ref().map(Vec::as_slice);
        for way in ways() {
            assert_eq!(digests_of(way, &texts), texts.map(expected_of), "{length}");
        }
    }
}

#[test]
fn a_message_in_many_places_of_memory() {
    let text = bytes(64 * 3 + 16, 5);
    for start in 0..16 {
        let moved = &text[start..start + 64 * 3];
        for way in ways() {
            assert_eq!(digests_of(way, &[moved, moved]), [expected_of(moved); 2]);
        }
    }
}

#[test]
fn empty_parts_add_nothing() {
    let [none, one, other, first] = digest_each([
        &[],
        &[b"", b"a", b"", b"bc", b""],
        &[b"", b""],
        &[b"", b"abc"],
    ]);
    assert_eq!((none, other), (expected_of(b""), none));
    assert_eq!((one, first), (expected_of(b"abc"), one));
    assert_eq!(digest_each([]), [[0; 32]; 0]);
}

#[test]
fn as_many_messages_as_there_are_lanes_and_more_and_fewer() {
    for count in 0..40 {
        // Equal lengths, lengths that grow by a byte, and lengths that shrink by more than a block.
        for length in [|_| 200, |number| 90 + number, |number| (40 - number) * 70] {
            let texts: Vec<Vec<u8>> = (0..count)
                .map(|number| bytes(length(number), number))
                .collect();
            let parts: Vec<[&[u8]; 1]> = texts.iter().map(|text| [text.as_slice()]).collect();
            let messages: Vec<Message<'_>> = parts.iter().map(|parts| &parts[..]).collect();
            let expected: Vec<Digest> = texts.iter().map(|text| expected_of(text)).collect();
            assert_eq!(many_digests_of(&messages), expected, "{count}");
            for way in ways() {
                assert_eq!(digests_in(way, &messages), expected, "{count}");
            }
        }
    }
}

/// A message and the places at which it is cut into parts.
fn message() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    let text = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(any::<u8>(), 0..3000),
    ];
    (text, prop::collection::vec(0..3000usize, 0..8))
}

proptest! {
    #[test]
    fn any_messages_in_any_parts(messages in prop::collection::vec(message(), 0..48)) {
        let mut all_parts: Vec<Vec<&[u8]>> = Vec::new();
        for (text, cuts) in &messages {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut % (text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            all_parts.push(cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect());
        }
        let parts: Vec<Message<'_>> = all_parts.iter().map(Vec::as_slice).collect();
        let expected: Vec<Digest> = messages.iter().map(|(text, _)| expected_of(text)).collect();
        for way in ways() {
            prop_assert_eq!(&digests_in(way, &parts), &expected);
        }
        prop_assert_eq!(&many_digests_of(&parts), &expected);
    }
}
