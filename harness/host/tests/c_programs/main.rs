//! Programs in C, C++ and Python on `libaxilog_host`: the ledgers that they write verify, replay and pass an audit.

mod build;
mod bundle;
mod exports;
mod faults;
mod ledger;
mod proof;
mod python;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use axilog_ledger::durability::Durability;
use axilog_ledger::session::Session;

use build::{Linkage, Place, Program, linkages};
use ledger::{Contents, check_ledger, describe_records};

/// Builds a program of this directory.
fn build(place: &Place, name: &str, linkage: Linkage) -> Program {
    let ending = if name == "host" { "cpp" } else { "c" };
    let source = Path::new("tests/c_programs").join(format!("{name}.{ending}"));
    place.build(&source, linkage)
}

#[test]
fn one_thread_writes_every_kind_of_record() {
    for linkage in linkages() {
        let place = Place::new();
        let path = place.path("ledger.jsonl");
        let printed = build(&place, "write", linkage).run(&[path.to_str().unwrap()]);
        let Contents {
            entries,
            head,
            sealed,
            observations,
        } = check_ledger(&path);
        assert_eq!(printed, format!("{entries} {head}"), "{linkage:?}");
        assert!(sealed);
        let of = |oracle: &str| {
            observations
                .iter()
                .filter(|o| o.oracle_id == oracle)
                .count()
        };
        assert_eq!((of("llm"), of("sensor")), (4, 2));
    }
}

#[test]
fn a_program_checks_ledgers_and_what_it_knows_of_them() {
    for linkage in linkages() {
        let place = Place::new();
        let [path, other] = ["ledger.jsonl", "other.jsonl"].map(|name| place.path(name));
        let path = path.to_str().unwrap();
        let printed = build(&place, "write", linkage).run(&[path]);
        let (entries, head) = printed.split_once(' ').unwrap();
        let without_seal = (entries.parse::<u64>().unwrap() - 1).to_string();
        let extends = format!("{entries}:{head}");
        let arguments = [path, &without_seal, head, &extends, other.to_str().unwrap()];
        build(&place, "check", linkage).run(&arguments);
    }
}

#[test]
fn a_program_checks_a_ledger_in_segments() {
    for linkage in linkages() {
        let place = Place::new();
        let paths = ["ledger.jsonl", "changed.jsonl", "other.jsonl"].map(|name| place.path(name));
        let [path, changed, other] = paths.each_ref().map(|path| path.to_str().unwrap());
        build(&place, "write", linkage).run(&[path]);
        Session::open_or_create(Path::new(other), None, 1).unwrap();
        build(&place, "segment", linkage).run(&[path, changed, other]);
    }
}

#[test]
fn a_program_reads_what_verification_accepts() {
    for linkage in linkages() {
        let place = Place::new();
        let [path, other] = ["ledger.jsonl", "other.jsonl"].map(|name| place.path(name));
        let paths = [path.to_str().unwrap(), other.to_str().unwrap()];
        build(&place, "write", linkage).run(&paths[..1]);
        let printed = build(&place, "read", linkage).run(&paths);
        assert_eq!(printed, describe_records(&path), "{linkage:?}");
    }
}

#[test]
fn cpp_writes_the_ledger_that_c_writes_and_reads_it() {
    for linkage in linkages() {
        let place = Place::new();
        let [path, other] = ["ledger.jsonl", "other.jsonl"].map(|name| place.path(name));
        let by_c = build(&place, "write", linkage).run(&[path.to_str().unwrap()]);
        let by_cpp = build(&place, "host", linkage).run(&[other.to_str().unwrap()]);
        assert_eq!(by_c, by_cpp);
        assert_eq!(fs::read(&path).unwrap(), fs::read(&other).unwrap());
        check_ledger(&other);
    }
}

#[test]
fn threads_write_one_ledger_and_each_gets_the_decisions_on_its_own_answers() {
    for (linkage, durability, answers, threads) in [
        (Linkage::Static, "0", "3", "64"),
        (Linkage::Shared, "2", "25", "8"),
    ] {
        let place = Place::new();
        let path = place.path("ledger.jsonl");
        let arguments = [path.to_str().unwrap(), answers, durability, threads];
        let printed = build(&place, "threads", linkage).run(&arguments);
        let acknowledged: BTreeSet<u64> = printed.lines().map(|l| l.parse().unwrap()).collect();
        let all = answers.parse::<usize>().unwrap() * threads.parse::<usize>().unwrap();
        assert_eq!(acknowledged.len(), all);
        let observations = check_ledger(&path).observations;
        let mut found = BTreeSet::new();
        for observation in &observations {
            if acknowledged.contains(&observation.ledger_seq) {
                let of_its_thread = format!("\"thread\":\"{}\"", observation.oracle_id);
                assert!(observation.output.contains(&of_its_thread));
                found.insert((&observation.oracle_id, &observation.output));
            }
        }
        assert_eq!(found.len(), all, "{linkage:?}");
    }
}

#[test]
fn what_was_acknowledged_before_a_kill_is_in_the_ledger() {
    // A kill loses nothing that is written, so the third durability keeps the promise too.
    for (durability, threads) in [("0", "64"), ("1", "8"), ("2", "8")] {
        let place = Place::new();
        let path = place.path("ledger.jsonl");
        let program = build(&place, "threads", Linkage::Shared);
        let mut command = program.command();
        command.args([path.to_str().unwrap(), "0", durability, threads]);
        let mut writer = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut acknowledged = BTreeSet::new();
        for _ in 0..100 {
            acknowledged.insert(lines.next().unwrap().unwrap().parse::<u64>().unwrap());
        }
        writer.kill().unwrap();
        // What it had printed in the meantime is acknowledged too; a line may be cut off.
        for line in lines.map_while(Result::ok) {
            acknowledged.extend(line.parse::<u64>());
        }
        writer.wait().unwrap();

        // The next opening completes the step that was interrupted.
        let mut session = Session::open(&path, None).unwrap();
        session.set_durability(Durability::Step).unwrap();
        drop(session);
        let observations = check_ledger(&path).observations;
        let recorded: BTreeSet<u64> = observations.iter().map(|o| o.ledger_seq).collect();
        let lost: Vec<_> = acknowledged.difference(&recorded).collect();
        assert!(acknowledged.len() >= 100 && lost.is_empty(), "{lost:?}");
    }
}

#[test]
fn a_program_is_refused_what_a_sum_over_its_answers_forbids() {
    for linkage in linkages() {
        let place = Place::new();
        let path = place.path("spend.jsonl");
        build(&place, "spend", linkage).run(&[path.to_str().unwrap()]);
        check_ledger(&path);
    }
}

#[test]
fn a_program_derives_questions_from_answers_and_follows_a_sealed_ledger() {
    for linkage in linkages() {
        let place = Place::new();
        let [old, new] = ["old.jsonl", "new.jsonl"].map(|name| place.path(name));
        let paths = [old.to_str().unwrap(), new.to_str().unwrap()];
        build(&place, "derive", linkage).run(&paths);
        check_ledger(&old);
        check_ledger(&new);
    }
}

#[test]
fn a_program_records_exchanges_with_a_provider() {
    for linkage in linkages() {
        let place = Place::new();
        let [path, other] = ["ledger.jsonl", "other.jsonl"].map(|name| place.path(name));
        let paths = [path.to_str().unwrap(), other.to_str().unwrap()];
        build(&place, "exchange", linkage).run(&paths);
        let observations = check_ledger(&path).observations;
        let exchanges = observations
            .iter()
            .filter(|o| o.oracle_id.starts_with("llm"));
        let oracles: Vec<&str> = exchanges.map(|o| o.oracle_id.as_str()).collect();
        let (facts, answer) = ("llm.provider", "llm");
        let expected = [
            facts, answer, facts, answer, facts, facts, facts, facts, answer, facts, answer, facts,
            answer,
        ];
        assert_eq!(oracles, expected, "{linkage:?}");
    }
}

#[test]
fn misuse_is_an_error_and_harms_nothing() {
    for linkage in linkages() {
        let place = Place::new();
        let path = place.path("ledger.jsonl");
        build(&place, "misuse", linkage).run(&[path.to_str().unwrap()]);
        assert_eq!(check_ledger(&path).entries, 11);
        check_ledger(&place.path("ledger.jsonl.child"));
    }
}

/// The program of the README and of the crate's first page, and that of docs/host.md.
#[test]
fn the_first_programs_act_once() {
    let [program, cpp] =
        ["c", "cpp"].map(|ending| fs::read_to_string(format!("examples/first.{ending}")).unwrap());
    let readme = fs::read_to_string("../../README.md").unwrap();
    assert!(readme.contains(&format!("```c\n{program}```\n")));
    let page = fs::read_to_string("../../docs/host.md").unwrap();
    assert!(page.contains(&format!("```cpp\n{cpp}```\n")));
    for function in exports::declared() {
        assert!(page.contains(&format!("`{function}`")), "{function}");
    }
    for linkage in linkages() {
        for source in ["examples/first.c", "examples/first.cpp"] {
            let place = Place::new();
            let program = place.build(Path::new(source), linkage);
            assert_eq!(program.run(&[]), "go\nALARM\n");
            assert_eq!(check_ledger(&place.path("ledger.jsonl")).entries, 11);
        }
    }
}
