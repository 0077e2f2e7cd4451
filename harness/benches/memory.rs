//! Times a memory with 100,000 facts and 1,000,000 entries: durable appends, working sets, texts that are checked, a
//! rebuild, the gates. Each part runs in a process of its own, whose peak memory the system reports.
//!
//!     cargo bench -p axilog-harness-benches --bench memory -- [DIR]
//!
//! DIR is where the database goes (about 600 MB); the system's directory for temporary files where it
//! is absent. `--test` takes a hundredth. Linux only.

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::zeroed;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use axilog_memory::gate::{Gate, GateInputs, run_gate};
    use axilog_memory::{
        Audience, EntryKind, InitialState, MemoryStore, OutputClass, WorkingSetQuery,
    };
    use serde_json::{Value, json};

    const FACTS: u64 = 100_000;
    const ENTRIES: u64 = 1_000_000;

    /// How many entries are acknowledged together while the memory is made.
    const BATCH: u64 = 10_000;

    fn fact(number: u64) -> Value {
        let mask = match number % 4 {
            0 | 1 => json!("PUBLIC"),
            2 => json!({ "PLAYER": [format!("player-{}", number % 7)] }),
            _ => json!("DM_ONLY"),
        };
        let kinds = ["CLUE", "LOCATION", "NPC_IDENTITY", "ITEM_LORE"];
        json!({
            "kind": kinds[(number % 4) as usize],
            "stable_key": format!("key-{:06}", number * 7919 % 1_000_003),
            "payload": {
                "text": format!("Behind the {number}th door lies a letter of the miller's."),
                "floor": number % 9,
            },
            "provenance": { "source": "generator", "refs": [format!("spec-{}", number % 50)] },
            "visibility_mask": mask,
            "gist": "A letter lies behind a door.",
            "details": [{ "name": "code", "exact": format!("code {:08}", number * 7) }],
        })
    }

    fn event(number: u64) -> (EntryKind, Value) {
        match number % 5 {
            0 => (
                EntryKind::ValidationFailed,
                json!({ "playback_id": format!("p{number}"), "reason_code": "locked", "rule_ref": "HL-005", "cause_handle": null }),
            ),
            1 => (
                EntryKind::NudgeSuppressed,
                json!({ "scene_id": null, "reason_code": format!("n{number}"), "rule_ref": "r1", "cause_handle": null }),
            ),
            2 => (
                EntryKind::PlaybackPaused,
                json!({ "playback_id": format!("p{number}"), "cause_handle": null }),
            ),
            3 => (
                EntryKind::State,
                json!({ "clocks": [format!("clock-{number}")] }),
            ),
            _ => (
                EntryKind::NudgeSelected,
                json!({ "scene_id": null, "nudge_type": "n1", "target_handle": format!("n{number}"), "reason_code": "stall", "cause_handle": null }),
            ),
        }
    }

    fn make_memory(path: &Path, share: u64) {
        let initial = InitialState::new("arden", "c1", "s1").unwrap();
        let mut store = MemoryStore::init(path, &initial).unwrap();
        let every = ENTRIES / FACTS;
        for batch in 0..ENTRIES / share / BATCH {
            let numbers = batch * BATCH..(batch + 1) * BATCH;
            store
                .append_all(numbers.map(|number| match number % every {
                    0 => (EntryKind::Fact, fact(number / every)),
                    _ => event(number),
                }))
                .unwrap();
        }
    }

    /// Times single appends, each acknowledged when it is on the disk, and appends in groups of 100.
    fn time_appends(path: &Path, share: u64) {
        let mut store = MemoryStore::open(path).unwrap();
        time_each("append of an event", 2000, |number| {
            let (kind, body) = event(number);
            store.append(kind, body).unwrap();
        });
        let first = FACTS / share;
        time_each("append of a fact", 1000, |number| {
            store.append(EntryKind::Fact, fact(first + number)).unwrap();
        });
        let start = Instant::now();
        for group in 0..50 {
            store
                .append_all((0..100).map(|number| event(group * 100 + number)))
                .unwrap();
        }
        println!(
            "append, 100 at a time: {:.3} ms each",
            start.elapsed().as_secs_f64() * 1e3 / 5000.0
        );
    }

    /// Times a call, so many times.
    fn time_each(what: &str, count: u64, mut call: impl FnMut(u64)) {
        let mut times: Vec<f64> = (0..count)
            .map(|number| {
                let start = Instant::now();
                call(number);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        let first = times[0];
        times.sort_by(f64::total_cmp);
        let within = |share: usize| times[times.len() * share / 100];
        println!(
            "{what}: median {:.3} ms, 90 % within {:.3} ms, 99 % within {:.3} ms, first {first:.0} ms",
            within(50),
            within(90),
            within(99)
        );
    }

    /// Times the two texts in which guesses are looked for, each of about 200 characters.
    fn time_checks(path: &Path) {
        let mut store = MemoryStore::open(path).unwrap();
        let text = "The lamp burns low, and rain runs down the windows of the mill. Behind the third door somebody \
            turns a page. The miller counts his sacks, and says that the letter came from the coast, two winters ago.";
        time_each("narration checked", 101, |_| {
            store.check_narration(&["player-2"], text).unwrap();
        });
        let audience = Audience::new(OutputClass::Prompt, &["player-2"]).unwrap();
        let query = WorkingSetQuery::new(audience, 32_000);
        time_each("prompt of 32000 bytes", 101, |_| {
            store.build_prompt(&query, text).unwrap();
        });
    }

    fn time_gate(path: &Path, gate: Gate) {
        let mut store = MemoryStore::open(path).unwrap();
        let start = Instant::now();
        let report = run_gate(&mut store, gate, &GateInputs::default()).unwrap();
        assert!(report.passed(), "{gate}: {:?}", report.faults);
        println!("{gate}: {:.1} s", start.elapsed().as_secs_f64());
    }

    /// Times a sync of the disk alone, the least that an append takes.
    fn time_syncs(path: &Path) {
        use std::io::{Seek, Write};
        let beside = path.with_extension("sync");
        let mut file = std::fs::File::create(&beside).unwrap();
        file.write_all(&vec![0; 8 << 20]).unwrap();
        file.sync_all().unwrap();
        file.rewind().unwrap();
        let mut times: Vec<Duration> = (0..1000)
            .map(|_| {
                let start = Instant::now();
                file.write_all(&[1; 4096]).unwrap();
                file.sync_all().unwrap();
                start.elapsed()
            })
            .collect();
        times.sort();
        println!(
            "4 KiB over what is there, and a sync: median {:.3} ms",
            times[500].as_secs_f64() * 1e3
        );
    }

    fn time_working_sets(path: &Path) {
        let store = MemoryStore::open(path).unwrap();
        for (name, viewers, budget) in [
            ("public, 32000 bytes", vec![], 32_000),
            ("one player, 32000 bytes", vec!["player-2"], 32_000),
            ("one player, 128000 bytes", vec!["player-2"], 128_000),
        ] {
            let audience = Audience::new(OutputClass::WorkingSet, &viewers).unwrap();
            let query = WorkingSetQuery::new(audience, budget);
            let start = Instant::now();
            let first = store.reader().inspect_working_set(&query).unwrap();
            let cold = start.elapsed();
            let mut times: Vec<Duration> = (0..101)
                .map(|_| {
                    let start = Instant::now();
                    assert_eq!(store.reader().inspect_working_set(&query).unwrap(), first);
                    start.elapsed()
                })
                .collect();
            times.sort();
            let ms = |time: Duration| time.as_secs_f64() * 1e3;
            println!(
                "working set, {name}: warm median {:.1} ms, 90 % within {:.1} ms, first {:.0} ms, {} facts, {} tokens",
                ms(times[50]),
                ms(times[90]),
                ms(cold),
                first.value()["facts_slice"].as_array().unwrap().len(),
                first.tokens(),
            );
        }
    }

    fn time_rebuild(path: &Path) {
        let mut store = MemoryStore::open(path).unwrap();
        let start = Instant::now();
        let head = store.rebuild().unwrap();
        println!(
            "rebuild of {} entries: {:.1} s",
            head.seq,
            start.elapsed().as_secs_f64()
        );
    }

    fn run_part(what: &str, path: &Path, share: u64) {
        match what {
            "make" => make_memory(path, share),
            "append" => time_appends(path, share),
            "sync" => time_syncs(path),
            "working-set" => time_working_sets(path),
            "checks" => time_checks(path),
            "rebuild" => time_rebuild(path),
            gate => time_gate(path, Gate::parse(gate).unwrap()),
        }
    }

    /// Runs a part in a process of its own, and prints the most memory it had.
    #[expect(
        clippy::zombie_processes,
        reason = "wait4 waits, and gives the memory too"
    )]
    fn run_in_process(what: &str, path: &Path, share: u64) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["part", what, &share.to_string()]).arg(path);
        let child = command.stdin(Stdio::null()).spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let start = Instant::now();
        // SAFETY: all three point to values of their types, which the call fills.
        let (status, usage) = unsafe {
            let (mut status, mut usage): (libc::c_int, libc::rusage) = (0, zeroed());
            assert_eq!(libc::wait4(id, &raw mut status, 0, &raw mut usage), id);
            (status, usage)
        };
        assert_eq!(status, 0, "{what}");
        println!(
            "  ({what}: {:.1} s, at most {} MiB)",
            start.elapsed().as_secs_f64(),
            usage.ru_maxrss / 1024
        );
    }

    pub fn main() {
        let arguments: Vec<String> = std::env::args().collect();
        if let [_, part_word, what, share, path] = arguments.as_slice()
            && part_word == "part"
        {
            return run_part(what, Path::new(path), share.parse().unwrap());
        }
        let share = if arguments.iter().any(|argument| argument == "--test") {
            100
        } else {
            1
        };
        let place = arguments
            .iter()
            .skip(1)
            .find(|argument| !argument.starts_with('-'));
        let directory = match place {
            Some(place) => tempfile::tempdir_in(place),
            None => tempfile::tempdir(),
        }
        .unwrap();
        let path = directory.path().join("memory.db");
        for what in ["make", "sync", "append", "working-set", "checks", "rebuild"] {
            run_in_process(what, &path, share);
        }
        // G7 looks at no memory.
        for gate in ["G1", "G2", "G3", "G4", "G5", "G6"] {
            run_in_process(gate, &path, share);
        }
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
