//! What `-o` writes: standard output, streams and pipes that it was given, and regular files; and what it leaves
//! alone.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};

use crate::bench::{Bench, program};
use crate::replaced::make_pipe;

/// Each command that has `-o`, without it.
const WRITERS: [&str; 6] = [
    "export ledger.jsonl --format csv",
    "export ledger.jsonl --format jsonl --json",
    "report ledger.jsonl",
    "report ledger.jsonl --json",
    "policy fmt p.json",
    "policy compile p.json",
];

const POLICIES: &str =
    "[{\"comparison\":\"GT\",\"enabled\":true,\"policy_id\":\"P\",\"threshold\":1}]\n";

/// A ledger with a blob of an input, another ledger, and a policy file.
fn bench() -> Bench {
    let bench = Bench::ledger();
    bench.write("question", "which speed?");
    let line = "observe --ledger ledger.jsonl --oracle-id o --model-id m --input question";
    bench.run_with(line, b"{\"value\":1}").exits(0);
    bench.run("init other.jsonl --time 1").exits(0);
    bench.write("p.json", POLICIES);
    bench
}

/// What a command writes to standard output.
fn printed(bench: &Bench, line: &str) -> Vec<u8> {
    let run = bench.run(line).exits(0);
    assert!(run.stdout.len() > 20, "{line}");
    run.stdout.into_bytes()
}

/// Runs a line of the shell with `axilog` as `$AXILOG`.
fn run_in_shell(bench: &Bench, line: &str) -> std::process::Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(bench.path("."))
        .env("AXILOG", program())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_hyphen_is_standard_output() {
    let bench = bench();
    for line in WRITERS {
        let run = bench.run(&format!("{line} -o -")).exits(0);
        assert_eq!(run.stdout.into_bytes(), printed(&bench, line), "{line}");
        assert!(!bench.exists("-"), "{line}");
    }
}

#[test]
fn streams_that_are_open_already_are_written_into() {
    let bench = bench();
    // A link of the test's own leads to each device, so that a defect replaces no device of the machine.
    symlink("/dev/fd", bench.path("fd")).unwrap();
    for (link, stream) in [("stdout", "/dev/stdout"), ("stderr", "/dev/stderr")] {
        symlink(stream, bench.path(link)).unwrap();
    }
    for line in WRITERS {
        let expected = printed(&bench, line);
        let line = line.replace(" --json", "");
        for target in ["stdout", "fd/1", "/dev/fd/1"] {
            let run = bench.run(&format!("{line} -o {target}")).exits(0);
            assert_eq!(run.stdout.into_bytes(), expected, "{line} {target}");
        }
        for target in ["stderr", "fd/2", "/dev/fd/2"] {
            let run = bench.run(&format!("{line} -o {target}")).exits(0);
            assert_eq!(run.stderr.into_bytes(), expected, "{line} {target}");
        }
        for (target, redirection) in [("stdout", ">>"), ("fd/2", "2>>"), ("/dev/fd/7", "7>>")] {
            bench.write("file", "before\n");
            let shell = format!("$AXILOG {line} -o {target} {redirection} file");
            let output = run_in_shell(&bench, &shell);
            assert!(output.status.success(), "{shell}: {output:?}");
            let whole = [b"before\n", &expected[..]].concat();
            assert!(bench.read("file").starts_with(&whole), "{shell}");
        }
        let shell = format!("$AXILOG {line} -o /dev/fd/7 7>&1 >/dev/null | cat");
        assert_eq!(run_in_shell(&bench, &shell).stdout, expected, "{shell}");
    }
    for link in ["stdout", "stderr"] {
        let kind = fs::symlink_metadata(bench.path(link)).unwrap().file_type();
        assert!(kind.is_symlink(), "{link}");
    }
}

#[test]
fn a_named_pipe_is_written_into_and_stays() {
    let bench = bench();
    make_pipe(&bench.path("pipe"));
    symlink("pipe", bench.path("link")).unwrap();
    for line in WRITERS {
        let expected = printed(&bench, line);
        let line = line.replace(" --json", "");
        for target in ["pipe", "link"] {
            // Into a file: nobody reads a second pipe while the command writes, and a full one would stop both.
            let mut reader = Command::new("cat")
                .arg(bench.path("pipe"))
                .stdout(fs::File::create(bench.path("read")).unwrap())
                .spawn()
                .unwrap();
            bench.run(&format!("{line} -o {target}")).exits(0);
            assert!(reader.wait().unwrap().success());
            assert_eq!(bench.read("read"), expected, "{line}");
        }
    }
    let kind = fs::symlink_metadata(bench.path("pipe"))
        .unwrap()
        .file_type();
    assert!(kind.is_fifo());
}

#[test]
fn devices_sockets_and_directories_are_refused() {
    let bench = bench();
    symlink("/dev/null", bench.path("null")).unwrap();
    symlink("/dev/full", bench.path("full")).unwrap();
    fs::create_dir(bench.path("folder")).unwrap();
    let _socket = UnixListener::bind(bench.path("socket")).unwrap();
    for line in WRITERS {
        for (target, found) in [
            ("null", "a device"),
            ("full", "a device"),
            ("folder", "a directory"),
            ("socket", "a socket"),
            ("/dev/stdin", "standard input"),
        ] {
            let before = fs::symlink_metadata(bench.path(target))
                .unwrap()
                .file_type();
            bench
                .run(&format!("{line} -o {target}"))
                .exits(3)
                .says(&format!("axilog: {target}: is {found}"))
                .says("expected a regular file")
                .says("name ");
            let after = fs::symlink_metadata(bench.path(target))
                .unwrap()
                .file_type();
            assert_eq!(after, before, "{line} {target}");
        }
        assert_eq!(bench.temporaries(), Vec::<String>::new());
    }
}

/// Runs `line` with each of `targets`; demands that it is refused as wrong usage and that nothing changes.
fn refuses(bench: &Bench, line: &str, targets: &[&str], found: &str) {
    for target in targets {
        let before = fs::read(bench.path(target)).ok();
        bench
            .run(&format!("{line} -o {target}"))
            .exits(2)
            .says(&format!("axilog: {target}: {found}"))
            .says("expected ")
            .says("name another file");
        assert_eq!(fs::read(bench.path(target)).ok(), before, "{line} {target}");
    }
    assert_eq!(bench.temporaries(), Vec::<String>::new());
}

#[test]
fn no_ledger_is_replaced() {
    let bench = bench();
    let ledger = bench.read("ledger.jsonl");
    bench.write("torn.jsonl", &ledger[..ledger.len() - 5]);
    let first = String::from_utf8(ledger)
        .unwrap()
        .replacen("\"seq\":0", "\"seq\":9", 1);
    bench.write("damaged.jsonl", first);
    symlink("other.jsonl", bench.path("link.jsonl")).unwrap();
    let targets = [
        "ledger.jsonl",
        "./ledger.jsonl",
        "other.jsonl",
        "link.jsonl",
        "torn.jsonl",
        "damaged.jsonl",
    ];
    for line in WRITERS {
        refuses(&bench, line, &targets, "is a ledger");
    }
    let output = run_in_shell(
        &bench,
        "$AXILOG policy fmt p.json -o /dev/fd/7 7>> other.jsonl",
    );
    assert_eq!(output.status.code(), Some(2));
    bench.run("verify other.jsonl").exits(0);
}

#[test]
fn nothing_is_written_among_the_blobs_of_a_ledger() {
    let bench = bench();
    let folders = fs::read_dir(bench.path("ledger.jsonl.blobs")).unwrap();
    let folder = folders.map(|entry| entry.unwrap().path()).next().unwrap();
    let blob = fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let blob = blob.strip_prefix(bench.path("")).unwrap().to_owned();
    symlink(&blob, bench.path("link")).unwrap();
    symlink("ledger.jsonl.blobs", bench.path("blobs")).unwrap();
    let targets = [
        blob.to_str().unwrap(),
        "link",
        "ledger.jsonl.blobs/new",
        "blobs/new",
        "ledger.jsonl.blobs/../ledger.jsonl.blobs/new",
    ];
    for line in WRITERS {
        refuses(&bench, line, &targets, "is among the blobs of a ledger");
    }
    bench.run("verify ledger.jsonl --blobs").exits(0);
}

#[test]
fn no_input_of_the_same_call_is_replaced() {
    let bench = bench();
    symlink("p.json", bench.path("link")).unwrap();
    for line in [
        "export ledger.jsonl --format csv --policies p.json",
        "report ledger.jsonl --policies p.json",
        "policy fmt p.json",
        "policy compile p.json",
    ] {
        let targets = ["p.json", "./p.json", "link"];
        refuses(&bench, line, &targets, "is a file that this call reads");
    }
    for input in ["-", "/dev/stdin"] {
        let shell = format!("$AXILOG policy fmt {input} -o p.json < p.json");
        assert_eq!(
            run_in_shell(&bench, &shell).status.code(),
            Some(2),
            "{shell}"
        );
    }
    assert_eq!(bench.read("p.json"), POLICIES.as_bytes());
}

#[test]
fn what_is_formatted_in_place_is_a_file() {
    let bench = bench();
    make_pipe(&bench.path("pipe"));
    for input in ["-", "/dev/stdin", "pipe", "."] {
        let line = format!("policy fmt {input} --write");
        let run = bench.run_with(&line, POLICIES.as_bytes()).exits(3);
        run.says("expected a regular file").says("name ");
        assert!(!bench.exists("-"));
    }
    bench.write("p.json", POLICIES.replace(':', " : "));
    bench.run("policy fmt p.json --write").exits(0);
    assert_eq!(bench.read("p.json"), POLICIES.as_bytes());
}

#[test]
fn a_link_to_an_ordinary_file_or_to_nothing_is_replaced_and_not_followed() {
    let bench = bench();
    for line in WRITERS {
        let expected = printed(&bench, line);
        let line = line.replace(" --json", "");
        for target in ["victim", "nothing"] {
            bench.write("victim", "as it was");
            let _ = fs::remove_file(bench.path("out"));
            symlink(target, bench.path("out")).unwrap();
            bench.run(&format!("{line} -o out")).exits(0);
            assert!(fs::symlink_metadata(bench.path("out")).unwrap().is_file());
            assert_eq!(bench.read("out"), expected, "{line}");
            assert_eq!(bench.read("victim"), b"as it was");
            assert!(!bench.exists("nothing"));
        }
    }
}
