//! Commands that write are killed between any two of their changes: what was acknowledged is there, the rest is whole or
//! absent, and the next command goes on.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use axilog_memory::{LogHead, MemoryError, MemoryReader, read_recorded_heads};

use super::commands::FACT;
use crate::bench::Bench;
use crate::killed::count_kills;
use crate::traced::TracedCommand;

const LEDGER: &str = "--ledger heads.jsonl";

/// What a memory writes, in the order in which it is written, with the exit code. FACT and DETAIL are the handles of the
/// one fact, and BRIEF is the hash of the picture's request.
const WRITES: &[(i32, &str)] = &[
    (
        0,
        "init m.db --world arden --campaign c1 --pin event_contract=gt-12+ev-021",
    ),
    (0, "fact m.db fact.json"),
    (0, r#"event m.db PIN {"name":"llm","value":"model-1"}"#),
    (
        0,
        r#"event m.db REVISION {"name":"llm","from":"model-1","to":"model-2","reason":"better"}"#,
    ),
    (0, r#"event m.db STATE {"clocks":["flood"]}"#),
    (0, r#"event m.db EV-031 {"scene_id":"cellar"}"#),
    (
        0,
        r#"event m.db EV-021 {"rule_ref":"phb.3","scene_id":"cellar","actor_id":"ana","unlock_scope":"SCENE"}"#,
    ),
    (1, "recall m.db DETAIL --requester ana"),
    (
        0,
        "recall m.db DETAIL --requester ana --roller ana --skill lore --dc 12 --roll 17 --outcome success",
    ),
    (1, "recall m.db nothing --requester ben"),
    (
        0,
        "notebook ask m.db r1 DETAIL --requester table --player ana",
    ),
    (1, "notebook answer m.db r1 no --player ana"),
    (
        0,
        "notebook ask m.db r2 DETAIL --requester table --player ana",
    ),
    (0, "notebook answer m.db r2 grant --player ana"),
    (0, r#"event m.db EV-032 {"scene_id":"cellar"}"#),
    (
        0,
        "notebook ask m.db r3 DETAIL --requester table --player ana --scope session",
    ),
    (0, "notebook answer m.db r3 grant --player ana"),
    (0, "notebook write m.db r3 DETAIL"),
    (0, "fact m.db other.json"),
    (
        0,
        r#"event m.db COMPACTION {"compaction_policy_id":"POLICY","purpose":"RECAP","input_handles":["FACT"]}"#,
    ),
    (0, "working-set m.db --viewer ana --compaction RECAP"),
    (0, "working-set m.db --prompt Is-it-nine-locks?"),
    (0, "working-set m.db --narration rain.txt"),
    (1, "working-set m.db --narration leak.txt"),
    (0, "pvib m.db DETAIL"),
    (0, "pvib m.db --check brief.json"),
    (
        0,
        r#"event m.db ASSET {"stage":"REQUEST_SPEC","document":{"prompt":"a-lamp"}}"#,
    ),
    (
        1,
        r#"event m.db ASSET {"stage":"REQUEST_SPEC","document":{"prompt":"nine-locks"}}"#,
    ),
    (0, "retract m.db FACT --source ana --reason never --ref r3"),
    (0, "rebuild m.db --pin llm=model-2"),
];

/// A command that writes, the memory before it, and what it does where nobody kills it.
struct Write {
    line: String,
    code: i32,
    has_ledger: bool,
    before: Bench,
    head_before: Option<LogHead>,
    head_after: LogHead,
    told: String,
    /// How many places there are to kill it at.
    places: usize,
}

/// Starts the command of a line, stopped before its first instruction.
fn start(bench: &Bench, line: &str) -> TracedCommand {
    let mut command = bench.command();
    command
        .arg("memory")
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    TracedCommand::start(&mut command)
}

/// Runs to the next change of a file. Gives whether there was one.
fn run_to_change(command: &mut TracedCommand) -> bool {
    while command.step() {
        if command.is_about_to_change_files() {
            return true;
        }
    }
    false
}

/// The head of the log; none where nothing is in the memory yet.
#[track_caller]
fn read_head(bench: &Bench, about: &str) -> Option<LogHead> {
    let path = bench.path("m.db");
    if !path.exists() {
        return None;
    }
    match MemoryReader::open(&path) {
        Ok(reader) => Some(reader.head().unwrap()),
        Err(MemoryError::Unfinished(_)) => None,
        Err(error) => panic!("{about}: {error}"),
    }
}

fn run(bench: &Bench, line: &str, code: i32) -> String {
    bench.run(&format!("memory {line}")).exits(code).stdout
}

/// Plays the first writes one after the other, and keeps the memory before each.
fn play_writes(count: usize, has_ledger: bool) -> Vec<Write> {
    let bench = Bench::new();
    bench.write("fact.json", FACT);
    let other = FACT.replace("k1", "k2").replace("seven keys", "nine locks");
    bench.write("other.json", other);
    bench.write("rain.txt", "Rain falls on the cellar.");
    bench.write("leak.txt", "They find nine locks.");
    let mut handles: Vec<(&str, String)> = Vec::new();
    let mut writes = Vec::new();
    for (code, line) in &WRITES[..count] {
        let mut line = (*line).to_owned();
        for (name, handle) in &handles {
            line = line.replace(name, handle);
        }
        if has_ledger {
            line = format!("{line} {LEDGER}");
        }
        let before = bench.copy();
        let head_before = read_head(&bench, &line);
        let mut whole = start(&bench, &line);
        let places = (0..).take_while(|_| run_to_change(&mut whole)).count();
        let told = whole.kill();
        if line.starts_with("init") {
            let pins = run(&bench, "show m.db --json", 0);
            let pins: serde_json::Value = serde_json::from_str(&pins).unwrap();
            let policy = pins["pins"]["compaction_policy"].as_str().unwrap();
            handles.push(("POLICY", policy.to_owned()));
        }
        if line.starts_with("fact m.db fact.json") {
            let words = told.split_whitespace();
            let mut found = words.filter(|word| word.len() == 64).map(str::to_owned);
            handles.push(("FACT", found.next().unwrap()));
            handles.push(("DETAIL", found.next().unwrap()));
        }
        if line.starts_with("pvib m.db") {
            bench.write("brief.json", &told);
        }
        let again = before.copy();
        assert_eq!(run(&again, &line, *code), told, "{line}");
        let head_after = read_head(&bench, &line).unwrap();
        assert_eq!(read_head(&again, &line), Some(head_after), "{line}");
        writes.push(Write {
            line,
            code: *code,
            has_ledger,
            before,
            head_before,
            head_after,
            told,
            places,
        });
    }
    writes
}

/// What was in a memory when its writer was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Left {
    Nothing,
    Unacknowledged,
    Acknowledged,
}

impl Write {
    /// Kills the command before the change `place`, and asserts that its memory is whole and goes on.
    fn kill_at(&self, place: usize, judged: &mut BTreeSet<(u64, bool)>) -> Left {
        let about = format!("{:?} killed before its change {place}", self.line);
        let bench = self.before.copy();
        let mut command = start(&bench, &self.line);
        for _ in 0..=place {
            assert!(run_to_change(&mut command), "{about}: it ended before");
        }
        let told = command.kill();
        let head = read_head(&bench, &about);
        let is_written = head == Some(self.head_after);
        assert!(is_written || head == self.head_before, "{about}: {head:?}");
        // A command that refuses says so on standard error.
        let is_acknowledged = told == self.told && !told.is_empty();
        assert!(is_written || !is_acknowledged, "{about}: it was told");
        let ledger = if self.has_ledger { LEDGER } else { "" };
        // A reader finds a memory that is whole, or is told that nothing is in it.
        let code = if head.is_some() { 0 } else { 3 };
        run(&bench, &format!("show m.db {ledger}"), code);
        if !is_written {
            assert_eq!(run(&bench, &self.line, self.code), self.told, "{about}");
        }
        let head = read_head(&bench, &about);
        assert_eq!(head, Some(self.head_after), "{about}");
        // The tables are those of the log, also before they are derived again.
        if judged.insert((self.head_after.seq, is_written)) {
            run(&bench, "gate m.db G1", 0);
        }
        self.assert_goes_on(&bench, &about);
        match (is_written, is_acknowledged) {
            (false, _) => Left::Nothing,
            (true, false) => Left::Unacknowledged,
            (true, true) => Left::Acknowledged,
        }
    }

    /// Appends an event and derives the tables again, after which log, file and ledger agree.
    fn assert_goes_on(&self, bench: &Bench, about: &str) {
        let ledger = if self.has_ledger { LEDGER } else { "" };
        let event = r#"event m.db EV-107 {"playback_id":"p","cause_handle":null}"#;
        run(bench, &format!("{event} {ledger}"), 0);
        let head = read_head(bench, about).unwrap();
        assert_eq!(head.seq, self.head_after.seq + 1, "{about}");
        let noted = fs::read_to_string(bench.path("m.db.head")).unwrap();
        assert_eq!(noted, format!("{head}\n"), "{about}");
        if self.has_ledger {
            let heads = read_recorded_heads(&bench.path("heads.jsonl")).unwrap();
            assert_eq!(heads.last(), Some(&head), "{about}");
            bench.run("audit heads.jsonl").exits(0);
        }
        run(bench, &format!("rebuild m.db --absent-pin llm {ledger}"), 0);
        assert_eq!(read_head(bench, about), Some(head), "{about}");
    }
}

/// Between two changes of its files a command may be killed at any instant: what is left is the same. The kills are spread
/// over the writes, and those of a write over its changes; with as many kills as there are changes each comes once.
#[test]
fn a_memory_whose_writer_was_killed_is_whole() {
    let mut writes = play_writes(WRITES.len(), false);
    writes.extend(play_writes(WRITES.len(), true));
    let places: usize = writes.iter().map(|write| write.places).sum();
    let wanted = count_kills();
    let mut judged = BTreeSet::new();
    let mut left = Vec::new();
    for (number, write) in writes.iter().enumerate() {
        // Each write is killed, however few kills are wanted.
        let share = (wanted * (number + 1) / writes.len() - wanted * number / writes.len()).max(1);
        let kills = share.min(write.places);
        // Where a write has one kill, it is at another part of each, from the first change to the end of the process.
        let (part, parts) = (number * 7 % writes.len(), writes.len() - 1);
        for kill in 0..kills {
            let place = write.places * (kill * parts + part) / (kills * parts);
            left.push(write.kill_at(place.min(write.places - 1), &mut judged));
        }
    }
    let count = |wanted| left.iter().filter(|found| **found == wanted).count();
    let counts = [Left::Nothing, Left::Unacknowledged, Left::Acknowledged].map(count);
    println!(
        "{} of {places} changes of {} writes: {} killed before the write was in the log, {} after that and {} \
         after the acknowledgement",
        left.len(),
        writes.len(),
        counts[0],
        counts[1],
        counts[2]
    );
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// Before its last commit an `init` leaves a file in which nothing is, at some places with a journal that only a writer
/// may roll back.
#[test]
fn an_init_that_was_killed_at_any_change_is_completed() {
    let init = &play_writes(1, false)[0];
    let mut judged = BTreeSet::new();
    let left = (0..init.places).map(|place| init.kill_at(place, &mut judged));
    let nothing = left.filter(|left| *left == Left::Nothing).count();
    assert!(nothing > 20, "{nothing} of {}", init.places);
}
