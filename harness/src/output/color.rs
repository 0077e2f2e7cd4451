//! Colours, where standard output is a terminal that takes them: `--color`, `NO_COLOR` and `CLICOLOR_FORCE` decide. Without
//! its escape sequences the text is the same.

use std::io;
use std::sync::LazyLock;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::table::LABEL_WIDTH;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Whether standard output takes colours, looked at once: what the command line and the environment say stays so.
pub(crate) fn is_wanted() -> bool {
    static IS_WANTED: LazyLock<bool> =
        LazyLock::new(|| AutoStream::choice(&io::stdout()) != ColorChoice::Never);
    *IS_WANTED
}

/// Colours the verdict of a result, which is the label in capitals that its pairs begin with: green where the command exits
/// with 0, else red. A document, such as a prompt, stays as it is.
pub(crate) fn paint_verdict(text: &str, exit_code: u8) -> String {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_';
    let end = text.find(|c| !is_capital(c)).unwrap_or(text.len());
    let (verdict, rest) = text.split_at(end);
    let style = if exit_code == 0 { GOOD } else { BAD };
    let width = usize::from(LABEL_WIDTH);
    let is_label = rest.trim_start_matches(' ').len() + width == text.len();
    match is_label && verdict.len() > 1 && verdict.len() < width {
        true => format!("{style}{verdict}{style:#}{rest}"),
        false => text.to_owned(),
    }
}

/// Colours each line of a text as a breach.
pub(crate) fn paint_breach(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{BAD}{line}{BAD:#}\n"));
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verdict_is_coloured_and_no_other_word() {
        let paint = |code: u8, text: &str| format!("\u{1b}[1m\u{1b}[{code}m{text}\u{1b}[0m");
        let painted = paint_verdict("OK              a\nBREACH          b\n", 0);
        let expected = format!("{}              a\nBREACH          b\n", paint(32, "OK"));
        assert_eq!(painted, expected);
        let painted = paint_verdict("CONFIG_MISMATCH a\n", 1);
        assert_eq!(painted, format!("{} a\n", paint(31, "CONFIG_MISMATCH")));
        for text in [
            "",
            "records         5\n",
            "A               b\n",
            "OKay            b\n",
            "OK",
            "OK\n",
            "WORKING SET of a scene\n",
            "OK               one more space",
        ] {
            assert_eq!(paint_verdict(text, 0), text);
        }
        let rows = paint_breach("1 a\n  b\n");
        assert_eq!(
            rows,
            format!("{}\n{}\n", paint(31, "1 a"), paint(31, "  b"))
        );
    }
}
