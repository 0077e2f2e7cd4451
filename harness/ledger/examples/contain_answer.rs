//! Records a model's answer in `decisions.jsonl`, acts only if the policies permit it, and verifies the file.
//!
//!     cargo run -p axilog-ledger --example contain_answer

use std::fs::File;
use std::path::Path;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::file::verify::{Expected, check};
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{Call, Reply, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new("decisions.jsonl");
    let (mut session, _) = Session::open_or_begin(path, None, 1)?;
    let call = Call {
        oracle_id: "llm".to_owned(),
        model_id: "model-1".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"Which pump speed?", InputKind::Text)?,
    };
    let decision = session.observe(&call, Reply::Answer(b"{\"value\": 60.5}"))?;
    if decision.is_fine() {
        println!("permitted: the pump may run at 60.5 percent");
    }
    let checked = check(File::open(path)?, None, &Expected::default(), &mut |_| {})?;
    println!("{}: {}", path.display(), checked.verdict().as_str());
    Ok(())
}
