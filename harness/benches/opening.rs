//! One answer recorded in a long ledger, as `axilog observe` does it: opened from its saved state, and by replaying every
//! record. And what saving the state costs a session.
//!
//!     TMPDIR=/dev/shm cargo bench -p axilog-harness-benches --bench opening
//!
//! The ledger has 10,000,000 records, 4.2 GB: answers of 14 bytes to one question, under the built-in policy. With
//! `--test` it has 30,000. Linux only: it asks the system for the largest memory of a process.

#[cfg(target_os = "linux")]
mod long_ledger;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    use std::time::{Duration, Instant};

    use axilog::admission::InputKind;
    use axilog::evidence::observation::Params;
    use axilog_ledger::input::CanonicalInput;
    use axilog_ledger::session::{Opening, OracleCall, OracleReply, Session};

    use super::long_ledger::{MODEL, ORACLE, write_ledger};

    /// Observations of a session per figure.
    const STEPS: u64 = 100_000;

    const ROUNDS: usize = 7;

    fn answer_of(count: u64) -> String {
        format!("{{\"value\":{}.5}}", 10 + count % 50)
    }

    fn observe(session: &mut Session, count: u64) {
        let call = OracleCall {
            oracle_id: ORACLE.to_owned(),
            model_id: MODEL.to_owned(),
            params: Params::NULL,
            input: CanonicalInput::new(b"", InputKind::Text).unwrap(),
        };
        let answer = answer_of(count);
        session
            .observe(&call, OracleReply::Answer(answer.as_bytes()))
            .unwrap();
    }

    /// Records one answer and prints how the ledger was opened, the milliseconds until it was open and until it was closed
    /// again, and the largest memory of the process in KiB.
    fn observe_in_this_process(path: &Path) {
        let begun = Instant::now();
        let mut session = Session::open(path, None).unwrap();
        let opened = begun.elapsed();
        let how = match session.opening() {
            Opening::Resumed { .. } => "resumed",
            Opening::Replayed { .. } | Opening::Begun => "replayed",
        };
        observe(&mut session, 1);
        drop(session);
        let closed = begun.elapsed();
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let memory = status.lines().find(|line| line.starts_with("VmHWM:"));
        let memory = memory.unwrap().split_whitespace().nth(1).unwrap();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        println!(
            "{how} {} {} {memory}",
            milliseconds(opened),
            milliseconds(closed)
        );
    }

    /// Does so in a process of its own. Gives the milliseconds until it was open and closed, and the memory in MiB.
    fn observe_in_child(path: &Path, how: &str) -> [f64; 3] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.arg("observe").arg(path).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = printed.split_whitespace().collect();
        let [found, opened, closed, memory] = words.as_slice() else {
            panic!("{printed} {}", String::from_utf8_lossy(&output.stderr));
        };
        assert_eq!(*found, how);
        let number = |word: &str| word.parse::<f64>().unwrap();
        [number(opened), number(closed), number(memory) / 1024.0]
    }

    fn median(values: impl Iterator<Item = f64>) -> f64 {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    fn print_openings(how: &str, measured: &[[f64; 3]]) {
        let of = |place: usize| median(measured.iter().map(|figures| figures[place]));
        println!(
            "observe, {how:9} open after {:9.2} ms, closed after {:9.2} ms, {:6.1} MiB",
            of(0),
            of(1),
            of(2)
        );
    }

    /// The seconds of a session that records `steps` answers. A folder that has the name of the state keeps it from being
    /// saved.
    fn run_session(folder: &Path, steps: u64, saves_state: bool) -> f64 {
        let path = folder.join("session.jsonl");
        let (mut session, _) = Session::open_or_create(&path, None, 1).unwrap();
        let blocked = folder.join("session.jsonl.state");
        if !saves_state {
            fs::create_dir(&blocked).unwrap();
        }
        let begun = Instant::now();
        (0..steps).for_each(|count| observe(&mut session, count));
        drop(session);
        let taken = begun.elapsed().as_secs_f64();
        assert_eq!(blocked.is_file(), saves_state);
        taken
    }

    pub fn main() {
        let args: Vec<String> = std::env::args().collect();
        if let [_, what, path] = args.as_slice()
            && what == "observe"
        {
            return observe_in_this_process(Path::new(path));
        }
        let is_test = args.iter().any(|arg| arg == "--test");
        let (records, rounds, steps) = match is_test {
            true => (30_000, 1, 4000),
            false => (10_000_000, ROUNDS, STEPS),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        write_ledger(&path, b"", answer_of, |written, _| written >= records);
        let bytes = fs::metadata(&path).unwrap().len();
        println!("a ledger of {records} records, {} MB", bytes / 1_000_000);
        let replayed = observe_in_child(&path, "replayed");
        let resumed: Vec<_> = (0..rounds)
            .map(|_| observe_in_child(&path, "resumed"))
            .collect();
        print_openings("replayed", &[replayed]);
        print_openings("resumed", &resumed);

        let mut session = Session::open(&path, None).unwrap();
        let saves = (0..rounds).map(|_| {
            let begun = Instant::now();
            assert!(session.save_state().unwrap());
            begun.elapsed().as_secs_f64() * 1e6
        });
        println!("the state saved once {:9.1} µs", median(saves));
        drop(session);
        fs::remove_file(&path).unwrap();

        let run = |saves_state: bool| {
            let folder = tempfile::tempdir().unwrap();
            run_session(folder.path(), steps, saves_state)
        };
        let ratios = (0..rounds).map(|round| {
            // Each of them begins as often.
            let is_first = round % 2 == 0;
            let (first, second) = (run(is_first), run(!is_first));
            match is_first {
                true => first / second,
                false => second / first,
            }
        });
        println!(
            "a session of {steps} answers, its state saved / not saved {:6.3}",
            median(ratios)
        );
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
    #[cfg(not(target_os = "linux"))]
    println!("this bench needs Linux");
}
