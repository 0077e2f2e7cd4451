//! The checks of the host library give the objects that the command prints, and its errors.

use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;

use axilog_host::check::{axh_audit, axh_head, axh_replay, axh_string_free, axh_verify};
use axilog_host::expectations::axh_expectations_t;
use axilog_host::policy::{
    axh_policy_check, axh_policy_compile, axh_policy_explain, axh_policy_form_t,
};
use axilog_host::status::{AXH_ERR_IO, AXH_ERR_LEDGER, AXH_NOT_OK, AXH_OK, axh_last_error};

use crate::bench::{Bench, lines, sealed};

type Check =
    unsafe extern "C" fn(*const c_char, *const axh_expectations_t, *mut *mut c_char) -> c_int;

const CHECKS: [(&str, Check); 4] = [
    ("verify", axh_verify),
    ("replay", axh_replay),
    ("audit", axh_audit),
    ("head", axh_head),
];

/// No expectations.
fn nothing() -> axh_expectations_t {
    axh_expectations_t {
        size: size_of::<axh_expectations_t>(),
        head: ptr::null(),
        extends: ptr::null(),
        extends_count: 0,
        models: ptr::null(),
        model_count: 0,
        policies: ptr::null(),
        policies_len: 0,
        entries: 0,
        blob_bytes: 0,
        permit_truncated: 0,
        stop_on_invalid: 0,
        require_policy: 0,
        blobs: 0,
    }
}

/// Compares what the library says of a ledger with what the command says with these options.
#[track_caller]
fn compare(
    bench: &Bench,
    command: &str,
    check: Check,
    file: &str,
    expected: &axh_expectations_t,
    options: &str,
) {
    let path = bench.path(file);
    let run = bench.run(&format!("{command} {} {options} --json", path.display()));
    let path = CString::new(path.to_str().unwrap()).unwrap();
    let mut json = ptr::null_mut();
    // SAFETY: the pointers are to a path, to expectations and to where the object goes.
    let status = unsafe { check(path.as_ptr(), expected, &raw mut json) };
    if json.is_null() {
        // SAFETY: the text is this thread's until its next error.
        let reason = unsafe { CStr::from_ptr(axh_last_error()) };
        assert!([AXH_ERR_IO, AXH_ERR_LEDGER].contains(&status), "{file}");
        assert_eq!(
            run.stderr,
            format!("axilog: {}\n", reason.to_str().unwrap())
        );
        run.exits(3);
        return;
    }
    // SAFETY: given by the library, and freed once.
    let object = unsafe {
        let object = CStr::from_ptr(json).to_str().unwrap().to_owned();
        axh_string_free(json);
        object
    };
    assert_eq!(run.stdout, object + "\n", "{command} {file} {options}");
    assert!([AXH_OK, AXH_NOT_OK].contains(&status), "{command} {file}");
    run.exits(status);
}

#[test]
fn every_check_gives_the_object_of_its_command() {
    let bench = Bench::ledger();
    bench.observe(b"{\"value\":100}").exits(1);
    bench.observe(b"\xff").exits(1);
    let whole = bench.read("ledger.jsonl");
    let mut altered = whole.clone();
    altered[400] ^= 1;
    bench.write("altered.jsonl", altered);
    bench.write("torn.jsonl", &whole[..whole.len() - 5]);
    bench.write("short.jsonl", lines(&whole)[..3].concat());
    bench.write("sealed.jsonl", sealed(&whole));
    bench.write("genesis.jsonl", &lines(&whole)[0]);
    bench.write("other.txt", "no ledger");
    bench
        .run(
            "init bound.jsonl --name plant/\u{70} --note a --oracle llm --stop-on-invalid --time 1",
        )
        .exits(0);
    let files = [
        "ledger", "altered", "torn", "short", "sealed", "genesis", "bound",
    ];
    let names = files.iter().map(|file| format!("{file}.jsonl"));
    for file in names.chain(["other.txt".to_owned()]) {
        for (command, check) in CHECKS {
            compare(&bench, command, check, &file, &nothing(), "");
        }
    }
    // Copies have no blobs, and a ledger that is not there is none.
    compare(&bench, "head", axh_head, "nowhere.jsonl", &nothing(), "");
}

#[test]
fn every_expectation_is_the_option_of_its_name() {
    let bench = Bench::ledger();
    let head = bench.run("head ledger.jsonl --json").exits(0).json();
    let text = |field: &str| head[field].as_str().unwrap().to_owned();
    let c_text = |text: &str| CString::new(text).unwrap();
    let (known_head, extends) = (c_text(&text("head")), c_text(&text("extends")));
    let models = [c_text("o=other")];
    let (extends_array, models_array) = ([extends.as_ptr()], [models[0].as_ptr()]);
    let policies = "[]";
    bench.write("none.json", policies);
    let none = bench.path("none.json");
    let cases: [(&str, Check, axh_expectations_t, String); 9] = [
        (
            "verify",
            axh_verify,
            axh_expectations_t {
                entries: 7,
                ..nothing()
            },
            "--expect-entries 7".to_owned(),
        ),
        (
            "verify",
            axh_verify,
            axh_expectations_t {
                blobs: 1,
                head: known_head.as_ptr(),
                ..nothing()
            },
            format!("--blobs --expect-head {}", text("head")),
        ),
        (
            "audit",
            axh_audit,
            axh_expectations_t {
                extends: extends_array.as_ptr(),
                extends_count: 1,
                ..nothing()
            },
            format!("--extends {}", text("extends")),
        ),
        (
            "replay",
            axh_replay,
            axh_expectations_t {
                models: models_array.as_ptr(),
                model_count: 1,
                ..nothing()
            },
            "--expect-model o=other".to_owned(),
        ),
        (
            "audit",
            axh_audit,
            axh_expectations_t {
                blob_bytes: 3,
                ..nothing()
            },
            "--budget blob-bytes=3".to_owned(),
        ),
        (
            "audit",
            axh_audit,
            axh_expectations_t {
                require_policy: 1,
                ..nothing()
            },
            "--require-policy".to_owned(),
        ),
        (
            "replay",
            axh_replay,
            axh_expectations_t {
                policies: policies.as_ptr().cast(),
                policies_len: policies.len(),
                ..nothing()
            },
            format!("--policies {}", none.display()),
        ),
        (
            "head",
            axh_head,
            axh_expectations_t {
                permit_truncated: 1,
                ..nothing()
            },
            "--permit-truncated".to_owned(),
        ),
        (
            "replay",
            axh_replay,
            axh_expectations_t {
                stop_on_invalid: 1,
                ..nothing()
            },
            "--stop-on-invalid".to_owned(),
        ),
    ];
    for (command, check, expected, options) in cases {
        compare(&bench, command, check, "ledger.jsonl", &expected, &options);
        // Each option makes a difference.
        if !options.starts_with("--require-policy") {
            let with = bench.run(&format!("{command} ledger.jsonl {options} --json"));
            let without = bench.run(&format!("{command} ledger.jsonl --json"));
            assert_ne!(with.stdout, without.stdout, "{options}");
        }
    }
}

/// What a function of policies gives: its status, and its text or its error.
pub(crate) fn call(function: impl FnOnce(*mut *mut c_char) -> c_int) -> (c_int, String) {
    let mut text = ptr::null_mut();
    let status = function(&raw mut text);
    // SAFETY: the library's own text, freed once; or this thread's last error.
    unsafe {
        let source = match text.is_null() {
            true => axh_last_error(),
            false => text,
        };
        let copy = CStr::from_ptr(source).to_str().unwrap().to_owned();
        axh_string_free(text);
        (status, copy)
    }
}

const POLICIES: [&str; 3] = [
    r#"{"llm#value":[{"comparison":"GT","enabled":true,"policy_id":"A","threshold":4587520}],"value":[{"comparison":"GT","enabled":true,"policy_id":"B","threshold":65536}]}"#,
    "[]",
    r#"[{"comparison":"GT","enabled":true}]"#,
];

#[test]
fn policies_are_checked_and_tried_with_the_objects_of_the_command() {
    let bench = Bench::new();
    for policies in POLICIES {
        bench.write("p.json", policies);
        let (len, name) = (policies.len(), c"p.json".as_ptr());
        let text = policies.as_ptr().cast();
        // SAFETY: the pointers are to a text of this length, to a name, and to where the object goes.
        let (status, object) = call(|json| unsafe { axh_policy_check(text, len, name, json) });
        let run = bench.run("policy check p.json --json");
        if status < 0 {
            assert_eq!(run.stderr, format!("axilog: {object}\n"));
            run.exits(1);
            continue;
        }
        assert_eq!((run.stdout.as_str(), status), (&*format!("{object}\n"), 0));
        for answer in [r#"{"value":70}"#, r#"{"value":"seventy"}"#, "no JSON"] {
            bench.write("answer.json", answer);
            let (given, bytes) = (answer.as_ptr().cast(), answer.len());
            for oracle in ["", "--oracle llm"] {
                let id = if oracle.is_empty() {
                    ptr::null()
                } else {
                    c"llm".as_ptr()
                };
                // SAFETY: as above.
                let (status, object) = call(|json| unsafe {
                    axh_policy_explain(text, len, name, given, bytes, id, json)
                });
                let options = format!("--answer answer.json {oracle} --json");
                let run = bench.run(&format!("policy explain p.json {options}"));
                assert_eq!(run.stdout, format!("{object}\n"), "{policies} {answer}");
                run.exits(status);
            }
        }
        for (emit, form) in [
            ("c", axh_policy_form_t::AXH_POLICY_FORM_C),
            ("rust", axh_policy_form_t::AXH_POLICY_FORM_RUST),
            ("json", axh_policy_form_t::AXH_POLICY_FORM_JSON),
        ] {
            let form = MaybeUninit::new(form);
            // SAFETY: as above.
            let (_, compiled) =
                call(|out| unsafe { axh_policy_compile(text, len, name, form, ptr::null(), out) });
            let run = bench
                .run(&format!("policy compile p.json --emit {emit}"))
                .exits(0);
            assert_eq!(run.stdout, compiled);
        }
    }
}
