//! The configuration as its file has it: the tables of TOML, and what stands where one is silent. What the values may be,
//! [`GatewayConfiguration::read`](crate::configuration::Configuration::read) says.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::budget::BudgetSettings;
use crate::checkpoints::CheckpointTable;

/// The most connections of clients at a time, where the configuration does not say.
pub(crate) const DEFAULT_CONNECTIONS: usize = 2048;

/// How long a client may take, where the configuration does not say.
pub(crate) const DEFAULT_CLIENT_TIME: Duration = Duration::from_secs(60);

/// What happens to an answer that may not be acted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BreachAction {
    /// It is kept back, and the client gets an error.
    #[default]
    Refuse,
    /// It is released with a header that says so.
    Flag,
}

/// The file as it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigurationFile {
    pub(crate) listen: SocketAddr,
    #[serde(default)]
    pub(crate) hosts: Vec<String>,
    pub(crate) ledgers: PathBuf,
    #[serde(default = "default_connections")]
    pub(crate) max_connections: usize,
    #[serde(default = "default_client_time")]
    pub(crate) client_time: u64,
    #[serde(default = "default_request_bytes")]
    pub(crate) max_request_bytes: usize,
    #[serde(default = "default_answer_bytes")]
    pub(crate) max_answer_bytes: usize,
    #[serde(default = "default_comment_interval")]
    pub(crate) comment_interval: u64,
    #[serde(default = "default_time_interval")]
    pub(crate) time_interval: u64,
    #[serde(default)]
    pub(crate) log_calls: bool,
    #[serde(default = "default_page")]
    pub(crate) page: bool,
    #[serde(default)]
    pub(crate) reports: bool,
    #[serde(default)]
    pub(crate) operator: OperatorTable,
    pub(crate) upstream: UpstreamTable,
    pub(crate) ledger: BTreeMap<String, LedgerTable>,
}

/// `[operator]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperatorTable {
    pub(crate) key_sha256: Vec<String>,
}

/// `[upstream]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpstreamTable {
    pub(crate) base_url: String,
    pub(crate) key_env: Option<String>,
    #[serde(default = "default_timeout")]
    pub(crate) timeout: u64,
}

/// A table `[ledger.NAME]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LedgerTable {
    pub(crate) policies: Option<PathBuf>,
    #[serde(default)]
    pub(crate) on_breach: BreachAction,
    #[serde(default)]
    pub(crate) key_sha256: Vec<String>,
    #[serde(default)]
    pub(crate) models: BTreeMap<String, String>,
    pub(crate) budget: Option<BudgetSettings>,
    pub(crate) checkpoint: Option<CheckpointTable>,
}

fn default_connections() -> usize {
    DEFAULT_CONNECTIONS
}

fn default_client_time() -> u64 {
    DEFAULT_CLIENT_TIME.as_secs()
}

fn default_request_bytes() -> usize {
    16 << 20
}

fn default_answer_bytes() -> usize {
    32 << 20
}

fn default_comment_interval() -> u64 {
    10
}

fn default_time_interval() -> u64 {
    60
}

fn default_page() -> bool {
    true
}

fn default_timeout() -> u64 {
    600
}
