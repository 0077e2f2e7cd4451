//! How a session begins: with a new ledger, or with one that is replayed and repaired.

use axilog::agent::Agent;
use axilog::agent::state::{Health, InputClass};
use axilog::fault::Faults;
use axilog_policyc::PolicySet;

use super::Session;
use super::recovery::{ReplayedLedger, move_unnamed_aside, replay_and_move_torn_line};
use super::restored::{RestoredLedger, restore_ledger};
use super::saved_state::Opening;
use crate::decision::{StepDecision, StepRecorder};
use crate::durability::LedgerPosition;
use crate::error::LedgerError;
use crate::file::LedgerFile;
use crate::manifest::Manifest;
use crate::named_blobs::NamedBlobs;
use crate::rules::RuleSet;

/// Sequence of the last record before the time: the transition of the reset, which follows the genesis.
const LAST_BEFORE_TIME: u64 = 2;

impl Session {
    pub(super) fn begin_in(
        mut file: LedgerFile,
        rules: RuleSet,
        manifest: Option<&Manifest>,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        file.clear_torn_beginning()?;
        let mut recorder = if file.is_empty() {
            StepRecorder::with_genesis()
        } else {
            StepRecorder::default()
        };
        let mut session = Session::new(file, rules, Agent::new());
        if let Some(manifest) = manifest {
            session.blobs.store(&manifest.to_canonical())?;
            session.follow_running_values(manifest.running_values());
        }
        let configuration = session.rules.to_canonical();
        session.blobs.store(configuration.as_bytes())?;
        let reset = session.run_step(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_control(InputClass::ResetRequest, rules, work, sink, faults)
        })?;
        let time = session.run_step(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_time(time, rules, work, sink, faults)
        })?;
        // The windows of running values begin with this time.
        session.follow_records(&recorder, 0);
        session.commit(&recorder)?;
        session.blobs.mark_all_named();
        session.sync()?;
        let mut named = NamedBlobs::default();
        named.add(session.rules.hash());
        if let Some(manifest) = manifest {
            named.add(manifest.hash());
            manifest.schema_hashes().for_each(|hash| {
                named.add(hash);
            });
        }
        move_unnamed_aside(&mut session.file, &named)?;
        Ok((session, [reset, time]))
    }

    /// Observes `time` where the beginning of the ledger was interrupted before its time: a ledger without a time would
    /// permit nothing. Gives whether it was.
    ///
    /// # Errors
    /// As [`Session::observe_time`] and [`Session::sync`].
    pub fn complete_beginning(&mut self, time: u64) -> Result<bool, LedgerError> {
        let agent = &self.agent;
        let is_interrupted = agent.ledger.sequence == LAST_BEFORE_TIME
            && agent.health == Health::Init
            && agent.last_timestamp == 0;
        if is_interrupted {
            self.observe_time(time, false)?;
            self.sync()?;
        }
        Ok(is_interrupted)
    }

    pub(super) fn resume(
        mut file: LedgerFile,
        policies: Option<&PolicySet>,
    ) -> Result<Session, LedgerError> {
        let replayed_bytes = file.len();
        let reason = match restore_ledger(&file, policies) {
            Ok(restored) => return Session::resume_restored(file, restored),
            Err(reason) => reason,
        };
        let replayed = replay_and_move_torn_line(&mut file, policies)?;
        if replayed.replay.ledger().sealed {
            return Err(LedgerError::Sealed(file.path().to_owned()));
        }
        let mut session = Session::resume_replayed(file, replayed)?;
        session.opening = Opening::Replayed {
            reason,
            replayed_bytes,
        };
        Ok(session)
    }

    /// Goes on from the saved state of the ledger.
    fn resume_restored(
        mut file: LedgerFile,
        restored: RestoredLedger,
    ) -> Result<Session, LedgerError> {
        let ledger = &restored.agent.ledger;
        file.sync_recovered(LedgerPosition {
            entries: ledger.sequence.saturating_add(1),
            head: ledger.head,
        })?;
        let mut session = Session::new(file, restored.rules, restored.agent);
        session.models = restored.models;
        session.running = restored.running;
        session.saved_bytes = restored.saved_bytes;
        session.opening = Opening::Resumed {
            replayed_bytes: restored.replayed_bytes,
        };
        session.record_missing_running_values()?;
        Ok(session)
    }

    /// Completes what an interruption left of the last step, and moves aside what no record names.
    pub(super) fn resume_replayed(
        mut file: LedgerFile,
        mut replayed: ReplayedLedger,
    ) -> Result<Session, LedgerError> {
        let path = file.path().to_owned();
        let core_error = |source| LedgerError::Core {
            path: path.clone(),
            source,
        };
        let mut recorder = StepRecorder::default();
        replayed.bind_interrupted_answer(&file, &mut recorder)?;
        let mut faults = Faults::NONE;
        let (mut agent, _) = replayed.replay.resume().map_err(core_error)?;
        let rules = replayed.rules.rules();
        replayed
            .replay
            .complete(&mut agent, Some(&rules), &mut recorder, &mut faults)
            .map_err(core_error)?;
        let completed = recorder.batch.records();
        if completed > 0 {
            file.append(&recorder.batch)?;
            file.sync()?;
        }
        replayed.move_left_behind_aside(&mut file)?;
        let mut session = Session::new(file, replayed.rules, agent);
        session.models = replayed.models;
        session.completed = completed;
        session.resume_running_values()?;
        Ok(session)
    }
}
