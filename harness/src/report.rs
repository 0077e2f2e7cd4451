//! `axilog report`: one page for auditors that verifies itself in their browser.

mod page;

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use axilog::replay::Verdict;
use axilog_ledger::derivation_graph::read_derived_questions;
use axilog_ledger::error::{FileError, LedgerError, LedgerFault};
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input_file::open_input;
use axilog_ledger::manifest::MAX_MANIFEST_BYTES;
use axilog_ledger::replay::{ReplayReport, replay_ledger};
use axilog_ledger::rules::{RuleSet, RulesSource};
use axilog_ledger::verify::{
    LedgerExpectations, VerificationReport, describe_verdict, verify_ledger,
};
use serde_json::{Value, json};

use super::output::Report;
use super::output_stream::OutputStream;
use super::output_target::OutputTarget;
use super::{Failure, expectations, table, verify};
use crate::error::CommandError;
use page::Page;

/// Write a page about a ledger, for auditors: verdict, facts, timeline, every record's bytes.
///
/// The page is one file, loads nothing, and opens from disk. It holds the ledger's exact bytes and
/// verifies them in the browser, with scripts that can be read in its source, so that nobody needs
/// to trust this command. A ledger that is damaged or that cannot be replayed is reported too, and the
/// exit code is 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    file: PathBuf,
    /// Write the page here instead of to standard output, for which - stands.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    rules: expectations::RulesArgs,
    /// The longest ledger that is put into a page, in MiB: the browser holds all of it in memory.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u64).range(1..=MAX_LIMIT))]
    limit: u64,
    /// With --output, one JSON object on standard output; errors are an object in any case.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Browsers bound the length of a text, at half a gigabyte or more: in Base64, this much still fits.
const MAX_LIMIT: u64 = 256;

/// The most bytes of questions made from answers that go into a page.
const MAX_QUESTIONS_BYTES: u64 = 16 << 20;

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let path = &args.file;
    let inputs = args.rules.inputs_with(path);
    let target = OutputTarget::open(args.output.as_deref(), &inputs)?;
    let policies = args.rules.read_policies()?;
    let ledger = read(path, args.limit)?;
    let expected = LedgerExpectations::default();
    let checked = verify_ledger(Cursor::new(&ledger), None, &expected, &mut |_| {})
        .map_err(FileError::from_io(path, "read the ledger"))?;
    let again = Cursor::new(&ledger);
    let rules = args.rules.expect(policies.as_ref());
    let replayed = replay_ledger(again, path, rules, &expected, &mut |_| {});
    let (decisions, rules) = match replayed {
        Ok(replayed) => {
            let decisions = Decisions::of(&checked, &replayed);
            (decisions, replayed.rules.map(|(rules, _)| rules))
        }
        Err(error) => (Decisions::unknown(error)?, None),
    };
    let configuration = rules.as_ref().map(RuleSet::to_canonical);
    let manifest = match rules.as_ref().and_then(RuleSet::manifest) {
        Some(hash) => BlobStore::of_ledger(path).read(&hash, MAX_MANIFEST_BYTES)?,
        None => None,
    };

    let questions = read_derived_questions(Cursor::new(&ledger), path, MAX_QUESTIONS_BYTES)?;

    let mut report = verify::report(path, &checked);
    let page = Page {
        ledger: &ledger,
        path,
        verify: &report.json,
        replay: &decisions.json(),
        configuration: configuration.as_deref(),
        manifest: manifest.as_deref(),
        questions: &questions,
    };
    let output = target.path().map(Path::to_owned);
    target.write(|out, name| write(&page, out, name))?;

    match &decisions {
        Decisions::Faulty(fault) => {
            report.passed = false;
            let note = format!("{}: replay: {fault}", path.display());
            report.notes.push(note);
        }
        Decisions::Unknown { note, .. } => {
            report.passed &= note.is_none();
            let note = note.iter().map(|note| format!("not replayed: {note}"));
            report.notes.extend(note);
        }
        Decisions::Decided { .. } => {}
    }
    let Some(output) = output else {
        // Standard output has the page; what is wrong is a remark.
        let damaged = checked.fault.iter();
        report
            .notes
            .extend(damaged.map(|fault| format!("{}: {fault}", path.display())));
        return Ok(Report {
            text: String::new(),
            json: Value::Null,
            ..report
        });
    };
    let rows = [("page", output.display().to_string())];
    report.text.push_str(&table::format_pairs(&rows));
    if let Some(object) = report.json.as_object_mut() {
        object.insert("ok".to_owned(), report.passed.into());
        object.insert("output".to_owned(), output.to_string_lossy().into());
        object.insert("replay".to_owned(), decisions.json());
    }
    Ok(report)
}

fn write(page: &Page<'_>, out: impl Write, name: &Path) -> Result<(), CommandError> {
    let mut out = OutputStream::new(out);
    page.write(&mut out);
    out.finish(name)
}

/// The whole ledger, so that everything that follows is about the same bytes.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>, CommandError> {
    let file = open_input(path, "open the ledger")?;
    let most = limit << 20;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileError::from_io(path, "read the ledger"))?;
    if bytes.len() as u64 > most {
        let path = path.to_owned();
        return Err(CommandError::BeyondPage { path, limit });
    }
    Ok(bytes)
}

/// What replay found.
enum Decisions {
    /// What is recorded, under rules from this source.
    Decided {
        source: RulesSource,
        interrupted: bool,
    },
    /// Something else.
    Faulty(LedgerFault),
    /// Nothing, and why; the note is for whoever runs the command.
    Unknown {
        why: &'static str,
        note: Option<String>,
    },
}

impl Decisions {
    fn of(checked: &VerificationReport, replayed: &ReplayReport) -> Decisions {
        let unknown = |why| Decisions::Unknown { why, note: None };
        if checked.fault.is_some() {
            return unknown("the ledger is not good");
        }
        match (&replayed.verification.fault, &replayed.rules) {
            (Some(fault), _) => Decisions::Faulty(fault.clone()),
            (None, Some((_, source))) => Decisions::Decided {
                source: *source,
                interrupted: matches!(replayed.verification.replay.resume(), Ok((_, Some(_)))),
            },
            (None, None) => unknown("the configuration is not known"),
        }
    }

    /// Why rules that cannot be had decide nothing; any other error stays one.
    fn unknown(error: LedgerError) -> Result<Decisions, LedgerError> {
        let why = match error {
            LedgerError::ConfigurationMissing { .. } => "the configuration is missing",
            LedgerError::ConfigurationUnreadable { .. } => {
                "the configuration has an operator that policy files do not know"
            }
            error => return Err(error),
        };
        let note = Some(error.to_string());
        Ok(Decisions::Unknown { why, note })
    }

    /// The same wherever the ledger lies: no paths.
    fn json(&self) -> Value {
        match self {
            Decisions::Decided {
                source,
                interrupted,
            } => json!({
                "verdict": Verdict::Ok.as_str(),
                "configuration_source": source.as_str(),
                "interrupted": interrupted,
            }),
            Decisions::Faulty(fault) => json!({
                "verdict": fault.verdict.as_str(),
                "sequence": fault.sequence,
                "offset": fault.offset,
                "reason": describe_verdict(fault.verdict),
            }),
            Decisions::Unknown { why, .. } => json!({ "verdict": null, "reason": why }),
        }
    }
}
