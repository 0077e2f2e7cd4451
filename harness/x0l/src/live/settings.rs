//! The settings of a session: what a person chooses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use axilog_oracle::{OracleKind, ServerOptions, TransportSettings};

use super::token_counter::TokenCounter;
use crate::condition::Condition;

/// The default of B2, the tokens per session (Q12).
pub const B2: u64 = 150_000;

/// The default number of cycles per condition.
pub const CYCLES: u64 = 100;

/// The settings of a session.
#[derive(Debug)]
pub struct SessionSettings {
    /// The model, exactly as its server names it.
    pub model: String,
    /// The kind of oracle that answers.
    pub oracle: OracleKind,
    /// The URL without `/chat/completions`, for [`OracleKind::OpenAi`].
    pub base_url: String,
    /// How the server is asked; `None` for an oracle that is no server.
    pub transport: Option<TransportSettings>,
    /// The file of the model's weights, which a server on this machine has loaded.
    pub weights: Option<PathBuf>,
    /// The model's advertised context length in tokens (Q49).
    pub context_window: u64,
    /// The tokens per session.
    pub b2: u64,
    /// The source of token counts.
    pub token_counter: TokenCounter,
    /// The cycles per condition, at least one.
    pub cycles: u64,
    /// The conditions, each once; they run in alphabetical order.
    pub conditions: Vec<Condition>,
    /// The seed of the orders of tasks.
    pub order_seed: u32,
    /// The constitution's file; the example if absent.
    pub constitution: Option<PathBuf>,
    /// The conditions' task files; the examples if absent.
    pub tasks: BTreeMap<Condition, PathBuf>,
    /// The file of the base template; the shipped one if absent.
    pub template: Option<PathBuf>,
    /// The file of a syntax erratum.
    pub erratum: Option<PathBuf>,
    /// The directory of the run that the erratum corrects; needed with one.
    pub corrects: Option<PathBuf>,
    /// The directory of the plan under which the session is an attempt; without one if absent.
    pub plan: Option<PathBuf>,
    /// Whether the session may begin though B2 may end it early.
    pub accept_partial: bool,
    /// The time at which the session begins, in seconds since 1970; at least 1.
    pub started: u64,
}

impl SessionSettings {
    /// The settings of a session of every condition on the examples, with the default budgets.
    #[must_use]
    pub fn new(
        model: &str,
        oracle: OracleKind,
        context_window: u64,
        started: u64,
    ) -> SessionSettings {
        SessionSettings {
            model: model.to_owned(),
            transport: TransportSettings::new(&oracle, &ServerOptions::default()),
            oracle,
            base_url: axilog_oracle::DEFAULT_BASE_URL.to_owned(),
            weights: None,
            context_window,
            b2: B2,
            token_counter: TokenCounter::Api,
            cycles: CYCLES,
            conditions: Condition::ALL.to_vec(),
            order_seed: 0,
            constitution: None,
            tasks: BTreeMap::new(),
            template: None,
            erratum: None,
            corrects: None,
            plan: None,
            accept_partial: false,
            started,
        }
    }
}
