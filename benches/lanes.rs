//! Several digests side by side, beside the same ones by `sha2` one after the other.

mod support;

use std::hint::black_box;

use axilog_lanes::{digest_each, digest_many};
use sha2::{Digest, Sha256};
use support::ratio;

/// Compares `N` digests of messages of `length` bytes.
fn measure<const N: usize>(length: usize) {
    let texts: [Vec<u8>; N] = std::array::from_fn(|number| vec![number as u8; length]);
    let parts = texts.each_ref().map(|text| [text.as_slice()]);
    ratio(
        &format!("{N} digests of {length} bytes / sha2, one after the other"),
        "",
        || {
            black_box(digest_each(parts.each_ref().map(|parts| parts.as_slice())));
        },
        || {
            for text in &texts {
                black_box(Sha256::digest(text));
            }
        },
    );
}

/// Compares the digests of `count` messages of `length` bytes.
fn measure_many(count: usize, length: usize) {
    let texts: Vec<Vec<u8>> = (0..count)
        .map(|number| vec![number as u8; length])
        .collect();
    let parts: Vec<[&[u8]; 1]> = texts.iter().map(|text| [text.as_slice()]).collect();
    let mut digests = vec![[0; 32]; count];
    ratio(
        &format!("{count} digests of {length} bytes / sha2, one after the other"),
        "",
        || {
            digest_many(parts.iter().map(|parts| parts.as_slice()).zip(&mut digests));
            black_box(&digests);
        },
        || {
            for text in &texts {
                black_box(Sha256::digest(text));
            }
        },
    );
}

fn main() {
    for length in [40, 130, 450, 16 * 1024] {
        measure::<1>(length);
        measure::<2>(length);
        measure::<3>(length);
        measure_many(16, length);
        measure_many(128, length);
    }
}
