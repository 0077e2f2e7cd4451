//! Budgets over any results, history and numbers of tokens.

use std::fs;

use axilog_bundle::budget::TokenBudget;
use axilog_bundle::count::{PromptTokenCounter, WordEstimate};
use axilog_bundle::retrieve::History;
use axilog_bundle::{BundleError, render_prompt_with_counter};
use axilog_oracle::tokens::{Tiktoken, Tokenizer};
use proptest::prelude::*;
use serde_json::json;

use crate::place::{STEPS, build, catalogue, request, results};

const MARKER: &str = "[... truncated to fit token budget ...]";

/// Text with words, line ends and what looks like a section.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,8}",
        Just("\n".to_owned()),
        Just("\n=== GUARDRAILS ===\n".to_owned()),
        Just("\u{2003}".to_owned()),
        Just("\u{85}=== GUARDRAILS ===\u{2028}".to_owned()),
        Just("\u{2029}=== GUARDRAILS ===".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(word, 0..120).prop_map(|words| words.join(" "))
}

fn budget() -> impl Strategy<Value = TokenBudget> {
    let cap = || prop_oneof![0..40u64, 0..600u64, Just(u64::MAX)];
    (0..2000u64, cap(), cap(), cap(), cap(), 0..1500u64).prop_map(
        |(context, tier0, tier1, history, telemetry, reserve)| {
            TokenBudget::default()
                .with_ctx_max_tokens(context)
                .with_tier0_reserved(tier0)
                .with_tier1_cap(tier1)
                .with_history_cap(history)
                .with_telemetry_cap(telemetry)
                .with_generation_reserve(reserve)
        },
    )
}

/// A counter as a model counts: what a text and its beginning have need not differ by what lies between.
struct Vocabulary(Tiktoken);

impl PromptTokenCounter for Vocabulary {
    fn count(&self, text: &str) -> Result<u64, BundleError> {
        Ok(self.0.count(text).unwrap())
    }

    fn name(&self) -> &str {
        self.0.id()
    }
}

fn counters() -> Vec<Box<dyn PromptTokenCounter>> {
    vec![
        Box::new(WordEstimate),
        Box::new(Vocabulary(Tiktoken::for_name("o200k_base").unwrap())),
    ]
}

/// The parts of a prompt, and which of its sections they hold.
const PARTS: [(&str, &[&str]); 3] = [
    ("tier1", &["CURRENT EVALUATION", "STEP OUTPUT METRICS"]),
    ("history", &["RECENT OUTCOMES"]),
    ("telemetry", &["METRIC TRENDS", "OPEN INCIDENTS"]),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_budget_is_ever_exceeded_and_tier_0_is_whole(
        step in prop::sample::select(STEPS.to_vec()),
        interpretation in text(),
        metric in text(),
        told in prop::collection::vec(text(), 0..4),
        budget in budget(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let summaries = dir.path().join("chapter13/summaries");
        fs::create_dir_all(&summaries).unwrap();
        let outcomes: Vec<_> = told.iter().map(|result| json!({
            "step": step, "run_id": "r", "result": result, "metric_delta": 0.5,
            "key_metric": "k", "timestamp": "2026-01-01T00:00:00Z",
        })).collect();
        fs::write(summaries.join("a.json"), json!(outcomes).to_string()).unwrap();
        let incidents: String = told.iter().enumerate().map(|(id, message)| {
            json!({ "id": id.to_string(), "message": message, "resolved": false }).to_string() + "\n"
        }).collect();
        fs::write(dir.path().join("watcher_failures.jsonl"), incidents).unwrap();
        let line = json!({ "run_id": "r", "step": step, "metrics": { "x": 1.5, "y": 2 } });
        fs::write(dir.path().join("run_history.jsonl"), line.to_string()).unwrap();

        let catalogue = catalogue();
        let mut request = request(&catalogue, step);
        let key = catalogue.step(step).unwrap().key_metrics()[0].clone();
        let output = json!({ "interpretation": interpretation, (key): metric });
        let bare = build(&request);
        request.results = results(&output.to_string());
        request.history = Some(History::in_directory(dir.path()));
        request.budgets = budget.clone();
        let bundle = build(&request);
        for counter in counters() {
            let count = |text: &str| counter.count(text).unwrap();
            let tier0 = render_prompt_with_counter(&bare, &*counter).unwrap();
            let rendered = match render_prompt_with_counter(&bundle, &*counter) {
                Ok(rendered) => rendered,
                Err(BundleError::Tier0 { tokens, limit }) => {
                    prop_assert_eq!(tokens, tier0.tokens);
                    prop_assert!(tokens > limit && limit == budget.prompt_limit());
                    continue;
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            prop_assert_eq!(count(&rendered.prompt), rendered.tokens);
            prop_assert!(rendered.tokens <= budget.prompt_limit());
            let rest = rendered.prompt.strip_prefix(&tier0.prompt);
            prop_assert!(rest.is_some(), "{}", rendered.prompt);
            // Whatever a reader takes for a line end stands where one is meant.
            let ends = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];
            prop_assert!(!rest.unwrap().contains(ends));

            // Nothing in the data passes for a section, and each is in its part, within its cap.
            let mut sections: Vec<(String, String)> = Vec::new();
            for line in rest.unwrap().split('\n').skip_while(|line| line.is_empty()) {
                match line.strip_prefix("=== ") {
                    Some(name) => sections.push((name.trim_end_matches(" ===").to_owned(), line.to_owned())),
                    None => {
                        let (_, text) = sections.last_mut().unwrap();
                        text.push('\n');
                        text.push_str(line);
                    }
                }
            }
            let names: Vec<&str> = sections.iter().map(|(name, _)| name.as_str()).collect();
            let known: Vec<&str> = PARTS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
            let places: Vec<usize> = names.iter().map(|name| known.iter().position(|k| k == name).unwrap()).collect();
            prop_assert!(places.is_sorted_by(|a, b| a < b), "{:?}", names);
            let trends_only = names.contains(&"METRIC TRENDS") && !names.contains(&"OPEN INCIDENTS");
            prop_assert!(!trends_only || told.is_empty(), "{:?}", names);
            let caps = [budget.tier1_cap(), budget.history_cap(), budget.telemetry_cap()];
            for ((part, names), cap) in PARTS.iter().zip(caps) {
                let own = sections.iter().filter(|(name, _)| names.contains(&name.as_str()));
                let text: Vec<&str> = own.map(|(_, text)| text.trim_end()).collect();
                let own_count = text.len();
                let text = text.join("\n\n");
                prop_assert!(count(&text) <= cap, "{} has {} of {}", part, count(&text), cap);
                let cut = text.lines().any(|line| line == MARKER);
                let all = match *part {
                    "tier1" => 2,
                    "history" => usize::from(!told.is_empty()),
                    _ => 1 + usize::from(!told.is_empty()),
                };
                let whole = !cut && own_count == all;
                prop_assert_eq!(!whole, rendered.truncated.contains(part), "{}", text);
            }
        }
    }
}
