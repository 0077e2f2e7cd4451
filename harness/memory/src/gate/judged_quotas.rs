//! Judging working sets of the second revision of the truncation policy: what each quota leaves out, and where each slice
//! ends.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::account::{Account, FactRecord};
use super::judge::{ExpectedSlices, HANDLE_BYTES, Judge, SLACK_BYTES, with_reason};
use crate::canonical::CanonicalJson;
use crate::error::Result;
use crate::handle::Handle;
use crate::query::WorkingSetQuery;
use crate::working_set::WorkingSet;

/// The most handles of what is left out that a working set names.
const MAX_NAMED: usize = 8;

/// How many slices and lists of handles a working set has. The memory counts a comma after the last item of each, so that
/// its last bytes stay empty.
const SLICES: usize = 4;

/// How much room a working set has, as its own bytes show it.
struct Sizes {
    /// The most that one fact or compaction takes.
    quota: usize,
    /// The most that all compactions take.
    half: usize,
    /// What is left.
    free: usize,
}

/// What becomes of a fact or compaction that the working set does not tell.
enum Absence {
    /// It is above its quota.
    LeftOut,
    /// The slice ends before it.
    End,
    /// What was replaced by `[locked]` decides it.
    Unclear,
}

impl Sizes {
    fn of(set: &WorkingSet, limit: u64) -> Result<Sizes> {
        let mut frame = set.value().clone();
        for name in [
            "allowmention_handles",
            "locked_precision_handles",
            "facts_slice",
            "compactions_slice",
            "left_out",
        ] {
            if let Some(slice) = frame.get_mut(name) {
                *slice = Value::Array(Vec::new());
            }
        }
        if let Some(complete) = frame.get_mut("complete") {
            *complete = Value::Bool(false);
        }
        let frame = CanonicalJson::from_value("the frame", frame)?.bytes().len();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let room = limit.saturating_sub(frame);
        Ok(Sizes {
            quota: room / 4,
            half: room / 2,
            free: limit.saturating_sub(set.bytes().len()),
        })
    }

    /// What becomes of a thing that takes so many bytes in whole, and so many as its gist, and is not told.
    fn judge_absence(&self, whole: usize, gist: Option<usize>, is_named: bool) -> Absence {
        let is_near = |bytes: usize| bytes.abs_diff(self.quota) <= SLACK_BYTES;
        let is_over = |bytes: usize| bytes > self.quota;
        match gist {
            _ if is_named => Absence::LeftOut,
            _ if is_near(whole) || gist.is_some_and(is_near) => Absence::Unclear,
            _ if !is_over(whole) => Absence::End,
            Some(gist) if !is_over(gist) => Absence::End,
            _ => Absence::LeftOut,
        }
    }

    fn fits(&self, bytes: usize) -> bool {
        bytes + SLACK_BYTES <= self.free
    }
}

/// What is left out, and what a slice's end shows.
#[derive(Default)]
struct Absent {
    left_out: Vec<Handle>,
    /// Whether a slice ended before its last thing.
    has_ended: bool,
    /// Whether a fact is told by its gist for its quota.
    has_gist: bool,
    is_unclear: bool,
    faults: Vec<String>,
}

impl Judge<'_> {
    /// The slices that a working set must have, and what is wrong with where they end.
    pub(super) fn expect_within_quotas(
        &self,
        query: &WorkingSetQuery,
        set: &WorkingSet,
        limit: u64,
    ) -> Result<(ExpectedSlices, Vec<String>)> {
        let sizes = Sizes::of(set, limit)?;
        let (mut slices, mut absent) = (ExpectedSlices::default(), Absent::default());
        self.expect_compactions(query, set, &sizes, &mut slices, &mut absent)?;
        let had_ended = std::mem::take(&mut absent.has_ended);
        self.expect_facts(query, set, &sizes, &mut slices, &mut absent)?;
        let ended = had_ended || absent.has_ended;
        let mut faults = absent.faults;
        let is_complete = !ended && !absent.has_gist && absent.left_out.is_empty();
        let says_complete = set.value().get("complete") == Some(&Value::Bool(true));
        if says_complete != is_complete && !absent.is_unclear {
            let fault = match says_complete {
                true => "it says that it is complete, and there is more",
                false => "it says that something was left out, and nothing was",
            };
            faults.push(fault.to_owned());
        }
        let named = named_in(set);
        let wanted = absent.left_out.len().min(MAX_NAMED);
        let is_beginning = absent.left_out.starts_with(&named) && named.len() <= MAX_NAMED;
        let is_short = named.len() < wanted && sizes.free >= HANDLE_BYTES + SLICES;
        if (!is_beginning || is_short) && !absent.is_unclear {
            let (named, wanted) = (json!(named), json!(absent.left_out));
            faults.push(format!("left_out is {named}, and the log gives {wanted}"));
        }
        Ok((slices, faults))
    }

    fn expect_compactions(
        &self,
        query: &WorkingSetQuery,
        set: &WorkingSet,
        sizes: &Sizes,
        slices: &mut ExpectedSlices,
        absent: &mut Absent,
    ) -> Result<()> {
        let told = handles_in(set, "compactions_slice", "compaction_id");
        let named = named_in(set);
        let mut used = 0;
        for compaction in self.compactions_for(query) {
            let item = json!({
                "compaction_id": compaction.id,
                "purpose": compaction.purpose,
                "lines": self.expect_lines(&compaction.inputs)?,
            });
            let bytes = item.to_string().len() + 1;
            let at = slices.compactions.len();
            if told.get(at) == Some(&compaction.id) {
                used += bytes;
                slices.compactions.push(item);
                continue;
            }
            match sizes.judge_absence(bytes, None, named.contains(&compaction.id)) {
                Absence::LeftOut => absent.left_out.push(compaction.id),
                Absence::Unclear => {
                    absent.is_unclear = true;
                    // What has something told after it is left out.
                    if told.len() == at {
                        return Ok(());
                    }
                    absent.left_out.push(compaction.id);
                }
                Absence::End => {
                    absent.has_ended = true;
                    // What was replaced in those before makes them longer or shorter.
                    let slack = SLACK_BYTES * (1 + slices.compactions.len());
                    if used + bytes + slack <= sizes.half {
                        let fault = "it ends before a compaction that fits";
                        absent.faults.push(fault.to_owned());
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn expect_facts(
        &self,
        query: &WorkingSetQuery,
        set: &WorkingSet,
        sizes: &Sizes,
        slices: &mut ExpectedSlices,
        absent: &mut Absent,
    ) -> Result<()> {
        let told = handles_in(set, "facts_slice", "fact_id");
        let places: HashMap<Handle, usize> = told.iter().copied().zip(0..).collect();
        let named = named_in(set);
        let mut expected = Vec::new();
        for (id, fact, why) in self.consider(query)? {
            let mut whole = ExpectedSlices::default();
            let item = with_reason(self.expect_item(id, fact, &mut whole)?, why);
            let handles = whole.open.len() + whole.locked.len();
            let bytes = item.to_string().len() + 1 + handles * HANDLE_BYTES;
            let gist = self.expect_gist(id, fact)?;
            let gist = gist.map(|gist| with_reason(gist, why));
            let gist_bytes = gist.as_ref().map(|gist| gist.to_string().len() + 1);
            if let Some(at) = places.get(&id) {
                if let Some(gist) = gist.filter(|_| self.is_told_by_gist(set, *at, id)) {
                    absent.has_gist = true;
                    let more = bytes.saturating_sub(gist_bytes.unwrap_or_default());
                    if bytes + SLACK_BYTES <= sizes.quota || sizes.fits(more) {
                        absent
                            .faults
                            .push(format!("the fact {id} is told by its gist, and fits"));
                    }
                    whole = ExpectedSlices::default();
                    whole.facts.push(gist);
                } else {
                    whole.facts.push(item);
                }
                expected.push(self.place_fact(id, whole));
                continue;
            }
            match sizes.judge_absence(bytes, gist_bytes, named.contains(&id)) {
                Absence::LeftOut => {
                    if sizes.fits(bytes) {
                        absent
                            .faults
                            .push(format!("the fact {id} is left out, and fits"));
                    }
                    absent.left_out.push(id);
                }
                Absence::Unclear => {
                    absent.is_unclear = true;
                    // What has something told after it is left out.
                    if told.len() == expected.len() {
                        break;
                    }
                    absent.left_out.push(id);
                }
                Absence::End => {
                    absent.has_ended = true;
                    let needed = match gist_bytes {
                        Some(gist) if bytes > sizes.quota => gist,
                        _ => bytes,
                    };
                    if sizes.fits(needed) {
                        let fault = "it ends before a fact that fits";
                        absent.faults.push(fault.to_owned());
                    }
                    break;
                }
            }
        }
        slices.lay_out(expected);
        Ok(())
    }

    /// Whether a fact that is open is told by its gist.
    fn is_told_by_gist(&self, set: &WorkingSet, at: usize, id: Handle) -> bool {
        let form = set.value().pointer(&format!("/facts_slice/{at}/form"));
        self.account.is_open(id) && form == Some(&Value::from("GIST"))
            || !self.account.is_open(id) && !names_handle(set, id)
    }

    /// A fact as its gist tells it, whatever is open of it.
    fn expect_gist(&self, id: Handle, fact: &FactRecord) -> Result<Option<Value>> {
        let body = Account::read_body(self.reader, fact.seq)?;
        let gist = body.get("gist");
        Ok(gist
            .map(|gist| json!({ "fact_id": id, "kind": fact.kind, "form": "GIST", "gist": gist })))
    }
}

/// Whether the working set has a fact among what is locked.
fn names_handle(set: &WorkingSet, id: Handle) -> bool {
    let locked = set.value().get("locked_precision_handles");
    let mut locked = locked.and_then(Value::as_array).into_iter().flatten();
    locked.any(|handle| *handle == json!(id))
}

fn named_in(set: &WorkingSet) -> Vec<Handle> {
    let named = set.value().get("left_out").and_then(Value::as_array);
    let named = named.into_iter().flatten().filter_map(Value::as_str);
    named.filter_map(Handle::parse).collect()
}

/// The handles of a slice's items.
fn handles_in(set: &WorkingSet, slice: &str, member: &str) -> Vec<Handle> {
    let items = set.value().get(slice).and_then(Value::as_array);
    let items = items
        .into_iter()
        .flatten()
        .map(|item| item.get(member).and_then(Value::as_str));
    items
        .map_while(|handle| handle.and_then(Handle::parse))
        .collect()
}
