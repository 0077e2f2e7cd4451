//! G4 ORC-COMPACTION-REPRO: the same facts and policy give the same compaction.

use rusqlite::params;

use super::report::GateReport;
use crate::compaction::{compact, compaction_id, read_inputs};
use crate::error::Result;
use crate::handle::Handle;
use crate::policy;
use crate::reader::MemoryReader;

pub(super) fn check(reader: &MemoryReader, report: &mut GateReport) -> Result<()> {
    let conn = &reader.conn;
    let policy = policy::gist_list()?;
    let read = || {
        let mut all = conn.prepare("SELECT compaction, output, seq FROM compaction")?;
        let rows = all.query_map(params![], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect::<rusqlite::Result<Vec<(Handle, Vec<u8>, u64)>>>()
    };
    let all = read().map_err(reader.read_error())?;
    let count = all.len();
    for (id, bytes, seq) in all {
        let inputs = read_inputs(conn, seq).map_err(reader.read_error())?;
        if compaction_id(&inputs, policy)? != id {
            report
                .faults
                .push(format!("the compaction {id} is not the hash of its inputs"));
        }
        let text =
            compact(conn, &inputs).map_err(|error| error.into_memory_error(reader.read_error()))?;
        if text.bytes() != bytes {
            report.faults.push(format!(
                "the compaction {id} says something else when made again"
            ));
        }
    }
    report
        .checked
        .push(format!("{count} compactions made again, byte for byte"));
    report
        .checked
        .push(format!("compaction_policy_id {policy}"));
    Ok(())
}
