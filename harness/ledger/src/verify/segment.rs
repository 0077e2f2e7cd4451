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

use axilog::hash::{Hash, sha256};
use axilog::ledger_line;

use super::examined_line::ExaminedLine;
use super::examined_lines::{count_cores, examine_lines, visit_blocks};
use super::expectations::LedgerExpectations;
use super::pass::Pass;
use super::report::{VerificationReport, VerifiedRecord};
use super::stretches::{NotedStretch, StretchFinder};
use super::terms::Terms;
use crate::file::beginning::BEGINNING_BYTES;
use crate::file::lines::{BlockReader, LineBlock, MAX_LINE_BYTES};
use crate::rules::RuleSet;

/// How many of a file's first bytes tell the ledger: the first steps, with their times.
const TELLING_BYTES: u64 = 1 << 16;

/// What one process has found of a segment: all that is needed to join it to what is before it.
pub struct SegmentFacts {
    /// The offset of the segment's first line.
    pub(super) begin: u64,
    pub(super) subject: SegmentSubject,
    /// The stretches of it, in order. What they leave out, the joining process reads.
    pub(super) stretches: Vec<SegmentStretch>,
}

/// What was checked, and against what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentSubject {
    /// How many of the ledger's first bytes are hashed.
    pub(super) telling: u64,
    /// Their hash.
    pub(super) beginning: Hash,
    /// The digest of rules and expectations.
    pub(super) terms: Hash,
}

/// Lines of a segment that were replayed from the state that the line before implies.
pub(super) struct SegmentStretch {
    /// The offset of its first line.
    pub(super) begin: u64,
    /// The offset at which its last line ends.
    pub(super) end: u64,
    pub(super) noted: NotedStretch,
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
    let (terms, own_rules) = (Terms::new(rules, expected), rules.map(RuleSet::rules));
    let subject = SegmentSubject::of(source, TELLING_BYTES, &terms)?;
    let begin = find_line(source, from)?;
    let end = find_line(source, to)?.max(begin);
    source.seek(SeekFrom::Start(begin))?;
    let mut blocks = BlockReader::starting_at(source.take(end.saturating_sub(begin)), begin);
    let mut search = Search {
        finder: StretchFinder::new(&terms, own_rules.as_ref()),
        stretches: Vec::new(),
        begin,
        settled: None,
    };
    let (mut block, mut previous) = (LineBlock::default(), None);
    while let Some(read) = blocks.next_block(block)? {
        let examined = examine_lines(&read, &mut previous);
        let (mut lines, is_last) = (examined.lines.iter().peekable(), blocks.is_at_end());
        let mut is_good = true;
        while let Some((offset, line)) = lines.next().filter(|_| is_good) {
            let next = lines.peek().map_or(read.end_offset(), |(next, _)| *next);
            is_good = search.take(*offset, next, line, is_last);
        }
        drop(examined);
        if !is_good {
            break;
        }
        block = read;
    }
    search.stretches.extend(search.settled);
    Ok(SegmentFacts {
        begin,
        subject,
        stretches: search.stretches,
    })
}

impl SegmentSubject {
    /// What `source` and `terms` are, of whose first bytes at most `telling` count.
    fn of(
        source: &mut (impl Read + Seek),
        telling: u64,
        terms: &Terms<'_>,
    ) -> io::Result<SegmentSubject> {
        source.rewind()?;
        let mut beginning = Vec::new();
        source.by_ref().take(telling).read_to_end(&mut beginning)?;
        Ok(SegmentSubject {
            telling: beginning.len() as u64,
            beginning: sha256(&beginning),
            terms: terms.digest(),
        })
    }
}

/// The search for the stretches of a segment.
struct Search<'r> {
    finder: StretchFinder<'r>,
    stretches: Vec<SegmentStretch>,
    /// The offset of the first line of the stretch that is under way.
    begin: u64,
    /// The last stretch up to the end of its last whole step. A stretch that ends within a step cannot be written as bytes.
    settled: Option<SegmentStretch>,
}

impl Search<'_> {
    /// Takes the next line of the segment, which is followed by one at the offset `next`; `is_near_end` says that it
    /// stands in the last block. Tells whether the lines after it matter.
    fn take(&mut self, offset: u64, next: u64, line: &ExaminedLine<'_>, is_near_end: bool) -> bool {
        let ExaminedLine::Record(record) = line else {
            return false;
        };
        if let Some(noted) = self.finder.take(offset, record) {
            self.settled = None;
            self.stretches.push(SegmentStretch {
                begin: self.begin,
                end: offset,
                noted,
            });
        }
        if self.finder.has_fault() {
            return false;
        }
        if !self.finder.is_within() {
            self.stretches.extend(self.settled.take());
            self.begin = next;
        } else if is_near_end && let Some(noted) = self.finder.so_far() {
            self.settled = Some(SegmentStretch {
                begin: self.begin,
                end: next,
                noted,
            });
        }
        true
    }
}

/// Why segments cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What was found of a segment is of something else.
    #[error(
        "the facts of the segment at byte {begin} are of {what}; join what was found of this ledger, with the same rules and expectations"
    )]
    OtherSubject {
        /// The offset of the segment's first line.
        begin: u64,
        /// What they are of.
        what: &'static str,
    },
}

/// Puts together what was found of the segments of the ledger that `source` reads, and gives the report of a verification
/// of the whole, or of a replay under `rules`. Segments may come in any order; of those that overlap the first counts.
///
/// # Errors
/// The source's error; [`JoinError::OtherSubject`] for facts of a ledger that begins with other bytes or was longer, or that were
/// found with other rules or expectations. A bad ledger is no error but a [`VerificationReport::fault`].
pub fn join_segments(
    source: &mut (impl Read + Seek),
    facts: &[SegmentFacts],
    rules: Option<&RuleSet>,
    expected: &LedgerExpectations,
) -> Result<VerificationReport, JoinError> {
    let (terms, own_rules) = (Terms::new(rules, expected), rules.map(RuleSet::rules));
    for facts in facts {
        facts.check_subject(source, &terms)?;
    }
    source.rewind()?;
    let mut beginning = Vec::new();
    source
        .by_ref()
        .take(BEGINNING_BYTES as u64)
        .read_to_end(&mut beginning)?;
    let mut see = |_: &VerifiedRecord<'_>| {};
    let mut joining = Joining {
        source,
        pass: Pass::new(&terms, own_rules.as_ref(), &beginning, &mut see),
        terms: &terms,
        at: 0,
    };
    let mut stretches: Vec<&SegmentStretch> =
        facts.iter().flat_map(|facts| &facts.stretches).collect();
    stretches.sort_by_key(|stretch| stretch.begin);
    for stretch in stretches {
        if joining.join(stretch)?.is_break() {
            return Ok(joining.finish());
        }
    }
    let _ = joining.read_up_to(u64::MAX)?;
    Ok(joining.finish())
}

impl SegmentFacts {
    /// Refuses facts that are not of this ledger under these terms.
    fn check_subject(
        &self,
        source: &mut (impl Read + Seek),
        terms: &Terms<'_>,
    ) -> Result<(), JoinError> {
        let own = SegmentSubject::of(source, self.subject.telling.min(TELLING_BYTES), terms)?;
        let what = match self.subject {
            found if found == own => return Ok(()),
            found if (found.telling, found.beginning) == (own.telling, own.beginning) => {
                "other rules or expectations"
            }
            _ => "another ledger, which begins with other bytes or was longer",
        };
        Err(JoinError::OtherSubject {
            begin: self.begin,
            what,
        })
    }
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
    /// Takes a stretch, and reads what is before it. Breaks where a line is wrong.
    fn join(&mut self, stretch: &SegmentStretch) -> io::Result<ControlFlow<()>> {
        let SegmentStretch { begin, end, noted } = stretch;
        // What overlaps lines that were taken already says nothing new.
        let is_next = *begin >= self.at && *end > *begin;
        // A file that was written since may have its lines elsewhere.
        if !is_next || !self.begins_line(*begin)? || !self.ends_with(*end, noted)? {
            return Ok(ControlFlow::Continue(()));
        }
        if self.read_up_to(*begin)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if self.pass.join(noted, &[]) {
            self.at = *end;
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether a line begins at an offset, or the file ends there after a line.
    fn begins_line(&mut self, offset: u64) -> io::Result<bool> {
        let Some(before) = offset.checked_sub(1) else {
            return Ok(true);
        };
        self.source.seek(SeekFrom::Start(before))?;
        let mut bytes = Vec::new();
        self.source.by_ref().take(1).read_to_end(&mut bytes)?;
        Ok(bytes == b"\n")
    }

    /// Whether the line that ends at the offset `end` has the chain value with which the stretch ends, so that what is
    /// after it follows the stretch.
    fn ends_with(&mut self, end: u64, noted: &NotedStretch) -> io::Result<bool> {
        let begin = end.saturating_sub(MAX_LINE_BYTES as u64);
        let mut bytes = Vec::new();
        self.source.seek(SeekFrom::Start(begin))?;
        let length = end.saturating_sub(begin);
        self.source.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Ok(false);
        }
        let before = bytes.split_last().map_or(&[][..], |(_, before)| before);
        let line = memchr::memrchr(b'\n', before).map_or(0, |feed| feed.saturating_add(1));
        let entry = ledger_line::parse(bytes.get(line..).unwrap_or_default());
        Ok(entry.is_ok_and(|entry| entry.chain == noted.stretch.last_chain()))
    }

    /// Reads the lines up to an offset at which a line begins, or up to the end of the file. Breaks where a line is wrong,
    /// and where the file ends before.
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
        Ok(match self.at < end {
            true => ControlFlow::Break(()),
            false => flow,
        })
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
