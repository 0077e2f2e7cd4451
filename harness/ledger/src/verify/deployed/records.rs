//! How many records deployed code wrote, and what SRS-004 says of them.

use std::collections::BTreeMap;

use axilog::evidence::observation::MAX_RECORD_BYTES;
use axilog::replay::CheckedEntry;

use super::departure::Departure;

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
}

impl DeployedRecords {
    /// Counts a record.
    pub(crate) fn take(&mut self, sequence: u64, departures: &[Departure]) {
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
    pub(crate) fn take_good(&mut self, examined: &CheckedEntry<'_>) {
        let entry = examined.entry();
        if examined.observation().is_some() && entry.payload.len() > MAX_RECORD_BYTES {
            self.take(entry.sequence, &[Departure::TooLong]);
        }
    }

    /// Adds what was counted of records that follow.
    pub(crate) fn add(&mut self, later: &DeployedRecords) {
        if self.count == 0 {
            self.first = later.first;
        }
        self.count += later.count;
        self.forbidden += later.forbidden;
        for (departure, count) in &later.departures {
            *self.departures.entry(*departure).or_default() += count;
        }
    }

    /// The rows that tell of the records, if there is any.
    pub(crate) fn describe(&self) -> Vec<(&'static str, String)> {
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
        rows
    }
}
