//! Records that deployed C code writes and no reader takes, named as what they are.
//!
//! Deployed gateways take text for Unicode's Normalization Form C where it has none of a list of combining marks, and
//! check of identities, parameters and states nothing. A ledger of theirs is NON_CANONICAL at the first such record.
//! An auditor then wants to know whose form that is, whether SRS-004 would have allowed the record, and whether
//! the chain is whole behind it. Whoever can write the file can also write such a record: its form names no writer.
//! Determinism: D2.

mod chain;
mod departure;
mod observation;
mod record;

use std::collections::BTreeMap;

use axilog::evidence::observation::MAX_RECORD_BYTES;
use axilog::profile::Profile;
use axilog::replay::CheckedEntry;

pub use chain::ChainBehind;
pub use departure::Departure;
pub use record::DeployedRecord;

/// What a ledger has of records that deployed code wrote and SRS-004 or this library does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeployedRecords {
    /// The number of such records.
    pub count: u64,
    /// The number of those that SRS-004 does not allow.
    pub forbidden: u64,
    /// The sequence of the first.
    pub first: u64,
    /// The number of records with each departure.
    pub departures: BTreeMap<Departure, u64>,
    /// The chain behind the first record that no reader takes; `None` where readers take them all.
    pub chain: Option<ChainBehind>,
}

impl DeployedRecords {
    /// Counts a record.
    pub(super) fn take(&mut self, sequence: u64, departures: &[Departure]) {
        if self.count == 0 {
            self.first = sequence;
        }
        self.count += 1;
        let is_forbidden = departures.iter().any(|it| it.forbidden_by().is_some());
        self.forbidden += u64::from(is_forbidden);
        for departure in departures {
            *self.departures.entry(*departure).or_default() += 1;
        }
    }

    /// Counts the record where readers take it and SRS-004 does not allow it.
    pub(super) fn take_good(&mut self, examined: &CheckedEntry<'_>) {
        let entry = examined.entry();
        if examined.observation().is_some() && entry.payload.len() > MAX_RECORD_BYTES {
            self.take(entry.sequence, &[Departure::TooLong]);
        }
    }

    /// The rows that tell of the records, if there is any.
    #[must_use]
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        if self.count == 0 {
            return Vec::new();
        }
        let (count, first) = (self.count, self.first);
        let allowed = match self.forbidden {
            0 => format!(
                "would have allowed the {count} records that only deployed gateways write; the first is record {first}"
            ),
            forbidden => format!(
                "would not have allowed {forbidden} of the {count} records that only deployed gateways write; the first is record {first}"
            ),
        };
        let mut rows = vec![("SRS-004", allowed)];
        for (departure, count) in &self.departures {
            let words = departure.describe();
            rows.push((
                "",
                match departure.forbidden_by() {
                    Some(section) => format!("{count}: {words} ({section})"),
                    None => format!("{count}: {words} (SRS-004 does not forbid it)"),
                },
            ));
        }
        if let Some(chain) = &self.chain {
            rows.extend(chain.describe());
        }
        rows
    }
}

/// The name of a profile.
#[must_use]
pub fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::Rfc8785 => "RFC8785",
        Profile::Oracle1_1 => "ORACLE_1_1",
        Profile::Oracle1_2 => "ORACLE_1_2",
    }
}

/// Notes that an observation is written in a profile.
pub(crate) fn note_profile(profiles: &mut [bool; 3], profile: Profile) {
    let index = Profile::ALL.iter().position(|known| *known == profile);
    if let Some(seen) = index.and_then(|index| profiles.get_mut(index)) {
        *seen = true;
    }
}
