//! What a person chooses for a session.

use std::collections::BTreeMap;
use std::path::PathBuf;

use axilog_oracle::Kind;

use super::Ruler;
use crate::condition::Condition;

/// B2 where nothing else is said (Q12).
pub const B2: u64 = 150_000;

/// Cycles per condition where nothing else is said.
pub const CYCLES: u64 = 100;

/// What a session is asked to be.
#[derive(Debug)]
pub struct Settings {
    /// The model, exactly as its server names it.
    pub model: String,
    /// Who answers.
    pub oracle: Kind,
    /// What stands before `/chat/completions`, for [`Kind::OpenAi`].
    pub base_url: String,
    /// The model's advertised context length in tokens (Q49).
    pub context_window: u64,
    /// Tokens per session.
    pub b2: u64,
    /// Who counts tokens.
    pub ruler: Ruler,
    /// Cycles per condition, at least one.
    pub cycles: u64,
    /// The conditions, each once; they run in the order of their letters.
    pub conditions: Vec<Condition>,
    /// What the orders of tasks are drawn from.
    pub order_seed: u32,
    /// The constitution's file; the example where absent.
    pub constitution: Option<PathBuf>,
    /// The conditions' task files; the examples where absent.
    pub tasks: BTreeMap<Condition, PathBuf>,
    /// A syntax erratum.
    pub erratum: Option<PathBuf>,
    /// Whether a session that B2 may end early is wanted.
    pub accept_partial: bool,
    /// When it begins, in seconds since 1970; at least 1.
    pub started: u64,
}

impl Settings {
    /// A session of every condition on the examples, with the usual budgets.
    #[must_use]
    pub fn new(model: &str, oracle: Kind, context_window: u64, started: u64) -> Settings {
        Settings {
            model: model.to_owned(),
            oracle,
            base_url: axilog_oracle::DEFAULT_BASE_URL.to_owned(),
            context_window,
            b2: B2,
            ruler: Ruler::Api,
            cycles: CYCLES,
            conditions: Condition::ALL.to_vec(),
            order_seed: 0,
            constitution: None,
            tasks: BTreeMap::new(),
            erratum: None,
            accept_partial: false,
            started,
        }
    }
}
