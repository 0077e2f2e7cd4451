//! `axilog verify` on a ledger of 1 GiB, beside the SHA-256 work that no verification can avoid: each
//! record's commit and chain value, each observation's own hash; and `verify`, `axilog replay` and `axilog audit` on one
//! core and on two. `--test` takes 16 MiB.
//!
//! Linux only: it pins processes to cores and asks the system for their largest memory.

#[cfg(target_os = "linux")]
mod long_ledger;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::hint::black_box;
    use std::mem::{size_of, zeroed};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use axilog::hash::{Tag, chain, commit, sha256};
    use axilog::ledger::Entry;
    use axilog::ledger_line;
    use axilog::replay::Verdict;
    use axilog_ledger::audit::{AuditExpectations, AuditVerdict, audit_ledger};
    use axilog_ledger::replay::replay_ledger;
    use axilog_ledger::rules::ExpectedRules;
    use axilog_ledger::verify::{LedgerExpectations, verify_ledger};

    use super::long_ledger::write_ledger;

    const ROUNDS: usize = 7;

    /// The length of the text of an answer, by its number.
    type LengthOfAnswer<'f> = &'f dyn Fn(u64) -> usize;

    /// Lets this process run on the first `cores` cores only.
    fn pin_to_cores(cores: usize) {
        // SAFETY: a plain bit set, which the call only reads.
        let code = unsafe {
            let mut set: libc::cpu_set_t = zeroed();
            (0..cores).for_each(|core| libc::CPU_SET(core, &mut set));
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set)
        };
        assert_eq!(code, 0, "pinning to {cores} cores");
    }

    /// Verifies a ledger as `axilog verify` does.
    fn verify_file(path: &Path) {
        let file = File::open(path).unwrap();
        let checked =
            verify_ledger(file, None, &LedgerExpectations::default(), &mut |_| {}).unwrap();
        assert_eq!(checked.verdict(), Verdict::Ok);
    }

    /// Replays a ledger as `axilog replay` does.
    fn replay_file(path: &Path) {
        let file = File::open(path).unwrap();
        let (rules, expected) = (ExpectedRules::default(), LedgerExpectations::default());
        let replayed = replay_ledger(file, path, rules, &expected, &mut |_| {}).unwrap();
        assert_eq!(replayed.verification.verdict(), Verdict::Ok);
    }

    /// Audits a ledger as `axilog audit` does. There is no question among its blobs, so that the verdict is FAILED after
    /// all records have passed.
    fn audit_file(path: &Path) {
        let file = File::open(path).unwrap();
        let audited = audit_ledger(file, path, &AuditExpectations::default()).unwrap();
        assert_eq!(audited.verification.verdict(), Verdict::Ok);
        assert_eq!(audited.verdict(), AuditVerdict::Failed);
    }

    /// Computes the digests alone, of records in memory.
    fn compute_digests(entries: &[Entry<'_>]) {
        for entry in entries {
            let tag = entry.tag.as_str().as_bytes();
            black_box(commit(tag, entry.payload));
            black_box(chain(Some(&entry.chain), &entry.commit));
            if entry.tag == Tag::Obs {
                // The record without the value of its own hash.
                black_box(sha256(entry.payload.get(64..).unwrap_or_default()));
            }
        }
    }

    /// Runs `what` on `cores` cores and prints the seconds. Each call is a process of its own.
    fn run_in_this_process(what: &str, cores: usize, path: &Path) {
        pin_to_cores(cores);
        let seconds = |work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        };
        let taken = match what {
            "verify" => seconds(&mut || verify_file(path)),
            "replay" => seconds(&mut || replay_file(path)),
            "audit" => seconds(&mut || audit_file(path)),
            _ => {
                let file = std::fs::read(path).unwrap();
                let lines = file.split_inclusive(|&b| b == b'\n');
                let entries: Vec<_> = lines
                    .map(|line| ledger_line::parse(line).unwrap())
                    .collect();
                seconds(&mut || compute_digests(&entries))
            }
        };
        println!("{taken}");
    }

    /// Runs `what` in a process of its own. Gives its seconds and its largest memory in MiB.
    #[expect(
        clippy::zombie_processes,
        reason = "wait4 waits, and gives the memory too"
    )]
    fn run_in_child(what: &str, cores: usize, path: &Path) -> (f64, f64) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([what, &cores.to_string()]).arg(path);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let printed = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // SAFETY: plain data; the call waits for the child just started and writes two locals.
        let (waited, status, usage) = unsafe {
            let (mut status, mut usage) = (0, zeroed::<libc::rusage>());
            let waited = libc::wait4(pid, &mut status, 0, &mut usage);
            (waited, status, usage)
        };
        assert!(waited == pid && status == 0, "{what}: {status}");
        (
            printed.trim().parse().unwrap(),
            usage.ru_maxrss as f64 / 1024.0,
        )
    }

    fn median(mut values: Vec<f64>) -> f64 {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    pub fn main() {
        let args: Vec<String> = std::env::args().collect();
        if let [_, what, cores, path] = args.as_slice() {
            return run_in_this_process(what, cores.parse().unwrap(), Path::new(path));
        }
        let mib = if args.iter().any(|arg| arg == "--test") {
            16
        } else {
            1024
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.jsonl");
        // From 64 bytes to 16 KiB, each doubling as often as the next.
        let spread = |n: u64| 64usize << (n * 5 % 9) as u32;
        let kinds: [(&str, f64, LengthOfAnswer<'_>); 3] = [
            ("answers of 64 bytes to 16 KiB", 1.0, &spread),
            ("answers of 16 KiB", 1.3, &|_| 16_384),
            ("answers of 24 bytes", 0.8, &|_| 0),
        ];
        let prose =
            "The pump ran at sixty percent for an hour, and the valve stayed shut. ".repeat(512);
        for (kind, wanted, size) in kinds {
            let answer = |number: u64| {
                let text = &prose[..size(number).min(30_000)];
                format!("{{\"value\":{}.5,\"why\":\"{text}\"}}", number % 70)
            };
            write_ledger(&path, b"how fast?", answer, |_, bytes| bytes >= mib << 20);
            let (mut one, mut two, mut memory) = (Vec::new(), Vec::new(), 0f64);
            for _ in 0..ROUNDS {
                let (hashing, _) = run_in_child("digests", 1, &path);
                let (single, single_memory) = run_in_child("verify", 1, &path);
                let (double, double_memory) = run_in_child("verify", 2, &path);
                one.push(hashing / single);
                two.push(single / double);
                memory = memory.max(single_memory).max(double_memory);
            }
            println!(
                "ratio verify, {mib} MiB, {kind}: {:.2} of the SHA-256 bound on one core (wanted {wanted}), \
                 {:.2} times that on two (wanted 1.7), {memory:.0} MiB of memory (limit 64)",
                median(one),
                median(two)
            );
            for what in ["replay", "audit"] {
                let (mut single, mut double, mut memory) = (Vec::new(), Vec::new(), 0f64);
                for _ in 0..ROUNDS {
                    for (cores, seconds) in [(1, &mut single), (2, &mut double)] {
                        let (taken, used) = run_in_child(what, cores, &path);
                        seconds.push(taken);
                        memory = memory.max(used);
                    }
                }
                let (single, double) = (median(single), median(double));
                println!(
                    "ratio {what}, {mib} MiB, {kind}: {single:.2} s on one core, {:.2} times as fast on two \
                     (wanted 1.7), {memory:.0} MiB of memory (limit 64)",
                    single / double
                );
            }
        }
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
    #[cfg(not(target_os = "linux"))]
    println!("this bench needs Linux");
}
