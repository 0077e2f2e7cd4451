//! G4 ORC-COMPACTION-REPRO: the same facts and policy give the same compaction.
//!
//! The gate makes each compaction from the log by code of its own, and has the memory make it again too.

use std::collections::BTreeMap;

use rusqlite::params;
use serde_json::Value;

use super::account::Account;
use super::judge::Judge;
use super::plain_search::PlainSearch;
use super::report::GateReport;
use crate::canonical::CanonicalJson;
use crate::compaction::compact;
use crate::error::Result;
use crate::handle::Handle;
use crate::reader::MemoryReader;

pub(super) fn check(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let account = Account::read(reader)?;
    let judge = Judge {
        reader,
        account: &account,
        strings: &PlainSearch::default(),
    };
    let read = || {
        let mut all = reader
            .conn
            .prepare("SELECT purpose, compaction, output FROM compaction")?;
        let rows = all.query_map(params![], |row| {
            Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
        })?;
        rows.collect::<rusqlite::Result<BTreeMap<(String, Handle), Vec<u8>>>>()
    };
    let mut stored = read().map_err(reader.read_error())?;
    for record in &account.compactions {
        let id = record.id;
        let Some(bytes) = stored.remove(&(record.purpose.clone(), id)) else {
            report.faults.push(format!(
                "the compaction {id} is in the log and not in the tables"
            ));
            continue;
        };
        let lines = Value::from(judge.expect_lines(&record.inputs)?);
        let expected = CanonicalJson::from_value("the compaction", lines)?;
        let again = compact(&reader.conn, &record.inputs)
            .map_err(|error| error.into_memory_error(reader.read_error()))?;
        if expected.bytes() != bytes || again.bytes() != bytes {
            report.faults.push(format!(
                "the compaction {id} says something else when made again"
            ));
        }
    }
    for (_, id) in stored.keys() {
        report
            .faults
            .push(format!("the compaction {id} is not the hash of its inputs"));
    }
    let count = account.compactions.len();
    report
        .checked
        .push(format!("{count} compactions made again, byte for byte"));
    let policy = account.pins.get("compaction_policy");
    report.checked.push(format!(
        "compaction_policy_id {}",
        policy.map_or("not pinned", String::as_str)
    ));
    Ok(())
}
