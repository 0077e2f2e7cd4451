//! An example of each command, for its manual page.

/// A command by the words after `axilog`, what the example does, and the example as it is typed.
pub struct Example {
    pub command: &'static str,
    pub purpose: &'static str,
    pub line: &'static str,
}

const fn example(command: &'static str, purpose: &'static str, line: &'static str) -> Example {
    Example {
        command,
        purpose,
        line,
    }
}

/// The examples in the order of the commands.
pub const EXAMPLES: &[Example] = &[
    example(
        "demo",
        "Run a scripted model under two policies, and keep its ledger:",
        "axilog demo",
    ),
    example(
        "init",
        "Begin a ledger under a file of policies, and name it:",
        "axilog init run.jsonl --policies limits.toml --name example.com/plant",
    ),
    example(
        "observe",
        "Record an answer, and act on it only where it is permitted:",
        "if axilog observe --ledger run.jsonl --oracle-id planner --model-id m-1 <answer.json; then ./act; fi",
    ),
    example(
        "time",
        "Record the time, in seconds since 1970:",
        "axilog time --ledger run.jsonl",
    ),
    example(
        "control",
        "After somebody has handled an alarm, reset the agent:",
        "axilog control reset --ledger run.jsonl",
    ),
    example(
        "seal",
        "End a ledger, after which nothing can be added:",
        "axilog seal run.jsonl",
    ),
    example(
        "tidy",
        "Complete a step that was interrupted:",
        "axilog tidy run.jsonl",
    ),
    example(
        "verify",
        "Check a ledger against a head that was noted earlier:",
        "axilog verify run.jsonl --extends 120:5f3c5c3a7d0f1b2e4a6978695a4b3c2d1e0f5f3c5c3a7d0f1b2e4a6978695a4b",
    ),
    example(
        "replay",
        "Make every decision again, and compare:",
        "axilog replay run.jsonl",
    ),
    example(
        "audit",
        "Make every check, of all ledgers of a folder:",
        "axilog audit ledgers",
    ),
    example(
        "head",
        "Note the head, to compare the ledger with later:",
        "axilog head run.jsonl --json",
    ),
    example(
        "show",
        "See the breaches of one oracle, with what it was asked:",
        "axilog show run.jsonl --oracle planner --breaches --question",
    ),
    example(
        "tail",
        "Follow a ledger while it is written:",
        "axilog tail run.jsonl --last 20",
    ),
    example(
        "diff",
        "Find the first record in which two copies differ:",
        "axilog diff run.jsonl copy.jsonl",
    ),
    example(
        "stats",
        "Count answers, breaches and violations:",
        "axilog stats run.jsonl",
    ),
    example(
        "lint",
        "Check that JSON lines are canonical:",
        "axilog lint events.jsonl",
    ),
    example(
        "export",
        "Write a row for each answer, for a spreadsheet:",
        "axilog export run.jsonl --format csv -o run.csv",
    ),
    example(
        "report",
        "Write a page that verifies itself in a browser:",
        "axilog report run.jsonl -o run.html",
    ),
    example(
        "policy check",
        "Check a file of policies, and see what it permits:",
        "axilog policy check limits.toml",
    ),
    example(
        "policy fmt",
        "Write a file of policies in its canonical form:",
        "axilog policy fmt limits.toml",
    ),
    example(
        "policy explain",
        "See what the policies would decide on an answer:",
        "axilog policy explain limits.toml --answer answer.json",
    ),
    example(
        "policy compile",
        "Make the table that firmware links:",
        "axilog policy compile limits.toml --emit c -o policies.c",
    ),
    example(
        "completions",
        "Complete commands with the tab key, in bash:",
        "axilog completions bash >~/.local/share/bash-completion/completions/axilog",
    ),
    example(
        "mcp",
        "Contain the tools of an MCP server:",
        "axilog mcp --ledger tools.jsonl -- ./server",
    ),
    example(
        "gateway serve",
        "Serve programs that ask a model over HTTP:",
        "axilog gateway serve gateway.toml",
    ),
    example(
        "gateway replay",
        "Give recorded answers again, without the provider:",
        "axilog gateway replay run.jsonl",
    ),
    example(
        "gateway check",
        "Check a configuration:",
        "axilog gateway check gateway.toml",
    ),
    example(
        "gateway example",
        "Begin with a configuration that has comments:",
        "axilog gateway example >gateway.toml",
    ),
    example(
        "key new",
        "Make the key that signs the heads of one ledger:",
        "axilog key new plant.key --name example.com/plant >plant.pub",
    ),
    example(
        "key show",
        "Print the public key again:",
        "axilog key show plant.key",
    ),
    example(
        "checkpoint",
        "Sign the head of a ledger:",
        "axilog checkpoint run.jsonl --key plant.key",
    ),
    example(
        "prove",
        "Prove that the ledger has record 5:",
        "axilog prove run.jsonl --seq 5 -o five.tlog-proof",
    ),
    example(
        "check",
        "Check a proof with a public key alone:",
        "axilog check five.tlog-proof --public-key example.com/plant+0d1b2c3d+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k",
    ),
    example(
        "witness init",
        "Begin as a witness:",
        "axilog witness init witness.state --key witness.key",
    ),
    example(
        "witness serve",
        "Sign heads of the ledgers whose public keys are in a file:",
        "axilog witness serve witness.state --key witness.key --logs logs.pub",
    ),
    example(
        "witness submit",
        "Have the witnesses of a policy sign a checkpoint:",
        "axilog witness submit run.jsonl.checkpoint --ledger run.jsonl --policy witnesses.policy",
    ),
    example(
        "ablation preflight",
        "Test the padding before anything is asked:",
        "axilog ablation preflight --model gpt-4o-2024-08-06",
    ),
    example(
        "ablation calibrate",
        "Freeze the lengths of records and situations:",
        "axilog ablation calibrate --model gpt-4o-2024-08-06 --out N.json",
    ),
    example(
        "ablation run",
        "Run all arms of the experiment, eight seeds at a time:",
        "axilog ablation run --calibration N.json --parallel 8 --out runs",
    ),
    example(
        "ablation replay",
        "Make the runs again without a model, and compare:",
        "axilog ablation replay runs",
    ),
    example(
        "ablation compare",
        "Compare the arms with the baseline:",
        "axilog ablation compare runs",
    ),
    example(
        "ablation environment check",
        "Check an environment of your own:",
        "axilog ablation environment check ward.toml",
    ),
    example(
        "ablation environment example",
        "Begin with an environment that ships:",
        "axilog ablation environment example night-ward >ward.toml",
    ),
    example(
        "bundle build",
        "Print the bundle of step 5:",
        "axilog bundle build --step 5 --results results.json",
    ),
    example(
        "bundle render",
        "Print the prompt of that bundle:",
        "axilog bundle render --step 5 --results results.json",
    ),
    example(
        "bundle check",
        "Check a catalogue of steps:",
        "axilog bundle check catalogue.json",
    ),
    example(
        "bundle match",
        "Say whether an answer fits a grammar:",
        "axilog bundle match agent_decision.gbnf answer.json",
    ),
    example(
        "bundle ask",
        "Ask a model, and record what it was asked and answered:",
        "axilog bundle ask --step 5 --results results.json --model m-1 --base-url http://127.0.0.1:8080/v1",
    ),
    example(
        "bundle schema",
        "Print the JSON Schema of a bundle:",
        "axilog bundle schema",
    ),
    example(
        "memory init",
        "Create a memory:",
        "axilog memory init game.db --world arden --campaign c1",
    ),
    example(
        "memory event",
        "Begin a scene:",
        "axilog memory event game.db EV-031 <scene.json",
    ),
    example(
        "memory fact",
        "Append the facts of a file:",
        "axilog memory fact game.db facts.jsonl",
    ),
    example(
        "memory retract",
        "Retract a fact that was never so:",
        "axilog memory retract game.db 4f2c0d7f7a0f5d1c6f0f1c7b6f5ae1d2c3b4a59687786950413223140516f7e8 --source ana --reason invented",
    ),
    example(
        "memory history",
        "See who told a fact, and who retracted it:",
        "axilog memory history game.db 4f2c0d7f7a0f5d1c6f0f1c7b6f5ae1d2c3b4a59687786950413223140516f7e8",
    ),
    example(
        "memory unlock",
        "See what is unlocked:",
        "axilog memory unlock game.db",
    ),
    example(
        "memory recall",
        "Ask for an exact string:",
        "axilog memory recall game.db 4f2c0d7f7a0f5d1c6f0f1c7b6f5ae1d2c3b4a59687786950413223140516f7e8 --requester ana",
    ),
    example(
        "memory notebook ask",
        "Ask whether a player may write something down:",
        "axilog memory notebook ask game.db request-1 4f2c0d7f7a0f5d1c6f0f1c7b6f5ae1d2c3b4a59687786950413223140516f7e8 --requester ana --player ana",
    ),
    example(
        "memory notebook answer",
        "Record that the player agrees:",
        "axilog memory notebook answer game.db request-1 grant --player ana",
    ),
    example(
        "memory notebook write",
        "Record what was written:",
        "axilog memory notebook write game.db request-1 4f2c0d7f7a0f5d1c6f0f1c7b6f5ae1d2c3b4a59687786950413223140516f7e8",
    ),
    example(
        "memory working-set",
        "Print what a model may read for one viewer:",
        "axilog memory working-set game.db --viewer ana",
    ),
    example(
        "memory pvib",
        "Print what a picture may show:",
        "axilog memory pvib game.db",
    ),
    example(
        "memory rebuild",
        "Derive every table from the log again:",
        "axilog memory rebuild game.db",
    ),
    example(
        "memory gate",
        "Run all checks of the memory:",
        "axilog memory gate game.db --all",
    ),
    example(
        "memory show",
        "See where the story stands:",
        "axilog memory show game.db",
    ),
    example(
        "memory shown",
        "See what the model read last:",
        "axilog memory shown game.db --last 1",
    ),
    example(
        "x0l plan",
        "Commit a plan before anything is asked:",
        "axilog x0l plan plan --model m-1 --base-url http://127.0.0.1:8080/v1 --context-window 32768",
    ),
    example(
        "x0l preflight",
        "Check everything that a session needs:",
        "axilog x0l preflight --model m-1 --context-window 32768",
    ),
    example(
        "x0l calibrate",
        "Ask one prompt three times, and compare the answers:",
        "axilog x0l calibrate --model m-1 --base-url http://127.0.0.1:8080/v1",
    ),
    example(
        "x0l run",
        "Run a session of five cycles:",
        "axilog x0l run --model m-1 --base-url http://127.0.0.1:8080/v1 --context-window 32768 --cycles 5 --out run",
    ),
    example(
        "x0l attempts",
        "List the attempts under a plan:",
        "axilog x0l attempts plan",
    ),
    example(
        "x0l examples",
        "Begin with the examples that ship:",
        "axilog x0l examples examples",
    ),
    example(
        "x0l canonicalize",
        "Find the JSON object in a model's text:",
        "axilog x0l canonicalize <answer.txt",
    ),
    example(
        "x0l replay",
        "Replay a run without the model:",
        "axilog x0l replay run",
    ),
    example(
        "x0l report",
        "Write the report of a run:",
        "axilog x0l report run",
    ),
    example(
        "x0l review",
        "List the cycles that wait for a person:",
        "axilog x0l review run",
    ),
    example("x0l show", "See cycle 7 of a run:", "axilog x0l show run 7"),
];
