//! The database: its tables, its version, and the triggers that keep the log append-only.
//!
//! The table `log` is the truth. Every other table is derived from it and can be thrown away.

use std::path::Path;

use axilog_ledger::error::FileError;
use rusqlite::{Connection, OpenFlags, params};

use crate::error::{MemoryError, Result};
use crate::search_index::{clear_index, make_index};

/// The version of the tables that this build writes. A change of the tables takes a migration and a new version.
pub(crate) const VERSION: i64 = 9;

/// The application id in the file of a memory: `AXM1`.
const APPLICATION: i64 = 0x4158_4d31;

/// The log, whose triggers refuse every change but an entry at its end. OR REPLACE deletes without firing
/// the trigger for DELETE, so INSERT takes the next number only.
const LOG: &str = "
CREATE TABLE log (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    body BLOB NOT NULL,
    chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;
CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER log_in_order BEFORE INSERT ON log
WHEN NEW.seq <> 1 + (SELECT coalesce(max(seq), 0) FROM log)
BEGIN SELECT RAISE(ABORT, 'the log is append-only, in order'); END;
CREATE TABLE applied (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
INSERT INTO applied VALUES (1, 0);
";

/// The head of the log, which moves with the log alone.
const HEAD: &str = "
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, chain BLOB
) STRICT;
INSERT INTO head VALUES
    (1, (SELECT coalesce(max(seq), 0) FROM log), (SELECT chain FROM log ORDER BY seq DESC LIMIT 1));
CREATE TRIGGER log_moves_head AFTER INSERT ON log
BEGIN UPDATE head SET seq = NEW.seq, chain = NEW.chain; END;
CREATE TRIGGER head_is_of_log BEFORE UPDATE ON head
WHEN NOT EXISTS (SELECT 1 FROM log WHERE seq = NEW.seq AND chain = NEW.chain)
    OR NEW.seq < (SELECT max(seq) FROM log)
BEGIN SELECT RAISE(ABORT, 'the head moves with the log'); END;
CREATE TRIGGER head_no_delete BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the head moves with the log'); END;
";

/// The index by which SQLite counts the entries: it has nothing of an entry but that it is there.
const NUMBERS: &str = "
DROP INDEX IF EXISTS log_chain;
CREATE INDEX IF NOT EXISTS log_numbers ON log (1);
";

/// What `table_digests.rs` keeps of each derived table.
const DIGESTS: &str = "
DROP TABLE IF EXISTS table_digest;
CREATE TABLE table_digest (name TEXT PRIMARY KEY, digest BLOB NOT NULL) STRICT, WITHOUT ROWID;
";

/// The names of the triggers on the log and its head.
pub(crate) const TRIGGERS: [&str; 6] = [
    "head_is_of_log",
    "head_no_delete",
    "log_in_order",
    "log_moves_head",
    "log_no_delete",
    "log_no_update",
];

/// The derived tables. `visible` lists the facts in their order, once for each audience that may see them: a
/// working set reads from it as much as its budget takes and no more. `tag` has the tags of facts. `retracted` has the
/// handles of the facts that were retracted, and of their details; `visible` has these facts no more. `began` in `unlocked` and `opened_rule` is the entry
/// that began the scene or session with which the unlock ends, and 0 for an unlock that never does.
const DERIVED: &str = "
CREATE TABLE fact (
    fact BLOB PRIMARY KEY, seq INTEGER NOT NULL REFERENCES log (seq), kind TEXT NOT NULL,
    stable_key TEXT NOT NULL, mask TEXT NOT NULL, locked INTEGER NOT NULL, campaign TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE retracted (
    handle BLOB PRIMARY KEY, fact BLOB NOT NULL REFERENCES fact (fact), seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE visible (
    audience TEXT NOT NULL, stable_key TEXT NOT NULL, fact BLOB NOT NULL REFERENCES fact (fact),
    kind TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (audience, stable_key, fact)
) STRICT, WITHOUT ROWID;
CREATE INDEX visible_newest ON visible (audience, seq);
CREATE TABLE tag (
    name TEXT NOT NULL, fact BLOB NOT NULL REFERENCES fact (fact), seq INTEGER NOT NULL,
    PRIMARY KEY (name, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE detail (
    seq INTEGER NOT NULL, handle BLOB NOT NULL, fact BLOB NOT NULL REFERENCES fact (fact),
    exact TEXT NOT NULL, guard TEXT NOT NULL, PRIMARY KEY (seq, handle)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX detail_handle ON detail (handle);
CREATE TABLE pointer (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE learned (
    campaign TEXT NOT NULL, handle BLOB NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (campaign, handle)
) STRICT, WITHOUT ROWID;
CREATE TABLE unlocked (
    handle BLOB NOT NULL, scope TEXT NOT NULL, campaign TEXT NOT NULL, began INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (handle, scope, campaign, began)
) STRICT, WITHOUT ROWID;
CREATE TABLE opened_rule (
    rule_ref TEXT NOT NULL, scope TEXT NOT NULL, campaign TEXT NOT NULL, began INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (rule_ref, scope, campaign, began)
) STRICT, WITHOUT ROWID;
CREATE TABLE attempt (
    handle BLOB NOT NULL, campaign TEXT NOT NULL, scene TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (handle, campaign, scene)
) STRICT, WITHOUT ROWID;
CREATE TABLE consent (
    request TEXT PRIMARY KEY, player TEXT NOT NULL, content BLOB NOT NULL, state TEXT NOT NULL,
    campaign TEXT NOT NULL, session INTEGER NOT NULL, scene INTEGER, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE guess (
    campaign TEXT NOT NULL, session INTEGER NOT NULL, scene TEXT NOT NULL, guesses INTEGER NOT NULL,
    seq INTEGER NOT NULL, PRIMARY KEY (campaign, session, scene)
) STRICT, WITHOUT ROWID;
CREATE TABLE compaction (
    purpose TEXT NOT NULL, compaction BLOB NOT NULL, output BLOB NOT NULL,
    seq INTEGER NOT NULL REFERENCES log (seq), PRIMARY KEY (purpose, compaction)
) STRICT, WITHOUT ROWID;
CREATE TABLE pin (
    name TEXT PRIMARY KEY, value TEXT NOT NULL, document BLOB, seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE used_name (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE asset (
    handle BLOB PRIMARY KEY, stage TEXT NOT NULL, previous BLOB REFERENCES asset (handle),
    seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The names of the derived tables; each stands before the tables it refers to.
pub(crate) const TABLES: [&str; 16] = [
    "asset",
    "attempt",
    "compaction",
    "consent",
    "detail",
    "guess",
    "learned",
    "opened_rule",
    "pin",
    "pointer",
    "retracted",
    "tag",
    "visible",
    "unlocked",
    "used_name",
    "fact",
];

/// The name of the table `visible` up to version 5. Since then an entry SHOWN is something else.
const FORMER_TABLE: &str = "shown";

/// SQLite takes a name like `file:m.db` for a URI and `:memory:` for no file; after `./` they are files.
fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(Path::new(".").join(path), flags)
}

/// Opens a file in which a memory may begin: nothing was committed into it yet.
pub(crate) fn open_unfinished(path: &Path) -> Result<Connection> {
    let failed = || MemoryError::sqlite(path, "open the new memory");
    let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failed())?;
    match configure(&conn).and_then(|()| is_unfinished(&conn)) {
        Ok(true) => Ok(conn),
        Err(error) if error.sqlite_error_code() != Some(rusqlite::ErrorCode::NotADatabase) => {
            Err(failed()(error))
        }
        _ => Err(MemoryError::Exists(path.to_owned())),
    }
}

/// Whether nothing was committed into a database: it has no tables, or the tables of a memory without an entry, as
/// earlier builds left it where they were interrupted.
pub(crate) fn is_unfinished(conn: &Connection) -> rusqlite::Result<bool> {
    let nothing = match read_application(conn)? {
        0 => "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)",
        APPLICATION => "SELECT NOT EXISTS (SELECT 1 FROM log)",
        _ => return Ok(false),
    };
    conn.query_row(nothing, params![], |row| row.get(0))
}

fn is_rollback_refused(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    code == Some(rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

fn read_application(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "application_id", |row| row.get(0))
}

/// Opens the database of a memory, which must exist.
pub(crate) fn open_database(path: &Path, flags: OpenFlags) -> Result<Connection> {
    match path.try_exists() {
        Ok(true) => {}
        Ok(false) => return Err(MemoryError::Missing(path.to_owned())),
        Err(source) => return Err(FileError::from_io(path, "find the memory")(source).into()),
    }
    let failed = || MemoryError::sqlite(path, "open the memory");
    let conn = connect(path, flags).map_err(failed())?;
    let application = match configure(&conn).and_then(|()| read_application(&conn)) {
        Ok(application) => application,
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            return Err(MemoryError::Foreign {
                path: path.to_owned(),
                found: "no SQLite database".to_owned(),
            });
        }
        // Only an `init` has a journal to roll back, from before the write-ahead log was set up. A reader may not.
        Err(error) if is_rollback_refused(&error) => {
            return Err(MemoryError::Unfinished(path.to_owned()));
        }
        Err(error) => return Err(failed()(error)),
    };
    let unfinished = || match is_unfinished(&conn).map_err(failed())? {
        true => Err(MemoryError::Unfinished(path.to_owned())),
        false => Ok(()),
    };
    if application == 0 {
        unfinished()?;
    }
    if application != APPLICATION {
        return Err(MemoryError::Foreign {
            path: path.to_owned(),
            found: format!("its application id is {application:#x}, not {APPLICATION:#x}"),
        });
    }
    let found = read_version(&conn).map_err(failed())?;
    if found > VERSION {
        return Err(MemoryError::Newer {
            path: path.to_owned(),
            found,
            known: VERSION,
        });
    }
    unfinished()?;
    Ok(conn)
}

/// Configures a connection. An append is acknowledged when it is on the disk: FULL.
fn configure(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(std::time::Duration::from_secs(10))?;
    conn.set_prepared_statement_cache_capacity(64);
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    // In KiB: this bounds the memory of every command.
    conn.pragma_update(None, "cache_size", -16_384)
}

/// The version of the tables.
pub(crate) fn read_version(conn: &Connection) -> rusqlite::Result<i64> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Creates the tables of an empty database, and brings an older database to this version.
pub(crate) fn migrate(conn: &Connection) -> rusqlite::Result<()> {
    let version = read_version(conn)?;
    if version < 1 {
        conn.execute_batch(LOG)?;
        conn.pragma_update(None, "application_id", APPLICATION)?;
    }
    if version < 4 {
        conn.execute_batch(HEAD)?;
    }
    if version < VERSION {
        // The tables of another version are derived from the log anew.
        for table in [FORMER_TABLE].into_iter().chain(TABLES) {
            conn.execute(&format!("DROP TABLE IF EXISTS {table}"), params![])?;
        }
        conn.execute_batch(DERIVED)?;
        make_index(conn)?;
        conn.execute_batch(DIGESTS)?;
        conn.execute_batch(NUMBERS)?;
        reset_digests(conn)?;
        conn.execute("UPDATE applied SET seq = 0", params![])?;
        conn.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(())
}

/// Empties the derived tables; the digest of an empty table is zero.
pub(crate) fn clear_tables(conn: &Connection) -> rusqlite::Result<()> {
    for table in TABLES {
        conn.execute(&format!("DELETE FROM {table}"), params![])?;
    }
    clear_index(conn)?;
    reset_digests(conn)
}

fn reset_digests(conn: &Connection) -> rusqlite::Result<()> {
    for table in TABLES {
        let reset = "INSERT OR REPLACE INTO table_digest VALUES (?1, zeroblob(32))";
        conn.execute(reset, params![table])?;
    }
    Ok(())
}
