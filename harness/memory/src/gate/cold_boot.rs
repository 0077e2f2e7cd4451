//! G1 ORC-COLD-BOOT: the tables and working sets are what the log alone gives, to the byte.
//!
//! Three times over: what the tables give now, what they give derived anew, and what they give in another database
//! to which the same facts came in another order. Each working set is also compared, member by member, with one
//! that the gate puts together from its own account of the log. And each output that was shown to a model's side is made
//! again from the entries before its own.

use axilog::hash::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, TransactionBehavior, params};

use super::account::Account;
use super::judge::Judge;
use super::plain_search::PlainSearch;
use super::queries::{
    Coverage, build_in_budget, canonical_query, for_each_output, make_up_queries,
};
use super::report::GateReport;
use super::shown_attempts;
use crate::apply::apply_entry;
use crate::canonical::CanonicalJson;
use crate::deriving::{Rebuilt, derive_and_remake};
use crate::entry::EntryKind;
use crate::error::{MemoryError, Result};
use crate::handle::Handle;
use crate::log::{self, LogHead};
use crate::query::WorkingSetQuery;
use crate::reader::MemoryReader;
use crate::remaking::RemadeOutputs;
use crate::schema::{self, TABLES};
use crate::store::MemoryStore;
use crate::table_digests::keep_digests;
use crate::working_set::WorkingSet;

pub(super) fn check(
    store: &mut MemoryStore,
    golden: Option<Handle>,
    report: &mut GateReport,
) -> Result<()> {
    let reader = store.reader();
    let failed = || MemoryError::sqlite(reader.path(), "rebuild the tables");
    let behavior = TransactionBehavior::Immediate;
    // Rolled back at the end: a gate changes nothing.
    let trial = rusqlite::Transaction::new_unchecked(&reader.conn, behavior).map_err(failed())?;
    let account = Account::read(reader)?;
    judge_outputs(reader, &account, report)?;
    let set = reader.build_working_set(&canonical_query());
    let made_up = make_up_queries(reader, &account)?;
    let (tables, sets) = (digest_tables(reader)?, working_set_ids(reader, &account)?);
    let selected = selected_set_ids(reader, &made_up);
    let Rebuilt { head, shown } = derive_and_remake(reader)?;
    reader.forget_exact_strings();
    let (new_tables, new_sets) = (digest_tables(reader)?, working_set_ids(reader, &account)?);
    let newly_selected = selected_set_ids(reader, &made_up);
    trial.rollback().map_err(failed())?;
    reader.forget_exact_strings();
    for ((name, digest), (_, new)) in tables.iter().zip(&new_tables) {
        if digest != new {
            report
                .faults
                .push(format!("the table {name} is not what the log gives"));
        }
    }
    compare_sets(&sets, &new_sets, "after a rebuild", report);
    compare_sets(&selected, &newly_selected, "after a rebuild", report);
    let reordered = reorder_facts(reader)?;
    let reordered_sets = working_set_ids(&reordered, &account)?;
    compare_sets(
        &new_sets,
        &reordered_sets,
        "with the facts appended in another order",
        report,
    );
    report.checked.push(format!(
        "{} entries, their chain, and {} tables derived anew",
        head.seq,
        tables.len()
    ));
    report.checked.push(format!(
        "{} working sets, byte for byte, derived anew and with the facts in another order; {} more, of queries made up, derived \
         anew",
        sets.len(),
        selected.len()
    ));
    judge_shown(&shown, account.shown, report);
    match set {
        Ok(set) => compare_with_golden(set.id(), golden, report),
        Err(error) => report.faults.push(error.to_string()),
    }
    shown_attempts::check(store, &account, report)
}

/// Judges what became of the outputs in the log, of which there are `logged`.
fn judge_shown(shown: &RemadeOutputs, logged: u64, report: &mut GateReport) {
    let differences = shown.differences.iter().map(ToString::to_string);
    report.faults.extend(differences);
    let (same, refused) = (shown.same, shown.refused_narrations);
    let (others, differences) = (shown.other_pins.len(), shown.differences.len());
    let judged = same + refused + (others + differences) as u64;
    if judged != logged {
        report.faults.push(format!(
            "{logged} outputs were shown, and {judged} of them made again"
        ));
    }
    report.checked.push(format!(
        "{same} outputs that were shown, made again byte for byte; {refused} refused narrations, whose texts are not kept"
    ));
    if others > 0 {
        report.checked.push(format!(
            "not made again, as they are of other pins than those of this build: the outputs of the entries {}",
            shown.list_other_pins()
        ));
    }
}

fn compare_with_golden(set: Handle, golden: Option<Handle>, report: &mut GateReport) {
    report.checked.push(format!("bytes_hash {set}"));
    let Some(golden) = golden else { return };
    report.checked.push(format!("golden     {golden}"));
    if golden != set {
        let fault = "the bytes_hash is not the golden one";
        report.faults.push(fault.to_owned());
    }
}

/// A query in words.
pub(super) fn describe(query: &WorkingSetQuery) -> String {
    let after = query.after.as_ref().map(|(key, _)| format!(" after {key}"));
    let search = query.search.as_ref().map(|_| ", with a search");
    format!(
        "{} seen by [{}]{}, facts in the order {}{}",
        query.audience.class.as_str(),
        query.audience.viewers.join(", "),
        after.unwrap_or_default(),
        query.order,
        search.unwrap_or_default()
    )
}

/// Compares every output with what the gate's own account says.
fn judge_outputs(reader: &MemoryReader, account: &Account, report: &mut GateReport) -> Result<()> {
    let judge = Judge {
        reader,
        account,
        strings: &PlainSearch::default(),
    };
    let (mut sets, mut facts) = (0, 0);
    let mut judge_one = |query: &WorkingSetQuery, set: Result<WorkingSet>| {
        match set {
            Ok(set) => {
                sets += 1;
                facts += set.facts.len();
                for fault in judge.judge(query, &set)? {
                    let query = describe(query);
                    report
                        .faults
                        .push(format!("the working set for {query}: {fault}"));
                }
            }
            Err(error) => report.faults.push(format!("{}: {error}", describe(query))),
        }
        Ok(())
    };
    let coverage = Coverage::EachClassAndAudience;
    for_each_output(reader, account, coverage, &mut judge_one)?;
    for query in [vec![canonical_query()], make_up_queries(reader, account)?].concat() {
        let (query, set) = build_in_budget(reader, query);
        judge_one(&query, set)?;
    }
    report.checked.push(format!(
        "{sets} working sets with {facts} facts, member by member, of {} facts there are",
        account.facts.len()
    ));
    Ok(())
}

/// The ids of the working sets of queries that select facts, each with its query in words.
fn selected_set_ids(reader: &MemoryReader, queries: &[WorkingSetQuery]) -> Vec<(String, Handle)> {
    let sets = queries.iter().map(|query| {
        let (query, set) = build_in_budget(reader, query.clone());
        set.map(|set| (describe(&query), set.id()))
    });
    sets.filter_map(Result::ok).collect()
}

/// The ids of the working sets of every class and audience, each with its query in words.
fn working_set_ids(reader: &MemoryReader, account: &Account) -> Result<Vec<(String, Handle)>> {
    let mut sets = Vec::new();
    for_each_output(reader, account, Coverage::Once, &mut |query, set| {
        if let Ok(set) = set {
            sets.push((describe(query), set.id()));
        }
        Ok(())
    })?;
    Ok(sets)
}

fn compare_sets(
    before: &[(String, Handle)],
    behind: &[(String, Handle)],
    when: &str,
    report: &mut GateReport,
) {
    if before.len() != behind.len() {
        let (before, behind) = (before.len(), behind.len());
        report.faults.push(format!(
            "there are {before} working sets, and {behind} {when}"
        ));
    }
    for ((query, set), (_, new)) in before.iter().zip(behind) {
        if set != new {
            report.faults.push(format!(
                "the working set for {query} is {set}, and {new} {when}"
            ));
        }
    }
}

/// The entries of the log in another order: between one change of the campaign and the next, the facts before all that may
/// rest on them, the last one first. A fact belongs to the campaign in which it was told.
fn order_facts_anew(reader: &MemoryReader) -> Result<Vec<u64>> {
    let (mut order, mut facts, mut others) = (Vec::new(), Vec::new(), Vec::new());
    reader.for_each_entry(&mut |entry| {
        match entry.kind {
            EntryKind::Fact => facts.push(entry.seq),
            EntryKind::State if entry.body.get("campaign_id").is_some() => {
                order.extend(facts.drain(..).rev());
                order.append(&mut others);
                order.push(entry.seq);
            }
            _ if facts.is_empty() => order.push(entry.seq),
            _ => others.push(entry.seq),
        }
        Ok(())
    })?;
    order.extend(facts.into_iter().rev());
    order.append(&mut others);
    Ok(order)
}

/// Makes another memory with the same entries in another order. It is a temporary database of SQLite's, which is gone when
/// it is closed.
fn reorder_facts(reader: &MemoryReader) -> Result<MemoryReader> {
    let failed = || MemoryError::sqlite(reader.path(), "append the facts in another order");
    let conn = Connection::open("").map_err(failed())?;
    schema::migrate(&conn)
        .and_then(|()| keep_digests(&conn))
        .map_err(failed())?;
    let mut head = LogHead {
        seq: 0,
        chain: None,
    };
    let transaction = conn.unchecked_transaction().map_err(failed())?;
    for seq in order_facts_anew(reader)? {
        let id: String = reader
            .conn
            .prepare_cached("SELECT id FROM log WHERE seq = ?1")
            .and_then(|mut find| find.query_row(params![seq], |row| row.get(0)))
            .map_err(failed())?;
        let kind = EntryKind::from_id(&id)?;
        let body = Account::read_body(reader, seq)?;
        let canonical = CanonicalJson::from_value(kind.as_str(), body.clone())?;
        log::append(&conn, &mut head, kind, &canonical).map_err(failed())?;
        apply_entry(&conn, head.seq, kind.read_body(&body)?)
            .map_err(|error| error.into_memory_error(failed()))?;
    }
    transaction.commit().map_err(failed())?;
    Ok(MemoryReader::from_connection(conn, reader.path()))
}

/// The digests of the derived tables. `table_digests.rs` hashes rows too; a gate judges by code of its own, so that an
/// error in the one is found by the other.
fn digest_tables(reader: &MemoryReader) -> Result<Vec<(&'static str, Handle)>> {
    let mut digests = Vec::new();
    for table in TABLES {
        let digest = digest_table(reader, table).map_err(reader.read_error())?;
        digests.push((table, digest));
    }
    // The index of the search, as FTS5 lists it: its own tables depend on how it was written.
    let index =
        digest_rows(reader, "SELECT term, doc FROM fact_term").map_err(reader.read_error())?;
    digests.push(("fact_terms", index));
    Ok(digests)
}

fn digest_table(reader: &MemoryReader, table: &str) -> rusqlite::Result<Handle> {
    // The tables are WITHOUT ROWID: their own order is that of the primary key.
    digest_rows(reader, &format!("SELECT * FROM {table}"))
}

fn digest_rows(reader: &MemoryReader, select: &str) -> rusqlite::Result<Handle> {
    let mut all = reader.conn.prepare(select)?;
    let columns = all.column_count();
    let mut rows = all.query(params![])?;
    let mut hasher = Hasher::new();
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            let (kind, bytes): (u8, &[u8]) = match row.get_ref(column)? {
                ValueRef::Null => (0, &[]),
                ValueRef::Integer(number) => (1, &number.to_le_bytes()),
                ValueRef::Real(number) => (2, &number.to_le_bytes()),
                ValueRef::Text(text) => (3, text),
                ValueRef::Blob(bytes) => (4, bytes),
            };
            hasher.update(&[kind]);
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
    }
    Ok(Handle(hasher.finish()))
}
