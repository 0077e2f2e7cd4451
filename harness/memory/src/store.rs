//! The one that writes: appending to the log, and deriving the rest (document, sections 2 and 4).

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{OpenFlags, OptionalExtension, TransactionBehavior, params};
use serde_json::{Value, json};

use super::apply::{Applied, Fault, apply};
use super::asset;
use super::canonical::{Canonical, Handle};
use super::error::{MemoryError, Result};
use super::fact::Fact;
use super::id::Id;
use super::lens::{Audience, Lens};
use super::log::{self, Head};
use super::mask::{MaskMatrix, OutputClass};
use super::policy;
use super::schema;

/// A memory open for writing. Several processes may have one; each append waits its turn.
#[derive(Debug)]
pub struct Store {
    lens: Lens,
}

/// What a new memory begins with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The world.
    pub world_id: String,
    /// The campaign.
    pub campaign_id: String,
    /// The first session.
    pub session_id: String,
    /// Which output may hold what.
    pub matrix: MaskMatrix,
    /// Pins beside those of this build: models, templates, adapters, seed policies; name and value.
    pub pins: Vec<(String, String)>,
}

/// What an append did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The entry.
    pub seq: u64,
    /// The handle of a fact, a compaction or a stage of an asset.
    pub handle: Option<Handle>,
    /// False where the same fact was there already, at `seq`: nothing was appended then.
    pub new: bool,
}

/// An append that is under way: all of it is acknowledged together, or nothing of it happens.
pub struct Writer<'a> {
    lens: &'a Lens,
    head: Head,
}

impl Store {
    /// Makes the file and commits the world: story pointers and pins.
    ///
    /// # Errors
    /// [`MemoryError::Exists`]; those of [`Store::append`].
    pub fn init(path: &Path, opening: &Opening) -> Result<Store> {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(MemoryError::Exists(path.to_owned()));
            }
            Err(source) => {
                return Err(MemoryError::File {
                    path: path.to_owned(),
                    action: "create the memory",
                    source,
                });
            }
        }
        let begun = Store::begin(path, opening);
        if begun.is_err() {
            // Nothing was acknowledged, and half a memory helps nobody.
            let _ = std::fs::remove_file(path);
            for suffix in ["-wal", "-shm"] {
                let mut beside = path.as_os_str().to_owned();
                beside.push(suffix);
                let _ = std::fs::remove_file(beside);
            }
        }
        begun
    }

    fn begin(path: &Path, opening: &Opening) -> Result<Store> {
        schema::create(path).map_err(MemoryError::sqlite(path, "create the memory"))?;
        let conn = schema::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut store = Store {
            lens: Lens::over(conn, path),
        };
        store.write_ahead()?;
        store.write(|writer| {
            writer.put(
                Id::State,
                json!({
                    "world_id": opening.world_id,
                    "campaign_id": opening.campaign_id,
                    "session_id": opening.session_id,
                }),
            )?;
            let matrix = opening.matrix.canonical();
            writer.put(
                Id::Pin,
                json!({
                    "name": "mask_matrix",
                    "value": matrix.handle().to_string(),
                    "document": matrix.value(),
                }),
            )?;
            let own = policy::pins()?
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value));
            for (name, value) in own.chain(opening.pins.iter().cloned()) {
                writer.put(Id::Pin, json!({ "name": name, "value": value }))?;
            }
            Ok(())
        })?;
        Ok(store)
    }

    /// Opens a memory. Tables that do not agree with the log are derived anew.
    ///
    /// # Errors
    /// [`MemoryError::Missing`], [`MemoryError::Foreign`], [`MemoryError::Newer`],
    /// [`MemoryError::Damaged`], [`MemoryError::Sqlite`].
    pub fn open(path: &Path) -> Result<Store> {
        let conn = schema::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let failed = MemoryError::sqlite(path, "bring the memory to this version");
        schema::migrate(&conn).map_err(failed)?;
        let mut store = Store {
            lens: Lens::over(conn, path),
        };
        store.write_ahead()?;
        let (applied, head) = store.lens.ends()?;
        if applied != head {
            store.rebuild()?;
        }
        Ok(store)
    }

    fn write_ahead(&self) -> Result<()> {
        let failed = MemoryError::sqlite(&self.lens.path, "set the write-ahead log up");
        self.lens
            .conn
            .pragma_update(None, "journal_mode", "WAL")
            .map_err(failed)
    }

    /// Reading.
    #[must_use]
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// Hands `seen` the text of each statement just before SQLite runs it, triggers included.
    pub fn trace(&mut self, seen: Option<fn(&str)>) {
        // The callback is a plain function, so it is kept where a plain function finds it.
        TRACE.set(seen);
        let codes = TraceEventCodes::SQLITE_TRACE_STMT;
        let hook: fn(TraceEvent<'_>) = |event| {
            if let (TraceEvent::Stmt(_, text), Some(seen)) = (event, TRACE.get()) {
                seen(text);
            }
        };
        self.lens.conn.trace_v2(codes, seen.map(|_| hook));
    }

    /// Appends one entry. When this returns, it is on the disk.
    ///
    /// # Errors
    /// [`MemoryError::OwnCommand`] for what has a function of its own; [`MemoryError::Field`],
    /// [`MemoryError::Profile`], [`MemoryError::Refused`] for what the contract or the present state
    /// forbids, [`MemoryError::Leak`] for a picture's request that says what is locked,
    /// [`MemoryError::Sqlite`]. Nothing was appended then.
    pub fn append(&mut self, id: Id, body: Value) -> Result<Appended> {
        let mut appended = self.append_all([(id, body)])?;
        appended
            .pop()
            .ok_or_else(|| MemoryError::refused(id.as_str(), "it was not appended"))
    }

    /// Appends several entries together, acknowledged together.
    ///
    /// # Errors
    /// As [`Store::append`]; nothing of it was appended then.
    pub fn append_all(
        &mut self,
        entries: impl IntoIterator<Item = (Id, Value)>,
    ) -> Result<Vec<Appended>> {
        self.write(|writer| {
            entries
                .into_iter()
                .map(|(id, body)| writer.append(id, body))
                .collect()
        })
    }

    /// Runs `work` in one transaction.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let failed = || MemoryError::sqlite(&self.lens.path, "append to the memory");
        let behavior = TransactionBehavior::Immediate;
        let transaction =
            rusqlite::Transaction::new_unchecked(&self.lens.conn, behavior).map_err(failed())?;
        let before = log::head(&transaction).map_err(failed())?;
        let mut writer = Writer {
            lens: &self.lens,
            head: before,
        };
        let done = work(&mut writer).and_then(|done| {
            let head = writer.head;
            if head != before {
                transaction
                    .prepare_cached("UPDATE applied SET seq = ?1 WHERE seq = ?2")
                    .and_then(|mut mark| mark.execute(params![head.seq, before.seq]))
                    .map_err(failed())?;
            }
            transaction.commit().map_err(failed())?;
            Ok(done)
        });
        if done.is_err() {
            // A transaction that is dropped is rolled back.
            self.lens.forget();
        }
        done
    }

    /// Derives every table anew from the log, whose chain is checked.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`], [`MemoryError::Sqlite`]; the tables are as before then.
    pub fn rebuild(&mut self) -> Result<Head> {
        self.rebuilt(&|| Ok(()))
    }

    /// As [`Store::rebuild`], and asserts the pins of this build and those `given`, by name and value.
    ///
    /// # Errors
    /// As [`Store::rebuild`], and [`MemoryError::Pin`].
    pub fn rebuild_asserting(&mut self, given: &[(String, String)]) -> Result<Head> {
        self.rebuilt(&|| self.lens.assert_pins(given))
    }

    fn rebuilt(&self, check: &dyn Fn() -> Result<()>) -> Result<Head> {
        let failed = || MemoryError::sqlite(&self.lens.path, "rebuild the tables");
        let behavior = TransactionBehavior::Immediate;
        let transaction =
            rusqlite::Transaction::new_unchecked(&self.lens.conn, behavior).map_err(failed())?;
        let head = derive(&self.lens)?;
        check()?;
        transaction.commit().map_err(failed())?;
        self.lens.forget();
        Ok(head)
    }
}

std::thread_local! {
    static TRACE: std::cell::Cell<Option<fn(&str)>> = const { std::cell::Cell::new(None) };
}

/// Empties what is derived and derives it again, within the transaction that is open.
pub(super) fn derive(lens: &Lens) -> Result<Head> {
    let failed = || MemoryError::sqlite(&lens.path, "rebuild the tables");
    schema::clear(&lens.conn).map_err(failed())?;
    let head = log::each(&lens.conn, &lens.path, &mut |entry| {
        apply(&lens.conn, entry.seq, entry.id, &entry.body).map_err(|fault| match fault {
            Fault::Sqlite(error) => failed()(error),
            Fault::Rule(error) => MemoryError::Damaged {
                path: lens.path.clone(),
                seq: entry.seq,
                reason: format!("it does not follow from those before: {error}"),
            },
        })
    })?;
    lens.conn
        .execute("UPDATE applied SET seq = ?1", params![head.seq])
        .map_err(failed())?;
    Ok(head)
}

impl Writer<'_> {
    pub(super) fn lens(&self) -> &Lens {
        self.lens
    }

    /// The number the next entry will have.
    pub(super) fn next(&self) -> u64 {
        self.head.seq + 1
    }

    /// What comes from outside: facts once only, and no event that has a command of its own.
    fn append(&mut self, id: Id, body: Value) -> Result<Appended> {
        if let Some(command) = id.own_command().filter(|_| id != Id::Fact) {
            return Err(MemoryError::OwnCommand {
                id: id.as_str(),
                command,
            });
        }
        if id == Id::Fact {
            return self.fact(body);
        }
        let handle = match id {
            Id::Asset => Some(asset::handle(&body)?),
            _ => None,
        };
        if id == Id::Asset {
            self.brief(&body)?;
        }
        let seq = self.put(id, body)?;
        Ok(Appended {
            seq,
            handle,
            new: true,
        })
    }

    fn fact(&mut self, body: Value) -> Result<Appended> {
        let fact = Fact::new(body)?;
        let handle = Some(fact.id());
        let there: Option<u64> = self
            .lens
            .conn
            .prepare_cached("SELECT seq FROM fact WHERE fact = ?1")
            .and_then(|mut find| {
                find.query_row(params![fact.id().0], |row| row.get(0))
                    .optional()
            })
            .map_err(self.lens.failed())?;
        if let Some(seq) = there {
            return Ok(Appended {
                seq,
                handle,
                new: false,
            });
        }
        let seq = self.put_canonical(Id::Fact, fact.canonical())?;
        Ok(Appended {
            seq,
            handle,
            new: true,
        })
    }

    /// What goes to the makers of pictures says nothing that is locked.
    fn brief(&self, body: &Value) -> Result<()> {
        let listed = body.get("viewers").and_then(Value::as_array);
        let viewers: Vec<&str> = listed
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let audience = Audience::new(OutputClass::Pvib, &viewers)?;
        let view = self.lens.view(&audience)?;
        let document = body.get("document").unwrap_or(&Value::Null);
        view.guarded(|guard| guard.check_value("image brief", document))
    }

    /// Appends and applies.
    pub(super) fn put(&mut self, id: Id, body: Value) -> Result<u64> {
        let body = Canonical::of(id.as_str(), body)?;
        self.put_canonical(id, &body)
    }

    fn put_canonical(&mut self, id: Id, body: &Canonical) -> Result<u64> {
        let path = &self.lens.path;
        let failed = || MemoryError::sqlite(path, "append to the memory");
        let seq = self.next();
        log::append(&self.lens.conn, &mut self.head, id, body).map_err(failed())?;
        let applied: Applied = apply(&self.lens.conn, seq, id, body.value());
        applied.map_err(|fault| match fault {
            Fault::Sqlite(error) => failed()(error),
            Fault::Rule(error) => error,
        })?;
        Ok(seq)
    }
}
