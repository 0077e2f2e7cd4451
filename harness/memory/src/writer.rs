//! An append under way: all of its entries are acknowledged together, or none is appended.

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use serde_json::Value;

use crate::apply::apply_entry;
use crate::asset::asset_handle;
use crate::audience::Audience;
use crate::bodies::{AssetBody, GuessBody};
use crate::canonical::CanonicalJson;
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::event_contract::check_contract;
use crate::fact::Fact;
use crate::guesses::{count_guesses, read_limit};
use crate::handle::Handle;
use crate::log::{self, LogHead};
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::reader::MemoryReader;
use crate::retractions::find_retraction;
use crate::used_names::refuse_used_names;

/// What an append did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppendReceipt {
    /// The number of the entry.
    pub seq: u64,
    /// The handle of a fact or of a stage of an asset.
    pub handle: Option<Handle>,
    /// False where the same fact was appended before, as the entry `seq`: nothing was appended then.
    pub is_new: bool,
}

/// A transaction that appends entries.
pub(crate) struct Writer<'a> {
    reader: &'a MemoryReader,
    head: LogHead,
    /// The guesses in a request for a picture that was refused, which are logged once the transaction is rolled back.
    pub(crate) refused_guesses: u64,
}

/// Runs `work` in one transaction, which an error rolls back.
pub(crate) fn append_in_transaction<T>(
    reader: &MemoryReader,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
) -> Result<T> {
    let failed = || MemoryError::sqlite(&reader.path, "append to the memory");
    let behavior = TransactionBehavior::Immediate;
    let transaction =
        rusqlite::Transaction::new_unchecked(&reader.conn, behavior).map_err(failed())?;
    let result = append_within(reader, work).and_then(|result| {
        transaction.commit().map_err(failed())?;
        Ok(result)
    });
    if result.is_err() {
        // A transaction that is dropped is rolled back.
        reader.forget_exact_strings();
    }
    result
}

/// Runs `work` within a transaction that is open.
pub(crate) fn append_within<T>(
    reader: &MemoryReader,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
) -> Result<T> {
    let failed = || MemoryError::sqlite(&reader.path, "append to the memory");
    // Nothing is appended to a log with a hole or without its end, nor beside tables that somebody else changed.
    let before = reader.check_log_and_tables()?;
    let mut writer = Writer {
        reader,
        head: before,
        refused_guesses: 0,
    };
    let result = work(&mut writer)?;
    let head = writer.head;
    if head != before {
        reader
            .conn
            .prepare_cached("UPDATE applied SET seq = ?1 WHERE seq = ?2")
            .and_then(|mut mark| mark.execute(params![head.seq, before.seq]))
            .map_err(failed())?;
    }
    Ok(result)
}

impl Writer<'_> {
    /// The memory as the entries so far leave it.
    pub(crate) fn reader(&self) -> &MemoryReader {
        self.reader
    }

    /// Appends an entry that comes from outside: a fact once only, and no event that has a command of its
    /// own.
    pub(crate) fn append(&mut self, kind: EntryKind, body: Value) -> Result<AppendReceipt> {
        let id = kind.as_str();
        if let Some(command) = kind.own_command() {
            return Err(MemoryError::OwnCommand { id, command });
        }
        if kind == EntryKind::Fact {
            return self.append_fact(&Fact::new(&body)?);
        }
        let canonical = CanonicalJson::from_value(id, body)?;
        let body = kind.read_new_body(canonical.value())?;
        let handle = match &body {
            EntryBody::Pin(body) => {
                check_contract(kind, &body.name, &body.value)?;
                None
            }
            EntryBody::Revision(body) => {
                check_contract(kind, &body.name, &body.to)?;
                None
            }
            EntryBody::Asset(body) => {
                self.check_asset(body)?;
                Some(asset_handle(body)?)
            }
            _ => None,
        };
        let seq = self.append_and_apply(&canonical, body)?;
        Ok(AppendReceipt {
            seq,
            handle,
            is_new: true,
        })
    }

    fn append_fact(&mut self, fact: &Fact) -> Result<AppendReceipt> {
        let earlier: Option<u64> = self
            .reader
            .conn
            .prepare_cached("SELECT seq FROM fact WHERE fact = ?1")
            .and_then(|mut find| find.query_row([fact.id()], |row| row.get(0)).optional())
            .map_err(self.reader.read_error())?;
        let seq = match earlier {
            Some(seq) => {
                self.refuse_told_again(fact.id())?;
                seq
            }
            None => {
                refuse_used_names(&self.reader.conn, fact)
                    .map_err(|error| error.into_memory_error(self.reader.read_error()))?;
                self.append_and_apply(fact.canonical(), EntryBody::Fact(fact.body.clone()))?
            }
        };
        Ok(AppendReceipt {
            seq,
            handle: Some(fact.id()),
            is_new: earlier.is_none(),
        })
    }

    /// Refuses a fact that was retracted: its body would be the same, and the same body is the same fact.
    fn refuse_told_again(&self, fact: Handle) -> Result<()> {
        let found = find_retraction(&self.reader.conn, fact).map_err(self.reader.read_error())?;
        let Some(seq) = found else { return Ok(()) };
        let reason = format!(
            "{fact} was retracted by entry {seq}, and stays so; where it is to be told after all, give it a provenance that says why, which makes it another fact"
        );
        Err(MemoryError::refused("the fact", reason))
    }

    /// Refuses a locked exact string in what goes to the makers of pictures, and logs what may be a guess at one. The
    /// answer names no string, and is the same where the guesses were too many.
    fn check_asset(&mut self, body: &AssetBody) -> Result<()> {
        let (is_refused, guesses) = self.judge_asset(body)?;
        let is_over = self.log_guesses(OutputClass::Pvib, guesses)?;
        if is_refused || is_over && guesses > 0 {
            self.refused_guesses = guesses;
            return Err(MemoryError::Guess {
                what: "request for a picture",
            });
        }
        Ok(())
    }

    /// Judges what goes to the makers of pictures: whether a locked exact string stands in it, and how many guesses it
    /// has.
    fn judge_asset(&self, body: &AssetBody) -> Result<(bool, u64)> {
        let viewers: Vec<&str> = body.viewers.iter().flatten().map(|name| &**name).collect();
        let audience = Audience::new(OutputClass::Pvib, &viewers)?;
        let view = OutputView::new(self.reader, &audience)?;
        let document = Value::Object(body.document.clone());
        view.with_guard(|guard| guard.judge_value(&document))
    }

    /// Logs the guesses of a text; gives whether the scene has more now than it allows.
    pub(crate) fn log_guesses(&mut self, output: OutputClass, guesses: u64) -> Result<bool> {
        let reader = self.reader;
        let state = reader.story_state()?;
        let counted = count_guesses(&reader.conn, &state)
            .and_then(|before| Ok((before, read_limit(&reader.conn)?)));
        let (before, limit) = counted.map_err(reader.read_error())?;
        if guesses > 0 {
            self.commit(EntryBody::Guess(GuessBody {
                output,
                scene_id: state.scene.map(|scene| scene.id),
                guesses,
            }))?;
        }
        Ok(before.saturating_add(guesses) > limit)
    }

    /// Appends an entry that the memory itself makes; gives its number.
    pub(crate) fn commit(&mut self, body: EntryBody) -> Result<u64> {
        let canonical = CanonicalJson::from_value(body.kind().as_str(), body.to_value()?)?;
        self.append_and_apply(&canonical, body)
    }

    fn append_and_apply(&mut self, canonical: &CanonicalJson, body: EntryBody) -> Result<u64> {
        let conn = &self.reader.conn;
        let failed = || MemoryError::sqlite(&self.reader.path, "append to the memory");
        log::append(conn, &mut self.head, body.kind(), canonical).map_err(failed())?;
        apply_entry(conn, self.head.seq, body)
            .map_err(|error| error.into_memory_error(failed()))?;
        Ok(self.head.seq)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rusqlite::trace::{TraceEvent, TraceEventCodes};
    use serde_json::json;

    use crate::entry::EntryKind;
    use crate::store::{InitialState, MemoryStore};

    thread_local! {
        /// How many statements of this thread counted the log.
        static COUNTED: Cell<u32> = const { Cell::new(0) };
    }

    fn note(event: TraceEvent<'_>) {
        if let TraceEvent::Stmt(_, sql) = event
            && sql.contains("count(*) FROM log")
        {
            COUNTED.set(COUNTED.get() + 1);
        }
    }

    /// What an append costs does not grow with the log while nobody else commits.
    #[test]
    fn the_log_is_counted_only_where_another_connection_committed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("memory.db");
        let initial = InitialState::new("arden", "c1", "s1").unwrap();
        drop(MemoryStore::init(&path, &initial).unwrap());
        let mut store = MemoryStore::open(&path).unwrap();
        let conn = &store.reader().conn;
        conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(note));
        let playback = || json!({ "playback_id": "n1", "cause_handle": null });
        for _ in 0..20 {
            store.append(EntryKind::PlaybackPaused, playback()).unwrap();
            store.reader().redact(&json!("n1")).unwrap();
        }
        // What is refused and rolled back leaves the log as it was.
        store
            .append(EntryKind::SceneEnd, json!({ "scene_id": "x" }))
            .unwrap_err();
        store.append(EntryKind::PlaybackPaused, playback()).unwrap();
        assert_eq!(COUNTED.get(), 0);
        let mut other = MemoryStore::open(&path).unwrap();
        for expected in 1..4 {
            other.append(EntryKind::PlaybackPaused, playback()).unwrap();
            store.append(EntryKind::PlaybackPaused, playback()).unwrap();
            store.append(EntryKind::PlaybackPaused, playback()).unwrap();
            assert_eq!(COUNTED.get(), expected);
        }
    }
}
