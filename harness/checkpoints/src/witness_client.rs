//! Asking a witness to sign a checkpoint, and what it answers.

use std::time::Duration;

use axilog_heads::Unproven;
use reqwest::{Client, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::error::CheckpointsError;

/// The most bytes of a witness's answer that are read.
const MAX_ANSWER_BYTES: usize = 64 << 10;

/// Why a witness did not sign a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWitnessed {
    /// The policy does not say where it is.
    #[error("the policy has no URL of it")]
    NoUrl,
    /// It gave no whole answer.
    #[error("it is away: {0}")]
    Away(String),
    /// It refused the checkpoint.
    #[error("it answered {status}: {told:?}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// What it said.
        told: String,
    },
    /// It has signed a head of more records.
    #[error(
        "it has signed a head of {0} records already; sign the ledger's head anew (axilog checkpoint), and submit that"
    )]
    Newer(u64),
    /// It signs other heads of this log while it is asked.
    #[error("it signs other heads of this log meanwhile; submit again")]
    Busy,
    /// What it gave is no signature of its key on this checkpoint.
    #[error("what it gave as its signature does not hold: {0}")]
    BadAnswer(Unproven),
    /// The proof for it cannot be made.
    #[error("the proof for it cannot be made: {0}")]
    NoProof(String),
}

/// What a witness answered.
#[derive(Debug)]
pub(crate) enum WitnessAnswer {
    /// Lines with its signature.
    Signed(Vec<u8>),
    /// The size of the last head that it signed.
    LastSize(u64),
    No(NotWitnessed),
}

/// Asks witnesses over HTTP.
#[derive(Debug)]
pub(crate) struct WitnessClient {
    runtime: Runtime,
    client: Client,
}

impl WitnessClient {
    /// A client that waits as long for each answer.
    pub(crate) fn new(time_limit: Duration) -> Result<WitnessClient, CheckpointsError> {
        // Fails where the process has chosen another provider of cryptography already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(time_limit)
            .build();
        let client =
            client.map_err(|error| CheckpointsError::Setup(std::io::Error::other(error)))?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build();
        Ok(WitnessClient {
            runtime: runtime.map_err(CheckpointsError::Setup)?,
            client,
        })
    }

    /// Asks the witness at `url` with the body of a submission, and gives its answer once it is there.
    pub(crate) fn ask(&self, url: Option<&str>, body: Vec<u8>) -> WitnessAnswer {
        self.end(self.begin(url, body))
    }

    /// Begins to ask a witness. Several are asked at a time.
    pub(crate) fn begin(&self, url: Option<&str>, body: Vec<u8>) -> JoinHandle<WitnessAnswer> {
        let client = self.client.clone();
        let url = url.map(str::to_owned);
        self.runtime
            .spawn(async move { ask(&client, url, body).await })
    }

    /// The answer of a witness that was asked.
    pub(crate) fn end(&self, asked: JoinHandle<WitnessAnswer>) -> WitnessAnswer {
        let ended = self.runtime.block_on(asked);
        ended.unwrap_or_else(|error| WitnessAnswer::No(NotWitnessed::Away(error.to_string())))
    }
}

async fn ask(client: &Client, url: Option<String>, body: Vec<u8>) -> WitnessAnswer {
    let Some(url) = url else {
        return WitnessAnswer::No(NotWitnessed::NoUrl);
    };
    let away = |error: String| WitnessAnswer::No(NotWitnessed::Away(error));
    let url = match Url::parse(&format!("{}/add-checkpoint", url.trim_end_matches('/'))) {
        Ok(url) => url,
        Err(error) => return away(format!("{url}: {error}")),
    };
    let mut response = match client.post(url).body(body).send().await {
        Ok(response) => response,
        Err(error) => return away(describe(&error)),
    };
    let mut text = Vec::new();
    while text.len() <= MAX_ANSWER_BYTES {
        match response.chunk().await {
            Ok(Some(chunk)) => text.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return away(describe(&error)),
        }
    }
    let status = response.status();
    let shown = String::from_utf8_lossy(&text);
    let last_size = || -> Option<u64> { shown.strip_suffix('\n')?.parse().ok() };
    match (status, last_size()) {
        (StatusCode::OK, _) => WitnessAnswer::Signed(text),
        (StatusCode::CONFLICT, Some(size)) => WitnessAnswer::LastSize(size),
        _ => WitnessAnswer::No(NotWitnessed::Refused {
            status: status.as_u16(),
            told: shown.chars().take(300).collect(),
        }),
    }
}

/// An error with what it comes from, which says why.
fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
