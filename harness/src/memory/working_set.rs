//! Working sets: what of the memory goes to the lens, in bytes that depend on state, query and budget
//! alone (document, section 4.5; ORC-C-002; gate G1).

use rusqlite::{params_from_iter, types::Value as Sql};
use serde_json::{Map, Value, json};

use super::canonical::{Canonical, Handle, object};
use super::error::{MemoryError, Result};
use super::fact::detail_handle;
use super::fields;
use super::guard::Guard;
use super::lens::{Audience, Lens, View};
use super::policy::{self, BYTES_PER_TOKEN};
use super::state;
use super::wording;
use super::{compaction, log};

/// What a working set is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// For whom.
    pub audience: Audience,
    /// Facts of these kinds only; none named means all.
    pub kinds: Vec<String>,
    /// Compactions of these purposes; none named means none.
    pub purposes: Vec<String>,
    /// How many tokens it may be, of [`BYTES_PER_TOKEN`] bytes each.
    pub budget: u64,
}

/// A working set. It cannot be changed, and leads back to nothing that can be.
///
/// ```compile_fail
/// # fn spark(set: axilog_harness::memory::WorkingSet) {
/// set.store().append(axilog_harness::memory::Id::SceneStart, serde_json::json!({"scene_id": "cellar"}));
/// # }
/// ```
///
/// ```compile_fail
/// # fn spark(mut set: axilog_harness::memory::WorkingSet) {
/// set.canonical = unimplemented!();
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingSet {
    canonical: Canonical,
    complete: bool,
}

impl WorkingSet {
    /// The canonical bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.canonical.bytes()
    }

    /// The bytes as text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.canonical.text()
    }

    /// The parts.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.canonical.value()
    }

    /// `working_set_id`, which is `bytes_hash` too.
    #[must_use]
    pub fn id(&self) -> Handle {
        self.canonical.handle()
    }

    /// How many tokens it is, as the budget counts them.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        tokens(self.bytes().len())
    }

    /// Whether nothing was left out for the budget.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What may be mentioned exactly.
    #[must_use]
    pub fn allowmention(&self) -> Vec<Handle> {
        let listed = self
            .value()
            .get("allowmention_handles")
            .and_then(Value::as_array);
        let texts = listed.into_iter().flatten().filter_map(Value::as_str);
        texts.filter_map(Handle::parse).collect()
    }
}

fn tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

impl Query {
    /// SHA-256 of the canonical query.
    fn id(&self) -> Result<Handle> {
        for kind in &self.kinds {
            fields::name("the query", "kind", kind)?;
        }
        for purpose in &self.purposes {
            fields::name("the query", "compactions", purpose)?;
        }
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names.dedup();
            names
        };
        let query = json!({
            "budget": self.budget,
            "class": self.audience.class.as_str(),
            "kinds": sorted(&self.kinds),
            "purposes": sorted(&self.purposes),
            "viewers": self.audience.viewers,
        });
        Ok(Canonical::of("the query", query)?.handle())
    }
}

/// What has been gathered within the budget.
struct Gathered {
    room: usize,
    allowed: Vec<Value>,
    locked: Vec<Value>,
    complete: bool,
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

impl Lens {
    /// Builds a working set. The same state, query and budget give the same bytes, on every machine.
    ///
    /// # Errors
    /// [`MemoryError::Budget`] where the parts that are never cut do not fit,
    /// [`MemoryError::Field`] for a query of wrong names, [`MemoryError::Leak`] rather than an exact
    /// string that is locked, [`MemoryError::Sqlite`].
    pub fn working_set(&self, query: &Query) -> Result<WorkingSet> {
        self.at_once(|| {
            let view = self.view(&query.audience)?;
            view.guarded(|guard| build(&view, guard, query))
        })
    }
}

fn build(view: &View<'_>, guard: &Guard<'_>, query: &Query) -> Result<WorkingSet> {
    let mut parts = frame(view, guard, query)?;
    let frame = Canonical::of("the working set", Value::Object(parts.clone()))?
        .bytes()
        .len();
    let limit = usize::try_from(query.budget.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX);
    let room = limit.checked_sub(frame).ok_or(MemoryError::Budget {
        needed: tokens(frame),
        given: query.budget,
    })?;
    let mut gathered = Gathered {
        room,
        allowed: Vec::new(),
        locked: Vec::new(),
        complete: true,
    };
    let compactions = compactions(view, guard, query, &mut gathered)?;
    let facts = facts(view, guard, query, &mut gathered)?;
    for (name, value) in [
        ("allowmention_handles", Value::Array(gathered.allowed)),
        ("locked_precision_handles", Value::Array(gathered.locked)),
        ("compactions_slice", Value::Array(compactions)),
        ("facts_slice", Value::Array(facts)),
        ("complete", Value::Bool(gathered.complete)),
    ] {
        parts.insert(name.to_owned(), value);
    }
    let canonical = Canonical::of("the working set", Value::Object(parts))?;
    guard.check("working set", canonical.text())?;
    Ok(WorkingSet {
        canonical,
        complete: gathered.complete,
    })
}

/// All that is never cut, with the slices empty.
fn frame(view: &View<'_>, guard: &Guard<'_>, query: &Query) -> Result<Map<String, Value>> {
    let state = &view.state;
    let told = |text: &str| guard.clean(text).map(Value::from);
    let mut pins = Map::new();
    for (name, value) in view.lens.pins()? {
        pins.insert(guard.clean(&name)?, told(&value)?);
    }
    let mut state_slice = vec![object([
        ("name", "session_id".into()),
        ("value", told(&state.session_id)?),
    ])];
    for (name, value) in &state.others {
        state_slice.push(object([
            ("name", name.as_str().into()),
            ("value", guard.clean_value(value)?),
        ]));
    }
    let budget = json!({ "budget": query.budget, "rule": policy::budget_rule()?.to_string() });
    let policies = object([
        (
            "mask_matrix_id",
            view.matrix.canonical().handle().to_string().into(),
        ),
        ("ordering_policy_id", policy::ordering()?.to_string().into()),
        (
            "truncation_policy_id",
            policy::truncation()?.to_string().into(),
        ),
        (
            "budget_policy_id",
            Canonical::of("the budget", budget)?
                .handle()
                .to_string()
                .into(),
        ),
        (
            "compaction_policy_id",
            policy::gist_list()?.to_string().into(),
        ),
    ]);
    let scene = state
        .scene
        .as_ref()
        .map(|(scene, _)| told(scene))
        .transpose()?;
    let whole = object([
        ("schema", wording::WORKING_SET.into()),
        ("world_id", told(&state.world_id)?),
        ("campaign_id", told(&state.campaign_id)?),
        ("scene_id", scene.unwrap_or_default()),
        ("mode", state.mode.as_str().into()),
        ("output_class", query.audience.class.as_str().into()),
        ("query_id", query.id()?.to_string().into()),
        ("policy_ids", policies),
        ("pins", Value::Object(pins)),
        ("allowmention_handles", json!([])),
        ("locked_precision_handles", json!([])),
        ("facts_slice", json!([])),
        ("state_slice", Value::Array(state_slice)),
        ("compactions_slice", json!([])),
        ("directives", wording::directives()),
        ("complete", false.into()),
    ]);
    match whole {
        Value::Object(parts) => Ok(parts),
        _ => Ok(Map::new()),
    }
}

/// The compactions asked for, all of whose facts may be seen.
fn compactions(
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
fn facts(
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
