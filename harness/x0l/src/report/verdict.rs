//! The verdicts on a session, and the reasons for them.

use serde::Serialize;

/// The verdict on a session. Where several apply, the last of them in this order is the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closure {
    /// L-A has enough actions, everything replays, and a person has judged what a person must judge, in a session of
    /// the shipped limits and of full length.
    Positive,
    /// The same, in a session with too few cycles or injections to say more.
    Pilot,
    /// The same, under other limits of the kernel than the shipped ones.
    Custom,
    /// The same, and no model was asked.
    Rehearsal,
    /// A Type III refusal or an action on an injection waits for a person's judgement.
    PendingReview,
    /// A condition is missing or did not run to its end, or the ledger does not bind the whole run.
    Incomplete,
    /// L-A has too few actions, no condition came to its end, or a person has confirmed a failure.
    Negative,
    /// The session's status voids it, or its model changed: it counts for nothing.
    Void,
    /// The run does not replay.
    Diverged,
}

impl Closure {
    /// The verdict's name in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Closure::Positive => "POSITIVE",
            Closure::Pilot => "PILOT",
            Closure::Custom => "CUSTOM",
            Closure::Rehearsal => "REHEARSAL",
            Closure::PendingReview => "PENDING_REVIEW",
            Closure::Incomplete => "INCOMPLETE",
            Closure::Negative => "NEGATIVE",
            Closure::Void => "VOID",
            Closure::Diverged => "DIVERGED",
        }
    }
}

/// A reason for which a session does not close positive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClosureReason {
    /// The verdict that follows from this reason alone.
    #[serde(skip)]
    pub closure: Closure,
    /// The reason's name.
    pub code: &'static str,
    /// The reason in words.
    pub text: String,
}

/// A function that adds a reason: the verdict that follows from it, its code and its text.
pub(super) type AddReason<'a> = &'a mut dyn FnMut(Closure, &'static str, String);
