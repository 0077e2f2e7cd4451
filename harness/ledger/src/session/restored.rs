//! Opening a ledger from its saved state: what must be as it was when the state was saved, and the replay of the
//! records after it.
//!
//! The state has no key. It is believed where the file is the same, ends there as it did, and has not been changed since
//! but by records after it, as far as that is seen without reading what is before.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use axilog::agent::Agent;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::{Hash, Tag, chain, commit};
use axilog::ledger_line;
use axilog_policyc::PolicySet;

use super::declared::read_running_values;
use super::own_records::visit_records;
use super::saved_state::SavedState;
use super::tail::TailReplay;
use crate::encoding::hex;
use crate::file::LedgerFile;
use crate::file::blobs::BlobStore;
use crate::file::lines::MAX_LINE_BYTES;
use crate::rules::{ExpectedRules, RuleSet, RulesChoice, choose_rules, find_first_reset};
use crate::running_values::RunningValueFollower;

/// The bytes before the end of a state that are read again. They hold the last line, and with it the last transition
/// of an agent that is not STOPPED.
const READ_AGAIN: u64 = 2 * MAX_LINE_BYTES as u64;

/// The bytes in which the first reset of the ledger must be found.
const BEGINNING: u64 = 2 * MAX_LINE_BYTES as u64;

/// What a ledger holds, as its saved state and the records after it say.
pub(super) struct RestoredLedger {
    pub(super) rules: RuleSet,
    pub(super) agent: Agent,
    pub(super) models: HashMap<String, String>,
    pub(super) running: Option<RunningValueFollower>,
    /// The length of what the state covers.
    pub(super) saved_bytes: u64,
    /// The length of the records after it.
    pub(super) replayed_bytes: u64,
}

/// Restores what a ledger holds from its saved state. Nothing is changed.
///
/// # Errors
/// Why the whole ledger must be replayed, in words.
pub(super) fn restore_ledger(
    file: &LedgerFile,
    policies: Option<&PolicySet>,
) -> Result<RestoredLedger, String> {
    let state = SavedState::read(&file.read_state()?)?;
    check_place(file, &state)?;
    let agent = state
        .agent()
        .ok_or("it describes an agent that cannot be")?;
    check_end(file, &state, &agent)?;
    let rules = find_rules(file, &state, policies)?;
    let mut replay = TailReplay::new(agent, state.models(), &rules);
    let is_whole = replay.replay(read_after(file, &state)?);
    if !is_whole.map_err(as_text)? {
        return Err("the records after it are not whole steps of the agent".to_owned());
    }
    let (agent, models) = (replay.agent, replay.models);
    Ok(RestoredLedger {
        running: restore_running_values(file, &state, &rules)?,
        rules,
        agent,
        models,
        saved_bytes: state.ledger.bytes,
        replayed_bytes: file.len().saturating_sub(state.ledger.bytes),
    })
}

fn as_text(error: impl ToString) -> String {
    error.to_string()
}

fn read_after(file: &LedgerFile, state: &SavedState) -> Result<impl Read, String> {
    let mut bytes = file.bytes();
    bytes
        .seek(SeekFrom::Start(state.ledger.bytes))
        .map_err(as_text)?;
    Ok(bytes)
}

/// Checks that the ledger is the file of which the state was saved, and that nothing was changed in it or added to its
/// blobs since, but records after the state.
fn check_place(file: &LedgerFile, state: &SavedState) -> Result<(), String> {
    let saved = &state.ledger;
    let stamp = file.stamp().map_err(as_text)?;
    if stamp.inode != saved.inode {
        return Err("it was saved of another file".to_owned());
    }
    if file.len() < saved.bytes {
        return Err(format!(
            "the ledger has {} bytes, and had {} when it was saved",
            file.len(),
            saved.bytes
        ));
    }
    // Records that follow change the time too.
    if file.len() == saved.bytes && stamp.changed.to_string() != saved.changed {
        return Err("the ledger was changed after it was saved".to_owned());
    }
    let blobs = file.digest_blob_folders().map_err(as_text)?;
    match hex(&blobs) == state.blobs {
        true => Ok(()),
        false => Err("the blobs were changed after it was saved".to_owned()),
    }
}

/// Checks that the lines before the end of the state are good, that the last of them is the one that the state names,
/// and that the last transition led to the agent's state.
fn check_end(file: &LedgerFile, state: &SavedState, agent: &Agent) -> Result<(), String> {
    let saved = &state.ledger;
    let start = saved.bytes.saturating_sub(READ_AGAIN);
    let mut bytes = file.bytes();
    let mut lines = Vec::new();
    bytes.seek(SeekFrom::Start(start)).map_err(as_text)?;
    let mut end = bytes.take(saved.bytes.saturating_sub(start));
    end.read_to_end(&mut lines).map_err(as_text)?;
    let whole = match start {
        0 => Some(lines.as_slice()),
        _ => memchr::memchr(b'\n', &lines).and_then(|first| lines.get(first + 1..)),
    };
    match whole.and_then(|lines| ends_with(lines, agent)) {
        Some(true) => Ok(()),
        Some(false) | None => Err("the ledger is another one where it was saved".to_owned()),
    }
}

/// Whether the last of these lines is the head of the agent's ledger, and the last transition led to its state; `None`
/// where a line is bad.
fn ends_with(lines: &[u8], agent: &Agent) -> Option<bool> {
    let mut previous = None;
    let mut transition = None;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        let entry = ledger_line::parse(line).ok()?;
        let is_committed = commit(entry.tag.as_str().as_bytes(), entry.payload) == entry.commit;
        let follows = previous.is_none_or(|(sequence, head): (u64, Hash)| {
            sequence.checked_add(1) == Some(entry.sequence)
                && chain(Some(&head), &entry.commit) == entry.chain
        });
        if !is_committed || !follows {
            return None;
        }
        if entry.tag == Tag::Trans {
            transition = Some(TransitionRecord::parse(entry.payload).ok()?);
        }
        previous = Some((entry.sequence, entry.chain));
    }
    let is_its_state = transition.is_none_or(|transition| {
        (transition.next_state, transition.fault_count) == (agent.health, agent.fault_count)
    });
    let head = (agent.ledger.sequence, agent.ledger.head);
    Some(previous == Some(head) && is_its_state)
}

/// Finds the rules that the ledger names, which must be those under which the state was saved.
fn find_rules(
    file: &LedgerFile,
    state: &SavedState,
    policies: Option<&PolicySet>,
) -> Result<RuleSet, String> {
    let reset = find_first_reset(file.bytes().take(BEGINNING)).map_err(as_text)?;
    let reset = reset.filter(|reset| hex(&reset.configuration) == state.configuration);
    let Some(reset) = reset else {
        return Err("the ledger names other rules at its beginning".to_owned());
    };
    let expected = ExpectedRules {
        policies,
        switches: None,
    };
    let blobs = BlobStore::of_ledger(file.path());
    match choose_rules(Some(&reset), &blobs, expected) {
        Ok(RulesChoice::Use(rules, _)) => Ok(rules),
        Ok(_) => Err("the rules are missing, or others are expected".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn restore_running_values(
    file: &LedgerFile,
    state: &SavedState,
    rules: &RuleSet,
) -> Result<Option<RunningValueFollower>, String> {
    let values = read_running_values(file.path(), rules).map_err(as_text)?;
    let saved = state.running_values.as_ref();
    if values.is_empty() && saved.is_none() {
        return Ok(None);
    }
    let restored = saved
        .filter(|_| !values.is_empty())
        .and_then(|saved| RunningValueFollower::restore(&values, saved));
    let mut follower = restored.ok_or("it was saved of other running values")?;
    let tail = read_after(file, state)?;
    visit_records(tail, file.path(), &mut |entry, observation| {
        // A fault in it is an audit's: the session goes on from what the ledger holds.
        let _ = follower.take(entry, observation);
    })
    .map_err(as_text)?;
    Ok(Some(follower))
}
