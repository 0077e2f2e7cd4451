//! One ledger verified or replayed by several processes, a segment of its file by each.
//!
//! [`examine_segment`] does the work of a segment from its lines alone. [`join_segments`] puts together what was found, in
//! the order of the file, and gives the report of [`super::verify_ledger`] on the same file: what is not joined for certain,
//! with any fault and any segment of which nothing is known, it reads itself, from the last good join on. The processes
//! trust one another, as the threads of one do: whoever hands in facts that it made up has verified nothing.
//! Determinism: D2.

#[cfg(test)]
mod tests;

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog::ledger_line;

use super::VerificationReport;
use super::examined_lines::{ExaminedLine, count_cores, examine, examine_lines, visit_blocks};
use super::expectations::LedgerExpectations;
use super::pass::Pass;
use super::stretches::{NotedStretch, StretchFinder};
use super::terms::Terms;
use crate::encoding::ByteBuffer;
use crate::file::beginning::BEGINNING_BYTES;
use crate::file::lines::{BlockReader, LedgerLine, LineBlock, MAX_LINE_BYTES};
use crate::rules::RuleSet;

/// What one process has found of a segment: all that is needed to join it to what is before it.
pub struct SegmentFacts {
    /// The offset of the segment's first line.
    pub(super) begin: u64,
    /// The offset at which its last line ends.
    pub(super) end: u64,
    /// The hash of the rules; `None` for a verification without them.
    pub(super) rules: Option<Hash>,
    /// The parts from the beginning on, in order. What they leave out, the joining process reads.
    pub(super) parts: Vec<SegmentPart>,
}

/// A part of a segment.
pub(super) enum SegmentPart {
    /// A line that only the joining process can judge.
    Line { offset: u64, bytes: Vec<u8> },
    /// Lines that were replayed from the state that the line before implies.
    Stretch {
        noted: NotedStretch,
        /// The offset at which its last line ends.
        end: u64,
    },
}

/// Verifies the segment of the lines that begin from offset `from` on and before `to`, or replays it under `rules`. Any
/// offsets will do: the segments from 0 to a, from a to b and from b to the file's length are the whole file.
///
/// # Errors
/// The source's error. A bad ledger is no error: the one that joins finds it.
pub fn examine_segment(
    source: &mut (impl Read + Seek),
    from: u64,
    to: u64,
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
) -> io::Result<SegmentFacts> {
    let begin = find_line(source, from)?;
    let end = find_line(source, to)?.max(begin);
    source.seek(SeekFrom::Start(begin))?;
    let mut blocks = BlockReader::starting_at(source.take(end.saturating_sub(begin)), begin);
    let (terms, own_rules) = (Terms::new(rules, expected), rules.map(RuleSet::rules));
    let mut search = Search {
        finder: StretchFinder::new(&terms, own_rules.as_ref()),
        parts: Vec::new(),
        at: begin,
        settled: None,
        unsettled: Vec::new(),
    };
    let (mut block, mut previous) = (LineBlock::default(), None);
    while let Some(read) = blocks.next_block(block)? {
        let examined = examine_lines(&read, &mut previous);
        let mut lines = examined.lines.iter();
        let is_good = lines.all(|(offset, line)| search.take(*offset, line, blocks.is_at_end()));
        drop(examined);
        if !is_good {
            break;
        }
        block = read;
    }
    Ok(SegmentFacts {
        begin,
        end,
        rules: rules.map(RuleSet::hash),
        parts: search.finish(),
    })
}

/// The search for the parts of a segment.
struct Search<'r> {
    finder: StretchFinder<'r>,
    parts: Vec<SegmentPart>,
    /// The offset at which the last line that was taken ends.
    at: u64,
    /// The last stretch up to the end of its last whole step, and where that is.
    settled: Option<(NotedStretch, u64)>,
    /// The lines after it.
    unsettled: Vec<(u64, Vec<u8>)>,
}

impl Search<'_> {
    /// Takes the next line of the segment; `is_near_end` says that it may stand in the last block. Tells whether the
    /// lines after it matter.
    fn take(&mut self, offset: u64, line: &ExaminedLine<'_>, is_near_end: bool) -> bool {
        let ExaminedLine::Record(record) = line else {
            return false;
        };
        if let Some(noted) = self.finder.take(offset, record) {
            self.parts.push(SegmentPart::Stretch { noted, end: offset });
        }
        if self.finder.has_fault() {
            return false;
        }
        let bytes = line_of(record.entry());
        self.at = offset.saturating_add(bytes.len() as u64);
        if !self.finder.is_within() {
            self.parts.push(SegmentPart::Line { offset, bytes });
            (self.settled, self.unsettled) = (None, Vec::new());
        } else if is_near_end {
            match self.finder.so_far() {
                Some(noted) => {
                    (self.settled, self.unsettled) = (Some((noted, self.at)), Vec::new())
                }
                None => self.unsettled.push((offset, bytes)),
            }
        }
        true
    }

    /// Ends the segment. A stretch that ends within a step cannot be written as bytes, so that the step's lines are
    /// parts of their own.
    fn finish(self) -> Vec<SegmentPart> {
        let Search {
            finder,
            mut parts,
            at,
            settled,
            unsettled,
        } = self;
        if let Some(noted) = finder.so_far() {
            parts.push(SegmentPart::Stretch { noted, end: at });
        } else if let Some((noted, end)) = settled {
            parts.push(SegmentPart::Stretch { noted, end });
            let lines = unsettled.into_iter();
            parts.extend(lines.map(|(offset, bytes)| SegmentPart::Line { offset, bytes }));
        }
        parts
    }
}

/// Puts together what was found of the segments of the ledger that `source` reads, in the order of the file, and gives the
/// report of a verification of the whole, or of a replay under `rules`.
///
/// # Errors
/// The source's error. A bad ledger is no error but a [`VerificationReport::fault`].
pub fn join_segments(
    source: &mut (impl Read + Seek),
    facts: &[SegmentFacts],
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
) -> io::Result<VerificationReport> {
    source.rewind()?;
    let mut beginning = Vec::new();
    source
        .by_ref()
        .take(BEGINNING_BYTES as u64)
        .read_to_end(&mut beginning)?;
    let (terms, own_rules) = (Terms::new(rules, expected), rules.map(RuleSet::rules));
    let mut see = |_: &super::VerifiedRecord<'_>| {};
    let mut joining = Joining {
        source,
        pass: Pass::new(&terms, own_rules.as_ref(), &beginning, &mut see),
        terms: &terms,
        at: 0,
    };
    let hash = rules.map(RuleSet::hash);
    let mut ordered: Vec<&SegmentFacts> = facts.iter().filter(|f| f.rules == hash).collect();
    ordered.sort_by_key(|facts| facts.begin);
    for facts in ordered {
        // What overlaps a segment that was joined says nothing new.
        if facts.begin < joining.at {
            continue;
        }
        if joining.read_up_to(facts.begin)?.is_break() || joining.join(facts)?.is_break() {
            return Ok(joining.finish());
        }
    }
    let _ = joining.read_up_to(u64::MAX)?;
    Ok(joining.finish())
}

/// The joining of segments, in progress.
struct Joining<'j, S> {
    source: &'j mut S,
    pass: Pass<'j>,
    terms: &'j Terms<'j>,
    /// The offset up to which the ledger was taken.
    at: u64,
}

impl<S: Read + Seek> Joining<'_, S> {
    /// Takes the parts of a segment, and reads what cannot be joined.
    fn join(&mut self, facts: &SegmentFacts) -> io::Result<ControlFlow<()>> {
        for part in &facts.parts {
            match part {
                SegmentPart::Line { offset, .. } if *offset != self.at => break,
                SegmentPart::Line { offset, bytes } => {
                    let line = examine(LedgerLine::Whole(bytes), &mut None);
                    self.at = offset.saturating_add(bytes.len() as u64);
                    if self.pass.take(*offset, &line).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                SegmentPart::Stretch { noted, end } => {
                    if !self.pass.join(noted, &[]) {
                        break;
                    }
                    self.at = *end;
                }
            }
        }
        self.read_up_to(facts.end)
    }

    /// Reads the lines up to an offset at which a line begins, or up to the end of the file.
    fn read_up_to(&mut self, end: u64) -> io::Result<ControlFlow<()>> {
        if end <= self.at {
            return Ok(ControlFlow::Continue(()));
        }
        self.source.seek(SeekFrom::Start(self.at))?;
        let length = end.saturating_sub(self.at);
        let (pass, mut flow) = (&mut self.pass, ControlFlow::Continue(()));
        let blocks = BlockReader::starting_at(self.source.by_ref().take(length), self.at);
        self.at = visit_blocks(count_cores(), blocks, self.terms, &mut |block| {
            flow = pass.take_block(block);
            flow
        })?;
        Ok(flow)
    }

    fn finish(self) -> VerificationReport {
        self.pass.finish(self.at)
    }
}

/// The offset of the first line that begins at or after `offset`; the length of the file where none does, or where the
/// line that stands there is longer than any of a ledger.
fn find_line(source: &mut (impl Read + Seek), offset: u64) -> io::Result<u64> {
    let length = source.seek(SeekFrom::End(0))?;
    let Some(before) = offset.checked_sub(1).filter(|before| *before < length) else {
        return Ok(offset.min(length));
    };
    source.seek(SeekFrom::Start(before))?;
    let mut bytes = Vec::new();
    source
        .by_ref()
        .take(MAX_LINE_BYTES as u64)
        .read_to_end(&mut bytes)?;
    let feed = memchr::memchr(b'\n', &bytes);
    Ok(feed.map_or(length, |feed| {
        before.saturating_add(feed as u64).saturating_add(1)
    }))
}

/// The line of a record.
fn line_of(entry: &Entry<'_>) -> Vec<u8> {
    let mut line = ByteBuffer::default();
    ledger_line::write(entry, &mut line);
    line.0
}
