//! G6 ORC-PIN-ASSERT: the pins are what they were pinned as, unless a revision says otherwise.

use super::Finding;
use crate::error::{MemoryError, Result};
use crate::id::Id;
use crate::lens::Lens;
use crate::policy;
use crate::state;

pub(super) fn check(lens: &Lens, given: &[(String, String)], finding: &mut Finding) -> Result<()> {
    let count = lens.pins()?.len();
    let own = expected(lens)?;
    let mut asserted = 0;
    for (name, here) in own.iter().chain(given) {
        asserted += 1;
        if let Err(error) = assert_one(lens, name, here) {
            match error {
                MemoryError::Pin { .. } => finding.faults.push(error.to_string()),
                other => return Err(other),
            }
        }
    }
    finding.checked.push(format!("{count} pins in the log"));
    finding.checked.push(format!(
        "{} of this build and {} given, compared",
        asserted - given.len(),
        given.len()
    ));
    Ok(())
}

/// What this build and the pinned matrix say.
fn expected(lens: &Lens) -> Result<Vec<(String, String)>> {
    let own = policy::pins()?
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let mut own: Vec<(String, String)> = own.collect();
    own.push((
        "mask_matrix".to_owned(),
        lens.matrix()?.canonical().handle().to_string(),
    ));
    Ok(own)
}

fn assert_one(lens: &Lens, name: &str, here: &str) -> Result<()> {
    let stored = state::pin(&lens.conn, name).map_err(lens.failed())?;
    if stored.as_deref() == Some(here) {
        return Ok(());
    }
    Err(MemoryError::Pin {
        name: name.to_owned(),
        entry: if stored.is_some() {
            Id::Revision
        } else {
            Id::Pin
        },
        stored: stored.unwrap_or("not there".to_owned()),
        found: here.to_owned(),
    })
}

impl Lens {
    /// Asserts the pins of this build and those `given`, by name and value.
    ///
    /// # Errors
    /// [`MemoryError::Pin`] for the first that is another.
    pub fn assert_pins(&self, given: &[(String, String)]) -> Result<()> {
        let own = expected(self)?;
        own.iter()
            .chain(given)
            .try_for_each(|(name, here)| assert_one(self, name, here))
    }
}
