//! `axilog bundle match`: whether a text fits a grammar.

use std::borrow::Cow;
use std::path::PathBuf;

use axilog_bundle::BundleError;
use axilog_bundle::catalogue::read_grammar;
use axilog_bundle::gbnf::{Grammar, GrammarErrorKind, GrammarVerdict, MAX_STEPS};
use axilog_bundle::json_report::verdict_json;
use axilog_ledger::input_file::{MAX_INPUT_BYTES, read_input};
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::table;

/// The verdict where the text fits.
const MATCHES: &str = "MATCHES";

/// The verdict where nobody can say whether the text fits.
const CANNOT_BE_TOLD: &str = "CANNOT_BE_TOLD";

/// Say whether the text of a file fits a grammar.
///
/// MATCHES, exit code 0, where all of it does. DOES_NOT_MATCH, 1, with the place of the first
/// character that could not stand there, and what could. CANNOT_BE_TOLD, 3, where the text is more
/// work than the steps allow, or the grammar has tokens of a vocabulary or is too large. A grammar
/// that llama.cpp refuses is refused with FILE:LINE:COLUMN and the reason, 2. The text is compared
/// byte for byte, as an answer is: a line end at its end is part of it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The grammar: a file in GBNF, or the name of a built-in one.
    grammar: PathBuf,
    /// The text; - for standard input.
    file: PathBuf,
    /// The most steps of the comparison.
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
}

/// Whether a text fits a grammar.
#[derive(Serialize)]
struct MatchResult<'a> {
    #[serde(flatten)]
    judgement: Judgement,
    /// Why not. It takes the place of the judgement's member of this name.
    reason: Option<String>,
    /// What must be changed in the text so that it matches, where that is known.
    hint: Option<String>,
    grammar: Cow<'a, str>,
    file: Cow<'a, str>,
}

/// What is said of the text.
#[derive(Serialize)]
#[serde(untagged)]
enum Judgement {
    /// The text was compared.
    Compared(Value),
    /// The text was not compared, since the grammar cannot be read.
    NotCompared {
        verdict: &'static str,
        ok: bool,
        line: (),
        column: (),
        found: (),
        expected: [&'static str; 0],
    },
}

/// What is said of the text, for the report.
struct Finding {
    verdict: &'static str,
    judgement: Judgement,
    reason: Option<String>,
    hint: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let grammar = match read_grammar(&args.grammar) {
        Ok((grammar, _)) => Ok(grammar),
        // Nobody could match the text against it, and llama.cpp perhaps can.
        Err(BundleError::Grammar { path, source })
            if source.kind == GrammarErrorKind::Unsupported =>
        {
            Err(format!("the grammar {}:{source}", path.display()))
        }
        Err(error) => {
            let missing = matches!(error, BundleError::NoGrammar { .. });
            let failure = Failure::from(error);
            return Err(match missing {
                true => Failure { code: 3, ..failure },
                false => failure,
            });
        }
    };
    let text = read_input(&args.file, "read the text", MAX_INPUT_BYTES)?;
    let finding = match grammar {
        Ok(grammar) => judge(&grammar, &text, args.steps),
        Err(reason) => Finding {
            verdict: CANNOT_BE_TOLD,
            judgement: Judgement::NotCompared {
                verdict: CANNOT_BE_TOLD,
                ok: false,
                line: (),
                column: (),
                found: (),
                expected: [],
            },
            reason: Some(reason),
            hint: None,
        },
    };
    let undecided = finding.verdict == CANNOT_BE_TOLD;
    let report = report(args, finding);
    match undecided {
        true => Err(CommandError::NoVerdict(Box::new(report)).into()),
        false => Ok(report),
    }
}

fn judge(grammar: &Grammar, text: &[u8], steps: u64) -> Finding {
    let verdict = grammar.judge_bytes(text, steps);
    let (reason, hint) = match &verdict {
        GrammarVerdict::Matches => (None, None),
        GrammarVerdict::DoesNotMatch(mismatch) => {
            (Some(mismatch.to_string()), find_hint(grammar, text, steps))
        }
        GrammarVerdict::CannotBeTold(undecided) => {
            (Some(format!("{undecided}; --steps allows more")), None)
        }
    };
    Finding {
        verdict: verdict.as_str(),
        judgement: Judgement::Compared(verdict_json(&verdict)),
        reason,
        hint,
    }
}

/// What an editor or a system may have put into the text and a model has not: where the text would match
/// without it, that is said.
fn find_hint(grammar: &Grammar, text: &[u8], steps: u64) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let without_mark = |text: &str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    let with_feeds = |text: &str| text.replace("\r\n", "\n");
    let without_end = |text: &str| {
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text).to_owned()
    };
    let all = without_end(&with_feeds(&without_mark(text)));
    [
        (without_end(text), "without the line end at its end"),
        (
            without_mark(text),
            "without the byte-order mark at its beginning",
        ),
        (with_feeds(text), "with LF in place of CR LF"),
        (
            all,
            "with LF in place of CR LF, without a byte-order mark and the line end at its end",
        ),
    ]
    .into_iter()
    .find(|(changed, _)| {
        changed != text && grammar.judge_bytes(changed.as_bytes(), steps).is_match()
    })
    .map(|(_, how)| format!("the text matches {how}"))
}

fn report(args: &Args, finding: Finding) -> Report {
    let result = MatchResult {
        judgement: finding.judgement,
        reason: finding.reason,
        hint: finding.hint,
        grammar: args.grammar.to_string_lossy(),
        file: args.file.to_string_lossy(),
    };
    let mut rows = vec![("verdict", finding.verdict.to_owned())];
    rows.extend(result.reason.clone().map(|reason| ("reason", reason)));
    rows.extend(result.hint.clone().map(|hint| ("hint", hint)));
    rows.extend([
        ("grammar", result.grammar.to_string()),
        ("file", result.file.to_string()),
    ]);
    let passed = finding.verdict == MATCHES;
    Report::new(passed, table::format_pairs(&rows), &result)
}
