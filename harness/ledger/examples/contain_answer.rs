//! Records a model's answer in `decisions.jsonl`, acts only if the policies permit it, and verifies the file.
//!
//!     cargo run -p axilog-ledger --example contain_answer

use std::fs::File;
use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new("decisions.jsonl");
    let (mut session, _) = Session::open_or_create(path, None, 1)?;
    let call = OracleCall {
        oracle_id: "llm".to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"Which pump speed?", InputKind::Text)?,
    };
    let decision = session.observe(&call, OracleReply::Answer(b"{\"value\": 60.5}"))?;
    if decision.may_continue() {
        println!("permitted: the pump may run at 60.5 percent");
    }
    let checked = verify_ledger(
        File::open(path)?,
        None,
        &LedgerExpectations::default(),
        &mut |_| {},
    )?;
    println!("{}: {}", path.display(), checked.verdict().as_str());
    Ok(())
}
