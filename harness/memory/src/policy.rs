//! The policies that decide what a working set holds, and their ids (document, sections 4.5 and 6).
//!
//! An id is the hash of the canonical statement of the policy. Whoever changes what a policy does
//! states it anew: the id changes with it, and rebuilding asserts the id (gate G6).

use serde_json::json;

use crate::canonical::{CanonicalJson, HASH, PROFILE};
use crate::error::Result;
use crate::fixed_words;
use crate::handle::Handle;

/// The pin of the rule that counts a budget.
pub(crate) const BUDGET: &str = "budget_policy";

/// The pin of the policy by which a working set ends.
pub(crate) const TRUNCATION: &str = "truncation_policy";

/// The pin of the plan by which a working set selects facts.
pub(crate) const SELECTION: &str = "selection_policy";

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

/// The ids of the truncation policy, by revision. The first gives the longest beginning that fits, so that one thing that is
/// too large hides all after it.
pub(crate) fn truncation() -> Result<[Handle; 2]> {
    Ok([
        policy_id(
            "truncation/1",
            "compactions, then facts, each in order; the first that does not fit ends its slice and all behind it; nothing is cut inside",
        )?,
        policy_id(
            "truncation/2",
            "compactions, then facts, each in order, in the room that the frame leaves; one may take a quarter of the room, \
all compactions half of it; a fact above its quota is told by its gist, and left out where it has none within the quota; a \
compaction above its quota is left out; the first that does not fit ends its slice; then what was left out or told by its \
gist for its quota is told whole, in order, where it fits; of what is left out for its quota the first 8 are named; nothing \
is cut inside; where the tokenizer counts the whole above the budget, the last fact is left out, then the last compaction, \
then the last name",
        )?,
    ])
}

/// The ids of the rule that counts tokens, by revision. The first counts less than any tokenizer does.
pub(crate) fn budget_rule() -> Result<[Handle; 2]> {
    Ok([
        policy_id(
            "budget/1",
            "a token is 4 bytes of canonical JSON, the last one begun counts",
        )?,
        policy_id(
            "budget/2",
            "the canonical JSON as the tokenizer that the query names splits it; without one a token is a byte",
        )?,
    ])
}

/// The id of the plan by which a working set selects facts. A memory from before it lacks the pin, and considers them in the
/// order of the ordering policy.
pub(crate) fn selection() -> Result<Handle> {
    policy_id(
        "selection/1",
        "facts are considered until the budget is full, each once: first what is pointed to by the scene that is on, then by \
the threads in their order, by a tag, the stable_key or the fact_id, the newest first; then what matches the search; then the \
newest by its entry; MATCHING, NEWEST and KEY are the second step, the third, or the order of the ordering policy alone. \
Before that the kinds, key prefix, tags and handles of the query apply, and the most facts of a kind. A search knows of \
an UNLOCKED fact payload and details, of a LOCKED one the gist, as its audience is told it, with [locked] as nothing, and of its \
own text what is no guess. Terms, at most the first 64: runs of letters, marks and digits in compatible forms, lower case, without the accents \
U+0300 to U+036F, with ss for ß; each word of two and more by itself, and where it has three and more and no digit its \
first 5 letters, without a final s after three others, with a stroke after them; in scripts without spaces and in Hangul \
pairs of letters. Of each term the newest 256 facts that have it are counted; with n of them its weight is 9 less the whole \
part of the binary logarithm of n. A fact that was counted has the sum of the weights of the terms it has; the greater sum \
comes first, then the newer fact",
    )
}

/// Whether a memory that pins `pinned` follows the second revision of a policy. What no build pinned is as the first.
pub(crate) fn is_second(revisions: [Handle; 2], pinned: Option<&str>) -> bool {
    pinned == Some(&*revisions[1].to_string())
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

/// The pins of this build besides the mask matrix: name and the value that a new memory has.
pub(crate) fn own_pins() -> Result<Vec<(&'static str, String)>> {
    let ([_, budget], [_, truncation]) = (budget_rule()?, truncation()?);
    Ok(vec![
        (BUDGET, budget.to_string()),
        ("canonical_json_profile", PROFILE.to_owned()),
        ("compaction_policy", gist_list()?.to_string()),
        ("hash", HASH.to_owned()),
        ("ordering_policy", ordering()?.to_string()),
        ("pvib_schema", pvib_schema()?.to_string()),
        (TRUNCATION, truncation.to_string()),
    ])
}

/// Whether this build follows an earlier revision of its pin `name` where a memory has that.
pub(crate) fn knows_earlier(name: &str, pinned: &str) -> Result<bool> {
    let [earlier, _] = match name {
        BUDGET => budget_rule()?,
        TRUNCATION => truncation()?,
        _ => return Ok(false),
    };
    Ok(earlier.to_string() == pinned)
}
