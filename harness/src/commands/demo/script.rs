//! What the demonstration's oracle answers, and the rules it is held to.

use axilog::evidence::observation::Failure;

/// Limits of the demonstration's own, so that it shows the same whatever is built in: `value` from
/// 0 to 70, and at most 30 seconds between two times.
pub(crate) const POLICIES: &str = r#"{"elapsed":[{"comparison":"GT","enabled":true,"policy_id":"POL-003-STALE","threshold":1966080}],"value":[{"comparison":"GT","enabled":true,"policy_id":"POL-001-MAX-SPEED","threshold":4587520},{"comparison":"LT","enabled":true,"policy_id":"POL-002-MIN-SPEED","threshold":0}]}"#;

/// The first timestamp: fixed, so that every run gives the same ledger.
pub(crate) const START: u64 = 1_767_225_600;

/// Who answers.
pub(crate) const ORACLE: &str = "demo-oracle";

/// Which model answers.
pub(crate) const MODEL: &str = "scripted-1";

/// What it is asked, each time.
pub(crate) const QUESTION: &str = "Which speed next? Answer as JSON: {\"value\": km/h}.";

/// One answer, or none.
pub(crate) enum ScriptedReply {
    /// Bytes.
    Bytes(&'static [u8]),
    /// An object with a good value and this much text beside it.
    Long(usize),
    /// Nothing.
    Failed(Failure),
}

/// One turn of the script.
pub(crate) struct Turn {
    /// What the answer is an example of.
    pub(crate) about: &'static str,
    /// The answer.
    pub(crate) reply: ScriptedReply,
    /// Whether an operator then handles the alarm: mitigate, reset, and the time.
    pub(crate) recover: bool,
}

const fn turn(about: &'static str, reply: ScriptedReply, recover: bool) -> Turn {
    Turn {
        about,
        reply,
        recover,
    }
}

/// The script.
pub(crate) const TURNS: [Turn; 12] = [
    turn("good", ScriptedReply::Bytes(b"{\"value\": 42.5}"), false),
    turn(
        "at the limit",
        ScriptedReply::Bytes(b"{\"value\": 70}"),
        false,
    ),
    turn(
        "good, with a remark",
        ScriptedReply::Bytes(b"{\"value\": 60.25, \"why\": \"clear road\"}"),
        false,
    ),
    turn("too fast", ScriptedReply::Bytes(b"{\"value\": 88}"), false),
    turn(
        "good, but in ALARM",
        ScriptedReply::Bytes(b"{\"value\": 20}"),
        true,
    ),
    turn("prose", ScriptedReply::Bytes(b"I would go at 50."), true),
    turn(
        "invalid UTF-8",
        ScriptedReply::Bytes(b"{\"value\": 5\xff}"),
        true,
    ),
    turn("80 kB long", ScriptedReply::Long(80_000), true),
    turn("timeout", ScriptedReply::Failed(Failure::Timeout), true),
    turn(
        "two values",
        ScriptedReply::Bytes(b"{\"value\": 10, \"value\": 90}"),
        true,
    ),
    turn("backwards", ScriptedReply::Bytes(b"{\"value\": -5}"), true),
    turn(
        "raw Q16.16",
        ScriptedReply::Bytes(b"{\"value_q16\": 2621440}"),
        false,
    ),
];
