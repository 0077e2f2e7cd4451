//! The lines of a ledger, examined and replayed on every core and visited in order.
//!
//! Most of the work of verification needs no other record: a record's form, its commit, its `obs_hash` and
//! the link to the line before. And most decisions can be made again from the state that a record of the same block
//! implies ([`axilog::replay::stretch`]). This module does both on all cores, a block at a time; joining the stretches, and
//! the checks that depend on the order, are the visitor's. Determinism: D2, for every number of cores.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use axilog::hash::Hash;
use axilog::replay::CheckedEntry;
use self_cell::self_cell;

use super::examined_line::{ExaminedLine, name_other_line, parse_record};
use super::stretches::{NotedStretch, StretchFinder};
use super::terms::Terms;
use crate::file::lines::{BlockReader, LineBlock};
use crate::rules::RuleSet;

/// The most cores that are used. More would only hold more blocks in memory.
const MAX_CORES: usize = 16;

/// The examined lines of a block, up to the first that is no record, which is the last.
#[derive(Default)]
pub(super) struct ExaminedLines<'b> {
    /// The lines with their offsets in the file.
    pub(super) lines: Vec<(u64, ExaminedLine<'b>)>,
    /// The stretches among them, in order.
    pub(super) stretches: Vec<PlacedStretch>,
}

/// A stretch and its place in a block.
pub(super) struct PlacedStretch {
    /// The number of lines of the block before the stretch.
    pub(super) first: usize,
    /// The number of its lines.
    pub(super) count: usize,
    /// The stretch.
    pub(super) noted: NotedStretch,
}

impl PlacedStretch {
    /// Places a stretch before which a block has `end` lines less its own.
    fn ending_at(end: usize, noted: NotedStretch) -> Option<PlacedStretch> {
        let count = usize::try_from(noted.stretch.len()).ok()?;
        let first = end.checked_sub(count)?;
        Some(PlacedStretch {
            first,
            count,
            noted,
        })
    }
}

impl ExaminedLines<'_> {
    fn ends_with_record(&self) -> bool {
        self.lines.last().is_some_and(|(_, line)| line.is_record())
    }

    /// Finds the stretches.
    fn replay(&mut self, terms: &Terms<'_>) {
        let rules = terms.rules.map(RuleSet::rules);
        let mut finder = StretchFinder::new(terms, rules.as_ref());
        let mut records = 0;
        for (offset, line) in &self.lines {
            if let ExaminedLine::Record(examined) = line {
                let ended = finder.take(*offset, examined);
                let placed = ended.and_then(|ended| PlacedStretch::ending_at(records, ended));
                self.stretches.extend(placed);
                records += 1;
            }
        }
        let ended = finder.finish();
        let placed = ended.and_then(|ended| PlacedStretch::ending_at(records, ended));
        self.stretches.extend(placed);
    }
}

/// A visitor of blocks. It breaks to end the visit.
pub(super) type BlockVisitor<'s> = &'s mut dyn FnMut(&ExaminedLines<'_>) -> ControlFlow<()>;

self_cell! {
    /// A block and its examined lines.
    struct ExaminedBlock {
        owner: LineBlock,
        #[covariant]
        dependent: ExaminedLines,
    }
}

/// The number of cores that a pass over a ledger uses.
pub(super) fn count_cores() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_CORES)
}

/// Calls `visit` with the lines of `blocks`, block by block in order, until it breaks or has seen a line that is no
/// record: what is after that is no part of the ledger. The stretches are those under `terms`; on one core there are
/// none. Gives the offset at which the last visited block ends.
///
/// # Errors
/// The source's error.
pub(super) fn visit_blocks(
    cores: usize,
    mut blocks: BlockReader<impl Read>,
    terms: &Terms<'_>,
    visit: BlockVisitor<'_>,
) -> io::Result<u64> {
    match blocks.next_block(LineBlock::default())? {
        None => Ok(blocks.offset()),
        // One block is not worth a thread.
        Some(first) if cores < 2 || blocks.is_at_end() => {
            visit_on_this_thread(first, blocks, visit)
        }
        Some(first) => visit_with_threads(cores, first, blocks, terms, visit),
    }
}

fn visit_on_this_thread(
    first: LineBlock,
    mut blocks: BlockReader<impl Read>,
    visit: BlockVisitor<'_>,
) -> io::Result<u64> {
    let mut block = first;
    let mut previous = None;
    loop {
        let end = block.end_offset();
        let examined = examine_lines(&block, &mut previous);
        if visit(&examined).is_break() || !examined.ends_with_record() {
            return Ok(end);
        }
        drop(examined);
        block = match blocks.next_block(block)? {
            Some(block) => block,
            None => return Ok(end),
        };
    }
}

fn visit_with_threads(
    threads: usize,
    first: LineBlock,
    mut blocks: BlockReader<impl Read>,
    terms: &Terms<'_>,
    visit: BlockVisitor<'_>,
) -> io::Result<u64> {
    let depth = 2 * threads + 2;
    let (jobs, queue) = sync_channel::<Job>(depth);
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        // Dropped when this closure returns, which ends the threads.
        let jobs = jobs;
        // The system may refuse to start some of the threads, or all.
        let started = (0..threads).filter_map(|_| {
            thread::Builder::new()
                .spawn_scoped(scope, || examine_blocks(&queue, terms))
                .ok()
        });
        if started.count() == 0 {
            return visit_on_this_thread(first, blocks, visit);
        }
        let (mut first, mut spare) = (Some(first), Vec::new());
        let (mut pending, mut failed) = (VecDeque::new(), None);
        let mut end = 0;
        loop {
            while pending.len() < depth && failed.is_none() {
                let block = match first.take() {
                    Some(block) => Ok(Some(block)),
                    None => blocks.next_block(spare.pop().unwrap_or_default()),
                };
                match block {
                    Ok(Some(block)) => {
                        let (done, result) = sync_channel(1);
                        // The queue has room for every pending job, and the threads live.
                        let _ = jobs.send((block, done));
                        pending.push_back(result);
                    }
                    Ok(None) => break,
                    // A fault in a block that was read before comes first.
                    Err(error) => failed = Some(error),
                }
            }
            let Some(result) = pending.pop_front() else {
                return failed.map_or(Ok(end), Err);
            };
            // A thread has panicked; the scope propagates it.
            let Ok(examined) = result.recv() else {
                return Ok(end);
            };
            end = examined.borrow_owner().end_offset();
            let lines = examined.borrow_dependent();
            if visit(lines).is_break() || !lines.ends_with_record() {
                return Ok(end);
            }
            spare.push(examined.into_owner());
        }
    })
}

/// A block to examine, and the channel for the result.
type Job = (LineBlock, SyncSender<ExaminedBlock>);

fn examine_blocks(queue: &Mutex<Receiver<Job>>, terms: &Terms<'_>) {
    let take = || queue.lock().ok()?.recv().ok();
    while let Some((block, done)) = take() {
        let examined = ExaminedBlock::new(block, |block| {
            let mut examined = examine_lines(block, &mut None);
            examined.replay(terms);
            examined
        });
        // The receiver is gone where the visitor has broken off.
        let _ = done.send(examined);
    }
}

/// Examines the lines of a block up to the first that is no record, which is the last. A block of the
/// shortest lines there can be, all of them empty, would else take hundreds of times its own memory. `previous` is the
/// chain value of the line before, `None` at the beginning of a block that is examined by itself.
pub(super) fn examine_lines<'b>(
    block: &'b LineBlock,
    previous: &mut Option<Hash>,
) -> ExaminedLines<'b> {
    let (mut offsets, mut entries, mut last) = (Vec::new(), Vec::new(), None);
    for (offset, line) in block.lines() {
        let Some(entry) = parse_record(&line) else {
            last = Some((offset, name_other_line(&line)));
            break;
        };
        offsets.push(offset);
        entries.push(entry);
    }
    let mut lines = Vec::with_capacity(entries.len() + 1);
    let mut offsets = offsets.into_iter();
    CheckedEntry::of_neighbours(&entries, previous.as_ref(), &mut |record| {
        lines.extend((offsets.next()).map(|offset| (offset, ExaminedLine::Record(record))));
    });
    *previous = entries.last().map(|entry| entry.chain).or(*previous);
    lines.extend(last);
    ExaminedLines {
        lines,
        stretches: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::LedgerExpectations;
    use axilog::ledger::genesis_entry;
    use axilog::ledger_line;

    /// The lines of `source` up to the offset `stop`, examined on `cores` cores.
    fn describe_lines(
        cores: usize,
        source: impl Read,
        stop: u64,
    ) -> (Vec<String>, io::Result<u64>) {
        let mut all = Vec::new();
        let expected = LedgerExpectations::default();
        let terms = Terms::new(None, &expected);
        let result = visit_blocks(cores, BlockReader::new(source), &terms, &mut |block| {
            for (offset, line) in &block.lines {
                all.push(match line {
                    ExaminedLine::Record(examined) => {
                        format!("{offset} {}", examined.entry().sequence)
                    }
                    ExaminedLine::NotALine => format!("{offset} not a line"),
                    ExaminedLine::Torn(bytes) => format!("{offset} torn {bytes}"),
                    ExaminedLine::TooLong => format!("{offset} too long"),
                });
                if *offset >= stop {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        (all, result)
    }

    /// A source that fails after its bytes.
    struct FailingReader<'a>(&'a [u8]);

    impl Read for FailingReader<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::other("bad sector")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn every_number_of_cores_gives_the_same_lines() {
        let mut file = Vec::new();
        for sequence in 0..10_000u64 {
            let mut line = crate::encoding::ByteBuffer::default();
            ledger_line::write(
                &axilog::ledger::Entry {
                    sequence,
                    ..genesis_entry()
                },
                &mut line,
            );
            file.extend_from_slice(&line.0);
        }
        let lines = 10_000;
        let mut feeds = (1..).zip(&file).filter(|(_, byte)| **byte == b'\n');
        let (bad, _) = feeds.nth(8_999).unwrap();
        let mut damaged = file.clone();
        damaged[bad] = b'!';
        file.extend_from_slice(b"torn");
        let (one, _) = describe_lines(1, file.as_slice(), u64::MAX);
        assert_eq!(one.len(), lines + 1);
        assert!(one[lines].ends_with("torn 4"));
        let (some, _) = describe_lines(1, damaged.as_slice(), u64::MAX);
        assert_eq!(some.len(), 9_001, "nothing after the first bad line");
        assert!(some[9_000].ends_with("not a line"));
        for cores in [2, 3, 16] {
            assert_eq!(describe_lines(cores, file.as_slice(), u64::MAX).0, one);
            assert_eq!(describe_lines(cores, damaged.as_slice(), u64::MAX).0, some);
            let (some, result) = describe_lines(cores, FailingReader(&file), 1_000_000);
            assert!(result.is_ok(), "the visit ended before the source failed");
            assert_eq!(some, one[..some.len()]);
            // The failure hides the lines of the last block.
            let (most, result) = describe_lines(cores, FailingReader(&file), u64::MAX);
            assert!(result.is_err());
            assert_eq!(most, one[..most.len()]);
        }
    }
}
