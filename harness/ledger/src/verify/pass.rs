//! One pass over a ledger: the blocks' stretches joined, and every record outside of them replayed one by one.
//!
//! A stretch is joined where its records are good for certain: its state is the one before it, and no expectation of the
//! caller is disappointed in it. Every other record is taken by itself, so that the first fault, its place and its reason
//! are those of a pass that knows no stretches. Determinism: D2.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::ops::ControlFlow;

use axilog::policy::Rules;
use axilog::replay::{Replay, Verdict};

use super::deployed::{ChainBehind, DeployedRecord, note_profile};
use super::examined_line::ExaminedLine;
use super::examined_lines::{ExaminedLines, count_cores, visit_blocks};
use super::expectations::LedgerExpectations;
use super::report::{
    RecordVisitor, VerificationReport, VerifiedRecord, describe_other_file, may_begin_ledger,
    take_line,
};
use super::stretches::{NotedStretch, Places};
use super::terms::Terms;
use super::verdicts::describe_verdict;
use crate::encoding::hex;
use crate::error::LedgerFault;
use crate::file::beginning::BEGINNING_BYTES;
use crate::file::lines::BlockReader;
use crate::rules::RuleSet;

/// Verifies the ledger that is read from `source`: hashes, chain, form, order, witnesses and models. With
/// `rules` it replays every decision too. Calls `see` with each good record, in order. Uses all cores.
///
/// # Errors
/// The source's error. A bad ledger is no error but a [`VerificationReport::fault`].
pub fn verify_ledger(
    source: impl Read,
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
    see: RecordVisitor<'_>,
) -> io::Result<VerificationReport> {
    verify_ledger_on(count_cores(), source, rules, expected, see)
}

/// Verifies the ledger as [`verify_ledger`] does, on so many cores.
fn verify_ledger_on(
    cores: usize,
    mut source: impl Read,
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
    see: RecordVisitor<'_>,
) -> io::Result<VerificationReport> {
    let mut beginning = Vec::new();
    source
        .by_ref()
        .take(BEGINNING_BYTES as u64)
        .read_to_end(&mut beginning)?;
    let (terms, own_rules) = (Terms::new(rules, expected), rules.map(RuleSet::rules));
    let mut pass = Pass::new(&terms, own_rules.as_ref(), &beginning, see);
    let blocks = BlockReader::new(beginning.as_slice().chain(source));
    let end = visit_blocks(cores, blocks, &terms, &mut |block| pass.take_block(block))?;
    Ok(pass.finish(end))
}

/// A pass over a ledger.
pub(super) struct Pass<'p> {
    checked: VerificationReport,
    terms: &'p Terms<'p>,
    /// The rules of the terms.
    rules: Option<&'p Rules<'p>>,
    /// The first bytes of the file.
    beginning: &'p [u8],
    see: RecordVisitor<'p>,
    places: Places,
}

impl<'p> Pass<'p> {
    /// A pass of which nothing was read. `rules` are those of `terms`, and `beginning` the first bytes of the file.
    pub(super) fn new(
        terms: &'p Terms<'p>,
        rules: Option<&'p Rules<'p>>,
        beginning: &'p [u8],
        see: RecordVisitor<'p>,
    ) -> Pass<'p> {
        Pass {
            checked: VerificationReport::new(),
            terms,
            rules,
            beginning,
            see,
            places: Places::default(),
        }
    }

    /// Takes the next block. Breaks at the first line that is wrong.
    pub(super) fn take_block(&mut self, block: &ExaminedLines<'_>) -> ControlFlow<()> {
        let mut stretches = block.stretches.iter().peekable();
        let mut lines = block.lines.as_slice();
        let mut at = 0;
        while let Some(((offset, line), rest)) = lines.split_first() {
            if let Some(placed) = stretches.next_if(|placed| placed.first == at)
                && let Some((stretch, rest)) = lines.split_at_checked(placed.count)
                && self.join(&placed.noted, stretch)
            {
                at += placed.count;
                lines = rest;
                continue;
            }
            self.take(*offset, line)?;
            at += 1;
            lines = rest;
        }
        ControlFlow::Continue(())
    }

    /// Takes a stretch, if all of its lines are good for certain. Those that are given are shown to the visitor.
    pub(super) fn join(&mut self, noted: &NotedStretch, lines: &[(u64, ExaminedLine<'_>)]) -> bool {
        let NotedStretch { stretch, notes } = noted;
        if !self.checked.replay.join(stretch) {
            return false;
        }
        self.places.add(&notes.places);
        for (own, noted) in self.checked.profiles.iter_mut().zip(notes.profiles) {
            *own |= noted;
        }
        self.checked.deployed.add(&notes.deployed);
        for (offset, line) in lines {
            if let ExaminedLine::Record(examined) = line {
                (self.see)(&VerifiedRecord {
                    entry: *examined.entry(),
                    offset: *offset,
                    observation: examined.observation().copied(),
                });
            }
        }
        true
    }

    /// Takes the next line by itself. Breaks where it is wrong.
    pub(super) fn take(&mut self, offset: u64, line: &ExaminedLine<'_>) -> ControlFlow<()> {
        let checked = &mut self.checked;
        if let Some(chain) = &mut checked.chain_behind {
            return chain.take(offset, line, &mut checked.deployed, &mut checked.profiles);
        }
        let sequence = checked.replay.entries();
        if let ExaminedLine::Record(examined) = line {
            self.places.take(offset, examined, self.terms);
        }
        let pins = &self.terms.pins;
        let taken = take_line(checked, line, offset, self.rules, pins, &mut *self.see);
        let refusal = taken.or_else(|| match line {
            ExaminedLine::Record(examined) => self.terms.check_earlier_heads(examined.entry()),
            _ => None,
        });
        let Some((verdict, mut reason)) = refusal else {
            return ControlFlow::Continue(());
        };
        if offset == 0 && !may_begin_ledger(self.beginning) {
            reason = describe_other_file(self.beginning);
        }
        if let (Verdict::NonCanonical, ExaminedLine::Record(examined)) = (verdict, line)
            && let Some(deployed) = DeployedRecord::read(examined.entry())
        {
            reason = deployed.describe();
            if let Some(profile) = deployed.profile {
                note_profile(&mut checked.profiles, profile);
            }
            checked.deployed.take(sequence, &deployed.departures);
            checked.chain_behind = Some(ChainBehind::at(examined.entry()));
        }
        checked.replay.refuse(verdict);
        checked.fault = Some(LedgerFault {
            verdict,
            sequence,
            offset,
            reason,
        });
        match checked.chain_behind {
            Some(_) => ControlFlow::Continue(()),
            None => ControlFlow::Break(()),
        }
    }

    /// Ends the pass. `end` is the offset at which the file ends.
    pub(super) fn finish(self, end: u64) -> VerificationReport {
        let (mut checked, expected, places) = (self.checked, self.terms.expected, self.places);
        if checked.fault.is_some() {
            return checked;
        }
        let entries = checked.replay.entries();
        if let Some(earlier) = (expected.earlier_heads.iter())
            .filter(|earlier| earlier.entries > entries)
            .min_by_key(|earlier| earlier.entries)
        {
            checked.fault = Some(LedgerFault {
                verdict: Verdict::Truncated,
                sequence: entries,
                offset: end,
                reason: format!(
                    "the ledger has {entries} records; it had {} when its head {} was noted",
                    earlier.entries,
                    hex(&earlier.head)
                ),
            });
            return checked;
        }
        let verdict = checked
            .replay
            .finish(expected.entries, expected.head.as_ref());
        if verdict != Verdict::Ok {
            let too_long = expected.entries.filter(|&n| n < entries);
            let (sequence, offset) = match (verdict, too_long) {
                (Verdict::Truncated, _) => (entries, end),
                (_, Some(expected)) if places.surplus > 0 => (expected, places.surplus),
                _ => (entries.saturating_sub(1), places.last),
            };
            checked.fault = Some(LedgerFault {
                verdict,
                sequence,
                offset,
                reason: describe_mismatch(&checked.replay, expected, places.head_at),
            });
        }
        checked
    }
}

/// Describes how the ledger's end differs from the expected one.
fn describe_mismatch(
    replay: &Replay,
    expected: &LedgerExpectations,
    head_at: Option<u64>,
) -> String {
    let entries = replay.entries();
    if entries == 0 {
        return "the file is empty, not even a genesis".to_owned();
    }
    let counted = entries.saturating_sub(u64::from(replay.ledger().sealed));
    match (expected.entries, expected.head) {
        (Some(wanted), _) if wanted != counted => {
            format!("the ledger has {counted} records, expected {wanted}")
        }
        (_, Some(head)) => {
            let wanted = hex(&head);
            let place = head_at.map_or("no record has".to_owned(), |n| {
                format!("the ledger goes on after record {n}, which has")
            });
            format!(
                "the head is {}; {place} the expected one, {wanted}",
                hex(&replay.ledger().head)
            )
        }
        _ => describe_verdict(Verdict::Truncated).to_owned(),
    }
}
