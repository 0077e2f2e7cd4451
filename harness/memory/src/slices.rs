//! The slices of a working set: the compactions and facts that fit, in their order, as they may be told
//! (document, section 4.5).

use rusqlite::{params_from_iter, types::Value as Sql};
use serde::Serialize;
use serde_json::Value;

use crate::budget::Room;
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
    /// How many open and locked handles stand before those of each fact.
    ends: Vec<(usize, usize)>,
    /// Whether something was left out for the budget.
    pub(crate) truncated: bool,
    /// What was left out as it is above its quota, as far as it is named.
    pub(crate) left_out: Vec<Handle>,
    /// Whether something is above its quota, and was left out or told by its gist.
    pub(crate) reduced: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CompactionItem {
    pub(crate) compaction_id: Handle,
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

impl Slices {
    /// Leaves the last thing out: the last fact, then the last compaction, then the last name of what is left out. False
    /// where nothing is left.
    pub(crate) fn drop_last(&mut self) -> bool {
        self.truncated = true;
        if let (Some(_), Some((open, locked))) = (self.facts.pop(), self.ends.pop()) {
            self.open.truncate(open);
            self.locked.truncate(locked);
            return true;
        }
        self.compactions.pop().is_some() || self.left_out.pop().is_some()
    }

    pub(crate) fn push(&mut self, fact: ToldFact) {
        self.ends.push((self.open.len(), self.locked.len()));
        self.facts.push(fact.item);
        self.open.extend(fact.open);
        self.locked.extend(fact.locked);
    }
}

/// Fills the slices by the first revision of the truncation policy: the longest beginning that fits.
pub(crate) fn fill_in_order(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    room: &mut Room<'_>,
) -> Result<Slices> {
    let mut slices = Slices::default();
    for_each_compaction(view, guard, query, &mut |item| {
        if !room.take(room.measure(&item, [])?) {
            slices.truncated = true;
            return Ok(false);
        }
        slices.compactions.push(item);
        Ok(true)
    })?;
    if slices.truncated {
        return Ok(slices);
    }
    for_each_fact(view, query, &mut |fact, seq| {
        let told = tell_fact(view, guard, fact, seq)?;
        if !room.take(told.measure(room)?) {
            slices.truncated = true;
            return Ok(false);
        }
        slices.push(told);
        Ok(true)
    })?;
    Ok(slices)
}

/// Hands the compactions that were asked for and all of whose facts may be seen to `visit`, in their order, until it says
/// that none is wanted any more.
pub(crate) fn for_each_compaction(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    visit: &mut dyn FnMut(CompactionItem) -> Result<bool>,
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
            if !visit(item)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Hands the facts of a query that may be seen to `visit`, in their order, each with the number of its entry, until it says
/// that none is wanted any more. Nothing after that one is read.
pub(crate) fn for_each_fact(
    view: &OutputView<'_>,
    query: &WorkingSetQuery,
    visit: &mut dyn FnMut(Handle, u64) -> Result<bool>,
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
        if !visit(fact, seq)? {
            return Ok(());
        }
    }
    Ok(())
}

/// Tells a fact by its gist, whatever is open of it; nothing where it has no gist. Nothing of it may be mentioned exactly.
pub(crate) fn tell_gist(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    fact: Handle,
    seq: u64,
) -> Result<Option<ToldFact>> {
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
    fact: Handle,
    seq: u64,
) -> Result<ToldFact> {
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
