//! Tables as CSV (RFC 4180, lines end in LF).

use axilog_ledger::visible_text::escape_deceptive_line;
use csv::{Terminator, Writer, WriterBuilder};

/// A table that is written row by row.
pub(crate) struct CsvTable(Writer<Vec<u8>>);

impl CsvTable {
    /// A table with these titles of columns.
    pub(crate) fn new<const N: usize>(titles: [&str; N]) -> CsvTable {
        let mut builder = WriterBuilder::new();
        let mut table = CsvTable(
            builder
                .terminator(Terminator::Any(b'\n'))
                .from_writer(Vec::new()),
        );
        table.append(titles);
        table
    }

    /// Appends a row.
    pub(crate) fn append<const N: usize>(&mut self, cells: [impl AsRef<str>; N]) {
        let cells = cells
            .each_ref()
            .map(|cell| escape_deceptive_line(cell.as_ref()));
        // Memory takes whatever is written, and every row has as many cells as there are titles.
        let _ = self
            .0
            .write_record(cells.iter().map(|cell| cell.as_bytes()));
    }

    /// The text of the file.
    pub(crate) fn into_text(self) -> String {
        String::from_utf8(self.0.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut table = CsvTable::new(["run", "share"]);
        table.append(["a, \"b\"", "-0.5"]);
        table.append(["two\nlines\u{202e}", ""]);
        assert_eq!(
            table.into_text(),
            "run,share\n\"a, \"\"b\"\"\",-0.5\ntwo\\nlines\\u{202e},\n"
        );
    }
}
