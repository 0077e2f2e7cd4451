//! Tables as CSV (RFC 4180, lines end in LF).

use axilog_ledger::visible_text::escape_deceptive_line;

/// A table that is written row by row.
pub(crate) struct CsvTable(String);

impl CsvTable {
    /// A table with these titles of columns.
    pub(crate) fn new<const N: usize>(titles: [&str; N]) -> CsvTable {
        let mut table = CsvTable(String::new());
        table.append(titles);
        table
    }

    /// Appends a row.
    pub(crate) fn append<const N: usize>(&mut self, cells: [impl AsRef<str>; N]) {
        let cells = cells.each_ref().map(|cell| quote(cell.as_ref()));
        self.0.push_str(&cells.join(","));
        self.0.push('\n');
    }

    /// The text of the file.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// A cell as it stands in a row: within quotation marks where it holds a comma or one of these.
fn quote(cell: &str) -> String {
    let cell = escape_deceptive_line(cell);
    match cell.contains([',', '"']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into_owned(),
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
