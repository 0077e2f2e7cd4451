//! The reader: read access to a memory, which has no way to write (gate G5).

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use serde_json::Value;

use crate::error::{MemoryError, Result};
use crate::exact_strings::ExactStrings;
use crate::handle::Handle;
use crate::head_file::{assert_head_file, read_head_file};
use crate::log::{self, LogEntry, LogHead};
use crate::log_head;
use crate::opened_rules::{OpenedRule, list_opened_rules};
use crate::output_guard::OutputGuard;
use crate::retractions::find_retraction;
use crate::schema;
use crate::story_state::{StoryState, read_story_state};
use crate::table_changes::describe_change;
use crate::table_digests::{FACT_TABLES, STORY_TABLES, find_changed_table};
use crate::unlocks::{Unlock, find_fact, find_unlock};

/// Read access to a memory. The memo calls it the Lens.
///
/// What a reader gives out ([`WorkingSet`](crate::WorkingSet), [`Prompt`](crate::Prompt),
/// [`ImageBrief`](crate::ImageBrief), [`Narration`](crate::Narration)) are bytes that lead back to no writer:
///
/// ```
/// # use axilog_memory::{EntryKind, MemoryReader, MemoryStore, Narration, Result, WorkingSet, WorkingSetQuery};
/// fn append(store: &mut MemoryStore) -> Result<u64> {
///     let body = serde_json::json!({"scene_id": "cellar"});
///     Ok(store.append(EntryKind::SceneStart, body)?.seq)
/// }
///
/// fn read(reader: &MemoryReader, query: &WorkingSetQuery) -> Result<WorkingSet> {
///     reader.inspect_working_set(query)
/// }
///
/// fn narrate(narration: &Narration) -> String {
///     narration.text().to_owned()
/// }
/// ```
///
/// A reader cannot do what `append` does:
///
/// ```compile_fail,E0599
/// # fn model(reader: &mut axilog_memory::MemoryReader) {
/// let body = serde_json::json!({"scene_id": "cellar"});
/// reader.append(axilog_memory::EntryKind::SceneStart, body);
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryReader {
    pub(crate) conn: Connection,
    pub(crate) path: PathBuf,
    /// Every exact string, as of the last output.
    exact_strings: RefCell<ExactStrings>,
    checked: Checked,
}

/// The data that was checked last, by SQLite's `data_version`: a number that changes where another connection commits.
/// What this connection commits leaves whole what was whole.
#[derive(Debug, Default)]
struct Checked {
    numbers: Cell<Option<i64>>,
    story_tables: Cell<Option<i64>>,
    fact_tables: Cell<Option<i64>>,
}

impl MemoryReader {
    /// Opens a memory for reading alone. SQLite itself refuses every change.
    ///
    /// # Errors
    /// [`MemoryError::Missing`], [`MemoryError::Unfinished`], [`MemoryError::Foreign`], [`MemoryError::Newer`],
    /// [`MemoryError::Behind`], [`MemoryError::Damaged`] for a log with a hole or without its end,
    /// [`MemoryError::Altered`] for a table that another program changed, [`MemoryError::Sqlite`].
    pub fn open(path: &Path) -> Result<MemoryReader> {
        let noted = read_head_file(path)?;
        let conn = schema::open_database(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        conn.pragma_update(None, "query_only", true)
            .map_err(MemoryError::sqlite(path, "open the memory"))?;
        let reader = MemoryReader::from_connection(conn, path);
        let (mut applied, head) = reader.read_applied_and_head()?;
        let version = schema::read_version(&reader.conn).map_err(reader.read_error())?;
        if version != schema::VERSION {
            // The tables of another version are of no use.
            applied = 0;
        } else {
            reader.check_end(noted.as_ref())?;
        }
        if applied != head {
            let path = path.to_owned();
            return Err(MemoryError::Behind {
                path,
                applied,
                head,
            });
        }
        reader.read_at_once(|| Ok(()))?;
        Ok(reader)
    }

    pub(crate) fn from_connection(conn: Connection, path: &Path) -> MemoryReader {
        MemoryReader {
            conn,
            path: path.to_owned(),
            exact_strings: RefCell::default(),
            checked: Checked::default(),
        }
    }

    /// Reads up to which entry the tables were derived, and where the log ends. One statement: between two
    /// another process may append.
    pub(crate) fn read_applied_and_head(&self) -> Result<(u64, u64)> {
        let ends = "SELECT seq, (SELECT coalesce(max(seq), 0) FROM log) FROM applied";
        self.conn
            .query_row(ends, params![], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(self.read_error())
    }

    /// The database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads where the log ends.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn head(&self) -> Result<LogHead> {
        log::read_head(&self.conn).map_err(self.read_error())
    }

    /// Reads where the story stands.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn story_state(&self) -> Result<StoryState> {
        read_story_state(&self.conn).map_err(self.read_error())
    }

    /// Hands each entry of the log to `visit`, in order, once its chain value is checked. A body is as it was
    /// appended, with everything that is masked or locked; [`MemoryReader::redact`] makes it fit to be shown.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] and the errors of `visit`.
    pub fn for_each_entry(&self, visit: &mut dyn FnMut(LogEntry) -> Result<()>) -> Result<LogHead> {
        self.read_one_state(|| log_head::read_whole_log(&self.conn, &self.path, visit))
    }

    /// Asserts that the log has a head that was noted earlier. The log may have gone on since.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] where the log has another entry or none there; [`MemoryError::Sqlite`].
    pub fn assert_head(&self, noted: &LogHead) -> Result<()> {
        log_head::assert_noted(&self.conn, &self.path, noted, "somebody")
    }

    /// Checks that the log ends where the kept head says, that no number is missing, and that it has the head that was
    /// in the file beside the database before.
    pub(crate) fn check_end(&self, noted: Option<&LogHead>) -> Result<()> {
        self.read_one_state(|| {
            self.check_numbers()?;
            assert_head_file(&self.conn, &self.path, noted)
        })
    }

    /// Checks, in the open transaction, that the log ends where the kept head says; where another connection committed
    /// since the last time, that no number is missing; and that nobody else changed the tables.
    pub(crate) fn check_log_and_tables(&self) -> Result<LogHead> {
        let head = self.check_numbers()?;
        self.check_tables(&self.checked.story_tables, &STORY_TABLES)?;
        Ok(head)
    }

    /// Checks, in the open transaction, that nobody else changed the tables of the facts.
    pub(crate) fn check_fact_tables(&self) -> Result<()> {
        self.check_tables(&self.checked.fact_tables, &FACT_TABLES)
    }

    fn check_numbers(&self) -> Result<LogHead> {
        let now = self.read_data_version()?;
        if self.checked.numbers.get() == Some(now) {
            return log_head::check_end(&self.conn, &self.path);
        }
        let head = log_head::check_numbers(&self.conn, &self.path)?;
        self.checked.numbers.set(Some(now));
        Ok(head)
    }

    /// Compares tables with their digests where another connection committed since the last time.
    fn check_tables(&self, checked: &Cell<Option<i64>>, tables: &[&'static str]) -> Result<()> {
        let now = self.read_data_version()?;
        if checked.get() == Some(now) {
            return Ok(());
        }
        if let Some(table) = find_changed_table(&self.conn, &self.path, tables)? {
            let reason = describe_change(&self.conn, &self.path, table)?;
            let path = self.path.clone();
            return Err(MemoryError::Altered {
                path,
                table,
                reason,
            });
        }
        checked.set(Some(now));
        Ok(())
    }

    fn read_data_version(&self) -> Result<i64> {
        self.conn
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut version| version.query_row(params![], |row| row.get(0)))
            .map_err(self.read_error())
    }

    /// Has everything checked again, as if another connection had committed.
    pub(crate) fn forget_checks(&self) {
        for checked in [
            &self.checked.numbers,
            &self.checked.story_tables,
            &self.checked.fact_tables,
        ] {
            checked.set(None);
        }
    }

    /// Finds the fact of a handle, which is the fact's own or the handle of one of its details.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn find_fact(&self, handle: Handle) -> Result<Option<Handle>> {
        self.read_one_state(|| {
            self.check_fact_tables()?;
            find_fact(&self.conn, handle).map_err(self.read_error())
        })
    }

    /// Finds the unlock of a handle itself. A detail is also open where its fact is unlocked:
    /// [`MemoryReader::is_open`].
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn find_unlock(&self, handle: Handle) -> Result<Option<Unlock>> {
        find_unlock(&self.conn, &self.story_state()?, handle).map_err(self.read_error())
    }

    /// Reads everything that is unlocked now, by handle.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn unlocks(&self) -> Result<Vec<Unlock>> {
        let state = self.story_state()?;
        let read = || {
            let mut all = self
                .conn
                .prepare("SELECT DISTINCT handle FROM unlocked ORDER BY 1")?;
            let handles = all.query_map(params![], |row| row.get(0))?;
            handles
                .filter_map(|handle| {
                    handle
                        .and_then(|handle| find_unlock(&self.conn, &state, handle))
                        .transpose()
                })
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(self.read_error())
    }

    /// Reads the rules that are open now, by name.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn opened_rules(&self) -> Result<Vec<OpenedRule>> {
        list_opened_rules(&self.conn, &self.story_state()?).map_err(self.read_error())
    }

    /// Whether a handle may be told exactly to those who may see its fact; false for an unknown handle.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn is_open(&self, handle: Handle) -> Result<bool> {
        self.read_at_once(|| match self.find_fact(handle)? {
            Some(fact) => self.is_open_detail(&self.story_state()?, fact, handle),
            None => Ok(false),
        })
    }

    /// Whether a detail of `fact`, or the fact itself, may be told exactly to those who may see the fact. What was
    /// retracted stays locked, whatever unlocked it before.
    pub(crate) fn is_open_detail(
        &self,
        state: &StoryState,
        fact: Handle,
        handle: Handle,
    ) -> Result<bool> {
        let read = || {
            if find_retraction(&self.conn, fact)?.is_some() {
                return Ok(false);
            }
            let locked: Option<bool> = self
                .conn
                .prepare_cached("SELECT locked FROM fact WHERE fact = ?1")?
                .query_row(params![fact], |row| row.get(0))
                .optional()?;
            Ok(match locked {
                None => false,
                Some(false) => true,
                Some(true) => {
                    find_unlock(&self.conn, state, fact)?.is_some()
                        || find_unlock(&self.conn, state, handle)?.is_some()
                }
            })
        };
        read().map_err(self.read_error())
    }

    /// Replaces every exact string in `value` that is locked now by `[locked]`, as an operator may see it.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn redact(&self, value: &Value) -> Result<Value> {
        self.read_at_once(|| {
            let state = self.story_state()?;
            let is_open = |handle, fact| self.is_open_detail(&state, fact, handle);
            self.with_guard(&is_open, &|_| Ok(false), |guard| guard.redact_value(value))
        })
    }

    /// Finds the details whose strings are locked now and stand in `text`, as an operator may know. Whom the operator
    /// answers by it can guess as often as they like: [`MemoryStore::check_narration`](crate::MemoryStore::check_narration)
    /// counts.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn find_locked_strings(&self, text: &str) -> Result<Vec<Handle>> {
        self.read_at_once(|| {
            let state = self.story_state()?;
            let is_open = |handle, fact| self.is_open_detail(&state, fact, handle);
            self.with_guard(&is_open, &|_| Ok(false), |guard| guard.find_leaks(text))
        })
    }

    /// Runs `work` with a guard over every exact string in the memory, and over the handles that `is_hidden` names.
    pub(crate) fn with_guard<T>(
        &self,
        is_open: &dyn Fn(Handle, Handle) -> Result<bool>,
        is_hidden: &dyn Fn(Handle) -> Result<bool>,
        work: impl FnOnce(&OutputGuard<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check_fact_tables()?;
        let refreshed = self.exact_strings.borrow_mut().refresh(&self.conn);
        refreshed.map_err(self.read_error())?;
        let strings = self.exact_strings.borrow();
        work(&OutputGuard::new(&strings, is_open, is_hidden))
    }

    /// Forgets the exact strings, after the entries that hold them were rolled back.
    pub(crate) fn forget_exact_strings(&self) {
        *self.exact_strings.borrow_mut() = ExactStrings::default();
    }

    /// Runs `work` on one state of the database, in which log and tables are whole.
    pub(crate) fn read_at_once<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let is_first = self.conn.is_autocommit();
        self.read_one_state(|| {
            if is_first {
                self.check_log_and_tables()?;
            }
            work()
        })
    }

    /// Runs `work` on one state of the database.
    fn read_one_state<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.conn.is_autocommit() {
            return work();
        }
        let transaction = self
            .conn
            .unchecked_transaction()
            .map_err(self.read_error())?;
        let result = work();
        transaction.finish().map_err(self.read_error())?;
        result
    }

    /// Makes the error of a call to SQLite that reads, for `map_err`.
    pub(crate) fn read_error(&self) -> impl FnOnce(rusqlite::Error) -> MemoryError + use<> {
        MemoryError::sqlite(&self.path, "read the memory")
    }
}
