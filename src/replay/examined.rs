//! The checks of one record that need no record before it. Determinism: D2.
//!
//! That is most of the work of verification, so readers of files do it on every core and leave only
//! the order to [`super::Replay::take`].

use super::verdict::Verdict;
use crate::evidence::policy::PolicyRecord;
use crate::evidence::transition::TransitionRecord;
use crate::evidence::view::ObservationView;
use crate::fault::Error;
use crate::hash::{Hash, Tag, chain, commit};
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
    /// Checks the commit of `entry` and reads it.
    #[must_use]
    pub fn of(entry: &Entry<'a>) -> CheckedEntry<'a> {
        let mut examined = CheckedEntry::unread(entry);
        if matches!(entry.tag, Tag::Policy | Tag::Trans) {
            examined.content = Content::Decision(bound_to(entry));
        }
        examined
    }

    /// Checks the commit of `entry`, and reads it where it is an observation.
    pub(super) fn unread(entry: &Entry<'a>) -> CheckedEntry<'a> {
        let content = match entry.tag {
            Tag::Obs => {
                Content::Observation(ObservationView::parse(entry.payload).map_err(|error| {
                    match error {
                        Error::Hash => Verdict::Altered,
                        _ => Verdict::NonCanonical,
                    }
                }))
            }
            _ => Content::Unread,
        };
        CheckedEntry {
            entry: *entry,
            committed: commit(entry.tag.as_str().as_bytes(), entry.payload) == entry.commit,
            content,
            link: None,
        }
    }

    /// Computes the chain value of the record, should `previous` be the one before it. Whether it
    /// is, [`super::Replay::take`] decides.
    #[must_use]
    pub fn behind(mut self, previous: &Hash) -> CheckedEntry<'a> {
        self.link = Some((*previous, chain(Some(previous), &self.entry.commit)));
        self
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
