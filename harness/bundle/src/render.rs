//! Rendering the prompt of a bundle (A8.2): sections in the order of their tiers, within the budget (A2).

use serde::Serialize;

use super::count::{PromptTokenCounter, WordEstimate};
use super::error::BundleError;
use super::fit::{FittedText, fit_both};
use super::model::{BundleContext, StepAwarenessBundle};

/// A rendered prompt, its tokens, and the parts that were cut for its budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The prompt; without a line feed at its end.
    pub prompt: String,
    /// The number of tokens of the prompt.
    pub tokens: u64,
    /// The parts that were cut or left out for the budget: `tier1`, `history`, `telemetry`.
    pub truncated: Vec<&'static str>,
}

/// Renders the prompt of a bundle; tokens are estimated from words.
///
/// # Errors
/// [`BundleError::Tier0`].
pub fn render_prompt_from_bundle(bundle: &StepAwarenessBundle) -> Result<String, BundleError> {
    render_prompt_with_counter(bundle, &WordEstimate).map(|rendered| rendered.prompt)
}

/// Renders the prompt of a bundle; `tokens` counts the tokens.
///
/// Tier 0 is whole. What is left of the window, less the answer's reserve and less what Tier 0 has or
/// has reserved, goes to Tier 1, then to the history, then to the telemetry, each up to its cap. The two
/// sections of Tier 1, and those of the telemetry, share: each is sure of half, and of what the other leaves.
///
/// # Errors
/// [`BundleError::Tier0`]; [`BundleError`] where tokens cannot be counted.
pub fn render_prompt_with_counter(
    bundle: &StepAwarenessBundle,
    tokens: &dyn PromptTokenCounter,
) -> Result<RenderedPrompt, BundleError> {
    let (context, budgets) = (bundle.context(), bundle.budgets());
    let limit = budgets.prompt_limit();
    let mut prompt = tier0(context);
    let needed = tokens.count(&prompt)?;
    if needed > limit {
        return Err(BundleError::Tier0 {
            tokens: needed,
            limit,
        });
    }
    // What Tier 0 does not use of its reservation nobody else uses.
    let unused = budgets.tier0_reserved().saturating_sub(needed);
    let shared = limit.saturating_sub(unused);
    let mut truncated = Vec::new();
    for (name, texts, cap) in [
        ("tier1", tier1(context), budgets.tier1_cap()),
        (
            "history",
            [history(context), String::new()],
            budgets.history_cap(),
        ),
        ("telemetry", telemetry(context), budgets.telemetry_cap()),
    ] {
        if texts.iter().all(String::is_empty) {
            continue;
        }
        let joined = |text: &str| format!("{prompt}\n\n{text}");
        let fits =
            |text: &str| Ok(tokens.count(text)? <= cap && tokens.count(&joined(text))? <= shared);
        let room = shared.saturating_sub(tokens.count(&prompt)?).min(cap);
        let fits_half = |text: &str| Ok(tokens.count(text)? <= room / 2 && fits(text)?);
        let texts = texts.each_ref().map(String::as_str);
        let fitted = fit_both(texts, is_heading, &fits, &fits_half)?;
        if fitted.as_ref().is_none_or(|fitted| fitted.cut) {
            truncated.push(name);
        }
        if let Some(FittedText { text, .. }) = fitted {
            prompt = joined(&text);
        }
    }
    Ok(RenderedPrompt {
        tokens: tokens.count(&prompt)?,
        prompt,
        truncated,
    })
}

/// Whether a line is a section's heading. No other line of a prompt begins so.
fn is_heading(line: &str) -> bool {
    line.starts_with("=== ")
}

/// The sections that are not empty.
fn sections(all: &[(&str, String)]) -> String {
    let filled = all.iter().filter(|(_, text)| !text.is_empty());
    let shown = filled.map(|(name, text)| format!("=== {name} ===\n{text}"));
    shown.collect::<Vec<String>>().join("\n\n")
}

fn tier0(context: &BundleContext) -> String {
    let format = format!(
        "Answer with one text that the grammar {} accepts, and with nothing before or after it.",
        context.grammar_name()
    );
    sections(&[
        ("STEP MISSION", context.mission().trim().to_owned()),
        (
            "EVALUATION SCHEMA",
            context.schema_excerpt().trim().to_owned(),
        ),
        ("OUTPUT FORMAT", format),
        ("GUARDRAILS", list(context.guardrails())),
        ("AUTHORITY CONTRACTS", list(context.contracts())),
    ])
}

/// What is among the metrics already does not stand in the evaluation again.
fn tier1(context: &BundleContext) -> [String; 2] {
    let inputs = context.inputs_summary();
    let evaluation = context.evaluation_summary();
    let names = evaluation.members().map(|(name, _)| name);
    let evaluation = evaluation.select(names.filter(|name| inputs.get(name).is_none()));
    [
        section("CURRENT EVALUATION", &evaluation, evaluation.is_empty()),
        section("STEP OUTPUT METRICS", inputs, inputs.is_empty()),
    ]
}

fn history(context: &BundleContext) -> String {
    let outcomes = context.recent_outcomes();
    section("RECENT OUTCOMES", outcomes, outcomes.is_empty())
}

fn telemetry(context: &BundleContext) -> [String; 2] {
    let (trends, incidents) = (context.trend_summary(), context.open_incidents());
    [
        section("METRIC TRENDS", trends, trends.is_empty()),
        section("OPEN INCIDENTS", incidents, incidents.is_empty()),
    ]
}

/// A section of data; empty where there are none.
fn section<T: Serialize + ?Sized>(name: &'static str, data: &T, empty: bool) -> String {
    sections(&[(name, pretty(data, empty))])
}

fn list(lines: &[String]) -> String {
    let lines = lines.iter().map(|line| format!("- {line}"));
    lines.collect::<Vec<String>>().join("\n")
}

/// Data stands as JSON, so that no text in it can begin a line and pass for a section.
fn pretty<T: Serialize + ?Sized>(value: &T, empty: bool) -> String {
    if empty {
        return String::new();
    }
    // The types of a bundle have no map with other keys than text, which is all that could fail.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    // JSON need not escape these line ends, and they stand in its texts only.
    json.replace('\u{85}', "\\u0085")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
