//! Files as an interruption leaves them, and new ones in every form.

use crate::bench::{Bench, lines};

#[test]
fn an_interrupted_step_is_completed_on_open() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let all = lines(&whole);
    // After the observation, and after its policy: the step lacks two records, or one.
    for (kept, missing) in [(6, 2), (7, 1)] {
        bench.write("ledger.jsonl", all[..kept].concat());
        let report = bench.run("replay ledger.jsonl --json").exits(0);
        assert_eq!(report.json()["interrupted"], true);
        let run = bench.run("time 1001 --ledger ledger.jsonl --json").exits(0);
        assert_eq!(run.json()["completed_records"], missing);
        let run = run.says(&format!("added its missing records ({missing})"));
        assert_eq!(run.json()["prev_state"], "ENABLED");
        let now = bench.read("ledger.jsonl");
        assert_eq!(now[..whole.len()], whole);
        let report = bench.run("replay ledger.jsonl --json").exits(0);
        assert_eq!(report.json()["interrupted"], false);
    }
    // A reset alone: the agent waits for the time.
    bench.write("ledger.jsonl", all[..2].concat());
    let run = bench.run("control reset --ledger ledger.jsonl").exits(0);
    run.says("waits for the time");
    bench.run("time 5 --ledger ledger.jsonl").exits(0);
    assert!(bench.read("ledger.jsonl").starts_with(&all[..3].concat()));
    bench.run("replay ledger.jsonl").exits(0);
}

#[test]
fn an_empty_file_and_a_genesis_count_as_new() {
    let genesis = axilog_ledger::file::genesis_line();
    for start in [b"".to_vec(), genesis] {
        let bench = Bench::new();
        bench.write("ledger.jsonl", &start);
        for command in ["time", "control reset"] {
            bench
                .run(&format!("{command} --ledger ledger.jsonl"))
                .exits(3)
                .says("begin it with `axilog init");
            assert_eq!(bench.read("ledger.jsonl"), start);
        }
        bench.write("bare.jsonl", &start);
        bench.run("init bare.jsonl --time 1000").exits(0);
        let decision = bench.observe(b"{\"value\":1}").exits(0).json();
        assert_eq!(decision["begun"], true);
        bench.run("replay ledger.jsonl").exits(0);
        let expected = Bench::ledger().read("ledger.jsonl");
        assert!(expected.starts_with(&bench.read("bare.jsonl")));
    }
    let bench = Bench::new();
    bench.write("ledger.jsonl", b"");
    assert_eq!(
        bench.verdict("verify ledger.jsonl"),
        ("TRUNCATED".to_owned(), 0, 0)
    );
    bench.write("ledger.jsonl", axilog_ledger::file::genesis_line());
    bench.run("verify ledger.jsonl").exits(0);
    bench.run("replay ledger.jsonl").exits(0);
}

/// The first reset names the configuration, so a ledger in which it was torn has none yet.
#[test]
fn a_torn_first_reset_is_moved_aside_and_the_ledger_begun() {
    let bench = Bench::new();
    bench.write("none.json", b"[]");
    let init = "init ledger.jsonl --policies none.json --time 1000";
    bench.run(init).exits(0);
    let whole = bench.read("ledger.jsonl");
    let genesis = axilog_ledger::file::genesis_line().len();
    bench.write("ledger.jsonl", &whole[..genesis + 30]);
    bench
        .run("time --ledger ledger.jsonl")
        .exits(3)
        .says("axilog init");
    let run = bench.run(&format!("{init} --json")).exits(0);
    assert_eq!(run.json()["torn"]["bytes"], 30);
    assert_eq!(bench.read("ledger.jsonl"), whole);
    bench.run("audit ledger.jsonl").exits(0);
}

#[test]
fn a_torn_genesis_is_moved_aside_and_the_ledger_begun() {
    let genesis = axilog_ledger::file::genesis_line();
    let bench = Bench::new();
    bench.write("ledger.jsonl", &genesis[..100]);
    assert_eq!(
        bench.verdict("verify ledger.jsonl"),
        ("TORN".to_owned(), 0, 0)
    );
    bench.run("time --ledger ledger.jsonl").exits(3);
    assert_eq!(bench.read("ledger.jsonl"), genesis[..100]);
    let run = bench.run("init ledger.jsonl --time 1000 --json").exits(0);
    let run = run.says("moved its 100 bytes aside to ledger.jsonl.torn-1");
    assert_eq!(run.json()["torn"]["bytes"], 100);
    assert_eq!(bench.read("ledger.jsonl.torn-1"), genesis[..100]);
    bench.run("replay ledger.jsonl").exits(0);

    // What never was a ledger is left alone.
    for other in ["notes without a line feed", "{\"chain\":\"0"] {
        bench.write("other", other);
        let command = "observe --ledger other --oracle-id o --model-id m";
        bench.run_with(command, b"1").exits(1).says("TORN");
        assert_eq!(bench.read("other"), other.as_bytes());
        assert!(!bench.exists("other.torn-1"));
    }
}

#[test]
fn a_torn_line_is_moved_aside_and_nothing_else() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let all = lines(&whole);
    let at = all[..7].concat().len();
    for (n, cut) in [(1, 1), (2, 40), (3, all[7].len() - 1)] {
        let torn = &whole[..at + cut];
        bench.write("ledger.jsonl", torn);
        for command in ["verify", "replay"] {
            assert_eq!(
                bench.verdict(&format!("{command} ledger.jsonl")),
                ("TORN".to_owned(), 7, at as u64)
            );
        }
        assert_eq!(bench.read("ledger.jsonl"), torn);
        let name = format!("ledger.jsonl.torn-{n}");
        assert!(!bench.exists(&name));
        let run = bench.run("time 1001 --ledger ledger.jsonl --json").exits(0);
        let run = run.says(&format!("moved its {cut} bytes aside to {name}"));
        assert_eq!(run.json()["torn"]["path"], name);
        assert_eq!(run.json()["torn"]["bytes"], cut);
        assert_eq!(run.json()["completed_records"], 1);
        assert_eq!(bench.read(&name), whole[at..at + cut]);
        assert!(bench.read("ledger.jsonl").starts_with(&whole));
        let next = bench.run("time 1002 --ledger ledger.jsonl --json").exits(0);
        assert!(next.json()["torn"].is_null());
    }
}

#[test]
fn a_torn_line_stays_where_something_else_is_wrong() {
    let bench = Bench::ledger();
    let whole = bench.read("ledger.jsonl");
    let mut altered = whole.clone();
    let at = lines(&whole)[..3].concat().len() + 10;
    altered[at] = if altered[at] == b'0' { b'1' } else { b'0' };
    altered.truncate(whole.len() - 5);
    bench.write("ledger.jsonl", &altered);
    bench.observe(b"{\"value\":1}").exits(1).says("ALTERED");
    assert_eq!(bench.read("ledger.jsonl"), altered);
    // Rules that cannot be had are no reason to touch it either.
    let other = Bench::new();
    other.write(
        "p.json",
        r#"{"value":[{"comparison":"GT","enabled":true,"policy_id":"P","threshold":65536}]}"#,
    );
    other.run("init ledger.jsonl --policies p.json").exits(0);
    let mut torn = other.read("ledger.jsonl");
    torn.extend(b"{\"chain");
    other.write("ledger.jsonl", &torn);
    std::fs::remove_dir_all(other.path("ledger.jsonl.blobs")).unwrap();
    other
        .run("time --ledger ledger.jsonl")
        .exits(3)
        .says("configuration");
    assert_eq!(other.read("ledger.jsonl"), torn);
    other
        .run("time 99999999999 --ledger ledger.jsonl --policies p.json --force")
        .exits(0)
        .says("moved its 7 bytes aside");
    other.run("verify ledger.jsonl").exits(0);
}

#[test]
fn one_writer_at_a_time() {
    let bench = Bench::ledger();
    let before = bench.read("ledger.jsonl");
    let held = std::fs::File::open(bench.path("ledger.jsonl")).unwrap();
    held.lock().unwrap();
    bench
        .observe(b"{\"value\":1}")
        .exits(3)
        .says("another process is writing");
    bench.run("init ledger.jsonl").exits(3);
    // Readers need no lock.
    bench.run("verify ledger.jsonl").exits(0);
    assert_eq!(bench.read("ledger.jsonl"), before);
    // A name that was left behind blocks nobody.
    held.unlock().unwrap();
    bench.write("ledger.jsonl.lock", "axilog 4294967295\n");
    bench.observe(b"{\"value\":1}").exits(0);
}

#[test]
fn a_busy_ledger_names_the_process_that_holds_it() {
    let bench = Bench::ledger();
    let path = bench.path("ledger.jsonl");
    let held = axilog_ledger::session::Session::open(&path, None).unwrap();
    let told = format!("another process (id {}) is writing", std::process::id());
    bench.observe(b"{\"value\":1}").exits(3).says(&told);
    drop(held);
    assert!(!bench.exists("ledger.jsonl.lock"));
    bench.observe(b"{\"value\":1}").exits(0);
    // A file of that name that is something else stays as it is.
    bench.write("ledger.jsonl.lock", "somebody's own");
    bench.observe(b"{\"value\":1}").exits(0);
    assert_eq!(bench.read("ledger.jsonl.lock"), b"somebody's own");
}

/// Processes race for one ledger, each until its answers are in.
#[test]
fn every_answer_of_many_writers_at_once_is_there_exactly_once() {
    let bench = Bench::ledger();
    let (writers, answers) = (6, 4);
    let until_recorded = |value: usize| -> (u64, String) {
        let answer = format!("{{\"value\":{value}}}");
        for _ in 0..10_000 {
            let run = bench.observe(answer.as_bytes());
            if run.code == 0 {
                let decision = run.json();
                let head = decision["head"].as_str().unwrap().to_owned();
                return (decision["entries"].as_u64().unwrap(), head);
            }
            let _ = run.exits(3).says("is writing to this ledger");
        }
        panic!("{value} was never recorded");
    };
    let acknowledged: Vec<(usize, (u64, String))> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..writers)
            .map(|writer| {
                let values = (0..answers).map(move |n| writer * answers + n);
                scope.spawn(move || values.map(|value| (value, until_recorded(value))).collect())
            })
            .collect();
        let done = threads.into_iter().map(|t| t.join().unwrap());
        done.flat_map(|values: Vec<_>| values).collect()
    });
    let report = bench.run("replay ledger.jsonl --json").exits(0).json();
    assert_eq!(report["entries"], 8 + 3 * writers * answers);
    let all = lines(&bench.read("ledger.jsonl"));
    for (value, (entries, head)) in acknowledged {
        // Three records each: the answer, the policy, the transition.
        let last = String::from_utf8(all[entries as usize - 1].clone()).unwrap();
        assert!(
            last.starts_with(&format!("{{\"chain\":\"{head}\"")),
            "{value}"
        );
        let answer = format!("{{\\\"value\\\":{value}}}");
        let holds = |line: &&Vec<u8>| String::from_utf8_lossy(line).contains(&answer);
        assert!(holds(&&all[entries as usize - 3]), "{value}");
        // The ledger began with an answer of 1.
        let expected = if value == 1 { 2 } else { 1 };
        assert_eq!(all.iter().filter(holds).count(), expected, "{value}");
    }
}
