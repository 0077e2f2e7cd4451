//! What `axilog ablation run` says of the runs that it made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axilog_ablation::margin::Margin;
use axilog_ablation::run::{Run, RunStatus};
use axilog_ablation::run_document::StatusReport;
use axilog_ablation::variant::Variant;
use serde::Serialize;
use serde_json::Value;

use super::comparison_table::render_table;
use super::{compare, run_files};
use crate::Failure;
use crate::options::checkpoints::SignedHeads;
use crate::output::{Report, table};

/// The runs of an experiment, and their comparison where all of several runs are valid.
#[derive(Serialize)]
struct ExperimentResult {
    ok: bool,
    runs: Vec<RunResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Value>,
}

/// A run: how it ended, and the head of its ledger.
#[derive(Serialize)]
struct RunResult {
    /// What came of signing the heads of its ledger; `None` where they are not signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<Value>,
    detail: Option<String>,
    dir: String,
    head: String,
    reason: Option<String>,
    steps: usize,
    variant: &'static str,
    verdict: String,
}

/// Builds the result of the runs of `variants` below `out`, and writes their comparison, with this margin, where all are
/// valid. `signed` is what came of signing the heads of the variants' ledgers.
pub(super) fn build_report(
    (out, margin): (&Path, Option<Margin>),
    variants: &[Variant],
    runs: &[(Variant, PathBuf, Run)],
    mut signed: BTreeMap<Variant, SignedHeads>,
) -> Result<Report, Failure> {
    let (mut rows, mut heads, mut results) = (Vec::new(), Vec::new(), Vec::new());
    let mut checkpoints = Vec::new();
    for (variant, dir, run) in runs {
        let head = run_files::read_head(dir)?;
        let status = StatusReport::new(&run.status);
        let steps = run.steps().count();
        let verdict = match (&run.status, steps) {
            (RunStatus::Invalid(invalid, _), _) => invalid.to_string(),
            (RunStatus::Interrupted(_), 0) => "not asked: baseline invalid".to_owned(),
            (RunStatus::Interrupted(_), _) => "stopped: baseline invalid".to_owned(),
            _ => status.summary(),
        };
        rows.push([dir.display().to_string(), steps.to_string(), verdict]);
        heads.push((variant.as_str(), head.clone()));
        let (told, checkpoint) = signed.remove(variant).unzip();
        checkpoints.extend(told.map(|told| (variant.as_str(), told)));
        results.push(RunResult {
            checkpoint,
            detail: status.detail,
            dir: dir.to_string_lossy().into_owned(),
            head,
            reason: status.reason,
            steps,
            variant: variant.as_str(),
            verdict: status.verdict,
        });
    }
    let fine = runs.iter().all(|(.., run)| run.status == RunStatus::Valid);
    for variant in variants.iter().skip(runs.len()) {
        let dir = out.join(variant.as_str()).display().to_string();
        rows.push([
            dir,
            "0".to_owned(),
            "not asked: baseline invalid".to_owned(),
        ]);
    }
    let mut text = table::format_grid(["run", "steps", "how it ended"], [34, 8, 36], &rows);
    let mut result = ExperimentResult {
        ok: fine,
        runs: results,
        comparison: None,
    };
    if fine && runs.len() > 1 {
        let dirs: Vec<PathBuf> = runs.iter().map(|(_, dir, _)| dir.clone()).collect();
        let comparison = compare::compare_new_runs(out, &dirs, margin)?;
        text.push('\n');
        text.push_str(&render_table(&comparison));
        result.comparison = Some(comparison.document());
    }
    text.push_str("\nheads of the ledgers, for axilog ablation replay --expect-head\n\n");
    text.push_str(&table::format_pairs(&heads));
    if !checkpoints.is_empty() {
        text.push_str("\nsigned heads of the ledgers\n\n");
        text.push_str(&table::format_pairs(&checkpoints));
    }
    Ok(Report::new(fine, text, &result))
}
