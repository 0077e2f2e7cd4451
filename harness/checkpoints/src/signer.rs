//! The signer of a ledger's heads: a thread that signs while the session writes, and one for each witness that is asked.
//!
//! The session tells how far it is durable, and waits for none of them. Nothing is signed that is not durable.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axilog_heads::{
    Checkpoint, GrowingLog, HeadsError, LogKey, PolicyWitness, SignedTree, WitnessPolicy,
    checkpoint_of, write_submissions,
};
use axilog_ledger::durability::LedgerPosition;
use axilog_ledger::error::FileError;
use axilog_ledger::file::durable_watch::DurableWatch;
use axilog_ledger::file::storage::append_suffix;

use crate::error::CheckpointsError;
use crate::rounds::{FoundSignatures, Rounds};
use crate::settings::{CheckpointInterval, CheckpointSettings, Patience};
use crate::status::{CheckpointStatus, WitnessedHead};
use crate::witness_client::{NotWitnessed, WitnessAnswer, WitnessClient};

/// How often a witness is asked in one go that signs other heads meanwhile.
const MAX_ROUNDS: usize = 4;

/// Takes a line for whoever runs the program.
pub type Reporter = Arc<dyn Fn(&str) + Send + Sync>;

/// Signs the heads of a ledger while a session writes it, and has witnesses sign them.
#[derive(Debug)]
pub struct CheckpointSigner {
    watch: DurableWatch,
    shared: Arc<Shared>,
    signing: Option<JoinHandle<()>>,
    end: Duration,
}

/// What the threads share.
struct Shared {
    ledger: PathBuf,
    log: Mutex<GrowingLog>,
    rounds: Rounds,
    /// Held while signatures of witnesses are written into files.
    files: Mutex<()>,
    client: WitnessClient,
    report: Reporter,
}

/// Where the checkpoint of a ledger is kept that enough witnesses have signed.
#[must_use]
pub fn witnessed_of(ledger: &Path) -> PathBuf {
    append_suffix(ledger, ".witnessed")
}

impl CheckpointSigner {
    /// Begins to sign the heads of a ledger that a session has begun, as far as that says that it is
    /// [durable](CheckpointSigner::watch). `report` gets a line where a witness is away or comes back, and where a head cannot
    /// be signed.
    ///
    /// # Errors
    /// Those of [`GrowingLog::open`]; [`CheckpointsError::Setup`].
    pub fn start(
        ledger: &Path,
        settings: CheckpointSettings,
        report: Reporter,
    ) -> Result<CheckpointSigner, CheckpointsError> {
        let CheckpointSettings {
            key,
            origin,
            interval,
            witnesses,
            patience,
        } = settings;
        let found = witnesses.as_ref();
        let found = found.map(|policy| find_signatures(ledger, &key, policy));
        let log = GrowingLog::open(ledger, key, origin.as_deref(), &checkpoint_of(ledger))?;
        let shared = Arc::new(Shared {
            ledger: ledger.to_owned(),
            rounds: Rounds::new(
                witnesses.clone(),
                log.signed_size(),
                found.unwrap_or_default(),
            ),
            files: Mutex::new(()),
            client: WitnessClient::new(patience.answer)?,
            report,
            log: Mutex::new(log),
        });
        // Witnesses that were away before are asked at once.
        if let Some(latest) = shared.log().latest() {
            shared.rounds.publish(latest)?;
        }
        let mut signer = CheckpointSigner {
            watch: DurableWatch::new(),
            shared: shared.clone(),
            signing: None,
            end: patience.end,
        };
        let named = witnesses.as_ref().map_or(&[][..], WitnessPolicy::witnesses);
        for (number, witness) in named.iter().enumerate() {
            let (shared, witness) = (shared.clone(), witness.clone());
            // Nobody waits for this thread beyond the time at the end.
            start_thread("axilog-witness", move || {
                shared.ask_until_end(number, &witness, patience);
                shared.rounds.leave();
            })?;
        }
        let watch = signer.watch.clone();
        signer.signing = Some(start_thread("axilog-checkpoint", move || {
            shared.sign_until_end(&watch, interval);
        })?);
        Ok(signer)
    }

    /// What the session reports to: [`Session::report_durable_to`](axilog_ledger::session::Session::report_durable_to).
    #[must_use]
    pub fn watch(&self) -> DurableWatch {
        self.watch.clone()
    }

    /// What has come of it so far.
    #[must_use]
    pub fn status(&self) -> CheckpointStatus {
        self.shared.rounds.status()
    }

    /// Signs the last head, once the session has synced or ended, and asks each witness once that has not signed it. Gives what
    /// has come of it after the time that witnesses have at the end, or before.
    #[must_use]
    pub fn finish(mut self) -> CheckpointStatus {
        self.end_signing();
        self.wait_for_witnesses(Instant::now())
    }

    /// Signs the last head of several ledgers as [`finish`](CheckpointSigner::finish) does, and waits for the witnesses of all
    /// of them at the same time. Gives what has come of it, in the order of the signers.
    #[must_use]
    pub fn finish_all(signers: Vec<CheckpointSigner>) -> Vec<CheckpointStatus> {
        let mut signers = signers;
        signers.iter_mut().for_each(CheckpointSigner::end_signing);
        let ended = Instant::now();
        let statuses = signers
            .iter()
            .map(|signer| signer.wait_for_witnesses(ended));
        statuses.collect()
    }

    /// Waits for the witnesses, as long as they have from the time on at which the signing ended.
    fn wait_for_witnesses(&self, ended: Instant) -> CheckpointStatus {
        self.shared
            .rounds
            .wait_until_left(ended.checked_add(self.end));
        self.status()
    }

    fn end_signing(&mut self) {
        self.watch.end();
        match self.signing.take() {
            Some(signing) => drop(signing.join()),
            // Without it, nobody else ends those that ask witnesses.
            None => drop(self.shared.rounds.begin_end()),
        }
    }
}

impl Drop for CheckpointSigner {
    fn drop(&mut self) {
        self.end_signing();
    }
}

impl Shared {
    fn log(&self) -> MutexGuard<'_, GrowingLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, text: &str) {
        (self.report)(&format!("{}: {text}", self.ledger.display()));
    }

    /// Signs a head whenever one is due, and the last one.
    fn sign_until_end(&self, watch: &DurableWatch, interval: CheckpointInterval) {
        let mut tried = self.log().signed_size();
        loop {
            let wanted = interval
                .records
                .map_or(u64::MAX, |records| tried.saturating_add(records.get()));
            let until = interval
                .time
                .and_then(|time| Instant::now().checked_add(time));
            let mark = watch.wait_for(wanted, until);
            if mark.durable.entries > 0 && (mark.durable.entries != tried || mark.has_ended) {
                tried = mark.durable.entries;
                self.sign(&mark.durable);
            }
            if mark.has_ended {
                break;
            }
        }
        if let Err(error) = self.rounds.begin_end() {
            self.report(&error.to_string());
        }
    }

    fn sign(&self, durable: &LedgerPosition) {
        let kept = self.rounds.sizes_in_use();
        let signed = {
            let mut log = self.log();
            log.sign(durable, &kept).map(|()| log.latest())
        };
        let published = signed.and_then(|latest| match latest {
            Some(latest) => self.rounds.publish(latest),
            None => Ok(()),
        });
        let problem = published.err().map(|error| error.to_string());
        if self.rounds.note_signing(problem.clone()) {
            match problem {
                Some(problem) => self.report(&format!(
                    "the head is not signed: {problem}; the next one that is due is tried again"
                )),
                None => self.report("heads are signed again"),
            }
        }
    }

    /// Asks a witness for each round, and again after a pause where it has not signed.
    fn ask_until_end(&self, number: usize, witness: &PolicyWitness, patience: Patience) {
        let mut pause = patience.first_pause;
        let mut retry_at = None;
        let mut was_asked_at_end = false;
        while let Some(tree) = self
            .rounds
            .wait_for_work(number, retry_at, &mut was_asked_at_end)
        {
            let was_away = retry_at.is_some();
            let taken = match self.submit(number, witness, &tree) {
                Ok(lines) => {
                    (pause, retry_at) = (patience.first_pause, None);
                    if was_away {
                        self.report(&format!("the witness {} signs again", witness.name));
                    }
                    self.keep_signature(number, &tree, &lines)
                }
                Err(reason) => {
                    let told = reason.to_string();
                    retry_at = Instant::now().checked_add(pause);
                    let refused = self.rounds.take_refusal(number, &tree, reason);
                    refused.map(|is_first| {
                        if is_first {
                            self.report(&format!(
                                "the witness {} has not signed the head of {} records: {told}; it is asked again, and nothing \
                                 waits for it",
                                witness.name,
                                tree.size()
                            ));
                        }
                        pause = pause.saturating_mul(2).min(patience.longest_pause);
                    })
                }
            };
            if let Err(error) = taken {
                self.report(&error.to_string());
            }
        }
    }

    /// Has a witness sign a head; gives the lines of its signature, which holds.
    fn submit(
        &self,
        number: usize,
        witness: &PolicyWitness,
        tree: &SignedTree,
    ) -> Result<Vec<u8>, NotWitnessed> {
        let no_proof = |error: HeadsError| NotWitnessed::NoProof(error.to_string());
        let mut old_size = self.rounds.last_signed_by(number);
        if old_size > tree.size() {
            return Err(NotWitnessed::Newer(old_size));
        }
        for _ in 0..MAX_ROUNDS {
            let body = self.write_submission(old_size, tree).map_err(no_proof)?;
            match self.client.ask(witness.url.as_deref(), body) {
                WitnessAnswer::Signed(lines) => {
                    let mut checkpoint = tree.to_checkpoint().map_err(no_proof)?;
                    let added = checkpoint.add_cosignature(&lines, &witness.key);
                    return added.map(|_| lines).map_err(NotWitnessed::BadAnswer);
                }
                WitnessAnswer::LastSize(size) if size > tree.size() => {
                    return Err(NotWitnessed::Newer(size));
                }
                WitnessAnswer::LastSize(size) => old_size = size,
                WitnessAnswer::No(reason) => return Err(reason),
            }
        }
        Err(NotWitnessed::Busy)
    }

    /// Writes what a witness gets that has signed a head of `old_size` records. Where that was long before this process began,
    /// the ledger is read for it.
    fn write_submission(&self, old_size: u64, tree: &SignedTree) -> Result<Vec<u8>, HeadsError> {
        let kept = self.log().write_submission(old_size, tree)?;
        if let Some(body) = kept {
            return Ok(body);
        }
        let opened = File::open(&self.ledger);
        let mut source = opened.map_err(FileError::from_io(&self.ledger, "open the ledger"))?;
        let sizes = BTreeSet::from([old_size]);
        let checkpoint = tree.to_checkpoint()?;
        let mut bodies = write_submissions(&mut source, &self.ledger, &sizes, &checkpoint)?;
        Ok(bodies.remove(&old_size).unwrap_or_default())
    }

    /// Writes a witness's signature into the checkpoint, and keeps the checkpoint that enough have signed.
    fn keep_signature(
        &self,
        number: usize,
        tree: &SignedTree,
        lines: &[u8],
    ) -> Result<(), HeadsError> {
        let _files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(cosigned) = self.rounds.take_signature(number, tree, lines)? else {
            return Ok(());
        };
        if let Some(held) = cosigned.held {
            cosigned.checkpoint.write(&witnessed_of(&self.ledger))?;
            self.rounds.note_held(held);
        }
        self.log().write_cosigned(&cosigned.checkpoint)?;
        Ok(())
    }
}

/// Finds what witnesses have signed of the ledger in a process before this one.
fn find_signatures(ledger: &Path, key: &LogKey, policy: &WitnessPolicy) -> FoundSignatures {
    let mut found = FoundSignatures::default();
    for file in [witnessed_of(ledger), checkpoint_of(ledger)] {
        let read = Checkpoint::read(&file).ok();
        let own = read.filter(|checkpoint| checkpoint.verify(key.verifier_key()).is_ok());
        let Some(checkpoint) = own else {
            continue;
        };
        let size = checkpoint.size();
        for (number, witness) in policy.witnesses().iter().enumerate() {
            if checkpoint.find_cosigned_time(&witness.key).is_ok() {
                let last = found.sizes.entry(number).or_default();
                *last = size.max(*last);
            }
        }
        let quorum = policy.check(&checkpoint);
        let is_later = found.held.as_ref().is_none_or(|held| held.size < size);
        if quorum.is_reached && !quorum.signed.is_empty() && is_later {
            found.held = Some(WitnessedHead {
                size,
                witnesses: quorum.signed,
            });
        }
    }
    found
}

fn start_thread(
    name: &str,
    run: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, CheckpointsError> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(run).map_err(CheckpointsError::Setup)
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("ledger", &self.ledger)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}
