//! The checks of one record that need no record before it. Determinism: D2.
//!
//! That is most of the work of verification, so readers of files do it on every core and leave only
//! the order to [`super::Replay::take`].

#[cfg(not(target_os = "none"))]
use super::claims::{Claims, Digests, Messages};
use super::verdict::Verdict;
use crate::evidence::policy::PolicyRecord;
use crate::evidence::transition::TransitionRecord;
use crate::evidence::view::ObservationView;
use crate::fault::Error;
#[cfg(target_os = "none")]
use crate::hash::commit;
use crate::hash::{Hash, Tag, chain};
use crate::ledger::Entry;

/// A record whose own bytes have been checked.
#[derive(Clone, Copy)]
pub struct CheckedEntry<'a> {
    entry: Entry<'a>,
    committed: bool,
    content: Content<'a>,
    /// A chain value and what the record's commit makes of it.
    link: Option<(Hash, Hash)>,
}

#[derive(Clone, Copy)]
enum Content<'a> {
    Observation(Result<ObservationView<'a>, Verdict>),
    /// The sequences of a policy or a transition; `None` where it is not canonical.
    Decision(Option<BoundTo>),
    /// A record that was not read: a decision that may be compared with bytes instead, or a record
    /// that only its place makes right.
    Unread,
}

/// The sequences that a decision carries.
#[derive(Clone, Copy)]
pub(super) struct BoundTo {
    /// Sequence of the observation that was decided on.
    pub(super) observation: u64,
    /// Sequence of the step: the observation's again (decision D10).
    pub(super) step: u64,
}

impl<'a> CheckedEntry<'a> {
    /// Checks the commit of `entry` and reads it. Where `previous` is given, it also computes the chain value of the
    /// record, should that be the value before it. Whether it is, [`super::Replay::take`] decides.
    #[must_use]
    pub fn of(entry: &Entry<'a>, previous: Option<&Hash>) -> CheckedEntry<'a> {
        let mut examined = CheckedEntry::unread(entry, previous);
        examined.read_decision();
        examined
    }

    /// Checks entries that follow one another, as [`CheckedEntry::of`] checks one, and hands each to `take`. Their digests
    /// are made side by side.
    #[cfg(not(target_os = "none"))]
    pub fn of_neighbours(
        entries: &[Entry<'a>],
        previous: Option<&Hash>,
        take: &mut dyn FnMut(CheckedEntry<'a>),
    ) {
        let mut previous = previous;
        for group in entries.chunks(GROUP) {
            let mut claims = [const { None }; GROUP];
            for (place, entry) in claims.iter_mut().zip(group) {
                *place = Some(Claims::read(entry, previous));
                previous = Some(&entry.chain);
            }
            let messages = claims
                .each_ref()
                .map(|claims| claims.as_ref().map(Messages::of));
            let mut digests = [Digests::default(); GROUP];
            axilog_lanes::digest_many(
                (messages.iter().flatten().zip(&mut digests))
                    .flat_map(|(messages, digests)| messages.beside(digests)),
            );
            for (claims, digests) in claims.into_iter().flatten().zip(&digests) {
                let mut examined = CheckedEntry::compare(claims, digests);
                examined.read_decision();
                take(examined);
            }
        }
    }

    /// Checks the commit of `entry`, and reads it where it is an observation.
    #[cfg(not(target_os = "none"))]
    pub(super) fn unread(entry: &Entry<'a>, previous: Option<&Hash>) -> CheckedEntry<'a> {
        let claims = Claims::read(entry, previous);
        let mut digests = Digests::default();
        axilog_lanes::digest_into(Messages::of(&claims).beside(&mut digests));
        CheckedEntry::compare(claims, &digests)
    }

    /// Checks the commit of `entry`, and reads it where it is an observation. A bare processor makes one digest after
    /// the other, and the chain value when it is asked for.
    #[cfg(target_os = "none")]
    pub(super) fn unread(entry: &Entry<'a>, _: Option<&Hash>) -> CheckedEntry<'a> {
        let is_observation = entry.tag == Tag::Obs;
        CheckedEntry {
            entry: *entry,
            committed: commit(entry.tag.as_str().as_bytes(), entry.payload) == entry.commit,
            content: content_of(is_observation.then(|| ObservationView::parse(entry.payload))),
            link: None,
        }
    }

    /// Compares what an entry claims with its digests.
    #[cfg(not(target_os = "none"))]
    fn compare(claims: Claims<'a>, digests: &Digests) -> CheckedEntry<'a> {
        CheckedEntry {
            entry: claims.entry(),
            committed: claims.is_committed(digests),
            link: claims.link(digests),
            content: content_of(claims.observation(digests)),
        }
    }

    /// Reads the sequences that a decision carries.
    fn read_decision(&mut self) {
        if matches!(self.entry.tag, Tag::Policy | Tag::Trans) {
            self.content = Content::Decision(bound_to(&self.entry));
        }
    }

    /// The record.
    #[must_use]
    pub fn entry(&self) -> &Entry<'a> {
        &self.entry
    }

    /// The observation that the record is, where it is one in canonical form.
    #[must_use]
    pub fn observation(&self) -> Option<&ObservationView<'a>> {
        match &self.content {
            Content::Observation(Ok(view)) => Some(view),
            _ => None,
        }
    }

    /// Whether the entry's commit is that of its bytes.
    pub(super) fn is_committed(&self) -> bool {
        self.committed
    }

    /// The chain value of the record after `previous`; `None` is for the genesis.
    pub(super) fn chained(&self, previous: Option<&Hash>) -> Hash {
        match (&self.link, previous) {
            (Some((claimed, value)), Some(previous)) if claimed == previous => *value,
            _ => chain(previous, &self.entry.commit),
        }
    }

    /// The observation that it is.
    pub(super) fn read_observation(&self) -> Result<&ObservationView<'a>, Verdict> {
        match &self.content {
            Content::Observation(view) => view.as_ref().map_err(|verdict| *verdict),
            _ => Err(Verdict::NonCanonical),
        }
    }

    /// The sequences that the decision carries.
    pub(super) fn read_bound_to(&self) -> Result<BoundTo, Verdict> {
        let bound = match self.content {
            Content::Decision(bound) => bound,
            _ => bound_to(&self.entry),
        };
        bound.ok_or(Verdict::NonCanonical)
    }
}

/// The number of entries whose digests are made side by side.
#[cfg(not(target_os = "none"))]
const GROUP: usize = 64;

/// The content of an entry; `observation` is what was read where its tag says that it is one.
fn content_of(observation: Option<Result<ObservationView<'_>, Error>>) -> Content<'_> {
    match observation {
        Some(observation) => Content::Observation(observation.map_err(|error| match error {
            Error::Hash => Verdict::Altered,
            _ => Verdict::NonCanonical,
        })),
        None => Content::Unread,
    }
}

fn bound_to(entry: &Entry<'_>) -> Option<BoundTo> {
    match entry.tag {
        Tag::Policy => PolicyRecord::parse(entry.payload)
            .map(|record| BoundTo {
                observation: record.obs_ledger_seq,
                step: record.ledger_seq,
            })
            .ok(),
        _ => TransitionRecord::parse(entry.payload)
            .map(|record| BoundTo {
                observation: record.ledger_seq,
                step: record.ledger_seq,
            })
            .ok(),
    }
}
