//! What one output may hold: the facts its audience may see, and the strings that are open for it.

use rusqlite::{OptionalExtension, params};

use crate::audience::Audience;
use crate::error::Result;
use crate::handle::Handle;
use crate::mask::{MaskKind, MaskMatrix};
use crate::output_guard::OutputGuard;
use crate::reader::MemoryReader;
use crate::retractions::find_retraction;
use crate::story_state::StoryState;

/// The memory as one output may hold it.
pub(crate) struct OutputView<'a> {
    pub(crate) reader: &'a MemoryReader,
    pub(crate) state: StoryState,
    pub(crate) matrix: MaskMatrix,
    pub(crate) audience: &'a Audience,
}

impl<'a> OutputView<'a> {
    pub(crate) fn new(reader: &'a MemoryReader, audience: &'a Audience) -> Result<OutputView<'a>> {
        reader.check_fact_tables()?;
        Ok(OutputView {
            reader,
            state: reader.story_state()?,
            matrix: reader.mask_matrix()?,
            audience,
        })
    }

    /// Runs `work` with the guard of this output.
    pub(crate) fn with_guard<T>(
        &self,
        work: impl FnOnce(&OutputGuard<'_>) -> Result<T>,
    ) -> Result<T> {
        let is_open = |handle, fact| self.is_open(fact, handle);
        let is_retracted = |handle| {
            let found = find_retraction(&self.reader.conn, handle);
            Ok(found.map_err(self.reader.read_error())?.is_some())
        };
        self.reader.with_guard(&is_open, &is_retracted, work)
    }

    /// Whether a detail of a fact is open for this output.
    pub(crate) fn is_open(&self, fact: Handle, handle: Handle) -> Result<bool> {
        Ok(self.may_hold(fact)? && self.reader.is_open_detail(&self.state, fact, handle)?)
    }

    /// Whether this output may hold the fact at all. None may hold what was retracted.
    pub(crate) fn may_hold(&self, fact: Handle) -> Result<bool> {
        let read = || {
            let conn = &self.reader.conn;
            if find_retraction(conn, fact)?.is_some() {
                return Ok(false);
            }
            let found: Option<(String, String)> = conn
                .prepare_cached("SELECT mask, stable_key FROM fact WHERE fact = ?1")?
                .query_row(params![fact], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((mask, stable_key)) = found else {
                return Ok(false);
            };
            let allowed = MaskKind::parse(&mask).filter(|mask| self.allows(*mask));
            if allowed != Some(MaskKind::Player) {
                return Ok(allowed.is_some());
            }
            let mut listed = conn.prepare_cached(
                "SELECT 1 FROM visible WHERE audience = ?1 AND stable_key = ?2 AND fact = ?3",
            )?;
            for viewer in &self.audience.viewers {
                if !listed.exists(params![Audience::list_of(viewer), stable_key, fact])? {
                    return Ok(false);
                }
            }
            Ok(!self.audience.viewers.is_empty())
        };
        read().map_err(self.reader.read_error())
    }

    fn allows(&self, mask: MaskKind) -> bool {
        self.matrix.allows(self.audience.class, mask)
    }

    /// The lists of `visible` that together hold every fact of this output. The list of players' facts is the
    /// first viewer's, from which [`OutputView::may_hold`] drops the facts that other viewers may not see.
    pub(crate) fn lists(&self) -> Vec<String> {
        let masks = [MaskKind::DmOnly, MaskKind::Public, MaskKind::System];
        let allowed = masks.into_iter().filter(|mask| self.allows(*mask));
        let mut lists: Vec<String> = allowed.map(|mask| mask.to_string()).collect();
        if let Some(first) = self.audience.viewers.first()
            && self.allows(MaskKind::Player)
        {
            lists.push(Audience::list_of(first));
        }
        lists
    }
}
