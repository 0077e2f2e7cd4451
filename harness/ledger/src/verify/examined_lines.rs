//! The lines of a ledger, examined on every core and visited in order.
//!
//! Most of the work of verification needs no other record: a record's form, its commit, its `obs_hash` and
//! the link to the line before. This module does that part on all cores; the checks that depend on the order
//! are the visitor's. Determinism: D2, for every number of cores.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::replay::CheckedEntry;
use self_cell::self_cell;

use crate::file::lines::{BlockReader, LedgerLine, LineBlock};

/// The most cores that are used. More would only hold more blocks in memory.
const MAX_CORES: usize = 16;

/// A line that was examined by itself.
#[expect(clippy::large_enum_variant, reason = "almost all lines are records")]
pub enum ExaminedLine<'b> {
    /// A record.
    Record(CheckedEntry<'b>),
    /// A line that is no ledger line in canonical form.
    NotALine,
    /// The last bytes of the file, without a line feed; their number.
    Torn(usize),
    /// More bytes than the longest line has, without a line feed.
    TooLong,
}

impl ExaminedLine<'_> {
    fn is_record(&self) -> bool {
        matches!(self, ExaminedLine::Record(_))
    }
}

/// A visitor of lines, called with each line's offset. It breaks to end the visit.
pub type LineVisitor<'s> = &'s mut dyn FnMut(u64, &ExaminedLine<'_>) -> ControlFlow<()>;

type ExaminedLines<'b> = Vec<(u64, ExaminedLine<'b>)>;

self_cell! {
    /// A block and its examined lines.
    struct ExaminedBlock {
        owner: LineBlock,
        #[covariant]
        dependent: ExaminedLines,
    }
}

/// Calls `visit` with the lines of `source`, in order, until it breaks or has seen one that is no record: what
/// is after that is no part of the ledger. Gives the offset at which the last visited block ends.
///
/// # Errors
/// The source's error.
pub fn visit_lines(source: impl Read, visit: LineVisitor<'_>) -> io::Result<u64> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    visit_lines_on(cores.min(MAX_CORES), source, visit)
}

fn visit_lines_on(cores: usize, source: impl Read, visit: LineVisitor<'_>) -> io::Result<u64> {
    let mut blocks = BlockReader::new(source);
    match blocks.next_block(LineBlock::default())? {
        None => Ok(0),
        // One block is not worth a thread.
        Some(first) if cores < 2 || blocks.is_at_end() => {
            visit_on_this_thread(first, blocks, visit)
        }
        Some(first) => visit_with_threads(cores, first, blocks, visit),
    }
}

fn visit_on_this_thread(
    first: LineBlock,
    mut blocks: BlockReader<impl Read>,
    visit: LineVisitor<'_>,
) -> io::Result<u64> {
    let mut block = first;
    let mut previous = None;
    loop {
        let end = block.end_offset();
        for (offset, line) in examine_lines(&block, &mut previous) {
            if visit(offset, &line).is_break() || !line.is_record() {
                return Ok(end);
            }
        }
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
    visit: LineVisitor<'_>,
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
                .spawn_scoped(scope, || examine_blocks(&queue))
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
            for (offset, line) in examined.borrow_dependent() {
                if visit(*offset, line).is_break() || !line.is_record() {
                    return Ok(end);
                }
            }
            spare.push(examined.into_owner());
        }
    })
}

/// A block to examine, and the channel for the result.
type Job = (LineBlock, SyncSender<ExaminedBlock>);

fn examine_blocks(queue: &Mutex<Receiver<Job>>) {
    let take = || queue.lock().ok()?.recv().ok();
    while let Some((block, done)) = take() {
        let examined = ExaminedBlock::new(block, |block| examine_lines(block, &mut None));
        // The receiver is gone where the visitor has broken off.
        let _ = done.send(examined);
    }
}

/// Examines the lines of a block up to the first that is no record, which is the last. A block of the
/// shortest lines there can be, all of them empty, would else take hundreds of times its own memory. `previous` is the
/// chain value of the line before, `None` at the beginning of a block that is examined by itself.
fn examine_lines<'b>(block: &'b LineBlock, previous: &mut Option<Hash>) -> ExaminedLines<'b> {
    let (mut offsets, mut entries, mut last) = (Vec::new(), Vec::new(), None);
    for (offset, line) in block.lines() {
        let Some(entry) = parse_record(&line) else {
            last = Some((offset, name_other_line(&line)));
            break;
        };
        offsets.push(offset);
        entries.push(entry);
    }
    let mut examined = Vec::with_capacity(entries.len() + 1);
    let mut offsets = offsets.into_iter();
    CheckedEntry::of_neighbours(&entries, previous.as_ref(), &mut |record| {
        examined.extend((offsets.next()).map(|offset| (offset, ExaminedLine::Record(record))));
    });
    *previous = entries.last().map(|entry| entry.chain).or(*previous);
    examined.extend(last);
    examined
}

/// Examines a line by itself. `previous` is the chain value of the line before, `None` at the beginning.
pub(crate) fn examine<'b>(line: LedgerLine<'b>, previous: &mut Option<Hash>) -> ExaminedLine<'b> {
    let Some(entry) = parse_record(&line) else {
        return name_other_line(&line);
    };
    let examined = CheckedEntry::of(&entry, previous.as_ref());
    *previous = Some(entry.chain);
    ExaminedLine::Record(examined)
}

/// The record of a line, where it is one in canonical form.
fn parse_record<'b>(line: &LedgerLine<'b>) -> Option<Entry<'b>> {
    match line {
        LedgerLine::Whole(line) => ledger_line::parse(line).ok(),
        LedgerLine::Torn(_) | LedgerLine::TooLong => None,
    }
}

/// What a line is that has no record.
fn name_other_line(line: &LedgerLine<'_>) -> ExaminedLine<'static> {
    match line {
        LedgerLine::Whole(_) => ExaminedLine::NotALine,
        LedgerLine::Torn(bytes) => ExaminedLine::Torn(bytes.len()),
        LedgerLine::TooLong => ExaminedLine::TooLong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::ledger::genesis_entry;

    /// The lines of `source` up to the offset `stop`, examined on `cores` cores.
    fn describe_lines(
        cores: usize,
        source: impl Read,
        stop: u64,
    ) -> (Vec<String>, io::Result<u64>) {
        let mut all = Vec::new();
        let result = visit_lines_on(cores, source, &mut |offset, line| {
            all.push(match line {
                ExaminedLine::Record(examined) => format!("{offset} {}", examined.entry().sequence),
                ExaminedLine::NotALine => format!("{offset} not a line"),
                ExaminedLine::Torn(bytes) => format!("{offset} torn {bytes}"),
                ExaminedLine::TooLong => format!("{offset} too long"),
            });
            match offset < stop {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
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
