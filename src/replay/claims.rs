//! The digests that a record claims, made side by side with one another and with those of its neighbours. Determinism:
//! D1.
//!
//! A record that is there already claims its commit, its `obs_hash` and, with the line before, the chain value that it
//! follows. Each digest is made of such claims, and none waits for the result of another.

#![forbid(unsafe_code)]

use axilog_lanes::Message;

use crate::evidence::view::{ObservationView, UnverifiedObservation};
use crate::fault::Error;
use crate::hash::{CHAIN_PREFIX, Hash, Tag};
use crate::ledger::Entry;

/// An entry that was read, and of which no digest was made.
pub(super) struct Claims<'a> {
    entry: Entry<'a>,
    /// The length of the record as its commit has it.
    length: [u8; 8],
    observation: Option<Result<UnverifiedObservation<'a>, Error>>,
    /// The chain value that is claimed to be before it.
    previous: Option<Hash>,
}

/// The digests of [`Messages`]; zero where there is no message.
#[derive(Clone, Copy, Default)]
pub(super) struct Digests {
    commit: Hash,
    /// The `obs_hash`, untagged.
    own: Hash,
    /// The chain value.
    link: Hash,
}

impl<'a> Claims<'a> {
    /// Reads `entry`, which follows the chain value `previous`, if that is known.
    pub(super) fn read(entry: &Entry<'a>, previous: Option<&Hash>) -> Claims<'a> {
        let is_observation = entry.tag == Tag::Obs;
        Claims {
            entry: *entry,
            // A slice never holds more than u64::MAX bytes.
            length: (entry.payload.len() as u64).to_le_bytes(),
            observation: is_observation.then(|| UnverifiedObservation::read(entry.payload)),
            previous: previous.copied(),
        }
    }

    /// The entry.
    pub(super) fn entry(&self) -> Entry<'a> {
        self.entry
    }

    /// Whether the commit is the record's.
    pub(super) fn is_committed(&self, digests: &Digests) -> bool {
        digests.commit == self.entry.commit
    }

    /// The chain value before, and the one that the record's commit makes of it.
    pub(super) fn link(&self, digests: &Digests) -> Option<(Hash, Hash)> {
        self.previous.map(|previous| (previous, digests.link))
    }

    /// The observation that the record is, where its tag says so.
    pub(super) fn observation(
        self,
        digests: &Digests,
    ) -> Option<Result<ObservationView<'a>, Error>> {
        let observation = self.observation?;
        Some(observation.and_then(|observation| observation.verify(Some(&digests.own))))
    }
}

/// The messages of the digests that a record claims.
pub(super) struct Messages<'e> {
    commit: [&'e [u8]; 3],
    own: Option<&'e [&'e [u8]; 2]>,
    link: Option<[&'e [u8]; 3]>,
}

impl<'e> Messages<'e> {
    pub(super) fn of(claims: &'e Claims<'_>) -> Messages<'e> {
        let Entry {
            tag,
            payload,
            commit,
            ..
        } = &claims.entry;
        let previous = claims.previous.as_ref();
        Messages {
            commit: [tag.as_str().as_bytes(), &claims.length, payload],
            own: match &claims.observation {
                Some(Ok(observation)) => Some(observation.plain_parts()),
                _ => None,
            },
            link: previous.map(|previous| [CHAIN_PREFIX, previous.as_slice(), commit.as_slice()]),
        }
    }

    /// Each message with the place of its digest, the long ones first.
    pub(super) fn beside<'d>(
        &'e self,
        digests: &'d mut Digests,
    ) -> impl Iterator<Item = (Message<'e>, &'d mut Hash)> {
        let Digests { commit, own, link } = digests;
        let own = self.own.map(|parts| (parts.as_slice(), own));
        let link = (self.link.as_ref()).map(|parts| (parts.as_slice(), link));
        let commit = Some((self.commit.as_slice(), commit));
        [commit, own, link].into_iter().flatten()
    }
}
