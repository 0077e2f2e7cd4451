//! Records two answers, and acts on the one that the built-in policy permits.

use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // No policies of its own, so the built-in one: values up to 70. The time is that of the caller's clock, here 1.
    let (mut session, _) = Session::open_or_create(Path::new("ledger.jsonl"), None, 1)?;
    let question = OracleCall {
        oracle_id: "llm".to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"How fast?", InputKind::Text)?,
    };
    for answer in [r#"{"value": 69}"#, r#"{"value": 71}"#] {
        let decision = session.observe(&question, OracleReply::Answer(answer.as_bytes()))?;
        if decision.may_act {
            println!("go"); // the act: what it rests on is on the disk
        } else {
            println!("{}", decision.health.as_str()); // ALARM: 71 is above 70
        }
    }
    Ok(())
}
