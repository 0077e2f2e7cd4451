//! How a session begins: with a new ledger, or with one that is replayed and repaired.

use std::collections::HashMap;

use axilog::agent::Agent;
use axilog::agent::state::InputClass;
use axilog::fault::{Error as CoreError, Faults};
use axilog::replay::Verdict;
use axilog_policyc::PolicySet;

use super::Session;
use crate::decision::{StepDecision, StepRecorder};
use crate::durability::Checkpoint;
use crate::encoding::unescape;
use crate::error::LedgerError;
use crate::file::LedgerFile;
use crate::manifest::Manifest;
use crate::replay::replay_ledger;
use crate::rules::{ExpectedRules, RuleSet};
use crate::verify::LedgerExpectations;

impl Session {
    pub(super) fn begin_in(
        mut file: LedgerFile,
        rules: RuleSet,
        manifest: Option<&Manifest>,
        time: u64,
    ) -> Result<(Session, [StepDecision; 2]), LedgerError> {
        file.clear_torn_genesis()?;
        let mut recorder = if file.is_empty() {
            StepRecorder::with_genesis()
        } else {
            StepRecorder::default()
        };
        let mut session = Session::new(file, rules, Agent::new());
        if let Some(manifest) = manifest {
            session.blobs.store(&manifest.to_canonical())?;
        }
        let configuration = session.rules.to_canonical();
        session.blobs.store(configuration.as_bytes())?;
        let reset = session.run_step(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_control(InputClass::ResetRequest, rules, work, sink, faults)
        })?;
        let time = session.run_step(&mut recorder, |agent, rules, work, sink, faults| {
            agent.observe_time(time, rules, work, sink, faults)
        })?;
        session.commit(&recorder)?;
        session.sync()?;
        Ok((session, [reset, time]))
    }

    pub(super) fn resume(
        mut file: LedgerFile,
        policies: Option<&PolicySet>,
    ) -> Result<Session, LedgerError> {
        let path = file.path().to_owned();
        let mut models = HashMap::new();
        let mut replay_file = |file: &LedgerFile| {
            replay_ledger(
                file.bytes(),
                &path,
                ExpectedRules {
                    policies,
                    switches: None,
                },
                &LedgerExpectations::default(),
                &mut |record| {
                    if let Some(view) = &record.observation {
                        models
                            .entry(unescape(view.oracle_id))
                            .or_insert_with(|| unescape(view.model_id));
                    }
                },
            )
        };
        let mut replayed = replay_file(&file)?;
        // A torn line behind a seal is no trace of an interruption: nothing is written behind a seal.
        if let Some(fault) = &replayed.verification.fault
            && fault.verdict == Verdict::Torn
            && fault.sequence > 0
            && !replayed.verification.replay.ledger().sealed
        {
            file.move_torn_line_aside(fault.offset)?;
            replayed = replay_file(&file)?;
        }
        if let Some(fault) = replayed.verification.fault {
            return Err(LedgerError::Damaged { path, fault });
        }
        let replayer = &replayed.verification.replay;
        let ledger = replayer.ledger();
        if ledger.sealed {
            return Err(LedgerError::Sealed(path));
        }
        file.sync_recovered(Checkpoint {
            entries: replayer.entries(),
            head: ledger.head,
        })?;
        let core_error = |source| LedgerError::Core {
            path: path.clone(),
            source,
        };
        let (rules, _) = replayed
            .rules
            .ok_or_else(|| core_error(CoreError::Protocol))?;
        let (mut agent, _) = replayer.resume().map_err(core_error)?;
        let mut recorder = StepRecorder::default();
        let mut faults = Faults::NONE;
        replayer
            .complete(&mut agent, Some(&rules.rules()), &mut recorder, &mut faults)
            .map_err(core_error)?;
        let mut session = Session::new(file, rules, agent);
        session.models = models;
        session.completed = recorder.batch.records();
        if session.completed > 0 {
            session.commit(&recorder)?;
            session.sync()?;
        }
        Ok(session)
    }
}
