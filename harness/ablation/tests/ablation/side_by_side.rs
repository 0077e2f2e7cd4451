//! Seeds that run side by side: the ledgers are those of one seed after the other, byte for byte.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use axilog::hash::sha256;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::environment::Environment;
use axilog_ablation::environment_source::open_harbour;
use axilog_ablation::experiment::{build_frame, build_header};
use axilog_ablation::experiment_plan::ExperimentPlan;
use axilog_ablation::header::{ConstantLength, RunHeader};
use axilog_ablation::interleaved_arms::{Ending, OpenArm, run_interleaved};
use axilog_ablation::kept_answers::has_kept_answers;
use axilog_ablation::ledger_answers::LedgerAnswers;
use axilog_ablation::pad::DEFAULT_PAD;
use axilog_ablation::prompt_frame::PromptFrame;
use axilog_ablation::recording_oracle::RecordingOracle;
use axilog_ablation::resumed_answers::{ResumedAnswers, begin_ledger, resume_ledger};
use axilog_ablation::run::RunStatus;
use axilog_ablation::run_document::RunDocument;
use axilog_ablation::sealed_experiment::{Stage, check_sealed_experiment};
use axilog_ablation::side_by_side::SideBySide;
use axilog_ablation::statements::RunStatement;
use axilog_ablation::variant::Variant;
use axilog_oracle::{LocalOracle, Oracle, Question};
use serde_json::Value;

use crate::support::{MIN_LENGTHS, new_plan, open_tiktoken};

const SEEDS: [u64; 6] = [3, 1, 4, 15, 9, 2];
const ARMS: [Variant; 3] = [Variant::Baseline, Variant::B, Variant::C];
/// All questions of an experiment: of three arms, under six seeds, in an episode of 50 steps.
const QUESTIONS: u64 = 900;

/// What the oracles of all seeds share.
#[derive(Debug, Default)]
struct Shared {
    asked: AtomicU64,
    /// How many oracles wait for each other at their first question, and how many are to come.
    waiting: Mutex<usize>,
    met: Condvar,
}

/// The random agent, which gives answers of all kinds: some that no record may hold, some with other line ends, some
/// without their end. It is asked first when as many others are.
#[derive(Debug)]
struct MeetingAgent {
    shared: Arc<Shared>,
    meets: Option<usize>,
}

impl LocalOracle for MeetingAgent {
    fn answer(&mut self, question: &Question) -> String {
        self.shared.asked.fetch_add(1, Ordering::SeqCst);
        if let Some(others) = self.meets.take() {
            let mut waiting = self.shared.waiting.lock().unwrap();
            *waiting += 1;
            self.shared.met.notify_all();
            let late = Duration::from_secs(60);
            let not_yet = |waiting: &mut usize| *waiting < others;
            let (waiting, wait) = self
                .shared
                .met
                .wait_timeout_while(waiting, late, not_yet)
                .unwrap();
            drop(waiting);
            assert!(!wait.timed_out(), "{others} seeds are not asked at once");
        }
        let mut answer = ScriptedAgent::Random.answer(question);
        let [first, ..] = sha256(question.messages.last().unwrap().content.as_bytes());
        match first {
            0..20 => answer.push('\u{1}'),
            20..60 => answer = answer.replace(',', ",\r\n"),
            60..80 => answer.truncate(answer.len() / 2),
            _ => {}
        }
        answer
    }
}

/// An experiment in a directory, with a plan and times that are always the same.
struct Experiment<'a> {
    dir: &'a Path,
    frame: PromptFrame,
    headers: Vec<RunHeader>,
    plan: ExperimentPlan,
}

impl Experiment<'_> {
    fn new(dir: &Path) -> Experiment<'_> {
        let world = open_harbour().unwrap();
        let tokenizer = open_tiktoken("o200k_base");
        let (frame, basis) =
            build_frame(&world, tokenizer, DEFAULT_PAD, Some(MIN_LENGTHS)).unwrap();
        let constant = ConstantLength::new("none".to_owned(), MIN_LENGTHS, &basis);
        let headers: Vec<RunHeader> = ARMS
            .iter()
            .map(|variant| {
                let plan = new_plan(*variant, &SEEDS, 1);
                build_header(&plan, &world, "test", "test", Some(constant.clone()))
            })
            .collect();
        let plan = ExperimentPlan::new(&headers, &[7; 32], 1);
        for header in &headers {
            let dir = dir.join(header.variant.as_str());
            std::fs::create_dir(&dir).unwrap();
            std::fs::write(dir.join("header.json"), header.to_file_text()).unwrap();
        }
        Experiment {
            dir,
            frame,
            headers,
            plan,
        }
    }

    fn open_arms(&self, resume: bool) -> Vec<OpenArm> {
        let open = |header: &RunHeader| {
            let dir = self.dir.join(header.variant.as_str());
            let path = dir.join("ledger.jsonl");
            let statement = RunStatement::new(ARMS.to_vec(), None, &header.to_file_text())
                .under_plan(Some(self.plan.digest()));
            let (session, recorded) = match resume {
                true => resume_ledger(&path, &statement, None, 2).unwrap(),
                false => {
                    let session = begin_ledger(&path, &statement, 1).unwrap();
                    (session, LedgerAnswers::read(&path).unwrap())
                }
            };
            let agent = MeetingAgent {
                shared: Arc::default(),
                meets: None,
            };
            let oracle = RecordingOracle::new(session, Oracle::Code(Box::new(agent)));
            let answers = ResumedAnswers::new(recorded, oracle);
            let world = Box::new(open_harbour().unwrap());
            OpenArm::new(dir, header.clone(), world, answers).unwrap()
        };
        self.headers.iter().map(open).collect()
    }

    /// Runs the experiment, or goes on with it, and gives the run documents.
    fn run(
        &self,
        side: Option<&SideBySide<'_>>,
        resume: bool,
        should_continue: &mut dyn FnMut(u64) -> bool,
    ) -> (Ending, Vec<String>) {
        let mut arms = self.open_arms(resume);
        let (plan, frame) = (Some(&self.plan), Some(&self.frame));
        let ending = run_interleaved(&mut arms, &[], plan, frame, side, should_continue).unwrap();
        let documents = arms.into_iter().map(|arm| {
            let (header, run, _) = arm.finish().unwrap();
            RunDocument::new(&header, &run).to_file_text()
        });
        (ending, documents.collect())
    }

    /// Runs it with four seeds side by side, whose oracles share `shared`, as long as `goes_on`.
    fn run_parallel(
        &self,
        shared: &Arc<Shared>,
        resume: bool,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> (Ending, Vec<String>) {
        let side = SideBySide {
            seeds: 4,
            open_endpoint: &|| {
                Ok(Oracle::Code(Box::new(MeetingAgent {
                    shared: Arc::clone(shared),
                    meets: (!resume).then_some(4),
                })))
            },
            new_environment: &|| Box::new(open_harbour().unwrap()) as Box<dyn Environment>,
            constraint: None,
            keeps_answers: true,
            should_continue: goes_on,
        };
        self.run(Some(&side), resume, &mut |_| goes_on())
    }

    fn read_ledgers(&self) -> Vec<String> {
        let read = |arm: &Variant| {
            let path = self.dir.join(arm.as_str()).join("ledger.jsonl");
            std::fs::read_to_string(path).unwrap()
        };
        ARMS.iter().map(read).collect()
    }

    fn has_kept(&self) -> bool {
        ARMS.iter()
            .any(|arm| has_kept_answers(&self.dir.join(arm.as_str())))
    }
}

/// The steps of a run document without the places of their records.
fn list_steps(document: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(document).unwrap();
    let seeds = document["seeds"].as_array().unwrap().iter();
    let steps = seeds.flat_map(|seed| seed["episodes"][0]["steps"].as_array().unwrap());
    let strip = |step: &Value| {
        let mut step = step.clone();
        for name in ["ledger_seq", "obs_hash"] {
            step.as_object_mut().unwrap().remove(name).unwrap();
        }
        step
    };
    steps.map(strip).collect()
}

/// Heads of other arms stand in each ledger, so that all of it must be the same.
#[test]
fn four_seeds_at_once_give_the_ledgers_of_one_after_the_other() {
    let [one, four] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let sequential = Experiment::new(one.path());
    let (ending, expected) = sequential.run(None, false, &mut |_| true);
    assert!(matches!(ending, Ending::Over));
    let parallel = Experiment::new(four.path());
    let shared = Arc::default();
    let (ending, found) = parallel.run_parallel(&shared, false, &|| true);
    assert!(matches!(ending, Ending::Over));
    assert_eq!(shared.asked.load(Ordering::SeqCst), QUESTIONS);
    assert_eq!(found, expected);
    assert!(parallel.read_ledgers() == sequential.read_ledgers());
    assert!(
        expected[0].contains("NOT_ADMITTED"),
        "the agent answers in all ways"
    );
    check_sealed_experiment(four.path(), &parallel.plan, Stage::Closed).unwrap();
    assert!(!parallel.has_kept());
}

/// What was asked ahead when the experiment was stopped is not asked again, whether it goes on side by side or not.
#[test]
fn a_stopped_experiment_goes_on_without_asking_anything_twice() {
    let whole = tempfile::tempdir().unwrap();
    let (_, expected) = Experiment::new(whole.path()).run(None, false, &mut |_| true);
    for stop_at in [30, 333, 800] {
        let dir = tempfile::tempdir().unwrap();
        let experiment = Experiment::new(dir.path());
        let shared: Arc<Shared> = Arc::default();
        let goes_on = || shared.asked.load(Ordering::SeqCst) < stop_at;
        let (ending, _) = experiment.run_parallel(&shared, false, &goes_on);
        assert!(matches!(ending, Ending::Stopped(_)), "{ending:?}");
        assert!(experiment.has_kept());
        let (ending, found) = experiment.run_parallel(&shared, true, &|| true);
        assert!(matches!(ending, Ending::Over), "{ending:?}");
        assert_eq!(shared.asked.load(Ordering::SeqCst), QUESTIONS, "{stop_at}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(list_steps(found), list_steps(expected));
        }
        check_sealed_experiment(dir.path(), &experiment.plan, Stage::Closed).unwrap();
        assert!(!experiment.has_kept());
    }
}

/// An oracle that cannot be opened ends the experiment with its error, and nobody waits.
#[test]
fn an_error_of_a_worker_is_that_of_the_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let experiment = Experiment::new(dir.path());
    let side = SideBySide {
        seeds: 4,
        open_endpoint: &|| Err(axilog_ablation::AblationError::EmptyPlan),
        new_environment: &|| Box::new(open_harbour().unwrap()) as Box<dyn Environment>,
        constraint: None,
        keeps_answers: true,
        should_continue: &|| true,
    };
    let mut arms = experiment.open_arms(false);
    let (plan, frame) = (Some(&experiment.plan), Some(&experiment.frame));
    let error = run_interleaved(&mut arms, &[], plan, frame, Some(&side), &mut |_| true);
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "a run takes at least one seed and one episode");
    for arm in arms {
        let (_, run, _) = arm.finish().unwrap();
        assert_eq!(run.status, RunStatus::Valid);
    }
}
