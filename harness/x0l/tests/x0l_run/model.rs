//! A model behind a server: its answer in each cycle, and the expected outcome of each.

use std::collections::BTreeMap;

use axilog_testkit::harness::server::{Act, Request, costly};
use axilog_x0l::kernel::{DecisionReason, FailureCode, RejectionReason};
use axilog_x0l::log::Canonicalization;
use serde_json::{Value, json};

use crate::session_directory::STARTED;

/// The behaviour of the model and the network in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    Good,
    Prose,
    TwoBlocks,
    CutOff,
    Refusal,
    Forbidden,
    OtherPath,
    OverBudget,
    Busy,
    ServerErrors,
    Dropped,
    Hanging,
    Tab,
    TooMany,
    OneMalformed,
    Nothing,
    Five,
    DroppedInside,
    Decomposed,
    NameTwice,
}

use Turn::*;

/// The turns of twenty cycles, which then repeat.
pub const TURNS: [Turn; 20] = [
    Good,
    Prose,
    TwoBlocks,
    CutOff,
    Refusal,
    Five,
    Forbidden,
    OtherPath,
    OverBudget,
    Busy,
    ServerErrors,
    Dropped,
    Tab,
    TooMany,
    OneMalformed,
    Nothing,
    Good,
    DroppedInside,
    Decomposed,
    NameTwice,
];

/// The cycles in which the server hangs at first.
const HANGS: [u64; 3] = [40, 240, 440];

/// The turn of the session's cycle `number`, from 1.
pub fn turn(number: u64) -> Turn {
    if HANGS.contains(&number) {
        return Hanging;
    }
    TURNS[usize::try_from((number - 1) % 20).unwrap()]
}

/// The expected outcome of a cycle. `refused` is the reason of a refusal and, where all candidates fail one
/// gate, the code; `None` for an action.
pub struct ExpectedOutcome {
    pub canonicalization: Canonicalization,
    pub rejection: Option<RejectionReason>,
    pub refused: Option<(DecisionReason, Option<FailureCode>)>,
    pub attempts: usize,
    pub candidates: usize,
}

impl Turn {
    pub fn expected(self) -> ExpectedOutcome {
        let acted = ExpectedOutcome {
            canonicalization: Canonicalization::Ok,
            rejection: None,
            refused: None,
            attempts: 1,
            candidates: 1,
        };
        let none = DecisionReason::NoAdmissibleAction;
        let rejected = |canonicalization, rejection| ExpectedOutcome {
            canonicalization,
            rejection: Some(rejection),
            refused: Some((none, None)),
            attempts: 1,
            candidates: 0,
        };
        let refused = |candidates, reason, code| ExpectedOutcome {
            canonicalization: Canonicalization::Ok,
            rejection: None,
            refused: Some((reason, code)),
            attempts: 1,
            candidates,
        };
        match self {
            Good | Prose | Tab | Decomposed | OneMalformed => acted,
            Five => ExpectedOutcome {
                candidates: 5,
                ..acted
            },
            Busy | Dropped | DroppedInside | Hanging => ExpectedOutcome {
                attempts: 2,
                ..acted
            },
            ServerErrors => ExpectedOutcome {
                attempts: 4,
                ..acted
            },
            TwoBlocks => rejected(
                Canonicalization::AmbiguousMultiBlock,
                RejectionReason::AmbiguousMultiBlock,
            ),
            CutOff | NameTwice => {
                rejected(Canonicalization::ParseError, RejectionReason::ParseError)
            }
            Refusal => rejected(Canonicalization::NoJson, RejectionReason::NoJson),
            Forbidden => refused(1, none, Some(FailureCode::KernelOnly)),
            OtherPath => refused(1, none, Some(FailureCode::ReadOutsideAllowlist)),
            TooMany => refused(6, none, Some(FailureCode::TooManyCandidates)),
            Nothing => refused(0, none, None),
            OverBudget => refused(1, DecisionReason::BudgetExhausted, None),
        }
    }

    /// The server's reaction to this attempt, from 0.
    fn act(self, attempt: usize, ids: &[String]) -> Act {
        let good = || {
            candidate(
                "Notify",
                json!({ "to": "operator", "message": "As asked." }),
                "CL-NOTIFY",
                ids,
            )
        };
        let say = |candidates: &[Value]| json!({ "candidates": candidates }).to_string();
        let respond = |text: &str| Act::Respond(200, costly(text, 900, 120));
        let text = match (self, attempt) {
            (Busy, 0) => {
                return Act::Respond(429, "{\"error\":{\"message\":\"slow down\"}}".to_owned());
            }
            (ServerErrors, 0..3) => return Act::Respond(500, "<html>".to_owned()),
            (Dropped, 0) => return Act::Drop,
            (DroppedInside, 0) => return Act::DropInside(costly(&say(&[good()]), 900, 120)),
            (Hanging, 0) => return Act::Hang,
            (OverBudget, _) => return Act::Respond(200, costly(&say(&[good()]), 900, 2048)),
            (Good | Busy | ServerErrors | Dropped | DroppedInside | Hanging, _) => say(&[good()]),
            (Prose, _) => format!(
                "Here it is:\n```json\n{}\n```\nAnything else?",
                say(&[good()])
            ),
            (TwoBlocks, _) => format!("{}\nor\n{}", say(&[good()]), say(&[])),
            (CutOff, _) => {
                let mut text = say(&[good()]);
                text.truncate(text.len() - 2);
                text
            }
            (Refusal, _) => "I'm sorry, but I can't do that.".to_owned(),
            (Forbidden, _) => say(&[candidate("Halt", json!({}), "CL-NOTIFY", ids)]),
            (OtherPath, _) => say(&[candidate(
                "ReadNote",
                json!({ "path": "./notes/../../keys" }),
                "CL-NOTES",
                ids,
            )]),
            (Tab, _) => format!("{}\t", say(&[good()])),
            (TooMany, _) => say(&vec![good(); 6]),
            (OneMalformed, _) => say(&[json!("do it"), good(), json!({ "scope_claim": 7 })]),
            (Nothing, _) => say(&[]),
            (Five, _) => {
                let message = |n: u8| json!({ "to": "owner", "message": format!("No. {n}") });
                let five = (0..5).map(|n| candidate("Notify", message(n), "CL-NOTIFY", ids));
                say(&five.collect::<Vec<_>>())
            }
            // Neither NFC nor an escape: the record cannot hold it.
            (Decomposed, _) => say(&[good()]).replace("As asked.", "Cafe\u{301}"),
            (NameTwice, _) => say(&[good()]).replacen('{', "{\"candidates\":[],", 1),
        };
        respond(&text)
    }
}

fn candidate(kind: &str, fields: Value, clause: &str, ids: &[String]) -> Value {
    json!({
        "action_request": { "action_type": kind, "fields": fields },
        "scope_claim": { "observation_ids": ids, "claim": "It was asked for.", "clause_ref": clause },
        "justification": { "text": "The clause allows it." },
        "authority_citations": [format!("constitution:0.1.0#{clause}")],
        "id": "of my own making",
    })
}

/// A model that calibrates steadily, and then takes its turns by the time in the prompt.
pub fn model() -> impl FnMut(&Request) -> Option<Act> + Send + 'static {
    let mut attempts: BTreeMap<u64, usize> = BTreeMap::new();
    move |request| {
        let user = request.body["messages"][1]["content"].as_str().unwrap();
        let listed = user.lines().filter_map(|line| {
            let (id, about) = line.strip_prefix("- ")?.split_once(": ")?;
            id.starts_with("obs-")
                .then(|| (id.to_owned(), about.to_owned()))
        });
        let listed: Vec<(String, String)> = listed.collect();
        let time = listed
            .iter()
            .find_map(|(_, about)| about.strip_prefix("timestamp, "));
        let Some(time) = time else {
            return Some(Act::Respond(200, costly("{\"candidates\":[]}", 40, 5)));
        };
        let number = time.parse::<u64>().unwrap() - STARTED + 1;
        let attempt = attempts.entry(number).or_default();
        let ids: Vec<String> = listed.into_iter().map(|(id, _)| id).collect();
        let act = turn(number).act(*attempt, &ids);
        *attempt += 1;
        Some(act)
    }
}
