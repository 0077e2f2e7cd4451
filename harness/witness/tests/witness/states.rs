//! What a witness begins with: its state, its key and the logs.

use std::fs;
use std::net::SocketAddr;

use axilog_heads::WitnessKey;
use axilog_witness::{KnownLogs, Witness, WitnessError, create_state};

use crate::bench::Bench;

/// Why a witness with the state and the key of these names does not begin.
fn refused(bench: &Bench, state: &str, key: &str) -> WitnessError {
    let key = WitnessKey::read(&bench.path(key)).unwrap();
    let logs = KnownLogs::read(&bench.path("logs")).unwrap();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    match Witness::open(&bench.path(state), key, logs, any, 8) {
        Ok(_) => panic!("{state} was opened"),
        Err(error) => error,
    }
}

#[test]
fn a_witness_begins_with_its_own_state_alone() {
    let bench = Bench::new();
    let missing = refused(&bench, "nothing", "witness.key");
    assert!(
        matches!(missing, WitnessError::StateMissing(_)),
        "{missing}"
    );
    assert!(!bench.path("nothing").exists());
    fs::write(
        bench.path("text"),
        "no database at all, and long enough to be taken for one",
    )
    .unwrap();
    fs::write(bench.path("empty"), "").unwrap();
    for name in ["text", "empty", "plant.key"] {
        let error = refused(&bench, name, "witness.key");
        assert!(matches!(error, WitnessError::NoState { .. }), "{error}");
    }
    let other = WitnessKey::create(&bench.path("other.key"), "example.com/witness").unwrap();
    let error = refused(&bench, "state", "other.key");
    assert!(
        matches!(error, WitnessError::OtherWitness { .. }),
        "{error}"
    );
    let before = fs::read(bench.path("state")).unwrap();
    for name in ["state", "text"] {
        let error = create_state(&bench.path(name), other.public_key()).unwrap_err();
        assert!(matches!(error, WitnessError::StateExists(_)), "{error}");
    }
    assert_eq!(fs::read(bench.path("state")).unwrap(), before);
}

#[test]
fn the_file_of_logs_holds_public_keys() {
    let bench = Bench::new();
    let logs = bench.path("logs");
    let good = fs::read_to_string(&logs).unwrap();
    // The same key twice is one.
    fs::write(&logs, format!("{good}{good}")).unwrap();
    assert_eq!(KnownLogs::read(&logs).unwrap().count(), 1);
    bench
        .serve()
        .submit(bench.log("a").submission(0, 3))
        .is(200, "");
    fs::write(&logs, format!("{good}{}\n", bench.witness_key())).unwrap();
    let error = KnownLogs::read(&logs).unwrap_err().to_string();
    assert!(
        error.contains("logs:4: the public key is refused: it is the key of a witness"),
        "{error}"
    );
    fs::write(&logs, "# nothing\n").unwrap();
    let error = KnownLogs::read(&logs).unwrap_err();
    assert!(matches!(error, WitnessError::NoLogs(_)), "{error}");
}
