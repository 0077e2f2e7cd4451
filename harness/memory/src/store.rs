//! The store: read and write access to a memory (document, sections 2 and 4).

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_ledger::file::place::FileIdentity;
use rusqlite::{OpenFlags, TransactionBehavior, params};
use serde_json::Value;

use crate::apply::apply_entry;
use crate::apply_error::ApplyError;
use crate::bodies::{PinBody, StateBody};
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::identifier::Identifier;
use crate::log::{self, LogHead};
use crate::mask::MaskMatrix;
use crate::pins::MASK_MATRIX;
use crate::policy::{self, DEFAULT_GUESSES, GUESSES_PER_SCENE};
use crate::reader::MemoryReader;
use crate::schema;
use crate::writer::{AppendReceipt, Writer, append_in_transaction};

/// A memory open for writing. Several processes may open one; each append waits its turn.
#[derive(Debug)]
pub struct MemoryStore {
    reader: MemoryReader,
    /// The file that SQLite has open.
    identity: FileIdentity,
}

/// What a new memory begins with.
#[derive(Clone, Debug)]
pub struct InitialState {
    /// The world.
    pub world_id: String,
    /// The campaign.
    pub campaign_id: String,
    /// The first session.
    pub session_id: String,
    /// Which masks each output class may contain.
    pub mask_matrix: MaskMatrix,
    /// Pins besides the pins of this build, by name and value: models, templates, adapters, seed policies.
    pub pins: Vec<(String, String)>,
}

impl InitialState {
    /// The start of a campaign, with the built-in mask matrix and no pins but those of this build.
    ///
    /// # Errors
    /// None in practice.
    pub fn new(world: &str, campaign: &str, session: &str) -> Result<InitialState> {
        Ok(InitialState {
            world_id: world.to_owned(),
            campaign_id: campaign.to_owned(),
            session_id: session.to_owned(),
            mask_matrix: MaskMatrix::players()?,
            pins: Vec::new(),
        })
    }
}

impl MemoryStore {
    /// Creates the file and commits the world: story pointers and pins.
    ///
    /// # Errors
    /// [`MemoryError::Exists`]; the errors of [`MemoryStore::append`].
    pub fn init(path: &Path, initial: &InitialState) -> Result<MemoryStore> {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(MemoryError::Exists(path.to_owned()));
            }
            Err(error) => return Err(FileError::from_io(path, "create the memory")(error).into()),
        }
        let store = MemoryStore::begin(path, initial);
        if store.is_err() {
            // Nothing was acknowledged, and half a memory helps nobody.
            let _ = fs::remove_file(path);
            for suffix in ["-wal", "-shm"] {
                let mut beside = path.as_os_str().to_owned();
                beside.push(suffix);
                let _ = fs::remove_file(beside);
            }
        }
        store
    }

    fn begin(path: &Path, initial: &InitialState) -> Result<MemoryStore> {
        schema::create_tables(path).map_err(MemoryError::sqlite(path, "create the memory"))?;
        let mut store = MemoryStore::open_for_writing(path)?;
        let name = |field, text| Identifier::new("the new memory", field, text);
        let matrix = initial.mask_matrix.canonical();
        let mut pins = vec![PinBody {
            name: name("pin", MASK_MATRIX)?,
            value: matrix.handle().to_string(),
            document: Some(matrix.value().clone()),
        }];
        let own = policy::own_pins()?;
        let own = own.iter().map(|(name, value)| (*name, value));
        let given = initial.pins.iter().map(|(name, value)| (&**name, value));
        let default = DEFAULT_GUESSES.to_string();
        let is_given = given.clone().any(|(name, _)| name == GUESSES_PER_SCENE);
        let own = own.chain((!is_given).then_some((GUESSES_PER_SCENE, &default)));
        for (pin, value) in own.chain(given) {
            pins.push(PinBody {
                name: name("pin", pin)?,
                value: value.clone(),
                document: None,
            });
        }
        let state = StateBody {
            world_id: Some(name("world_id", &initial.world_id)?),
            campaign_id: Some(name("campaign_id", &initial.campaign_id)?),
            session_id: Some(name("session_id", &initial.session_id)?),
            ..StateBody::default()
        };
        store.append_with(|writer| {
            writer.commit(EntryBody::State(state))?;
            pins.into_iter()
                .try_for_each(|pin| writer.commit(EntryBody::Pin(pin)).map(drop))
        })?;
        Ok(store)
    }

    /// Opens a memory. Tables that do not agree with the log are derived anew.
    ///
    /// # Errors
    /// [`MemoryError::Missing`], [`MemoryError::Foreign`], [`MemoryError::Newer`], [`MemoryError::Older`],
    /// [`MemoryError::Damaged`], [`MemoryError::Sqlite`].
    pub fn open(path: &Path) -> Result<MemoryStore> {
        let mut store = MemoryStore::open_for_writing(path)?;
        let (applied, head) = store.reader.read_applied_and_head()?;
        if applied != head {
            store.rebuild()?;
        }
        Ok(store)
    }

    fn open_for_writing(path: &Path) -> Result<MemoryStore> {
        let identity = match fs::metadata(path) {
            Ok(metadata) => FileIdentity::of(&metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(MemoryError::Missing(path.to_owned()));
            }
            Err(error) => return Err(FileError::from_io(path, "find the memory")(error).into()),
        };
        let conn = schema::open_database(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.pragma_update(None, "journal_mode", "WAL")
            .map_err(MemoryError::sqlite(path, "set the write-ahead log up"))?;
        let reader = MemoryReader::from_connection(conn, path);
        let store = MemoryStore { reader, identity };
        store.migrate()?;
        store.check_place()?;
        Ok(store)
    }

    /// Brings an older database to this version: its tables are derived anew, under the rules of this version. Where
    /// the log does not pass under these, the database stays as it is.
    fn migrate(&self) -> Result<()> {
        let (conn, path) = (&self.reader.conn, &self.reader.path);
        let failed = || MemoryError::sqlite(path, "bring the memory to this version");
        let behavior = TransactionBehavior::Immediate;
        let migration = rusqlite::Transaction::new_unchecked(conn, behavior).map_err(failed())?;
        let found = schema::read_version(conn).map_err(failed())?;
        if found == schema::VERSION {
            return Ok(());
        }
        // A log that was changed is damaged under the rules of any version.
        self.reader.for_each_entry(&mut |_| Ok(()))?;
        schema::migrate(conn).map_err(failed())?;
        derive_tables(&self.reader).map_err(|error| match error {
            MemoryError::Damaged { path, seq, reason } => MemoryError::Older {
                path,
                found,
                known: schema::VERSION,
                seq,
                reason,
            },
            other => other,
        })?;
        migration.commit().map_err(failed())
    }

    /// The read access to this memory.
    #[must_use]
    pub fn reader(&self) -> &MemoryReader {
        &self.reader
    }

    /// Appends one entry. The entry is on the disk when this returns.
    ///
    /// # Errors
    /// [`MemoryError::OwnCommand`] for an event that has a function of its own; [`MemoryError::Document`],
    /// [`MemoryError::Refused`] for an entry that the contract or the present state forbids,
    /// [`MemoryError::Leak`] for a picture's request with a locked exact string, [`MemoryError::Sqlite`],
    /// [`FileError::Displaced`] where the file was renamed, removed or replaced since it was opened.
    pub fn append(&mut self, kind: EntryKind, body: Value) -> Result<AppendReceipt> {
        self.append_with(|writer| writer.append(kind, body))
    }

    /// Appends several entries, acknowledged together.
    ///
    /// # Errors
    /// As [`MemoryStore::append`]; none of the entries was appended then.
    pub fn append_all(
        &mut self,
        entries: impl IntoIterator<Item = (EntryKind, Value)>,
    ) -> Result<Vec<AppendReceipt>> {
        self.append_with(|writer| {
            entries
                .into_iter()
                .map(|(kind, body)| writer.append(kind, body))
                .collect()
        })
    }

    /// Checks that the memory's path leads to the file that SQLite has open.
    fn check_place(&self) -> Result<()> {
        let path = self.reader.path();
        let checked = self.identity.check(path);
        Ok(checked.map_err(FileError::displaced(path))?)
    }

    /// Runs `work` in one transaction, which an error rolls back. Nothing is acknowledged into a file that was
    /// renamed, removed or replaced since it was opened.
    pub(crate) fn append_with<T>(
        &mut self,
        work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let appended = append_in_transaction(&self.reader, |writer| {
            let result = work(writer)?;
            self.check_place()?;
            Ok(result)
        })?;
        self.check_place()?;
        Ok(appended)
    }

    /// Runs `work` in a transaction that is rolled back whatever comes of it.
    pub(crate) fn try_out<T>(
        &mut self,
        work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut result = None;
        let rolled_back = append_in_transaction(&self.reader, |writer| {
            result = Some(work(writer));
            Err::<(), _>(MemoryError::refused("the trial", "it is taken back"))
        });
        match (result, rolled_back) {
            (Some(result), Err(MemoryError::Refused { .. })) => result,
            (_, Err(error)) => Err(error),
            (_, Ok(())) => Err(MemoryError::refused("the trial", "it was not taken back")),
        }
    }

    /// Derives every table anew from the log, whose chain is checked.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`], [`MemoryError::Sqlite`]; the tables are as before then.
    pub fn rebuild(&mut self) -> Result<LogHead> {
        self.rebuild_and_check(|| Ok(()))
    }

    /// Derives every table anew, and asserts the pins of this build and those `given`, by name and value.
    ///
    /// # Errors
    /// As [`MemoryStore::rebuild`], and [`MemoryError::Pin`].
    pub fn rebuild_asserting(&mut self, given: &[(String, String)]) -> Result<LogHead> {
        self.rebuild_and_check(|| self.reader.assert_pins(given))
    }

    fn rebuild_and_check(&self, check: impl FnOnce() -> Result<()>) -> Result<LogHead> {
        let failed = || MemoryError::sqlite(&self.reader.path, "rebuild the tables");
        let behavior = TransactionBehavior::Immediate;
        let transaction =
            rusqlite::Transaction::new_unchecked(&self.reader.conn, behavior).map_err(failed())?;
        let head = derive_tables(&self.reader)?;
        check()?;
        transaction.commit().map_err(failed())?;
        self.reader.forget_exact_strings();
        Ok(head)
    }
}

/// Empties the derived tables and derives them again from the log, within the open transaction.
pub(crate) fn derive_tables(reader: &MemoryReader) -> Result<LogHead> {
    let (conn, path) = (&reader.conn, &reader.path);
    let failed = || MemoryError::sqlite(path, "rebuild the tables");
    schema::clear_tables(conn).map_err(failed())?;
    let head = log::for_each_entry(conn, path, &mut |entry| {
        let body = entry.kind.read_body(&entry.body).map_err(Into::into);
        let applied = body.and_then(|body| apply_entry(conn, entry.seq, body));
        applied.map_err(|error| match error {
            ApplyError::Sqlite(error) => failed()(error),
            ApplyError::Rule(error) => MemoryError::Damaged {
                path: path.clone(),
                seq: entry.seq,
                reason: format!("it does not follow from those before: {error}"),
            },
        })
    })?;
    conn.execute("UPDATE applied SET seq = ?1", params![head.seq])
        .map_err(failed())?;
    Ok(head)
}
