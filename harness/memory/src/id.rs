//! The ids of the log: the events of the contract (document, section 8) and the store commits.

use std::fmt;

use serde_json::Value;

use super::error::{MemoryError, Result};
use super::fields::{Fields, Type};

/// What EV-002 says of a roll.
pub(super) const ATTEMPTS: &[&str] = &[
    "SUCCESS",
    "FAILURE",
    "NOT_ROLLED",
    "NOT_NEEDED",
    "ALREADY_TRIED",
];

/// What EV-003 says came out.
pub(super) const RESULTS: &[&str] = &["EXACT", "FUZZY", "UNKNOWN"];

/// How long a recall unlocks.
pub(super) const RECALL_SCOPES: &[&str] = &["SCENE", "SESSION"];

/// The modes of play.
pub(super) const MODES: &[&str] = &["PLAY", "COMPANION", "REFERENCE", "NOTEBOOK"];

macro_rules! ids {
    ($($name:ident $text:literal $about:literal $fields:expr;)*) => {
        /// The id of an entry of the log. No other is taken, and none is used for something else.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Id {
            $(#[doc = $about] $name,)*
        }

        impl Id {
            /// All there are: the events first, then the store commits.
            pub const ALL: &[Id] = &[$(Id::$name),*];

            /// As the log has it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Id::$name => $text,)* }
            }

            /// What it records.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Id::$name => $about,)* }
            }

            fn fields(self) -> Option<&'static [(&'static str, Type)]> {
                match self { $(Id::$name => $fields,)* }
            }
        }
    };
}

ids! {
    RecallRequest "EV-001" "RecallRequest" Some(&[
        ("detail_handle", Type::Handle),
        ("requester_id", Type::Name),
        ("scene_id", Type::NameOrNull),
    ]);
    RecallAttempt "EV-002" "RecallAttempt" Some(&[
        ("detail_handle", Type::Handle),
        ("roller_id", Type::NameOrNull),
        ("skill_id", Type::NameOrNull),
        ("dc", Type::IntegerOrNull),
        ("roll", Type::IntegerOrNull),
        ("outcome", Type::Word(ATTEMPTS)),
    ]);
    RecallResult "EV-003" "RecallResult" Some(&[
        ("detail_handle", Type::Handle),
        ("outcome", Type::Word(RESULTS)),
        ("payload_handle", Type::HandleOrNull),
        ("unlock_scope", Type::WordOrNull(RECALL_SCOPES)),
    ]);
    NotebookRequested "EV-010" "NotebookWriteConsentRequested" Some(&[
        ("request_id", Type::Name),
        ("requester_id", Type::Name),
        ("player_id", Type::Name),
        ("content_handles", Type::Handles),
    ]);
    NotebookGranted "EV-011" "NotebookWriteConsentGranted" Some(&[
        ("request_id", Type::Name),
        ("player_id", Type::Name),
    ]);
    NotebookDenied "EV-012" "NotebookWriteConsentDenied" Some(&[
        ("request_id", Type::Name),
        ("player_id", Type::Name),
    ]);
    NotebookApplied "EV-013" "NotebookWriteApplied" Some(&[
        ("request_id", Type::Name),
        ("content_handles", Type::Handles),
    ]);
    ReadingSpot "EV-020" "ReadingSpotSettingChanged" Some(&[("setting", Type::Name)]);
    ModeChanged "EV-030" "ModeChanged" Some(&[("mode", Type::Word(MODES))]);
    SceneStart "EV-031" "SceneStart" Some(&[("scene_id", Type::Name)]);
    SceneEnd "EV-032" "SceneEnd" Some(&[("scene_id", Type::Name)]);
    NudgeSelected "EV-033" "NudgeSelected" Some(&[("nudge_id", Type::Name)]);
    NudgeSuppressed "EV-034" "NudgeSuppressed" Some(&[
        ("nudge_id", Type::Name),
        ("rule_ref", Type::NameOrNull),
    ]);
    PlaybackPaused "EV-107" "RoleplayPlaybackPaused" Some(&[("playback_id", Type::Name)]);
    PlaybackResumed "EV-108" "RoleplayPlaybackResumed" Some(&[("playback_id", Type::Name)]);
    PlaybackAborted "EV-109" "RoleplayPlaybackAborted" Some(&[("playback_id", Type::Name)]);
    RoleplayValidated "EV-120" "RoleplayValidation" Some(&[
        ("playback_id", Type::Name),
        ("outcome", Type::Word(&["VALID", "INVALID"])),
    ]);
    RoleplayFallback "EV-121" "RoleplayFallback" Some(&[
        ("playback_id", Type::Name),
        ("rule_ref", Type::NameOrNull),
    ]);
    Fact "FACT" "a fact of the ledger" None;
    State "STATE" "pointers of the story" None;
    Pin "PIN" "a pin" None;
    Revision "REVISION" "another value for a pin" None;
    Compaction "COMPACTION" "a compaction and what it is made of" Some(&[
        ("compaction_policy_id", Type::Handle),
        ("purpose", Type::Name),
        ("input_handles", Type::Handles),
    ]);
    Asset "ASSET" "a stage of an image: request to delivery" None;
}

impl Id {
    /// # Errors
    /// [`MemoryError::UnknownId`], which lists those there are.
    pub fn parse(text: &str) -> Result<Id> {
        let found = Id::ALL.iter().copied().find(|id| id.as_str() == text);
        found.ok_or_else(|| MemoryError::UnknownId {
            found: text.to_owned(),
            expected: Id::ALL
                .iter()
                .map(|id| id.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        })
    }

    /// The command that alone appends it, where there is one.
    #[must_use]
    pub fn own_command(self) -> Option<&'static str> {
        match self {
            Id::RecallRequest | Id::RecallAttempt | Id::RecallResult => Some("recall"),
            Id::NotebookRequested
            | Id::NotebookGranted
            | Id::NotebookDenied
            | Id::NotebookApplied => Some("notebook"),
            Id::Fact => Some("fact"),
            _ => None,
        }
    }

    /// The fields of `body`, checked where the contract has a fixed list of them.
    pub(super) fn read(self, body: &Value) -> Result<Fields<'_>> {
        let read = Fields::of(self.as_str(), body)?;
        if let Some(fields) = self.fields() {
            read.exactly(fields)?;
        }
        Ok(read)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
