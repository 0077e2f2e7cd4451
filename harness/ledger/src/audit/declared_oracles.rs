//! The check of an audit that only declared oracles answered, and that a policy judged what was permitted where one is
//! required.
//!
//! SRS-004 §11.1 (SHALL-013); formats.md §5 (Manifest).

use super::checks::check;
use super::oracles::Oracles;
use super::report::{AuditCheck, CheckResult, name_first};
use crate::manifest::FoundManifest;
use crate::running_values::is_running_value_id;

/// Makes the check. `are_rules_missing` says whether the rules could not be had, which name the manifest;
/// `require_policy` whether the caller requires a policy.
pub(super) fn check_oracles(
    oracles: &Oracles,
    are_rules_missing: bool,
    found: Option<&FoundManifest>,
    require_policy: bool,
) -> AuditCheck {
    let known = oracles.by_id();
    let (declared, is_required) = match found {
        Some(FoundManifest::Good(manifest)) => (
            manifest.oracles(),
            require_policy || manifest.requires_policy(),
        ),
        _ => (None, require_policy),
    };
    let mut faults = Vec::new();
    let mut silent = Vec::new();
    let mut finding = "none is declared".to_owned();
    if let Some(declared) = declared {
        // What the ledger computes itself is another check's.
        let others = known
            .keys()
            .filter(|id| !declared.contains(*id) && !is_running_value_id(id));
        faults.extend(others.map(|id| format!("oracle {id:?} is not declared, and has a record")));
        let others = faults.len();
        let unheard = declared.iter().filter(|id| !known.contains_key(*id));
        silent.extend(unheard.map(|id| format!("oracle {id:?} is declared and has no record")));
        finding = format!("{} declared, {others} others have records", declared.len());
    }
    if is_required {
        let unjudged = known.iter().filter(|(_, o)| o.unjudged_answers > 0);
        let mut count = 0u64;
        for (id, oracle) in unjudged {
            count = count.saturating_add(oracle.unjudged_answers);
            faults.push(format!(
                "{} answers of oracle {id:?} were permitted without any policy",
                oracle.unjudged_answers
            ));
        }
        finding =
            format!("{finding}; a policy is required, and {count} answers were permitted without");
    }
    let has_faults = !faults.is_empty();
    let mut details = name_first(faults);
    details.extend(name_first(silent));
    let unknown = match found {
        _ if has_faults => None,
        None if are_rules_missing => {
            Some("the rules are missing, and with them what the ledger declares")
        }
        Some(FoundManifest::Missing) => Some("the manifest is missing"),
        Some(FoundManifest::Bad(_)) => Some("the manifest is bad"),
        _ => None,
    };
    if let Some(reason) = unknown {
        return check("oracles", CheckResult::NotChecked, reason.to_owned());
    }
    let result = match has_faults {
        true => CheckResult::Failed,
        false => CheckResult::Passed,
    };
    AuditCheck {
        details,
        ..check("oracles", result, finding)
    }
}
