//! The rounds in which witnesses are asked: one head at a time, so that enough of them sign the same one.
//!
//! A round ends when enough witnesses have signed its head, or each of them has answered or is away. The next one is that of
//! the head which was signed last. A witness that has not signed is asked again after its pause, whatever the round is then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axilog_heads::{Checkpoint, HeadsError, SignedTree, WitnessPolicy};

use crate::status::{CheckpointStatus, WitnessStatus, WitnessedHead};
use crate::witness_client::NotWitnessed;

/// What the threads that ask witnesses share.
#[derive(Debug)]
pub(crate) struct Rounds {
    policy: Option<WitnessPolicy>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    status: CheckpointStatus,
    /// The head that was signed last.
    latest: Option<SignedTree>,
    round: Option<Round>,
    /// The size of the head that each witness is asked for now, by its number in the policy.
    asked: BTreeMap<usize, u64>,
    /// Whether no further head comes.
    is_ending: bool,
    /// The number of threads that ask witnesses.
    asking: usize,
}

#[derive(Debug)]
struct Round {
    tree: SignedTree,
    /// The checkpoint with the signatures of the round.
    checkpoint: Checkpoint,
    /// The witnesses that have signed or refused it, or are away.
    answered: BTreeSet<usize>,
    is_held: bool,
}

/// What witnesses have signed before this process began, as the files beside the ledger show.
#[derive(Debug, Default)]
pub(crate) struct FoundSignatures {
    /// The last head that enough of them have signed.
    pub(crate) held: Option<WitnessedHead>,
    /// The size of the last head that each has signed, by its number in the policy.
    pub(crate) sizes: BTreeMap<usize, u64>,
}

/// What a witness's signature has changed.
pub(crate) struct Cosigned {
    /// The checkpoint with all signatures of its round.
    pub(crate) checkpoint: Checkpoint,
    /// The head, where enough have signed it.
    pub(crate) held: Option<WitnessedHead>,
}

impl Rounds {
    pub(crate) fn new(
        policy: Option<WitnessPolicy>,
        signed: u64,
        found: FoundSignatures,
    ) -> Rounds {
        let named = policy.iter().flat_map(WitnessPolicy::witnesses);
        let witnesses = named.enumerate().map(|(number, witness)| WitnessStatus {
            name: witness.name.clone(),
            signed: found.sizes.get(&number).copied(),
            problem: None,
        });
        let witnesses: Vec<WitnessStatus> = witnesses.collect();
        Rounds {
            state: Mutex::new(State {
                latest: None,
                round: None,
                asked: BTreeMap::new(),
                is_ending: false,
                asking: witnesses.len(),
                status: CheckpointStatus {
                    signed,
                    problem: None,
                    held: found.held,
                    witnesses,
                },
            }),
            changed: Condvar::new(),
            policy,
        }
    }

    pub(crate) fn status(&self) -> CheckpointStatus {
        self.lock().status.clone()
    }

    /// Takes a head that was signed. Its round begins with the end of the one before.
    pub(crate) fn publish(&self, tree: SignedTree) -> Result<(), HeadsError> {
        let mut state = self.lock();
        state.status.signed = tree.size();
        state.latest = Some(tree);
        let begun = state.begin_round_if_due(self.policy.as_ref());
        self.changed.notify_all();
        begun
    }

    /// Notes why signing has failed, or that it has not. Gives whether that is new.
    pub(crate) fn note_signing(&self, problem: Option<String>) -> bool {
        let status = &mut self.lock().status;
        let is_new = status.problem != problem;
        status.problem = problem;
        is_new
    }

    /// Says that no further head comes: each witness is asked once more for the last one.
    pub(crate) fn begin_end(&self) -> Result<(), HeadsError> {
        let mut state = self.lock();
        state.is_ending = true;
        let begun = state.begin_round(self.policy.as_ref());
        self.changed.notify_all();
        begun
    }

    /// Waits until the witness is to be asked, not before `retry_at`; gives what for. `None` at the end, where it has signed
    /// the last head or was asked for it since the end began, as `was_asked_at_end` notes.
    pub(crate) fn wait_for_work(
        &self,
        witness: usize,
        retry_at: Option<Instant>,
        was_asked_at_end: &mut bool,
    ) -> Option<SignedTree> {
        let mut state = self.lock();
        state.asked.remove(&witness);
        loop {
            let known = state.status.witnesses.get(witness);
            let signed = known.and_then(|known| known.signed).unwrap_or(0);
            let latest = state.latest.as_ref().map_or(0, SignedTree::size);
            let tree = state.round.as_ref().map(|round| &round.tree);
            // A witness that holds a head of more records than the last one is asked too: it says that the ledger was cut off.
            let tree = tree.filter(|tree| tree.size() > signed || signed > latest);
            if state.is_ending {
                let tree = tree.filter(|_| !*was_asked_at_end).cloned();
                *was_asked_at_end = true;
                return tree;
            }
            let left = retry_at.map(|at| at.saturating_duration_since(Instant::now()));
            let pause = left.filter(|left| !left.is_zero());
            state = match (tree, pause) {
                (Some(tree), None) => {
                    let tree = tree.clone();
                    state.asked.insert(witness, tree.size());
                    return Some(tree);
                }
                (Some(_), Some(pause)) => {
                    let waited = self.changed.wait_timeout(state, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                (None, _) => {
                    let waited = self.changed.wait(state);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    /// Takes the signature of a witness, which holds. Gives the checkpoint of the round where it is one of the round's.
    pub(crate) fn take_signature(
        &self,
        witness: usize,
        tree: &SignedTree,
        lines: &[u8],
    ) -> Result<Option<Cosigned>, HeadsError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.note_signed(witness, tree.size());
        let policy = self.policy.as_ref();
        let named = policy.and_then(|policy| policy.witnesses().get(witness));
        let round = state.round.as_mut();
        let round = round.filter(|round| round.tree.size() == tree.size());
        let (Some(policy), Some(named), Some(round)) = (policy, named, round) else {
            self.changed.notify_all();
            return Ok(None);
        };
        // That it holds was seen before.
        let _ = round.checkpoint.add_cosignature(lines, &named.key);
        round.answered.insert(witness);
        let quorum = policy.check(&round.checkpoint);
        round.is_held = quorum.is_reached && !quorum.signed.is_empty();
        let cosigned = Cosigned {
            checkpoint: copy(&round.checkpoint)?,
            held: round.is_held.then_some(WitnessedHead {
                size: tree.size(),
                witnesses: quorum.signed,
            }),
        };
        let begun = state.begin_round_if_due(self.policy.as_ref());
        self.changed.notify_all();
        begun.map(|()| Some(cosigned))
    }

    /// Takes that a head which enough witnesses have signed is kept.
    pub(crate) fn note_held(&self, held: WitnessedHead) {
        self.lock().status.held = Some(held);
    }

    /// Takes that a witness has not signed. Gives whether it is the first time since it has.
    pub(crate) fn take_refusal(
        &self,
        witness: usize,
        tree: &SignedTree,
        reason: NotWitnessed,
    ) -> Result<bool, HeadsError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let latest = state.latest.as_ref().map_or(0, SignedTree::size);
        let mut is_first = false;
        match reason {
            // Another process has submitted a later head of this ledger.
            NotWitnessed::Newer(size) if size <= latest => state.note_signed(witness, size),
            reason => {
                if let Some(known) = state.status.witnesses.get_mut(witness) {
                    is_first = known.problem.is_none();
                    known.problem = Some(reason);
                }
            }
        }
        let round = state.round.as_mut();
        if let Some(round) = round.filter(|round| round.tree.size() == tree.size()) {
            round.answered.insert(witness);
        }
        let begun = state.begin_round_if_due(self.policy.as_ref());
        self.changed.notify_all();
        begun.map(|()| is_first)
    }

    /// The sizes of the heads from which proofs may be wanted: those that witnesses are known to hold or are asked for, and the
    /// last one.
    pub(crate) fn sizes_in_use(&self) -> BTreeSet<u64> {
        let state = self.lock();
        let signed = state.status.witnesses.iter().filter_map(|it| it.signed);
        let round = state.round.as_ref().map(|round| round.tree.size());
        let latest = state.latest.as_ref().map(SignedTree::size);
        let asked = state.asked.values().copied();
        let sizes = signed.chain(asked).chain(round).chain(latest);
        sizes.collect()
    }

    /// The last head that a witness is known to have signed; 0 for none.
    pub(crate) fn last_signed_by(&self, witness: usize) -> u64 {
        let state = self.lock();
        let known = state.status.witnesses.get(witness);
        known.and_then(|known| known.signed).unwrap_or(0)
    }

    /// Says that a thread asks no witness any more.
    pub(crate) fn leave(&self) {
        let mut state = self.lock();
        state.asking = state.asking.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Waits until no witness is asked any more, or the time has come; without it, for as long as it takes.
    pub(crate) fn wait_until_left(&self, until: Option<Instant>) {
        let mut state = self.lock();
        while state.asking > 0 {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            state = match left {
                Some(left) if left.is_zero() => return,
                Some(left) => {
                    let waited = self.changed.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let waited = self.changed.wait(state);
                    waited.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note_signed(&mut self, witness: usize, size: u64) {
        if let Some(known) = self.status.witnesses.get_mut(witness) {
            known.signed = Some(size);
            known.problem = None;
        }
    }

    /// Begins the round of the last head where the one before is over.
    fn begin_round_if_due(&mut self, policy: Option<&WitnessPolicy>) -> Result<(), HeadsError> {
        let witnesses = self.status.witnesses.len();
        let is_over = |round: &Round| round.is_held || round.answered.len() >= witnesses;
        match self.round.as_ref().is_none_or(is_over) {
            true => self.begin_round(policy),
            false => Ok(()),
        }
    }

    fn begin_round(&mut self, policy: Option<&WitnessPolicy>) -> Result<(), HeadsError> {
        let size = self.round.as_ref().map_or(0, |round| round.tree.size());
        let latest = self.latest.as_ref().filter(|latest| latest.size() > size);
        if let Some(latest) = latest {
            // Some may have signed it before this process began, or a later one.
            let signed = self.status.witnesses.iter().enumerate();
            let signed = signed.filter(|(_, known)| known.signed >= Some(latest.size()));
            let checkpoint = latest.to_checkpoint()?;
            let quorum = policy.map(|policy| policy.check(&checkpoint));
            let is_held =
                quorum.is_some_and(|quorum| quorum.is_reached && !quorum.signed.is_empty());
            self.round = Some(Round {
                answered: signed.map(|(number, _)| number).collect(),
                tree: latest.clone(),
                checkpoint,
                is_held,
            });
        }
        Ok(())
    }
}

fn copy(checkpoint: &Checkpoint) -> Result<Checkpoint, HeadsError> {
    let copied = Checkpoint::parse(&checkpoint.to_bytes());
    copied.map_err(|reason| HeadsError::Unsigned(reason.to_string()))
}
