//! `axilog memory recall`: asking for an exact string.

use std::path::PathBuf;

use axilog_memory::{RecallScope, Recalled, Request, Roll, Store};
use serde_json::{Value, json};

use super::super::output::Report;
use super::super::{Failure, table};

/// Ask for an exact string. Logs EV-001, EV-002 and EV-003, whatever comes of it.
///
/// What is unlocked comes out exactly. What is locked takes a roll of the table's dice, once per detail
/// and scene: a success gives it out and unlocks it, anything else gives the gist. Exits 0 where the
/// exact string came out, else 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The database.
    db: PathBuf,
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
    /// On what skill.
    #[arg(long, value_name = "ID", requires = "outcome")]
    skill: Option<String>,
    /// Against what number.
    #[arg(
        long,
        value_name = "N",
        requires = "outcome",
        allow_negative_numbers = true
    )]
    dc: Option<i32>,
    /// What the dice show.
    #[arg(
        long,
        value_name = "N",
        requires = "outcome",
        allow_negative_numbers = true
    )]
    roll: Option<i32>,
    /// What the rules make of the roll.
    #[arg(long, requires_all = ["roller", "skill", "dc", "roll"])]
    outcome: Option<Outcome>,
    /// Until when a success unlocks.
    #[arg(long, default_value = "scene")]
    scope: Scope,
    /// One JSON object on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Outcome {
    Success,
    Failure,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scope {
    Scene,
    Session,
}

pub(crate) fn run(args: &Args) -> Result<Report, Failure> {
    let roll = match (&args.roller, &args.skill, args.dc, args.roll, args.outcome) {
        (Some(roller), Some(skill), Some(dc), Some(roll), Some(outcome)) => Some(Roll {
            roller: roller.clone(),
            skill: skill.clone(),
            dc,
            roll,
            success: outcome == Outcome::Success,
        }),
        _ => None,
    };
    let recall = Store::open(&args.db)?.recall(&Request {
        detail: args.handle.clone(),
        requester: args.requester.clone(),
        others: args.listener.clone(),
        roll,
        scope: match args.scope {
            Scope::Scene => RecallScope::Scene,
            Scope::Session => RecallScope::Session,
        },
    })?;
    let (fine, said) = match &recall.recalled {
        Recalled::Exact(Value::String(text)) => (true, Some(text.clone())),
        Recalled::Exact(value) => (true, Some(value.to_string())),
        Recalled::Fuzzy(gist) => (false, Some(gist.clone())),
        Recalled::Unknown => (false, None),
    };
    let result = recall.recalled.as_str();
    let mut rows = vec![
        ("result", result.to_owned()),
        ("attempt", recall.attempt.to_owned()),
        ("entries", format!("{} to {}", recall.seq, recall.seq + 2)),
    ];
    if let Some(said) = &said {
        rows.push(("says", said.clone()));
    }
    let (exact, gist) = match recall.recalled {
        Recalled::Exact(value) => (value, None),
        Recalled::Fuzzy(gist) => (Value::Null, Some(gist)),
        Recalled::Unknown => (Value::Null, None),
    };
    Ok(Report {
        passed: fine,
        text: table::format_pairs(&rows),
        json: json!({
            "ok": fine,
            "result": result,
            "attempt": recall.attempt,
            "seq": recall.seq,
            "exact": exact,
            "gist": gist,
        }),
        notes: Vec::new(),
    })
}
