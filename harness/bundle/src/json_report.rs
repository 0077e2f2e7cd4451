//! The objects that the command prints with `--json`, and `libaxilog_host` gives.

use std::path::Path;

use serde_json::{Value, json};

use crate::catalogue::{Catalogue, PipelineStep};
use crate::gbnf::{FoundInText, GrammarVerdict};
use crate::model::StepAwarenessBundle;
use crate::render::RenderedPrompt;

/// The object of `axilog bundle build`.
#[must_use]
pub fn bundle_json(bundle: &StepAwarenessBundle) -> Value {
    // A bundle has no map with other keys than text, which is all that could fail.
    serde_json::to_value(bundle).unwrap_or_default()
}

/// The object of `axilog bundle render`. `tokenizer` is the name of what counted the tokens.
#[must_use]
pub fn prompt_json(
    bundle: &StepAwarenessBundle,
    rendered: &RenderedPrompt,
    tokenizer: &str,
) -> Value {
    json!({
        "prompt": rendered.prompt,
        "grammar_name": bundle.context().grammar_name(),
        "tokens": rendered.tokens,
        "token_limit": bundle.budgets().prompt_limit(),
        "tokenizer": tokenizer,
        "truncated": rendered.truncated,
    })
}

/// The object of `axilog bundle check`, of the catalogue at `path`; `None` for the built-in one. Its `ok` says whether
/// every grammar that the catalogue names is good.
#[must_use]
pub fn catalogue_json(catalogue: &Catalogue, path: Option<&Path>) -> Value {
    let steps = catalogue.steps().iter();
    let (steps, problems): (Vec<Value>, Vec<Vec<String>>) = steps
        .map(|step| {
            let problems = find_problems(catalogue, step);
            (step_json(step, &problems), problems)
        })
        .unzip();
    json!({
        "ok": problems.iter().all(Vec::is_empty),
        "catalogue": path.map(Path::to_string_lossy),
        "contracts": catalogue.contracts(),
        "steps": steps,
    })
}

fn find_problems(catalogue: &Catalogue, step: &PipelineStep) -> Vec<String> {
    let names = [Some(step.grammar()), step.fallback_grammar()];
    let names = names.into_iter().flatten();
    names
        .filter_map(|name| catalogue.find_grammar_problem(name))
        .collect()
}

fn step_json(step: &PipelineStep, problems: &[String]) -> Value {
    json!({
        "id": step.id(),
        "name": step.name(),
        "grammar": step.grammar(),
        "fallback_grammar": step.fallback_grammar(),
        "key_metrics": step.key_metrics(),
        "problems": problems,
    })
}

/// What the object of `axilog bundle match` says of a text, whatever its file is and that of the grammar.
#[must_use]
pub fn verdict_json(verdict: &GrammarVerdict) -> Value {
    let (reason, place) = match verdict {
        GrammarVerdict::Matches => (None, None),
        GrammarVerdict::DoesNotMatch(mismatch) => {
            (Some(mismatch.to_string()), Some(mismatch.place))
        }
        GrammarVerdict::CannotBeTold(undecided) => {
            (Some(undecided.to_string()), Some(undecided.place))
        }
    };
    let (found, expected) = match verdict {
        GrammarVerdict::DoesNotMatch(mismatch) => {
            let found = match mismatch.found {
                FoundInText::Character(c) => json!(c),
                FoundInText::InvalidByte(byte) => json!(byte),
                FoundInText::End => Value::Null,
            };
            (found, json!(mismatch.expected))
        }
        _ => (Value::Null, json!([])),
    };
    json!({
        "verdict": verdict.as_str(),
        "ok": verdict.is_match(),
        "reason": reason,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "found": found,
        "expected": expected,
    })
}
