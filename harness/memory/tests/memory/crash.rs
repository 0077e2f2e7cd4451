//! A process that dies anywhere leaves a log and tables that agree, and loses nothing that it
//! acknowledged.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use axilog_memory::gate::{Gate, Given, run};
use axilog_memory::{Id, RecallScope, Store};
use serde_json::json;

use crate::world::{World, clue, opening, plain};

/// The variable by which this test's child knows what to do: the statement to die at, and where.
const CHILD: &str = "AXILOG_MEMORY_DIES_AT";

static LEFT: AtomicU64 = AtomicU64::new(0);

/// Statements still to run; at the last one the process dies at once, as by SIGKILL.
fn count(_: &str) {
    if LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}

/// Appends of every kind. After each, the head is said: what is said is acknowledged.
fn play(store: Store, path: &Path, directory: tempfile::TempDir, say: &mut dyn FnMut(u64)) {
    let mut world = World {
        store,
        path: path.to_owned(),
        directory,
    };
    let (fact, detail) = world.fact(clue("k1", "seven keys"));
    say(world.lens().head().unwrap().seq);
    world.fact(plain("k2", json!({ "text": "A red door." })));
    say(world.lens().head().unwrap().seq);
    world.scene("cellar");
    say(world.lens().head().unwrap().seq);
    world.ask(&detail.to_string(), Some(true), RecallScope::Scene);
    say(world.lens().head().unwrap().seq);
    world
        .store
        .ask_notebook("r1", "table", "ana", &[fact])
        .unwrap();
    world.store.answer_notebook("r1", "ana", "grant").unwrap();
    world.store.apply_notebook("r1", &[fact]).unwrap();
    say(world.lens().head().unwrap().seq);
    let body = axilog_memory::compaction_body("RECAP", &[fact]).unwrap();
    world.append(Id::Compaction, body);
    world.append(Id::SceneEnd, json!({ "scene_id": "cellar" }));
    say(world.lens().head().unwrap().seq);
    world.store.rebuild().unwrap();
    say(world.lens().head().unwrap().seq);
}

/// What the child of [`killed_at_any_statement`] does; by itself nothing.
#[test]
fn child() {
    let Ok(what) = std::env::var(CHILD) else {
        return;
    };
    let (statement, path) = what.split_once(' ').unwrap();
    LEFT.store(statement.parse().unwrap(), Ordering::SeqCst);
    let mut store = Store::open(Path::new(path)).unwrap();
    store.trace(Some(count));
    let mut acknowledged = fs::File::create(format!("{path}.said")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    play(store, Path::new(path), directory, &mut |seq| {
        writeln!(acknowledged, "{seq}").unwrap();
    });
    fs::write(format!("{path}.whole"), "").unwrap();
}

/// Opens what was left and checks it against what was said.
fn check(path: &Path, acknowledged: u64, about: &str) {
    let mut store = Store::open(path).unwrap();
    let head = store.lens().head().unwrap().seq;
    assert!(
        head >= acknowledged,
        "{about}: {acknowledged} were acknowledged, {head} are there"
    );
    for gate in [Gate::G1, Gate::G2, Gate::G3, Gate::G4, Gate::G6] {
        let finding = run(&mut store, gate, &Given::default()).unwrap();
        assert!(finding.passed(), "{about}: {gate:?}: {:?}", finding.faults);
    }
    // And it goes on.
    let seq = store
        .append(Id::NudgeSelected, json!({ "nudge_id": "n" }))
        .unwrap()
        .seq;
    assert_eq!(seq, head + 1);
}

#[test]
fn killed_at_any_statement() {
    let directory = tempfile::tempdir().unwrap();
    let fresh = directory.path().join("fresh.db");
    drop(Store::init(&fresh, &opening()).unwrap());
    let mut statement = 0;
    loop {
        statement += 1;
        let path = directory.path().join(format!("{statement}.db"));
        fs::copy(&fresh, &path).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child"])
            .env(CHILD, format!("{statement} {}", path.display()))
            // Its unfinished directory goes where this one goes.
            .env("TMPDIR", directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let beside = |suffix: &str| format!("{}{suffix}", path.display());
        let whole = Path::new(&beside(".whole")).exists();
        assert_eq!(status.success(), whole, "statement {statement}");
        let said = fs::read_to_string(beside(".said")).unwrap();
        let acknowledged = said.lines().last().map_or(0, |line| line.parse().unwrap());
        check(&path, acknowledged, &format!("statement {statement}"));
        if whole {
            break;
        }
    }
    assert!(statement > 100, "only {statement} statements");
}

/// A write that stopped anywhere: the write-ahead log ends there.
#[test]
fn the_write_ahead_log_cut_anywhere() {
    let mut world = World::new();
    let wal = |path: &Path| format!("{}-wal", path.display());
    // Where the write-ahead log ended when each head was acknowledged.
    let mut said = Vec::new();
    let (_, detail) = world.fact(clue("k1", "seven keys"));
    for number in 0..12 {
        match number {
            3 => world.scene("cellar"),
            5 => drop(world.ask(&detail.to_string(), Some(true), RecallScope::Session)),
            _ => drop(world.fact(plain(&format!("p{number}"), json!({ "n": number })))),
        }
        let length = fs::metadata(wal(&world.path)).unwrap().len();
        said.push((length, world.lens().head().unwrap().seq));
    }
    let (database, log) = (
        fs::read(&world.path).unwrap(),
        fs::read(wal(&world.path)).unwrap(),
    );
    let copy = world.directory.path().join("copy.db");
    // A frame is 4096 bytes and a header: this meets every part of it.
    for length in (0..=log.len()).rev().step_by(1021) {
        fs::write(&copy, &database).unwrap();
        fs::write(wal(&copy), &log[..length]).unwrap();
        let acknowledged = said
            .iter()
            .filter(|(end, _)| *end <= length as u64)
            .map(|(_, seq)| *seq)
            .max()
            .unwrap_or(0);
        // Before the first checkpoint the file itself may hold nothing yet.
        if acknowledged > 0 {
            check(&copy, acknowledged, &format!("{length} bytes"));
        }
        for path in [
            copy.clone().into_os_string().into_string().unwrap(),
            wal(&copy),
            format!("{}-shm", copy.display()),
        ] {
            let _ = fs::remove_file(path);
        }
    }
}

#[test]
fn two_writers_take_turns() {
    let world = World::new();
    let path = world.path.clone();
    let before = world.lens().head().unwrap().seq;
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Store::open(path).unwrap();
                for number in 0..25 {
                    let nudge = format!("n{writer}-{number}");
                    store
                        .append(Id::NudgeSelected, json!({ "nudge_id": nudge }))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(world.lens().head().unwrap().seq, before + 100);
    check(&path, before + 100, "two writers");
}
