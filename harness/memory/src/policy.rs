//! The policies that decide what a working set holds, and their ids (document, sections 4.5 and 6).
//!
//! An id is the hash of the canonical statement of the policy. Whoever changes what a policy does
//! states it anew: the id changes with it, and rebuilding asserts the id (gate G6).

use serde_json::json;

use crate::canonical::{CanonicalJson, HASH, PROFILE};
use crate::error::Result;
use crate::fixed_words;
use crate::handle::Handle;

/// Bytes of canonical JSON that count as one token.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;

/// The pin whose value says how many guesses at locked strings a scene allows.
pub(crate) const GUESSES_PER_SCENE: &str = "guesses_per_scene";

/// How many guesses a scene allows where no pin says another number.
pub(crate) const DEFAULT_GUESSES: u64 = 64;

/// The number of guesses that the pin's value says, if it says one.
pub(crate) fn parse_guess_limit(value: &str) -> Option<u64> {
    value.parse::<u32>().ok().map(u64::from)
}

/// The id of the ordering policy: facts stand by `stable_key`, then by `fact_id`, both as bytes.
pub(crate) fn ordering() -> Result<Handle> {
    policy_id(
        "ordering/1",
        "facts by stable_key, then fact_id; compactions by purpose, then compaction_id; as bytes",
    )
}

/// The id of the truncation policy: the longest beginning that fits.
pub(crate) fn truncation() -> Result<Handle> {
    policy_id(
        "truncation/1",
        "compactions, then facts, each in order; the first that does not fit ends its slice and all after it; nothing is cut inside",
    )
}

/// The id of the rule that counts tokens.
pub(crate) fn budget_rule() -> Result<Handle> {
    policy_id(
        "budget/1",
        "a token is 4 bytes of canonical JSON, the last one begun counts",
    )
}

/// The id of the policy that makes a compaction of the gists of facts.
pub(crate) fn gist_list() -> Result<Handle> {
    policy_id(
        "gist-list/1",
        "the gist of each input fact in their order, an UNLOCKED fact without one as its payload",
    )
}

/// The id of the schema of an image brief (PVIB).
pub(crate) fn pvib_schema() -> Result<Handle> {
    policy_id(
        fixed_words::IMAGE_BRIEF,
        "schema, working_set_id, elements: array of detail_handle and exact; nothing besides",
    )
}

fn policy_id(policy: &str, rule: &str) -> Result<Handle> {
    Ok(CanonicalJson::from_value("a policy", json!({ "policy": policy, "rule": rule }))?.handle())
}

/// The pins of this build besides the mask matrix: name and value.
pub(crate) fn own_pins() -> Result<Vec<(&'static str, String)>> {
    Ok(vec![
        ("budget_policy", budget_rule()?.to_string()),
        ("canonical_json_profile", PROFILE.to_owned()),
        ("compaction_policy", gist_list()?.to_string()),
        ("hash", HASH.to_owned()),
        ("ordering_policy", ordering()?.to_string()),
        ("pvib_schema", pvib_schema()?.to_string()),
        ("truncation_policy", truncation()?.to_string()),
    ])
}
