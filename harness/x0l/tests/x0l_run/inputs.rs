//! What a session runs on: files that are what they should be, and files that are not.

use std::fs;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::live::{LiveError, Plan, Settings, preflight, shipped};
use axilog_x0l::template::BASE;

use crate::place::{Place, settings};

fn refusal(settings: Settings) -> String {
    match Plan::read(settings) {
        Err(X0lError::Live(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Every condition has tasks for a hundred cycles without asking one twice, under the example
/// constitution, and every prompt may be asked.
#[test]
fn the_examples_are_enough_for_a_hundred_cycles() {
    let mut all = settings(&Condition::ALL, 100);
    all.b2 = u64::from(u32::MAX);
    let plan = Plan::read(all).unwrap();
    for planned in &plan.conditions {
        assert_eq!(planned.set.tasks.len(), 100);
        let mut prompts: Vec<&str> = planned.tasks().map(|task| task.prompt.as_str()).collect();
        prompts.sort_unstable();
        prompts.dedup();
        assert_eq!(prompts.len(), 100, "{}", planned.set.condition);
    }
    let clauses = &plan.constitution.clauses;
    let cites = |prompt: &str| clauses.iter().any(|clause| prompt.contains(&clause.id));
    let mut a = plan
        .cycles()
        .filter(|(condition, _)| *condition == Condition::A);
    assert!(a.all(|(_, task)| cites(&task.prompt)));
    let checks = preflight(&plan, Path::new("nowhere/run")).unwrap();
    assert!(checks.is_ready(), "{checks:?}");
    assert!(checks.needed_b2 > 500 * 2048);
}

#[test]
fn the_examples_are_the_files_in_the_tree() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let names = fs::read_dir(&dir).unwrap();
    assert_eq!(names.count(), shipped::FILES.len());
    for (name, text) in shipped::FILES {
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), text, "{name}");
    }
}

#[test]
fn a_run_keeps_exact_copies_of_what_it_ran_on() {
    let place = Place::new();
    let tasks = "# mine\ncondition = \"L-B\"\ncorpus = \"words.txt\"\nprompt = \"{{entry}}\"\n";
    let json = r#"{"version":"1","clauses":[{"id":"C","text":"All."}],"action_types":[]}"#;
    place.write("words.txt", "one\ntwo\n");
    let mut chosen = settings(&[Condition::A, Condition::B], 3);
    chosen
        .tasks
        .insert(Condition::B, place.write("b.toml", tasks));
    chosen.constitution = Some(place.write("c.json", json));
    chosen.erratum = Some(place.write("e.txt", &BASE.replace("\"claim\"", "\"what\"")));
    place.scripted(chosen, shipped::SCRIPT).unwrap();
    let frozen = place.metadata().frozen;
    assert_eq!(frozen.erratum, Some(frozen.template.sha256));
    let expected = [
        ("constitution.json", json),
        ("L-A.toml", shipped::tasks(Condition::A)),
        ("L-B.toml", tasks),
        ("L-B.corpus.txt", "one\ntwo\n"),
        (
            "template.txt",
            &fs::read_to_string(place.path("e.txt")).unwrap(),
        ),
    ];
    for (name, text) in expected {
        let kept = fs::read_to_string(place.out().join("inputs").join(name)).unwrap();
        assert_eq!(kept, text, "{name}");
        let named = frozen.inputs().into_iter().find(|file| file.name == name);
        assert_eq!(named.unwrap().sha256, sha256(text.as_bytes()), "{name}");
    }
    let cycles = place.cycles();
    let tasks: Vec<&str> = cycles.iter().map(|cycle| cycle.task.as_str()).collect();
    assert_eq!(tasks[3..], ["line-1", "line-2", "line-1"]);
}

#[test]
fn an_erratum_begins_with_the_same_tasks() {
    let place = Place::new();
    let erratum = place.write("e.txt", &BASE.replace("\"claim\"", "\"what\""));
    let tasks = |erratum| {
        let mut settings = settings(&Condition::ALL, 10);
        settings.erratum = erratum;
        let plan = Plan::read(settings).unwrap();
        plan.cycles()
            .map(|(_, task)| task.id.clone())
            .collect::<Vec<String>>()
    };
    assert_eq!(tasks(None), tasks(Some(erratum.clone())));
    let mut without_a = settings(&[Condition::B], 10);
    without_a.erratum = Some(erratum);
    assert!(refusal(without_a).contains("add A"));
    let mut other = settings(&[Condition::A], 1);
    other.erratum = Some(place.write("o.txt", &BASE.replace("propose", "demand")));
    let said = refusal(other);
    assert!(said.contains("o.txt: line 2: \"demand\""), "{said}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let a = || settings(&[Condition::A], 1);
    for (conditions, cycles, said) in [
        (vec![], 1, "no condition"),
        (vec![Condition::A, Condition::A], 1, "named twice"),
        (vec![Condition::A], 0, "at least 1"),
        (vec![Condition::A], u64::MAX, "at most"),
    ] {
        let error = refusal(settings(&conditions, cycles));
        assert!(error.contains(said), "{error}");
    }
    let mut unused = a();
    unused.tasks.insert(Condition::C, "c.toml".into());
    assert!(refusal(unused).contains("L-C, which is not run"));
    let mut window = a();
    window.context_window = 0;
    assert!(refusal(window).contains("context window"));
    let mut timeless = a();
    timeless.started = 0;
    assert!(refusal(timeless).contains("stop its agent"));
    let mut far = a();
    far.b2 = 1 << 53;
    assert!(refusal(far).contains("2^53-1"));
    let place = Place::new();
    for (name, bytes, said) in [
        (
            "no.toml",
            &b"version = 1"[..],
            "no.toml: not a constitution",
        ),
        ("bytes.toml", b"\xff", "not UTF-8 at byte 0"),
    ] {
        fs::write(place.path(name), bytes).unwrap();
        let mut constitution = a();
        constitution.constitution = Some(place.path(name));
        let error = refusal(constitution);
        assert!(error.contains(said), "{error}");
    }
    let mut absent = a();
    absent.erratum = Some(place.path("absent"));
    assert!(matches!(
        Plan::read(absent),
        Err(X0lError::File(FileError::Io { .. }))
    ));
    let mut model = a();
    model.model = "e\u{301}".to_owned();
    assert!(matches!(
        Plan::read(model),
        Err(X0lError::Ledger(LedgerError::Identity { .. }))
    ));
}

#[test]
fn preflight_says_what_stands_against_a_session() {
    let place = Place::new();
    let against = |settings: Settings, out: &Path| {
        let plan = Plan::read(settings).unwrap();
        let found = preflight(&plan, out).unwrap();
        match found.ready() {
            Ok(()) => String::new(),
            Err(LiveError::NotReady(reasons)) => reasons,
            Err(other) => panic!("{other}"),
        }
    };
    let a = || settings(&[Condition::A], 10);
    let out = place.out();
    assert_eq!(against(a(), &out), "");
    let mut small = a();
    small.b2 = 20_000;
    let said = against(small, &out);
    let needed: u64 = {
        let (_, rest) = said.split_once("--b2 ").unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let mut enough = a();
    enough.b2 = needed;
    assert_eq!(against(enough, &out), "");
    let mut less = a();
    less.b2 = needed - 1;
    assert!(against(less, &out).contains("--accept-partial"));
    let mut partial = a();
    partial.b2 = needed - 1;
    partial.accept_partial = true;
    assert_eq!(against(partial, &out), "");
    let mut window = a();
    window.context_window = 2049;
    assert!(against(window, &out).contains("the context window has 2049"));
    let mut decomposed = a();
    let text = "condition = \"L-A\"\n[[tasks]]\nid = \"x\"\nprompt = \"e\u{301}\"\n";
    decomposed
        .tasks
        .insert(Condition::A, place.write("t.toml", text));
    assert!(against(decomposed, &out).contains("the task x: "));
    assert!(against(a(), place.dir.path()).contains("is not empty"));
    assert!(against(a(), &place.path("t.toml")).contains("name a directory"));
}
