//! In which order a working set must consider the facts of its query, by the gates' own count.
//!
//! The gate ranks every fact that the audience may see, where the memory ranks what its index finds. It parts texts into
//! terms as the memory does, and takes from it what the audience is told of a fact, which other judgements are about.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::account::{Account, FactRecord, text_of};
use super::judge::Judge;
use crate::canonical::texts;
use crate::error::Result;
use crate::fact_order::FactOrder;
use crate::fact_source::Candidate;
use crate::handle::Handle;
use crate::matching::told_terms;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::policy;
use crate::query::WorkingSetQuery;
use crate::search_terms::terms_of;

/// A fact that a query may get, and why it comes before the newest, where it does.
pub(super) type Considered<'a> = (Handle, &'a FactRecord, Option<&'static str>);

/// The terms of a fact that stand both in its own text, of which the index has each, and in what its audience is told.
type Terms = BTreeSet<String>;

/// The most terms that are searched for, and the most facts with a term that are counted.
const MOST_TERMS: usize = 64;
const MOST_COUNTED: usize = 256;

impl Judge<'_> {
    /// Whether the memory selects facts by the plan.
    pub(super) fn has_plan(&self) -> Result<bool> {
        let plan = policy::selection()?.to_string();
        Ok(self.account.pins.get(policy::SELECTION) == Some(&plan))
    }

    /// The facts of a query, in the order in which the memory must consider them.
    pub(super) fn consider<'a>(
        &'a self,
        query: &'a WorkingSetQuery,
    ) -> Result<Vec<Considered<'a>>> {
        let by_key: Vec<(Handle, &FactRecord)> = self.facts_for(query).collect();
        let order = match self.has_plan()? {
            true => query.order,
            false => FactOrder::Key,
        };
        if order == FactOrder::Key {
            let by_key = by_key.into_iter().map(|(id, fact)| (id, fact, None));
            return Ok(keep_limits(query, by_key.collect()));
        }
        let mut newest = by_key;
        newest.sort_by_key(|(_, fact)| Reverse(fact.seq));
        let because = |facts: Vec<(Handle, &'a FactRecord)>, why| {
            let facts = facts.into_iter();
            facts.map(|(id, fact)| (id, fact, why)).collect::<Vec<_>>()
        };
        let considered = match order {
            FactOrder::Key | FactOrder::Newest => because(newest, None),
            FactOrder::Matching => because(self.match_facts(query, &newest)?, Some("matching")),
            FactOrder::Plan => {
                let mut all = because(self.list_pointed(&newest), Some("pointed"));
                let matching = self.match_facts(query, &newest)?;
                all.extend(because(matching, Some("matching")));
                all.extend(because(newest, None));
                all
            }
        };
        Ok(keep_limits(query, considered))
    }

    /// The facts to which the scene points, then those of each thread.
    fn list_pointed<'a>(
        &'a self,
        newest: &[(Handle, &'a FactRecord)],
    ) -> Vec<(Handle, &'a FactRecord)> {
        let threads = self.account.story.get("threads").and_then(Value::as_array);
        let threads = threads.into_iter().flatten().filter_map(Value::as_str);
        let scene = self.account.scene.iter().map(|scene| scene.id.as_str());
        let mut pointed = Vec::new();
        for name in scene.chain(threads) {
            let handle = Handle::parse(name);
            pointed.extend(newest.iter().copied().filter(|(id, fact)| {
                fact.tags.iter().any(|tag| tag == name)
                    || self.account.key_of(*id) == Some(name)
                    || handle == Some(*id)
            }));
        }
        pointed
    }

    /// The facts that match a search, the best first, by counting through all of them.
    fn match_facts<'a>(
        &'a self,
        query: &WorkingSetQuery,
        newest: &[(Handle, &'a FactRecord)],
    ) -> Result<Vec<(Handle, &'a FactRecord)>> {
        let Some(search) = &query.search else {
            return Ok(Vec::new());
        };
        let view = OutputView::new(self.reader, &query.audience)?;
        view.with_guard(|guard| {
            let (search, _) = guard.redact_guesses(search)?;
            let mut wanted = terms_of(&search);
            wanted.truncate(MOST_TERMS);
            let mut having = Vec::new();
            for (id, fact) in newest {
                having.push(self.terms_of_fact(&view, guard, *id, fact, &wanted)?);
            }
            let (mut weights, mut counted) = (HashMap::new(), BTreeSet::new());
            for term in &wanted {
                let has = |terms: &&Terms| terms.contains(term);
                let numbers = having.iter().enumerate().filter(|(_, terms)| has(terms));
                let numbers: Vec<usize> = numbers.map(|(at, _)| at).take(MOST_COUNTED).collect();
                let mut weight = 9;
                let mut facts = numbers.len();
                while facts > 1 {
                    facts /= 2;
                    weight -= 1;
                }
                weights.insert(term.clone(), weight);
                counted.extend(numbers);
            }
            let mut ranked: Vec<(i32, (Handle, &FactRecord))> = Vec::new();
            for at in counted {
                if let (Some(fact), Some(terms)) = (newest.get(at), having.get(at)) {
                    let rank = terms.iter().filter_map(|term| weights.get(term)).sum();
                    ranked.push((rank, *fact));
                }
            }
            // Where two are equal, the newer one stays before the other.
            ranked.sort_by_key(|(rank, _)| Reverse(*rank));
            Ok(ranked.into_iter().map(|(_, fact)| fact).collect())
        })
    }

    /// Which of the terms a fact has, in its own text and in what is told of it.
    fn terms_of_fact(
        &self,
        view: &OutputView<'_>,
        guard: &OutputGuard<'_>,
        id: Handle,
        fact: &FactRecord,
        wanted: &[String],
    ) -> Result<Terms> {
        let body = Account::read_body(self.reader, fact.seq)?;
        let mut whole = Vec::new();
        if fact.locked {
            whole.extend(body.get("gist").and_then(Value::as_str));
        } else {
            whole.extend(body.get("payload").map(texts).unwrap_or_default());
            let details = body.get("details").and_then(Value::as_array);
            whole.extend(
                details
                    .into_iter()
                    .flatten()
                    .map(|detail| text_of(detail, "exact")),
            );
        }
        let whole: HashSet<String> = terms_of(&whole.join("\n")).into_iter().collect();
        let wanted = wanted.iter().filter(|term| whole.contains(*term));
        let wanted: Vec<&String> = wanted.collect();
        if wanted.is_empty() {
            return Ok(Terms::new());
        }
        let candidate = Candidate {
            key: String::new(),
            fact: id,
            kind: fact.kind.clone(),
            seq: fact.seq,
            chosen_by: None,
        };
        let told = told_terms(view, guard, &candidate)?;
        let both = wanted.into_iter().filter(|term| told.contains(term));
        Ok(both.cloned().collect())
    }
}

/// Keeps each fact once, and no more of a kind than the query allows.
fn keep_limits<'a>(query: &WorkingSetQuery, facts: Vec<Considered<'a>>) -> Vec<Considered<'a>> {
    let (mut kept, mut of_kind) = (Vec::new(), BTreeMap::new());
    let mut seen = HashSet::new();
    for (id, fact, why) in facts {
        let count: &mut u64 = of_kind.entry(&fact.kind).or_default();
        let limit = query.kind_limits.get(&fact.kind).copied();
        if seen.contains(&id) || *count >= limit.unwrap_or(u64::MAX) {
            continue;
        }
        *count += 1;
        seen.insert(id);
        kept.push((id, fact, why));
    }
    kept
}
