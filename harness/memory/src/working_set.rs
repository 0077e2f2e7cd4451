//! Working sets: the part of the memory that a model may read, in bytes that depend on state, query and
//! budget alone (document, section 4.5; ORC-C-002; gate G1).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::budget::{BudgetCounter, Room};
use crate::canonical::CanonicalJson;
use crate::error::{MemoryError, Result};
use crate::event_bodies::Mode;
use crate::event_contract::{EventContract, read_contract};
use crate::fact_order::{FactOrder, Stage};
use crate::fixed_words;
use crate::handle::Handle;
use crate::mask::OutputClass;
use crate::matching::search_terms;
use crate::opened_rules::list_opened_rules;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::pinned_texts::{DIRECTIVES, find_directives};
use crate::pins::find_pin;
use crate::policy;
use crate::query::WorkingSetQuery;
use crate::quotas::fill_by_quotas;
use crate::reader::MemoryReader;
use crate::selection::{has_plan, refuse_plan};
use crate::slices::{CompactionItem, FactsSlice, Slices, fill_in_order};
use crate::told_fact::FactItem;

/// A working set. It cannot be changed, and it leads back to nothing that can be changed.
///
/// ```compile_fail,E0599
/// # fn model(set: axilog_memory::WorkingSet) {
/// set.store();
/// # }
/// ```
///
/// ```compile_fail,E0616
/// # use axilog_memory::WorkingSet;
/// # fn model(set: &mut WorkingSet, other: WorkingSet) {
/// set.canonical = other.canonical;
/// # }
/// ```
///
/// ```
/// # use axilog_memory::WorkingSet;
/// # fn model(set: &mut WorkingSet, other: WorkingSet) {
/// *set = other;
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingSet {
    canonical: CanonicalJson,
    open: Vec<Handle>,
    pub(crate) facts: Vec<FactItem>,
    complete: bool,
    reduced: bool,
    tokens: u64,
}

impl WorkingSet {
    /// The canonical bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.canonical.bytes()
    }

    /// The canonical bytes as text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.canonical.text()
    }

    /// The working set as JSON.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.canonical.value()
    }

    /// The `working_set_id`, which is the SHA-256 of the bytes.
    #[must_use]
    pub fn id(&self) -> Handle {
        self.canonical.handle()
    }

    /// How many tokens the working set has, as the budget counts them.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Whether nothing was left out for the budget.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether something is above its quota, and was left out or told by its gist: a larger budget tells it.
    pub(crate) fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// The `allowmention_handles`: the facts and details that may be mentioned exactly.
    #[must_use]
    pub fn allowmention_handles(&self) -> &[Handle] {
        &self.open
    }
}

/// The document of a working set (`axilog-working-set/1`).
#[derive(Clone, Serialize)]
struct WorkingSetDocument<'a> {
    schema: &'static str,
    world_id: String,
    campaign_id: String,
    scene_id: Option<String>,
    mode: Mode,
    output_class: OutputClass,
    query_id: Handle,
    policy_ids: PolicyIds,
    pins: BTreeMap<String, String>,
    allowmention_handles: &'a [Handle],
    locked_precision_handles: &'a [Handle],
    facts_slice: &'a [FactItem],
    state_slice: Vec<StateItem>,
    compactions_slice: &'a [CompactionItem],
    directives: Value,
    complete: bool,
    /// The tokenizer that counts the budget, null where bytes do. A memory of the rule's first revision has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<Value>,
    /// What is above its quota. A memory of the truncation policy's first revision has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'a [Handle]>,
    /// How the facts were selected. A memory from before the plan has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<SelectionSummary>,
    /// What the extension of the event contract adds.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    rules: Option<RuleSlice>,
}

/// The rules that are open, and those by which the working set holds back what it does.
#[derive(Clone, Serialize)]
struct RuleSlice {
    unlocked_rule_refs: Vec<String>,
    rule_refs: Value,
}

/// The steps by which the facts were considered, and how many terms were searched for.
#[derive(Clone, Serialize)]
struct SelectionSummary {
    stages: &'static [Stage],
    search_terms: usize,
}

#[derive(Clone, Serialize)]
struct PolicyIds {
    mask_matrix_id: Handle,
    ordering_policy_id: Handle,
    truncation_policy_id: Handle,
    budget_policy_id: Handle,
    compaction_policy_id: Handle,
    #[serde(skip_serializing_if = "Option::is_none")]
    selection_policy_id: Option<Handle>,
}

#[derive(Clone, Serialize)]
struct StateItem {
    name: String,
    value: Value,
}

impl MemoryReader {
    /// Builds a working set for who inspects the memory. Nothing records it: a model reads what
    /// [`MemoryStore::build_working_set`](crate::MemoryStore::build_working_set) gives, with the same bytes.
    ///
    /// # Errors
    /// [`MemoryError::Budget`] where the parts that are never cut do not fit,
    /// [`MemoryError::Document`] for a query of wrong names, [`MemoryError::Leak`] rather than a working
    /// set with a locked exact string, [`MemoryError::Sqlite`].
    pub fn inspect_working_set(&self, query: &WorkingSetQuery) -> Result<WorkingSet> {
        self.build_working_set(query)
    }

    /// Takes the guesses out of what a query searches for; gives how many they are.
    pub(crate) fn clean_search(&self, query: &WorkingSetQuery) -> Result<(WorkingSetQuery, u64)> {
        let Some(search) = &query.search else {
            return Ok((query.clone(), 0));
        };
        self.read_at_once(|| {
            OutputView::new(self, &query.audience)?.with_guard(|guard| {
                let (search, guesses) = guard.redact_guesses(search)?;
                Ok((query.with_search(&search), guesses))
            })
        })
    }

    /// Whether facts are selected by the plan.
    pub(crate) fn has_plan(&self) -> Result<bool> {
        let pinned = find_pin(&self.conn, policy::SELECTION).map_err(self.read_error())?;
        has_plan(pinned.as_deref())
    }

    pub(crate) fn build_working_set(&self, query: &WorkingSetQuery) -> Result<WorkingSet> {
        self.read_at_once(|| {
            let view = OutputView::new(self, &query.audience)?;
            view.with_guard(|guard| build_under_guard(&view, guard, query))
        })
    }
}

fn build_under_guard(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
) -> Result<WorkingSet> {
    let what = "the working set";
    let pinned = |name| find_pin(&view.reader.conn, name).map_err(view.reader.read_error());
    let budget_pin = pinned(policy::BUDGET)?;
    let counter = BudgetCounter::new(budget_pin.as_deref(), query.tokenizer.as_ref())?;
    let has_quotas = policy::is_second(
        policy::truncation()?,
        pinned(policy::TRUNCATION)?.as_deref(),
    );
    let selection_pin = pinned(policy::SELECTION)?;
    let has_plan = has_plan(selection_pin.as_deref())?;
    if !has_plan {
        refuse_plan(query, selection_pin.as_deref())?;
    }
    let query = &clean_search(guard, query)?;
    let asked = &WorkingSetQuery {
        order: if has_plan {
            query.order
        } else {
            FactOrder::Key
        },
        ..query.clone()
    };
    let rules = Rules {
        counter: &counter,
        has_quotas,
        has_plan,
    };
    let empty = <(FactsSlice, Slices)>::default();
    let frame = build_frame(view, guard, query, &rules, &empty)?;
    let limit = counter.limit(query.budget);
    let needed = counter.measure(CanonicalJson::from_document(what, &frame)?.text())?;
    let room = limit.checked_sub(needed).ok_or(MemoryError::Budget {
        needed: counter.to_tokens(needed),
        given: query.budget,
    })?;
    let mut room = Room::new(&counter, room);
    let mut slices = match has_quotas {
        true => fill_by_quotas(view, guard, asked, &mut room)?,
        false => fill_in_order(view, guard, asked, &mut room)?,
    };
    loop {
        let mut document = frame.clone();
        let facts = slices.lay_out();
        document.allowmention_handles = &facts.open;
        document.locked_precision_handles = &facts.locked;
        document.facts_slice = &facts.items;
        document.compactions_slice = &slices.compactions;
        document.complete = !slices.truncated;
        document.left_out = has_quotas.then_some(&slices.left_out);
        let canonical = CanonicalJson::from_document(what, &document)?;
        let units = counter.measure(canonical.text())?;
        // The parts of a text may have fewer tokens than the whole.
        if units > limit && slices.drop_last() {
            continue;
        }
        guard.refuse_leaks("working set", canonical.text())?;
        return Ok(WorkingSet {
            canonical,
            open: facts.open,
            facts: facts.items,
            complete: !slices.truncated,
            reduced: slices.reduced,
            tokens: counter.to_tokens(units),
        });
    }
}

/// The query without what may be a guess at a locked string in its search: such a part finds nothing, right or wrong.
fn clean_search(guard: &OutputGuard<'_>, query: &WorkingSetQuery) -> Result<WorkingSetQuery> {
    match &query.search {
        Some(search) => Ok(query.with_search(&guard.redact_guesses(search)?.0)),
        None => Ok(query.clone()),
    }
}

/// By which revisions of the policies a working set is made.
struct Rules<'a> {
    counter: &'a BudgetCounter,
    has_quotas: bool,
    has_plan: bool,
}

/// The parts that are never cut, with empty slices.
fn build_frame<'a>(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    rules: &Rules<'_>,
    (facts, slices): &'a (FactsSlice, Slices),
) -> Result<WorkingSetDocument<'a>> {
    let &Rules {
        counter,
        has_quotas,
        has_plan,
    } = rules;
    let state = &view.state;
    let mut pins = BTreeMap::new();
    let mut directives = None;
    for (name, value) in view.reader.pins()? {
        if name == DIRECTIVES {
            directives = Some(value.clone());
        }
        pins.insert(guard.redact_text(&name)?, guard.redact_text(&value)?);
    }
    let mut state_slice = vec![StateItem {
        name: "session_id".to_owned(),
        value: guard.redact_text(&state.session_id)?.into(),
    }];
    for (name, value) in &state.others {
        state_slice.push(StateItem {
            name: name.clone(),
            value: guard.redact_value(value)?,
        });
    }
    let [four_bytes, tokens] = policy::budget_rule()?;
    let [beginning, quotas] = policy::truncation()?;
    let counts_tokens = counter.counts_tokens();
    let rule = if counts_tokens { tokens } else { four_bytes };
    let mut budget = json!({ "budget": query.budget, "rule": rule });
    let tokenizer = match &query.tokenizer {
        Some(tokenizer) => Value::from(guard.redact_text(&tokenizer.to_string())?),
        None => Value::Null,
    };
    if counts_tokens && let Some(budget) = budget.as_object_mut() {
        budget.insert(
            "tokenizer".to_owned(),
            json!(query.tokenizer.as_ref().map(ToString::to_string)),
        );
    }
    let scene = state.scene.as_ref();
    Ok(WorkingSetDocument {
        schema: fixed_words::WORKING_SET,
        world_id: guard.redact_text(&state.world_id)?,
        campaign_id: guard.redact_text(&state.campaign_id)?,
        scene_id: scene
            .map(|scene| guard.redact_text(&scene.id))
            .transpose()?,
        mode: state.mode,
        output_class: query.audience.class,
        query_id: query.id()?,
        policy_ids: PolicyIds {
            mask_matrix_id: view.matrix.canonical().handle(),
            ordering_policy_id: policy::ordering()?,
            truncation_policy_id: if has_quotas { quotas } else { beginning },
            budget_policy_id: CanonicalJson::from_value("the budget", budget)?.handle(),
            compaction_policy_id: policy::gist_list()?,
            selection_policy_id: has_plan.then(policy::selection).transpose()?,
        },
        pins,
        allowmention_handles: &facts.open,
        locked_precision_handles: &facts.locked,
        facts_slice: &facts.items,
        state_slice,
        compactions_slice: &slices.compactions,
        directives: find_directives(directives.as_deref())?,
        complete: false,
        tokenizer: counts_tokens.then_some(tokenizer),
        left_out: has_quotas.then_some(&slices.left_out),
        selection: has_plan.then(|| SelectionSummary {
            stages: query.order.stages(),
            search_terms: search_terms(query.search.as_deref().unwrap_or_default()).len(),
        }),
        rules: list_rules(view, guard)?,
    })
}

/// The rules, under the revision of the event contract that admits them. Without it a working set has the bytes that it
/// had before there was one.
fn list_rules(view: &OutputView<'_>, guard: &OutputGuard<'_>) -> Result<Option<RuleSlice>> {
    let contract = read_contract(&view.reader.conn).map_err(view.reader.read_error())?;
    if contract != EventContract::WithRuleRefOpened {
        return Ok(None);
    }
    let opened = list_opened_rules(&view.reader.conn, &view.state);
    let opened = opened.map_err(view.reader.read_error())?;
    let names = opened.iter().map(|rule| guard.redact_text(&rule.rule_ref));
    Ok(Some(RuleSlice {
        unlocked_rule_refs: names.collect::<Result<_>>()?,
        rule_refs: fixed_words::rule_refs(),
    }))
}
