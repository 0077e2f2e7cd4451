//! Rendering the prompt of a bundle (A8.2): sections in the order of their tiers, within the budget (A2).

use serde::Serialize;

use super::count::{PromptTokenCounter, WordEstimate};
use super::error::BundleError;
use super::fit::{FittedText, fit};
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
/// has reserved, goes to Tier 1, then to the history, then to the telemetry, each up to its cap.
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
    for (name, text, cap) in [
        ("tier1", tier1(context), budgets.tier1_cap()),
        ("history", history(context), budgets.history_cap()),
        ("telemetry", telemetry(context), budgets.telemetry_cap()),
    ] {
        if text.is_empty() {
            continue;
        }
        let joined = |text: &str| format!("{prompt}\n\n{text}");
        let fits =
            |text: &str| Ok(tokens.count(text)? <= cap && tokens.count(&joined(text))? <= shared);
        let fitted = fit(&text, is_heading, &fits)?;
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

fn tier1(context: &BundleContext) -> String {
    let (evaluation, inputs) = (context.evaluation_summary(), context.inputs_summary());
    sections(&[
        (
            "CURRENT EVALUATION",
            pretty(evaluation, evaluation.is_empty()),
        ),
        ("STEP OUTPUT METRICS", pretty(inputs, inputs.is_empty())),
    ])
}

fn history(context: &BundleContext) -> String {
    let outcomes = context.recent_outcomes();
    sections(&[("RECENT OUTCOMES", pretty(outcomes, outcomes.is_empty()))])
}

fn telemetry(context: &BundleContext) -> String {
    let (trends, incidents) = (context.trend_summary(), context.open_incidents());
    sections(&[
        ("METRIC TRENDS", pretty(trends, trends.is_empty())),
        ("OPEN INCIDENTS", pretty(incidents, incidents.is_empty())),
    ])
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
