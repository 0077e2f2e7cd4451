//! What counting tokens costs, and what the ablation harness adds to it.
//!
//!     cargo bench -p axilog-harness-benches --bench ablation
//!
//! The bench sets counting beside SHA-256 over the same text; a step of a baseline run, answered by an agent
//! in memory, beside splitting its three texts (record, situation, prompt) into tokens, which no step can do
//! without; and the same step with a ledger beside the step without. Each prints a line that begins with
//! `ratio`: the median of rounds in turn. With `--test` everything is done once, unmeasured.

use std::hint::black_box;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axilog::hash::sha256;
use axilog_ablation::AblationError;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::answer_source::{AnswerSource, ReceivedAnswer};
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::{build_frame, build_header, execute};
use axilog_ablation::header::ConstantLength;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt_frame::{PromptFrame, SegmentLengths};
use axilog_ablation::recording_oracle::RecordingOracle;
use axilog_ablation::run::RunPlan;
use axilog_ablation::statements::AnswerFacts;
use axilog_ablation::variant::Variant;
use axilog_ledger::durability::Durability;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};
use axilog_oracle::{LocalOracle, Oracle, Question};

const ROUNDS: usize = 31;
const TEXT_BYTES: usize = 64 << 10;
const AGENT: &str = "agent:precedent";
const LENGTHS: SegmentLengths = SegmentLengths {
    precedent: 512,
    situation: 512,
};

/// A tokenizer that keeps the texts.
#[derive(Debug)]
struct WatchedTokenizer(Tiktoken, Mutex<Vec<String>>);

impl Tokenizer for WatchedTokenizer {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn version(&self) -> &str {
        self.0.version()
    }

    fn encode(&self, text: &str) -> Result<Vec<u32>, TokenError> {
        self.1.lock().expect("one thread").push(text.to_owned());
        self.0.encode(text)
    }
}

/// An agent whose answers are not recorded.
struct UnrecordedAgent(ScriptedAgent);

impl AnswerSource for UnrecordedAgent {
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        Ok(Some(ReceivedAnswer {
            ledger_seq: 0,
            input_hash: question.to_canonical_input().expect("NFC").hash(),
            obs_hash: [0; 32],
            text: Ok(self.0.answer(question)),
            facts: AnswerFacts::default(),
        }))
    }
}

/// Runs an episode under one seed: 50 steps.
fn run_episode(frame: &PromptFrame, length: &ConstantLength, answers: &mut dyn AnswerSource) {
    let mut trap = open_harbour().unwrap();
    let plan = RunPlan {
        variant: Variant::Baseline,
        seeds: vec![42],
        episodes: 1,
    };
    let header = build_header(&plan, &trap, AGENT, AGENT, Some(length.clone()));
    let run = execute(&header, &mut trap, Some(frame), answers, &mut |_| true).expect("a run");
    black_box(run);
}

/// Runs the same with a ledger.
fn run_recorded_episode(frame: &PromptFrame, length: &ConstantLength) {
    let dir = tempfile::tempdir().expect("a directory");
    let none = axilog_policyc::PolicySet::parse(b"[]").expect("no policies");
    let rules = RuleSet::new(none, false, false);
    let (mut session, _) = Session::create(&dir.path().join("l"), rules, 1).expect("a ledger");
    let durability = Durability::Interval {
        records: NonZeroU64::MAX,
        within: Duration::from_secs(2),
    };
    session.set_durability(durability).expect("a thread");
    let mut oracle =
        RecordingOracle::new(session, Oracle::Code(Box::new(ScriptedAgent::Precedent)));
    run_episode(frame, length, &mut oracle);
}

/// Measures how long `work` takes.
fn time(work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Measures two works in turn: the median of the ratios of their times, and the time of the first in that
/// round.
fn compare_times(one: &mut dyn FnMut(), other: &mut dyn FnMut()) -> (f64, Duration) {
    let mut rounds: Vec<(f64, Duration)> = (0..ROUNDS)
        .map(|_| {
            let (a, b) = (time(one), time(other));
            (a.as_secs_f64() / b.as_secs_f64(), a)
        })
        .collect();
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    rounds[ROUNDS / 2]
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    let texts = [
        ("prose", "The pump ran for an hour, and nobody noticed. "),
        (
            "JSON",
            "{\"artifact_digest\":\"17feff70\",\"step_index\":12},",
        ),
        ("Chinese", "水泵运行了一个小时，没有人注意到。"),
        ("padding", DEFAULT_PAD),
    ];
    for name in ["cl100k_base", "o200k_base"] {
        let tokenizer = Tiktoken::for_name(name).expect("a vocabulary");
        for (kind, piece) in texts {
            let text = piece.repeat(TEXT_BYTES / piece.len());
            let mut count = || {
                black_box(tokenizer.count(black_box(&text)).expect("a count"));
            };
            if test {
                count();
                continue;
            }
            let (found, took) = compare_times(&mut count, &mut || {
                black_box(sha256(black_box(text.as_bytes())));
            });
            let speed = text.len() as f64 / took.as_secs_f64() / 1e6;
            println!("ratio {name:12} {kind:8} count / SHA-256 {found:7.1}   ({speed:.1} MB/s)");
        }
    }
    let watched = Arc::new(WatchedTokenizer(
        Tiktoken::for_name("o200k_base").expect("a vocabulary"),
        Mutex::default(),
    ));
    let trap = open_harbour().unwrap();
    let frame =
        |tokenizer| build_frame(&trap, tokenizer, DEFAULT_PAD, Some(LENGTHS)).expect("stable");
    let (watched_frame, basis) = frame(watched.clone());
    let length = ConstantLength::new("0".repeat(64), LENGTHS, &basis);
    watched.1.lock().expect("one thread").clear();
    run_episode(
        &watched_frame,
        &length,
        &mut UnrecordedAgent(ScriptedAgent::Precedent),
    );
    let texts = std::mem::take(&mut *watched.1.lock().expect("one thread"));
    let (frame, _) = frame(Arc::new(watched.0));
    let mut bare = || {
        run_episode(
            &frame,
            &length,
            &mut UnrecordedAgent(ScriptedAgent::Precedent),
        )
    };
    if test {
        run_recorded_episode(&frame, &length);
        return;
    }
    let mut count = || {
        for text in &texts {
            black_box(watched.0.encode(text).expect("tokens"));
        }
    };
    let (found, took) = compare_times(&mut bare, &mut count);
    println!(
        "ratio step / splitting its 3 texts {found:.2}   ({:.0?} for a step)",
        took / 50
    );
    let (found, took) = compare_times(&mut || run_recorded_episode(&frame, &length), &mut bare);
    println!(
        "ratio step with the ledger / without {found:.2}   ({:.0?} for a step)",
        took / 50
    );
}
