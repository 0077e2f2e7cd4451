//! The single checks of an audit, and what no check can compare.

use axilog::replay::Verdict;

use super::blobs::BlobReport;
use super::budgets::AuditBudgets;
use super::derivations::{DerivationFindings, Derivations};
use super::oracles::Oracles;
use super::raw_answers::RawAnswerSummary;
use super::report::{AuditCheck, AuditExpectations, AuditVerdict, CheckResult};
use super::running_values::RunningValueFindings;
use super::schemas::SchemaSummary;
use crate::encoding::hex;
use crate::error::LedgerFault;
use crate::manifest::{FoundManifest, Predecessor};
use crate::replay::{ReplayReport, describe_switches};
use crate::running_values::is_running_value_id;
use crate::verify::VerificationReport;

/// The most oracles whose models are named one by one as not compared.
const MAX_NAMED_ORACLES: usize = 20;

/// A check without details.
pub(super) fn check(subject: &'static str, result: CheckResult, finding: String) -> AuditCheck {
    AuditCheck {
        subject,
        result,
        finding,
        details: Vec::new(),
    }
}

/// The first three checks: chain, rules, decisions. Where the ledger has a fault, the check that found it ends
/// the list with a failure, and those after it are the caller's to fill up.
pub(super) fn check_decisions(
    replayed: &ReplayReport,
    rules_missing: Option<String>,
) -> Vec<AuditCheck> {
    use CheckResult::{Failed, NotChecked, Passed};
    let verification = &replayed.verification;
    let entries = verification.replay.entries();
    if let Some(fault) = &verification.fault {
        let failure = |subject| check(subject, Failed, describe_fault(fault));
        let chain = || check("chain", Passed, "every record is in order".to_owned());
        return match fault.verdict {
            Verdict::ConfigMismatch => vec![chain(), failure("rules")],
            Verdict::Diverged => {
                let found = "found; replay under them failed".to_owned();
                vec![chain(), check("rules", Passed, found), failure("decisions")]
            }
            // Every line before it is good, and a writer that was killed leaves one.
            Verdict::Torn if fault.sequence > 0 && !verification.replay.ledger().sealed => {
                vec![check("chain", NotChecked, describe_fault(fault))]
            }
            _ => vec![AuditCheck {
                details: describe_deployed(verification),
                ..failure("chain")
            }],
        };
    }
    let finding =
        format!("{entries} records, each in canonical form, in order and bound to the one before");
    let mut checks = vec![AuditCheck {
        details: describe_deployed(verification),
        ..check("chain", Passed, finding)
    }];
    match (&replayed.rules, rules_missing) {
        (Some((rules, source)), _) => {
            let finding = format!(
                "{} ({}); {}",
                hex(&rules.hash()),
                source.as_str(),
                describe_switches(rules.switches())
            );
            checks.push(check("rules", Passed, finding));
            let finding = "made again, and the same to the byte".to_owned();
            checks.push(check("decisions", Passed, finding));
        }
        (None, Some(error)) => {
            checks.push(check("rules", NotChecked, error));
            let finding = "the rules are missing".to_owned();
            checks.push(check("decisions", NotChecked, finding));
        }
        (None, None) => {
            let finding = "the ledger names no rules".to_owned();
            checks.push(check("rules", NotChecked, finding));
            let finding = "the ledger records no decision".to_owned();
            checks.push(check("decisions", NotChecked, finding));
        }
    }
    checks
}

/// What there is to say of records that deployed code wrote, a line each.
fn describe_deployed(verification: &VerificationReport) -> Vec<String> {
    let rows = verification.describe_deployed().into_iter();
    rows.map(|(word, line)| format!("{word} {line}").trim_start().to_owned())
        .collect()
}

fn describe_fault(fault: &LedgerFault) -> String {
    format!(
        "{}: record {} at byte {}: {}",
        fault.verdict.as_str(),
        fault.sequence,
        fault.offset,
        fault.reason
    )
}

pub(super) fn check_manifest(found: Option<&FoundManifest>) -> AuditCheck {
    let (result, finding) = match found {
        None => (
            CheckResult::Passed,
            "none (no name, note, schema or oracle was declared)".to_owned(),
        ),
        Some(FoundManifest::Good(manifest)) => {
            let name = manifest.name().unwrap_or("without a name");
            let note = manifest.note().map(|note| format!("; note: {note}"));
            let follows = manifest.predecessor().map(|before| {
                let Predecessor { entries, head } = before;
                format!("; follows the ledger of {entries} records with the head {head}")
            });
            let (note, follows) = (note.unwrap_or_default(), follows.unwrap_or_default());
            (CheckResult::Passed, format!("{name}{note}{follows}"))
        }
        Some(FoundManifest::Missing) => (
            CheckResult::NotChecked,
            "the blob that the configuration names is missing".to_owned(),
        ),
        Some(FoundManifest::Bad(reason)) => (CheckResult::Failed, reason.clone()),
    };
    check("manifest", result, finding)
}

pub(super) fn check_schemas(summary: &SchemaSummary, silent: Vec<String>) -> AuditCheck {
    use CheckResult::{Failed, NotChecked, Passed};
    if let Some((reason, is_bad)) = &summary.unusable {
        let result = if *is_bad { Failed } else { NotChecked };
        return check("schemas", result, reason.clone());
    }
    if !summary.is_declared {
        return check("schemas", Passed, "none is declared".to_owned());
    }
    let result = match (summary.faults, summary.unread) {
        (0, 0) => Passed,
        (0, _) => NotChecked,
        _ => Failed,
    };
    let mut finding = format!(
        "{} questions and {} answers conform, {} answers were refused",
        summary.questions, summary.answers, summary.refused
    );
    if summary.unread > 0 {
        finding = format!("{finding}, {} could not be read", summary.unread);
    }
    if summary.faults > 0 {
        finding = format!(
            "{finding}, {} are not recorded as they should be",
            summary.faults
        );
    }
    AuditCheck {
        details: [summary.named.as_slice(), &summary.refusals, &silent].concat(),
        ..check("schemas", result, finding)
    }
}

pub(super) fn check_models(oracles: &Oracles, expected: &AuditExpectations<'_>) -> AuditCheck {
    let known = oracles.by_id();
    let absent = expected.ledger.models.iter();
    let absent: Vec<String> = absent
        .filter(|(oracle_id, _)| !known.contains_key(oracle_id))
        .map(|(oracle_id, model_id)| {
            format!("oracle {oracle_id:?}, expected with the model {model_id:?}, has no record")
        })
        .collect();
    let result = match absent.is_empty() {
        true => CheckResult::Passed,
        false => CheckResult::Failed,
    };
    let finding = match known.len() {
        1 => "one oracle, always with the same model".to_owned(),
        oracles => format!("{oracles} oracles, each always with the same model"),
    };
    AuditCheck {
        details: absent,
        ..check("models", result, finding)
    }
}

/// What keeps a blob from being read.
const UNREAD: &str = "missing, damaged or longer than the budget blob-bytes";

pub(super) fn check_blobs(report: &BlobReport, budgets: &AuditBudgets) -> AuditCheck {
    let result = match report.verdict() {
        AuditVerdict::Ok => CheckResult::Passed,
        AuditVerdict::Incomplete => CheckResult::NotChecked,
        AuditVerdict::Failed => CheckResult::Failed,
    };
    let lists = [
        ("missing", &report.missing),
        ("damaged", &report.damaged),
        ("not read", &report.unread),
        ("left behind", &report.left_behind),
    ];
    let details = lists.iter().flat_map(|(word, list)| {
        let named = list.named.iter().map(move |blob| match blob.ledger_seq {
            Some(ledger_seq) => {
                format!(
                    "{word} {}, of observation {ledger_seq}",
                    blob.path.display()
                )
            }
            None => format!("{word} {}", blob.path.display()),
        });
        let rest = list.count.saturating_sub(list.named.len() as u64);
        named.chain((rest > 0).then(|| format!("{word} {rest} more")))
    });
    let mut finding = format!(
        "{} recomputed, {} damaged, {} missing, {} left behind",
        report.recomputed, report.damaged.count, report.missing.count, report.left_behind.count
    );
    if report.unread.count > 0 {
        finding = format!(
            "{finding}, {} not read: longer than the budget blob-bytes of {}",
            report.unread.count, budgets.blob_bytes
        );
    }
    AuditCheck {
        details: details.collect(),
        ..check("blobs", result, finding)
    }
}

/// Whether every answer is in its record, or bound by a RAW record and recorded as admission makes it.
/// `awaits_binding` says that the last record is an observation whose RAW record may still come.
pub(super) fn check_raw_answers(
    bound: u64,
    compared: &RawAnswerSummary,
    unbound: u64,
    awaits_binding: bool,
) -> AuditCheck {
    use CheckResult::{Failed, NotChecked, Passed};
    let RawAnswerSummary {
        unread,
        faults,
        named,
    } = compared;
    let (result, finding) = match (bound, unbound) {
        _ if *faults > 0 => (
            Failed,
            format!("{faults} of {bound} are not recorded as admission makes them"),
        ),
        (0, 0) => (Passed, "every answer is in its record".to_owned()),
        (_, 0) if *unread > 0 => (NotChecked, format!("{unread} of {bound} are {UNREAD}")),
        (_, 0) => (
            Passed,
            format!("{bound} bound by their length and hash, and recorded as admission makes them"),
        ),
        (_, 1) if awaits_binding => (
            NotChecked,
            format!(
                "the last one is not bound yet: its step was interrupted, and the next command that writes binds it where its blob is there; {bound} are bound"
            ),
        ),
        _ => (
            NotChecked,
            format!(
                "{unbound} that their records do not hold are bound by nothing, {bound} are bound; their steps were interrupted, a writer before version 0.2 recorded no such binding, or one was left out"
            ),
        ),
    };
    let rest = faults.saturating_sub(named.len() as u64);
    let more = (rest > 0).then(|| format!("{rest} more"));
    AuditCheck {
        details: named.iter().cloned().chain(more).collect(),
        ..check("raw answers", result, finding)
    }
}

pub(super) fn check_derivations(
    derivations: &Derivations,
    found: DerivationFindings,
    running: RunningValueFindings,
) -> AuditCheck {
    let unread = derivations.unread_inputs();
    let result = match (found.faulty_inputs, running.faults, unread) {
        (0, 0, 0) if running.incomplete.is_none() => CheckResult::Passed,
        (0, 0, _) => CheckResult::NotChecked,
        _ => CheckResult::Failed,
    };
    let mut finding = match derivations.count() {
        0 => "no input says that it was derived from an answer".to_owned(),
        count if found.faulty_inputs == 0 && found.refused_count > 0 => format!(
            "{count} inputs derived from answers; {} of their sources may not be acted on, as the inputs say",
            found.refused_count
        ),
        count if found.faulty_inputs > 0 => format!(
            "{count} inputs derived from answers; {} of them not as they say",
            found.faulty_inputs
        ),
        count => format!("{count} inputs derived from answers"),
    };
    if unread > 0 {
        finding = format!("{finding}; of the inputs, {unread} are {UNREAD}");
    }
    if running.recomputed > 0 {
        finding = format!(
            "{finding}; {} running values computed again, and the same",
            running.recomputed
        );
    }
    if running.faults > 0 {
        finding = format!(
            "{finding}; {} running values are not as declared",
            running.faults
        );
    }
    if let Some(seq) = running.incomplete {
        finding = format!(
            "{finding}; the running values after answer {seq} are missing: a step was interrupted, or cut off; the next command that writes completes it"
        );
    }
    let mut details = found.faults;
    details.extend(running.named);
    let unnamed = found
        .refused_count
        .saturating_sub(found.refused.len() as u64);
    details.extend(found.refused);
    if unnamed > 0 {
        details.push(format!("{unnamed} more, as the inputs say"));
    }
    AuditCheck {
        details,
        ..check("derivations", result, finding)
    }
}

pub(super) fn check_end(replayed: &ReplayReport) -> AuditCheck {
    let verification = &replayed.verification;
    let sealed = verification.replay.ledger().sealed;
    let (result, finding) = match (verification.is_interrupted(), sealed) {
        (true, _) => (
            CheckResult::NotChecked,
            "the decision on the last observation is missing: a step was interrupted, or cut off; the next command that writes completes it",
        ),
        (false, true) => (CheckResult::Passed, "sealed; nothing can be added"),
        (false, false) => (CheckResult::Passed, "the last step is whole; not sealed"),
    };
    check("end", result, finding.to_owned())
}

pub(super) fn list_not_compared(
    oracles: &Oracles,
    expected: &AuditExpectations<'_>,
    has_held_head: bool,
) -> Vec<String> {
    let mut list = Vec::new();
    let ledger = &expected.ledger;
    if ledger.head.is_none() {
        list.push(
            match (
                ledger.entries.is_some(),
                ledger.earlier_heads.is_empty() && !has_held_head,
            ) {
                (_, false) => "whether records after the noted head were cut off or written anew: only the present head shows that",
                (true, true) => "whether the whole ledger was written anew: only a head held elsewhere shows that",
                (false, true) => "whether records were cut off the end, or the whole ledger was written anew: only a head held elsewhere shows that",
            }
            .to_owned(),
        );
    }
    if expected.rules.policies.is_none() {
        list.push("whether the rules are those that should be: no policies were named".to_owned());
    }
    let pinned = |oracle_id: &str| {
        ledger.models.iter().any(|(oracle, _)| oracle == oracle_id)
            || is_running_value_id(oracle_id)
    };
    let unpinned = oracles.by_id().iter().filter(|(id, _)| !pinned(id));
    list.extend(unpinned.take(MAX_NAMED_ORACLES).map(|(oracle_id, oracle)| {
        format!(
            "whether {:?} is the model that oracle {oracle_id:?} should have",
            oracle.model_id
        )
    }));
    let rest = oracles.by_id().keys().filter(|id| !pinned(id)).count();
    let rest = rest.saturating_sub(MAX_NAMED_ORACLES);
    if rest > 0 {
        list.push(format!(
            "whether the models of {rest} more oracles are those that should be"
        ));
    }
    list
}
