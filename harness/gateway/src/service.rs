//! What all calls of a gateway with a provider share.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axilog::hash::Hash;
use axilog_connections::Connections;
use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::configuration::GatewayConfiguration;
use crate::error::GatewayError;
use crate::ledgers::Ledgers;
use crate::live_calls::LiveCalls;
use crate::metrics::Metrics;
use crate::provider::Provider;
use crate::refusal::Refusal;
use crate::request::RequestBounds;

/// Writes a page about the ledger at a path: HTML that is whole by itself. The error is a sentence.
pub type ReportRenderer = Arc<dyn Fn(&Path) -> Result<Vec<u8>, String> + Send + Sync>;

/// What all calls share.
pub(crate) struct Service {
    pub(crate) provider: Provider,
    pub(crate) ledgers: Ledgers,
    pub(crate) ledgers_by_key: HashMap<Hash, String>,
    pub(crate) operator_keys: HashSet<Hash>,
    /// What a request may take.
    pub(crate) bounds: RequestBounds,
    pub(crate) connections: Connections,
    pub(crate) comment_interval: Duration,
    pub(crate) metrics: Metrics,
    pub(crate) live_calls: LiveCalls,
    /// Whether the gateway has its page.
    pub(crate) has_page: bool,
    /// Whether the page links to reports.
    pub(crate) has_reports: bool,
    /// What writes the reports of the ledgers; absent where there are none.
    pub(crate) report: OnceLock<ReportRenderer>,
    /// One report is written at a time: it takes memory and time as the ledger is long.
    pub(crate) report_permit: Arc<Semaphore>,
    /// Whether each call is logged.
    pub(crate) logs_calls: bool,
    /// Whether only this machine reaches the gateway.
    pub(crate) is_local: bool,
    /// A permit for each call at a time.
    pub(crate) permits: Arc<Semaphore>,
}

/// The most calls at a time. Further ones wait, each with its body.
const MAX_CALLS: u32 = 1024;

impl Service {
    pub(crate) fn open(
        configuration: GatewayConfiguration,
        replays: bool,
    ) -> Result<Service, GatewayError> {
        let ledgers_by_key = configuration.ledgers_by_key();
        Ok(Service {
            provider: Provider::new(configuration.upstream, configuration.max_answer_bytes)?,
            ledgers: Ledgers::open(configuration.ledger, configuration.time_interval, replays)?,
            ledgers_by_key,
            operator_keys: configuration.operator_keys.into_iter().collect(),
            bounds: RequestBounds {
                bytes: configuration.max_request_bytes,
                time: configuration.client_time,
            },
            connections: Connections::new(configuration.max_connections, configuration.client_time),
            comment_interval: configuration.comment_interval,
            metrics: Metrics::default(),
            live_calls: LiveCalls::new(),
            has_page: configuration.page,
            has_reports: configuration.reports,
            report: OnceLock::new(),
            report_permit: Arc::new(Semaphore::new(1)),
            logs_calls: configuration.log_calls,
            is_local: configuration.listen.ip().is_loopback(),
            permits: Arc::new(Semaphore::new(MAX_CALLS as usize)),
        })
    }

    /// Waits until no call is made any more.
    pub(crate) async fn wait_for_calls(&self) {
        // Nothing closes the semaphore.
        let _ = self.permits.acquire_many(MAX_CALLS).await;
    }

    /// The number of calls that are made.
    pub(crate) fn count_calls(&self) -> usize {
        (MAX_CALLS as usize).saturating_sub(self.permits.available_permits())
    }

    /// The refusal of a ledger that the configuration does not name.
    pub(crate) fn refuse_ledger(&self, name: &str) -> Refusal {
        let names = self.ledgers.names().join(", ");
        let message = format!("the gateway has no ledger {name:?}; it has {names}");
        Refusal::new(StatusCode::NOT_FOUND, "not_found_error", message)
    }
}
