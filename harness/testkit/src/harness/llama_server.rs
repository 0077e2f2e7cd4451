//! llama.cpp's server with a tiny model of random weights, for tests that need a server nobody here wrote.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The name under which every server offers its model.
pub const MODEL: &str = "tiny";

/// The Python that has the server. Where there is none, says that the test is skipped and gives nothing.
///
/// # Panics
/// If the environment names a Python that is not there.
pub fn find_python(test: &str) -> Option<PathBuf> {
    let Some(python) = std::env::var_os("AXILOG_LLAMA_PYTHON") else {
        // Written past the test harness, which keeps what a passing test prints to itself.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED {test}: no llama.cpp server here; harness/oracle/tests/llama/run installs one and runs this"
        );
        return None;
    };
    let python = PathBuf::from(python);
    assert!(python.exists(), "AXILOG_LLAMA_PYTHON: {}", python.display());
    Some(python)
}

/// The folder of the model's program and its grammar.
fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../oracle/tests/llama"
    ))
}

/// The grammar of the answers that X-0L asks for.
pub fn candidates_grammar() -> PathBuf {
    folder().join("candidates.gbnf")
}

/// Writes the model with the weights of `seed` into `dir`.
pub fn make_model(python: &Path, dir: &Path, seed: u64) -> PathBuf {
    let model = dir.join(format!("tiny-{seed}.gguf"));
    let made = Command::new(python)
        .arg(folder().join("tiny_llama.py"))
        .arg("make")
        .arg(&model)
        .args(["--seed", &seed.to_string()])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    model
}

/// A server that runs until it is dropped.
pub struct LlamaServer {
    process: Child,
    pub port: u16,
}

impl LlamaServer {
    /// Starts a server for `model` on a free port.
    pub fn start(python: &Path, model: &Path, options: &[&str]) -> LlamaServer {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        LlamaServer::start_at(port, python, model, options)
    }

    /// Starts a server on this port, and waits until it answers.
    pub fn start_at(port: u16, python: &Path, model: &Path, options: &[&str]) -> LlamaServer {
        let process = Command::new(python)
            .arg(folder().join("tiny_llama.py"))
            .arg("serve")
            .arg(model)
            .arg(port.to_string())
            .args(["--name", MODEL])
            .args(options)
            // The server ends with this end of the pipe, whatever becomes of the test.
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = LlamaServer { process, port };
        server.wait_until("/health", |response| response.starts_with("HTTP/1.1 200"));
        server
    }

    /// Waits until the server writes an answer.
    pub fn wait_until_it_writes(&mut self) {
        self.wait_until("/slots", |slots| {
            slots.contains("\"is_processing\":true") && !slots.contains("\"n_decoded\":0")
        });
    }

    /// Asks for `path` until the response is as expected; fails where the server ends, and after ten minutes.
    fn wait_until(&mut self, path: &str, is_expected: fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let response = self.get(path).unwrap_or_default();
            if is_expected(&response) {
                return;
            }
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {ended:?}");
            let is_late = start.elapsed() > Duration::from_secs(600);
            assert!(!is_late, "{path}: {response}");
            sleep(Duration::from_millis(5));
        }
    }

    /// The base URL of its interfaces.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Ends the server at once, as a crash would.
    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    fn get(&self, path: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        Ok(response)
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        self.kill();
    }
}
