//! A process that dies anywhere leaves a log and tables that agree, and loses nothing that it
//! acknowledged.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_int};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use axilog_memory::gate::{Gate, run_gate};
use axilog_memory::{EntryKind, MemoryError, MemoryReader, MemoryStore, OutputClass, RecallScope};
use rusqlite::auto_extension::{init_auto_extension, register_auto_extension};
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, ffi};
use serde_json::json;

use crate::test_memory::{
    TestMemory, clue, gate_inputs, initial_state, machine_pins, open_fact, playback, query,
};

/// The variable by which this test's child knows what to do: the statement to die at, and where.
const CHILD: &str = "AXILOG_MEMORY_DIES_AT";

/// The same for the child that makes a memory.
const INIT_CHILD: &str = "AXILOG_MEMORY_INIT_DIES_AT";

/// How many statements the child still runs.
static LEFT: AtomicU64 = AtomicU64::new(0);

/// Whether every case is to be tried.
fn is_wide() -> bool {
    std::env::var_os("AXILOG_WIDE").is_some()
}

/// Counts a statement; before the last one the process dies at once, as by SIGKILL.
fn count_statement(_: TraceEvent<'_>) {
    if LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        std::process::abort();
    }
}

/// SQLite calls this for each new connection, which traces its statements from then on.
unsafe extern "C" fn trace_connection(
    db: *mut ffi::sqlite3,
    error: *mut *mut c_char,
    _: *const ffi::sqlite3_api_routines,
) -> c_int {
    let trace = |conn: Connection| {
        conn.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(count_statement));
        Ok(())
    };
    // SAFETY: SQLite gives a new connection, which `trace` neither closes nor follows by another.
    unsafe { init_auto_extension(db, error, trace) }
}

/// Appends entries of every kind, and acknowledges the head after each.
fn append_every_kind(
    store: MemoryStore,
    path: &Path,
    directory: tempfile::TempDir,
    acknowledge: &mut dyn FnMut(u64),
) {
    let mut memory = TestMemory {
        store,
        path: path.to_owned(),
        directory,
    };
    let (fact, detail) = memory.append_fact(clue("k1", "seven keys"));
    acknowledge(memory.reader().head().unwrap().seq);
    memory.append_fact(open_fact("k2", json!({ "text": "A red door." })));
    acknowledge(memory.reader().head().unwrap().seq);
    memory.start_scene("cellar");
    acknowledge(memory.reader().head().unwrap().seq);
    memory.recall(&detail.to_string(), Some(true), RecallScope::Scene);
    acknowledge(memory.reader().head().unwrap().seq);
    memory.take_note("r1", &[detail]);
    acknowledge(memory.reader().head().unwrap().seq);
    let body = axilog_memory::compaction_body("RECAP", &[fact]).unwrap();
    memory.append(EntryKind::Compaction, body);
    memory.append(EntryKind::SceneEnd, json!({ "scene_id": "cellar" }));
    acknowledge(memory.reader().head().unwrap().seq);
    // Its guess and what is shown of it are one transaction.
    let asked = query(OutputClass::Prompt, &["ben"], 8000);
    memory
        .store
        .build_prompt(&asked, "Is it seven keys?")
        .unwrap();
    acknowledge(memory.reader().head().unwrap().seq);
    let body = axilog_memory::retraction_body(fact, "It was never so.", "ben", &[]).unwrap();
    memory.append(EntryKind::Retraction, body);
    acknowledge(memory.reader().head().unwrap().seq);
    let rebuilt = memory.store.rebuild_asserting(&machine_pins()).unwrap();
    assert_eq!(rebuilt.shown.same, 1);
    acknowledge(memory.reader().head().unwrap().seq);
}

/// What the child of [`a_process_killed_at_any_statement_loses_nothing_acknowledged`] does; by itself nothing.
#[test]
fn crash_child() {
    let Ok(what) = std::env::var(CHILD) else {
        return;
    };
    let (statement, path) = what.split_once(' ').unwrap();
    // SAFETY: the function does what SQLite asks of an automatic extension.
    unsafe { register_auto_extension(trace_connection) }.unwrap();
    let store = MemoryStore::open(Path::new(path)).unwrap();
    LEFT.store(statement.parse().unwrap(), Ordering::SeqCst);
    let mut file = fs::File::create(format!("{path}.acknowledged")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    append_every_kind(store, Path::new(path), directory, &mut |seq| {
        writeln!(file, "{seq}").unwrap();
    });
    fs::write(format!("{path}.whole"), "").unwrap();
}

/// Opens the memory that was left, and asserts that it is whole and holds what was acknowledged. G1 compares its tables
/// with its log; the other gates judge the log, and are asked once for each that is not among the `judged`.
fn assert_whole(path: &Path, acknowledged: u64, about: &str, judged: &mut BTreeSet<u64>) {
    let mut store = MemoryStore::open(path).unwrap();
    let head = store.reader().head().unwrap().seq;
    assert!(
        head >= acknowledged,
        "{about}: {acknowledged} were acknowledged, {head} are there"
    );
    let gates: &[Gate] = match judged.insert(head) {
        true => &[Gate::G1, Gate::G2, Gate::G3, Gate::G4, Gate::G6],
        false => &[Gate::G1],
    };
    for gate in gates.iter().copied() {
        let report = run_gate(&mut store, gate, &gate_inputs()).unwrap();
        assert!(report.passed(), "{about}: {gate:?}: {:?}", report.faults);
    }
    // And it goes on.
    let seq = store
        .append(EntryKind::PlaybackPaused, playback("n"))
        .unwrap()
        .seq;
    assert_eq!(seq, head + 1);
}

/// Every 61st statement, or every one with `AXILOG_WIDE=1`.
#[test]
fn a_process_killed_at_any_statement_loses_nothing_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let fresh = directory.path().join("fresh.db");
    drop(MemoryStore::init(&fresh, &initial_state()).unwrap());
    let (mut statement, mut judged) = (0, BTreeSet::new());
    loop {
        statement += if is_wide() { 1 } else { 61 };
        let path = directory.path().join(format!("{statement}.db"));
        fs::copy(&fresh, &path).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::crash_child"])
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
        let lines = fs::read_to_string(beside(".acknowledged")).unwrap();
        let acknowledged = lines.lines().last().map_or(0, |line| line.parse().unwrap());
        assert_whole(
            &path,
            acknowledged,
            &format!("statement {statement}"),
            &mut judged,
        );
        if whole {
            break;
        }
    }
    assert!(statement > 100, "only {statement} statements");
}

/// What the child of [`an_init_killed_at_any_statement_is_completed_by_the_next`] does; by itself nothing.
#[test]
fn init_child() {
    let Ok(what) = std::env::var(INIT_CHILD) else {
        return;
    };
    let (statement, path) = what.split_once(' ').unwrap();
    // SAFETY: the function does what SQLite asks of an automatic extension.
    unsafe { register_auto_extension(trace_connection) }.unwrap();
    LEFT.store(statement.parse().unwrap(), Ordering::SeqCst);
    MemoryStore::init(Path::new(path), &initial_state()).unwrap();
}

/// Every seventh statement, or every one with `AXILOG_WIDE=1`.
#[test]
fn an_init_killed_at_any_statement_is_completed_by_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let whole = MemoryStore::init(&directory.path().join("whole.db"), &initial_state()).unwrap();
    let head = whole.reader().head().unwrap();
    let (mut statement, mut completed) = (0, 0);
    loop {
        statement += if is_wide() { 1 } else { 7 };
        let path = directory.path().join(format!("{statement}.db"));
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::init_child"])
            .env(INIT_CHILD, format!("{statement} {}", path.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        if status.success() {
            break;
        }
        let store = match MemoryStore::open(&path) {
            // It was killed after its last commit.
            Ok(store) => store,
            Err(MemoryError::Unfinished(_)) => {
                let error = MemoryReader::open(&path).unwrap_err();
                assert!(matches!(error, MemoryError::Unfinished(_)), "{error}");
                completed += 1;
                MemoryStore::init(&path, &initial_state()).unwrap()
            }
            Err(other) => panic!("statement {statement}: {other}"),
        };
        assert_eq!(store.reader().head().unwrap(), head, "{statement}");
        let report = run_gate(&mut { store }, Gate::G1, &gate_inputs()).unwrap();
        assert!(report.passed(), "{statement}: {:?}", report.faults);
        let error = MemoryStore::init(&path, &initial_state()).unwrap_err();
        assert!(matches!(error, MemoryError::Exists(_)), "{error}");
    }
    assert!(completed > 10, "only {completed} of {statement}");
}

/// Builds before this one made the tables first, and the entries then.
#[test]
fn init_completes_an_empty_file_and_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    fs::write(place("empty.db"), "").unwrap();
    let without_entries = place("tables.db");
    drop(MemoryStore::init(&without_entries, &initial_state()).unwrap());
    let conn = Connection::open(&without_entries).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(
        "CREATE TEMP TABLE kept AS SELECT sql FROM sqlite_master WHERE name = 'log_no_delete';
         DROP TRIGGER log_no_delete; DELETE FROM log; DELETE FROM pin; DELETE FROM pointer;
         UPDATE applied SET seq = 0;
         DROP TRIGGER log_moves_head; DROP TABLE head; DROP TABLE table_digest;
         DROP INDEX log_numbers; PRAGMA user_version = 3",
    )
    .unwrap();
    let trigger: String = conn
        .query_row("SELECT sql FROM kept", [], |row| row.get(0))
        .unwrap();
    conn.execute_batch(&trigger).unwrap();
    drop(conn);
    for path in [place("empty.db"), without_entries] {
        let error = MemoryStore::open(&path).unwrap_err();
        assert!(matches!(error, MemoryError::Unfinished(_)), "{error}");
        assert!(error.to_string().contains("run the `init` again"));
        let store = MemoryStore::init(&path, &initial_state()).unwrap();
        drop(store);
        MemoryReader::open(&path).unwrap();
    }
    fs::write(place("text"), "a text\n").unwrap();
    let other = Connection::open(place("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (a)").unwrap();
    for name in ["text", "other.db", "empty.db"] {
        let error = MemoryStore::init(&place(name), &initial_state()).unwrap_err();
        assert!(matches!(error, MemoryError::Exists(_)), "{name}: {error}");
    }
    assert_eq!(fs::read_to_string(place("text")).unwrap(), "a text\n");
}

/// A write that stopped anywhere: the write-ahead log ends there.
#[test]
fn a_write_ahead_log_cut_anywhere_loses_nothing_acknowledged() {
    let mut memory = TestMemory::new();
    let wal = |path: &Path| format!("{}-wal", path.display());
    // Where the write-ahead log ended when each head was acknowledged.
    let mut acknowledgements = Vec::new();
    let (_, detail) = memory.append_fact(clue("k1", "seven keys"));
    for number in 0..12 {
        match number {
            3 => memory.start_scene("cellar"),
            5 => drop(memory.recall(&detail.to_string(), Some(true), RecallScope::Session)),
            _ => drop(memory.append_fact(open_fact(&format!("p{number}"), json!({ "n": number })))),
        }
        let length = fs::metadata(wal(&memory.path)).unwrap().len();
        acknowledgements.push((length, memory.reader().head().unwrap().seq));
    }
    let (database, log) = (
        fs::read(&memory.path).unwrap(),
        fs::read(wal(&memory.path)).unwrap(),
    );
    let copy = memory.directory.path().join("copy.db");
    let mut judged = BTreeSet::new();
    // A frame is 4096 bytes and a header. Each cut is in another part of one; with `AXILOG_WIDE=1` four are in each.
    let step = if is_wide() { 1021 } else { 21_613 };
    for length in (0..=log.len()).rev().step_by(step) {
        fs::write(&copy, &database).unwrap();
        fs::write(wal(&copy), &log[..length]).unwrap();
        let acknowledged = acknowledgements
            .iter()
            .filter(|(end, _)| *end <= length as u64)
            .map(|(_, seq)| *seq)
            .max()
            .unwrap_or(0);
        // Before the first checkpoint the file itself may hold nothing yet.
        if acknowledged > 0 {
            assert_whole(&copy, acknowledged, &format!("{length} bytes"), &mut judged);
        }
        for path in [
            copy.clone().into_os_string().into_string().unwrap(),
            wal(&copy),
            format!("{}-shm", copy.display()),
            format!("{}.head", copy.display()),
        ] {
            let _ = fs::remove_file(path);
        }
    }
}

#[test]
fn four_writers_take_turns() {
    let memory = TestMemory::new();
    let path = memory.path.clone();
    let before = memory.reader().head().unwrap().seq;
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = MemoryStore::open(path).unwrap();
                for number in 0..25 {
                    let id = format!("n{writer}-{number}");
                    store
                        .append(EntryKind::PlaybackPaused, playback(&id))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(memory.reader().head().unwrap().seq, before + 100);
    assert_whole(&path, before + 100, "four writers", &mut BTreeSet::new());
}
