//! A fact as a working set may tell it: the exact content, or the gist and what is unlocked.

use serde::Serialize;
use serde_json::Value;

use crate::budget::Room;
use crate::error::Result;
use crate::fact::{detail_handle, read_fact_body};
use crate::fact_order::Stage;
use crate::fact_source::Candidate;
use crate::handle::Handle;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::unlocks::find_unlock;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FactItem {
    pub(crate) fact_id: Handle,
    kind: String,
    form: &'static str,
    /// Why the fact came before others, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) chosen_by: Option<Stage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payload: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gist: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) details: Vec<DetailItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DetailItem {
    pub(crate) detail_handle: Handle,
    name: String,
    pub(crate) exact: String,
}

/// A fact as a working set may tell it, and the handles of the fact and its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldFact {
    pub(crate) item: FactItem,
    /// What may be mentioned exactly.
    pub(crate) open: Vec<Handle>,
    /// What is locked.
    pub(crate) locked: Vec<Handle>,
}

impl ToldFact {
    /// What the fact takes of a budget.
    pub(crate) fn measure(&self, room: &Room<'_>) -> Result<u64> {
        room.measure(&self.item, self.open.iter().chain(&self.locked))
    }
}

/// Tells a fact by its gist, whatever is open of it; nothing where it has no gist. Nothing of it may be mentioned exactly.
pub(crate) fn tell_gist(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    candidate: &Candidate,
) -> Result<Option<ToldFact>> {
    let &Candidate { fact, seq, .. } = candidate;
    let body = read_fact_body(&view.reader.conn, fact, seq)
        .map_err(|error| error.into_memory_error(view.reader.read_error()))?;
    let Some(gist) = body.gist else {
        return Ok(None);
    };
    Ok(Some(ToldFact {
        item: FactItem {
            fact_id: fact,
            kind: guard.redact_text(&body.kind)?,
            form: "GIST",
            chosen_by: candidate.chosen_by,
            payload: None,
            gist: Some(guard.redact_text(&gist)?),
            details: Vec::new(),
        },
        open: Vec::new(),
        locked: Vec::new(),
    }))
}

/// Tells a fact: the exact content, or the gist and the unlocked details.
pub(crate) fn tell_fact(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    candidate: &Candidate,
) -> Result<ToldFact> {
    let &Candidate { fact, seq, .. } = candidate;
    let (mut open, mut locked) = (Vec::new(), Vec::new());
    let conn = &view.reader.conn;
    let body = read_fact_body(conn, fact, seq)
        .map_err(|error| error.into_memory_error(view.reader.read_error()))?;
    let is_unlocked = |handle| -> Result<bool> {
        let unlock = find_unlock(conn, &view.state, handle).map_err(view.reader.read_error())?;
        Ok(unlock.is_some())
    };
    let exact = !body.is_locked() || is_unlocked(fact)?;
    let mut item = FactItem {
        fact_id: fact,
        kind: guard.redact_text(&body.kind)?,
        form: if exact { "EXACT" } else { "GIST" },
        chosen_by: candidate.chosen_by,
        payload: None,
        gist: None,
        details: Vec::new(),
    };
    if exact {
        open.push(fact);
        item.payload = Some(guard.redact_value(&Value::Object(body.payload))?);
    } else {
        locked.push(fact);
        item.gist = Some(guard.redact_text(&body.gist.unwrap_or_default())?);
    }
    for detail in body.details.into_iter().flatten() {
        let handle = detail_handle(fact, &detail.name);
        if !exact && !is_unlocked(handle)? {
            locked.push(handle);
            continue;
        }
        open.push(handle);
        item.details.push(DetailItem {
            detail_handle: handle,
            name: guard.redact_text(&detail.name)?,
            exact: guard.redact_text(&detail.exact)?,
        });
    }
    Ok(ToldFact { item, open, locked })
}
