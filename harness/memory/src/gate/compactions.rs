//! G4 ORC-COMPACTION-REPRO: the same facts and policy give the same compaction.

use rusqlite::params;

use super::Finding;
use crate::apply::Fault;
use crate::canonical::Handle;
use crate::compaction::{compaction_id, inputs, output};
use crate::error::Result;
use crate::lens::Lens;
use crate::policy;

pub(super) fn check(lens: &Lens, finding: &mut Finding) -> Result<()> {
    let policy = policy::gist_list()?;
    let mut count = 0;
    let all = lens.at_once(|| {
        let read = || {
            let mut all = lens
                .conn
                .prepare("SELECT compaction, output, seq FROM compaction")?;
            let rows = all.query_map(params![], |row| {
                Ok((
                    Handle(row.get(0)?),
                    row.get::<_, Vec<u8>>(1)?,
                    row.get::<_, u64>(2)?,
                ))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(lens.failed())
    })?;
    for (id, bytes, seq) in all {
        count += 1;
        let inputs = inputs(&lens.conn, seq).map_err(lens.failed())?;
        if compaction_id(&inputs, policy)? != id {
            finding
                .faults
                .push(format!("the compaction {id} is not the hash of its inputs"));
        }
        let again = output(&lens.conn, &inputs).map_err(|fault| match fault {
            Fault::Sqlite(error) => lens.failed()(error),
            Fault::Rule(error) => error,
        })?;
        if again.bytes() != bytes {
            finding.faults.push(format!(
                "the compaction {id} says something else when made again"
            ));
        }
    }
    finding
        .checked
        .push(format!("{count} compactions made again, byte for byte"));
    finding
        .checked
        .push(format!("compaction_policy_id {policy}"));
    Ok(())
}
