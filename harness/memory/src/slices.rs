//! The slices of a working set: the compactions and facts that fit, in their order, as they may be told
//! (document, section 4.5).

use serde::Serialize;
use serde_json::Value;

use crate::budget::Room;
use crate::candidates::for_each_candidate;
use crate::compaction;
use crate::error::Result;
use crate::fact_source::Candidate;
use crate::handle::Handle;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::query::{WorkingSetQuery, sorted};
use crate::told_fact::{FactItem, ToldFact, tell_fact};

/// The part of a working set that the budget cuts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slices {
    pub(crate) compactions: Vec<CompactionItem>,
    /// The facts with their keys, in the order in which they were considered.
    facts: Vec<(String, ToldFact)>,
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

impl Slices {
    /// Leaves the last thing out: the fact that was considered last, then the last compaction, then the last name of what is
    /// left out. False where nothing is left.
    pub(crate) fn drop_last(&mut self) -> bool {
        self.truncated = true;
        self.facts.pop().is_some()
            || self.compactions.pop().is_some()
            || self.left_out.pop().is_some()
    }

    pub(crate) fn push(&mut self, candidate: &Candidate, told: ToldFact) {
        self.facts.push((candidate.key.clone(), told));
    }

    /// The facts in the order of the ordering policy.
    pub(crate) fn lay_out(&self) -> FactsSlice {
        let mut facts: Vec<&(String, ToldFact)> = self.facts.iter().collect();
        facts.sort_by_key(|(key, told)| (key, told.item.fact_id));
        let mut slice = FactsSlice::default();
        for (_, told) in facts {
            slice.items.push(told.item.clone());
            slice.open.extend(&told.open);
            slice.locked.extend(&told.locked);
        }
        slice
    }
}

/// The facts of a working set, and what may and may not be mentioned exactly of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FactsSlice {
    pub(crate) items: Vec<FactItem>,
    pub(crate) open: Vec<Handle>,
    pub(crate) locked: Vec<Handle>,
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
    for_each_candidate(view, guard, query, &mut |candidate| {
        let told = tell_fact(view, guard, candidate)?;
        if !room.take(told.measure(room)?) {
            slices.truncated = true;
            return Ok(false);
        }
        slices.push(candidate, told);
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
