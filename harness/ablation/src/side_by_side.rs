//! Seeds side by side: workers put the questions of several seeds at once, ahead of the ledgers.
//!
//! What an oracle is asked under a seed follows from its answers under that seed alone. So a worker runs the arms of a seed
//! in the order of their turns, as if there were no other seed, and hands each exchange to the run, which records it when
//! its turn comes. Ledgers and documents are those that came about if one seed ran after the other.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};

use axilog::admission::{Answer, Limits, admit};
use axilog::evidence::observation::Completion;
use axilog::hash::Hash;
use axilog_ledger::error::LedgerError;
use axilog_ledger::input::normalize_line_ends;
use axilog_ledger::session::OracleCall;
use axilog_oracle::{AnswerConstraint, Exchange, Oracle, Question, prepare_call};

use super::answer_source::{AnswerSource, MissingText, ORACLE_ID, ReceivedAnswer};
use super::asked_ahead::ExchangeAhead;
use super::environment::Environment;
use super::error::AblationError;
use super::experiment::build_harness;
use super::header::RunHeader;
use super::kept_answers::KeptAnswers;
use super::prompt::build_base_system_message;
use super::prompt_frame::PromptFrame;
use super::run::{RunInProgress, RunPlan, RunStatus};
use super::statements::AnswerFacts;
use super::variant::Variant;

/// How seeds run side by side.
pub struct SideBySide<'a> {
    /// How many seeds run at once.
    pub seeds: usize,
    /// Opens the oracle for one of them.
    pub open_endpoint: &'a (dyn Fn() -> Result<Oracle, AblationError> + Sync),
    /// Makes the environment of the arms.
    pub new_environment: &'a (dyn Fn() -> Box<dyn Environment> + Sync),
    /// The form to which the server is asked to hold each answer.
    pub constraint: Option<AnswerConstraint>,
    /// Whether answers are kept in files until a ledger holds them, because asking again would cost something.
    pub keeps_answers: bool,
    /// Tells before each question whether it is to be put.
    pub should_continue: &'a (dyn Fn() -> bool + Sync),
}

/// A text that the ledger of an arm holds already, or why it holds none.
pub(crate) type RecordedText = Result<String, MissingText>;

/// An arm, as workers need to know it.
pub(crate) struct ArmAhead {
    pub(crate) header: RunHeader,
    pub(crate) dir: PathBuf,
    /// The answers that the arm's ledger held when it was opened.
    pub(crate) recorded: Vec<RecordedText>,
    /// The place of the last seed under which it is asked.
    last_place: AtomicUsize,
}

impl ArmAhead {
    pub(crate) fn new(header: RunHeader, dir: PathBuf, recorded: Vec<RecordedText>) -> ArmAhead {
        ArmAhead {
            header,
            dir,
            recorded,
            last_place: AtomicUsize::new(usize::MAX),
        }
    }
}

/// A seed for a worker to run. Where nobody runs it, the ends of its channels go with it, and no run waits for ever.
pub(crate) struct SeedTask {
    pub(crate) place: usize,
    pub(crate) seed: u64,
    /// The places of the arms in the order of their turns, and where their exchanges go.
    pub(crate) turns: Vec<(usize, Sender<Result<ExchangeAhead, AblationError>>)>,
}

/// What all workers share.
pub(crate) struct Workshop<'a> {
    pub(crate) side: &'a SideBySide<'a>,
    pub(crate) arms: &'a [ArmAhead],
    pub(crate) frame: Option<&'a PromptFrame>,
    is_over: AtomicBool,
}

impl<'a> Workshop<'a> {
    pub(crate) fn new(
        side: &'a SideBySide<'a>,
        arms: &'a [ArmAhead],
        frame: Option<&'a PromptFrame>,
    ) -> Workshop<'a> {
        Workshop {
            side,
            arms,
            frame,
            is_over: AtomicBool::new(false),
        }
    }

    /// Lets every worker end before its next question.
    pub(crate) fn close(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Runs seeds as long as any come.
    pub(crate) fn work(&self, tasks: Arc<Mutex<Receiver<SeedTask>>>) {
        let mut endpoint = None;
        loop {
            let task = tasks.lock().ok().and_then(|tasks| tasks.recv().ok());
            let Some(task) = task else {
                return;
            };
            for (arm, sender) in task.turns {
                let Some(arm) = self.arms.get(arm) else {
                    continue;
                };
                let turn = Turn {
                    workshop: self,
                    arm,
                    place: task.place,
                    seed: task.seed,
                    sender: &sender,
                };
                match turn.run(&mut endpoint) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        // Where nobody takes it the run has ended.
                        let _ = sender.send(Err(error));
                        break;
                    }
                }
            }
        }
    }
}

/// The turn of an arm under a seed.
struct Turn<'a> {
    workshop: &'a Workshop<'a>,
    arm: &'a ArmAhead,
    place: usize,
    seed: u64,
    sender: &'a Sender<Result<ExchangeAhead, AblationError>>,
}

impl Turn<'_> {
    /// Runs the turn; whether the next arm takes its turn then.
    fn run(&self, endpoint: &mut Option<Oracle>) -> Result<bool, AblationError> {
        let Workshop { side, frame, .. } = self.workshop;
        let header = &self.arm.header;
        let plan = RunPlan {
            seeds: vec![self.seed],
            ..header.plan()
        };
        let mut environment = (side.new_environment)();
        let steps = usize::try_from(plan.step_count(&*environment)).unwrap_or(usize::MAX);
        let recorded = self.arm.recorded.chunks(steps).nth(self.place);
        let recorded: VecDeque<RecordedText> =
            recorded.unwrap_or_default().iter().cloned().collect();
        if recorded.len() == steps || !self.should_continue() {
            return Ok(true);
        }
        let endpoint = match endpoint {
            Some(endpoint) => endpoint,
            None => endpoint.insert((side.open_endpoint)()?),
        };
        let kept = match side.keeps_answers {
            true => Some(KeptAnswers::open(&self.arm.dir, self.seed)?),
            false => None,
        };
        let mut answers = AheadSource {
            turn: self,
            recorded,
            kept,
            endpoint,
            step: 0,
        };
        let system = build_base_system_message(&*environment);
        let mut run = RunInProgress::new(plan, &*environment)?;
        run.run_next_seed(
            &mut *environment,
            &mut || build_harness(header, &system, *frame),
            &mut answers,
            &mut |_| self.should_continue(),
        )?;
        Ok(self.goes_on_behind(run.ended()))
    }

    fn should_continue(&self) -> bool {
        let Workshop { side, is_over, .. } = self.workshop;
        self.place <= self.arm.last_place.load(Ordering::Relaxed)
            && !is_over.load(Ordering::Relaxed)
            && (side.should_continue)()
    }

    /// Whether other arms are asked under the seed after this end of the turn. Under later seeds nothing more is asked that
    /// it makes needless: of the arm, or of all arms.
    fn goes_on_behind(&self, ended: Option<&RunStatus>) -> bool {
        let variant = self.arm.header.variant;
        let ends_all = match ended {
            None | Some(RunStatus::Valid) => return true,
            Some(RunStatus::Interrupted(_)) => return false,
            Some(RunStatus::NoAnswer(..)) => true,
            Some(RunStatus::Invalid(..)) => variant == Variant::Baseline,
        };
        for arm in self.workshop.arms {
            if ends_all || arm.header.variant == variant {
                arm.last_place.fetch_min(self.place, Ordering::Relaxed);
            }
        }
        !ends_all
    }
}

/// The answers of a turn: those of the ledger, those that were kept, and those of the oracle. All but the first are handed
/// on.
struct AheadSource<'a> {
    turn: &'a Turn<'a>,
    recorded: VecDeque<RecordedText>,
    kept: Option<KeptAnswers>,
    endpoint: &'a mut Oracle,
    step: u64,
}

impl AnswerSource for AheadSource<'_> {
    fn ask(&mut self, question: &Question) -> Result<Option<ReceivedAnswer>, AblationError> {
        let question = Question {
            constraint: self.turn.workshop.side.constraint.clone(),
            ..question.clone()
        };
        let call = prepare_call(ORACLE_ID, &question)?;
        let input_hash = call.input.hash();
        let step = self.step;
        self.step += 1;
        let text = match self.recorded.pop_front() {
            Some(text) => text,
            None => {
                let exchange = self.exchange(step, &question, &input_hash)?;
                let text = read_reply(&call, &exchange)?;
                let ahead = ExchangeAhead {
                    question: input_hash,
                    exchange,
                };
                if self.turn.sender.send(Ok(ahead)).is_err() {
                    // The arm has ended.
                    return Ok(None);
                }
                text
            }
        };
        Ok(Some(ReceivedAnswer {
            ledger_seq: 0,
            input_hash,
            obs_hash: Hash::default(),
            text,
            // What the server says is checked where it is recorded.
            facts: AnswerFacts::default(),
        }))
    }
}

impl AheadSource<'_> {
    /// The exchange about a question that no ledger holds.
    fn exchange(
        &mut self,
        step: u64,
        question: &Question,
        input_hash: &Hash,
    ) -> Result<Exchange, AblationError> {
        if let Some(kept) = &mut self.kept
            && let Some(answer) = kept.take(step, input_hash)?
        {
            return Ok(Exchange::immediate(Ok(answer)));
        }
        let exchange = self.endpoint.ask_unrecorded(question)?;
        if let (Some(kept), Ok(answer)) = (&mut self.kept, &exchange.reply) {
            kept.keep(step, input_hash, answer)?;
        }
        Ok(exchange)
    }
}

/// Reads the text of a reply as the ledger will hold it, or why there will be none.
fn read_reply(call: &OracleCall, exchange: &Exchange) -> Result<RecordedText, AblationError> {
    let text = exchange.reply.as_ref().map(|answer| answer.text.as_str());
    let failure = exchange.reply.as_ref().err().map(|fault| fault.failure());
    let answer = Answer {
        completion: match failure {
            None => Completion::Complete,
            Some(_) => Completion::Error,
        },
        failure,
        input: call.input.bytes(),
        input_kind: call.input.kind(),
        ledger_seq: 1,
        model_id: call.model_id.as_bytes(),
        oracle_id: call.oracle_id.as_bytes(),
        output: text.unwrap_or_default().as_bytes(),
        params: call.params,
    };
    let admission = admit(&answer, None, &Limits::DEFAULT);
    let (admitted, _) = admission.map_err(|source| LedgerError::Core {
        path: "the answer".into(),
        source,
    })?;
    let text = text.ok().map(normalize_line_ends);
    Ok(MissingText::check(
        admitted.completion,
        admitted.failure,
        text,
    ))
}
