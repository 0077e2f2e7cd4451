//! `axilog demo`: a scripted oracle, contained.

mod script;

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use axilog::admission::InputKind;
use axilog::agent::state::{Health, InputClass};
use axilog::evidence::observation::Params;
use axilog_ledger::decision_reasons;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::json_report::decision::decision_json;
use axilog_ledger::replay::replay_ledger;
use axilog_ledger::rules::{ExpectedRules, RuleSet};
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};
use axilog_policyc::PolicySet;
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::error::CommandError;
use crate::output::Report;
use crate::output::decision;
use crate::output::table;
use script::{MODEL, ORACLE, POLICIES, QUESTION, START, ScriptedReply, TURNS, Turn};

/// Show what axilog does: a scripted oracle answers a dozen times, well and badly.
///
/// Every answer is recorded, judged and acted on; the ledger is then verified and replayed. The
/// answers and times are fixed, so every run writes the same ledger. Exits 0 where verification and
/// replay are OK.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger to write, a new file. Where absent: axilog-demo.jsonl in the current directory,
    /// or axilog-demo-2.jsonl and so on where that is taken.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
}

/// The ledger of the demonstration, and what it showed.
#[derive(Serialize)]
struct DemoResult<'a> {
    ledger: Cow<'a, str>,
    /// The decision of each step.
    steps: Vec<Value>,
    entries: u64,
    head: String,
    health: &'static str,
    verify: &'static str,
    replay: &'static str,
    ok: bool,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let mut demo = Demo::begin(args.ledger.as_deref())?;
    for (n, turn) in (1u64..).zip(&TURNS) {
        demo.play(n, turn)?;
    }
    demo.report()
}

struct Demo {
    session: Session,
    call: OracleCall,
    time: u64,
    rows: Vec<[String; 4]>,
    steps: Vec<Value>,
}

impl Demo {
    fn begin(ledger: Option<&Path>) -> Result<Demo, CommandError> {
        let policies = PolicySet::parse(POLICIES.as_bytes()).map_err(|source| {
            LedgerError::InvalidPolicies {
                path: "the demonstration's policies".into(),
                source,
            }
        })?;
        let rules = RuleSet::new(policies, false, false);
        let (session, _) = match ledger {
            Some(path) => Session::create(path, rules, START)?,
            None => begin_at_free_name(&rules)?,
        };
        let input =
            CanonicalInput::new(QUESTION.as_bytes(), InputKind::Text).map_err(|reason| {
                LedgerError::InvalidInput {
                    path: "the demonstration's question".into(),
                    reason,
                }
            })?;
        Ok(Demo {
            session,
            call: OracleCall {
                oracle_id: ORACLE.to_owned(),
                model_id: MODEL.to_owned(),
                params: Params::NULL,
                input,
            },
            time: START,
            rows: Vec::new(),
            steps: Vec::new(),
        })
    }

    fn play(&mut self, n: u64, turn: &Turn) -> Result<(), CommandError> {
        let long;
        let (reply, quoted) = match turn.reply {
            ScriptedReply::Bytes(bytes) => (
                OracleReply::Answer(bytes),
                String::from_utf8_lossy(bytes).into_owned(),
            ),
            ScriptedReply::Long(len) => {
                long = format!("{{\"value\": 1, \"why\": \"{}\"}}", "very ".repeat(len / 5));
                let start: String = long.chars().take(32).collect();
                (OracleReply::Answer(long.as_bytes()), format!("{start}..."))
            }
            ScriptedReply::Failed(failure) => {
                (OracleReply::Failure(failure), "(nothing)".to_owned())
            }
        };
        let decision = self.session.observe(&self.call, reply)?;
        self.steps
            .push(decision_json(self.session.path(), &decision));
        let health = decision.health.as_str();
        self.rows.push([
            n.to_string(),
            format!("{}\n{quoted}", turn.about),
            format!(
                "{}\n{}",
                decision::result_name(&decision),
                decision_reasons::summarize(&decision)
            ),
            decision
                .transition
                .map_or(health.to_owned(), |t| arrow(t.prev_state, t.next_state)),
        ]);
        if turn.recover {
            self.recover()?;
        }
        Ok(())
    }

    /// What an operator does about an alarm.
    fn recover(&mut self) -> Result<(), CommandError> {
        let before = self.session.agent().health;
        for class in [InputClass::PolicyTrigger, InputClass::ResetRequest] {
            let decision = self.session.observe_control(class)?;
            self.steps
                .push(decision_json(self.session.path(), &decision));
        }
        self.time = self.time.saturating_add(10);
        let decision = self.session.observe_time(self.time, false)?;
        self.steps
            .push(decision_json(self.session.path(), &decision));
        let after = self.session.agent().health;
        self.rows.push([
            String::new(),
            "operator".to_owned(),
            "mitigates, resets, gives the time".to_owned(),
            arrow(before, after),
        ]);
        Ok(())
    }

    fn report(self) -> Result<Report, Failure> {
        let path = self.session.path().to_owned();
        let agent = self.session.agent().clone();
        drop(self.session);

        let expected = LedgerExpectations {
            entries: Some(agent.ledger.sequence.saturating_add(1)),
            head: Some(agent.ledger.head),
            models: vec![(ORACLE.to_owned(), MODEL.to_owned())],
            earlier_heads: Vec::new(),
        };
        let open = || File::open(&path).map_err(FileError::from_io(&path, "open the ledger"));
        let verified = verify_ledger(open()?, None, &expected, &mut |_| {})
            .map_err(FileError::from_io(&path, "read the ledger"))?;
        let own_rules = ExpectedRules::default();
        let replayed = replay_ledger(open()?, &path, own_rules, &expected, &mut |_| {})?;
        let verdicts = [verified.verdict(), replayed.verification.verdict()].map(|v| v.as_str());
        let fine = verified.fault.is_none() && replayed.verification.fault.is_none();

        let shown = path.display();
        let [verify, replay] = verdicts;
        let header = ["#", "the oracle says", "decision, and why", "state"];
        let mut text = format!(
            "Asked each time: {QUESTION}\n\
             Permitted: a value from 0 to 70, and at most 30 s between two times.\n\n"
        );
        text.push_str(&table::format_grid(header, [4, 23, 32, 18], &self.rows));
        text.push('\n');
        text.push_str(&table::format_pairs(&[
            (
                "ledger",
                format!(
                    "{shown}, {} records",
                    agent.ledger.sequence.saturating_add(1)
                ),
            ),
            ("head", hex(&agent.ledger.head)),
            ("verify", verify.to_owned()),
            (
                "replay",
                format!(
                    "{replay}, ends in {} as the agent did",
                    agent.health.as_str()
                ),
            ),
        ]));
        text.push_str(&format!(
            "\nNow change a byte of it and try:\n    {} verify {shown}\n",
            program_name()
        ));
        let result = DemoResult {
            ledger: path.to_string_lossy(),
            steps: self.steps,
            entries: agent.ledger.sequence.saturating_add(1),
            head: hex(&agent.ledger.head),
            health: agent.health.as_str(),
            verify,
            replay,
            ok: fine,
        };
        Ok(Report::new(fine, text, &result))
    }
}

/// The command as it was called, so that what the demo names can be called too, where it is not installed.
fn program_name() -> String {
    let called = std::env::args_os().next();
    called.map_or("axilog".to_owned(), |name| {
        name.to_string_lossy().into_owned()
    })
}

fn arrow(before: Health, after: Health) -> String {
    if before == after {
        return after.as_str().to_owned();
    }
    format!("{} -> {}", before.as_str(), after.as_str())
}

/// Begins the first of `axilog-demo.jsonl`, `axilog-demo-2.jsonl` and so on that is not a ledger.
fn begin_at_free_name(
    rules: &RuleSet,
) -> Result<(Session, [axilog_ledger::decision::StepDecision; 2]), CommandError> {
    let mut n = 1u64;
    loop {
        let path = match n {
            1 => PathBuf::from("axilog-demo.jsonl"),
            n => PathBuf::from(format!("axilog-demo-{n}.jsonl")),
        };
        match Session::create(&path, rules.clone(), START) {
            Err(LedgerError::AlreadyExists(_) | LedgerError::Locked { .. }) => {
                n = n.saturating_add(1)
            }
            begun => return Ok(begun?),
        }
    }
}
