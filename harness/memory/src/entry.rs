//! The kinds of the log's entries: the events of the contract (document, section 8) and the store commits.

use serde_json::Value;

use crate::bodies::*;
use crate::document::{read_document, to_value};
use crate::earlier_bodies::*;
use crate::error::{MemoryError, Result};
use crate::event_bodies::*;
use crate::shown_body::ShownBody;
use crate::words::words;

macro_rules! entries {
    (@type $body:ident) => { $body };
    (@type $body:ident $earlier:ident) => { Revised<$body, $earlier> };
    (@read_appended $id:literal $given:ident $body:ident) => { read_document($id, $given) };
    (@read_appended $id:literal $given:ident $body:ident $earlier:ident) => {
        Revised::read_present($id, $given)
    };
    (@read_recorded $id:literal $given:ident $body:ident) => { read_document($id, $given) };
    (@read_recorded $id:literal $given:ident $body:ident $earlier:ident) => {
        Revised::read_either($id, $given)
    };
    ($($kind:ident $id:literal $title:literal $body:ident $(or $earlier:ident)?;)*) => {
        words! {
            /// What an entry of the log records. Its spelling is the id in the log; the log takes no other.
            pub enum EntryKind {
                $(#[doc = $title] $kind = $id,)*
            }
        }

        /// An entry's body.
        pub(crate) enum EntryBody {
            $($kind(entries!(@type $body $($earlier)?)),)*
        }

        impl EntryKind {
            /// What the entry records: the name in the contract, or a description.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(EntryKind::$kind => $title,)* }
            }

            /// Reads the body of an entry of this kind that is in a log, in the form of the present version or of
            /// an earlier one.
            ///
            /// # Errors
            /// [`MemoryError::Document`] for members that are missing, unknown or of another type.
            pub(crate) fn read_body(self, body: &Value) -> Result<EntryBody> {
                match self {
                    $(EntryKind::$kind => {
                        entries!(@read_recorded $id body $body $($earlier)?).map(EntryBody::$kind)
                    })*
                }
            }

            /// Reads the body of an entry of this kind that is to be appended.
            ///
            /// # Errors
            /// As [`EntryKind::read_body`], and for the form of an earlier version.
            pub(crate) fn read_new_body(self, body: &Value) -> Result<EntryBody> {
                match self {
                    $(EntryKind::$kind => {
                        entries!(@read_appended $id body $body $($earlier)?).map(EntryBody::$kind)
                    })*
                }
            }
        }

        impl EntryBody {
            /// What the entry records.
            pub(crate) fn kind(&self) -> EntryKind {
                match self { $(EntryBody::$kind(_) => EntryKind::$kind,)* }
            }

            /// The body as JSON.
            pub(crate) fn to_value(&self) -> Result<Value> {
                match self { $(EntryBody::$kind(body) => to_value($id, body),)* }
            }
        }
    };
}

entries! {
    RecallRequest "EV-001" "RecallRequest" RecallRequestBody;
    RecallAttempt "EV-002" "RecallAttempt" RecallAttemptBody;
    RecallResult "EV-003" "RecallResult" RecallResultBody;
    NotebookRequested "EV-010" "NotebookWriteConsentRequested" NotebookRequestBody;
    NotebookGranted "EV-011" "NotebookWriteConsentGranted" NotebookAnswerBody;
    NotebookDenied "EV-012" "NotebookWriteConsentDenied" NotebookAnswerBody;
    NotebookApplied "EV-013" "NotebookWriteApplied" NotebookWriteBody;
    ReadingSpot "EV-020" "ReadingSpotSettingChanged" ReadingSpotBody or EarlierReadingSpotBody;
    RuleRefOpened "EV-021" "RuleRefOpened" RuleRefBody;
    ModeChanged "EV-030" "ModeChanged" ModeBody or EarlierModeBody;
    SceneStart "EV-031" "SceneStart" SceneBody;
    SceneEnd "EV-032" "SceneEnd" SceneBody;
    NudgeSelected "EV-033" "NudgeSelected" NudgeBody or EarlierNudgeBody;
    NudgeSuppressed "EV-034" "NudgeSuppressed" SuppressedNudgeBody or EarlierSuppressedNudgeBody;
    BeatPlanned "EV-100" "RoleplayBeatPlanned" PlaybackBody;
    Roleplay101 "EV-101" "a roleplay event" PlaybackBody;
    Roleplay102 "EV-102" "a roleplay event" PlaybackBody;
    Roleplay103 "EV-103" "a roleplay event" PlaybackBody;
    Roleplay104 "EV-104" "a roleplay event" PlaybackBody;
    Roleplay105 "EV-105" "a roleplay event" PlaybackBody;
    Roleplay106 "EV-106" "a roleplay event" PlaybackBody;
    PlaybackPaused "EV-107" "RoleplayPlaybackPaused" PlaybackBody or EarlierPlaybackBody;
    PlaybackResumed "EV-108" "RoleplayPlaybackResumed" PlaybackBody or EarlierPlaybackBody;
    PlaybackAborted "EV-109" "RoleplayPlaybackAborted" PlaybackBody or EarlierPlaybackBody;
    Roleplay110 "EV-110" "a roleplay event" PlaybackBody;
    ValidationFailed "EV-120" "RoleplayValidationFailed" RoleplayFailureBody or EarlierValidationBody;
    RoleplayFallback "EV-121" "RoleplayFallback" RoleplayFailureBody or EarlierFallbackBody;
    Fact "FACT" "a fact of the ledger" FactBody;
    Retraction "RETRACTION" "a fact is retracted" RetractionBody;
    State "STATE" "pointers of the story" StateBody;
    Pin "PIN" "a pin" PinBody;
    Revision "REVISION" "another value for a pin" RevisionBody;
    Compaction "COMPACTION" "a compaction and what it is made of" CompactionBody;
    Asset "ASSET" "a stage of an image: request to delivery" AssetBody;
    Guess "GUESS" "guesses at locked strings" GuessBody;
    Shown "SHOWN" "what was shown to a model's side" ShownBody;
}

impl EntryKind {
    /// Reads an id, like `EV-031`.
    ///
    /// # Errors
    /// [`MemoryError::UnknownEntry`], which lists the ids there are.
    pub fn from_id(id: &str) -> Result<EntryKind> {
        EntryKind::parse(id).ok_or_else(|| MemoryError::UnknownEntry {
            found: id.to_owned(),
            expected: EntryKind::ALL.map(EntryKind::as_str).join(", "),
        })
    }

    /// The command that alone appends entries of this kind, where there is one.
    #[must_use]
    pub fn own_command(self) -> Option<&'static str> {
        match self {
            EntryKind::RecallRequest | EntryKind::RecallAttempt | EntryKind::RecallResult => {
                Some("recall")
            }
            EntryKind::NotebookRequested
            | EntryKind::NotebookGranted
            | EntryKind::NotebookDenied
            | EntryKind::NotebookApplied => Some("notebook"),
            EntryKind::Guess | EntryKind::Shown => Some("working-set"),
            _ => None,
        }
    }
}
