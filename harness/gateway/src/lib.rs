//! Stands between programs and the provider of their models: a program that asks through the gateway is recorded and
//! contained, whatever language it is written in. It changes its base URL and nothing else.
//!
//! The gateway keeps the question before it asks the provider, records the answer as an observation of the ledger, and
//! releases it, byte for byte, once the record is durable and the policies permit it. SRS-004 §4 and §9.5; decisions
//! D32 and D35.
//!
//! ```
//! use axilog_gateway::{GatewayConfiguration, EXAMPLE, Gateway};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let path = dir.path().join("gateway.toml");
//! std::fs::write(&path, EXAMPLE)?;
//! let gateway = Gateway::open(GatewayConfiguration::read(&path)?)?;
//! let listener = gateway.listen()?;
//! println!("http://{}/v1", listener.address());
//! // `listener.serve(must_stop)` answers until `must_stop` says so.
//! # Ok(())
//! # }
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `configuration.rs` | the configuration: one TOML file |
//! | `gateway.rs` | [`Gateway`] and [`Listener`]: opening, serving, ending |
//! | `operator.rs`, `metrics.rs` | what an operator asks of the gateway, and what it counts |
//! | `call_log.rs`, `live_calls.rs` | a line for each call, and the calls as they end |
//! | `page.rs`, `page/` | the page that shows ledgers and calls |
//! | `service.rs` | what all calls share |
//! | `server.rs` | the routes of a gateway with a provider: which call a request is, and in which ledger |
//! | `request.rs`, `response.rs` | what every request is checked for, and what every response says |
//! | `call.rs` | one call from the request to the released answer |
//! | `outcome.rs` | how a call ended |
//! | `provider.rs` | asking the provider |
//! | `late_stream.rs` | a stream that begins before its answer is there |
//! | `checkpoints.rs` | the heads of a ledger, signed and sent to witnesses while calls are recorded |
//! | `ledgers.rs` | the ledgers by name, opened when they are first needed |
//! | `budget.rs` | the budgets of a ledger, and what is spent of them |
//! | `recording.rs` | the calls that a ledger holds |
//! | `replay.rs` | answering calls from a ledger, without the provider |
//! | `refusal.rs` | what a client gets in place of an answer |
//! | `error_form.rs` | the form of errors, which official clients read |
//! | `error.rs` | why the gateway cannot begin |
//! | `slow_provider.rs` | tests with providers that take their time |
//!
//! What is asked and answered is read, put together and recorded by `axilog-exchange`.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

mod budget;
mod call;
mod call_log;
mod checkpoints;
mod configuration;
mod configuration_file;
mod error;
mod error_form;
mod gateway;
mod host_name;
mod late_stream;
mod ledgers;
mod live_calls;
mod metrics;
mod operator;
mod outcome;
mod page;
mod provider;
mod recording;
mod refusal;
mod replay;
mod request;
mod response;
mod server;
mod service;
#[cfg(test)]
mod slow_provider;

pub use budget::BudgetSettings;
pub use checkpoints::LedgerCheckpoints;
pub use configuration::{BreachAction, EXAMPLE, GatewayConfiguration, LedgerSettings, Upstream};
pub use error::GatewayError;
pub use gateway::{Gateway, Listener};
pub use service::ReportRenderer;
