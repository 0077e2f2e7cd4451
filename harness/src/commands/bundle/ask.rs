//! `axilog bundle ask`: a bundle's prompt, put to a model.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog::evidence::observation::Params;
use axilog_bundle::gbnf::GrammarVerdict;
use axilog_bundle::render_prompt_with_counter;
use axilog_ledger::encoding::hex;
use axilog_ledger::session::check_identities;
use axilog_oracle::{GrammarDialect, Oracle, OracleKind};
use clap::ValueEnum;
use serde::Serialize;

use super::consult::{BundleConstraint, BundleConsultation, BundleQuestion, PreparedQuestion};
use super::inputs::{Counter, Inputs};
use crate::Failure;
use crate::error::CommandError;
use crate::ledger_without_policies;
use crate::options::free_server_args::FreeServerArgs;
use crate::output::Report;
use crate::output::decision;
use crate::output::table;

/// The id of the oracle in the ledger.
const ORACLE: &str = "llm";

/// Put the prompt of a step's bundle to a model, and check the answer against the grammar.
///
/// The bundle is recorded first, with the hashes of the prompt, the grammar and every file that went
/// in; then the answer is, before it is looked at. Asks at temperature 0, for no more tokens than the
/// budget reserves for the answer. Exits 0 where the answer fits the grammar, else 1:
/// GRAMMAR_MISMATCH where it does not, NOT_ADMITTED where the ledger does not hold it as COMPLETE,
/// NO_ANSWER where the call failed. Exits 3 where nobody can tell within ten million steps whether
/// it fits: CANNOT_BE_TOLD. The key is taken from OPENAI_API_KEY, or ANTHROPIC_API_KEY for
/// the oracle anthropic.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    counter: Counter,
    /// The model, exactly as its server names it.
    #[arg(long, value_name = "ID")]
    model: String,
    /// Who answers: openai, anthropic, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    oracle: OracleKind,
    #[command(flatten)]
    server: FreeServerArgs,
    /// Send the grammar too, in the way of this server; others refuse it.
    #[arg(
        long,
        value_enum,
        value_name = "SERVER",
        conflicts_with = "response_format"
    )]
    send_grammar: Option<Server>,
    /// The ledger; begun where it is new, without policies.
    #[arg(long, value_name = "FILE", default_value = "axilog-bundle.jsonl")]
    ledger: PathBuf,
}

/// The answer to a bundle's prompt, and whether it fits the grammar.
#[derive(Serialize)]
struct AskResult<'a> {
    verdict: &'static str,
    ok: bool,
    reason: Option<String>,
    /// The answer as the ledger holds it; `None` where it holds no whole one.
    answer: Option<&'a str>,
    grammar_name: &'a str,
    model: &'a str,
    ledger: Cow<'a, str>,
    bundle_sha256: String,
    bundle_seq: u64,
    input_hash: String,
    ledger_seq: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Server {
    /// As the member `grammar`.
    LlamaCpp,
    /// As `structured_outputs.grammar`.
    Vllm,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    // Everything that can be refused is, before a ledger is created.
    check_identities(ORACLE, &args.model)?;
    let counter = args.counter.open()?;
    let catalogue = args.inputs.catalogue()?;
    let (bundle, mut notes) = args.inputs.bundle(&catalogue)?;
    let rendered = render_prompt_with_counter(&bundle, &*counter)?;
    let grammar = catalogue.grammar(bundle.context().grammar_name())?;
    let response_format = args.server.read_response_format()?;
    let mut endpoint = Oracle::open(&args.oracle, &args.server.options())?;
    let grammar_dialect = args.send_grammar.map(|server| match server {
        Server::LlamaCpp => GrammarDialect::LlamaCpp,
        Server::Vllm => GrammarDialect::Vllm,
    });
    let response_format = response_format
        .as_ref()
        .map(BundleConstraint::ResponseFormat);
    let reserve = bundle.budgets().generation_reserve();
    let asking = BundleQuestion {
        model: &args.model,
        rendered: &rendered,
        grammar: &grammar,
        constraint: grammar_dialect
            .map(BundleConstraint::Grammar)
            .or(response_format),
        params: Params {
            max_tokens: Some(i32::try_from(reserve).unwrap_or(i32::MAX)),
            temperature: Some(0),
            ..Params::NULL
        },
    };
    let prepared = PreparedQuestion::new(&bundle, &asking)?;
    prepared.check_for_endpoint(&endpoint)?;
    let mut session = ledger_without_policies::open_or_begin(&args.ledger)?;
    notes.extend(decision::opening_notes(&session, false));
    let asked = prepared.ask(&mut session, &mut endpoint, ORACLE)?;
    let report = report(args, bundle.context().grammar_name(), &asked, notes);
    match asked.fits {
        Some(GrammarVerdict::CannotBeTold(_)) => {
            Err(CommandError::NoVerdict(Box::new(report)).into())
        }
        _ => Ok(report),
    }
}

fn report(args: &Args, grammar: &str, asked: &BundleConsultation, notes: Vec<String>) -> Report {
    let consultation = &asked.consultation;
    let recorded = &consultation.decision.observation;
    let held = recorded.completion.as_str();
    let (verdict, reason) = match (&consultation.exchange.reply, &asked.fits) {
        (Err(fault), _) => ("NO_ANSWER", Some(fault.to_string())),
        (Ok(_), None) => (
            "NOT_ADMITTED",
            Some(format!("the ledger holds it as {held}")),
        ),
        (Ok(_), Some(GrammarVerdict::DoesNotMatch(mismatch))) => {
            ("GRAMMAR_MISMATCH", Some(mismatch.to_string()))
        }
        (Ok(_), Some(GrammarVerdict::CannotBeTold(undecided))) => {
            ("CANNOT_BE_TOLD", Some(undecided.to_string()))
        }
        (Ok(_), Some(GrammarVerdict::Matches)) => ("OK", None),
    };
    let answer = asked.answer.as_deref();
    let mut rows = vec![("verdict", verdict.to_owned())];
    rows.extend(reason.clone().map(|reason| ("reason", reason)));
    rows.extend([
        ("grammar", grammar.to_owned()),
        ("model", args.model.clone()),
        ("ledger", args.ledger.display().to_string()),
        ("bundle", hex(&asked.bundle_hash)),
        ("prompt", hex(&recorded.input_hash)),
        (
            "records",
            format!(
                "{} (bundle), {} (answer)",
                asked.bundle_seq, recorded.ledger_seq
            ),
        ),
    ]);
    // Not in the table, which would break its lines.
    let said = answer.map_or_else(String::new, |answer| format!("\n{answer}\n"));
    let result = AskResult {
        verdict,
        ok: verdict == "OK",
        reason,
        answer,
        grammar_name: grammar,
        model: &args.model,
        ledger: args.ledger.to_string_lossy(),
        bundle_sha256: hex(&asked.bundle_hash),
        bundle_seq: asked.bundle_seq,
        input_hash: hex(&recorded.input_hash),
        ledger_seq: recorded.ledger_seq,
    };
    Report::new(result.ok, table::format_pairs(&rows) + &said, &result).with_notes(notes)
}
