//! What counting tokens costs, and what the ablation harness adds to it.
//!
//!     cargo bench -p axilog-harness-benches --bench ablation
//!
//! Counting is set beside SHA-256 over the same text. A step of a baseline run, answered by an agent in
//! memory, is set beside splitting its three texts (record, situation, prompt) into tokens, which no step
//! can do without; then the same with the ledger. A line beginning with `ratio` for each; medians of
//! rounds in turn. With `--test` everything is done once, unmeasured.

use std::hint::black_box;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axilog::hash::sha256;
use axilog_ablation::AblationError;
use axilog_ablation::agents::Agent;
use axilog_ablation::answers::{Answered, Answers, Live};
use axilog_ablation::experiment::{execute, frame, header};
use axilog_ablation::header::Held;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt::{Frame, Lengths};
use axilog_ablation::run::Plan;
use axilog_ablation::trap::CommitmentTrap;
use axilog_ablation::v310::Variant;
use axilog_ledger::file::durability::Durability;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_oracle::tokens::{Tiktoken, TokenError, Tokenizer};
use axilog_oracle::{Endpoint, Local, Question};

const ROUNDS: usize = 31;
const TEXT_BYTES: usize = 64 << 10;
const AGENT: &str = "agent:precedent";
const LENGTHS: Lengths = Lengths {
    precedent: 512,
    situation: 512,
};

/// A tokenizer that keeps the texts.
#[derive(Debug)]
struct Kept(Tiktoken, Mutex<Vec<String>>);

impl Tokenizer for Kept {
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

/// An agent without a ledger.
struct InMemory(Agent);

impl Answers for InMemory {
    fn ask(&mut self, question: &Question) -> Result<Option<Answered>, AblationError> {
        Ok(Some(Answered {
            ledger_seq: 0,
            input_hash: question.input().expect("NFC").hash(),
            obs_hash: [0; 32],
            raw: Ok(self.0.answer(question)),
        }))
    }
}

/// One seed, one episode: 50 steps.
fn run(frame: &Frame, held: &Held, answers: &mut dyn Answers) {
    let mut world = CommitmentTrap::default();
    let plan = Plan {
        variant: Variant::Baseline,
        seeds: vec![42],
        episodes: 1,
    };
    let header = header(&plan, &world, AGENT, AGENT, Some(held.clone()));
    let run = execute(&header, &mut world, Some(frame), answers, &mut |_| true).expect("a run");
    black_box(run);
}

fn recorded(frame: &Frame, held: &Held) {
    let dir = tempfile::tempdir().expect("a directory");
    let none = axilog_policyc::PolicySet::parse(b"[]").expect("no policies");
    let rules = RuleSet::new(none, false, false);
    let (mut session, _) = Session::begin(&dir.path().join("l"), rules, 1).expect("a ledger");
    let durability = Durability::Interval {
        records: NonZeroU64::MAX,
        within: Duration::from_secs(2),
    };
    session.set_durability(durability).expect("a thread");
    let mut live = Live::new(session, Endpoint::Local(Box::new(Agent::Precedent)));
    run(frame, held, &mut live);
}

fn time(work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The median of what `one` takes over what `other` takes, in turn, and of what `one` takes.
fn ratio(one: &mut dyn FnMut(), other: &mut dyn FnMut()) -> (f64, Duration) {
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
        let tokenizer = Tiktoken::named(name).expect("a vocabulary");
        for (kind, piece) in texts {
            let text = piece.repeat(TEXT_BYTES / piece.len());
            let mut count = || {
                black_box(tokenizer.count(black_box(&text)).expect("a count"));
            };
            if test {
                count();
                continue;
            }
            let (found, took) = ratio(&mut count, &mut || {
                black_box(sha256(black_box(text.as_bytes())));
            });
            let speed = text.len() as f64 / took.as_secs_f64() / 1e6;
            println!("ratio {name:12} {kind:8} count / SHA-256 {found:7.1}   ({speed:.1} MB/s)");
        }
    }
    let kept = Arc::new(Kept(
        Tiktoken::named("o200k_base").expect("a vocabulary"),
        Mutex::default(),
    ));
    let world = CommitmentTrap::default();
    let made = |tokenizer| frame(&world, tokenizer, DEFAULT_PAD, Some(LENGTHS)).expect("stable");
    let (watched, basis) = made(kept.clone());
    let held = Held::new("0".repeat(64), LENGTHS, &basis);
    kept.1.lock().expect("one thread").clear();
    run(&watched, &held, &mut InMemory(Agent::Precedent));
    let texts = std::mem::take(&mut *kept.1.lock().expect("one thread"));
    let (frame, _) = made(Arc::new(kept.0));
    let mut bare = || run(&frame, &held, &mut InMemory(Agent::Precedent));
    if test {
        recorded(&frame, &held);
        return;
    }
    let mut count = || {
        for text in &texts {
            black_box(kept.0.encode(text).expect("tokens"));
        }
    };
    let (found, took) = ratio(&mut bare, &mut count);
    println!(
        "ratio step / splitting its 3 texts {found:.2}   ({:.0?} for a step)",
        took / 50
    );
    let (found, took) = ratio(&mut || recorded(&frame, &held), &mut bare);
    println!(
        "ratio step with the ledger / without {found:.2}   ({:.0?} for a step)",
        took / 50
    );
}
