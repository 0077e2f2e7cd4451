//! One line of a ledger, examined by itself: whether it is a record in canonical form, and whether its own digests are right.
//! Determinism: D2.

use axilog::hash::Hash;
use axilog::ledger::Entry;
use axilog::ledger_line;
use axilog::replay::CheckedEntry;

use crate::file::lines::LedgerLine;

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
    pub(super) fn is_record(&self) -> bool {
        matches!(self, ExaminedLine::Record(_))
    }
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
pub(super) fn parse_record<'b>(line: &LedgerLine<'b>) -> Option<Entry<'b>> {
    match line {
        LedgerLine::Whole(line) => ledger_line::parse(line).ok(),
        LedgerLine::Torn(_) | LedgerLine::TooLong => None,
    }
}

/// What a line is that has no record.
pub(super) fn name_other_line(line: &LedgerLine<'_>) -> ExaminedLine<'static> {
    match line {
        LedgerLine::Whole(_) => ExaminedLine::NotALine,
        LedgerLine::Torn(bytes) => ExaminedLine::Torn(bytes.len()),
        LedgerLine::TooLong => ExaminedLine::TooLong,
    }
}
