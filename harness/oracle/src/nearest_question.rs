//! The recorded question that is most like one that was not recorded, and how they differ.

use axilog::hash::Hash;
use axilog_ledger::encoding::hex;
use axilog_ledger::error::LedgerError;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::input::CanonicalInput;
use serde::Deserialize;
use serde_json::Value;
use similar::TextDiff;

/// The longest question that is shown or compared.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// The most lines of a difference that are shown.
const MAX_DIFF_LINES: usize = 40;

/// Describes which of the questions `recorded`, kept among `blobs`, has most in common with `asked`, and how they differ.
///
/// # Errors
/// [`FileError::Io`](axilog_ledger::error::FileError::Io) for a blob that cannot be read.
pub fn describe_nearest<'h>(
    blobs: &BlobStore,
    recorded: impl IntoIterator<Item = &'h Hash>,
    asked: &CanonicalInput,
) -> Result<String, LedgerError> {
    let asked = format_question(asked.bytes());
    let mut nearest: Option<(usize, String, String)> = None;
    for hash in recorded {
        let Some(bytes) = blobs.read_intact(hash, MAX_INPUT_BYTES)? else {
            continue;
        };
        let known = format_question(&bytes);
        let common = count_common_bytes(&asked, &known);
        if nearest.as_ref().is_none_or(|(most, ..)| common > *most) {
            nearest = Some((common, hex(hash), known));
        }
    }
    let Some((_, hash, known)) = nearest else {
        return Ok("no input it names is kept beside it".to_owned());
    };
    let diff = TextDiff::from_lines(&known, &asked);
    let diff = diff.unified_diff().header(&hash, "asked").to_string();
    let mut lines: Vec<&str> = diff.lines().take(MAX_DIFF_LINES).collect();
    if diff.lines().count() > MAX_DIFF_LINES {
        lines.push("...");
    }
    Ok(format!(
        "the nearest it holds is {hash}:\n{}",
        lines.join("\n")
    ))
}

/// Counts the bytes of the common beginning and the common end of two texts.
fn count_common_bytes(one: &str, other: &str) -> usize {
    let alike =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let head = alike(&mut one.bytes().zip(other.bytes()));
    let tail = alike(&mut one.bytes().rev().zip(other.bytes().rev()));
    (head + tail).min(one.len()).min(other.len())
}

#[derive(Deserialize)]
struct RecordedMessage {
    role: String,
    content: String,
}

/// Formats a question for a line-by-line comparison: the messages of a chat on lines of their own, an object with a
/// member on each line, and any other input as it is.
fn format_question(input: &[u8]) -> String {
    if let Ok(messages) = serde_json::from_slice::<Vec<RecordedMessage>>(input) {
        let format =
            |message: &RecordedMessage| format!("{}:\n{}\n", message.role, message.content);
        return messages.iter().map(format).collect();
    }
    let pretty = match serde_json::from_slice::<Value>(input) {
        Ok(object @ Value::Object(_)) => serde_json::to_string_pretty(&object).ok(),
        _ => None,
    };
    pretty.unwrap_or_else(|| String::from_utf8_lossy(input).into_owned()) + "\n"
}
