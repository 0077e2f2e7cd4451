//! One record that deployed code wrote.

use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::Tag;
use axilog::ledger::Entry;
use axilog::profile::Profile;

use super::departure::Departure;
use super::observation::DeployedObservation;
use super::profiles::profile_name;

/// A record that deployed code wrote, and what SRS-004 says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployedRecord {
    /// The profile of an observation; other records are the same in every profile.
    pub profile: Option<Profile>,
    /// What no reader takes of it, at least one.
    pub departures: Vec<Departure>,
}

impl DeployedRecord {
    /// Reads a record that no reader takes. `None` where deployed code does not write it either.
    #[must_use]
    pub fn read(entry: &Entry<'_>) -> Option<DeployedRecord> {
        let record = entry.payload;
        let (profile, departures) = match entry.tag {
            Tag::Obs => {
                let observation = DeployedObservation::read(record)?;
                let profile = observation.profile()?;
                (Some(profile), observation.list_departures(record.len()))
            }
            Tag::Policy => {
                let (before, behind) = split_at(record, b",\"policy_id\":")?;
                let sequence = before.strip_prefix(b"{\"actual\":")?;
                let (_, sequence) = split_at(sequence, b",\"ledger_seq\":")?;
                let digits = sequence.strip_prefix(b",\"ledger_seq\":")?;
                let bound = [before, b",\"obs_ledger_seq\":", digits, behind].concat();
                PolicyRecord::parse(&bound).ok()?;
                (None, vec![Departure::UnboundPolicy])
            }
            Tag::Trans => {
                let unknown = b"\"prev_state\":\"UNKNOWN\"";
                let (before, behind) = split_at(record, unknown)?;
                let behind = behind.strip_prefix(unknown)?;
                let known = [before, b"\"prev_state\":\"UNINIT\"", behind].concat();
                TransitionRecord::parse(&known).ok()?;
                (None, vec![Departure::UnknownState])
            }
            Tag::State | Tag::Proof => return None,
        };
        (!departures.is_empty()).then_some(DeployedRecord {
            profile,
            departures,
        })
    }

    /// The sections of SRS-004 that forbid the record.
    #[must_use]
    pub fn forbidden_by(&self) -> Vec<&'static str> {
        let departures = self.departures.iter();
        departures.filter_map(|it| it.forbidden_by()).collect()
    }

    /// What the record is, for a reader who has never heard of deployed gateways.
    #[must_use]
    pub fn describe(&self) -> String {
        let profile = match self.profile {
            Some(profile) => format!(", in the profile {}", profile_name(profile)),
            None => String::new(),
        };
        let departures: Vec<&str> = self.departures.iter().map(|it| it.describe()).collect();
        let allowed = match self.forbidden_by().as_slice() {
            [] => "SRS-004 would have allowed it; axilog's own form of records does not".to_owned(),
            sections => format!("SRS-004 {} would not have allowed it", sections.join(", ")),
        };
        format!(
            "written by the deployed heuristic{profile}: C gateways in service judge answers by rules of their own, and this record {}. {allowed}",
            departures.join(", and "),
        )
    }
}

/// The bytes before the first occurrence of `mark`, and those from it on.
fn split_at<'r>(record: &'r [u8], mark: &[u8]) -> Option<(&'r [u8], &'r [u8])> {
    let at = memchr::memmem::find(record, mark)?;
    record.split_at_checked(at)
}
