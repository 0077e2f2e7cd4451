//! The place of a session among the attempts under its plan, and among the corrections of a run.

use axilog_ledger::encoding::hex;

use super::finding::ReplayFinding;
use super::replayer::Replayer;
use crate::error::X0lError;
use crate::log::{AttemptLog, FrozenSettings, PlanDocument, RunDirectory, is_there};

/// Checks that the settings are those of the plan whose hash they name, and that the places are possible ones.
pub(super) fn check_places(replayer: &mut Replayer<'_>, frozen: &FrozenSettings) {
    let mut add = |field: &str, found: String, expected: &str| {
        replayer.add_finding(RunDirectory::METADATA, field, found, expected);
    };
    if let Some(place) = &frozen.plan {
        let planned = place.planned;
        let hash = planned.map(|planned| PlanDocument::new(frozen, planned).hash());
        if hash != Some(place.subject) {
            let expected = "the hash of the plan that these settings make";
            add("frozen.plan.subject", hex(&place.subject), expected);
        }
    }
    if let Some(place) = &frozen.correction
        && (frozen.corrects != Some(place.subject) || place.planned.is_some())
    {
        let expected = "the head of the run that the erratum corrects";
        add("frozen.correction.subject", hex(&place.subject), expected);
    }
    for (field, place) in [
        ("frozen.plan.attempt", &frozen.plan),
        ("frozen.correction.attempt", &frozen.correction),
    ] {
        if let Some(place) = place.as_ref().filter(|place| !place.is_consistent()) {
            let found = format!("{} after {} others", place.attempt, place.earlier.len());
            add(field, found, "the number after those of all earlier ones");
        }
    }
}

/// Checks the file that counts the corrections of this run, where there is one.
pub(super) fn check_corrections(replayer: &mut Replayer<'_>) -> Result<(), X0lError> {
    let name = RunDirectory::CORRECTIONS;
    let path = replayer.run.path().join(name);
    if !is_there(&path) {
        return Ok(());
    }
    replayer.replay.others.remove(name);
    match AttemptLog::new(path, replayer.replay.head).read() {
        Ok(_) => {}
        Err(X0lError::Log(error)) => {
            let finding = ReplayFinding::unreadable(name, error.error).on_line(error.line);
            replayer.replay.findings.push(finding);
        }
        Err(error) => return Err(error),
    }
    Ok(())
}
