//! The store: read and write access to a memory (document, sections 2 and 4).

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use axilog_ledger::error::FileError;
use axilog_ledger::file::place::FileIdentity;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use serde_json::Value;

use crate::bodies::{PinBody, StateBody};
use crate::deriving::{Rebuilt, derive_and_visit, derive_tables, remake_if_shown};
use crate::entry::{EntryBody, EntryKind};
use crate::error::{MemoryError, Result};
use crate::event_contract::check_contract;
use crate::head_file::{assert_head_file, read_head_file, write_head_file};
use crate::identifier::Identifier;
use crate::log::{self, LogHead};
use crate::mask::{MaskMatrix, OutputClass};
use crate::pinned::MachinePins;
use crate::pinned_texts::text_pins;
use crate::pins::MASK_MATRIX;
use crate::policy::{self, DEFAULT_GUESSES, GUESSES_PER_SCENE};
use crate::reader::MemoryReader;
use crate::remaking::RemadeOutputs;
use crate::schema;
use crate::table_digests::keep_digests;
use crate::writer::{AppendReceipt, Writer, append_in_transaction, append_within};

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
    /// Creates the file and commits the world: story pointers and pins. Where an earlier `init` was interrupted, this
    /// one completes it.
    ///
    /// # Errors
    /// [`MemoryError::Exists`] for a file that holds anything; the errors of [`MemoryStore::append`].
    pub fn init(path: &Path, initial: &InitialState) -> Result<MemoryStore> {
        let is_new = match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(FileError::from_io(path, "create the memory")(error).into()),
        };
        let identity = MemoryStore::identify(path)?;
        let conn = schema::open_unfinished(path)?;
        let store = MemoryStore::from_connection(conn, path, identity)?;
        let begun = store.begin(initial);
        if begun.is_err() && is_new {
            store.remove_unfinished();
        }
        begun.map(|()| store)
    }

    /// Removes the file where nothing is in it. While the lock is held nobody puts anything into it; who waited for
    /// the lock finds that the file was removed.
    fn remove_unfinished(&self) {
        let (conn, path) = (&self.reader.conn, &self.reader.path);
        let behavior = TransactionBehavior::Immediate;
        let Ok(_lock) = rusqlite::Transaction::new_unchecked(conn, behavior) else {
            return;
        };
        if !matches!(schema::is_unfinished(conn), Ok(true)) || self.check_place().is_err() {
            return;
        }
        let _ = fs::remove_file(path);
        for suffix in ["-wal", "-shm"] {
            let mut beside = path.as_os_str().to_owned();
            beside.push(suffix);
            let _ = fs::remove_file(beside);
        }
    }

    /// Makes the tables and the first entries in one transaction: a process that dies leaves all of them or none.
    fn begin(&self, initial: &InitialState) -> Result<()> {
        let (conn, path) = (&self.reader.conn, &self.reader.path);
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
        let texts = text_pins()?.map(|text| (text.name, text.newest()));
        let own = own.chain(texts.iter().map(|(name, value)| (*name, value)));
        let selection = policy::selection()?.to_string();
        let own = own.chain([(policy::SELECTION, &selection)]);
        let own = own.chain((!is_given).then_some((GUESSES_PER_SCENE, &default)));
        for (pin, value) in own.chain(given) {
            check_contract(EntryKind::Pin, pin, value)?;
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
        let failed = || MemoryError::sqlite(path, "create the memory");
        let behavior = TransactionBehavior::Immediate;
        let tables = rusqlite::Transaction::new_unchecked(conn, behavior).map_err(failed())?;
        // Another process may have begun a memory here since the file was opened.
        if !schema::is_unfinished(conn).map_err(failed())? {
            return Err(MemoryError::Exists(path.clone()));
        }
        schema::migrate(conn).map_err(failed())?;
        keep_digests(conn).map_err(failed())?;
        append_within(&self.reader, |writer| {
            writer.commit(EntryBody::State(state))?;
            pins.into_iter()
                .try_for_each(|pin| writer.commit(EntryBody::Pin(pin)).map(drop))
        })?;
        self.check_place()?;
        tables.commit().map_err(failed())?;
        self.check_place()?;
        self.note_head();
        Ok(())
    }

    /// Opens a memory. Tables that end before the log does are derived anew.
    ///
    /// # Errors
    /// [`MemoryError::Missing`], [`MemoryError::Unfinished`], [`MemoryError::Foreign`], [`MemoryError::Newer`],
    /// [`MemoryError::Older`], [`MemoryError::Damaged`], [`MemoryError::Altered`], [`MemoryError::Sqlite`].
    pub fn open(path: &Path) -> Result<MemoryStore> {
        let mut store = MemoryStore::open_for_writing(path)?;
        let (applied, head) = store.reader.read_applied_and_head()?;
        if applied != head {
            store.rebuild()?;
        }
        store.reader.read_at_once(|| Ok(()))?;
        Ok(store)
    }

    /// Opens a memory whose tables another program may have changed, for [`MemoryStore::rebuild_asserting`]. Until
    /// then it refuses to be read and appended to as [`MemoryStore::open`] does.
    ///
    /// # Errors
    /// As [`MemoryStore::open`] without [`MemoryError::Altered`].
    pub fn open_to_rebuild(path: &Path) -> Result<MemoryStore> {
        MemoryStore::open_for_writing(path)
    }

    fn identify(path: &Path) -> Result<FileIdentity> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(FileIdentity::of(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(MemoryError::Missing(path.to_owned()))
            }
            Err(error) => Err(FileError::from_io(path, "find the memory")(error).into()),
        }
    }

    fn open_for_writing(path: &Path) -> Result<MemoryStore> {
        let noted = read_head_file(path)?;
        let identity = MemoryStore::identify(path)?;
        let conn = schema::open_database(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // SQLite opens a file that cannot be written for reading alone, without a word.
        let failed = MemoryError::sqlite(path, "open the memory for writing");
        if conn.is_readonly(rusqlite::MAIN_DB).map_err(failed)? {
            return Err(MemoryError::ReadOnly(path.to_owned()));
        }
        let store = MemoryStore::from_connection(conn, path, identity)?;
        store.migrate()?;
        store.check_place()?;
        store.reader.check_end(noted.as_ref())?;
        Ok(store)
    }

    fn from_connection(
        conn: Connection,
        path: &Path,
        identity: FileIdentity,
    ) -> Result<MemoryStore> {
        conn.pragma_update(None, "journal_mode", "WAL")
            .map_err(MemoryError::sqlite(path, "set the write-ahead log up"))?;
        let reader = MemoryReader::from_connection(conn, path);
        Ok(MemoryStore { reader, identity })
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
            // The triggers would be rolled back with the transaction.
            drop(migration);
            return keep_digests(conn).map_err(failed());
        }
        // A log that was changed is damaged under the rules of any version.
        log::for_each_entry(conn, path, &mut |_| Ok(()))?;
        schema::migrate(conn).map_err(failed())?;
        keep_digests(conn).map_err(failed())?;
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
    /// [`MemoryError::Guess`] for a picture's request with a locked exact string or too many guesses at one (they are
    /// logged), [`MemoryError::Sqlite`],
    /// [`FileError::Displaced`] where the file was renamed, removed or replaced since it was opened.
    pub fn append(&mut self, kind: EntryKind, body: Value) -> Result<AppendReceipt> {
        self.append_given(|writer| writer.append(kind, body))
    }

    /// Appends several entries, acknowledged together.
    ///
    /// # Errors
    /// As [`MemoryStore::append`]; none of the entries was appended then.
    pub fn append_all(
        &mut self,
        entries: impl IntoIterator<Item = (EntryKind, Value)>,
    ) -> Result<Vec<AppendReceipt>> {
        self.append_given(|writer| {
            entries
                .into_iter()
                .map(|(kind, body)| writer.append(kind, body))
                .collect()
        })
    }

    /// Appends what comes from outside. Guesses in what is refused are logged by themselves.
    fn append_given<T>(&mut self, work: impl FnOnce(&mut Writer<'_>) -> Result<T>) -> Result<T> {
        let mut refused_guesses = 0;
        let appended = self.append_with(|writer| {
            let appended = work(writer);
            refused_guesses = writer.refused_guesses;
            appended
        });
        if refused_guesses > 0 {
            self.append_with(|writer| writer.log_guesses(OutputClass::Pvib, refused_guesses))?;
        }
        appended
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
        self.note_head();
        Ok(appended)
    }

    /// Writes the head into the file beside the database. The append is acknowledged already, so a file that cannot be
    /// written lags behind until the next append, as it does where a process dies here.
    fn note_head(&self) {
        if let Ok(head) = self.reader.head() {
            let _ = write_head_file(self.reader.path(), &head);
        }
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
        self.rebuild_and_check(&mut |_, _| Ok(()), || Ok(()))
    }

    /// Derives every table anew, asserts every pin, of this build and of the machine, and makes each output again that a
    /// model's side was shown. Where one is another one now, the tables are derived all the same.
    ///
    /// # Errors
    /// As [`MemoryStore::rebuild`], and [`MemoryError::Pin`], [`MemoryError::UnassertedPin`].
    pub fn rebuild_asserting(&mut self, machine: &MachinePins) -> Result<Rebuilt> {
        let (reader, mut shown) = (&self.reader, RemadeOutputs::default());
        let head = self.rebuild_and_check(
            &mut |seq, body| remake_if_shown(reader, &mut shown, seq, body),
            || reader.assert_every_pin(machine),
        )?;
        Ok(Rebuilt { head, shown })
    }

    fn rebuild_and_check(
        &self,
        visit: &mut dyn FnMut(u64, &EntryBody) -> Result<()>,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<LogHead> {
        let failed = || MemoryError::sqlite(&self.reader.path, "rebuild the tables");
        let behavior = TransactionBehavior::Immediate;
        let transaction =
            rusqlite::Transaction::new_unchecked(&self.reader.conn, behavior).map_err(failed())?;
        let rebuilt = read_head_file(&self.reader.path).and_then(|noted| {
            let head = derive_and_visit(&self.reader, visit)?;
            assert_head_file(&self.reader.conn, &self.reader.path, noted.as_ref())?;
            check()?;
            transaction.commit().map_err(failed())?;
            Ok(head)
        });
        // A transaction that is dropped is rolled back.
        self.reader.forget_exact_strings();
        rebuilt
    }
}
