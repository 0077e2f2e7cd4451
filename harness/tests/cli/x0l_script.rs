//! Lines of scripts that answer in a model's place in sessions of `axilog x0l`.

use serde_json::{Value, json};

/// An answer with a proposal that the example constitution allows.
pub const GOOD: &str = r#"{"candidates":[{"action_request":{"action_type":"Notify","fields":{"to":"operator","message":"Noted."}},"scope_claim":{"observation_ids":["{{quote}}"],"claim":"It was asked for.","clause_ref":"CL-NOTIFY"},"justification":{"text":"It was asked for."},"authority_citations":["constitution:0.1.0#CL-NOTIFY"]}]}"#;

/// An answer with a proposal to read a file outside the allowlist.
pub fn propose_outside() -> String {
    GOOD.replace("Notify", "ReadNote")
        .replace(
            r#""to":"operator","message":"Noted.""#,
            r#""path":"/etc/passwd""#,
        )
        .replace("CL-NOTIFY", "CL-NOTES")
}

/// The line that answers the calibration.
pub fn calibration_line() -> String {
    let rule = json!({
        "contains": "Answer with this object", "answer": "{\"candidates\":[]}",
        "usage": { "prompt_tokens": 40, "completion_tokens": 5 },
    });
    format!("{rule}\n")
}

/// The line that answers the prompts of `rule`, which have this many tokens.
pub fn answer_line(mut rule: Value, answer: &str, prompt_tokens: u64) -> String {
    rule["answer"] = answer.into();
    rule["quote"] = ": user_input".into();
    rule["usage"] = json!({ "prompt_tokens": prompt_tokens, "completion_tokens": 90 });
    format!("{rule}\n")
}
