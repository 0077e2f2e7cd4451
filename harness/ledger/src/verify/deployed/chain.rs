//! The chain after a record that no reader takes.

use std::ops::ControlFlow;

use axilog::evidence::policy::PolicyRecord;
use axilog::evidence::proof::Proof;
use axilog::evidence::transition::TransitionRecord;
use axilog::hash::{Hash, Tag, chain, commit};
use axilog::ledger::Entry;
use axilog::replay::{CheckedEntry, Verdict};

use super::profiles::note_profile;
use super::record::DeployedRecord;
use super::records::DeployedRecords;
use crate::encoding::hex;
use crate::error::LedgerFault;
use crate::verify::examined_line::ExaminedLine;
use crate::verify::verdicts::describe_verdict;

/// How far the chain is whole after a record that no reader takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainBehind {
    /// The number of records whose bytes match their commits and the chain, the genesis included.
    pub entries: u64,
    /// The chain value of the last of them.
    pub head: Hash,
    /// What is wrong with the line behind that one.
    pub fault: Option<LedgerFault>,
    is_sealed: bool,
}

impl ChainBehind {
    /// The chain with `entry`, which was found to stand in it, as its last record.
    pub(crate) fn at(entry: &Entry<'_>) -> ChainBehind {
        ChainBehind {
            entries: entry.sequence.saturating_add(1),
            head: entry.chain,
            fault: None,
            is_sealed: false,
        }
    }

    /// The rows that tell of the chain.
    pub(crate) fn describe(&self) -> Vec<(&'static str, String)> {
        let Some(fault) = &self.fault else {
            let whole = "the chain is whole to the last record; the order of observations and decisions was not checked";
            return vec![
                ("after it", whole.to_owned()),
                ("records", self.entries.to_string()),
                ("head", hex(&self.head)),
            ];
        };
        vec![("after it", fault.to_string())]
    }

    /// Takes the next line. Breaks at the first that is wrong.
    pub(crate) fn take(
        &mut self,
        offset: u64,
        line: &ExaminedLine<'_>,
        records: &mut DeployedRecords,
        profiles: &mut [bool; 3],
    ) -> ControlFlow<()> {
        let verdict = match line {
            ExaminedLine::Record(examined) => match self.check(examined, records, profiles) {
                Ok(()) => {
                    self.entries = self.entries.saturating_add(1);
                    self.head = examined.entry().chain;
                    return ControlFlow::Continue(());
                }
                Err(verdict) => verdict,
            },
            ExaminedLine::Torn(_) => Verdict::Torn,
            ExaminedLine::NotALine | ExaminedLine::TooLong => Verdict::NonCanonical,
        };
        self.fault = Some(LedgerFault {
            verdict,
            sequence: self.entries,
            offset,
            reason: describe_verdict(verdict).to_owned(),
        });
        ControlFlow::Break(())
    }

    fn check(
        &mut self,
        examined: &CheckedEntry<'_>,
        records: &mut DeployedRecords,
        profiles: &mut [bool; 3],
    ) -> Result<(), Verdict> {
        let entry = examined.entry();
        if self.is_sealed || entry.sequence != self.entries {
            return Err(Verdict::Reordered);
        }
        if commit(entry.tag.as_str().as_bytes(), entry.payload) != entry.commit
            || chain(Some(&self.head), &entry.commit) != entry.chain
        {
            return Err(Verdict::Altered);
        }
        let is_read = match entry.tag {
            Tag::State => return Err(Verdict::Reordered),
            Tag::Obs => match examined.observation() {
                Some(view) => {
                    note_profile(profiles, view.profile);
                    records.take_good(examined);
                    true
                }
                None => false,
            },
            Tag::Policy => PolicyRecord::parse(entry.payload).is_ok(),
            Tag::Trans => TransitionRecord::parse(entry.payload).is_ok(),
            Tag::Proof => match Proof::parse(entry.payload) {
                Ok(Proof::Raw(_)) => true,
                Ok(Proof::Seal(seal)) if seal.entries > entry.sequence => {
                    return Err(Verdict::Truncated);
                }
                Ok(Proof::Seal(seal)) => {
                    if seal.entries != entry.sequence || seal.head != self.head {
                        return Err(Verdict::Altered);
                    }
                    self.is_sealed = true;
                    true
                }
                Err(_) => false,
            },
        };
        if !is_read {
            let deployed = DeployedRecord::read(entry).ok_or(Verdict::NonCanonical)?;
            if let Some(profile) = deployed.profile {
                note_profile(profiles, profile);
            }
            records.take(entry.sequence, &deployed.departures);
        }
        Ok(())
    }
}
