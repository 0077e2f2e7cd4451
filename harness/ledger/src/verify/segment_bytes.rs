//! What was found of a segment as bytes, which travel between the processes of one program and version.
//!
//! Nobody keeps them: they begin with [`BEGINNING`], which changes with their form. Numbers are little-endian and of 64 bits.
//! Determinism: D1.

use axilog::replay::stretch::Stretch;

use super::deployed::{Departure, DeployedRecords};
use super::segment::{SegmentFacts, SegmentPart};
use super::stretches::{NotedStretch, Notes, Places};
use crate::encoding::ByteBuffer;

/// What the bytes begin with: the name and the number of their form.
const BEGINNING: &[u8; 16] = b"axilog segment 1";

const LINE: u8 = 0;
const STRETCH: u8 = 1;

impl SegmentFacts {
    /// The facts as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = BEGINNING.to_vec();
        put(&mut bytes, self.begin);
        put(&mut bytes, self.end);
        bytes.push(u8::from(self.rules.is_some()));
        bytes.extend_from_slice(&self.rules.unwrap_or_default());
        let mut written = Vec::new();
        let mut count = 0;
        // What has no bytes, and all after it, is for the joining process to read.
        while let Some(part) = self.parts.get(count).and_then(write_part) {
            written.extend(part);
            count = count.saturating_add(1);
        }
        put(&mut bytes, count as u64);
        bytes.extend(written);
        bytes
    }

    /// Reads what [`SegmentFacts::to_bytes`] has written; `None` for any other bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<SegmentFacts> {
        let mut rest = bytes.strip_prefix(BEGINNING)?;
        let (begin, end) = (take_number(&mut rest)?, take_number(&mut rest)?);
        let (has_rules, rules) = (take_flag(&mut rest)?, *take::<32>(&mut rest)?);
        let count = take_number(&mut rest)?;
        let parts: Option<Vec<SegmentPart>> = (0..count).map(|_| read_part(&mut rest)).collect();
        let facts = SegmentFacts {
            begin,
            end,
            rules: has_rules.then_some(rules),
            parts: parts?,
        };
        rest.is_empty().then_some(facts)
    }
}

fn write_part(part: &SegmentPart) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match part {
        SegmentPart::Line {
            offset,
            bytes: line,
        } => {
            bytes.push(LINE);
            put(&mut bytes, *offset);
            put(&mut bytes, line.len() as u64);
            bytes.extend_from_slice(line);
        }
        SegmentPart::Stretch { noted, end } => {
            bytes.push(STRETCH);
            put(&mut bytes, *end);
            let mut stretch = ByteBuffer::default();
            if !noted.stretch.write(&mut stretch) {
                return None;
            }
            bytes.extend(stretch.0);
            write_notes(&noted.notes, &mut bytes);
        }
    }
    Some(bytes)
}

fn read_part(rest: &mut &[u8]) -> Option<SegmentPart> {
    let [kind] = take::<1>(rest)?;
    let number = take_number(rest)?;
    match *kind {
        LINE => {
            let length = usize::try_from(take_number(rest)?).ok()?;
            let (line, after) = rest.split_at_checked(length)?;
            *rest = after;
            Some(SegmentPart::Line {
                offset: number,
                bytes: line.to_vec(),
            })
        }
        STRETCH => {
            let (stretch, after) = Stretch::read(rest)?;
            *rest = after;
            let notes = read_notes(rest)?;
            Some(SegmentPart::Stretch {
                noted: NotedStretch { stretch, notes },
                end: number,
            })
        }
        _ => None,
    }
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
