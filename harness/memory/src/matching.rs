//! Searching facts, and ranking what is found by whole numbers.
//!
//! What is searched is what the audience is told: facts it may not see and strings that are locked for it count nowhere,
//! neither in what is found nor in how rare a term is. So a working set says nothing of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Map, Value};

use crate::error::Result;
use crate::fact::read_fact_body;
use crate::fact_order::Stage;
use crate::fact_source::{Candidate, FactSource};
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::search_index::{list_with_term, searched_text};
use crate::search_terms::{MOST_TERMS, terms_of};

/// The most facts with a term that are counted, the newest ones.
pub(crate) const MOST_COUNTED: u32 = 256;

/// How many entries are read of the index at a time.
const PAGE: u32 = 512;

/// A fact that has one of the terms, and which of them, by their numbers.
struct MatchedFact {
    candidate: Candidate,
    has: Vec<bool>,
    is_counted: bool,
}

/// The terms that are searched for.
pub(crate) fn search_terms(search: &str) -> Vec<String> {
    let mut terms = terms_of(search);
    terms.truncate(MOST_TERMS);
    terms
}

/// The weight of a term that so many facts have.
pub(crate) fn weigh(facts: u32) -> u32 {
    match facts.min(MOST_COUNTED) {
        0 => 0,
        facts => 9 - facts.ilog2(),
    }
}

/// The terms of the text of a fact that a search knows, as the audience is told it: what stands in a payload that is
/// replaced as a whole is not found.
pub(crate) fn told_terms(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    candidate: &Candidate,
) -> Result<Vec<String>> {
    let mut body = read_fact_body(&view.reader.conn, candidate.fact, candidate.seq)
        .map_err(|error| error.into_memory_error(view.reader.read_error()))?;
    if let Some(gist) = &mut body.gist {
        *gist = guard.redact_text(gist)?;
    }
    body.payload = match guard.redact_value(&Value::Object(body.payload))? {
        Value::Object(payload) => payload,
        _ => Map::new(),
    };
    for detail in body.details.iter_mut().flatten() {
        detail.exact = guard.redact_text(&detail.exact)?;
    }
    Ok(terms_of(&searched_text(&body)))
}

/// Finds the facts that match a search, the best first.
pub(crate) fn find_matching(
    source: &FactSource<'_, '_>,
    guard: &OutputGuard<'_>,
    search: &str,
) -> Result<Vec<Candidate>> {
    let terms = search_terms(search);
    let mut looked_at: BTreeMap<u64, Option<MatchedFact>> = BTreeMap::new();
    let mut weights = Vec::with_capacity(terms.len());
    for (number, term) in terms.iter().enumerate() {
        let mut count = 0;
        let mut before = i64::MAX;
        'pages: loop {
            let conn = &source.view.reader.conn;
            let page = list_with_term(conn, term, before, PAGE);
            let page = page.map_err(source.view.reader.read_error())?;
            let Some(last) = page.last() else { break };
            before = last.cast_signed();
            for seq in page {
                let found = match looked_at.entry(seq) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(look_at(source, guard, seq, &terms)?),
                };
                if let Some(found) = found
                    && found.has.get(number) == Some(&true)
                {
                    found.is_counted = true;
                    count += 1;
                    if count == MOST_COUNTED {
                        break 'pages;
                    }
                }
            }
        }
        weights.push(weigh(count));
    }
    let found = looked_at.into_values().flatten();
    let mut ranked: Vec<(u32, Candidate)> = found
        .filter(|found| found.is_counted)
        .map(|found| {
            let has = found.has.iter().zip(&weights);
            let rank = has.filter(|(has, _)| **has).map(|(_, weight)| weight).sum();
            (rank, found.candidate)
        })
        .collect();
    ranked.sort_by_key(|(rank, candidate)| (Reverse(*rank), Reverse(candidate.seq)));
    Ok(ranked.into_iter().map(|(_, candidate)| candidate).collect())
}

/// Looks at a fact of the index: whether the query may get it, and which terms the audience is told. A text in the
/// index may hold a string that is locked.
fn look_at(
    source: &FactSource<'_, '_>,
    guard: &OutputGuard<'_>,
    seq: u64,
    terms: &[String],
) -> Result<Option<MatchedFact>> {
    let Some(candidate) = source.find(seq)? else {
        return Ok(None);
    };
    let told = told_terms(source.view, guard, &candidate)?;
    Ok(Some(MatchedFact {
        has: terms.iter().map(|term| told.contains(term)).collect(),
        candidate: Candidate {
            chosen_by: Some(Stage::Matching),
            ..candidate
        },
        is_counted: false,
    }))
}
