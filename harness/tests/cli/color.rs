//! `--color`: verdicts and breaches in colour, where standard output takes it.

use super::bench::Bench;

const GREEN: &str = "\u{1b}[1m\u{1b}[32m";
const RED: &str = "\u{1b}[1m\u{1b}[31m";

fn without_colors(text: &str) -> String {
    ["\u{1b}[0m", GREEN, RED]
        .iter()
        .fold(text.to_owned(), |text, sequence| text.replace(sequence, ""))
}

#[test]
fn a_verdict_and_a_breach_are_coloured_where_that_is_asked_for() {
    let bench = Bench::ledger();
    let observe = "observe --ledger ledger.jsonl --oracle-id o --model-id m";
    let hostile = br#"{"value":71,"say":"\u001b[2J OK"}"#;
    bench.run_with(observe, hostile).exits(1);
    bench.run("seal ledger.jsonl").exits(0);
    for (line, code, colored) in [
        ("verify ledger.jsonl", 0, format!("{GREEN}OK\u{1b}[0m ")),
        ("audit ledger.jsonl", 0, format!("{GREEN}OK\u{1b}[0m ")),
        ("verify ledger.jsonl --expect-entries 2", 1, RED.to_owned()),
        ("show ledger.jsonl", 0, RED.to_owned()),
        ("tail ledger.jsonl", 0, RED.to_owned()),
    ] {
        let plain = bench.run(line).exits(code).stdout;
        assert!(!plain.contains('\u{1b}'), "{plain}");
        let never = bench.run(&format!("--color never {line}")).exits(code);
        assert_eq!(never.stdout, plain);
        let always = bench.run(&format!("{line} --color always")).exits(code);
        assert!(
            always.stdout.contains(&colored),
            "{line}: {}",
            always.stdout
        );
        assert_eq!(without_colors(&always.stdout), plain, "{line}");
        // Objects for programs have none.
        let json = bench.run(&format!("{line} --json --color always"));
        assert!(!json.stdout.contains('\u{1b}'), "{}", json.stdout);
    }
    let shown = bench
        .run("show ledger.jsonl --color always")
        .exits(0)
        .stdout;
    let red: Vec<&str> = shown.lines().filter(|line| line.starts_with(RED)).collect();
    assert!(
        red.len() >= 2 && red.iter().all(|line| line.ends_with("\u{1b}[0m")),
        "{shown}"
    );
    bench.run("--color sometimes verify ledger.jsonl").exits(2);
}

#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn a_terminal_gets_colours_unless_its_owner_wants_none() {
    use std::fs::File;
    use std::io::Read;
    use std::process::Stdio;

    use nix::pty::openpty;

    let bench = Bench::ledger();
    let run = |variables: &[(&str, &str)]| {
        let terminal = openpty(None, None).unwrap();
        let mut screen = File::from(terminal.master);
        let mut command = bench.command();
        for variable in ["CI", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR"] {
            command.env_remove(variable);
        }
        let mut child = command
            .args(["verify", "ledger.jsonl"])
            .env("TERM", "xterm-256color")
            .envs(variables.iter().copied())
            .stdout(Stdio::from(terminal.slave))
            .spawn()
            .unwrap();
        assert!(child.wait().unwrap().success());
        let mut shown = [0; 100];
        let length = screen.read(&mut shown).unwrap();
        String::from_utf8_lossy(&shown[..length]).into_owned()
    };
    assert!(run(&[]).starts_with(&format!("{GREEN}OK")));
    assert!(run(&[("NO_COLOR", "1")]).starts_with("OK "));
    assert!(run(&[("TERM", "dumb")]).starts_with("OK "));
}
