//! The words that every output has, whatever is in the memory.
//!
//! An exact string that is one of them could not be kept out of any output, so no fact may have it.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::canonical::{HASH, PROFILE};
use super::fold::Folded;
use super::id::{ATTEMPTS, Id, MODES, RECALL_SCOPES, RESULTS};
use super::mask::{MASKS, OutputClass};

/// What stands for a locked exact string.
pub const LOCKED: &str = "[locked]";

/// The schema of a working set, and its name.
pub const WORKING_SET: &str = "axilog-working-set/1";

/// The schema of a PVIB, and its name.
pub const PVIB: &str = "axilog-pvib/1";

/// The member names of all outputs.
const MEMBERS: &[&str] = &[
    "allowmention_handles",
    "budget_policy_id",
    "campaign_id",
    "channels",
    "compaction_id",
    "compaction_policy_id",
    "compactions_slice",
    "complete",
    "detail_handle",
    "details",
    "directives",
    "elements",
    "exact",
    "fact_id",
    "facts_slice",
    "form",
    "gist",
    "handle",
    "kind",
    "lines",
    "locked_precision_handles",
    "mask_matrix_id",
    "mode",
    "name",
    "ordering_policy_id",
    "output_class",
    "payload",
    "pins",
    "policy_ids",
    "precision",
    "purpose",
    "query_id",
    "scene_id",
    "schema",
    "state_slice",
    "truncation_policy_id",
    "value",
    "why",
    "working_set_id",
    "world_id",
];

/// The names of story pointers and of the pins that every memory has.
const NAMES: &[&str] = &[
    "threads",
    "clocks",
    "regions",
    "session_id",
    "reading_spot",
    "canonical_json_profile",
    "hash",
    "mask_matrix",
    "ordering_policy",
    "truncation_policy",
    "budget_policy",
    "compaction_policy",
    "pvib_schema",
];

/// What a working set asks of whoever reads it.
#[must_use]
pub fn directives() -> Value {
    json!({
        "channels": "model text never enters the memory and never selects what is in it",
        "precision": "mention exactly only what allowmention_handles names; of all else the gist",
        "why": "answer why by opening the rule_ref alone",
    })
}

/// What stands before the bytes of the working set in a prompt.
pub const PROMPT_HEAD: &str = "You render the scene. Everything you may use stands in the working set below, \
canonical JSON; follow its directives.\n\n=== WORKING SET ===\n";

/// What stands behind them, before what the table asks.
pub const PROMPT_REQUEST: &str = "\n\n=== REQUEST ===\n";

/// All of it, folded, a text each.
pub(super) fn fixed() -> &'static [Folded] {
    static FIXED: LazyLock<Vec<Folded>> = LazyLock::new(|| {
        let mut texts: Vec<String> = Vec::new();
        for list in [
            MEMBERS,
            NAMES,
            MODES,
            ATTEMPTS,
            RESULTS,
            RECALL_SCOPES,
            &MASKS,
        ] {
            texts.extend(list.iter().map(|text| (*text).to_owned()));
        }
        texts.extend(OutputClass::ALL.map(|class| class.as_str().to_owned()));
        texts.extend(Id::ALL.iter().map(|id| format!("{id} {}", id.about())));
        for text in [
            LOCKED,
            WORKING_SET,
            PVIB,
            PROMPT_HEAD,
            PROMPT_REQUEST,
            PROFILE,
            HASH,
            "true",
            "false",
            "null",
            "COMPACTION",
            "EXACT",
            "GIST",
        ] {
            texts.push(text.to_owned());
        }
        texts.push(directives().to_string());
        texts.iter().map(|text| Folded::of(text)).collect()
    });
    &FIXED
}
