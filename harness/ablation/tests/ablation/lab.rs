//! Worlds, memories and tokenizers made for a test, and a ledger to run them on.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use axilog_ablation::agents::Agent;
use axilog_ablation::answers::Live;
use axilog_ablation::draw::Place;
use axilog_ablation::environment::{Effects, Environment, Ids, Situation};
use axilog_ablation::experiment::frame;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt::{Frame, Lengths};
use axilog_ablation::record::{Memory, NormativeStateV100};
use axilog_ablation::run::{Plan, Run, Status, run};
use axilog_ablation::v310::{V310AblationHarness, Variant};
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};
use axilog_oracle::{Endpoint, Scripted};
use axilog_policyc::PolicySet;
use serde_json::{Map, json};
use tempfile::TempDir;

pub const FLOOR: Lengths = Lengths {
    precedent: 512,
    situation: 512,
};

pub const MODEL: &str = "agent:test";

pub fn ids(names: &[&str]) -> Ids {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A directory with ledgers in it.
pub struct Lab(TempDir);

impl Lab {
    pub fn new() -> Lab {
        Lab(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Answers of `endpoint`, recorded in the ledger `name`.
    pub fn live(&self, name: &str, endpoint: Endpoint) -> Live {
        let rules = RuleSet::new(PolicySet::parse(b"[]").unwrap(), false, false);
        let (session, _) = Session::begin(&self.path(name), rules, 1).unwrap();
        Live::new(session, endpoint)
    }

    pub fn agent(&self, name: &str, agent: Agent) -> Live {
        self.live(name, Endpoint::Local(Box::new(agent)))
    }

    /// Answers from a script of these lines.
    pub fn script(&self, name: &str, lines: &[String]) -> Live {
        let path = self.path(&format!("{name}.script"));
        std::fs::write(&path, lines.join("\n")).unwrap();
        self.live(name, Endpoint::Scripted(Scripted::read(&path).unwrap()))
    }
}

pub fn answer(text: &str) -> String {
    json!({ "answer": text }).to_string()
}

/// A world with one action that keeps `first` and breaks the rest of `breaks`.
#[derive(Debug)]
pub struct World {
    constraints: Ids,
    actions: Ids,
    effects: Effects,
    step: u32,
    pub steps: u32,
}

impl World {
    pub fn new(constraints: Ids, effects: Effects) -> World {
        World {
            constraints,
            actions: ids(&["go"]),
            effects,
            step: 0,
            steps: 6,
        }
    }

    /// `go` keeps `a` and breaks `b`.
    pub fn colliding() -> World {
        World::new(
            ids(&["a", "b"]),
            Effects {
                satisfies: ids(&["a"]),
                violates: ids(&["b"]),
            },
        )
    }

    /// `go` keeps and breaks nothing.
    pub fn calm() -> World {
        World::new(ids(&["a", "b"]), Effects::default())
    }
}

impl Environment for World {
    fn id(&self) -> &str {
        "test/1"
    }

    fn brief(&self) -> &str {
        "A world for tests."
    }

    fn constraints(&self) -> &Ids {
        &self.constraints
    }

    fn actions(&self) -> &Ids {
        &self.actions
    }

    fn steps_per_episode(&self) -> u32 {
        self.steps
    }

    fn begin(&mut self, _: Place) {
        self.step = 0;
    }

    fn situation(&self) -> Situation {
        Situation {
            feasible: BTreeMap::from([("go".to_owned(), self.effects.clone())]),
            resources: BTreeMap::from([(
                "left".to_owned(),
                format!("{}", 9 - self.step).parse().unwrap(),
            )]),
            observation: Map::new(),
        }
    }

    fn execute(&mut self, action: &str) {
        assert_eq!(action, "go");
        self.step += 1;
    }
}

pub fn tiktoken(name: &str) -> Arc<dyn Tokenizer> {
    Arc::new(Tiktoken::named(name).unwrap())
}

pub fn held(environment: &dyn Environment, tokenizer: Arc<dyn Tokenizer>) -> Frame {
    frame(environment, tokenizer, DEFAULT_PAD, Some(FLOOR))
        .unwrap()
        .0
}

pub fn plan(variant: Variant, seeds: &[u64], episodes: u32) -> Plan {
    Plan {
        variant,
        seeds: seeds.to_vec(),
        episodes,
    }
}

/// Runs one plan with memories that `memory` makes, as long as `go_on` says so.
pub fn run_until<M: Memory + 'static>(
    plan: &Plan,
    environment: &mut dyn Environment,
    frame: &Frame,
    memory: fn() -> M,
    live: &mut Live,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Run {
    run(
        plan,
        environment,
        &mut || {
            Box::new(V310AblationHarness::new(
                MODEL,
                frame.clone(),
                plan.variant,
                memory(),
            ))
        },
        live,
        go_on,
    )
    .unwrap()
}

pub fn run_with<M: Memory + 'static>(
    plan: &Plan,
    environment: &mut dyn Environment,
    frame: &Frame,
    memory: fn() -> M,
    live: &mut Live,
) -> Run {
    run_until(plan, environment, frame, memory, live, &mut |_| true)
}

pub fn run_plan(
    plan: &Plan,
    environment: &mut dyn Environment,
    frame: &Frame,
    live: &mut Live,
) -> Run {
    run_with(plan, environment, frame, NormativeStateV100::default, live)
}

/// The reason and the place at which a run is invalid.
#[track_caller]
pub fn invalid(run: &Run) -> (&'static str, String, Place) {
    match &run.status {
        Status::Invalid(invalid, place) => {
            (invalid.reason.as_str(), invalid.detail.clone(), *place)
        }
        other => panic!("{other:?}"),
    }
}

/// A tokenizer that notes every text and may tamper with its tokens.
pub struct Watched {
    inner: Tiktoken,
    pub seen: Mutex<Vec<String>>,
    tamper: fn(&str, &mut Vec<u32>),
}

impl Watched {
    pub fn new(tamper: fn(&str, &mut Vec<u32>)) -> Arc<Watched> {
        Arc::new(Watched {
            inner: Tiktoken::named("o200k_base").unwrap(),
            seen: Mutex::default(),
            tamper,
        })
    }
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl Tokenizer for Watched {
    fn id(&self) -> &str {
        "watched"
    }

    fn version(&self) -> &str {
        "1"
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError> {
        self.seen.lock().unwrap().push(text.to_owned());
        let mut tokens = self.inner.encode(text)?;
        (self.tamper)(text, &mut tokens);
        Ok(tokens)
    }
}
