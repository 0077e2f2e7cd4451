//! G6 ORC-PIN-ASSERT: the pins have the values they were pinned with, unless a revision says otherwise.

use super::report::GateReport;
use crate::error::{MemoryError, Result};
use crate::reader::MemoryReader;

pub(super) fn check(
    reader: &MemoryReader,
    given: &[(String, String)],
    report: &mut GateReport,
) -> Result<()> {
    let own = reader.own_pins()?;
    for (name, here) in own.iter().chain(given) {
        match reader.assert_pin(name, here) {
            Ok(()) => {}
            Err(error @ MemoryError::Pin { .. }) => report.faults.push(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    let count = reader.pins()?.len();
    report.checked.push(format!("{count} pins in the log"));
    report.checked.push(format!(
        "{} of this build and {} given, compared",
        own.len(),
        given.len()
    ));
    Ok(())
}
