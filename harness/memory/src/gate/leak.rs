//! G2 ORC-PRECISION-LEAK: no exact string that is locked stands in any output.
//!
//! The search here shares nothing with the guard that keeps them out but the folding of text and the
//! walk through a value: every run of whole words of an output is looked up among the exact strings of
//! the log.

use std::collections::{BTreeSet, HashMap};

use rusqlite::params;
use serde_json::Value;

use super::queries::output_queries;
use super::report::GateReport;
use crate::audience::Audience;
use crate::bodies::AssetBody;
use crate::canonical::texts;
use crate::entry::EntryKind;
use crate::error::Result;
use crate::fact::Fact;
use crate::folded_text::{FoldedText, MAX_EXACT, MIN_EXACT};
use crate::handle::Handle;
use crate::log;
use crate::mask::OutputClass;
use crate::output_view::OutputView;
use crate::reader::MemoryReader;

/// Every exact string, folded, and the details and facts whose string it is.
type ExactStrings = HashMap<String, Vec<(Handle, Handle)>>;

pub(super) fn check(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    reader.read_at_once(|| {
        let (strings, lengths) = read_exact_strings(reader)?;
        let (mut outputs, mut bytes) = (0, 0);
        let mut search = |what: &str, text: &str, audience: &Audience| -> Result<()> {
            outputs += 1;
            bytes += text.len();
            for handle in find_leaks(reader, &strings, &lengths, text, audience)? {
                let class = audience.class.as_str();
                let viewers = audience.viewers.join(", ");
                report.faults.push(format!(
                    "the {what} ({class}, seen by [{viewers}]) holds the exact string of {handle}"
                ));
            }
            Ok(())
        };
        for query in output_queries(reader)? {
            let set = reader.build_working_set(&query)?;
            search("working set", set.text(), &query.audience)?;
            // In the text of JSON an escape may stand inside a string.
            for text in texts(set.value()) {
                search("working set", text, &query.audience)?;
            }
            match query.audience.class {
                OutputClass::Prompt => {
                    search(
                        "prompt",
                        reader.build_prompt(&query, "")?.text(),
                        &query.audience,
                    )?;
                }
                OutputClass::Pvib => {
                    let brief = reader.build_image_brief(&query, None)?;
                    search("PVIB", brief.canonical().text(), &query.audience)?;
                }
                _ => {}
            }
        }
        let briefs = check_sent_briefs(reader, &strings, &lengths, report)?;
        let count = strings.values().map(Vec::len).sum::<usize>();
        report.checked.push(format!("{count} exact strings"));
        report
            .checked
            .push(format!("{outputs} texts of outputs, {bytes} bytes"));
        report
            .checked
            .push(format!("{briefs} image briefs as they were sent"));
        Ok(())
    })
}

fn read_exact_strings(reader: &MemoryReader) -> Result<(ExactStrings, BTreeSet<usize>)> {
    let mut strings = ExactStrings::new();
    let mut lengths = BTreeSet::new();
    // The guard reads the strings from a table, which may be what is wrong.
    reader.for_each_entry(&mut |entry| {
        if entry.kind == EntryKind::Fact {
            let fact = Fact::new(&entry.body)?;
            for detail in fact.details() {
                let folded = FoldedText::new(&detail.exact);
                lengths.insert(folded.len());
                let whose = (detail.handle, fact.id());
                strings.entry(folded.text()).or_default().push(whose);
            }
        }
        Ok(())
    })?;
    Ok((strings, lengths))
}

/// Finds the exact strings in `text`; gives for each occurrence the details and facts whose it is.
fn find_exact_strings<'a>(
    strings: &'a ExactStrings,
    lengths: &BTreeSet<usize>,
    text: &str,
) -> Vec<&'a [(Handle, Handle)]> {
    let folded = FoldedText::new(text);
    let mut all = Vec::new();
    for start in (0..folded.len()).filter(|&at| folded.begins(at)) {
        let last = folded.len().min(start + MAX_EXACT);
        for end in start + MIN_EXACT..=last {
            if !lengths.contains(&(end - start)) || !folded.ends(end) {
                continue;
            }
            if let Some(whose) = strings.get(&folded.part(start, end)) {
                all.push(whose.as_slice());
            }
        }
    }
    all
}

fn find_leaks(
    reader: &MemoryReader,
    strings: &ExactStrings,
    lengths: &BTreeSet<usize>,
    text: &str,
    audience: &Audience,
) -> Result<BTreeSet<Handle>> {
    let view = OutputView::new(reader, audience)?;
    let mut leaked = BTreeSet::new();
    for whose in find_exact_strings(strings, lengths, text) {
        let mut is_open = false;
        for (handle, fact) in whose {
            is_open |= view.is_open(*fact, *handle)?;
        }
        if !is_open {
            leaked.extend(whose.first().map(|(handle, _)| *handle));
        }
    }
    Ok(leaked)
}

/// Checks the image briefs as they were sent: each exact string in one was open when the brief was sent.
/// Gives the number of briefs.
fn check_sent_briefs(
    reader: &MemoryReader,
    strings: &ExactStrings,
    lengths: &BTreeSet<usize>,
    report: &mut GateReport,
) -> Result<usize> {
    let read = || {
        let mut all = reader
            .conn
            .prepare("SELECT seq FROM asset WHERE stage = 'REQUEST_SPEC' ORDER BY seq")?;
        let seqs = all.query_map(params![], |row| row.get(0))?;
        seqs.map(|seq| {
            let seq: u64 = seq?;
            let body: AssetBody = log::read_body(&reader.conn, seq)?;
            Ok((seq, Value::Object(body.document)))
        })
        .collect::<rusqlite::Result<Vec<_>>>()
    };
    let briefs = read().map_err(reader.read_error())?;
    for (seq, document) in &briefs {
        let whole = document.to_string();
        let parts = texts(document).into_iter().chain([whole.as_str()]);
        for whose in parts.flat_map(|text| find_exact_strings(strings, lengths, text)) {
            let mut is_open = false;
            for (handle, fact) in whose {
                is_open |= was_open(reader, *handle, *fact, *seq).map_err(reader.read_error())?;
            }
            if let (false, Some((handle, _))) = (is_open, whose.first()) {
                report.faults.push(format!(
                    "the image brief {seq} holds the exact string of {handle}"
                ));
            }
        }
    }
    Ok(briefs.len())
}

/// Whether a detail was open when the entry `seq` was appended, or was appended only later. The log says what
/// ended an unlock: the end of the scene, or another session.
fn was_open(
    reader: &MemoryReader,
    handle: Handle,
    fact: Handle,
    seq: u64,
) -> rusqlite::Result<bool> {
    let mut find = reader.conn.prepare_cached(
        "SELECT 1 FROM fact WHERE fact = ?2 AND (locked = 0 OR seq > ?3)
         UNION ALL
         SELECT 1 FROM unlocked WHERE handle IN (?1, ?2) AND seq < ?3
         AND (scope = 'CAMPAIGN' OR NOT EXISTS (
             SELECT 1 FROM log WHERE log.seq > unlocked.seq AND log.seq < ?3
             AND (id = 'EV-032' AND scope = 'SCENE'
                  OR id = 'STATE' AND CAST(body AS TEXT) ->> '$.session_id' IS NOT NULL)))",
    )?;
    find.exists(params![handle, fact, seq])
}
