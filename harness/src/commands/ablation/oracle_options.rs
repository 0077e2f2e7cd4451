//! The options that say who answers, and in whose tokens prompts are counted.

use std::fmt;
use std::num::NonZeroU64;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axilog_ablation::AblationError;
use axilog_ablation::agents::ScriptedAgent;
use axilog_ablation::answer_source::ORACLE_ID;
use axilog_ablation::ledger_answers::LedgerAnswers;
use axilog_ablation::prompt::build_question;
use axilog_ablation::recording_oracle::RecordingOracle;
use axilog_ablation::resumed_answers::{ResumedAnswers, begin_ledger, resume_ledger};
use axilog_ablation::sampling::Sampling;
use axilog_ablation::statements::RunStatement;
use axilog_ledger::durability::Durability;
use axilog_ledger::session::check_identities;
use axilog_oracle::tokens::{self, Tokenizer};
use axilog_oracle::{
    ANTHROPIC_BASE_URL, AnswerConstraint, DEFAULT_BASE_URL, Oracle, OracleKind, TransportSettings,
};

use crate::error::CommandError;
use crate::now;
use crate::options::free_server_args::FreeServerArgs;
use crate::options::sampling::{parse_temperature, parse_top_p};

/// The tokenizer of the agents that ship, which have none of their own.
const AGENT_TOKENIZER: &str = "o200k_base";

/// A kind of oracle, or an agent that ships.
#[derive(Clone, Debug)]
pub(super) enum Provider {
    Oracle(OracleKind, String),
    Agent(ScriptedAgent),
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

/// The options of the commands that ask an oracle.
#[derive(clap::Args)]
pub(super) struct OracleOptions {
    /// Who answers: openai, anthropic, agent:precedent, agent:indifferent, agent:random, agent:lock-in,
    /// agent:drift, agent:presence, agent:clumsy, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai")]
    pub(super) oracle: Provider,
    #[command(flatten)]
    server: FreeServerArgs,
    /// The sampling temperature, a decimal number of at least 0.
    #[arg(long, value_name = "N", value_parser = parse_temperature, default_value = "0", allow_negative_numbers = true)]
    temperature: i32,
    /// Nucleus sampling, a decimal number from 0 to 1; not sent where it is not given.
    #[arg(long, value_name = "N", value_parser = parse_top_p, allow_negative_numbers = true)]
    top_p: Option<i32>,
    /// The seed of the model's own draws; not sent where it is not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..), allow_negative_numbers = true)]
    sampling_seed: Option<i64>,
    /// The most tokens that an answer may have.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..), default_value = "1024", allow_negative_numbers = true)]
    max_tokens: i32,
}

impl OracleOptions {
    /// Opens the oracle, which must be able to put questions to `model` with these sampling parameters.
    pub(super) fn open(
        &self,
        model: &str,
        sampling: Sampling,
    ) -> Result<OpenedOracle, CommandError> {
        check_identities(ORACLE_ID, model)?;
        let constraint = self.read_constraint()?;
        let endpoint = match &self.oracle {
            Provider::Agent(agent) => Oracle::Code(Box::new(*agent)),
            Provider::Oracle(kind, _) => {
                let endpoint = Oracle::open(kind, &self.server.options())?;
                // What cannot be asked is refused before a ledger exists.
                let mut question = build_question(model, "", "", sampling);
                question.constraint = constraint.clone();
                endpoint.check_question(&question)?;
                endpoint
            }
        };
        Ok(OpenedOracle {
            endpoint,
            constraint,
            // None needs to be synced by itself.
            is_repeatable: self.is_repeatable(),
        })
    }

    /// Opens the oracle for one of `seeds` seeds that run side by side: all of them together keep the pace.
    pub(super) fn open_for_seed(&self, seeds: usize) -> Result<Oracle, AblationError> {
        match &self.oracle {
            Provider::Agent(agent) => Ok(Oracle::Code(Box::new(*agent))),
            Provider::Oracle(kind, _) => {
                let mut options = self.server.options();
                let seeds = u32::try_from(seeds).unwrap_or(u32::MAX);
                options.limits.pace = options.limits.pace.saturating_mul(seeds);
                Ok(Oracle::open(kind, &options)?)
            }
        }
    }

    /// The form to which the server is asked to hold each answer.
    pub(super) fn read_constraint(&self) -> Result<Option<AnswerConstraint>, CommandError> {
        self.server.read_response_format()
    }

    /// Whether the oracle gives the same answers again, at no cost.
    pub(super) fn is_repeatable(&self) -> bool {
        matches!(self.oracle, Provider::Agent(_))
    }

    /// Checks that the oracle can be asked under several seeds at once.
    pub(super) fn check_parallel(&self) -> Result<(), CommandError> {
        match &self.oracle {
            Provider::Oracle(OracleKind::Scripted(_) | OracleKind::Recorded(_), name) => {
                Err(CommandError::ParallelScript(name.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the oracle can go on where it stopped.
    pub(super) fn check_resumable(&self) -> Result<(), AblationError> {
        match &self.oracle {
            Provider::Oracle(OracleKind::Scripted(_), name) => {
                Err(AblationError::OracleBeginsAnew(name.clone()))
            }
            _ => Ok(()),
        }
    }

    /// How the calls are made, as a run's header records it; `None` for an oracle that is no server.
    pub(super) fn transport(&self) -> Result<Option<TransportSettings>, CommandError> {
        let Provider::Oracle(kind, _) = &self.oracle else {
            return Ok(None);
        };
        let constraint = self.read_constraint()?;
        let settings = TransportSettings::new(kind, &self.server.options());
        Ok(settings.map(|settings| TransportSettings {
            response_format: constraint.map(|constraint| constraint.describe()),
            ..settings
        }))
    }

    /// The URL of the server; `None` for an oracle that is no server.
    pub(super) fn base_url(&self) -> Option<String> {
        let default = match &self.oracle {
            Provider::Oracle(OracleKind::OpenAi, _) => DEFAULT_BASE_URL,
            Provider::Oracle(OracleKind::Anthropic, _) => ANTHROPIC_BASE_URL,
            _ => return None,
        };
        let given = self.server.options().base_url;
        Some(given.unwrap_or_else(|| default.to_owned()))
    }

    /// The sampling parameters.
    pub(super) fn sampling(&self) -> Sampling {
        Sampling {
            max_tokens: self.max_tokens,
            seed: self.sampling_seed,
            temperature: self.temperature,
            top_p: self.top_p,
        }
    }
}

/// An oracle that can be asked, and has no ledger yet.
pub(super) struct OpenedOracle {
    endpoint: Oracle,
    constraint: Option<AnswerConstraint>,
    is_repeatable: bool,
}

impl OpenedOracle {
    /// Begins the ledger at `path` with `statement`, or goes on with it where `resume`, by calls that are made as
    /// `transport` says.
    pub(super) fn open_ledger(
        self,
        path: &Path,
        statement: &RunStatement,
        resume: bool,
        transport: Option<TransportSettings>,
        counts_prompts: bool,
    ) -> Result<ResumedAnswers, CommandError> {
        let (mut session, recorded) = if resume {
            resume_ledger(path, statement, transport, now())?
        } else {
            let session = begin_ledger(path, statement, now())?;
            (session, LedgerAnswers::read(path)?)
        };
        if self.is_repeatable {
            session.set_durability(Durability::Interval {
                records: NonZeroU64::MAX,
                within: Duration::from_secs(2),
            })?;
        }
        let oracle = RecordingOracle::new(session, self.endpoint)
            .with_constraint(self.constraint)
            .counting_prompts(counts_prompts);
        Ok(ResumedAnswers::new(recorded, oracle))
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

    /// Whether neither a model nor a tokenizer was named.
    pub(super) fn is_empty(&self) -> bool {
        self.model.is_none() && self.tokenizer.is_none()
    }

    /// Whether the option --tokenizer was given.
    pub(super) fn has_tokenizer(&self) -> bool {
        self.tokenizer.is_some()
    }

    /// Opens the model's tokenizer. Of a model whose own is known no other is opened.
    pub(super) fn open_tokenizer(
        &self,
        oracle: &Provider,
    ) -> Result<Arc<dyn Tokenizer>, AblationError> {
        let model = self.model(oracle)?;
        let name = match (&self.tokenizer, &self.model, oracle) {
            (Some(name), ..) => Some(name.as_str()),
            (None, None, Provider::Agent(_)) => Some(AGENT_TOKENIZER),
            _ => None,
        };
        Ok(Arc::from(tokens::open_model_tokenizer(&model, name)?))
    }
}
