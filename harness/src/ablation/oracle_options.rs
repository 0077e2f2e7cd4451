//! The options that say who answers, and in whose tokens prompts are counted.

use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axilog_ablation::AblationError;
use axilog_ablation::agents::Agent;
use axilog_ablation::answer_source::{ORACLE_ID, RecordingOracle};
use axilog_ablation::commitment_trap::CommitmentTrap;
use axilog_ablation::environment::Environment;
use axilog_ablation::prompt::build_question;
use axilog_ledger::durability::Durability;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{Session, check_identities};
use axilog_oracle::tokens::{self, Tiktoken, Tokenizer};
use axilog_oracle::{Endpoint, OracleKind, TransportSettings};

use super::super::free_server_args::FreeServerArgs;
use super::super::now;
use crate::error::CommandError;

/// The tokenizer of the agents that ship, which have none of their own.
const AGENT_TOKENIZER: &str = "o200k_base";

/// A kind of oracle, or an agent that ships.
#[derive(Clone, Debug)]
pub(super) enum Provider {
    Oracle(OracleKind, String),
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
                "there is no oracle {text:?}; expected openai, anthropic, agent:precedent, agent:indifferent, agent:random, agent:lock-in, agent:drift, agent:presence, agent:clumsy, scripted:FILE or recorded:LEDGER"
            )),
        }
    }
}

impl fmt::Display for Provider {
    /// The provider's name in documents: of a kind that reads a file, the kind alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Provider::Oracle(_, name) => {
                f.write_str(name.split_once(':').map_or(name.as_str(), |(kind, _)| kind))
            }
            Provider::Agent(agent) => write!(f, "agent:{}", agent.as_str()),
        }
    }
}

/// Creates the environment that ships.
pub(super) fn new_environment() -> Box<dyn Environment> {
    Box::new(CommitmentTrap::default())
}

/// The options of the commands that ask an oracle.
#[derive(clap::Args)]
pub(super) struct OracleOptions {
    /// Who answers: openai, anthropic, agent:precedent, agent:indifferent, agent:random, agent:lock-in,
    /// agent:drift, agent:presence, agent:clumsy, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    pub(super) oracle: Provider,
    #[command(flatten)]
    server: FreeServerArgs,
}

impl OracleOptions {
    /// Opens the oracle, and a new ledger at `path` that records its answers.
    pub(super) fn open(&self, path: &Path, model: &str) -> Result<RecordingOracle, CommandError> {
        check_identities(ORACLE_ID, model)?;
        let constraint = self.server.read_response_format()?;
        let endpoint = match &self.oracle {
            Provider::Agent(agent) => Endpoint::Code(Box::new(*agent)),
            Provider::Oracle(kind, _) => {
                let endpoint = Endpoint::open(kind, &self.server.options())?;
                // What cannot be asked is refused before a ledger exists.
                let mut question = build_question(model, "", "");
                question.constraint = constraint.clone();
                endpoint.check_question(&question)?;
                endpoint
            }
        };
        let (mut session, _) = Session::create(path, RuleSet::without_policies()?, now())?;
        if matches!(self.oracle, Provider::Agent(_)) {
            // An agent gives the same answers again, so that none needs to be synced by itself.
            session.set_durability(Durability::Interval {
                records: NonZeroU64::MAX,
                within: Duration::from_secs(2),
            })?;
        }
        Ok(RecordingOracle::new(session, endpoint).with_constraint(constraint))
    }

    /// How the calls are made, as a run's header records it; `None` for an oracle that is no server.
    pub(super) fn transport(&self) -> Result<Option<TransportSettings>, CommandError> {
        let Provider::Oracle(kind, _) = &self.oracle else {
            return Ok(None);
        };
        let constraint = self.server.read_response_format()?;
        let settings = TransportSettings::new(kind, &self.server.options());
        Ok(settings.map(|settings| TransportSettings {
            response_format: constraint.map(|constraint| constraint.describe()),
            ..settings
        }))
    }
}

/// The options that name the model and its tokenizer.
#[derive(clap::Args)]
pub(super) struct ModelOptions {
    /// The model, exactly as its server names it; without it, an agent's model is its own name.
    #[arg(long, value_name = "ID")]
    pub(super) model: Option<String>,
    /// The tokenizer, for a model whose tokenizer is not known: a name like o200k_base, or the path of
    /// a tokenizer.json.
    #[arg(long, value_name = "NAME")]
    tokenizer: Option<String>,
}

impl ModelOptions {
    /// The model's id.
    pub(super) fn model(&self, oracle: &Provider) -> Result<String, AblationError> {
        match (&self.model, oracle) {
            (Some(model), _) => Ok(model.clone()),
            (None, Provider::Agent(_)) => Ok(oracle.to_string()),
            (None, Provider::Oracle(..)) => Err(AblationError::MissingModel(oracle.to_string())),
        }
    }

    /// Whether the option --tokenizer was given.
    pub(super) fn has_tokenizer(&self) -> bool {
        self.tokenizer.is_some()
    }

    /// Opens the model's tokenizer.
    pub(super) fn open_tokenizer(
        &self,
        oracle: &Provider,
    ) -> Result<Arc<dyn Tokenizer>, AblationError> {
        let name = match (&self.tokenizer, &self.model, oracle) {
            (Some(name), ..) => name.as_str(),
            (None, None, Provider::Agent(_)) => AGENT_TOKENIZER,
            _ => {
                let model = self.model(oracle)?;
                return Ok(Arc::new(Tiktoken::for_model(&model)?));
            }
        };
        Ok(Arc::from(tokens::open_tokenizer(name)?))
    }
}
