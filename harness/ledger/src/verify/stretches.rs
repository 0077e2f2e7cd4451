//! The stretches of a segment of a ledger, with what a pass notes of their records.
//!
//! [`Stretch`] holds the state. What a report says besides, and what the caller expects of single
//! records, is gathered here by whoever replays the stretch, so that nobody looks at each of its records again.

use axilog::policy::Rules;
use axilog::replay::CheckedEntry;
use axilog::replay::stretch::{SegmentReplay, Stretch};

use super::deployed::{DeployedRecords, note_profile};
use super::terms::Terms;

/// The places of records that a report may have to name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// The offset of the last record.
    pub(super) last: u64,
    /// The offset of the first record beyond the expected number; 0 where there is none.
    pub(super) surplus: u64,
    /// The sequence of the record that has the expected head.
    pub(super) head_at: Option<u64>,
}

impl Places {
    /// Notes the place of a record.
    pub(super) fn take(&mut self, offset: u64, record: &CheckedEntry<'_>, terms: &Terms<'_>) {
        let entry = record.entry();
        if terms.expected.entries == Some(entry.sequence) {
            self.surplus = offset;
        }
        self.last = offset;
        if terms.expected.head == Some(entry.chain) {
            self.head_at = Some(entry.sequence);
        }
    }

    /// Adds the places of records that follow.
    pub(super) fn add(&mut self, later: &Places) {
        self.last = later.last;
        if later.surplus > 0 {
            self.surplus = later.surplus;
        }
        self.head_at = later.head_at.or(self.head_at);
    }
}

/// What is noted of good records that follow one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) places: Places,
    /// Whether any observation is written in each profile.
    pub(super) profiles: [bool; 3],
    /// The records that deployed code wrote.
    pub(super) deployed: DeployedRecords,
}

impl Notes {
    fn take(&mut self, offset: u64, record: &CheckedEntry<'_>, terms: &Terms<'_>) {
        self.places.take(offset, record, terms);
        if let Some(view) = record.observation() {
            note_profile(&mut self.profiles, view.profile);
            self.deployed.take_good(record);
        }
    }
}

/// A stretch whose records are as the caller expects, with what is noted of them.
pub(super) struct NotedStretch {
    pub(super) stretch: Stretch,
    pub(super) notes: Notes,
}

/// A search for the stretches of a segment.
pub(super) struct StretchFinder<'r> {
    segment: SegmentReplay<'r>,
    terms: &'r Terms<'r>,
    notes: Notes,
    is_broken: bool,
}

impl<'r> StretchFinder<'r> {
    /// A search in a segment of which nothing was read. `rules` are those of `terms`.
    pub(super) fn new(terms: &'r Terms<'r>, rules: Option<&'r Rules<'r>>) -> StretchFinder<'r> {
        StretchFinder {
            segment: SegmentReplay::new(rules),
            terms,
            notes: Notes::default(),
            is_broken: false,
        }
    }

    /// Takes the record at `offset`, the next of the segment. Gives the stretch that has ended before it, if one has.
    pub(super) fn take(&mut self, offset: u64, record: &CheckedEntry<'_>) -> Option<NotedStretch> {
        let ended = self.segment.take(record);
        let ended = ended.and_then(|stretch| self.note(stretch));
        if self.segment.is_within() {
            self.notes.take(offset, record, self.terms);
            self.is_broken |= self.terms.are_broken_by(record);
        }
        ended
    }

    /// Whether the last record that was taken belongs to the stretch that is under way.
    pub(super) fn is_within(&self) -> bool {
        self.segment.is_within()
    }

    /// Whether a record was not good, after which nothing is searched.
    pub(super) fn has_fault(&self) -> bool {
        self.segment.has_fault()
    }

    /// The stretch that is under way, as far as it goes; `None` where there is none, and within a step.
    pub(super) fn so_far(&self) -> Option<NotedStretch> {
        let stretch = self.segment.so_far().filter(|_| !self.is_broken)?;
        Some(NotedStretch {
            stretch,
            notes: self.notes.clone(),
        })
    }

    /// Ends the segment. Gives the stretch that ends with its last record, if there is one.
    pub(super) fn finish(mut self) -> Option<NotedStretch> {
        let segment = std::mem::replace(&mut self.segment, SegmentReplay::new(None));
        segment.finish().and_then(|stretch| self.note(stretch))
    }

    /// The stretch with its notes; `None` where it has a record that is not as the caller expects.
    fn note(&mut self, stretch: Stretch) -> Option<NotedStretch> {
        let notes = std::mem::take(&mut self.notes);
        let is_broken = std::mem::take(&mut self.is_broken);
        (!is_broken).then_some(NotedStretch { stretch, notes })
    }
}
