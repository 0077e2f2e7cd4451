//! The lens: reading the memory, and making from it what may be read.
//!
//! A lens has no way to write. What it gives out ([`WorkingSet`](super::WorkingSet),
//! [`Prompt`](super::Prompt), [`Pvib`](super::Pvib)) are bytes without a way back (gate G5).

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::canonical::{Canonical, Handle};
use super::error::{MemoryError, Result};
use super::guard::{Guard, Secrets};
use super::log::{self, Entry, Head};
use super::mask::{MaskMatrix, OutputClass};
use super::schema;
use super::state::{self, Scope, StoryState};

/// Read access to a memory.
///
/// ```
/// # use axilog_harness::memory::{Id, Lens, Narration, Prompt, Query, Result, Store};
/// fn commit(store: &mut Store) -> Result<u64> {
///     let appended = store.append(Id::SceneStart, serde_json::json!({"scene_id": "cellar"}))?;
///     Ok(appended.seq)
/// }
///
/// fn read(lens: &Lens, query: &Query) -> Result<Prompt> {
///     let set = lens.working_set(query)?;
///     let prompt = lens.prompt(query, "Who is there?")?;
///     assert_eq!(prompt.working_set().bytes().len(), set.bytes().len());
///     Ok(prompt)
/// }
///
/// fn say(narration: &Narration) -> String {
///     narration.text().to_owned()
/// }
/// ```
///
/// What `commit` does a lens cannot:
///
/// ```compile_fail,E0599
/// # fn spark(lens: &mut axilog_harness::memory::Lens) {
/// lens.append(axilog_harness::memory::Id::SceneStart, serde_json::json!({"scene_id": "cellar"}));
/// # }
/// ```
#[derive(Debug)]
pub struct Lens {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    secrets: RefCell<Secrets>,
}

/// For whom an output is: its class, and all who look on. What not all of them may see is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    /// What it is for.
    pub class: OutputClass,
    /// The players; nobody means: only what is public.
    pub viewers: Vec<String>,
}

impl Audience {
    /// An audience of these players.
    ///
    /// # Errors
    /// [`MemoryError::Field`] for a viewer that is no name.
    pub fn new<S: AsRef<str>>(class: OutputClass, viewers: &[S]) -> Result<Audience> {
        let mut names = Vec::with_capacity(viewers.len());
        for viewer in viewers {
            names.push(super::fields::name("the audience", "viewer", viewer.as_ref())?.to_owned());
        }
        names.sort();
        names.dedup();
        Ok(Audience {
            class,
            viewers: names,
        })
    }
}

/// What one output is made under.
pub(super) struct View<'a> {
    pub(super) lens: &'a Lens,
    pub(super) state: StoryState,
    pub(super) matrix: MaskMatrix,
    pub(super) audience: &'a Audience,
}

impl Lens {
    /// Opens a memory for reading alone. SQLite itself refuses every change.
    ///
    /// # Errors
    /// [`MemoryError::Missing`], [`MemoryError::Foreign`], [`MemoryError::Newer`],
    /// [`MemoryError::Behind`], [`MemoryError::Sqlite`].
    pub fn open(path: &Path) -> Result<Lens> {
        let conn = schema::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        conn.pragma_update(None, "query_only", true)
            .map_err(MemoryError::sqlite(path, "open the memory"))?;
        let lens = Lens::over(conn, path);
        let (applied, head) = lens.ends()?;
        if applied != head {
            let path = path.to_owned();
            return Err(MemoryError::Behind {
                path,
                applied,
                head,
            });
        }
        Ok(lens)
    }

    /// Up to which entry the tables were derived, and where the log ends. One statement: between two
    /// another process may append.
    pub(super) fn ends(&self) -> Result<(u64, u64)> {
        let ends = "SELECT seq, (SELECT coalesce(max(seq), 0) FROM log) FROM applied";
        self.conn
            .query_row(ends, params![], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(self.failed())
    }

    pub(super) fn over(conn: Connection, path: &Path) -> Lens {
        Lens {
            conn,
            path: path.to_owned(),
            secrets: RefCell::default(),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the log ends.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn head(&self) -> Result<Head> {
        log::head(&self.conn).map_err(self.failed())
    }

    /// Where the story stands.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn state(&self) -> Result<StoryState> {
        state::read(&self.conn).map_err(self.failed())
    }

    /// The pins, by name.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn pins(&self) -> Result<Vec<(String, String)>> {
        state::pins(&self.conn).map_err(self.failed())
    }

    /// Hands `found` each entry of the log in order, its chain value checked: as it was appended, with
    /// all that is masked or locked. [`Lens::redacted`] makes of a body what may be shown.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] and what `found` gives.
    pub fn each_entry(&self, found: &mut dyn FnMut(Entry) -> Result<()>) -> Result<Head> {
        log::each(&self.conn, &self.path, found)
    }

    /// In which scope a handle itself is unlocked now. A detail is told where its fact is unlocked too:
    /// [`Lens::is_free`].
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn unlocked(&self, handle: Handle) -> Result<Option<Scope>> {
        let found = state::unlocked(&self.conn, &self.state()?, handle).map_err(self.failed())?;
        Ok(found.map(|(scope, _)| scope))
    }

    /// The fact of a handle: its own, or the one that the detail is of.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn fact_of(&self, handle: Handle) -> Result<Option<Handle>> {
        state::fact_of(&self.conn, handle).map_err(self.failed())
    }

    /// Whether a handle may be told exactly to those who may see its fact; no where nothing has it.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn is_free(&self, handle: Handle) -> Result<bool> {
        self.at_once(|| match self.fact_of(handle)? {
            Some(fact) => self.precise(&self.state()?, fact, handle),
            None => Ok(false),
        })
    }

    /// All that is unlocked now, by handle.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn unlocks(&self) -> Result<Vec<(Handle, Scope, u64)>> {
        let state = self.state()?;
        let read = || {
            let mut all = self
                .conn
                .prepare("SELECT DISTINCT handle FROM unlocked ORDER BY 1")?;
            let handles: Vec<Handle> = all
                .query_map(params![], |row| row.get(0).map(Handle))?
                .collect::<rusqlite::Result<_>>()?;
            let mut found = Vec::new();
            for handle in handles {
                if let Some((scope, seq)) = state::unlocked(&self.conn, &state, handle)? {
                    found.push((handle, scope, seq));
                }
            }
            Ok(found)
        };
        read().map_err(self.failed())
    }

    pub(super) fn failed(&self) -> impl FnOnce(rusqlite::Error) -> MemoryError + use<> {
        MemoryError::sqlite(&self.path, "read the memory")
    }

    /// Runs `work` on one state of the database.
    pub(super) fn at_once<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if !self.conn.is_autocommit() {
            return work();
        }
        let reading = self.conn.unchecked_transaction().map_err(self.failed())?;
        let done = work();
        reading.finish().map_err(self.failed())?;
        done
    }

    pub(super) fn matrix(&self) -> Result<MaskMatrix> {
        let document: Option<Vec<u8>> = self
            .conn
            .prepare_cached("SELECT document FROM pin WHERE name = 'mask_matrix'")
            .and_then(|mut find| find.query_row(params![], |row| row.get(0)).optional())
            .map_err(self.failed())?
            .flatten();
        match document {
            Some(document) => {
                MaskMatrix::read(Canonical::read("the pinned mask matrix", &document)?)
            }
            None => Err(MemoryError::refused(
                "any output",
                "no mask matrix is pinned; append a PIN named mask_matrix with its document",
            )),
        }
    }

    pub(super) fn view<'a>(&'a self, audience: &'a Audience) -> Result<View<'a>> {
        Ok(View {
            lens: self,
            state: self.state()?,
            matrix: self.matrix()?,
            audience,
        })
    }

    /// Brings the exact strings up to the state of the database.
    fn refresh(&self) -> Result<()> {
        let mut secrets = self.secrets.borrow_mut();
        let newest = log::head(&self.conn).map_err(self.failed())?.seq;
        if newest < secrets.seq {
            *secrets = Secrets::default();
        }
        let after = secrets.seq;
        let mut read = || {
            let mut new = self
                .conn
                .prepare_cached("SELECT folded, handle, fact FROM detail WHERE seq > ?1")?;
            let mut rows = new.query(params![after])?;
            while let Some(row) = rows.next()? {
                secrets.add(row.get(0)?, Handle(row.get(1)?), Handle(row.get(2)?));
            }
            Ok(())
        };
        read().map_err(self.failed())?;
        secrets.seq = newest;
        Ok(())
    }

    /// Forgets the exact strings, where what they were read from was taken back.
    pub(super) fn forget(&self) {
        *self.secrets.borrow_mut() = Secrets::default();
    }

    /// `text` as an operator may see it: without any exact string that is locked now.
    ///
    /// # Errors
    /// [`MemoryError::Sqlite`].
    pub fn redacted(&self, value: &serde_json::Value) -> Result<serde_json::Value> {
        self.at_once(|| {
            self.refresh()?;
            let state = self.state()?;
            let secrets = self.secrets.borrow();
            let is_free = |handle, fact| self.precise(&state, fact, handle);
            Guard::new(&secrets, &is_free).clean_value(value)
        })
    }

    /// Whether a detail may be told exactly to those who may see its fact.
    pub(super) fn precise(&self, state: &StoryState, fact: Handle, handle: Handle) -> Result<bool> {
        let read = || {
            let locked: Option<bool> = self
                .conn
                .prepare_cached("SELECT locked FROM fact WHERE fact = ?1")?
                .query_row(params![fact.0], |row| row.get(0))
                .optional()?;
            Ok(match locked {
                None => false,
                Some(false) => true,
                Some(true) => {
                    state::unlocked(&self.conn, state, fact)?.is_some()
                        || state::unlocked(&self.conn, state, handle)?.is_some()
                }
            })
        };
        read().map_err(self.failed())
    }
}

impl View<'_> {
    /// Runs `work` with the guard of this output.
    pub(super) fn guarded<T>(&self, work: impl FnOnce(&Guard<'_>) -> Result<T>) -> Result<T> {
        self.lens.refresh()?;
        let secrets = self.lens.secrets.borrow();
        let is_free =
            |handle, fact| Ok(self.sees(fact)? && self.lens.precise(&self.state, fact, handle)?);
        work(&Guard::new(&secrets, &is_free))
    }

    /// Whether this output may hold the fact at all.
    pub(super) fn sees(&self, fact: Handle) -> Result<bool> {
        let read = || {
            let conn = &self.lens.conn;
            let found: Option<(String, String)> = conn
                .prepare_cached("SELECT mask, stable_key FROM fact WHERE fact = ?1")?
                .query_row(params![fact.0], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((mask, stable_key)) = found else {
                return Ok(false);
            };
            if !self.matrix.allows(self.audience.class, &mask) {
                return Ok(false);
            }
            if mask != "PLAYER" {
                return Ok(true);
            }
            let mut listed = conn.prepare_cached(
                "SELECT 1 FROM shown WHERE audience = ?1 AND stable_key = ?2 AND fact = ?3",
            )?;
            for viewer in &self.audience.viewers {
                if !listed.exists(params![state::audience(viewer), stable_key, fact.0])? {
                    return Ok(false);
                }
            }
            Ok(!self.audience.viewers.is_empty())
        };
        read().map_err(self.lens.failed())
    }

    /// The lists of `shown` that hold all that this output may hold: of the players' facts those of
    /// the first viewer, of which [`View::sees`] drops what the others may not see.
    pub(super) fn lists(&self) -> Vec<String> {
        let allowed = |mask: &&str| self.matrix.allows(self.audience.class, mask);
        let masks = ["DM_ONLY", "PUBLIC", "SYSTEM"].into_iter().filter(allowed);
        let mut lists: Vec<String> = masks.map(str::to_owned).collect();
        if let Some(first) = self.audience.viewers.first()
            && allowed(&"PLAYER")
        {
            lists.push(state::audience(first));
        }
        lists
    }
}
