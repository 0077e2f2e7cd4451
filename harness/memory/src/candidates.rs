//! The facts that a query may get, in the order in which a working set considers them.

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::fact_order::Stage;
use crate::fact_source::{Candidate, FactSource};
use crate::matching::find_matching;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::query::WorkingSetQuery;

/// Hands the facts of a query that may be seen to `visit`, in the order that the query asks for, until it says that none is
/// wanted any more.
pub(crate) fn for_each_candidate(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    visit: &mut dyn FnMut(&Candidate) -> Result<bool>,
) -> Result<()> {
    let source = FactSource::new(view, query);
    let mut visited = HashSet::new();
    let mut of_kind: BTreeMap<String, u64> = BTreeMap::new();
    let mut visit_once = |candidate: &Candidate| {
        let count = of_kind.entry(candidate.kind.clone()).or_default();
        let limit = query.kind_limits.get(&candidate.kind);
        if limit.is_some_and(|limit| *count >= *limit) || !visited.insert(candidate.fact) {
            return Ok(true);
        }
        *count += 1;
        visit(candidate)
    };
    for stage in query.order.stages() {
        let listed = match stage {
            Stage::Pointed => source.list_pointed()?,
            Stage::Matching => {
                let search = query.search.as_deref().unwrap_or_default();
                find_matching(&source, guard, search)?
            }
            Stage::Newest | Stage::Ordered => {
                source.for_each(*stage, &mut visit_once)?;
                continue;
            }
        };
        for candidate in listed {
            if !visit_once(&candidate)? {
                return Ok(());
            }
        }
    }
    Ok(())
}
