//! `axilog memory retract` and `axilog memory history`.

use crate::bench::Bench;

use super::commands::FACT;

/// A memory with one fact, a thread and a compaction that point to it; gives the handles of the fact and its detail.
fn begin() -> (Bench, String, String) {
    let bench = Bench::new();
    bench.write("fact.json", FACT);
    bench
        .run("memory init m.db --world arden --campaign c1")
        .exits(0);
    let told = bench.run("memory fact m.db fact.json").exits(0).stdout;
    let handles = told.split_whitespace().filter(|word| word.len() == 64);
    let handles: Vec<&str> = handles.collect();
    let [fact, detail] = handles[..] else {
        panic!("{told}")
    };
    let pins = bench.run("memory show m.db --json").exits(0).stdout;
    let pins: serde_json::Value = serde_json::from_str(&pins).unwrap();
    let policy = pins["pins"]["compaction_policy"].as_str().unwrap();
    let compaction = format!(
        r#"{{"compaction_policy_id":"{policy}","purpose":"RECAP","input_handles":["{fact}"]}}"#
    );
    bench
        .run(&format!("memory event m.db COMPACTION {compaction}"))
        .exits(0);
    bench
        .run(r#"memory event m.db STATE {"threads":["k1"]}"#)
        .exits(0);
    (bench, fact.to_owned(), detail.to_owned())
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn assert_fits(text: &str) {
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(80), "{text}");
}

#[test]
fn a_fact_is_retracted_and_its_history_says_by_whom() {
    let (bench, fact, detail) = begin();
    let before = bench.run(&format!("memory history m.db {fact}")).exits(0);
    assert!(before.stdout.contains("TOLD") && before.stdout.contains("pointed to by   k1"));
    let retract =
        format!("memory retract m.db {fact} --source ben --reason never-so --ref house-3");
    let twin = bench.copy();
    let printed = bench.run(&retract).exits(0).stdout;
    assert_fits(&printed);
    for part in [
        "17 RETRACTION",
        &fact,
        "RECAP, shown to nobody any more",
        "k1",
    ] {
        assert!(printed.contains(part), "{printed}");
    }
    let result = json(&twin.run(&format!("{retract} --json")).exits(0).stdout);
    assert_eq!((&result["ok"], &result["seq"]), (&true.into(), &17.into()));
    assert_eq!(result["fact_id"], *fact);
    assert_eq!(result["compactions"][0]["purpose"], "RECAP");
    assert_eq!(result["pointed_by"][0], "k1");
    for handle in [&fact, &detail] {
        let history = format!("memory history m.db {handle}");
        let printed = bench.run(&history).exits(0).stdout;
        assert_fits(&printed);
        for part in [
            "RETRACTED",
            "entry 14",
            "entry 17",
            "ben (house-3)",
            "never-so",
        ] {
            assert!(printed.contains(part), "{printed}");
        }
        let history = json(&bench.run(&format!("{history} --json")).exits(0).stdout);
        assert_eq!(history["state"], "RETRACTED");
        assert_eq!(history["details"][0]["detail_handle"], *detail);
        assert_eq!(history["history"][0]["id"], "FACT");
        let last = &history["history"][1];
        assert_eq!(
            (&last["id"], &last["seq"]),
            (&"RETRACTION".into(), &17.into())
        );
        assert_eq!(
            (&last["source"], &last["reason"]),
            (&"ben".into(), &"never-so".into())
        );
        assert_eq!(last["scene_id"], serde_json::Value::Null);
    }
    let command = "memory working-set m.db --viewer ana --compaction RECAP";
    let set = bench.run(command).exits(0).stdout;
    assert!(!set.contains(&fact) && !set.contains("Something is written"));
    let all = bench.run("memory gate m.db G2").exits(0);
    assert!(all.stdout.contains("passed"));
}

/// Whatever is printed of it, its strings stay locked.
#[test]
fn no_command_prints_a_string_of_a_fact_that_was_retracted() {
    let (bench, fact, detail) = begin();
    bench
        .run(r#"memory event m.db EV-031 {"scene_id":"cellar"}"#)
        .exits(0);
    let roll = "--roller ana --skill lore --dc 12 --roll 17 --outcome success --scope session";
    bench
        .run(&format!(
            "memory recall m.db {detail} --requester ana {roll}"
        ))
        .exits(0);
    bench
        .run("memory working-set m.db --narration fact.json")
        .exits(0);
    bench
        .run(&format!(
            "memory retract m.db {fact} --source ben --reason seven-keys"
        ))
        .exits(0);
    for (code, command) in [
        (0, format!("history m.db {fact}")),
        (0, format!("history m.db {fact} --json")),
        (0, "show m.db --log".to_owned()),
        (0, "show m.db --log --json".to_owned()),
        (0, "shown m.db".to_owned()),
        (0, "shown m.db --json".to_owned()),
        (1, format!("unlock m.db {detail}")),
        (0, "unlock m.db --json".to_owned()),
        (
            0,
            "working-set m.db --viewer ana --search written".to_owned(),
        ),
        (
            0,
            "working-set m.db --viewer ana --prompt written?".to_owned(),
        ),
        (1, "working-set m.db --narration fact.json".to_owned()),
        (1, format!("pvib m.db {detail}")),
        (1, format!("pvib m.db {fact}")),
        (1, format!("recall m.db {detail} --requester ana {roll}")),
        (1, "fact m.db fact.json".to_owned()),
        (
            1,
            format!("retract m.db {fact} --source ben --reason never"),
        ),
    ] {
        let run = bench.run(&format!("memory {command}")).exits(code);
        for printed in [&run.stdout, &run.stderr] {
            assert!(!printed.contains("seven"), "{command}\n{printed}");
        }
    }
}

#[test]
fn what_cannot_be_retracted_says_why() {
    let (bench, fact, detail) = begin();
    let nothing = "0".repeat(64);
    for (code, handle, rest, expected) in [
        (
            1,
            &nothing,
            "--source ben --reason never",
            "nothing has the handle",
        ),
        (
            1,
            &detail,
            "--source ben --reason never",
            &*format!("detail of the fact {fact}"),
        ),
        (2, &fact, "--source ben", "--reason"),
        (2, &fact, "--reason never", "--source"),
        (
            2,
            &"x".to_owned(),
            "--source ben --reason never",
            "64 lower-case",
        ),
    ] {
        let run = bench.run(&format!("memory retract m.db {handle} {rest}"));
        let error = run.exits(code).stderr;
        assert!(error.contains(expected), "{error}");
    }
    let error = bench.run(&format!("memory history m.db {nothing}"));
    let error = error.exits(1).stderr;
    assert!(error.contains("axilog memory show --log m.db"), "{error}");
}
