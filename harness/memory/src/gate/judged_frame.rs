//! The members that a working set must have besides its slices, put together from the gates' own account.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization;

use super::account::hash_value;
use super::judge::Judge;
use crate::error::Result;
use crate::fixed_words;
use crate::handle::Handle;
use crate::output_view::OutputView;
use crate::pinned_texts::{DIRECTIVES, find_directives};
use crate::query::{WorkingSetQuery, sorted};
use crate::search_terms::terms_of;

impl Judge<'_> {
    /// The members of a working set but for its slices.
    pub(super) fn expect_frame(&self, query: &WorkingSetQuery) -> Result<Map<String, Value>> {
        let account = self.account;
        let pin = |name: &str| Value::from(account.pins.get(name).cloned().unwrap_or_default());
        let story = |name: &str| account.story.get(name).cloned().unwrap_or_default();
        let scene = account.scene.as_ref().map(|scene| scene.id.clone());
        let mut budget = json!({ "budget": query.budget, "rule": pin("budget_policy") });
        if let (true, Some(budget)) = (self.counts_tokens()?, budget.as_object_mut()) {
            budget.insert("tokenizer".to_owned(), Value::Null);
        }
        let mut state = vec![json!({ "name": "session_id", "value": story("session_id") })];
        for name in ["clocks", "reading_spot", "regions", "threads"] {
            if let Some(value) = account.story.get(name) {
                state.push(json!({ "name": name, "value": value }));
            }
        }
        let search = self.clean_search(query)?;
        let mode = account.story.get("mode").cloned().unwrap_or("PLAY".into());
        let pins: BTreeMap<&String, &String> = account.pins.iter().collect();
        let frame = json!({
            "schema": fixed_words::WORKING_SET,
            "world_id": story("world_id"),
            "campaign_id": story("campaign_id"),
            "scene_id": scene,
            "mode": mode,
            "output_class": query.audience.class,
            "query_id": expect_query_id(query, search.as_deref())?,
            "policy_ids": {
                "mask_matrix_id": pin("mask_matrix"),
                "ordering_policy_id": pin("ordering_policy"),
                "truncation_policy_id": pin("truncation_policy"),
                "budget_policy_id": hash_value(budget)?,
                "compaction_policy_id": pin("compaction_policy"),
            },
            "pins": pins,
            "state_slice": state,
            "directives": find_directives(account.pins.get(DIRECTIVES).map(String::as_str))?,
        });
        let mut frame = frame.as_object().cloned().unwrap_or_default();
        if self.counts_tokens()? {
            frame.insert("tokenizer".to_owned(), Value::Null);
        }
        if self.has_plan()? {
            let stages = match query.order.as_str() {
                "PLAN" => json!(["pointed", "matching", "newest"]),
                "MATCHING" => json!(["matching"]),
                "NEWEST" => json!(["newest"]),
                _ => json!(["ordered"]),
            };
            let terms = search
                .as_deref()
                .map_or(0, |text| terms_of(text).len().min(64));
            let selection = json!({ "stages": stages, "search_terms": terms });
            frame.insert("selection".to_owned(), selection);
            if let Some(Value::Object(ids)) = frame.get_mut("policy_ids") {
                ids.insert("selection_policy_id".to_owned(), pin("selection_policy"));
            }
        }
        if account.may_open_rules() {
            let rules = json!({ "allowmention_handles": "PC-006", "locked_precision_handles": "HL-005", "recall": "RR-002" });
            frame.insert("rule_refs".to_owned(), rules);
            let opened = json!(account.opened_rules());
            frame.insert("unlocked_rule_refs".to_owned(), opened);
        }
        Ok(frame)
    }

    /// What a query searches for, without its guesses.
    fn clean_search(&self, query: &WorkingSetQuery) -> Result<Option<String>> {
        let Some(search) = &query.search else {
            return Ok(None);
        };
        let view = OutputView::new(self.reader, &query.audience)?;
        let (search, _) = view.with_guard(|guard| guard.redact_guesses(search))?;
        Ok(Some(search.nfc().collect()))
    }
}

fn expect_query_id(query: &WorkingSetQuery, search: Option<&str>) -> Result<Handle> {
    let mut members = json!({
        "budget": query.budget,
        "class": query.audience.class,
        "kinds": sorted(&query.kinds),
        "purposes": sorted(&query.purposes),
        "viewers": query.audience.viewers,
    });
    let mut add = |name: &str, is_there: bool, value: Value| {
        if let (true, Some(members)) = (is_there, members.as_object_mut()) {
            members.insert(name.to_owned(), value);
        }
    };
    add("after", query.after.is_some(), json!(query.after));
    let order = query.order.as_str();
    add("order", order != "PLAN", json!(order));
    add("search", search.is_some(), json!(search));
    let prefix = &query.key_prefix;
    add("key_prefix", prefix.is_some(), json!(prefix));
    add("tags", !query.tags.is_empty(), json!(sorted(&query.tags)));
    let handles = sorted(&query.handles);
    add("handles", !handles.is_empty(), json!(handles));
    let limits = &query.kind_limits;
    add("kind_limits", !limits.is_empty(), json!(limits));
    hash_value(members)
}
