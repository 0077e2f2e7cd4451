//! Who answers, and in whose tokens the prompt is counted.

use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axilog_ablation::AblationError;
use axilog_ablation::agents::Agent;
use axilog_ablation::answers::{Live, ORACLE};
use axilog_ablation::environment::Environment;
use axilog_ablation::trap::CommitmentTrap;
use axilog_ledger::file::durability::Durability;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{Session, check_identities};
use axilog_oracle::tokens::{self, Tiktoken, Tokenizer};
use axilog_oracle::{DEFAULT_BASE_URL, Endpoint, Kind, Limits};

use super::super::now;
use crate::error::CommandError;

/// The tokens of the agents that ship, which have none of their own.
const AGENTS_TOKENS: &str = "o200k_base";

/// A kind of oracle, the agents that ship among them.
#[derive(Clone, Debug)]
pub(super) enum Provider {
    Oracle(Kind, String),
    Agent(Agent),
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Provider, String> {
        if let Some(agent) = text.strip_prefix("agent:") {
            return agent.parse().map(Provider::Agent);
        }
        match text.parse() {
            Ok(kind) => Ok(Provider::Oracle(kind, text.to_owned())),
            Err(_) => Err(format!(
                "there is no oracle {text:?}; expected openai, agent:precedent, agent:indifferent, agent:random, scripted:FILE or recorded:LEDGER"
            )),
        }
    }
}

impl fmt::Display for Provider {
    /// As documents have it; a file is named by its kind alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Provider::Oracle(_, name) => {
                f.write_str(name.split_once(':').map_or(name.as_str(), |(kind, _)| kind))
            }
            Provider::Agent(agent) => write!(f, "agent:{}", agent.as_str()),
        }
    }
}

/// The environment that ships.
pub(super) fn world() -> Box<dyn Environment> {
    Box::new(CommitmentTrap::default())
}

/// Options of every command that asks.
#[derive(clap::Args)]
pub(super) struct Asked {
    /// Who answers: openai, agent:precedent, agent:indifferent, agent:random, scripted:FILE or
    /// recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    pub(super) oracle: Provider,
    /// What stands before /chat/completions, for the kind openai.
    #[arg(long, value_name = "URL", default_value = DEFAULT_BASE_URL)]
    base_url: String,
}

impl Asked {
    /// Answers from the oracle, recorded in a new ledger at `path`.
    pub(super) fn live(&self, path: &Path, model: &str) -> Result<Live, CommandError> {
        check_identities(ORACLE, model)?;
        let endpoint = match &self.oracle {
            Provider::Agent(agent) => Endpoint::Local(Box::new(*agent)),
            Provider::Oracle(kind, _) => Endpoint::open(kind, &self.base_url, Limits::default())?,
        };
        let (mut session, _) = Session::begin(path, RuleSet::without_policies()?, now())?;
        if matches!(self.oracle, Provider::Agent(_)) {
            // What an agent said can be had again at any time.
            session.set_durability(Durability::Interval {
                records: NonZeroU64::MAX,
                within: Duration::from_secs(2),
            })?;
        }
        Ok(Live::new(session, endpoint))
    }
}

/// Which model, and in whose tokens.
#[derive(clap::Args)]
pub(super) struct Counted {
    /// The model, exactly as its server names it. An agent's is its own name.
    #[arg(long, value_name = "ID")]
    pub(super) model: Option<String>,
    /// The tokenizer, where the model's is not known: a name like o200k_base, or the path of a
    /// tokenizer.json.
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
}

impl Counted {
    /// The model's id.
    pub(super) fn model(&self, oracle: &Provider) -> Result<String, AblationError> {
        match (&self.model, oracle) {
            (Some(model), _) => Ok(model.clone()),
            (None, Provider::Agent(_)) => Ok(oracle.to_string()),
            (None, Provider::Oracle(..)) => Err(AblationError::NoModel(oracle.to_string())),
        }
    }

    /// Whether --tokenizer was given.
    pub(super) fn names_tokenizer(&self) -> bool {
        self.tokenizer.is_some()
    }

    /// Its tokenizer.
    pub(super) fn tokenizer(&self, oracle: &Provider) -> Result<Arc<dyn Tokenizer>, AblationError> {
        let named = match (&self.tokenizer, &self.model, oracle) {
            (Some(name), ..) => name.as_str(),
            (None, None, Provider::Agent(_)) => AGENTS_TOKENS,
            _ => {
                let model = self.model(oracle)?;
                return Ok(Arc::new(Tiktoken::for_model(&model)?));
            }
        };
        Ok(Arc::from(tokens::open(named)?))
    }
}
