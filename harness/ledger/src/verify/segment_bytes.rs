//! What was found of a segment as bytes, which travel between the processes of one program and version.
//!
//! Nobody keeps them: they begin with [`BEGINNING`], which changes with their form. Numbers are little-endian and of 64 bits.
//! Determinism: D1.

use axilog::hash::{hex_pair, sha256};
use axilog::replay::stretch::Stretch;

use super::deployed::{Departure, DeployedRecords};
use super::segment::{SegmentFacts, SegmentStretch, SegmentSubject};
use super::stretches::{NotedStretch, Notes, Places};
use crate::encoding::ByteBuffer;

/// What the bytes begin with: the name and the number of their form.
const BEGINNING: &[u8; 16] = b"axilog segment 1";

impl SegmentFacts {
    /// The facts as text: hexadecimal digits.
    #[must_use]
    pub fn to_text(&self) -> String {
        let pairs = self.to_bytes().into_iter().flat_map(hex_pair);
        pairs.map(char::from).collect()
    }

    /// Reads what [`SegmentFacts::to_text`] has written; `None` for any other text.
    #[must_use]
    pub fn from_text(text: &str) -> Option<SegmentFacts> {
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return None;
        };
        let bytes: Option<Vec<u8>> = pairs.iter().map(read_pair).collect();
        SegmentFacts::from_bytes(&bytes?)
    }

    /// The facts as bytes, which end with the SHA-256 of all before.
    fn to_bytes(&self) -> Vec<u8> {
        let SegmentFacts {
            begin,
            subject,
            stretches,
        } = self;
        let mut bytes = BEGINNING.to_vec();
        put(&mut bytes, *begin);
        put(&mut bytes, subject.telling);
        bytes.extend_from_slice(&subject.beginning);
        bytes.extend_from_slice(&subject.terms);
        for stretch in stretches {
            // What has no bytes is for the joining process to read.
            bytes.extend(write_stretch(stretch).unwrap_or_default());
        }
        let digest = sha256(&bytes);
        bytes.extend_from_slice(&digest);
        bytes
    }

    /// Reads what [`SegmentFacts::to_bytes`] has written; `None` for any other bytes.
    fn from_bytes(bytes: &[u8]) -> Option<SegmentFacts> {
        let (bytes, digest) = bytes.split_last_chunk()?;
        if sha256(bytes) != *digest {
            return None;
        }
        let mut rest = bytes.strip_prefix(BEGINNING)?;
        let mut facts = SegmentFacts {
            begin: take_number(&mut rest)?,
            subject: SegmentSubject {
                telling: take_number(&mut rest)?,
                beginning: *take(&mut rest)?,
                terms: *take(&mut rest)?,
            },
            stretches: Vec::new(),
        };
        while !rest.is_empty() {
            facts.stretches.push(read_stretch(&mut rest)?);
        }
        Some(facts)
    }
}

fn read_pair(pair: &[u8; 2]) -> Option<u8> {
    let byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    (hex_pair(byte) == *pair).then_some(byte)
}

fn write_stretch(stretch: &SegmentStretch) -> Option<Vec<u8>> {
    let SegmentStretch { begin, end, noted } = stretch;
    let (mut bytes, mut state) = (Vec::new(), ByteBuffer::default());
    if !noted.stretch.write(&mut state) {
        return None;
    }
    put(&mut bytes, *begin);
    put(&mut bytes, *end);
    bytes.extend(state.0);
    write_notes(&noted.notes, &mut bytes);
    Some(bytes)
}

fn read_stretch(rest: &mut &[u8]) -> Option<SegmentStretch> {
    let (begin, end) = (take_number(rest)?, take_number(rest)?);
    let (stretch, after) = Stretch::read(rest)?;
    *rest = after;
    let notes = read_notes(rest)?;
    Some(SegmentStretch {
        begin,
        end,
        noted: NotedStretch { stretch, notes },
    })
}

fn write_notes(notes: &Notes, bytes: &mut Vec<u8>) {
    let Notes {
        places,
        profiles,
        deployed,
    } = notes;
    put(bytes, places.last);
    put(bytes, places.surplus);
    bytes.push(u8::from(places.head_at.is_some()));
    put(bytes, places.head_at.unwrap_or_default());
    bytes.extend(profiles.map(u8::from));
    put(bytes, deployed.count);
    put(bytes, deployed.forbidden);
    put(bytes, deployed.first);
    // No good record departs in another way.
    let too_long = deployed.departures.get(&Departure::TooLong);
    put(bytes, too_long.copied().unwrap_or_default());
}

fn read_notes(rest: &mut &[u8]) -> Option<Notes> {
    let (last, surplus) = (take_number(rest)?, take_number(rest)?);
    let (has_head, head_at) = (take_flag(rest)?, take_number(rest)?);
    let profiles = [take_flag(rest)?, take_flag(rest)?, take_flag(rest)?];
    let (count, forbidden, first) = (take_number(rest)?, take_number(rest)?, take_number(rest)?);
    let too_long = Some(take_number(rest)?).filter(|number| *number > 0);
    Some(Notes {
        places: Places {
            last,
            surplus,
            head_at: has_head.then_some(head_at),
        },
        profiles,
        deployed: DeployedRecords {
            count,
            forbidden,
            first,
            departures: too_long
                .map(|n| (Departure::TooLong, n))
                .into_iter()
                .collect(),
        },
    })
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(taken)
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    take(rest).map(|bytes| u64::from_le_bytes(*bytes))
}

fn take_flag(rest: &mut &[u8]) -> Option<bool> {
    match take(rest)? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}
