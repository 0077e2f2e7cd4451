//! The slices of a working set: the compactions and facts that fit, in their order, as they may be told
//! (document, section 4.5).

use rusqlite::{params_from_iter, types::Value as Sql};
use serde::Serialize;
use serde_json::Value;

use crate::canonical::CanonicalJson;
use crate::compaction;
use crate::error::Result;
use crate::fact::{detail_handle, read_fact_body};
use crate::handle::Handle;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::query::{WorkingSetQuery, sorted};
use crate::unlocks::find_unlock;

/// The part of a working set that the budget cuts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slices {
    /// The facts and details that may be mentioned exactly.
    pub(crate) open: Vec<Handle>,
    /// The facts and details that are locked.
    pub(crate) locked: Vec<Handle>,
    pub(crate) compactions: Vec<CompactionItem>,
    pub(crate) facts: Vec<FactItem>,
    /// Whether something was left out for the budget.
    pub(crate) truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CompactionItem {
    compaction_id: Handle,
    purpose: String,
    lines: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FactItem {
    pub(crate) fact_id: Handle,
    kind: String,
    form: &'static str,
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

/// How many bytes a handle takes in an array: its digits, quotes and a comma.
const HANDLE_BYTES: usize = 67;

/// How many bytes are left of a budget.
struct Room(usize);

impl Room {
    /// Takes the bytes of an item that comes with so many handles; false where they do not fit.
    fn take(&mut self, item: &impl Serialize, handles: usize) -> Result<bool> {
        let bytes = CanonicalJson::from_document("an item", item)?.bytes().len();
        let left = self.0.checked_sub(bytes + 1 + handles * HANDLE_BYTES);
        self.0 = left.unwrap_or(self.0);
        Ok(left.is_some())
    }
}

/// Fills the slices up to `room` bytes: the compactions, then the facts.
pub(crate) fn fill_slices(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    room: usize,
) -> Result<Slices> {
    let mut slices = Slices::default();
    let mut room = Room(room);
    add_compactions(view, guard, query, &mut room, &mut slices)?;
    if !slices.truncated {
        add_facts(view, guard, query, &mut room, &mut slices)?;
    }
    Ok(slices)
}

/// Adds the compactions that were asked for and all of whose facts may be seen.
fn add_compactions(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    room: &mut Room,
    slices: &mut Slices,
) -> Result<()> {
    let conn = &view.reader.conn;
    let failed = || view.reader.read_error();
    let mut all = conn
        .prepare_cached(
            "SELECT compaction, output, seq FROM compaction WHERE purpose = ?1 ORDER BY 1",
        )
        .map_err(failed())?;
    for purpose in sorted(&query.purposes) {
        let mut rows = all.query([&purpose]).map_err(failed())?;
        while let Some(row) = rows.next().map_err(failed())? {
            let compaction_id = row.get(0).map_err(failed())?;
            let text: Vec<u8> = row.get(1).map_err(failed())?;
            let seq = row.get(2).map_err(failed())?;
            let mut may_hold = true;
            for input in compaction::read_inputs(conn, seq).map_err(failed())? {
                may_hold = may_hold && view.may_hold(input)?;
            }
            if !may_hold {
                continue;
            }
            let lines = serde_json::from_slice(&text).unwrap_or_default();
            let item = CompactionItem {
                compaction_id,
                purpose: guard.redact_text(&purpose)?,
                lines: guard.redact_value(&lines)?,
            };
            if !room.take(&item, 0)? {
                slices.truncated = true;
                return Ok(());
            }
            slices.compactions.push(item);
        }
    }
    Ok(())
}

/// Adds the facts in their order, as many as fit. Nothing after the last one is read.
fn add_facts(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    room: &mut Room,
    slices: &mut Slices,
) -> Result<()> {
    let failed = || view.reader.read_error();
    let lists = view.lists();
    if lists.is_empty() {
        return Ok(());
    }
    let kinds = match query.kinds.is_empty() {
        // ?1 is not there where every kind is wanted.
        true => "",
        false => "AND kind IN (SELECT value FROM json_each(?1))",
    };
    // ?2 and ?3 are not there where the facts begin at the first.
    let (after, first) = match &query.after {
        None => ("", 2),
        Some(_) => ("AND (stable_key, fact) > (?2, ?3)", 4),
    };
    // Each arm is in order already, so SQLite merges them and reads no further than we do.
    let arm = |number| {
        format!(
            "SELECT stable_key, fact, kind, seq FROM visible WHERE audience = ?{number} {kinds} {after}"
        )
    };
    let arms: Vec<String> = (first..lists.len() + first).map(arm).collect();
    let text = format!("{} ORDER BY 1, 2", arms.join(" UNION ALL "));
    let mut values = vec![Sql::from(Value::from(query.kinds.clone()).to_string())];
    if let Some((key, fact)) = &query.after {
        values.extend([Sql::from(key.clone()), Sql::from(fact.0.to_vec())]);
    }
    values.extend(lists.into_iter().map(Sql::from));
    let mut all = view.reader.conn.prepare_cached(&text).map_err(failed())?;
    let mut rows = all.query(params_from_iter(values)).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let fact = row.get(1).map_err(failed())?;
        if view.audience.viewers.len() > 1 && !view.may_hold(fact)? {
            continue;
        }
        let seq = row.get(3).map_err(failed())?;
        let (mut open, mut locked) = (Vec::new(), Vec::new());
        let item = make_fact_item(view, guard, fact, seq, &mut open, &mut locked)?;
        if !room.take(&item, open.len() + locked.len())? {
            slices.truncated = true;
            return Ok(());
        }
        slices.facts.push(item);
        slices.open.append(&mut open);
        slices.locked.append(&mut locked);
    }
    Ok(())
}

/// Makes the item of a fact: the exact content, or the gist and the unlocked details. Adds the handles of
/// the fact and its details to `open` and `locked`.
fn make_fact_item(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    fact: Handle,
    seq: u64,
    open: &mut Vec<Handle>,
    locked: &mut Vec<Handle>,
) -> Result<FactItem> {
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
    Ok(item)
}
