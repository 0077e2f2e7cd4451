//! The submission of a checkpoint to the witnesses of a policy: each gets the proof from the head that it signed last, and
//! one that is away holds up no other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::path::Path;
use std::time::Duration;

use axilog_heads::{Checkpoint, PolicyWitness, Unproven, WitnessPolicy, write_submissions};
use reqwest::{Client, StatusCode, Url};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::error::WitnessError;

/// The most bytes of a witness's answer that are read.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// How often a witness is asked that signs other heads meanwhile.
const MAX_ROUNDS: usize = 4;

/// What came of asking one witness.
#[derive(Debug)]
pub struct WitnessOutcome {
    /// The witness's name in the policy.
    pub name: String,
    /// The time at which it signed, in seconds since 1970, or why it did not.
    pub signed: Result<u64, NotWitnessed>,
}

/// Why a witness did not sign a checkpoint.
#[derive(Debug, thiserror::Error)]
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
}

/// What a witness answered.
enum Answer {
    Signed(Vec<u8>),
    /// The size of the last head that it signed.
    LastSize(u64),
    No(NotWitnessed),
}

/// Has the witnesses of a policy sign a checkpoint of the ledger that is read from `source`, and adds their signatures to
/// it. Each witness has `time_limit` for each of its answers.
///
/// # Errors
/// [`WitnessError::Heads`] where the ledger is not the one of the checkpoint, [`WitnessError::Setup`]. What a witness does is
/// no error but its outcome.
pub fn submit_checkpoint(
    source: &mut (impl Read + Seek),
    ledger: &Path,
    checkpoint: &mut Checkpoint,
    policy: &WitnessPolicy,
    time_limit: Duration,
) -> Result<Vec<WitnessOutcome>, WitnessError> {
    let asker = Asker::new(time_limit)?;
    let mut outcomes = BTreeMap::new();
    let mut bodies = BTreeMap::from([(0, first_submission(checkpoint))]);
    // Whoever is to be asked, and the size of the last head that it is taken to have signed.
    let mut asked: Vec<(&PolicyWitness, u64)> = policy
        .witnesses()
        .iter()
        .map(|witness| (witness, 0))
        .collect();
    for _ in 0..MAX_ROUNDS {
        let answers = asker.ask_all(&asked, &bodies);
        let mut next = Vec::new();
        for ((witness, _), answer) in asked.into_iter().zip(answers) {
            let outcome = match answer {
                Answer::Signed(lines) => checkpoint
                    .add_cosignature(&lines, &witness.key)
                    .map_err(NotWitnessed::BadAnswer),
                Answer::LastSize(size) if size > checkpoint.size() => {
                    Err(NotWitnessed::Newer(size))
                }
                Answer::LastSize(size) => {
                    next.push((witness, size));
                    Err(NotWitnessed::Busy)
                }
                Answer::No(reason) => Err(reason),
            };
            outcomes.insert(witness.name.as_str(), outcome);
        }
        if next.is_empty() {
            break;
        }
        let sizes = next.iter().map(|(_, size)| *size);
        let unknown: BTreeSet<u64> = sizes.filter(|size| !bodies.contains_key(size)).collect();
        let submissions = write_submissions(source, ledger, &unknown, checkpoint);
        bodies.extend(submissions.map_err(WitnessError::Heads)?);
        asked = next;
    }
    let in_order = policy.witnesses().iter().filter_map(|witness| {
        let signed = outcomes.remove(witness.name.as_str())?;
        Some(WitnessOutcome {
            name: witness.name.clone(),
            signed,
        })
    });
    Ok(in_order.collect())
}

/// The submission to a witness that has signed nothing of this log.
fn first_submission(checkpoint: &Checkpoint) -> Vec<u8> {
    [b"old 0\n\n".to_vec(), checkpoint.to_bytes()].concat()
}

/// Asks witnesses, several at once.
struct Asker {
    runtime: Runtime,
    client: Client,
}

impl Asker {
    fn new(time_limit: Duration) -> Result<Asker, WitnessError> {
        // Fails where the process has chosen another provider of cryptography already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .timeout(time_limit)
            .build();
        let client = client.map_err(|error| WitnessError::Setup(std::io::Error::other(error)))?;
        let runtime = Builder::new_multi_thread().enable_all().build();
        Ok(Asker {
            runtime: runtime.map_err(WitnessError::Setup)?,
            client,
        })
    }

    /// The answers of the witnesses, in their order.
    fn ask_all(
        &self,
        asked: &[(&PolicyWitness, u64)],
        bodies: &BTreeMap<u64, Vec<u8>>,
    ) -> Vec<Answer> {
        let begun: Vec<_> = asked
            .iter()
            .map(|(witness, old_size)| {
                let client = self.client.clone();
                let url = witness.url.clone();
                let body = bodies.get(old_size).cloned().unwrap_or_default();
                self.runtime
                    .spawn(async move { ask(&client, url, body).await })
            })
            .collect();
        let end = |task: JoinHandle<Answer>| {
            let ended = self.runtime.block_on(task);
            ended.unwrap_or_else(|error| Answer::No(NotWitnessed::Away(error.to_string())))
        };
        begun.into_iter().map(end).collect()
    }
}

async fn ask(client: &Client, url: Option<String>, body: Vec<u8>) -> Answer {
    let Some(url) = url else {
        return Answer::No(NotWitnessed::NoUrl);
    };
    let away = |error: String| Answer::No(NotWitnessed::Away(error));
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
        (StatusCode::OK, _) => Answer::Signed(text),
        (StatusCode::CONFLICT, Some(size)) => Answer::LastSize(size),
        _ => Answer::No(NotWitnessed::Refused {
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
