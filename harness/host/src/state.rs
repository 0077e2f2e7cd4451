//! `host.h`: the state of a ledger and of its agent.

use std::ffi::c_int;

use axilog::ffi::agent::{ax_health_state_t, health_of};
use axilog_ledger::session::Session;

use crate::boundary::run;
use crate::open_ledgers::ask;
use crate::options::axh_ledger_t;
use crate::pointer::{Output, SizedStruct};

/// The state of a ledger and of its agent, between two steps.
#[repr(C)]
pub struct axh_state_t {
    /// Bytes of this struct: sizeof (axh_state_t), which the caller sets.
    pub size: usize,
    /// Number of records, genesis and seal included.
    pub entries: u64,
    /// Number of records that are known to be durable.
    pub durable_entries: u64,
    /// Last accepted time.
    pub last_timestamp: u64,
    /// Number of records that opening the ledger has added to complete an interrupted step.
    pub completed_records: u64,
    /// Chain value of the last record.
    pub head: [u8; 32],
    /// Chain value of the last record that is known to be durable.
    pub durable_head: [u8; 32],
    /// SHA-256 of the configuration: the policies, the switches and the manifest.
    pub configuration: [u8; 32],
    /// SHA-256 of the manifest; zero where has_manifest is 0.
    pub manifest: [u8; 32],
    /// Number of faults since the last reset.
    pub fault_count: u32,
    /// State of the agent.
    pub health: ax_health_state_t,
    /// 1 where the ledger is sealed, else 0.
    pub sealed: u8,
    /// 1 where a step could not be recorded, so that the ledger takes no further ones through this handle; else 0.
    pub failed: u8,
    /// 1 where the ledger is bound to a manifest, else 0.
    pub has_manifest: u8,
    /// 1 where opening the ledger has moved a torn last line aside, else 0.
    pub torn: u8,
}

// SAFETY: `repr(C)`, begins with its size; zero is a number, or the first value of its enum.
unsafe impl SizedStruct for axh_state_t {}

/// Gives the state of a ledger and of its agent, between two steps. Steps that wait for their sync count among entries
/// and not yet among durable_entries.
///
/// @param ledger Ledger that is open.
/// @param state Receives the state; its size is set by the caller. On failure all after the size is 0.
/// @return AXH_OK, or one of these codes.
/// @retval AXH_ERR_ARGUMENT state is NULL or has another size.
/// @retval AXH_ERR_HANDLE ledger is NULL or closed.
/// @see SRS-004 §19; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn axh_state(ledger: *const axh_ledger_t, state: *mut axh_state_t) -> c_int {
    run(|| {
        // SAFETY: by contract.
        let out = unsafe { Output::new("state", state) }?;
        out.write(ask(ledger, |session| state_of(session))?);
        Ok(())
    })
}

fn state_of(session: &Session) -> axh_state_t {
    let (agent, durable) = (session.agent(), session.durable_position());
    let manifest = session.rules().manifest();
    axh_state_t {
        size: size_of::<axh_state_t>(),
        entries: agent.ledger.sequence.saturating_add(1),
        durable_entries: durable.entries,
        last_timestamp: agent.last_timestamp,
        completed_records: session.completed_records(),
        head: agent.ledger.head,
        durable_head: durable.head,
        configuration: session.rules().hash(),
        manifest: manifest.unwrap_or_default(),
        fault_count: agent.fault_count,
        health: health_of(agent.health),
        sealed: agent.ledger.sealed.into(),
        failed: agent.ledger.failed.into(),
        has_manifest: manifest.is_some().into(),
        torn: session.torn_line().is_some().into(),
    }
}
