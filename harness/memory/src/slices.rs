//! The slices of a working set: what of compactions and facts fits, in their order, as it may be told
//! (document, section 4.5).

use rusqlite::{params_from_iter, types::Value as Sql};
use serde_json::Value;

use super::canonical::{Canonical, Handle, object};
use super::error::Result;
use super::fact::detail_handle;
use super::guard::Guard;
use super::lens::View;
use super::working_set::Query;
use super::{compaction, log, state};

/// What has been gathered within the budget.
pub(super) struct Gathered {
    room: usize,
    pub(super) allowed: Vec<Value>,
    pub(super) locked: Vec<Value>,
    pub(super) complete: bool,
}

/// An item, and which handles it adds to the two lists.
struct Item {
    value: Value,
    allowed: Vec<Handle>,
    locked: Vec<Handle>,
}

/// What a handle takes in an array: its digits, quotes and a comma.
const HANDLE_BYTES: usize = 67;

impl Gathered {
    /// Nothing yet, and room for so many bytes.
    pub(super) fn new(room: usize) -> Gathered {
        Gathered {
            room,
            allowed: Vec::new(),
            locked: Vec::new(),
            complete: true,
        }
    }

    /// Takes the item, or nothing from here on.
    fn take(&mut self, item: Item, slice: &mut Vec<Value>) -> Result<()> {
        let bytes = Canonical::of("an item", item.value)?;
        let handles = item.allowed.len() + item.locked.len();
        match self
            .room
            .checked_sub(bytes.bytes().len() + 1 + handles * HANDLE_BYTES)
        {
            Some(room) => self.room = room,
            None => {
                self.complete = false;
                return Ok(());
            }
        }
        let texts = |handles: Vec<Handle>| handles.into_iter().map(|h| h.to_string().into());
        self.allowed.extend(texts(item.allowed));
        self.locked.extend(texts(item.locked));
        slice.push(bytes.value().clone());
        Ok(())
    }
}

/// The compactions asked for, all of whose facts may be seen.
pub(super) fn compactions(
    view: &View<'_>,
    guard: &Guard<'_>,
    query: &Query,
    gathered: &mut Gathered,
) -> Result<Vec<Value>> {
    let failed = || view.lens.failed();
    let mut slice = Vec::new();
    let mut purposes = query.purposes.clone();
    purposes.sort();
    purposes.dedup();
    let mut all = view
        .lens
        .conn
        .prepare_cached(
            "SELECT compaction, output, seq FROM compaction WHERE purpose = ?1 ORDER BY 1",
        )
        .map_err(failed())?;
    for purpose in purposes {
        let mut rows = all.query([&purpose]).map_err(failed())?;
        while let Some(row) = rows.next().map_err(failed())? {
            if !gathered.complete {
                return Ok(slice);
            }
            let id = row.get(0).map(Handle).map_err(failed())?;
            let output: Vec<u8> = row.get(1).map_err(failed())?;
            let seq = row.get(2).map_err(failed())?;
            let inputs = compaction::inputs(&view.lens.conn, seq).map_err(failed())?;
            let mut seen = true;
            for input in inputs {
                seen = seen && view.sees(input)?;
            }
            if !seen {
                continue;
            }
            let lines = serde_json::from_slice(&output).unwrap_or_default();
            let value = object([
                ("compaction_id", id.to_string().into()),
                ("purpose", guard.clean(&purpose)?.into()),
                ("lines", guard.clean_value(&lines)?),
            ]);
            let item = Item {
                value,
                allowed: Vec::new(),
                locked: Vec::new(),
            };
            gathered.take(item, &mut slice)?;
        }
    }
    Ok(slice)
}

/// The facts in their order, as many as fit. Nothing behind the last one is read.
pub(super) fn facts(
    view: &View<'_>,
    guard: &Guard<'_>,
    query: &Query,
    gathered: &mut Gathered,
) -> Result<Vec<Value>> {
    let failed = || view.lens.failed();
    let mut slice = Vec::new();
    let lists = view.lists();
    if lists.is_empty() || !gathered.complete {
        return Ok(slice);
    }
    let kinds = if query.kinds.is_empty() {
        ""
    } else {
        "AND kind IN (SELECT value FROM json_each(?1))"
    };
    // Each arm is in order already, so SQLite merges them and reads no further than we do.
    let arm = |number| {
        format!("SELECT stable_key, fact, kind, seq FROM shown WHERE audience = ?{number} {kinds}")
    };
    let arms: Vec<String> = (2..lists.len() + 2).map(arm).collect();
    let text = format!("{} ORDER BY 1, 2", arms.join(" UNION ALL "));
    let mut values = vec![Sql::from(Value::from(query.kinds.clone()).to_string())];
    values.extend(lists.into_iter().map(Sql::from));
    let mut all = view.lens.conn.prepare_cached(&text).map_err(failed())?;
    // ?1 is not there where all kinds are wanted.
    let mut rows = all.query(params_from_iter(values)).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let fact = row.get(1).map(Handle).map_err(failed())?;
        let seq = row.get(3).map_err(failed())?;
        if view.audience.viewers.len() > 1 && !view.sees(fact)? {
            continue;
        }
        let item = fact_item(view, guard, fact, seq)?;
        gathered.take(item, &mut slice)?;
        if !gathered.complete {
            break;
        }
    }
    Ok(slice)
}

/// A fact as it may be told: exactly, or its gist and those details that are unlocked.
fn fact_item(view: &View<'_>, guard: &Guard<'_>, fact: Handle, seq: u64) -> Result<Item> {
    let conn = &view.lens.conn;
    let body = log::body(conn, seq).map_err(view.lens.failed())?;
    let part = |name: &str| body.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| part(name).as_str().unwrap_or_default();
    let locked = text("precision_tag") == "LOCKED";
    let unlocked = |handle| -> Result<bool> {
        let found = state::unlocked(conn, &view.state, handle).map_err(view.lens.failed())?;
        Ok(found.is_some())
    };
    let mut item = Item {
        value: Value::Null,
        allowed: Vec::new(),
        locked: Vec::new(),
    };
    let exact = !locked || unlocked(fact)?;
    let mut members = vec![
        ("fact_id", Value::from(fact.to_string())),
        ("kind", guard.clean(text("kind"))?.into()),
    ];
    if exact {
        item.allowed.push(fact);
        members.push(("form", "EXACT".into()));
        members.push(("payload", guard.clean_value(part("payload"))?));
    } else {
        item.locked.push(fact);
        members.push(("form", "GIST".into()));
        members.push(("gist", guard.clean(text("gist"))?.into()));
    }
    let mut told = Vec::new();
    for detail in part("details").as_array().into_iter().flatten() {
        let part = |name: &str| detail.get(name).and_then(Value::as_str).unwrap_or_default();
        let handle = detail_handle(fact, part("name"));
        if !exact && !unlocked(handle)? {
            item.locked.push(handle);
            continue;
        }
        item.allowed.push(handle);
        told.push(object([
            ("detail_handle", handle.to_string().into()),
            ("name", guard.clean(part("name"))?.into()),
            ("exact", guard.clean(part("exact"))?.into()),
        ]));
    }
    if !told.is_empty() {
        members.push(("details", Value::Array(told)));
    }
    let members = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    item.value = Value::Object(members.collect());
    Ok(item)
}
