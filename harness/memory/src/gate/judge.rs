//! What a working set must say, put together from the gates' own account, and compared with what it says.

use std::collections::BTreeSet;
use std::ops::Bound;

use serde_json::{Value, json};

use super::account::{Account, CompactionRecord, FactRecord, text_of};
use super::plain_search::PlainSearch;
use crate::error::Result;
use crate::fixed_words::PLACEHOLDER;
use crate::handle::Handle;
use crate::policy;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::working_set::WorkingSet;

/// What the gates judge outputs by.
pub(super) struct Judge<'a> {
    pub(super) reader: &'a MemoryReader,
    pub(super) account: &'a Account,
    pub(super) strings: &'a PlainSearch,
}

/// How many bytes a handle takes in an array.
pub(super) const HANDLE_BYTES: usize = 67;

/// By how many bytes a fact may be longer than the gate thinks, for what was replaced by `[locked]`.
pub(super) const SLACK_BYTES: usize = 512;

/// The facts and compactions that a working set holds, and the handles it names.
#[derive(Default)]
pub(super) struct ExpectedSlices {
    pub(super) compactions: Vec<Value>,
    pub(super) facts: Vec<Value>,
    pub(super) open: Vec<Value>,
    pub(super) locked: Vec<Value>,
}

/// A fact as a working set must tell it, with its place in the order of the ordering policy.
pub(super) struct ExpectedFact {
    place: (String, Handle),
    slices: ExpectedSlices,
}

impl ExpectedSlices {
    /// Takes the facts, in the order of the ordering policy.
    pub(super) fn lay_out(&mut self, mut facts: Vec<ExpectedFact>) {
        facts.sort_by(|one, other| one.place.cmp(&other.place));
        for fact in facts {
            self.facts.extend(fact.slices.facts);
            self.open.extend(fact.slices.open);
            self.locked.extend(fact.slices.locked);
        }
    }
}

impl Judge<'_> {
    /// A fact as it must be told in whole.
    pub(super) fn expect_fact(
        &self,
        id: Handle,
        fact: &FactRecord,
        why: Option<&str>,
    ) -> Result<ExpectedFact> {
        let mut slices = ExpectedSlices::default();
        let item = self.expect_item(id, fact, &mut slices)?;
        slices.facts.push(with_reason(item, why));
        Ok(self.place_fact(id, slices))
    }

    /// A fact as it must be told, at its place.
    pub(super) fn place_fact(&self, id: Handle, slices: ExpectedSlices) -> ExpectedFact {
        let key = self.account.key_of(id).unwrap_or_default().to_owned();
        ExpectedFact {
            place: (key, id),
            slices,
        }
    }

    /// The details whose locked strings stand in a text that `viewers` will see. Where an open string and a locked
    /// one are the same, the string is open.
    pub(super) fn find_leaks(
        &self,
        class: &str,
        viewers: &[String],
        text: &str,
    ) -> BTreeSet<Handle> {
        let is_open = |handle: Handle| {
            self.account.is_open(handle) && self.account.may_see(class, viewers, handle)
        };
        let places = self.strings.find_in(text).into_iter();
        places
            .filter(|strings| !strings.iter().any(|string| is_open(string.handle)))
            .filter_map(|strings| strings.first().map(|string| string.handle))
            .collect()
    }

    /// The handles in a text whose fact `viewers` may not know of.
    pub(super) fn find_masked(
        &self,
        class: &str,
        viewers: &[String],
        text: &str,
    ) -> BTreeSet<Handle> {
        text.split(|c: char| !c.is_ascii_hexdigit())
            .filter_map(Handle::parse)
            .filter(|handle| self.account.find_fact(*handle).is_some())
            .filter(|handle| !self.account.may_see(class, viewers, *handle))
            .collect()
    }

    /// Compares a working set with what the account says; gives what is wrong.
    pub(super) fn judge(&self, query: &WorkingSetQuery, set: &WorkingSet) -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let actual = set.value();
        let expected = self.expect_frame(query)?;
        let sliced = [
            "allowmention_handles",
            "locked_precision_handles",
            "facts_slice",
            "compactions_slice",
            "complete",
        ];
        let quota_members: &[&str] = if self.has_quotas()? {
            &["left_out"]
        } else {
            &[]
        };
        let sliced = [&sliced, quota_members].concat();
        let members = actual.as_object().into_iter().flatten();
        for (name, value) in members {
            match expected.get(name) {
                _ if sliced.contains(&name.as_str()) => {}
                Some(expected) if is_same(expected, value) => {}
                Some(expected) => {
                    faults.push(format!("{name} is {value}, and the log gives {expected}"))
                }
                None => faults.push(format!("it has a member {name}, which no working set has")),
            }
        }
        for name in expected
            .keys()
            .map(String::as_str)
            .chain(sliced.iter().copied())
        {
            if actual.get(name).is_none() {
                faults.push(format!("it has no member {name}"));
            }
        }
        let count = |name: &str| {
            actual
                .get(name)
                .and_then(Value::as_array)
                .map_or(0, Vec::len)
        };
        let limit = self.limit_in_bytes(query)?;
        let slices = match self.has_quotas()? {
            true => {
                let (slices, found) = self.expect_within_quotas(query, set, limit)?;
                faults.extend(found);
                slices
            }
            false => {
                let says_complete = actual.get("complete") == Some(&Value::Bool(true));
                let fault = self.check_end(query, set, limit, says_complete)?;
                faults.extend(fault.map(str::to_owned));
                self.expect_slices(query, count("compactions_slice"), count("facts_slice"))?
            }
        };
        for (name, expected) in [
            ("compactions_slice", Value::from(slices.compactions)),
            ("facts_slice", Value::from(slices.facts)),
            ("allowmention_handles", Value::from(slices.open)),
            ("locked_precision_handles", Value::from(slices.locked)),
        ] {
            if let Some(fault) = compare_lists(name, &expected, actual.get(name)) {
                faults.push(fault);
            }
        }
        if set.bytes().len() as u64 > limit {
            faults.push("it is over its budget".to_owned());
        }
        Ok(faults)
    }

    /// Whether the memory is of the truncation policy's second revision.
    fn has_quotas(&self) -> Result<bool> {
        let pinned = self
            .account
            .pins
            .get(policy::TRUNCATION)
            .map(String::as_str);
        Ok(policy::is_second(policy::truncation()?, pinned))
    }

    /// Whether the memory is of the second revision of the rule that counts tokens.
    pub(super) fn counts_tokens(&self) -> Result<bool> {
        let pinned = self.account.pins.get(policy::BUDGET).map(String::as_str);
        Ok(policy::is_second(policy::budget_rule()?, pinned))
    }

    /// How many bytes the budget of a query without a tokenizer allows.
    fn limit_in_bytes(&self, query: &WorkingSetQuery) -> Result<u64> {
        Ok(match self.counts_tokens()? {
            true => query.budget,
            false => query.budget.saturating_mul(4),
        })
    }

    /// The facts that a query may get, by key.
    pub(super) fn facts_for<'a>(
        &'a self,
        query: &'a WorkingSetQuery,
    ) -> impl Iterator<Item = (Handle, &'a FactRecord)> {
        let class = query.audience.class.as_str();
        let first = match &query.after {
            Some(after) => Bound::Excluded(after),
            None => Bound::Unbounded,
        };
        let facts = self.account.facts.range((first, Bound::Unbounded));
        facts
            .filter(move |((key, id), fact)| {
                let viewers = &query.audience.viewers;
                self.account.may_see_fact(class, viewers, fact)
                    && is_asked_for(query, key, *id, fact)
            })
            .map(|((_, id), fact)| (*id, fact))
    }

    /// Checks where a working set ends: it is complete where nothing is left, and what is left did not fit.
    fn check_end(
        &self,
        query: &WorkingSetQuery,
        set: &WorkingSet,
        limit: u64,
        says_complete: bool,
    ) -> Result<Option<&'static str>> {
        let count = |name: &str| {
            let items = set.value().get(name).and_then(Value::as_array);
            items.map_or(0, Vec::len)
        };
        let compactions = self.compactions_for(query).nth(count("compactions_slice"));
        let considered = self.consider(query)?;
        let fact = considered.get(count("facts_slice"));
        let is_complete = compactions.is_none() && fact.is_none();
        let (None, Some((id, fact, _)), false) = (compactions, fact, says_complete) else {
            return Ok(match (says_complete, is_complete) {
                (true, false) => Some("it says that it is complete, and there is more"),
                (false, true) => Some("it says that something was left out, and nothing was"),
                _ => None,
            });
        };
        let mut slices = ExpectedSlices::default();
        let item = self.expect_item(*id, fact, &mut slices)?.to_string();
        let handles = slices.open.len() + slices.locked.len();
        let needed = set.bytes().len() + item.len() + handles * HANDLE_BYTES + SLACK_BYTES;
        let fits = needed as u64 <= limit;
        Ok(fits.then_some("it ends before a fact that fits"))
    }

    /// The compactions that a query may get, in order.
    pub(super) fn compactions_for<'a>(
        &'a self,
        query: &'a WorkingSetQuery,
    ) -> impl Iterator<Item = &'a CompactionRecord> {
        let (class, viewers) = (query.audience.class.as_str(), &query.audience.viewers);
        self.account.compactions.iter().filter(move |compaction| {
            let mut inputs = compaction.inputs.iter();
            query.purposes.contains(&compaction.purpose)
                && inputs.all(|input| self.account.may_see(class, viewers, *input))
        })
    }

    /// The first compactions and facts of a query, as many as the working set has.
    fn expect_slices(
        &self,
        query: &WorkingSetQuery,
        compactions: usize,
        facts: usize,
    ) -> Result<ExpectedSlices> {
        let mut slices = ExpectedSlices::default();
        for compaction in self.compactions_for(query).take(compactions) {
            slices.compactions.push(json!({
                "compaction_id": compaction.id,
                "purpose": compaction.purpose,
                "lines": self.expect_lines(&compaction.inputs)?,
            }));
        }
        let mut told = Vec::new();
        for (id, fact, why) in self.consider(query)?.into_iter().take(facts) {
            told.push(self.expect_fact(id, fact, why)?);
        }
        slices.lay_out(told);
        Ok(slices)
    }

    /// What a compaction of these facts says: their gists, and the payload of a fact without one.
    pub(super) fn expect_lines(&self, inputs: &[Handle]) -> Result<Vec<Value>> {
        let mut lines = Vec::new();
        for input in inputs {
            let Some((_, fact)) = self.account.find_fact(*input) else {
                continue;
            };
            let body = Account::read_body(self.reader, fact.seq)?;
            let line = body.get("gist").or_else(|| body.get("payload"));
            lines.push(line.cloned().unwrap_or_default());
        }
        Ok(lines)
    }

    pub(super) fn expect_item(
        &self,
        id: Handle,
        fact: &FactRecord,
        slices: &mut ExpectedSlices,
    ) -> Result<Value> {
        let body = Account::read_body(self.reader, fact.seq)?;
        let is_open = self.account.is_open(id);
        let (form, told) = match is_open {
            true => ("EXACT", "payload"),
            false => ("GIST", "gist"),
        };
        let list = match is_open {
            true => &mut slices.open,
            false => &mut slices.locked,
        };
        list.push(json!(id));
        let mut item =
            json!({ "fact_id": id, "kind": fact.kind, "form": form, told: body.get(told) });
        let mut told_details = Vec::new();
        let details = body
            .get("details")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for (detail, handle) in details.zip(&fact.details) {
            if !self.account.is_open(*handle) {
                slices.locked.push(json!(handle));
                continue;
            }
            slices.open.push(json!(handle));
            told_details.push(json!({
                "detail_handle": handle,
                "name": text_of(detail, "name"),
                "exact": text_of(detail, "exact"),
            }));
        }
        if let (Some(item), false) = (item.as_object_mut(), told_details.is_empty()) {
            item.insert("details".to_owned(), Value::from(told_details));
        }
        Ok(item)
    }
}

/// A fact with the reason why it comes before others, where there is one.
pub(super) fn with_reason(mut item: Value, why: Option<&str>) -> Value {
    if let (Some(why), Some(item)) = (why, item.as_object_mut()) {
        item.insert("chosen_by".to_owned(), json!(why));
    }
    item
}

/// Whether a query asks for a fact.
fn is_asked_for(query: &WorkingSetQuery, key: &str, id: Handle, fact: &FactRecord) -> bool {
    let prefix = query.key_prefix.as_deref().unwrap_or_default();
    (query.kinds.is_empty() || query.kinds.contains(&fact.kind))
        && (query.tags.is_empty() || query.tags.iter().any(|tag| fact.tags.contains(tag)))
        && (query.handles.is_empty() || query.handles.contains(&id))
        && key.starts_with(prefix)
}

/// Compares two lists; gives the first difference.
fn compare_lists(name: &str, expected: &Value, actual: Option<&Value>) -> Option<String> {
    let empty = Vec::new();
    let expected = expected.as_array().unwrap_or(&empty);
    let actual = actual.and_then(Value::as_array).unwrap_or(&empty);
    for (index, item) in actual.iter().enumerate() {
        match expected.get(index) {
            Some(wanted) if is_same(wanted, item) => {}
            Some(wanted) => {
                return Some(format!(
                    "{name}[{index}] is {item}, and the log gives {wanted}"
                ));
            }
            None => {
                return Some(format!(
                    "{name}[{index}] is {item}, and the log gives nothing"
                ));
            }
        }
    }
    let missing = expected.get(actual.len())?;
    Some(format!("{name} ends before {missing}"))
}

/// Whether a value is the expected one, but for what was replaced by `[locked]`. What was rightly replaced, gate G2
/// says.
pub(super) fn is_same(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        _ if expected == actual => true,
        (_, Value::String(text)) if text == PLACEHOLDER => true,
        (Value::String(expected), Value::String(actual)) => is_redacted(expected, actual),
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected
                    .iter()
                    .zip(actual)
                    .all(|(expected, actual)| is_same(expected, actual))
        }
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && actual.iter().all(|(name, actual)| {
                    expected
                        .get(name)
                        .is_some_and(|expected| is_same(expected, actual))
                })
        }
        _ => false,
    }
}

/// Whether a text is the expected one with parts replaced: what stands between the parts stands in it, in order.
fn is_redacted(expected: &str, actual: &str) -> bool {
    let mut rest = expected;
    let mut parts = actual.split(PLACEHOLDER).peekable();
    if parts
        .peek()
        .is_some_and(|first| !expected.starts_with(first))
        || !actual.contains(PLACEHOLDER)
    {
        return false;
    }
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}
