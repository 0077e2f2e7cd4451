//! The signing of heads: one thread, which compares each head with the last one of its log, keeps it and signs it.
//!
//! What has come while the disk was written is written together, so that a witness signs more heads in a second than its
//! disk syncs. A cosignature leaves the thread after the head that it is of is on the disk: whoever kills the witness at
//! any instant has either no cosignature, or one of a head that the witness will remember.

use std::io::{self, Write};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use axilog_heads::{ExtensionProof, WitnessKey};
use rusqlite::Transaction;
use tokio::sync::{mpsc, oneshot};

use crate::error::WitnessError;
use crate::head_store::{HeadStore, SignedHead, put_head, read_head};
use crate::refusal::Refusal;

/// The most heads that are written together.
const MAX_BATCH: usize = 256;
/// The most heads that wait. Further ones wait with their connections.
const MAX_WAITING: usize = 1024;

/// A submission whose log and signature were checked, and where its answer goes.
struct Waiting {
    proof: ExtensionProof,
    answer: oneshot::Sender<Result<Vec<u8>, Refusal>>,
}

/// The way to the thread that signs. When the last one is dropped the thread ends.
#[derive(Clone, Debug)]
pub(crate) struct Signer(mpsc::Sender<Waiting>);

impl Signer {
    /// Begins the thread.
    ///
    /// # Errors
    /// [`WitnessError::Setup`].
    pub(crate) fn begin(
        store: HeadStore,
        key: WitnessKey,
    ) -> Result<(Signer, JoinHandle<()>), WitnessError> {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        let thread = thread::Builder::new()
            .name("signer".to_owned())
            .spawn(move || sign_all(store, &key, receiver))
            .map_err(WitnessError::Setup)?;
        Ok((Signer(sender), thread))
    }

    /// Has a head signed, and gives the signature's line. Its log and its log's signature were checked.
    ///
    /// # Errors
    /// [`Refusal::OldIsLarger`], [`Refusal::OtherOldSize`], [`Refusal::NotExtended`], [`Refusal::NotKept`].
    pub(crate) async fn sign(&self, proof: ExtensionProof) -> Result<Vec<u8>, Refusal> {
        let (answer, answered) = oneshot::channel();
        let sent = self.0.send(Waiting { proof, answer }).await;
        sent.map_err(|_| Refusal::NotKept)?;
        answered.await.unwrap_or(Err(Refusal::NotKept))
    }
}

fn sign_all(mut store: HeadStore, key: &WitnessKey, mut receiver: mpsc::Receiver<Waiting>) {
    while let Some(first) = receiver.blocking_recv() {
        let mut batch = vec![first];
        while batch.len() < MAX_BATCH
            && let Ok(next) = receiver.try_recv()
        {
            batch.push(next);
        }
        match sign_batch(&mut store, key, &mut batch) {
            Ok(answers) => {
                for (waiting, answer) in batch.into_iter().zip(answers) {
                    // Who has gone gets the same head signed the next time.
                    let _ = waiting.answer.send(answer);
                }
            }
            Err(error) => {
                // Where standard error fails, there is nobody to tell.
                let path = store.path().display();
                let _ = writeln!(io::stderr(), "axilog: {path}: cannot keep heads: {error}");
                // The senders are dropped, which is an answer.
            }
        }
    }
}

/// Decides about each head, and keeps those that are signed: all of them durably, or none.
fn sign_batch(
    store: &mut HeadStore,
    key: &WitnessKey,
    batch: &mut [Waiting],
) -> rusqlite::Result<Vec<Result<Vec<u8>, Refusal>>> {
    let transaction = store.begin()?;
    let answers = batch
        .iter_mut()
        .map(|waiting| sign_one(&transaction, key, &mut waiting.proof))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    transaction.commit()?;
    Ok(answers)
}

fn sign_one(
    transaction: &Transaction<'_>,
    key: &WitnessKey,
    proof: &mut ExtensionProof,
) -> rusqlite::Result<Result<Vec<u8>, Refusal>> {
    let origin = proof.checkpoint().origin().to_owned();
    let latest = read_head(transaction, &origin)?;
    if let Err(refusal) = check_extension(proof, latest.as_ref()) {
        return Ok(Err(refusal));
    }
    let checkpoint = proof.checkpoint_mut();
    let Ok(signature) = checkpoint.cosign(key, seconds_since_1970()) else {
        return Ok(Err(Refusal::NotKept));
    };
    let head = SignedHead {
        size: checkpoint.size(),
        root: checkpoint.root(),
    };
    put_head(transaction, &origin, &head, &checkpoint.to_bytes())?;
    Ok(Ok(signature))
}

/// Checks that a head extends the last one of its log that was signed.
fn check_extension(proof: &ExtensionProof, latest: Option<&SignedHead>) -> Result<(), Refusal> {
    let (old_size, size) = (proof.old_size(), proof.checkpoint().size());
    if old_size > size {
        return Err(Refusal::OldIsLarger { old_size, size });
    }
    let latest_size = latest.map_or(0, |latest| latest.size);
    if old_size != latest_size {
        return Err(Refusal::OtherOldSize {
            latest: latest_size,
        });
    }
    let old_root = latest.map(|latest| latest.root).unwrap_or_default();
    proof
        .check_growth(old_root)
        .map_err(|reason| Refusal::NotExtended {
            old_size,
            size,
            reason,
        })
}

fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
