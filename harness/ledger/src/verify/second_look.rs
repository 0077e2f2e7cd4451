//! A second look at a ledger that something is writing, before its reader finds fault with it.
//!
//! A reader takes no lock. It may see the first half of a line whose second half is being written, or the beginning of
//! a torn line that a writer moves aside and the end of the line in its place. Both are gone at the next look.

use std::io::{Seek, SeekFrom};

/// The most looks at one ledger. A writer that appends all the time could else keep its readers for ever.
const MAX_LOOKS: usize = 5;

/// Looks at a ledger with `look`, and again while `doubt` says what is wrong with it, the ledger has changed its length
/// meanwhile, and the looks differ. Gives what the last look found. A source without a length, such as a pipe, gets
/// one look.
///
/// # Errors
/// Those of `look`.
pub fn look_until_settled<S: Seek, T, E>(
    source: &mut S,
    doubt: impl Fn(&T) -> Option<String>,
    mut look: impl FnMut(&mut S) -> Result<T, E>,
) -> Result<T, E> {
    let mut length = measure(source);
    let mut found = look(source)?;
    for _ in 1..MAX_LOOKS {
        let doubted = doubt(&found);
        let now = measure(source);
        if doubted.is_none() || now == length {
            break;
        }
        length = now;
        found = look(source)?;
        if doubt(&found) == doubted {
            break;
        }
    }
    Ok(found)
}

/// The length of a source, which stands at its first byte afterwards; `None` where it has none.
fn measure(source: &mut impl Seek) -> Option<u64> {
    let length = source.seek(SeekFrom::End(0)).ok()?;
    source.rewind().ok()?;
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io;

    /// A source with the lengths that it has at one measurement after the other.
    struct GrowingSource<'a> {
        lengths: &'a [u64],
        measured: usize,
    }

    impl Seek for GrowingSource<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            if to == SeekFrom::Start(0) {
                return Ok(0);
            }
            let length = self.lengths.get(self.measured);
            self.measured += 1;
            length.copied().ok_or(io::ErrorKind::NotSeekable.into())
        }
    }

    /// How often a ledger with these lengths is looked at that has these doubts, one after the other.
    fn count_looks(lengths: &[u64], doubts: &[Option<&str>]) -> usize {
        let looks = Cell::new(0);
        let mut source = GrowingSource {
            lengths,
            measured: 0,
        };
        let found = look_until_settled(
            &mut source,
            |doubt: &Option<&str>| doubt.map(str::to_owned),
            |_| {
                looks.set(looks.get() + 1);
                Ok::<_, ()>(doubts[looks.get() - 1])
            },
        );
        assert_eq!(found, Ok(doubts[looks.get() - 1]), "the last look counts");
        looks.get()
    }

    #[test]
    fn a_ledger_is_looked_at_again_while_it_changes_and_its_fault_does() {
        assert_eq!(count_looks(&[7, 9], &[None]), 1, "nothing is wrong");
        assert_eq!(count_looks(&[7, 7], &[Some("a")]), 1, "nobody writes");
        assert_eq!(count_looks(&[], &[Some("a")]), 1, "a pipe");
        assert_eq!(
            count_looks(&[7, 9, 9], &[Some("a"), None]),
            2,
            "it was a writer"
        );
        assert_eq!(count_looks(&[7, 9], &[Some("a"), Some("a")]), 2, "it stays");
        let lengths = [1, 2, 3, 4, 5, 6, 7];
        let doubts = ["a", "b", "c", "d", "e", "f", "g"].map(Some);
        assert_eq!(count_looks(&lengths, &doubts), MAX_LOOKS);
    }
}
