//! The cost of a run: printed, and agreed to before the first call.

use super::agent_server::AgentServer;
use super::stopping::calibrate;

fn run_line(server: &AgentServer, options: &str) -> String {
    format!(
        "ablation run --model gpt-4o --calibration N.json --seeds 1,2 --variant b --episodes 1 --out r --base-url {} {options}",
        server.base_url
    )
}

const COST: &str = "axilog: the cost is at most 100 calls, ";

/// Where standard input is no terminal nobody can agree but by the option.
#[test]
fn nothing_is_asked_where_nobody_can_agree() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    bench
        .run_with(&run_line(&server, ""), b"yes\n")
        .exits(2)
        .says(COST)
        .says("nobody can agree to the cost where standard input is no terminal; --yes agrees in advance");
    assert_eq!(server.request_count(), 0);
    assert!(!bench.exists("r"));
    let run = bench
        .run_with(&run_line(&server, "--yes --parallel 2"), b"no\n")
        .exits(0);
    let run = run
        .says(COST)
        .says("102400 tokens of answers")
        .says(", 2 seeds side by side;");
    assert_eq!(server.request_count(), 100);
    // What is said in advance is what was measured afterwards.
    let document: serde_json::Value = serde_json::from_slice(&bench.read("r/b/run.json")).unwrap();
    let each = document["result"]["prompt_tokens_max"].as_u64().unwrap();
    run.says(&format!("{} prompt tokens ({each} a call)", each * 100));
    // An agent costs nothing.
    let agent = "ablation run --oracle agent:random --calibration N.json --seeds 1 --episodes 1 --variant b --out s";
    assert!(!bench.run(agent).exits(0).stderr.contains("the cost is"));
    // Too few seeds are refused before anything is asked.
    let few = run_line(&server, "--yes")
        .replace("--variant b --episodes 1 --out r", "--episodes 1 --out t");
    bench.run(&few).exits(2).says("under fewer than 7;");
    assert_eq!(server.request_count(), 0);
    assert!(!bench.exists("t"));
}

/// On a terminal the question is put, and nothing but yes goes on.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn the_cost_is_asked_for_on_a_terminal() {
    use std::fs::File;
    use std::io::Write;
    use std::process::Stdio;

    use nix::pty::openpty;

    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    for (typed, code, calls) in [
        ("n\n", 3, 0),
        ("\n", 3, 0),
        ("\u{4}", 3, 0),
        ("y\n", 0, 100),
    ] {
        let terminal = openpty(None, None).unwrap();
        let mut keyboard = File::from(terminal.master);
        let child = bench
            .command()
            .args(run_line(&server, "").split_whitespace())
            .stdin(Stdio::from(terminal.slave))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        keyboard.write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{typed:?}: {said}");
        assert!(said.contains(COST), "{said}");
        assert!(
            said.contains("axilog: go on? (yes or no; --yes does not ask) "),
            "{said}"
        );
        assert_eq!(
            said.contains("nothing was asked: the answer"),
            code == 3,
            "{said}"
        );
        assert_eq!(server.request_count(), calls, "{typed:?}");
        assert_eq!(bench.exists("r"), code == 0, "{typed:?}");
    }
}
