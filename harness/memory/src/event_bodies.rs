//! The bodies of the events that need no command of their own: reading spots, rules, modes, scenes, nudges, roleplay
//! (document, sections 5B and 8).

use serde::{Deserialize, Serialize};

use crate::bodies::RecallScope;
use crate::document::nullable;
use crate::identifier::Identifier;
use crate::words::words;

words! {
    /// A mode of play.
    pub enum Mode {
        /// The game is played.
        Play = "PLAY",
        /// The memory accompanies a game that is played elsewhere.
        Companion = "COMPANION",
        /// The memory answers questions about the world.
        Reference = "REFERENCE",
        /// The players write in their notebooks.
        Notebook = "NOTEBOOK",
    }
}

/// EV-020.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadingSpotBody {
    pub(crate) setting: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}

/// EV-021.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleRefBody {
    pub(crate) rule_ref: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    pub(crate) actor_id: Identifier,
    pub(crate) unlock_scope: RecallScope,
}

/// EV-030.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModeBody {
    pub(crate) mode: Mode,
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}

/// EV-031 and EV-032.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SceneBody {
    pub(crate) scene_id: Identifier,
}

/// EV-033.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NudgeBody {
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    pub(crate) nudge_type: Identifier,
    /// Whom or what the nudge is about: a player, a thread, a clock, a fact.
    #[serde(deserialize_with = "nullable")]
    pub(crate) target_handle: Option<Identifier>,
    pub(crate) reason_code: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}

/// EV-034.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuppressedNudgeBody {
    #[serde(deserialize_with = "nullable")]
    pub(crate) scene_id: Option<Identifier>,
    pub(crate) reason_code: Identifier,
    pub(crate) rule_ref: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}

/// EV-100 to EV-110.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlaybackBody {
    pub(crate) playback_id: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}

/// EV-120 and EV-121: why a roleplay failed, or why something else was played.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleplayFailureBody {
    pub(crate) playback_id: Identifier,
    pub(crate) reason_code: Identifier,
    pub(crate) rule_ref: Identifier,
    #[serde(deserialize_with = "nullable")]
    pub(crate) cause_handle: Option<Identifier>,
}
