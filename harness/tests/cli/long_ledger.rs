//! A ledger that is long enough for a saved state: what commands say of it, and what is left of it where they are killed.

use std::num::NonZeroU64;
use std::time::Duration;

use axilog::admission::InputKind;
use axilog::evidence::observation::Params;
use axilog_ledger::durability::Durability;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::session::{Opening, OracleCall, OracleReply, Session};

use crate::bench::Bench;

const STATE: &str = "ledger.jsonl.state";

/// A ledger of that many bytes, or a record more, and its state.
fn lengthen(bench: &Bench, bytes: u64) {
    let path = bench.path("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&path, None, 1000).unwrap();
    let durability = Durability::Interval {
        records: NonZeroU64::MAX,
        within: Duration::from_secs(3600),
    };
    session.set_durability(durability).unwrap();
    let call = OracleCall {
        oracle_id: "o".to_owned(),
        model_id: "m".to_owned(),
        params: Params::NULL,
        input: CanonicalInput::new(b"", InputKind::Text).unwrap(),
    };
    let answer = format!("{{\"value\":1,\"why\":\"{}\"}}", "x".repeat(60_000));
    while std::fs::metadata(&path).unwrap().len() < bytes {
        let reply = OracleReply::Answer(answer.as_bytes());
        session.observe(&call, reply).unwrap();
    }
    drop(session);
    assert!(bench.exists(STATE));
}

/// Asserts that the last session has left a state of the whole ledger.
#[track_caller]
fn assert_state_is_whole(bench: &Bench) {
    let session = Session::open(&bench.path("ledger.jsonl"), None).unwrap();
    let expected = Opening::Resumed { replayed_bytes: 0 };
    assert_eq!(*session.opening(), expected);
}

/// Commands that only read find the same whatever the state says, and leave it alone.
#[test]
fn readers_do_not_read_a_saved_state() {
    let bench = Bench::new();
    lengthen(&bench, 2 << 20);
    let read = |command: &str| bench.run(&format!("{command} ledger.jsonl --json")).stdout;
    let commands = ["verify", "replay", "audit", "stats", "show", "head"];
    let before = commands.map(read);
    for state in ["axilog state 1 of somebody", "", "another file"] {
        bench.write(STATE, state);
        assert_eq!(commands.map(read), before);
        assert_eq!(bench.read(STATE), state.as_bytes());
    }
    // And no state makes them overlook a record that was altered.
    std::fs::remove_file(bench.path(STATE)).unwrap();
    lengthen(&bench, 3 << 20);
    let mut altered = bench.read("ledger.jsonl");
    altered[1 << 20] ^= 1;
    std::thread::sleep(Duration::from_millis(30));
    bench.write("ledger.jsonl", altered);
    for command in ["verify", "replay", "audit"] {
        bench.run(&format!("{command} ledger.jsonl")).exits(1);
    }
    bench.observe(b"{\"value\":1}").exits(1);
}

#[test]
fn it_is_said_once_that_a_long_ledger_was_replayed_whole() {
    let bench = Bench::new();
    lengthen(&bench, 64 << 20);
    let told = "replayed the whole ledger instead of what follows its saved state";
    let observe = || bench.observe(b"{\"value\":1}").exits(0).stderr;
    assert!(!observe().contains(told));
    std::fs::remove_file(bench.path(STATE)).unwrap();
    let first = observe();
    assert!(
        first.contains(told) && first.contains("there is no file"),
        "{first}"
    );
    assert!(!observe().contains(told));
    assert_state_is_whole(&bench);
}

/// `axilog observe` is killed before each of its calls that change files. The next one goes on, and leaves a state.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn a_command_that_is_killed_at_any_change_of_files_leaves_a_ledger_to_go_on_with() {
    use crate::traced::TracedCommand;
    use std::fs::File;
    use std::process::Stdio;

    let bench = Bench::new();
    lengthen(&bench, 1 << 20);
    let mut kills = 0;
    loop {
        bench.write("answer", "{\"value\":1}");
        bench.write("question", format!("question {kills}"));
        let mut command = bench.command();
        command
            .args(["observe", "--ledger", "ledger.jsonl", "--json"])
            .args(["--oracle-id", "o", "--model-id", "m", "--input", "question"])
            .stdin(File::open(bench.path("answer")).unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut traced = TracedCommand::start(&mut command);
        let ledger = bench.path("ledger.jsonl");
        traced.run_until(|command| command.has_open(&ledger));
        let before = bench.read("ledger.jsonl");
        let mut changes = 0;
        while changes <= kills && traced.step() {
            changes += usize::from(traced.is_about_to_change_files());
        }
        let has_ended = changes <= kills;
        traced.kill();
        assert!(bench.read("ledger.jsonl").starts_with(&before), "{kills}");
        bench.observe(b"{\"value\":2}").exits(0);
        assert_state_is_whole(&bench);
        assert!(!bench.exists("ledger.jsonl.state.new"), "{kills}");
        if has_ended {
            break;
        }
        kills += 1;
    }
    bench.run("audit ledger.jsonl").exits(0);
    println!("killed at {kills} changes of files");
    assert!(kills > 12, "{kills}");
}
