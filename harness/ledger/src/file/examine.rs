//! Examines the lines of a ledger on every core and hands them out in order.
//!
//! What a record says of itself (its form, its commit, its `obs_hash`, the link to the line before)
//! needs no other record, and is most of the work; only the order is left to the caller.
//! Determinism: D2, whatever the number of cores.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use axilog::hash::Hash;
use axilog::ledger_line;
use axilog::replay::Examined;
use self_cell::self_cell;

use super::reader::{Block, Blocks, Line};

/// More cores would only hold more blocks in memory.
const MAX_CORES: usize = 16;

/// What stands where a line should.
#[expect(clippy::large_enum_variant, reason = "all but one are records")]
pub enum Found<'b> {
    /// A record, examined.
    Record(Examined<'b>),
    /// A line that is not one of a ledger in canonical form.
    NotALine,
    /// The last bytes of the file, so many, without a line feed.
    Torn(usize),
    /// More bytes than any record has, without a line feed.
    TooLong,
}

/// Sees a line's offset and what it is; breaks where no more is wanted.
pub type See<'s> = &'s mut dyn FnMut(u64, &Found<'_>) -> ControlFlow<()>;

type FoundLines<'b> = Vec<(u64, Found<'b>)>;

self_cell! {
    /// A block with what was found in it.
    struct ExaminedBlock {
        owner: Block,
        #[covariant]
        dependent: FoundLines,
    }
}

/// Shows `see` every line of `source` and its offset, in order, until it breaks; gives how many
/// bytes there were up to the end of the last block shown.
///
/// # Errors
/// What reading gives.
pub fn each_line(source: impl Read, see: See<'_>) -> io::Result<u64> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    each_line_on(cores.min(MAX_CORES), source, see)
}

fn each_line_on(cores: usize, source: impl Read, see: See<'_>) -> io::Result<u64> {
    let mut blocks = Blocks::new(source);
    match blocks.next_block(Block::default())? {
        None => Ok(0),
        // Threads are for more than one block.
        Some(first) if cores < 2 || blocks.ended() => alone(first, blocks, see),
        Some(first) => on_threads(cores, first, blocks, see),
    }
}

fn alone(first: Block, mut blocks: Blocks<impl Read>, see: See<'_>) -> io::Result<u64> {
    let mut block = first;
    let mut previous = None;
    loop {
        for (offset, line) in block.lines() {
            if see(offset, &examine(line, &mut previous)).is_break() {
                return Ok(block.end());
            }
        }
        let end = block.end();
        block = match blocks.next_block(block)? {
            Some(block) => block,
            None => return Ok(end),
        };
    }
}

fn on_threads(
    threads: usize,
    first: Block,
    mut blocks: Blocks<impl Read>,
    see: See<'_>,
) -> io::Result<u64> {
    let depth = 2 * threads + 2;
    let (jobs, queue) = sync_channel::<Job>(depth);
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        // Gone when this closure returns, however it does: then the threads end.
        let jobs = jobs;
        // A system that has no thread left gives fewer, or none.
        let started = (0..threads).filter_map(|_| {
            thread::Builder::new()
                .spawn_scoped(scope, || work(&queue))
                .ok()
        });
        if started.count() == 0 {
            return alone(first, blocks, see);
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
                        // There is room for all that is pending, and somebody to take it.
                        let _ = jobs.send((block, done));
                        pending.push_back(result);
                    }
                    Ok(None) => break,
                    // What was read before may have a fault, which then comes first.
                    Err(error) => failed = Some(error),
                }
            }
            let Some(result) = pending.pop_front() else {
                return failed.map_or(Ok(end), Err);
            };
            // Where a thread has died, the scope says so.
            let Ok(examined) = result.recv() else {
                return Ok(end);
            };
            end = examined.borrow_owner().end();
            for (offset, found) in examined.borrow_dependent() {
                if see(*offset, found).is_break() {
                    return Ok(end);
                }
            }
            spare.push(examined.into_owner());
        }
    })
}

/// A block to examine, and where to put the result.
type Job = (Block, SyncSender<ExaminedBlock>);

fn work(queue: &Mutex<Receiver<Job>>) {
    let take = || queue.lock().ok()?.recv().ok();
    while let Some((block, done)) = take() {
        let examined = ExaminedBlock::new(block, |block| {
            let mut previous = None;
            let lines = block.lines();
            lines
                .map(|(offset, line)| (offset, examine(line, &mut previous)))
                .collect()
        });
        // Nobody waits for it any more where the ledger was found bad before.
        let _ = done.send(examined);
    }
}

/// Examines a line. `previous` is the chain value of the line before, as far as it is known.
fn examine<'b>(line: Line<'b>, previous: &mut Option<Hash>) -> Found<'b> {
    match line {
        Line::Whole(line) => match ledger_line::parse(line) {
            Ok(entry) => {
                let examined = Examined::of(&entry);
                Found::Record(match previous.replace(entry.chain) {
                    Some(previous) => examined.behind(&previous),
                    None => examined,
                })
            }
            Err(_) => Found::NotALine,
        },
        Line::Torn(bytes) => Found::Torn(bytes.len()),
        Line::TooLong => Found::TooLong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axilog::ledger::genesis_entry;

    /// What `cores` cores find in `file`, up to the offset `stop`.
    fn found(cores: usize, source: impl Read, stop: u64) -> (Vec<String>, io::Result<u64>) {
        let mut all = Vec::new();
        let result = each_line_on(cores, source, &mut |offset, found| {
            all.push(match found {
                Found::Record(examined) => format!("{offset} {}", examined.entry().sequence),
                Found::NotALine => format!("{offset} not a line"),
                Found::Torn(bytes) => format!("{offset} torn {bytes}"),
                Found::TooLong => format!("{offset} too long"),
            });
            match offset < stop {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        (all, result)
    }

    /// Reads `0`, then fails.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(io::Error::other("bad sector")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn the_number_of_cores_changes_nothing() {
        let mut file = Vec::new();
        for sequence in 0..10_000u64 {
            let mut line = crate::file::LineBytes::default();
            ledger_line::write(
                &axilog::ledger::Entry {
                    sequence,
                    ..genesis_entry()
                },
                &mut line,
            );
            if sequence % 999 == 0 {
                line.0[0] = b'!';
            }
            file.extend_from_slice(&line.0);
        }
        let lines = 10_000;
        file.extend_from_slice(b"torn");
        let (one, _) = found(1, file.as_slice(), u64::MAX);
        assert_eq!(one.len(), lines + 1);
        assert!(one[lines].ends_with("torn 4") && one[999].ends_with("not a line"));
        for cores in [2, 3, 16] {
            assert_eq!(found(cores, file.as_slice(), u64::MAX).0, one);
            let (some, result) = found(cores, Failing(&file), 1_000_000);
            assert!(result.is_ok(), "nothing behind the end is asked for");
            assert_eq!(some, one[..some.len()]);
            // Without its last block, which the failure came before.
            let (most, result) = found(cores, Failing(&file), u64::MAX);
            assert!(result.is_err());
            assert_eq!(most, one[..most.len()]);
        }
    }
}
