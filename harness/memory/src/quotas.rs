//! The slices of a working set by the second revision of the truncation policy: nothing that is too large hides what comes
//! after it.

use crate::budget::Room;
use crate::candidates::for_each_candidate;
use crate::error::Result;
use crate::fact_source::Candidate;
use crate::output_guard::OutputGuard;
use crate::output_view::OutputView;
use crate::query::WorkingSetQuery;
use crate::slices::{Slices, for_each_compaction};
use crate::told_fact::{ToldFact, tell_fact, tell_gist};

/// The most handles of what is left out that a working set names.
const MAX_NAMED: usize = 8;

/// A fact that a working set tells or leaves out.
struct Choice {
    candidate: Candidate,
    told: Option<ToldFact>,
    /// For a fact above its quota: what it takes in whole, and what it takes as it is told.
    reduced: Option<(u64, u64)>,
}

/// Fills the slices within quotas.
pub(crate) fn fill_by_quotas(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    query: &WorkingSetQuery,
    room: &mut Room<'_>,
) -> Result<Slices> {
    let (quota, half) = (room.left() / 4, room.left() / 2);
    let mut slices = Slices::default();
    let mut too_large = Vec::new();
    for_each_compaction(view, guard, query, &mut |item| {
        let needed = room.measure(&item, [])?;
        if needed > quota {
            too_large.push(item.compaction_id);
            return Ok(true);
        }
        if room.left() < half + needed || !room.take(needed) {
            slices.truncated = true;
            return Ok(false);
        }
        slices.compactions.push(item);
        Ok(true)
    })?;
    let mut choices = Vec::new();
    for_each_candidate(view, guard, query, &mut |candidate| {
        let told = tell_fact(view, guard, candidate)?;
        let needed = told.measure(room)?;
        let choice = match needed > quota {
            true => reduce(view, guard, (candidate, needed), quota, room)?,
            false => Choice {
                candidate: candidate.clone(),
                told: Some(told),
                reduced: None,
            },
        };
        let takes = choice.reduced.map_or(needed, |(_, takes)| takes);
        if !room.take(takes) {
            slices.truncated = true;
            return Ok(false);
        }
        choices.push(choice);
        Ok(true)
    })?;
    tell_in_whole(view, guard, &mut choices, room)?;
    slices.reduced = !too_large.is_empty();
    for choice in choices {
        slices.reduced |= choice.reduced.is_some();
        match choice.told {
            Some(told) => slices.push(&choice.candidate, told),
            None => too_large.push(choice.candidate.fact),
        }
    }
    slices.truncated |= slices.reduced;
    for handle in too_large.into_iter().take(MAX_NAMED) {
        if room.take(room.measure_handle(handle)?) {
            slices.left_out.push(handle);
        }
    }
    Ok(slices)
}

/// Tells a fact above its quota by its gist, or leaves it out where it has none within the quota.
fn reduce(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    (candidate, whole): (&Candidate, u64),
    quota: u64,
    room: &Room<'_>,
) -> Result<Choice> {
    let mut told = tell_gist(view, guard, candidate)?;
    let mut takes = match &told {
        Some(gist) => gist.measure(room)?,
        None => 0,
    };
    if takes > quota {
        (told, takes) = (None, 0);
    }
    Ok(Choice {
        candidate: candidate.clone(),
        told,
        reduced: Some((whole, takes)),
    })
}

/// Tells what is above its quota in whole, where the others left room for it.
fn tell_in_whole(
    view: &OutputView<'_>,
    guard: &OutputGuard<'_>,
    choices: &mut [Choice],
    room: &mut Room<'_>,
) -> Result<()> {
    for choice in choices {
        if let Some((whole, takes)) = choice.reduced
            && room.take(whole.saturating_sub(takes))
        {
            choice.told = Some(tell_fact(view, guard, &choice.candidate)?);
            choice.reduced = None;
        }
    }
    Ok(())
}
