//! From byte offset to line and column, for messages. Determinism class D1.

/// The line and column of byte `at` in `text`, both counted from 1; columns
/// in characters. Only LF ends a line. An offset past the end, or inside a
/// character, is read as the end of the text.
pub(crate) fn locate(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count();
    let column = before
        .chars()
        .rev()
        .take_while(|&character| character != '\n')
        .count();
    (line.saturating_add(1), column.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::locate;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let text = "ab\né€x\r\n\nz";
        for (at, expected) in [
            (0, (1, 1)),
            (2, (1, 3)),
            (3, (2, 1)),
            (5, (2, 2)),
            (8, (2, 3)),
            (9, (2, 4)),
            (11, (3, 1)),
            (12, (4, 1)),
            (13, (4, 2)),
            (99, (4, 2)),
        ] {
            assert_eq!(locate(text, at), expected, "offset {at}");
        }
        assert_eq!(locate("", 0), (1, 1));
    }
}
