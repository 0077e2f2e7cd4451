//! Seeds that run side by side: the documents are those of one seed after the other.

use axilog::hash::sha256;
use axilog_testkit::harness::server::Act;
use serde_json::Value;

use super::agent_server::{AgentAnswer, AgentServer};
use super::sealing::{ARMS, list_steps};
use super::stopping::calibrate;
use crate::bench::Bench;

/// All questions of an experiment of three arms, under four seeds, in an episode of 50 steps.
const QUESTIONS: usize = 600;

fn run_line(server: &AgentServer, options: &str) -> String {
    format!(
        "ablation run --model gpt-4o --calibration N.json --seeds 1,2,3,4 --pilot --episodes 1 --yes --base-url {} {options}",
        server.base_url
    )
}

/// Answers as the agent does, now and then without the answer's end.
fn answer_partly(mut answer: AgentAnswer) -> Act {
    let [first, ..] = sha256(answer.text.as_bytes());
    if first < 30 {
        answer.text.truncate(answer.text.len() / 2);
    }
    answer.respond()
}

/// Documents that hold no time, nonce or head.
fn list_documents(bench: &Bench, out: &str) -> Vec<Vec<u8>> {
    let of_arms = ARMS.iter().flat_map(|arm| {
        let files = ["header.json", "run.json", "calibration.json"];
        files.map(|file| format!("{out}/{arm}/{file}"))
    });
    let mut paths: Vec<String> = of_arms.collect();
    paths.extend(
        [
            "actions.svg",
            "actions.csv",
            "effects.svg",
            "effects.csv",
            "trajectories.csv",
        ]
        .map(|file| format!("{out}/{file}")),
    );
    paths.iter().map(|path| bench.read(path)).collect()
}

#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
fn documents_of_seeds_side_by_side_are_those_of_one_after_the_other() {
    let bench = calibrate();
    let server = AgentServer::start(answer_partly);
    for (parallel, out) in [(1, "one"), (4, "four"), (64, "many")] {
        let options = format!("--parallel {parallel} --out {out}");
        bench.run(&run_line(&server, &options)).exits(0);
        assert_eq!(server.request_count(), QUESTIONS, "{out}");
        bench.run(&format!("ablation replay {out}")).exits(0);
        bench.run(&format!("ablation compare {out}")).exits(0);
        assert!(list_documents(&bench, out) == list_documents(&bench, "one"));
        for arm in ARMS {
            assert!(!bench.exists(&format!("{out}/{arm}/ahead")));
        }
    }
    // An agent that ships runs side by side, too.
    let line = run_line(&server, "--oracle agent:random")
        .replace(&format!("--base-url {}", server.base_url), "");
    for (parallel, out) in [(1, "a"), (3, "b")] {
        let options = format!("{line} --parallel {parallel} --out {out}");
        bench.run(&options).exits(0);
    }
    assert!(list_documents(&bench, "a") == list_documents(&bench, "b"));
}

/// Ctrl-C ends every seed at its next question. What was asked ahead is not asked again.
#[test]
#[ignore = "makes whole experiments: .ci/daily wide"]
#[cfg(unix)]
fn seeds_side_by_side_stop_together_and_go_on() {
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let bench = calibrate();
    let asked = Arc::new(AtomicUsize::new(0));
    // A server that a killed client leaves is of no further use.
    let start = || {
        let counted = Arc::clone(&asked);
        AgentServer::start(move |answer| {
            counted.fetch_add(1, Ordering::SeqCst);
            answer_partly(answer)
        })
    };
    let server = start();
    bench.run(&run_line(&server, "--out whole")).exits(0);
    // The places of records are others where a run went on.
    let list_seeds = |out: &str| -> Vec<Value> {
        let documents = list_steps(&bench, out).into_iter();
        documents
            .map(|document| document["seeds"].clone())
            .collect()
    };
    let expected = list_seeds("whole");
    for (signal, out) in [("-INT", "stopped"), ("-KILL", "killed")] {
        asked.store(0, Ordering::SeqCst);
        let server = start();
        let line = run_line(&server, &format!("--parallel 4 --out {out}"));
        let child = bench
            .command()
            .args(line.split_whitespace())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while asked.load(Ordering::SeqCst) < 200 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let (code, in_flight) = match signal {
            "-INT" => (Some(3), 0),
            // Each seed may have a question whose answer was not kept yet.
            _ => (None, 4),
        };
        assert_eq!(output.status.code(), code, "{said}");
        assert!(
            asked.load(Ordering::SeqCst) < QUESTIONS,
            "it was over before the signal came"
        );
        // It goes on with fewer seeds at once.
        let server = start();
        let parallel = if signal == "-INT" { 2 } else { 1 };
        let line = run_line(
            &server,
            &format!("--parallel {parallel} --out {out} --resume"),
        );
        bench.run(&line).exits(0);
        let asked = asked.load(Ordering::SeqCst);
        assert!(
            (QUESTIONS..=QUESTIONS + in_flight).contains(&asked),
            "{signal}: {asked}"
        );
        assert!(list_seeds(out) == expected, "{signal}");
        bench.run(&format!("ablation replay {out}")).exits(0);
        bench.run(&format!("ablation compare {out}")).exits(0);
    }
}

/// A question that the server refuses stops the experiment where it stops one seed after the other.
#[test]
fn a_failure_under_one_seed_stops_the_experiment_at_its_place() {
    let bench = calibrate();
    let server = AgentServer::start(|answer| answer.respond());
    let line = |out: &str| format!("--variant baseline --out {out}");
    bench.run(&run_line(&server, &line("whole"))).exits(0);
    let prompts: Vec<Value> = server.take_bodies();
    // A question under the third seed that was not put before.
    let mut later = (110..150).filter(|place| !prompts[..*place].contains(&prompts[*place]));
    let refused = prompts[later.next().unwrap()].clone();
    let failing = AgentServer::start(move |answer| match answer.request == refused {
        true => Act::Respond(403, String::new()),
        false => answer.respond(),
    });
    let mut asked = 0;
    for (parallel, out) in [(1, "one"), (4, "four")] {
        let options = format!("--parallel {parallel} {}", line(out));
        bench
            .run(&run_line(&failing, &options))
            .exits(3)
            .says("(status 403) before the run was whole");
        // The refused question is put again.
        asked = failing.request_count() - 1;
    }
    let read = |out: &str| bench.read(&format!("{out}/baseline/run.json"));
    assert_eq!(read("one"), read("four"));
    let options = format!("--parallel 4 {} --resume", line("four"));
    bench.run(&run_line(&server, &options)).exits(0);
    assert_eq!(asked + server.request_count(), 200);
    let options = format!("{} --resume", line("one"));
    bench.run(&run_line(&server, &options)).exits(0);
    assert_eq!(read("one"), read("four"));
}

#[test]
fn what_cannot_run_side_by_side_is_refused() {
    let bench = calibrate();
    bench.write("s.jsonl", "{\"answer\":\"no\"}\n");
    let line = "ablation run --calibration N.json --model gpt-4o --seeds 1,2 --pilot --out r";
    bench
        .run(&format!("{line} --oracle scripted:s.jsonl --parallel 2"))
        .exits(2)
        .says("--parallel: the oracle scripted:s.jsonl gives its answers in their order");
    for parallel in ["0", "65", "all"] {
        bench
            .run(&format!(
                "{line} --oracle agent:random --parallel {parallel}"
            ))
            .exits(2)
            .says("expected a number of seeds from 1 to 64");
    }
    assert!(!bench.exists("r"));
}
