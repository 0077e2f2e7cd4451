//! Working sets: what of the memory goes to the lens, in bytes that depend on state, query and budget
//! alone (document, section 4.5; ORC-C-002; gate G1).

use serde_json::{Map, Value, json};

use super::canonical::{Canonical, Handle, object};
use super::error::{MemoryError, Result};
use super::fields;
use super::guard::Guard;
use super::lens::{Audience, Lens, View};
use super::policy::{self, BYTES_PER_TOKEN};
use super::slices::{self, Gathered};
use super::wording;

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
/// ```compile_fail,E0599
/// # fn spark(set: axilog_harness::memory::WorkingSet) {
/// set.store();
/// # }
/// ```
///
/// ```compile_fail,E0616
/// # fn spark(set: &mut axilog_harness::memory::WorkingSet, other: axilog_harness::memory::WorkingSet) {
/// set.canonical = other.canonical;
/// # }
/// ```
///
/// ```
/// # fn spark(set: &mut axilog_harness::memory::WorkingSet, other: axilog_harness::memory::WorkingSet) {
/// *set = other;
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
    let mut gathered = Gathered::new(room);
    let compactions = slices::compactions(view, guard, query, &mut gathered)?;
    let facts = slices::facts(view, guard, query, &mut gathered)?;
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
