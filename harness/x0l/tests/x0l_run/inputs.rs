//! The inputs of a session: good and bad files and settings.

use std::fs;
use std::path::Path;

use axilog::hash::sha256;
use axilog_ledger::error::{FileError, LedgerError};
use axilog_x0l::X0lError;
use axilog_x0l::condition::Condition;
use axilog_x0l::kernel::DecisionReason;
use axilog_x0l::live::{LiveError, SessionPlan, SessionSettings, examples, preflight};
use axilog_x0l::log::SessionStatus;
use axilog_x0l::template::BASE;

use crate::session_directory::{SessionDirectory, settings};

fn refuse(settings: SessionSettings) -> String {
    match SessionPlan::read(settings) {
        Err(X0lError::Live(error)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Every condition has a hundred different tasks, L-C 220, and every prompt is admissible.
#[test]
fn the_examples_are_enough_for_a_hundred_cycles() {
    let mut all = settings(&Condition::ALL, 100);
    all.b2 = u64::from(u32::MAX);
    let plan = SessionPlan::read(all).unwrap();
    for planned in &plan.conditions {
        let expected = match planned.set.condition {
            Condition::C => 220,
            _ => 100,
        };
        let tasks = planned.set.tasks.iter();
        let mut prompts: Vec<&str> = tasks.map(|task| task.prompt.as_str()).collect();
        prompts.sort_unstable();
        prompts.dedup();
        assert_eq!(prompts.len(), expected, "{}", planned.set.condition);
    }
    let clauses = &plan.constitution.clauses;
    let cites = |prompt: &str| clauses.iter().any(|clause| prompt.contains(&clause.id));
    let mut a = plan
        .cycles()
        .filter(|(condition, _)| *condition == Condition::A);
    assert!(a.all(|(_, task)| cites(&task.prompt)));
    let checks = preflight(&plan, Path::new("nowhere/run")).unwrap();
    assert!(checks.is_ready(), "{checks:?}");
    assert!(checks.surely_enough_b2 > 500 * 2048 && checks.needed_b2 < checks.surely_enough_b2);
}

/// The B2 that preflight demands is enough for a session on the examples, and at most half as much again.
#[test]
fn preflight_demands_what_a_session_takes() {
    let directory = SessionDirectory::new();
    let plan = SessionPlan::read(settings(&Condition::ALL, 100)).unwrap();
    let demanded = preflight(&plan, &directory.out()).unwrap().needed_b2;
    let mut all = settings(&Condition::ALL, 100);
    all.b2 = demanded;
    let outcome = directory.run_script(all, examples::SCRIPT).unwrap();
    assert_eq!(
        (outcome.status, outcome.cycles),
        (SessionStatus::Complete, 500)
    );
    let spent = outcome.tokens_spent;
    assert!(demanded * 2 <= spent * 3, "{demanded} for {spent}");
    let over_b1 = directory.cycles();
    let over_b1 = over_b1
        .iter()
        .filter(|cycle| cycle.decision.reason == Some(DecisionReason::BudgetExhausted));
    assert_eq!(over_b1.count(), 10);
}

#[test]
fn the_examples_are_the_files_in_the_tree() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let names = fs::read_dir(&dir).unwrap();
    assert_eq!(names.count(), examples::FILES.len());
    for (name, text) in examples::FILES {
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), text, "{name}");
    }
}

#[test]
fn a_run_keeps_exact_copies_of_what_it_ran_on() {
    let directory = SessionDirectory::new();
    let tasks = "# mine\ncondition = \"L-B\"\ncorpus = \"words.txt\"\nprompt = \"{{entry}}\"\n";
    let json = r#"{"version":"1","clauses":[{"id":"C","text":"All."}],"action_types":[]}"#;
    directory.write("words.txt", "one\ntwo\n");
    let mut chosen = settings(&[Condition::A, Condition::B], 3);
    chosen
        .tasks
        .insert(Condition::B, directory.write("b.toml", tasks));
    chosen.constitution = Some(directory.write("c.json", json));
    chosen.template = Some(directory.write("t.txt", &BASE.replace("You propose", "You suggest")));
    directory.run_script(chosen, examples::SCRIPT).unwrap();
    let frozen = directory.metadata().frozen;
    assert_eq!((frozen.erratum, frozen.corrects), (None, None));
    assert_eq!(frozen.base_template.as_ref(), Some(&frozen.template));
    let expected = [
        ("constitution.json", json),
        ("L-A.toml", examples::tasks(Condition::A)),
        ("L-B.toml", tasks),
        ("L-B.corpus.txt", "one\ntwo\n"),
        (
            "template.txt",
            &fs::read_to_string(directory.path("t.txt")).unwrap(),
        ),
    ];
    for (name, text) in expected {
        let kept = fs::read_to_string(directory.out().join("inputs").join(name)).unwrap();
        assert_eq!(kept, text, "{name}");
        let named = frozen.inputs().into_iter().find(|file| file.name == name);
        assert_eq!(named.unwrap().sha256, sha256(text.as_bytes()), "{name}");
    }
    let cycles = directory.cycles();
    let tasks: Vec<&str> = cycles.iter().map(|cycle| cycle.task.as_str()).collect();
    assert_eq!(tasks[3..], ["line-1", "line-2", "line-1"]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let a = || settings(&[Condition::A], 1);
    for (conditions, cycles, message) in [
        (vec![], 1, "no condition"),
        (vec![Condition::A, Condition::A], 1, "named twice"),
        (vec![Condition::A], 0, "at least 1"),
        (vec![Condition::A], u64::MAX, "at most"),
    ] {
        let error = refuse(settings(&conditions, cycles));
        assert!(error.contains(message), "{error}");
    }
    let mut unused = a();
    unused.tasks.insert(Condition::C, "c.toml".into());
    assert!(refuse(unused).contains("L-C, which is not run"));
    let mut window = a();
    window.context_window = 0;
    assert!(refuse(window).contains("context window"));
    let mut timeless = a();
    timeless.started = 0;
    assert!(refuse(timeless).contains("stop its agent"));
    let mut far = a();
    far.b2 = 1 << 53;
    assert!(refuse(far).contains("2^53-1"));
    let directory = SessionDirectory::new();
    for (name, bytes, message) in [
        (
            "no.toml",
            &b"version = 1"[..],
            "no.toml: not a constitution",
        ),
        ("bytes.toml", b"\xff", "not UTF-8 at byte 0"),
    ] {
        fs::write(directory.path(name), bytes).unwrap();
        let mut constitution = a();
        constitution.constitution = Some(directory.path(name));
        let error = refuse(constitution);
        assert!(error.contains(message), "{error}");
    }
    let mut absent = a();
    absent.template = Some(directory.path("absent"));
    assert!(matches!(
        SessionPlan::read(absent),
        Err(X0lError::File(FileError::Io { .. }))
    ));
    let mut model = a();
    model.model = "e\u{301}".to_owned();
    assert!(matches!(
        SessionPlan::read(model),
        Err(X0lError::Ledger(LedgerError::InvalidIdentity { .. }))
    ));
}

#[test]
fn preflight_names_what_prevents_a_session() {
    let directory = SessionDirectory::new();
    let reasons_against = |settings: SessionSettings, out: &Path| {
        let plan = SessionPlan::read(settings).unwrap();
        let found = preflight(&plan, out).unwrap();
        match found.require_ready() {
            Ok(()) => String::new(),
            Err(LiveError::NotReady(reasons)) => reasons,
            Err(other) => panic!("{other}"),
        }
    };
    let a = || settings(&[Condition::A], 10);
    let out = directory.out();
    assert_eq!(reasons_against(a(), &out), "");
    let mut small = a();
    small.b2 = 9_000;
    let message = reasons_against(small, &out);
    let needed: u64 = {
        let (_, rest) = message.split_once("--b2 ").unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let mut enough = a();
    enough.b2 = needed;
    assert_eq!(reasons_against(enough, &out), "");
    let mut less = a();
    less.b2 = needed - 1;
    assert!(reasons_against(less, &out).contains("--accept-partial"));
    let mut partial = a();
    partial.b2 = needed - 1;
    partial.accept_partial = true;
    assert_eq!(reasons_against(partial, &out), "");
    let mut window = a();
    window.context_window = 2049;
    assert!(reasons_against(window, &out).contains("the context window has 2049"));
    let mut decomposed = a();
    let text = "condition = \"L-A\"\n[[tasks]]\nid = \"x\"\nprompt = \"e\u{301}\"\n";
    decomposed
        .tasks
        .insert(Condition::A, directory.write("t.toml", text));
    assert!(reasons_against(decomposed, &out).contains("the task x: "));
    assert!(reasons_against(a(), directory.dir.path()).contains("is not empty"));
    assert!(reasons_against(a(), &directory.path("t.toml")).contains("name a directory"));
}
