//! `axilog report`: one page for auditors that verifies itself in their browser.

mod examined_ledger;
mod page;

use std::borrow::Cow;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use axilog::replay::Verdict;
use axilog_ledger::audit::{AuditCheck, AuditExpectations, AuditReport, AuditVerdict, CheckResult};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::json_report::audit::audit_json;
use axilog_ledger::manifest::MAX_MANIFEST_BYTES;
use axilog_ledger::questions::{LedgerQuestions, read_questions};
use axilog_ledger::rules::RuleSet;
use axilog_ledger::verify::{LedgerExpectations, VerificationReport, describe_verdict};
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::commands::audit::{DepthArgs, describe_audit};
use crate::error::CommandError;
use crate::options::expectations;
use crate::output::Report;
use crate::output::stream::OutputStream;
use crate::output::table;
use crate::output::target::OutputTarget;
use crate::output::verification::report_verification;
use examined_ledger::{ExaminedLedger, LedgerContents};
use page::Page;

/// Write a web page about a ledger for auditors: verdict, facts, timeline, and the bytes of every record.
///
/// The page is one file, loads nothing, and opens from disk. It holds the ledger's exact bytes and
/// verifies them in the browser, with scripts that can be read in its source, so that nobody needs
/// to trust this command; and the questions, up to 16 MiB. Its first word is the verdict of `axilog audit`, and so is
/// the exit code: 0 for OK only. A ledger that is damaged or that cannot be replayed is reported too. Of one that is
/// too long for a page a summary is written. --json prints an object where the page goes to a file.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// Write the page here instead of to standard output, for which - stands.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    #[command(flatten)]
    depth: DepthArgs,
    /// The longest ledger that is put into a page, in MiB: the browser holds all of it in memory. A longer one gets a
    /// summary.
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_LIMIT,
          value_parser = clap::value_parser!(u64).range(1..=MAX_LIMIT))]
    limit: u64,
}

/// A page that was written into a file.
#[derive(Serialize)]
struct ReportResult<'a> {
    #[serde(flatten)]
    verification: &'a Value,
    /// Whether the verdict of the audit is OK. It takes the place of the verification's member of this name.
    ok: bool,
    output: Cow<'a, str>,
    replay: &'a ReplayFinding,
    audit: Value,
    /// Whether the page is a summary without records.
    summary: bool,
}

/// What the replay within the audit found.
#[derive(Serialize)]
#[serde(untagged)]
enum ReplayFinding {
    /// The ledger was not replayed.
    NotReplayed { verdict: (), reason: Option<String> },
    /// The record `sequence`, at the byte `offset`, is not what the rules give.
    Fault {
        verdict: &'static str,
        sequence: u64,
        offset: u64,
        reason: &'static str,
    },
    Good {
        verdict: &'static str,
        configuration_source: &'static str,
        interrupted: bool,
    },
}

/// The longest ledger that is put into a page where nothing else is said, in MiB.
const DEFAULT_LIMIT: u64 = 64;

/// Browsers bound the length of a text, at half a gigabyte or more: in Base64, this much still fits.
const MAX_LIMIT: u64 = 256;

/// The most bytes of questions that go into a page.
const MAX_QUESTIONS_BYTES: u64 = 16 << 20;

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let inputs = args.rules.inputs_with(path);
    let target = OutputTarget::open(args.output.as_deref(), &inputs)?;
    let policies = args.rules.read_policies()?;
    let rules = args.rules.expect(policies.as_ref());
    let expected = args.depth.expect(LedgerExpectations::default(), rules);
    let contents = PageContents::read(path, args.limit, &expected)?;
    let output = target.path().map(Path::to_owned);
    target.write(|out, name| contents.write(path, out, name))?;

    let audited = &contents.examined.audited;
    let passed = audited.verdict() == AuditVerdict::Ok;
    let is_summary = matches!(contents.examined.contents, LedgerContents::Counts(_));
    let summary = is_summary.then(|| describe_summary(path, args.limit));
    let Some(output) = output else {
        // Standard output has the page; what is not good is a remark.
        let open = audited.checks.iter();
        let open = open.filter(|check| check.result != CheckResult::Passed);
        let notes = open.map(|check| {
            let AuditCheck {
                subject,
                result,
                finding,
                ..
            } = check;
            format!(
                "{}: {subject} {}: {finding}",
                path.display(),
                result.as_str()
            )
        });
        return Ok(Report::without_result(passed).with_notes(notes.chain(summary)));
    };
    let rows = [("page", output.display().to_string())];
    let text = describe_audit(path, audited) + &table::format_pairs(&rows);
    let result = ReportResult {
        verification: &contents.verify,
        ok: passed,
        output: output.to_string_lossy(),
        replay: &contents.replay,
        audit: audit_json(path, audited),
        summary: is_summary,
    };
    Ok(Report::new(passed, text, &result).with_notes(summary))
}

/// What is said of a page that does not hold its ledger.
fn describe_summary(path: &Path, limit: u64) -> String {
    format!(
        "{}: is longer than {limit} MiB, the most that is put into a page (--limit), so the page is a summary without \
         records; `axilog show`, `export` and `stats` read a ledger of any length",
        path.display()
    )
}

/// The page about the ledger at `path` that the command writes without options.
#[cfg(feature = "gateway")]
pub(crate) fn render_page(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    PageContents::read(path, DEFAULT_LIMIT, &AuditExpectations::default())?
        .write(path, &mut page, path)?;
    Ok(page)
}

/// What is found of a ledger for its page.
struct PageContents {
    examined: ExaminedLedger,
    /// The longest ledger that a page holds, in MiB.
    limit: u64,
    configuration: Option<String>,
    manifest: Option<Vec<u8>>,
    questions: LedgerQuestions,
    verify: Value,
    audit: Value,
    replay: ReplayFinding,
}

impl PageContents {
    fn read(
        path: &Path,
        limit: u64,
        expected: &AuditExpectations<'_>,
    ) -> Result<PageContents, Failure> {
        let examined = ExaminedLedger::examine(path, limit << 20, expected)?;
        let ExaminedLedger { audited, chain, .. } = &examined;
        let rules = audited.rules.as_ref().map(|(rules, _)| rules);
        let configuration = rules.map(RuleSet::to_canonical);
        let manifest = match rules.and_then(RuleSet::manifest) {
            Some(hash) => BlobStore::of_ledger(path).read(&hash, MAX_MANIFEST_BYTES)?,
            None => None,
        };
        let questions = read_questions(Cursor::new(examined.bytes()), path, MAX_QUESTIONS_BYTES)?;
        let audit = without_directory(audit_json(path, audited), path);
        Ok(PageContents {
            limit,
            configuration,
            manifest,
            questions,
            verify: report_verification(path, chain).json,
            replay: find_replay(chain, audited, &audit),
            audit,
            examined,
        })
    }

    fn write(&self, path: &Path, out: impl Write, name: &Path) -> Result<(), CommandError> {
        let mut out = OutputStream::new(out);
        let page = Page {
            examined: &self.examined,
            limit: self.limit,
            path,
            judgement: self.examined.audited.verdict(),
            audit: &self.audit,
            verify: &self.verify,
            replay: &self.replay,
            configuration: self.configuration.as_deref(),
            manifest: self.manifest.as_deref(),
            questions: &self.questions,
        };
        page.write(&mut out);
        out.finish(name)
    }
}

/// What the replay within the audit found. `audit` is the audit without a path, since the page is the same wherever the
/// ledger lies.
fn find_replay(
    checked: &VerificationReport,
    audited: &AuditReport,
    audit: &Value,
) -> ReplayFinding {
    let not_replayed = |reason| ReplayFinding::NotReplayed {
        verdict: (),
        reason,
    };
    if checked.fault.is_some() {
        return not_replayed(Some("the ledger is not good".to_owned()));
    }
    let verification = &audited.verification;
    if let Some(fault) = &verification.fault {
        return ReplayFinding::Fault {
            verdict: fault.verdict.as_str(),
            sequence: fault.sequence,
            offset: fault.offset,
            reason: describe_verdict(fault.verdict),
        };
    }
    match &audited.rules {
        Some((_, source)) => ReplayFinding::Good {
            verdict: Verdict::Ok.as_str(),
            configuration_source: source.as_str(),
            interrupted: verification.is_interrupted(),
        },
        None => {
            let mut checks = audit["checks"].as_array().into_iter().flatten();
            let rules = checks.find(|check| check["subject"] == "rules");
            let finding = rules.and_then(|check| check["finding"].as_str());
            not_replayed(finding.map(str::to_owned))
        }
    }
}

/// The audit with the ledger's name in place of its path, in the texts that name the ledger or its blobs.
fn without_directory(mut audit: Value, path: &Path) -> Value {
    let Some(name) = path.file_name() else {
        return audit;
    };
    let [path, name] = [path.as_os_str(), name].map(|name| name.display().to_string());
    let shorten = |text: &mut Value| {
        let Value::String(text) = text else { return };
        *text = text.replace(&format!("{path}.blobs"), &format!("{name}.blobs"));
        if let Some(rest) = text.strip_prefix(&format!("{path}: ")) {
            *text = format!("{name}: {rest}");
        }
    };
    for check in audit["checks"].as_array_mut().into_iter().flatten() {
        shorten(&mut check["finding"]);
        check["details"]
            .as_array_mut()
            .into_iter()
            .flatten()
            .for_each(shorten);
    }
    audit
}
