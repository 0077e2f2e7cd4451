//! What the canonicalizer found in a text, as the command prints it and `libaxilog_host` gives it.

use axilog_ledger::encoding::hex;
use axilog_ledger::visible_text::escape_deceptive_json;
use serde_json::Value;

use crate::canonicalizer::Canonicalized;

/// Writes the object that `axilog x0l canonicalize` prints, on one line: `raw_hash` and `status`, and where the status is
/// OK the object of the text as it stands there (`block`), its canonical form (`json`) and the hash of that.
#[must_use]
pub fn canonicalized_json(found: &Canonicalized) -> String {
    let (status, raw_hash) = (found.status().as_str(), hex(&found.raw_hash));
    let Ok(block) = &found.block else {
        return format!("{{\"raw_hash\":\"{raw_hash}\",\"status\":\"{status}\"}}");
    };
    let text = Value::from(block.text.as_str());
    // A JSON writer could change the form of the numbers.
    let object = format!(
        "{{\"block\":{text},\"canonicalized_hash\":\"{}\",\"json\":{},\"raw_hash\":\"{raw_hash}\",\"status\":\"{status}\"}}",
        hex(&block.hash),
        block.canonical
    );
    escape_deceptive_json(&object).into_owned()
}
