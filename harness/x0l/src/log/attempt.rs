//! The attempts under a plan, and the corrections of a run, as documents have them.

use axilog::hash::Hash;
use serde::{Deserialize, Serialize};

use super::outcome::SessionStatus;
use crate::document;

/// A session that began under a plan, or that corrects a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// The hash of the erratum under which it began; `None` without one.
    #[serde(with = "document::hash")]
    pub erratum: Option<Hash>,
    /// The head of its ledger; `None` where no end is known.
    #[serde(with = "document::hash")]
    pub head: Option<Hash>,
    /// How it ended; `None` where no end is known, since it was killed or is still going on.
    pub status: Option<SessionStatus>,
}

impl Attempt {
    /// Whether `later` may be what is known of this attempt at a later time.
    pub(crate) fn may_become(&self, later: &Attempt) -> bool {
        let began = (later.attempt, later.began, later.erratum);
        (self.attempt, self.began, self.erratum) == began
            && (self.status.is_none() || self == later)
    }

    /// Names how the attempt ended.
    #[must_use]
    pub fn name_end(&self) -> &'static str {
        self.status.map_or("no end is known", SessionStatus::as_str)
    }
}

/// The place of a session among the attempts under a plan, or among the corrections of a run, as it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenAttempt {
    /// The number of the session among them, from 1.
    pub attempt: u64,
    /// Those before it, as they were known when it began.
    pub earlier: Vec<Attempt>,
    /// When the plan was committed, in seconds since 1970; `None` of a correction.
    pub planned: Option<u64>,
    /// The hash of the plan, or the head of the corrected run.
    #[serde(with = "document::hash")]
    pub subject: Hash,
}

impl FrozenAttempt {
    /// The session itself, of which no end was known as it began.
    #[must_use]
    pub fn own(&self, began: u64, erratum: Option<Hash>) -> Attempt {
        Attempt {
            attempt: self.attempt,
            began,
            erratum,
            head: None,
            status: None,
        }
    }

    /// Whether the numbers are those of a place after all earlier ones.
    pub(crate) fn is_consistent(&self) -> bool {
        let numbers = self.earlier.iter().map(|it| it.attempt);
        numbers.eq(1..self.attempt)
    }
}
