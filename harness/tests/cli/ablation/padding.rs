//! The option --pad.

use crate::bench::{Bench, Run};

/// Runs the words of `line`, with the option.
fn run_with_padding(bench: &Bench, line: &str, pad: &str) -> Run {
    let mut command = bench.command();
    let command = command.args(line.split(' ')).args(["--pad", pad]);
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn padding_that_may_mean_something_is_refused_before_anybody_is_asked() {
    let bench = Bench::new();
    let commands = [
        "ablation preflight",
        "ablation calibrate --oracle agent:precedent --out N.json",
    ];
    for command in commands {
        for (pad, expected) in [
            (" treaty", "it has 6 characters besides spaces"),
            (" 条", "no capital and small form"),
            (" a", "is a word by itself"),
            (" 7", "is a number"),
            (" {", "is none of the marks that say nothing: . _ *"),
        ] {
            let run = run_with_padding(&bench, command, pad).exits(2);
            run.says("may mean something to a model").says(expected);
        }
    }
    assert!(!bench.exists("N.json") && !bench.exists("N.json.ledger.jsonl"));
    for pad in [" X", " _", " ."] {
        run_with_padding(&bench, "ablation preflight", pad).exits(0);
    }
}
