//! Whether policies limit the running values that a new ledger declares. decisions.md D41.

use std::path::Path;

use axilog_policyc::{selector_path, split_scale};

use crate::error::LedgerError;
use crate::manifest::Manifest;
use crate::rules::RuleSet;

/// The path of the policies on the time between two times.
const ELAPSED: &str = "elapsed";

/// Checks that each running value has a policy of its own, and that no policy for every oracle would refuse it always.
pub(super) fn check_running_value_limits(
    path: &Path,
    manifest: &Manifest,
    rules: &RuleSet,
) -> Result<(), LedgerError> {
    let policies = rules.policies();
    let named = policies.named_oracles();
    let is_of_value = |selector: &str| matches!(split_scale(selector).0, "value" | "/value");
    let for_every_oracle = policies.policies().iter().find(|policy| {
        let selector = policy.selector.as_str();
        policy.enabled
            && selector_path(selector) == selector
            && selector != ELAPSED
            && !is_of_value(selector)
    });
    for id in manifest.running_values().keys() {
        let reason = match for_every_oracle {
            _ if !named.contains(&id.as_str()) => format!(
                "no enabled policy has it as its oracle; add one, oracle = \"{id}\" and path = \"value\", or leave the running value out"
            ),
            Some(policy) => format!(
                "the policy {} is for every oracle and looks for {}, which a running value lacks: it would refuse each; give the policy an oracle",
                policy.policy_id, policy.selector
            ),
            None => continue,
        };
        return Err(LedgerError::RunningValueNotLimited {
            path: path.to_owned(),
            id: id.clone(),
            reason,
        });
    }
    Ok(())
}
