//! `axilog memory recall`: asks for an exact string.

use std::path::PathBuf;

use axilog_memory::{
    AttemptOutcome, DiceRoll, MemoryRule, MemoryStore, RecallAnswer, RecallRequest, RecallScope,
    ResultOutcome,
};
use serde::Serialize;
use serde_json::Value;

use crate::Failure;
use crate::output::Report;
use crate::output::table;

/// Ask for an exact string. Every request is logged as EV-001, EV-002 and EV-003.
///
/// An unlocked string is printed. A locked string takes a roll of the table's dice, once per detail and
/// scene: a success prints and unlocks the string, anything else prints the gist. Exits 0 where the exact
/// string is printed, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    pub(super) db: PathBuf,
    /// The handle of a detail or a fact. Any other text is answered like an unknown handle.
    handle: String,
    /// Who asks.
    #[arg(long, value_name = "ID")]
    requester: String,
    /// Who else hears the answer; may be given several times.
    #[arg(long, value_name = "ID")]
    listener: Vec<String>,
    /// Who rolled.
    #[arg(long, value_name = "ID", requires = "outcome")]
    roller: Option<String>,
    /// The skill that was rolled on.
    #[arg(long, value_name = "ID", requires = "outcome")]
    skill: Option<String>,
    /// The number that the roll had to reach.
    #[arg(
        long,
        value_name = "N",
        requires = "outcome",
        allow_negative_numbers = true
    )]
    dc: Option<i32>,
    /// The number that the dice show.
    #[arg(
        long,
        value_name = "N",
        requires = "outcome",
        allow_negative_numbers = true
    )]
    roll: Option<i32>,
    /// Whether the roll succeeded under the rules of the game.
    #[arg(long, requires_all = ["roller", "skill", "dc", "roll"])]
    outcome: Option<RollOutcome>,
    /// Until when a success unlocks.
    #[arg(long, default_value = "scene")]
    scope: Scope,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum RollOutcome {
    Success,
    Failure,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scope {
    Scene,
    Session,
}

/// How a request was answered.
#[derive(Serialize)]
struct RecallResult {
    /// Whether the exact string is told.
    ok: bool,
    result: ResultOutcome,
    /// What became of the roll.
    attempt: AttemptOutcome,
    /// The number of the first of the three entries of the request.
    seq: u64,
    /// The exact string, or the payload of a fact; null where it is locked.
    exact: Value,
    gist: Option<String>,
    /// The rule that holds the exact string back.
    rule_ref: Option<MemoryRule>,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let roll = match (&args.roller, &args.skill, args.dc, args.roll, args.outcome) {
        (Some(roller), Some(skill), Some(dc), Some(rolled), Some(outcome)) => Some(DiceRoll {
            roller: roller.clone(),
            skill: skill.clone(),
            dc,
            rolled,
            success: outcome == RollOutcome::Success,
        }),
        _ => None,
    };
    let recall = MemoryStore::open(&args.db)?.recall(&RecallRequest {
        handle: args.handle.clone(),
        requester: args.requester.clone(),
        listeners: args.listener.clone(),
        roll,
        scope: match args.scope {
            Scope::Scene => RecallScope::Scene,
            Scope::Session => RecallScope::Session,
        },
    })?;
    let result = recall.answer.outcome();
    let mut rows = vec![
        ("result", result.to_string()),
        ("attempt", recall.attempt.to_string()),
        ("entries", format!("{} to {}", recall.seq, recall.seq + 2)),
    ];
    let fine = matches!(recall.answer, RecallAnswer::Exact(_));
    let rule = recall.answer.rule_ref();
    if let Some(rule) = rule {
        rows.push(("rule_ref", rule.to_string()));
    }
    let (exact, gist) = match recall.answer {
        RecallAnswer::Exact(value) => (value, None),
        RecallAnswer::Fuzzy(gist) => (Value::Null, Some(gist)),
        RecallAnswer::Unknown => (Value::Null, None),
    };
    match (&exact, &gist) {
        (_, Some(gist)) => rows.push(("says", gist.clone())),
        (Value::Null, None) => {}
        (Value::String(text), None) => rows.push(("says", text.clone())),
        (value, None) => rows.push(("says", value.to_string())),
    }
    let result = RecallResult {
        ok: fine,
        result,
        attempt: recall.attempt,
        seq: recall.seq,
        exact,
        gist,
        rule_ref: rule,
    };
    Ok(Report::new(fine, table::format_pairs(&rows), &result))
}
