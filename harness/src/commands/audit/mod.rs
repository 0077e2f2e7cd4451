//! `axilog audit`: everything that can be checked of a ledger, as one verdict.

mod fleet;
mod search;

use std::path::{Path, PathBuf};

use axilog_ledger::audit::{
    AuditBudget, AuditBudgets, AuditCheck, AuditExpectations, AuditReport, AuditVerdict,
    CheckResult, UnjudgedOracle, audit_with_heads,
};
use axilog_ledger::encoding::hex;
use axilog_ledger::json_report::audit::audit_json;
use axilog_ledger::ledger_input::open_ledger;
use axilog_ledger::rules::ExpectedRules;
use axilog_ledger::verify::LedgerExpectations;
use axilog_policyc::PolicySet;

use crate::Failure;
use crate::error::CommandError;
use crate::options::expectations;
use crate::options::held_checkpoint::{HeldCheckpointArgs, find_saved_tree};
use crate::output::table;
use crate::output::{Report, write_result, write_results};
use crate::replay_ledger::open_regular_file;

/// Audit ledgers: make every check of verify and replay, compare blobs, rules, models and derivations, and give one verdict.
///
/// OK: every check was made and passed. FAILED: one failed. INCOMPLETE: one could not be made. Only OK exits 0. The
/// lines `not compared` list what no ledger can show by itself and you gave nothing to compare with: heads, policies,
/// models. The lines `not judged` name oracles whose answers no policy judged. JSON: an object for each FILE.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file, or several, or folders: of these the files below them whose names end in .jsonl, .jsonl.gz or
    /// .jsonl.zst. Several ledgers are audited at a time, and give one table, the worst first.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    expected: expectations::ExpectedArgs,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    #[command(flatten)]
    depth: DepthArgs,
    #[command(flatten)]
    held: HeldCheckpointArgs,
}

/// How deep an audit goes, which `axilog report` takes too.
#[derive(clap::Args)]
pub(crate) struct DepthArgs {
    /// Raise a budget, so that more of the ledger is read: blob-bytes, the most bytes of one blob
    /// (67108864 where nothing else is said). What exceeds a budget is not read, and the verdict is
    /// INCOMPLETE.
    #[arg(long, value_name = "NAME=NUMBER")]
    budget: Vec<AuditBudget>,
    /// A policy must have judged every answer that was permitted, as where the ledger itself requires it.
    #[arg(long)]
    require_policy: bool,
}

impl DepthArgs {
    /// What an audit expects that has these options.
    pub(crate) fn expect<'p>(
        &self,
        ledger: LedgerExpectations,
        rules: ExpectedRules<'p>,
    ) -> AuditExpectations<'p> {
        let mut budgets = AuditBudgets::default();
        for budget in &self.budget {
            budgets.set(*budget);
        }
        AuditExpectations {
            ledger,
            rules,
            require_policy: self.require_policy,
            budgets,
        }
    }
}

/// Audits every ledger and gives the exit code.
pub(crate) fn run(args: &Args, json: bool) -> u8 {
    if search::is_one_ledger(&args.files) {
        let given = args.read_expected(&args.files);
        return write_results(json, &args.files, given, |path, (ledger, policies)| {
            let rules = args.rules.expect(policies.as_ref());
            run_on(path, &args.depth.expect(ledger.clone(), rules), &args.held)
        });
    }
    let found = search::find_ledgers(&args.files);
    let paths: Vec<PathBuf> = found.iter().map(|place| place.path().to_owned()).collect();
    let files = if args.files.len() > 1 {
        &args.files
    } else {
        &paths
    };
    let given = args.held.refuse().and_then(|()| args.read_expected(files));
    match given {
        Err(error) => write_result(json, Err(error.into())),
        Ok((ledger, policies)) => fleet::audit_fleet(found, json, &|path| {
            let rules = args.rules.expect(policies.as_ref());
            let expected = args.depth.expect(ledger.clone(), rules);
            let mut heads = find_saved_tree(path);
            let ledger = open_ledger(path)?;
            Ok(audit_with_heads(ledger, path, &expected, &mut heads)?)
        }),
    }
}

impl Args {
    fn read_expected(
        &self,
        files: &[PathBuf],
    ) -> Result<(LedgerExpectations, Option<PolicySet>), CommandError> {
        Ok((self.expected.for_files(files)?, self.rules.read_policies()?))
    }
}

fn run_on(
    path: &Path,
    expected: &AuditExpectations<'_>,
    held: &HeldCheckpointArgs,
) -> Result<Report, Failure> {
    let mut ledger = open_regular_file(path)?;
    let mut heads = held.read(&mut ledger, path)?;
    let audited = audit_with_heads(ledger, path, expected, &mut heads)?;
    let passed = audited.verdict() == AuditVerdict::Ok;
    Ok(Report {
        passed,
        text: describe_audit(path, &audited),
        json: audit_json(path, &audited),
        notes: Vec::new(),
    })
}

pub(crate) fn describe_audit(path: &Path, audited: &AuditReport) -> String {
    let mut rows = vec![(audited.verdict().as_str(), path.display().to_string())];
    let verification = &audited.verification;
    if verification.fault.is_none() {
        let ledger = verification.replay.ledger();
        let sealed = if ledger.sealed { ", sealed" } else { "" };
        let entries = verification.replay.entries();
        rows.push(("records", format!("{entries}{sealed}")));
        rows.push(("head", hex(&ledger.head)));
    }
    // What one fault hides is one line.
    for checks in audited.checks.chunk_by(hides_both) {
        if let [first, _, ..] = checks {
            let subjects: Vec<&str> = checks.iter().map(|check| check.subject).collect();
            let line = format!("{}: {}", subjects.join(", "), first.finding);
            rows.push(("not checked", line));
            continue;
        }
        for check in checks {
            let finding = match check.result {
                CheckResult::Passed => check.finding.clone(),
                result => format!("{}: {}", result.as_str().to_uppercase(), check.finding),
            };
            rows.push((check.subject, finding));
            rows.extend(check.details.iter().map(|detail| ("", detail.clone())));
        }
    }
    let unjudged = audited.unjudged_oracles.iter().map(|oracle| {
        let UnjudgedOracle { oracle_id, answers } = oracle;
        format!("{answers} answers of oracle {oracle_id:?}: no policy covers them")
    });
    rows.extend(unjudged.map(|line| ("not judged", line)));
    let not_compared = audited.not_compared.iter();
    rows.extend(not_compared.map(|line| ("not compared", line.clone())));
    table::format_pairs(&rows)
}

/// Whether both checks could not be made, for the same reason.
fn hides_both(a: &AuditCheck, b: &AuditCheck) -> bool {
    let unmade = [a, b].map(|check| check.result == CheckResult::NotChecked);
    unmade == [true, true] && a.finding == b.finding
}
