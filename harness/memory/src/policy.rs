//! The policies that decide what a working set holds, and their ids (document, sections 4.5 and 6).
//!
//! An id is the hash of the canonical statement of the policy. Whoever changes what a policy does
//! states it anew: the id changes with it, and rebuilding asserts the id (gate G6).

use serde_json::json;

use super::canonical::{Canonical, HASH, Handle, PROFILE};
use super::error::Result;
use super::wording;

/// Bytes of canonical JSON that count as one token.
pub const BYTES_PER_TOKEN: u64 = 4;

/// Facts stand by `stable_key`, then by `fact_id`, both as bytes.
pub fn ordering() -> Result<Handle> {
    id(
        "ordering/1",
        "facts by stable_key, then fact_id; compactions by purpose, then compaction_id; as bytes",
    )
}

/// The longest beginning that fits.
pub fn truncation() -> Result<Handle> {
    id(
        "truncation/1",
        "compactions, then facts, each in order; the first that does not fit ends its slice and all behind it; nothing is cut inside",
    )
}

/// How tokens are counted.
pub fn budget_rule() -> Result<Handle> {
    id(
        "budget/1",
        "a token is 4 bytes of canonical JSON, the last one begun counts",
    )
}

/// How the gists of facts become a compaction.
pub fn gist_list() -> Result<Handle> {
    id(
        "gist-list/1",
        "the gist of each input fact in their order, an UNLOCKED fact without one as its payload",
    )
}

/// The schema of a PVIB.
pub fn pvib_schema() -> Result<Handle> {
    id(
        wording::PVIB,
        "schema, working_set_id, elements: array of detail_handle and exact; nothing besides",
    )
}

fn id(policy: &str, rule: &str) -> Result<Handle> {
    Ok(Canonical::of("a policy", json!({ "policy": policy, "rule": rule }))?.handle())
}

/// The pins that this build has by itself, beside the mask matrix.
pub fn pins() -> Result<Vec<(&'static str, String)>> {
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
