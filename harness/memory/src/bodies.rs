//! The bodies of the log's entries but for the events in `event_bodies.rs`: what each must and may have (document,
//! sections 4, 7 and 8).

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::document::{
    distinct_if_present, not_null, nullable, object, objects_if_present, one_or_more,
};
use crate::guarding::Guarding;
use crate::handle::Handle;
use crate::identifier::Identifier;
use crate::mask::{OutputClass, VisibilityMask};
use crate::words::{deserialize_text, words};

words! {
    /// What became of the roll for a recall, as EV-002 records it.
    pub enum AttemptOutcome {
        /// The roll succeeded.
        Success = "SUCCESS",
        /// The roll failed.
        Failure = "FAILURE",
        /// Nobody rolled, or nothing could be rolled for.
        NotRolled = "NOT_ROLLED",
        /// The string was not locked.
        NotNeeded = "NOT_NEEDED",
        /// The detail was rolled for before in this scene.
        AlreadyTried = "ALREADY_TRIED",
    }
}

words! {
    /// What a recall gave, as EV-003 records it.
    pub enum ResultOutcome {
        /// The exact string.
        Exact = "EXACT",
        /// The gist.
        Fuzzy = "FUZZY",
        /// Nothing.
        Unknown = "UNKNOWN",
    }
}

words! {
    /// Until when a recall that succeeded unlocks, and a rule that was opened.
    pub enum RecallScope {
        /// While the scene is on.
        Scene = "SCENE",
        /// While the session is on.
        Session = "SESSION",
    }
}

words! {
    /// Until when a player's consent to a notebook entry holds.
    pub enum ConsentScope {
        /// While the scene is on.
        Scene = "SCENE",
        /// While the session is on.
        Session = "SESSION",
    }
}

words! {
    /// Whether a fact's exact strings need an unlock.
    pub(crate) enum PrecisionTag {
        Locked = "LOCKED",
        Unlocked = "UNLOCKED",
    }
}

words! {
    /// A stage on the path of a picture, in the order of the path (document, section 9.2).
    pub(crate) enum AssetStage {
        RequestSpec = "REQUEST_SPEC",
        Engine = "ENGINE",
        Quality = "QUALITY",
        AssetStore = "ASSET_STORE",
        Pool = "POOL",
        Binding = "BINDING",
        Delivery = "DELIVERY",
    }
}

/// EV-001.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallRequestBody {
    pub(crate) detail_handle: Handle,
    pub(crate) requester_id: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
}

/// EV-002.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallAttemptBody {
    pub(crate) detail_handle: Handle,
    #[serde(deserialize_with = "nullable")]
    pub(crate) roller_id: Option<Identifier>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) skill_id: Option<Identifier>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) dc: Option<i32>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) roll: Option<i32>,
    pub(crate) outcome: AttemptOutcome,
}

/// EV-003.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecallResultBody {
    pub(crate) detail_handle: Handle,
    pub(crate) outcome: ResultOutcome,
    #[serde(deserialize_with = "nullable")]
    pub(crate) payload_handle: Option<Handle>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) unlock_scope: Option<RecallScope>,
}

/// EV-010.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotebookRequestBody {
    pub(crate) request_id: Identifier,
    pub(crate) requester_id: Identifier,
    pub(crate) player_id: Identifier,
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) content_handles: Vec<Handle>,
    /// The hash of the content, to which the answer is bound.
    pub(crate) content_hash: Handle,
    pub(crate) scope: ConsentScope,
    pub(crate) session_id: Identifier,
    /// The scene that is on; with the scope SCENE the consent ends with it.
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    /// Whether who leads the game says that the content was told at the table.
    pub(crate) revealed_by_dm: bool,
}

/// EV-011 and EV-012.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotebookAnswerBody {
    pub(crate) request_id: Identifier,
    pub(crate) player_id: Identifier,
    pub(crate) content_hash: Handle,
}

/// EV-013.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotebookWriteBody {
    pub(crate) request_id: Identifier,
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) content_handles: Vec<Handle>,
}

/// FACT, as it is given and as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactBody {
    pub(crate) kind: Identifier,
    pub(crate) stable_key: Identifier,
    pub(crate) payload: Map<String, Value>,
    #[serde(deserialize_with = "object")]
    pub(crate) provenance: Provenance,
    #[serde(default = "locked")]
    pub(crate) precision_tag: PrecisionTag,
    pub(crate) visibility_mask: VisibilityMask,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) gist: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "objects_if_present")]
    pub(crate) details: Option<Vec<DetailBody>>,
    /// How widely the details are looked for; as they are spelled, where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) guard: Option<Guarding>,
    /// Names by which a query finds the fact, and a scene or thread of that name points to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "distinct_if_present")]
    pub(crate) tags: Option<Vec<Identifier>>,
}

fn locked() -> PrecisionTag {
    PrecisionTag::Locked
}

impl FactBody {
    /// Whether only the gist is told where nothing is unlocked.
    pub(crate) fn is_locked(&self) -> bool {
        self.precision_tag == PrecisionTag::Locked
    }

    pub(crate) fn guarding(&self) -> Guarding {
        self.guard.unwrap_or(Guarding::Spelled)
    }
}

/// What a fact rests on: rule refs, generator specs, ids of events and commits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provenance {
    pub(crate) source: String,
    pub(crate) refs: Vec<String>,
}

/// An exact string of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetailBody {
    pub(crate) name: Identifier,
    pub(crate) exact: String,
}

/// GUESS.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuessBody {
    /// In what the table guessed.
    pub(crate) output: OutputClass,
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    pub(crate) guesses: u64,
}

/// STATE.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) world_id: Option<Identifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) campaign_id: Option<Identifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) session_id: Option<Identifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "distinct_if_present")]
    pub(crate) threads: Option<Vec<Identifier>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "distinct_if_present")]
    pub(crate) clocks: Option<Vec<Identifier>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "distinct_if_present")]
    pub(crate) regions: Option<Vec<Identifier>>,
    /// Always refused: only EV-030 changes the mode.
    #[serde(default, deserialize_with = "not_null", skip_serializing)]
    pub(crate) mode: Option<Value>,
    /// Always refused: only EV-031 and EV-032 change the scene.
    #[serde(default, deserialize_with = "not_null", skip_serializing)]
    pub(crate) scene_id: Option<Value>,
}

/// PIN.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PinBody {
    pub(crate) name: Identifier,
    pub(crate) value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) document: Option<Value>,
}

/// REVISION.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RevisionBody {
    pub(crate) name: Identifier,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) document: Option<Value>,
}

/// RETRACTION.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetractionBody {
    pub(crate) fact_id: Handle,
    pub(crate) reason: Reason,
    /// Who says so, and what that rests on.
    #[serde(deserialize_with = "object")]
    pub(crate) provenance: Provenance,
}

/// Why a fact is retracted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Reason(pub(crate) String);

/// The most bytes of a reason.
const MAX_REASON_BYTES: usize = 4096;

impl Reason {
    fn parse(text: &str) -> Option<Reason> {
        let is_reason = text.len() <= MAX_REASON_BYTES && !text.trim().is_empty();
        is_reason.then(|| Reason(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reason, D::Error> {
        let expected = format!("a text that is not empty, of at most {MAX_REASON_BYTES} bytes");
        deserialize_text(deserializer, &expected, Reason::parse)
    }
}

/// COMPACTION.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompactionBody {
    pub(crate) compaction_policy_id: Handle,
    pub(crate) purpose: Identifier,
    #[serde(deserialize_with = "one_or_more")]
    pub(crate) input_handles: Vec<Handle>,
}

/// ASSET.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssetBody {
    pub(crate) stage: AssetStage,
    /// The handle of the stage before; none at the first stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "not_null")]
    pub(crate) of: Option<Handle>,
    pub(crate) document: Map<String, Value>,
    /// The players who will see the picture; at the first stage alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "distinct_if_present")]
    pub(crate) viewers: Option<Vec<Identifier>>,
}
