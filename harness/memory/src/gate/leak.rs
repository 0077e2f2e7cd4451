//! G2 ORC-PRECISION-LEAK: no exact string that is locked stands in any output.
//!
//! The search here shares nothing with the guard that keeps them out but the folding of text and the
//! walk through a value: every run of whole words of an output is looked up among the exact strings of
//! the log.

use std::collections::{BTreeSet, HashMap};

use rusqlite::params;
use serde_json::Value;

use super::{Finding, queries};
use crate::canonical::{Handle, texts};
use crate::error::Result;
use crate::fact::Fact;
use crate::fold::{Folded, MAX_TOKEN, MIN_TOKEN};
use crate::id::Id;
use crate::lens::{Audience, Lens};
use crate::log;
use crate::mask::OutputClass;

/// Every exact string, folded, and the details and facts whose it is.
type Tokens = HashMap<String, Vec<(Handle, Handle)>>;

pub(super) fn check(lens: &Lens, finding: &mut Finding) -> Result<()> {
    lens.at_once(|| {
        let (tokens, lengths) = tokens(lens)?;
        let (mut outputs, mut bytes) = (0, 0);
        let mut look = |what: &str, text: &str, audience: &Audience| -> Result<()> {
            outputs += 1;
            bytes += text.len();
            for handle in leaked(lens, &tokens, &lengths, text, audience)? {
                let class = audience.class.as_str();
                let viewers = audience.viewers.join(", ");
                finding.faults.push(format!(
                    "the {what} ({class}, seen by [{viewers}]) holds the exact string of {handle}"
                ));
            }
            Ok(())
        };
        for query in queries(lens)? {
            let set = lens.working_set(&query)?;
            look("working set", set.text(), &query.audience)?;
            // In the text of JSON an escape may stand inside a string.
            for text in texts(set.value()) {
                look("working set", text, &query.audience)?;
            }
            match query.audience.class {
                OutputClass::Prompt => {
                    look("prompt", lens.prompt(&query, "")?.text(), &query.audience)?;
                }
                OutputClass::Pvib => {
                    let brief = lens.pvib(&query, &set.allowmention())?;
                    look("PVIB", brief.canonical().text(), &query.audience)?;
                }
                _ => {}
            }
        }
        let briefs = briefs(lens, &tokens, &lengths, finding)?;
        let count = tokens.values().map(Vec::len).sum::<usize>();
        finding.checked.push(format!("{count} exact strings"));
        finding
            .checked
            .push(format!("{outputs} texts of outputs, {bytes} bytes"));
        finding
            .checked
            .push(format!("{briefs} image briefs as they were sent"));
        Ok(())
    })
}

fn tokens(lens: &Lens) -> Result<(Tokens, BTreeSet<usize>)> {
    let mut tokens = Tokens::new();
    let mut lengths = BTreeSet::new();
    // The guard has them from a table, which may be what is wrong.
    lens.each_entry(&mut |entry| {
        if entry.id == Id::Fact {
            let fact = Fact::new(entry.body)?;
            for detail in &fact.details {
                let folded = Folded::of(&detail.exact);
                lengths.insert(folded.len());
                let whose = (detail.handle, fact.id());
                tokens.entry(folded.text()).or_default().push(whose);
            }
        }
        Ok(())
    })?;
    Ok((tokens, lengths))
}

/// Whose exact strings stand in `text`, a find each.
fn found<'a>(
    tokens: &'a Tokens,
    lengths: &BTreeSet<usize>,
    text: &str,
) -> Vec<&'a [(Handle, Handle)]> {
    let folded = Folded::of(text);
    let mut all = Vec::new();
    for start in (0..folded.len()).filter(|&at| folded.begins(at)) {
        let last = folded.len().min(start + MAX_TOKEN);
        for end in start + MIN_TOKEN..=last {
            if !lengths.contains(&(end - start)) || !folded.ends(end) {
                continue;
            }
            if let Some(whose) = tokens.get(&folded.part(start, end)) {
                all.push(whose.as_slice());
            }
        }
    }
    all
}

fn leaked(
    lens: &Lens,
    tokens: &Tokens,
    lengths: &BTreeSet<usize>,
    text: &str,
    audience: &Audience,
) -> Result<BTreeSet<Handle>> {
    let view = lens.view(audience)?;
    let mut leaked = BTreeSet::new();
    for whose in found(tokens, lengths, text) {
        let mut free = false;
        for (handle, fact) in whose {
            free |= view.sees(*fact)? && lens.precise(&view.state, *fact, *handle)?;
        }
        if !free {
            leaked.extend(whose.first().map(|(handle, _)| *handle));
        }
    }
    Ok(leaked)
}

/// Briefs are kept as they were sent. What stands in one was unlocked before, or is not locked.
fn briefs(
    lens: &Lens,
    tokens: &Tokens,
    lengths: &BTreeSet<usize>,
    finding: &mut Finding,
) -> Result<usize> {
    let read = || {
        let mut all = lens
            .conn
            .prepare("SELECT seq FROM asset WHERE stage = 'REQUEST_SPEC' ORDER BY seq")?;
        let seqs: Vec<u64> = all
            .query_map(params![], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut briefs = Vec::new();
        for seq in seqs {
            briefs.push((seq, log::body(&lens.conn, seq)?));
        }
        Ok(briefs)
    };
    let briefs = read().map_err(lens.failed())?;
    for (seq, body) in &briefs {
        let document = body.get("document").unwrap_or(&Value::Null);
        let whole = document.to_string();
        let parts = texts(document).into_iter().chain([whole.as_str()]);
        for whose in parts.flat_map(|text| found(tokens, lengths, text)) {
            let mut free = false;
            for (handle, fact) in whose {
                free |= was_free(lens, *handle, *fact, *seq).map_err(lens.failed())?;
            }
            if let (false, Some((handle, _))) = (free, whose.first()) {
                finding.faults.push(format!(
                    "the image brief {seq} holds the exact string of {handle}"
                ));
            }
        }
    }
    Ok(briefs.len())
}

/// Whether a detail was unlocked when the entry `seq` was appended, or was there only later. What ends
/// an unlock is taken from the log: the end of the scene, another session.
fn was_free(lens: &Lens, handle: Handle, fact: Handle, seq: u64) -> rusqlite::Result<bool> {
    let mut find = lens.conn.prepare_cached(
        "SELECT 1 FROM fact WHERE fact = ?2 AND (locked = 0 OR seq > ?3)
         UNION ALL
         SELECT 1 FROM unlocked WHERE handle IN (?1, ?2) AND seq < ?3
         AND (scope = 'CAMPAIGN' OR NOT EXISTS (
             SELECT 1 FROM log WHERE log.seq > unlocked.seq AND log.seq < ?3
             AND (id = 'EV-032' AND scope = 'SCENE'
                  OR id = 'STATE' AND CAST(body AS TEXT) ->> '$.session_id' IS NOT NULL)))",
    )?;
    find.exists(params![handle.0, fact.0, seq])
}
