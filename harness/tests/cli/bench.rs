//! A directory of its own for each test, and the command in it.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use axilog::fault::Faults;
use axilog::ledger::{Entry, Ledger, LedgerSink, SinkFailed};
use axilog::ledger_line;
use axilog_ledger::encoding::ByteBuffer;
use serde_json::Value;
use tempfile::TempDir;

use crate::json_schemas;

/// The command under test: the one that Cargo built with the tests, or the one that `AXILOG` names.
pub fn program() -> PathBuf {
    let built = env!("CARGO_BIN_EXE_axilog");
    PathBuf::from(env::var_os("AXILOG").unwrap_or_else(|| built.into()))
}

/// What one run gave.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// Asserts the exit code; shows everything where it is another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// The one object on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.stdout.matches('\n').count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Asserts that standard error says something.
    #[track_caller]
    pub fn says(self, text: &str) -> Run {
        assert!(self.stderr.contains(text), "{text:?} in {}", self.stderr);
        self
    }
}

/// The files of a directory, by their paths in it.
pub struct Files(Vec<(PathBuf, Vec<u8>)>);

impl Files {
    fn read(dir: &Path) -> Files {
        let mut files = Vec::new();
        let mut open = vec![dir.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(dir).unwrap().to_owned();
                    files.push((name, fs::read(path).unwrap()));
                }
            }
        }
        Files(files)
    }

    fn lay_out(&self) -> Bench {
        let bench = Bench::new();
        for (name, bytes) in &self.0 {
            let path = bench.dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        bench
    }
}

pub struct Bench {
    dir: TempDir,
}

impl Bench {
    pub fn new() -> Bench {
        Bench {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A directory with the files that `prepare` makes in one. It is called once for all tests that have these `files`:
    /// what takes long is done once.
    pub fn prepared(files: &OnceLock<Files>, prepare: impl FnOnce(&Bench)) -> Bench {
        let files = files.get_or_init(|| {
            let first = Bench::new();
            prepare(&first);
            Files::read(first.dir.path())
        });
        files.lay_out()
    }

    /// Another directory with the files that are here now.
    pub fn copy(&self) -> Bench {
        Files::read(self.dir.path()).lay_out()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// The names of the temporary files that were left behind.
    pub fn temporaries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".tmp"))
            .collect()
    }

    /// `axilog` here, without the key that whoever runs the tests may have.
    pub fn command(&self) -> Command {
        let mut command = Command::new(program());
        command
            .current_dir(self.dir.path())
            .env_remove("OPENAI_API_KEY")
            .env_remove("ANTHROPIC_API_KEY");
        command
    }

    /// Runs `axilog` with the words of `line` and `stdin`.
    pub fn run_with(&self, line: &str, stdin: &[u8]) -> Run {
        let mut child = self
            .command()
            .args(line.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that refuses early does not read, and closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        let run = Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        json_schemas::check_output(&words, &run.stdout);
        run
    }

    pub fn run(&self, line: &str) -> Run {
        self.run_with(line, b"")
    }

    /// Observes `answer` into `ledger.jsonl` as one oracle's.
    pub fn observe(&self, answer: &[u8]) -> Run {
        self.run_with(
            "observe --ledger ledger.jsonl --oracle-id o --model-id m --json",
            answer,
        )
    }

    /// A ledger `ledger.jsonl` with a good answer in it: records 0 to 7.
    pub fn ledger() -> Bench {
        let bench = Bench::new();
        bench.run("init ledger.jsonl --time 1000").exits(0);
        bench.observe(b"{\"value\":1}").exits(0);
        bench
    }

    /// The verdict of `verify` on `ledger.jsonl`, with the place.
    #[track_caller]
    pub fn verdict(&self, command: &str) -> (String, u64, u64) {
        let report = self.run(&format!("{command} --json")).exits(1).json();
        assert_eq!(report["ok"], false);
        (
            report["verdict"].as_str().unwrap().to_owned(),
            report["sequence"].as_u64().unwrap(),
            report["offset"].as_u64().unwrap(),
        )
    }
}

/// The lines of a ledger file, line feeds included.
pub fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

/// Where line `n` begins.
pub fn offset(lines: &[Vec<u8>], n: usize) -> u64 {
    lines[..n].iter().map(|line| line.len() as u64).sum()
}

/// The ledger with these bytes, sealed.
pub fn sealed(ledger: &[u8]) -> Vec<u8> {
    struct Lines(ByteBuffer);
    impl LedgerSink for Lines {
        fn append(&mut self, entry: &Entry<'_>) -> Result<(), SinkFailed> {
            ledger_line::write(entry, &mut self.0);
            Ok(())
        }
    }
    let last = lines(ledger).pop().unwrap();
    let last = ledger_line::parse(&last).unwrap();
    let mut sink = Lines(ByteBuffer(ledger.to_vec()));
    let mut faults = Faults::NONE;
    Ledger::resume(last.chain, last.sequence)
        .seal(&mut sink, &mut faults)
        .unwrap();
    sink.0.0
}
