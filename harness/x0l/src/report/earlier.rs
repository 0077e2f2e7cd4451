//! Where the report that is in the run's directory contradicts the run. Such a report is not replaced.

use serde_json::Value;

use super::files::{DECISIONS, FORMAT, JSON, MARKDOWN, TOKENS, is_interrupted};
use crate::document::excerpt;
use crate::frozen_code::{canonicalizer_hashes, kernel_hashes};
use crate::log::noted_report::{NotedEvidence, NotedReport};
use crate::log::{FrozenSettings, RunDirectory, RunFormat};
use crate::replay::{ReplayFinding, RunReplay, compare_json};

/// Finds where the report contradicts the run. `rebuilt` is the report that the run gives under the review as
/// the report has seen it. The heads were compared while the ledgers were read.
pub(super) fn find_contradictions(
    earlier: &NotedReport,
    run: &RunDirectory,
    replay: &RunReplay,
    rebuilt: &Value,
) -> Vec<ReplayFinding> {
    let report = match earlier {
        NotedReport::Absent => return find_orphans(run),
        NotedReport::Unreadable(reason) => {
            let found = excerpt(&reason.as_str().into());
            return vec![ReplayFinding::new(JSON, "", found, "a report")];
        }
        NotedReport::Present(report) => report,
    };
    let NotedEvidence {
        format,
        ledger,
        replay: noted,
        ..
    } = &report.noted;
    if format != FORMAT {
        // Reports on runs of an earlier version may be of an earlier format too.
        let metadata = replay.metadata.as_ref();
        let is_earlier = metadata.is_some_and(|data| is_of_earlier_version(&data.frozen));
        let finding = ReplayFinding::new(JSON, "format", excerpt(&(&**format).into()), FORMAT);
        return if is_earlier {
            Vec::new()
        } else {
            vec![finding]
        };
    }
    if !noted.ok || ledger.entries != replay.entries {
        return Vec::new();
    }
    if !replay.is_good() {
        return vec![ReplayFinding::new(
            JSON,
            "replay",
            format!("{} differences now", replay.findings.len()),
            "none, as when the report was written",
        )];
    }
    let mut conflicts = Vec::new();
    compare_json(&report.text, rebuilt, "", &mut |field, found, expected| {
        let expected = format!("{expected}, as the run has it");
        conflicts.push(ReplayFinding::new(JSON, field, found, expected));
    });
    conflicts
}

/// Whether another version of the program made the run, by the form of the run or by the code that decided in it.
fn is_of_earlier_version(frozen: &FrozenSettings) -> bool {
    let code = (frozen.canonicalizer, frozen.kernel);
    frozen.format == RunFormat::V1 || code != (canonicalizer_hashes(), kernel_hashes())
}

/// The report's name is given last, so that its other files do not stand alone unless it was removed, or its
/// writing was interrupted.
fn find_orphans(run: &RunDirectory) -> Vec<ReplayFinding> {
    let exists = |name: &str| run.path().join(name).exists();
    let others = [MARKDOWN, DECISIONS, TOKENS];
    let orphan = others.into_iter().find(|name| exists(name));
    let missing = |orphan: &str| {
        let expected = format!("one: it was written with {orphan}, which is there");
        ReplayFinding::new(JSON, "", "no such file", expected)
    };
    let orphan = orphan.filter(|_| !is_interrupted(run));
    orphan.map(missing).into_iter().collect()
}
