//! The queries whose outputs the gates look at.

use std::collections::BTreeSet;

use serde_json::Value;

use super::account::Account;
use crate::audience::Audience;
use crate::error::{MemoryError, Result};
use crate::fact_order::FactOrder;
use crate::mask::OutputClass;
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::working_set::WorkingSet;

/// The query whose working set G1 compares with a golden hash: all that is public, 8000 tokens.
#[must_use]
pub fn canonical_query() -> WorkingSetQuery {
    let audience = Audience {
        class: OutputClass::WorkingSet,
        viewers: Vec::new(),
    };
    WorkingSetQuery::new(audience, 8000)
}

/// The budget of the stages after the first.
const STAGE_BUDGET: u64 = 256_000;

/// The most players of whom each is an audience.
const MAX_PLAYERS: usize = 32;

/// The most kinds that are asked for one by one.
const MAX_KINDS: usize = 8;

/// How much of the memory the outputs together hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Coverage {
    /// The beginning for every class and audience, and every fact for one of them.
    Once,
    /// The same, and every fact in each class and for each audience.
    EachClassAndAudience,
}

/// How many queries the gates make up, and how many for more facts than the number beside.
const MADE_UP: usize = 24;
const MADE_UP_FOR_MANY: (usize, usize) = (6, 10_000);

/// The queries that the gates make up: with words, tags, keys and kinds that facts have, in each order. They follow from the
/// facts, so that a gate does the same each time. A memory without the plan has one order alone, and gets none of them.
pub(super) fn make_up_queries(
    reader: &MemoryReader,
    account: &Account,
) -> Result<Vec<WorkingSetQuery>> {
    let mut queries = Vec::new();
    let facts: Vec<_> = account.facts.iter().collect();
    if !reader.has_plan()? || facts.is_empty() {
        return Ok(queries);
    }
    let audiences = list_audiences(account);
    let mut numbers = Numbers(facts.len() as u64);
    let (fewer, many) = MADE_UP_FOR_MANY;
    let count = if facts.len() > many { fewer } else { MADE_UP };
    for number in 0..count {
        let class = OutputClass::ALL.into_iter().cycle().nth(number);
        let viewers = numbers.pick(&audiences).cloned().unwrap_or_default();
        let mut query = WorkingSetQuery {
            audience: Audience {
                class: class.unwrap_or(OutputClass::WorkingSet),
                viewers,
            },
            ..canonical_query()
        };
        query.budget = 2500 + numbers.below(8000);
        let mut words = Vec::new();
        for _ in 0..numbers.below(5) {
            if let Some(((key, id), fact)) = numbers.pick(&facts) {
                let body = Account::read_body(reader, fact.seq)?;
                let members = match numbers.below(2) {
                    0 => ["gist", "payload"],
                    _ => ["payload", "gist"],
                };
                let text = members.iter().find_map(|member| body.get(*member));
                let text = text.map(Value::to_string);
                let text = text.unwrap_or_default();
                let all: Vec<&str> = text.split_whitespace().collect();
                words.extend(numbers.pick(&all).map(|word| (*word).to_owned()));
                match numbers.below(12) {
                    0 => query.kinds.push(fact.kind.clone()),
                    1 => query.tags.extend(numbers.pick(&fact.tags).cloned()),
                    2 => query.key_prefix = key.get(..1).map(str::to_owned),
                    3 => query.handles.push(*id),
                    4 | 5 => {
                        let limit = numbers.below(4);
                        query.kind_limits.insert(fact.kind.clone(), limit);
                    }
                    _ => {}
                }
            }
        }
        if !words.is_empty() {
            query = query.with_search(&words.join(" "));
        }
        query.order = match number % 6 {
            0 => FactOrder::Newest,
            1 => FactOrder::Key,
            2 => FactOrder::Matching,
            _ => FactOrder::Plan,
        };
        queries.push(query);
    }
    Ok(queries)
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit.max(1)
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let at = usize::try_from(self.below(of.len() as u64));
        at.ok().and_then(|at| of.get(at))
    }
}

/// The audiences: nobody, each player that a mask names, all of these players.
fn list_audiences(account: &Account) -> Vec<Vec<String>> {
    let mut players: Vec<String> = account
        .facts
        .values()
        .flat_map(|fact| fact.players.iter().cloned())
        .collect();
    players.sort();
    players.dedup();
    players.truncate(MAX_PLAYERS);
    let mut audiences: Vec<Vec<String>> = vec![Vec::new()];
    audiences.extend(players.iter().map(|player| vec![player.clone()]));
    if players.len() > 1 {
        audiences.push(players);
    }
    audiences
}

/// Hands the working sets of every class and audience to `visit`, with the facts by their keys, and as many further
/// stages as `coverage` asks for: each begins after the last fact of the one before. Where a working set holds
/// nothing because one thing is too large, the budget is raised until it does.
pub(super) fn for_each_output(
    reader: &MemoryReader,
    account: &Account,
    coverage: Coverage,
    visit: &mut dyn FnMut(&WorkingSetQuery, Result<WorkingSet>) -> Result<()>,
) -> Result<()> {
    let mut purposes: Vec<String> = account
        .compactions
        .iter()
        .map(|compaction| compaction.purpose.clone())
        .collect();
    purposes.dedup();
    let audiences = list_audiences(account);
    let classes = OutputClass::ALL.len();
    let walks = match coverage {
        Coverage::Once => 1,
        Coverage::EachClassAndAudience => classes.max(audiences.len()),
    };
    for (class_number, class) in OutputClass::ALL.into_iter().enumerate() {
        for (number, viewers) in audiences.iter().enumerate() {
            let query = WorkingSetQuery {
                audience: Audience {
                    class,
                    viewers: viewers.clone(),
                },
                purposes: purposes.clone(),
                order: FactOrder::Key,
                ..canonical_query()
            };
            let is_walked = (0..walks)
                .any(|walk| walk % classes == class_number && walk % audiences.len() == number);
            if is_walked && !query.purposes.is_empty() {
                // A compaction that does not fit leaves no room for facts.
                let mut without = query.clone();
                without.purposes.clear();
                walk(reader, account, without, false, visit)?;
            }
            walk(reader, account, query, is_walked, visit)?;
        }
    }
    for kinds in list_kinds(account) {
        let query = WorkingSetQuery {
            kinds,
            order: FactOrder::Key,
            ..canonical_query()
        };
        walk(reader, account, query, false, visit)?;
    }
    Ok(())
}

/// The kinds to ask for: each by itself, and the first two together.
fn list_kinds(account: &Account) -> Vec<Vec<String>> {
    let kinds: BTreeSet<&String> = account.facts.values().map(|fact| &fact.kind).collect();
    let kinds: Vec<String> = kinds.into_iter().take(MAX_KINDS).cloned().collect();
    let both = kinds.get(..2).map(<[String]>::to_vec);
    let each = kinds.into_iter().map(|kind| vec![kind]);
    each.chain(both).collect()
}

/// Hands the working sets of a query to `visit`: stage by stage, until every fact was in one, or where not `to_the_end`
/// up to the first that holds a fact.
fn walk(
    reader: &MemoryReader,
    account: &Account,
    mut query: WorkingSetQuery,
    to_the_end: bool,
    visit: &mut dyn FnMut(&WorkingSetQuery, Result<WorkingSet>) -> Result<()>,
) -> Result<()> {
    loop {
        let (raised, set) = build_in_budget(reader, query);
        query = raised;
        let set = match set {
            Err(error) => return visit(&query, Err(error)),
            Ok(set) => set,
        };
        let is_reduced = set.is_reduced();
        let (complete, last) = (set.is_complete(), set.facts.last().map(|fact| fact.fact_id));
        visit(&query, Ok(set))?;
        let last = last.and_then(|fact| Some((account.key_of(fact)?.to_owned(), fact)));
        match last {
            _ if complete => return Ok(()),
            // A larger budget tells in whole what is above its quota.
            _ if is_reduced && to_the_end && query.budget < u64::MAX / 8 => {
                query.budget = query.budget.saturating_mul(4);
            }
            Some(_) if !to_the_end => return Ok(()),
            Some(last) if query.after.as_ref() < Some(&last) => {
                query.after = Some(last);
                query.purposes.clear();
                query.budget = STAGE_BUDGET;
            }
            _ if query.budget < u64::MAX / 8 => query.budget = query.budget.saturating_mul(4),
            _ => return Ok(()),
        }
    }
}

/// Builds a working set, with a larger budget where the parts that are never cut do not fit.
pub(super) fn build_in_budget(
    reader: &MemoryReader,
    mut query: WorkingSetQuery,
) -> (WorkingSetQuery, Result<WorkingSet>) {
    loop {
        match reader.build_working_set(&query) {
            Err(MemoryError::Budget { needed, given }) if needed > given => {
                query.budget = needed * 2
            }
            set => return (query, set),
        }
    }
}
