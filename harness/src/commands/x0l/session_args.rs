//! The options of `plan`, `preflight` and `run`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axilog_oracle::{DEFAULT_BASE_URL, Oracle, OracleKind, TransportSettings};
use axilog_x0l::condition::Condition;
use axilog_x0l::document::to_value;
use axilog_x0l::live::{
    B2, CYCLES, LiveError, Preflight, PreflightCheck, ServerSpeed, SessionPlan, SessionSettings,
    TokenCounter, measure_speed,
};
use axilog_x0l::log::RunDirectory;

use super::parse_oracle;
use crate::error::CommandError;
use crate::now;
use crate::options::checkpoints::{CheckpointArgs, HeadSigning};
use crate::options::server_args::ServerArgs;

/// What is planned of a session.
#[derive(clap::Args)]
pub(super) struct PlannedArgs {
    /// The model, exactly as its server names it.
    #[arg(long, value_name = "ID")]
    model: String,
    /// The oracle that answers: openai, scripted:FILE or recorded:LEDGER.
    #[arg(long, value_name = "KIND", default_value = "openai", value_parser = parse_oracle)]
    pub(super) oracle: OracleKind,
    #[command(flatten)]
    pub(super) server: ServerArgs,
    /// The file of the model's weights, where the server runs on this machine. Its SHA-256 is recorded, and
    /// compared after the session: another one makes the session INVALID.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The model's context length in tokens, as its provider states it.
    #[arg(long, value_name = "TOKENS")]
    context_window: u64,
    /// The conditions to run, separated by commas; they run in alphabetical order.
    #[arg(
        long,
        value_name = "LETTERS",
        default_value = "A,B,C,D,E",
        value_delimiter = ','
    )]
    conditions: Vec<Condition>,
    /// The number of cycles per condition.
    #[arg(long, value_name = "N", default_value_t = CYCLES)]
    cycles: u64,
    /// The token budget B2 of the session, over all conditions. (B1, the budget of a cycle, is a
    /// limit of the constitution.)
    #[arg(long, value_name = "TOKENS", default_value_t = B2)]
    b2: u64,
    /// Begin even if B2 may end the session early.
    #[arg(long)]
    accept_partial: bool,
    /// Count tokens on this machine instead of trusting the `usage` in the server's answers.
    #[arg(long)]
    count_tokens: bool,
    /// The tokenizer for --count-tokens, if the model's own is not known by its id: a vocabulary of
    /// OpenAI's, or the path of a tokenizer.json (builds with the feature tokenizer-json).
    #[arg(long, value_name = "NAME", requires = "count_tokens")]
    tokenizer: Option<String>,
    /// The file of the constitution [default: the example].
    #[arg(long, value_name = "FILE")]
    constitution: Option<PathBuf>,
    /// The file of a condition's tasks, as in A=tasks.toml; may be given for each condition [default:
    /// the examples].
    #[arg(long, value_name = "LETTER=FILE", value_parser = parse_tasks)]
    tasks: Vec<(Condition, PathBuf)>,
    /// The file of the base template [default: the example].
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// The file of a syntax erratum (X.E2): the base template with other field names, quoting or
    /// layout. It applies to all conditions, and the session must include A.
    #[arg(long, value_name = "FILE", requires = "corrects")]
    erratum: Option<PathBuf>,
    /// The run that the erratum corrects: a run with the same model, constitution, tasks and seeds,
    /// and without an erratum.
    #[arg(long, value_name = "DIR", requires = "erratum")]
    corrects: Option<PathBuf>,
    /// The seed of the random orders of tasks.
    #[arg(long, value_name = "N", default_value_t = 0)]
    order_seed: u32,
}

/// A session: what is planned of it, and what each attempt has of its own.
#[derive(clap::Args)]
pub(super) struct SessionArgs {
    #[command(flatten)]
    pub(super) planned: PlannedArgs,
    /// The directory of the plan under which the session is an attempt, as axilog x0l plan made it. A session that
    /// differs from it is refused.
    #[arg(long, value_name = "DIR")]
    plan: Option<PathBuf>,
    /// The time at which the session begins, in seconds since 1970 [default: now]. Sessions with
    /// equal times and settings send equal prompts, which recorded:LEDGER needs.
    #[arg(long, value_name = "SECONDS")]
    started: Option<u64>,
    /// Measure the server's speed before anything is spent, with four questions at most, and refuse a session with a
    /// condition whose answers cannot come within the time limit of a call.
    #[arg(long)]
    pub(super) measure: bool,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    /// The directory for the run, which must be new or empty.
    #[arg(long, value_name = "DIR", default_value = "axilog-x0l-run")]
    pub(super) out: PathBuf,
}

fn parse_tasks(text: &str) -> Result<(Condition, PathBuf), String> {
    let (condition, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or_else(|| format!("{text:?}: expected a condition and a file, as in A=tasks.toml"))?;
    Ok((condition.parse()?, Path::new(path).to_owned()))
}

impl PlannedArgs {
    /// Opens the oracle. A session whose settings or prompts hold its key is refused, before they are copied into
    /// the session's directory.
    ///
    /// # Errors
    /// As [`Oracle::open`] and [`Oracle::check_recorded_text`].
    pub(super) fn open_endpoint(&self, plan: &SessionPlan) -> Result<Oracle, CommandError> {
        let endpoint = Oracle::open(&self.oracle, &self.server.options())?;
        let settings = to_value(&plan.frozen).to_string();
        endpoint.check_recorded_text("the session's settings", settings.as_bytes())?;
        for (number, (_, task)) in (1..).zip(plan.cycles()) {
            let prompt = plan.render_prompt(task, number);
            for text in [&prompt.system, &prompt.user] {
                endpoint.check_recorded_text("a prompt", text.as_bytes())?;
            }
        }
        Ok(endpoint)
    }

    /// Reads every file that the options name.
    ///
    /// # Errors
    /// As [`SessionPlan::read`].
    pub(super) fn read_plan(
        &self,
        committed: Option<PathBuf>,
        started: u64,
    ) -> Result<SessionPlan, CommandError> {
        let mut tasks = BTreeMap::new();
        for (condition, path) in &self.tasks {
            if tasks.insert(*condition, path.clone()).is_some() {
                let reason = format!("tasks are named twice for the condition {condition}");
                return Err(LiveError::Settings(reason).into());
            }
        }
        let token_counter = if self.count_tokens {
            TokenCounter::local(self.tokenizer.as_deref(), &self.model)?
        } else {
            TokenCounter::Api
        };
        let server = self.server.options();
        Ok(SessionPlan::read(SessionSettings {
            model: self.model.clone(),
            oracle: self.oracle.clone(),
            transport: TransportSettings::new(&self.oracle, &server),
            base_url: server.base_url.unwrap_or(DEFAULT_BASE_URL.to_owned()),
            weights: self.weights.clone(),
            context_window: self.context_window,
            b2: self.b2,
            token_counter,
            cycles: self.cycles,
            conditions: self.conditions.clone(),
            order_seed: self.order_seed,
            constitution: self.constitution.clone(),
            tasks,
            template: self.template.clone(),
            erratum: self.erratum.clone(),
            corrects: self.corrects.clone(),
            plan: committed,
            accept_partial: self.accept_partial,
            started,
        })?)
    }
}

impl SessionArgs {
    /// Reads what the options name with which the heads of the session's ledger are signed.
    pub(super) fn read_signing(&self) -> Result<HeadSigning, CommandError> {
        let ledger = self.out.join(RunDirectory::LEDGER);
        self.checkpoints.read_for_new(&ledger)
    }

    /// The check of preflight that the heads of the session's ledger can be signed; `None` where they are not to be.
    pub(super) fn check_signing(&self) -> Option<PreflightCheck> {
        let result = match self.read_signing() {
            Ok(signing) => Ok(signing.describe()?),
            Err(error) => Err(error.to_string()),
        };
        Some(PreflightCheck {
            name: "heads",
            result,
        })
    }

    /// Measures the server's speed, where that is wanted and a server is asked, and adds the check to those of preflight.
    ///
    /// # Errors
    /// As [`measure_speed`].
    pub(super) fn measure(
        &self,
        plan: &SessionPlan,
        endpoint: &mut Oracle,
        preflight: &mut Preflight,
    ) -> Result<Option<ServerSpeed>, CommandError> {
        if !self.measure {
            return Ok(None);
        }
        let measured = measure_speed(plan, endpoint)?;
        let result = match &measured {
            None => Ok("no server is asked".to_owned()),
            Some(measured) => measured
                .as_ref()
                .map_err(Clone::clone)
                .and_then(ServerSpeed::check),
        };
        preflight.checks.push(PreflightCheck {
            name: "speed",
            result,
        });
        Ok(measured.and_then(Result::ok))
    }

    /// Reads every file that the options name, and the plan.
    ///
    /// # Errors
    /// As [`SessionPlan::read`].
    pub(super) fn read_plan(&self) -> Result<SessionPlan, CommandError> {
        let started = self.started.unwrap_or_else(now);
        self.planned.read_plan(self.plan.clone(), started)
    }
}
