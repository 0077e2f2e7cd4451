//! The heads that a witness has signed, the latest of each log, in an SQLite database.
//!
//! A head that is committed here outlives a crash and a power failure. Whoever puts an older copy of the database in its
//! place lets the witness sign two heads that disagree; nothing in the database can show that.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use axilog::hash::Hash;
use axilog_heads::WitnessPublicKey;
use axilog_ledger::error::FileError;
use axilog_ledger::file::volume::{FileSystem, Volume, parent_dir};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior,
};

use crate::error::WitnessError;

/// Marks the database as the state of a witness.
const APPLICATION_ID: i64 = 0x6178_7774;
/// The version of the tables.
const VERSION: i64 = 1;

const TABLES: &str = "\
    CREATE TABLE witness (public_key TEXT NOT NULL) STRICT;
    CREATE TABLE heads (
        origin TEXT PRIMARY KEY,
        size INTEGER NOT NULL CHECK (size >= 0),
        root BLOB NOT NULL CHECK (length(root) = 32),
        checkpoint BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;";

/// The latest head of a log that was signed.
#[derive(Debug)]
pub(crate) struct SignedHead {
    pub(crate) size: u64,
    pub(crate) root: Hash,
}

/// The database.
#[derive(Debug)]
pub(crate) struct HeadStore {
    path: PathBuf,
    connection: Connection,
}

impl HeadStore {
    /// Makes the state of a new witness.
    ///
    /// # Errors
    /// [`WitnessError::StateExists`], [`WitnessError::File`], [`WitnessError::Database`].
    pub(crate) fn create(path: &Path, key: &WitnessPublicKey) -> Result<(), WitnessError> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => WitnessError::StateExists(path.to_owned()),
            _ => FileError::from_io(path, "create the state of the witness")(error).into(),
        })?;
        let store = HeadStore::connect(path)?;
        store.make_tables(key).map_err(store.failed("write it"))?;
        drop(store);
        FileSystem
            .sync_dir(parent_dir(path))
            .map_err(FileError::from_io(path, "sync its folder"))?;
        Ok(())
    }

    /// Opens the state of the witness that has this key.
    ///
    /// # Errors
    /// [`WitnessError::StateMissing`], [`WitnessError::NoState`], [`WitnessError::OtherWitness`],
    /// [`WitnessError::Database`].
    pub(crate) fn open(path: &Path, key: &WitnessPublicKey) -> Result<HeadStore, WitnessError> {
        if !path.exists() {
            return Err(WitnessError::StateMissing(path.to_owned()));
        }
        let no_state = |found: String| WitnessError::NoState {
            path: path.to_owned(),
            found,
        };
        let store = HeadStore::connect(path).map_err(|error| match error {
            WitnessError::Database { source, .. } if is_no_database(&source) => {
                no_state(source.to_string())
            }
            error => error,
        })?;
        let marks = store
            .read_marks()
            .map_err(|error| no_state(error.to_string()))?;
        if marks != (APPLICATION_ID, VERSION) {
            let (application, version) = marks;
            return Err(no_state(format!(
                "found application id {application} and version {version}, expected {APPLICATION_ID} and {VERSION}"
            )));
        }
        let found = store.read_public_key().map_err(store.failed("read it"))?;
        match found == key.to_string() {
            true => Ok(store),
            false => Err(WitnessError::OtherWitness {
                path: path.to_owned(),
                found,
                expected: key.to_string(),
            }),
        }
    }

    /// Begins a transaction that nobody else writes beside.
    pub(crate) fn begin(&mut self) -> rusqlite::Result<Transaction<'_>> {
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
    }

    /// The latest checkpoint of a log, with the signatures of the log and of the witness.
    ///
    /// # Errors
    /// [`WitnessError::Database`].
    pub(crate) fn read_checkpoint(&self, origin: &str) -> Result<Option<Vec<u8>>, WitnessError> {
        let statement = "SELECT checkpoint FROM heads WHERE origin = ?1";
        self.connection
            .prepare_cached(statement)
            .and_then(|mut found| found.query_row([origin], |row| row.get(0)).optional())
            .map_err(self.failed("read a head"))
    }

    /// The path of the database, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn connect(path: &Path) -> Result<HeadStore, WitnessError> {
        let failed = |source| WitnessError::Database {
            path: path.to_owned(),
            what: "open the state of the witness",
            source,
        };
        // A path that begins with "file:" is a path too.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(Path::new(".").join(path), flags);
        let connection = connection.map_err(failed)?;
        // A transaction is on the disk before its commit returns.
        connection
            .pragma_update(None, "synchronous", "FULL")
            .map_err(failed)?;
        Ok(HeadStore {
            path: path.to_owned(),
            connection,
        })
    }

    fn make_tables(&self, key: &WitnessPublicKey) -> rusqlite::Result<()> {
        let connection = &self.connection;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let transaction = connection.unchecked_transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO witness VALUES (?1)", [key.to_string()])?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        // The mark comes with the tables or not at all.
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.commit()
    }

    fn read_marks(&self) -> rusqlite::Result<(i64, i64)> {
        let read = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get(0))
        };
        Ok((read("application_id")?, read("user_version")?))
    }

    fn read_public_key(&self) -> rusqlite::Result<String> {
        let statement = "SELECT public_key FROM witness";
        self.connection.query_row(statement, [], |row| row.get(0))
    }

    fn failed(&self, what: &'static str) -> impl Fn(rusqlite::Error) -> WitnessError {
        let path = self.path.clone();
        move |source| WitnessError::Database {
            path: path.clone(),
            what,
            source,
        }
    }
}

/// Whether a file is none that SQLite has written.
fn is_no_database(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::NotADatabase)
}

/// The latest head of a log that was signed.
pub(crate) fn read_head(
    transaction: &Transaction<'_>,
    origin: &str,
) -> rusqlite::Result<Option<SignedHead>> {
    let mut statement =
        transaction.prepare_cached("SELECT size, root FROM heads WHERE origin = ?1")?;
    let head = statement.query_row([origin], |row| {
        Ok(SignedHead {
            size: row.get(0)?,
            root: row.get(1)?,
        })
    });
    head.optional()
}

/// Puts the head of a log in the place of the one that was signed before.
pub(crate) fn put_head(
    transaction: &Transaction<'_>,
    origin: &str,
    head: &SignedHead,
    checkpoint: &[u8],
) -> rusqlite::Result<()> {
    let mut statement =
        transaction.prepare_cached("INSERT OR REPLACE INTO heads VALUES (?1, ?2, ?3, ?4)")?;
    statement.execute((origin, head.size, head.root, checkpoint))?;
    Ok(())
}
