//! The ledgers of the gateway by name, each opened when it is first needed and written by this process alone.

use axilog_checkpoints::{CheckpointSigner, CheckpointStatus};
use axilog_exchange::{FACTS_ORACLE, JUDGES_FACTS, takes_facts};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axilog::agent::state::Health;
use axilog_ledger::durability::LedgerPosition;
use axilog_ledger::error::LedgerError;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::Session;
use axilog_ledger::session::shared::{SharedSession, SharedSessionError};

use crate::budget::Budget;
use crate::checkpoints::finish;
use crate::configuration::{BreachAction, LedgerSettings};
use crate::error::GatewayError;
use crate::recording::Recording;

/// All ledgers of the gateway.
pub(crate) struct Ledgers(BTreeMap<String, Arc<GatewayLedger>>);

/// A ledger of the gateway.
pub(crate) struct GatewayLedger {
    pub(crate) name: String,
    /// The least seconds between two times that are recorded because calls come; 0 for none.
    time_interval: u64,
    /// Whether calls that the ledger holds are answered from it.
    replays: bool,
    pub(crate) settings: LedgerSettings,
    slot: Mutex<Slot>,
}

/// The session of a ledger.
#[derive(Default)]
struct Slot {
    open: Option<OpenLedger>,
    /// The calls that the ledger held when it was first opened, where they are answered from it.
    recording: Option<Arc<Recording>>,
    /// What signs the heads of the ledger, from its first opening on.
    signer: Option<CheckpointSigner>,
    /// Whether this process has opened the ledger before: it is not begun anew then, whatever became of its file.
    was_open: bool,
    /// Whether the gateway has ended.
    is_closed: bool,
}

/// What is known of an open ledger at the moment.
pub(crate) struct LedgerFigures {
    pub(crate) health: Health,
    /// The last time that it recorded.
    pub(crate) time: u64,
    /// How far it is durable.
    pub(crate) durable: LedgerPosition,
    /// What has come of signing its heads; `None` where they are not signed.
    pub(crate) checkpoints: Option<CheckpointStatus>,
}

/// An open ledger. Clones are one ledger.
#[derive(Clone)]
pub(crate) struct OpenLedger {
    pub(crate) session: Arc<SharedSession>,
    /// The calls that it held before, where they are answered without the provider.
    pub(crate) recording: Option<Arc<Recording>>,
    /// The budgets, where it has some.
    pub(crate) budget: Option<Arc<Budget>>,
    /// Whether the ledger takes the provider's facts: one that declares its oracles, or requires a policy, may not.
    pub(crate) takes_facts: bool,
}

impl Ledgers {
    /// Opens the ledgers whose files exist. The others are begun with their first call.
    pub(crate) fn open(
        settings: BTreeMap<String, LedgerSettings>,
        time_interval: u64,
        replays: bool,
    ) -> Result<Ledgers, GatewayError> {
        let mut ledgers = BTreeMap::new();
        for (name, settings) in settings {
            let ledger = Arc::new(GatewayLedger {
                name: name.clone(),
                time_interval,
                replays,
                settings,
                slot: Mutex::default(),
            });
            if ledger.settings.path.exists() {
                ledger.session()?;
            }
            ledgers.insert(name, ledger);
        }
        Ok(Ledgers(ledgers))
    }

    /// The ledger of this name.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<GatewayLedger>> {
        self.0.get(name).cloned()
    }

    /// The names of all ledgers.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Whether every ledger takes calls now.
    pub(crate) fn are_ready(&self) -> bool {
        self.0.values().all(|ledger| ledger.is_ready())
    }

    /// All ledgers, by their names.
    pub(crate) fn all(&self) -> impl Iterator<Item = &GatewayLedger> {
        self.0.values().map(|ledger| &**ledger)
    }

    /// Closes every ledger, and gives the first error.
    pub(crate) fn close(&self) -> Result<(), GatewayError> {
        let mut result = Ok(());
        let mut signers = Vec::new();
        for ledger in self.0.values() {
            let (closed, signer) = ledger.close();
            signers.extend(signer.map(|signer| (&*ledger.settings.path, signer)));
            if result.is_ok() {
                result = closed;
            }
        }
        finish(signers);
        result
    }
}

impl GatewayLedger {
    /// The open ledger. It is opened, or begun, where it is not open. This may take as long as its replay.
    pub(crate) fn session(&self) -> Result<OpenLedger, GatewayError> {
        let mut slot = self.lock();
        if let Some(open) = &slot.open {
            return Ok(open.clone());
        }
        if slot.is_closed {
            return Err(GatewayError::Ending);
        }
        let mut session = self.open_session(slot.was_open)?;
        if session.rules().judge(FACTS_ORACLE) {
            return Err(self.unfit(JUDGES_FACTS));
        }
        let takes_facts = takes_facts(&mut session)?;
        // What this process records itself is not given again by it.
        if self.replays && !slot.was_open {
            slot.recording = Some(Arc::new(Recording::read(&self.settings.path)?));
        }
        let budget = match &self.settings.budget {
            Some(_) if !takes_facts => {
                return Err(self.unfit(
                    "has a budget and does not take the facts of the provider, from which it follows what is spent; \
                     declare the oracle llm.provider, or leave the budget out",
                ));
            }
            Some(settings) => Some(Arc::new(Budget::read(
                settings.clone(),
                &self.settings.path,
            )?)),
            None => None,
        };
        self.sign_heads(&mut slot, &mut session)?;
        let open = OpenLedger {
            recording: slot.recording.clone(),
            budget,
            session: Arc::new(SharedSession::new(session)),
            takes_facts,
        };
        slot.open = Some(open.clone());
        slot.was_open = true;
        Ok(open)
    }

    /// Has the heads of the ledger signed while the session writes it, where the settings say so.
    fn sign_heads(&self, slot: &mut Slot, session: &mut Session) -> Result<(), GatewayError> {
        let Some(checkpoints) = &self.settings.checkpoints else {
            return Ok(());
        };
        let signer = match slot.signer.take() {
            Some(signer) => signer,
            None => checkpoints.start(&self.settings.path).map_err(|source| {
                GatewayError::Checkpoints {
                    name: self.name.clone(),
                    source: source.into(),
                }
            })?,
        };
        session.report_durable_to(slot.signer.insert(signer).watch());
        Ok(())
    }

    fn unfit(&self, reason: &'static str) -> GatewayError {
        let path = self.settings.path.clone();
        GatewayError::Unfit { path, reason }
    }

    fn open_session(&self, was_open: bool) -> Result<Session, GatewayError> {
        let LedgerSettings { path, policies, .. } = &self.settings;
        if !was_open {
            let rules = match policies {
                Some(policies) => RuleSet::new(policies.clone(), false, false),
                None => RuleSet::without_policies()?,
            };
            match Session::create(path, rules, now()) {
                Ok((session, _)) => return Ok(session),
                Err(LedgerError::AlreadyExists(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let session = Session::open(path, None)?;
        let has_others = policies
            .as_ref()
            .is_some_and(|policies| policies != session.rules().policies());
        if has_others {
            return Err(GatewayError::OtherPolicies { path: path.clone() });
        }
        Ok(session)
    }

    /// What is known of the ledger; `None` where it is not open, or has failed.
    pub(crate) fn read_figures(&self) -> Option<LedgerFigures> {
        let (open, checkpoints) = {
            let slot = self.lock();
            let checkpoints = slot.signer.as_ref().map(CheckpointSigner::status);
            (slot.open.clone()?, checkpoints)
        };
        let read = open.session.ask(|session| {
            Ok(LedgerFigures {
                health: session.agent().health,
                time: session.agent().last_timestamp,
                durable: session.durable_position(),
                checkpoints,
            })
        });
        read.ok()
    }

    /// The budgets of the ledger where it is open; `None` where it has none.
    pub(crate) fn budget(&self) -> Option<Arc<Budget>> {
        self.find_open()?.budget
    }

    /// Whether this process has opened the ledger, or begun it.
    pub(crate) fn was_open(&self) -> bool {
        self.lock().was_open
    }

    fn find_open(&self) -> Option<OpenLedger> {
        self.lock().open.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the ledger takes calls now. One that was not begun does; one that has failed is opened again to see.
    fn is_ready(&self) -> bool {
        if !self.was_open() {
            return true;
        }
        let is_open = self.session().is_ok();
        let figures = self.read_figures().filter(|_| is_open);
        figures.is_some_and(|figures| self.takes_calls(figures.health))
    }

    /// Whether calls are made in this state of the agent.
    pub(crate) fn takes_calls(&self, health: Health) -> bool {
        health == Health::Enabled || self.settings.on_breach == BreachAction::Flag
    }

    /// Records the time where the last one is `time_interval` ago, for policies on the time that has passed.
    pub(crate) fn tick(&self, open: &OpenLedger) -> Result<(), SharedSessionError> {
        let last = open
            .session
            .ask(|session| Ok(session.agent().last_timestamp))?;
        let is_due = |last: u64| {
            let due = last.saturating_add(self.time_interval);
            self.time_interval > 0 && now() >= due && now() > last
        };
        if !is_due(last) {
            return Ok(());
        }
        open.session.step(|session| {
            // Another call may have recorded it meanwhile.
            if is_due(session.agent().last_timestamp) {
                session.observe_time(now(), false)?;
            }
            Ok(())
        })
    }

    /// Gives up a session that takes no further step. The next call opens the ledger again, and sees what it holds.
    pub(crate) fn abandon(&self, failed: &Arc<SharedSession>) {
        let mut slot = self.lock();
        if slot
            .open
            .as_ref()
            .is_some_and(|open| Arc::ptr_eq(&open.session, failed))
        {
            // It has failed already, and closing releases the lock of its file.
            let _ = failed.close();
            slot.open = None;
        }
    }

    /// Closes the ledger; gives what signs its heads, which has the last one to sign.
    fn close(&self) -> (Result<(), GatewayError>, Option<CheckpointSigner>) {
        let mut slot = self.lock();
        slot.is_closed = true;
        let closed = match slot.open.take().map(|open| open.session.close()) {
            Some(Err(SharedSessionError::Ledger(error))) => Err(error.into()),
            _ => Ok(()),
        };
        (closed, slot.signer.take())
    }
}

/// Whether a session takes no further step after this error.
pub(crate) fn ends_session(error: &SharedSessionError) -> bool {
    match error {
        SharedSessionError::Closed | SharedSessionError::Panicked => true,
        SharedSessionError::Ledger(error) => matches!(
            error,
            LedgerError::File(_) | LedgerError::NotDurable { .. } | LedgerError::Core { .. }
        ),
    }
}

/// Whole seconds since 1970.
pub(crate) fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
