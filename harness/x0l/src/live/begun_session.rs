//! A session that has begun: its directory, and its ledger with the settings, before anything is asked.

use std::path::{Path, PathBuf};

use axilog_ledger::file::durable_watch::DurableWatch;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;

use super::plan::SessionPlan;
use super::server_count::ServerCount;
use crate::error::X0lError;
use crate::log::{
    AttemptLog, CycleLog, FrozenSettings, PromptCount, RunDirectory, SessionMetadata, witness,
};

/// A session of which nothing was asked yet.
pub struct BegunSession<'p> {
    pub(super) plan: &'p SessionPlan,
    pub(super) directory: RunDirectory,
    pub(super) metadata: SessionMetadata,
    pub(super) server_count: Option<ServerCount>,
    /// Where the session was counted, with its numbers there.
    pub(super) counted: Vec<(&'p AttemptLog, u64)>,
    pub(super) session: Session,
    pub(super) log: CycleLog,
}

impl<'p> BegunSession<'p> {
    /// Begins a session under `plan` in `out`, a new or empty directory: counts it where it is counted, and records its
    /// settings.
    ///
    /// # Errors
    /// As [`run_session`](super::run_session).
    pub fn begin(plan: &'p SessionPlan, out: &Path) -> Result<BegunSession<'p>, X0lError> {
        let directory = RunDirectory::create(out)?;
        for (name, bytes) in &plan.inputs {
            directory.write_input(name, bytes)?;
        }
        let mut frozen = plan.frozen.clone();
        let server_count = ServerCount::find(plan);
        frozen.prompt_count = server_count.as_ref().map(|_| PromptCount::Server);
        let counted = count_attempt(plan, &mut frozen)?;
        let metadata = SessionMetadata {
            frozen,
            calibration: None,
            outcome: None,
        };
        directory.write_metadata(&metadata)?;
        let rules = RuleSet::without_policies()?;
        let (mut session, _) = Session::create(&directory.ledger(), rules, plan.frozen.started)?;
        let log = CycleLog::create(&directory)?;
        witness::commit_settings(&mut session, &metadata.frozen)?;
        Ok(BegunSession {
            plan,
            directory,
            metadata,
            server_count,
            counted,
            session,
            log,
        })
    }

    /// The ledger of the session.
    #[must_use]
    pub fn ledger(&self) -> PathBuf {
        self.directory.ledger()
    }

    /// Tells `watch` how far the ledger is durable, now and until the session ends.
    pub fn report_durable_to(&mut self, watch: DurableWatch) {
        self.session.report_durable_to(watch);
    }
}

/// Counts the session under its plan, and among the corrections of the run that it corrects, before anything is asked.
/// Gives where it was counted, with its numbers there.
fn count_attempt<'p>(
    plan: &'p SessionPlan,
    frozen: &mut FrozenSettings,
) -> Result<Vec<(&'p AttemptLog, u64)>, X0lError> {
    let mut counted = Vec::new();
    if let Some(committed) = &plan.committed {
        let place = committed.begin_attempt(frozen)?;
        counted.push((committed.attempt_log(), place.attempt));
        frozen.plan = Some(place);
    }
    if let Some(log) = &plan.corrections {
        log.open(frozen.started)?;
        let place = log.begin(frozen.erratum, frozen.started)?;
        counted.push((log, place.attempt));
        frozen.correction = Some(place);
    }
    Ok(counted)
}
