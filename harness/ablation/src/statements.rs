//! What a run's ledger holds beside the answers: statements of the harness about the run itself.
//!
//! The first observation after the reset and the time says what is run; an answer of another model, or to a
//! prompt of another length, is followed by what its server said of it; and where a run goes on after it was
//! stopped, the first record says so. In an experiment of several arms each arm says, before its first question under a
//! seed and when all is over, how far the ledgers of the other arms had come. They are in the chain like the answers, so
//! that no file beside the ledger can tell another story.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::session::Session;
use axilog_oracle::{ModelAnswer, ProviderFacts, TransportSettings};
use serde::{Deserialize, Serialize};

use super::error::AblationError;
use super::json_document::to_canonical_json;
use super::variant::Variant;

/// The oracle that says what is run, and the form of what it says.
pub const RUN: (&str, &str) = ("ablation.run", "ABLATION:RUN:v1");
/// The oracle that says what a server said of its answers, and the form.
pub const PROVIDER: (&str, &str) = ("ablation.provider", "ABLATION:PROVIDER:v1");
/// The oracle that says that a run goes on, and the form.
pub const RESUME: (&str, &str) = ("ablation.resume", "ABLATION:RESUME:v1");
/// The oracle that says how far the ledgers of the other arms had come, and the form.
pub const HEADS: (&str, &str) = ("ablation.heads", "ABLATION:HEADS:v1");

/// What is run. It stands in the ledger before the first answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunStatement {
    /// The variants that were to be run beside each other, in their order; empty for a calibration.
    pub arms: Vec<Variant>,
    /// The URL of the server; `None` for an oracle that is no server.
    pub base_url: Option<String>,
    /// SHA-256 of the file `header.json`, in hexadecimal. It covers the calibration's digest.
    pub header: String,
    /// SHA-256 of the file `plan.json` of the experiment, in hexadecimal; `None` for a run by itself, and in
    /// experiments of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
}

impl RunStatement {
    /// The statement of a run whose header file has the text `header`.
    #[must_use]
    pub fn new(arms: Vec<Variant>, base_url: Option<String>, header: &str) -> RunStatement {
        RunStatement {
            arms,
            base_url,
            header: hex(&sha256(header.as_bytes())),
            plan: None,
        }
    }

    /// The same statement of a run that is an arm of the experiment whose plan has the digest `plan`.
    #[must_use]
    pub fn under_plan(mut self, plan: Option<String>) -> RunStatement {
        self.plan = plan;
        self
    }
}

/// What a server said of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerFacts {
    /// The model, as the server names it.
    pub answered_by: Option<String>,
    /// How many tokens the prompt had, as the server counts them; `None` where a run's prompts have no constant
    /// length, and where the server does not say.
    pub prompt_tokens: Option<u64>,
    /// The build or configuration, as the server names it.
    pub system_fingerprint: Option<String>,
}

impl AnswerFacts {
    /// The facts of an answer; `counts_prompt` is whether the prompt's tokens are among them.
    #[must_use]
    pub fn of(answer: &ModelAnswer, counts_prompt: bool) -> AnswerFacts {
        let facts = ProviderFacts::of(answer);
        let usage = answer.usage.filter(|_| counts_prompt);
        AnswerFacts {
            answered_by: facts.answered_by,
            prompt_tokens: usage.map(|usage| usage.prompt_tokens),
            system_fingerprint: facts.system_fingerprint,
        }
    }
}

/// What a server said of an answer and of those after it, up to the next such statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerStatement {
    /// As in [`AnswerFacts`].
    pub answered_by: Option<String>,
    /// The sequence of the first answer of which it was said.
    pub ledger_seq: u64,
    /// As in [`AnswerFacts`].
    pub prompt_tokens: Option<u64>,
    /// As in [`AnswerFacts`].
    pub system_fingerprint: Option<String>,
}

impl ServerStatement {
    /// The statement that `facts` are those of the answer `ledger_seq`.
    #[must_use]
    pub fn new(ledger_seq: u64, facts: &AnswerFacts) -> ServerStatement {
        let facts = facts.clone();
        ServerStatement {
            answered_by: facts.answered_by,
            ledger_seq,
            prompt_tokens: facts.prompt_tokens,
            system_fingerprint: facts.system_fingerprint,
        }
    }

    /// The facts that are stated.
    #[must_use]
    pub fn to_facts(&self) -> AnswerFacts {
        AnswerFacts {
            answered_by: self.answered_by.clone(),
            prompt_tokens: self.prompt_tokens,
            system_fingerprint: self.system_fingerprint.clone(),
        }
    }
}

/// That a run goes on. The last answer before it, if the oracle failed there, is asked for again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResumeStatement {
    /// How many answers the ledger holds, failures included.
    pub answers: u64,
    /// The URL of the server from here on; `None` for an oracle that is no server.
    pub base_url: Option<String>,
    /// How its calls are made from here on.
    pub transport: Option<TransportSettings>,
}

/// How far the ledger of an arm has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmHead {
    /// The arm.
    pub arm: Variant,
    /// How many records its ledger holds.
    pub entries: u64,
    /// The chain value of the last of them, in hexadecimal.
    pub head: String,
}

/// How far the ledgers of all other arms of the experiment have come where an arm begins a seed, or when the experiment
/// is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadsStatement {
    /// The other arms, in the order of the plan.
    pub heads: Vec<ArmHead>,
    /// The seed whose first question follows; `None` where the experiment is over and no question follows.
    pub seed: Option<u64>,
}

/// Records `statement` in the name of `oracle`: [`RUN`], [`PROVIDER`], [`RESUME`] or [`HEADS`].
///
/// # Errors
/// As [`Session::record_statement`].
pub fn record_statement(
    session: &mut Session,
    (oracle_id, form): (&str, &str),
    statement: &impl Serialize,
) -> Result<(), AblationError> {
    session.record_statement(oracle_id, form, &to_canonical_json(statement))?;
    Ok(())
}
