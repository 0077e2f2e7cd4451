//! What the tests need: worlds and tokenizers made for a test, and ledgers to record in.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::decimal::Decimal;
use axilog_ablation::environment::{Effects, Environment, IdSet, Place, Situation};
use axilog_ablation::experiment::build_frame;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::precedent::{NormativeStateV100, PrecedentMemory};
use axilog_ablation::prompt_frame::{PromptFrame, SegmentLengths};
use axilog_ablation::recording_oracle::RecordingOracle;
use axilog_ablation::run::{Run, RunPlan, RunStatus, run_plan};
use axilog_ablation::v310_ablation_harness::V310AblationHarness;
use axilog_ablation::variant::Variant;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};
use axilog_oracle::{Oracle, ScriptedOracle};
use axilog_policyc::PolicySet;
use serde_json::{Map, json};
use tempfile::TempDir;

/// The least lengths that a calibration gives.
pub const MIN_LENGTHS: SegmentLengths = SegmentLengths {
    precedent: 512,
    situation: 512,
};

pub const MODEL: &str = "agent:test";

pub fn ids(names: &[&str]) -> IdSet {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A directory with ledgers in it.
pub struct LedgerDir(TempDir);

impl LedgerDir {
    pub fn new() -> LedgerDir {
        LedgerDir(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// An oracle whose answers are recorded in the ledger `name`.
    pub fn record(&self, name: &str, endpoint: Oracle) -> RecordingOracle {
        let rules = RuleSet::new(PolicySet::parse(b"[]").unwrap(), false, false);
        let (session, _) = Session::create(&self.path(name), rules, 1).unwrap();
        RecordingOracle::new(session, endpoint)
    }

    pub fn record_agent(&self, name: &str, agent: ScriptedAgent) -> RecordingOracle {
        self.record(name, Oracle::Code(Box::new(agent)))
    }

    /// An oracle that answers from a script of these lines.
    pub fn record_script(&self, name: &str, lines: &[String]) -> RecordingOracle {
        let path = self.path(&format!("{name}.script"));
        std::fs::write(&path, lines.join("\n")).unwrap();
        self.record(name, Oracle::Scripted(ScriptedOracle::open(&path).unwrap()))
    }
}

/// The line of a script that answers `text`.
pub fn script_line(text: &str) -> String {
    json!({ "answer": text }).to_string()
}

/// A world with one action, `go`.
#[derive(Debug)]
pub struct OneActionWorld {
    constraints: IdSet,
    actions: IdSet,
    effects: Effects,
    step: u32,
    pub steps: u32,
}

impl OneActionWorld {
    pub fn new(constraints: IdSet, effects: Effects) -> OneActionWorld {
        OneActionWorld {
            constraints,
            actions: ids(&["go"]),
            effects,
            step: 0,
            steps: 6,
        }
    }

    /// `go` keeps `a` and breaks `b`.
    pub fn colliding() -> OneActionWorld {
        OneActionWorld::new(
            ids(&["a", "b"]),
            Effects {
                satisfies: ids(&["a"]),
                violates: ids(&["b"]),
            },
        )
    }

    /// An artifact that compiles in the colliding world.
    pub fn colliding_artifact() -> String {
        json!({
            "action": "go",
            "authorized_violations": ["b"],
            "required_preservations": ["a"],
            "conflict_attribution": [["a", "b"]],
            "predicted_effects": { "satisfies": ["a"], "violates": ["b"] },
        })
        .to_string()
    }

    /// `go` keeps and breaks nothing.
    pub fn calm() -> OneActionWorld {
        OneActionWorld::new(ids(&["a", "b"]), Effects::default())
    }
}

impl Environment for OneActionWorld {
    fn id(&self) -> &str {
        "test/1"
    }

    fn briefing(&self) -> &str {
        "A world for tests."
    }

    fn constraints(&self) -> &IdSet {
        &self.constraints
    }

    fn actions(&self) -> &IdSet {
        &self.actions
    }

    fn steps_per_episode(&self) -> u32 {
        self.steps
    }

    fn begin_episode(&mut self, _: Place) {
        self.step = 0;
    }

    fn situation(&self) -> Situation {
        Situation {
            feasible: BTreeMap::from([("go".to_owned(), self.effects.clone())]),
            resources: BTreeMap::from([(
                "left".to_owned(),
                Decimal::from_millionths(i64::from(9 - self.step) * 1_000_000),
            )]),
            demands: BTreeMap::new(),
            observation: Map::new(),
        }
    }

    fn execute(&mut self, action: &str) {
        assert_eq!(action, "go");
        self.step += 1;
    }
}

pub fn open_tiktoken(name: &str) -> Arc<dyn Tokenizer> {
    Arc::new(Tiktoken::for_name(name).unwrap())
}

/// The frame of prompts that are padded to the least lengths.
pub fn build_padded_frame(
    environment: &dyn Environment,
    tokenizer: Arc<dyn Tokenizer>,
) -> PromptFrame {
    build_frame(environment, tokenizer, DEFAULT_PAD, Some(MIN_LENGTHS))
        .unwrap()
        .0
}

pub fn new_plan(variant: Variant, seeds: &[u64], episodes: u32) -> RunPlan {
    RunPlan {
        variant,
        seeds: seeds.to_vec(),
        episodes,
    }
}

/// Runs a plan with memories that `new_memory` makes, as long as `should_continue` gives true.
pub fn run_with_memory_until<M: PrecedentMemory + 'static>(
    plan: &RunPlan,
    environment: &mut dyn Environment,
    frame: &PromptFrame,
    new_memory: fn() -> M,
    oracle: &mut RecordingOracle,
    should_continue: &mut dyn FnMut(u64) -> bool,
) -> Run {
    run_plan(
        plan,
        environment,
        &mut || {
            Box::new(V310AblationHarness::new(
                MODEL,
                frame.clone(),
                plan.variant,
                new_memory(),
            ))
        },
        oracle,
        should_continue,
    )
    .unwrap()
}

pub fn run_with_memory<M: PrecedentMemory + 'static>(
    plan: &RunPlan,
    environment: &mut dyn Environment,
    frame: &PromptFrame,
    new_memory: fn() -> M,
    oracle: &mut RecordingOracle,
) -> Run {
    run_with_memory_until(plan, environment, frame, new_memory, oracle, &mut |_| true)
}

pub fn run_to_end(
    plan: &RunPlan,
    environment: &mut dyn Environment,
    frame: &PromptFrame,
    oracle: &mut RecordingOracle,
) -> Run {
    run_with_memory(
        plan,
        environment,
        frame,
        NormativeStateV100::default,
        oracle,
    )
}

/// The reason for which a run is invalid, its detail, and the place.
#[track_caller]
pub fn expect_invalid(run: &Run) -> (&'static str, String, Place) {
    match &run.status {
        RunStatus::Invalid(invalid, place) => {
            (invalid.reason.as_str(), invalid.detail.clone(), *place)
        }
        other => panic!("{other:?}"),
    }
}

/// A tokenizer that keeps every text and may tamper with its tokens.
pub struct WatchedTokenizer {
    inner: Tiktoken,
    pub encoded: Mutex<Vec<String>>,
    tamper: fn(&str, &mut Vec<u32>),
}

impl WatchedTokenizer {
    pub fn new(tamper: fn(&str, &mut Vec<u32>)) -> Arc<WatchedTokenizer> {
        Arc::new(WatchedTokenizer {
            inner: Tiktoken::for_name("o200k_base").unwrap(),
            encoded: Mutex::default(),
            tamper,
        })
    }
}

impl std::fmt::Debug for WatchedTokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WatchedTokenizer")
    }
}

impl Tokenizer for WatchedTokenizer {
    fn id(&self) -> &str {
        "watched"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError> {
        self.encoded.lock().unwrap().push(text.to_owned());
        let mut tokens = self.inner.encode(text)?;
        (self.tamper)(text, &mut tokens);
        Ok(tokens)
    }
}
