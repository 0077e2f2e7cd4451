//! LiteLLM's proxy before a provider.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

const REQUIREMENT: &str = "litellm[proxy]==1.100.5";

/// How long the proxy may take until it answers.
const STARTING: Duration = Duration::from_secs(120);

/// A running proxy. It ends with this value.
pub struct LiteLlm {
    process: Child,
    _folder: TempDir,
}

impl LiteLlm {
    /// Starts a proxy at `address` before `provider`. The error says why there is none.
    pub fn start(address: SocketAddr, provider: SocketAddr) -> Result<LiteLlm, String> {
        let program = install()?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("litellm.yaml");
        let configuration = format!(
            "model_list:\n- model_name: model-1\n  litellm_params:\n    model: openai/model-1\n    \
             api_base: http://{provider}/v1\n    api_key: none\n"
        );
        fs::write(&path, configuration).map_err(|error| error.to_string())?;
        let process = Command::new(&program)
            .arg("--config")
            .arg(&path)
            .args(["--host", "127.0.0.1", "--port", &address.port().to_string()])
            .args(["--telemetry", "False"])
            // Else it fetches a list of prices when it starts.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut proxy = LiteLlm {
            process,
            _folder: folder,
        };
        let start = Instant::now();
        while !is_ready(address) {
            let ended = proxy
                .process
                .try_wait()
                .map_err(|error| error.to_string())?;
            if let Some(status) = ended {
                return Err(format!("it ended when it was started: {status}"));
            }
            if start.elapsed() > STARTING {
                return Err(format!("it did not answer within {STARTING:?}"));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(proxy)
    }
}

impl Drop for LiteLlm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Installs the proxy beside what cargo builds, where it is not there, and gives its program.
fn install() -> Result<PathBuf, String> {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join("litellm");
    let program = environment.join("bin/litellm");
    let installed = environment.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|text| text == REQUIREMENT) {
        return Ok(program);
    }
    eprintln!("installing {REQUIREMENT} into {}", environment.display());
    let environment_text = environment.display().to_string();
    run("python3", &["-m", "venv", "--clear", &environment_text])?;
    let python = environment.join("bin/python").display().to_string();
    let options = [
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
    ];
    let words = [&["-m", "pip", "install"], &options[..], &[REQUIREMENT]].concat();
    run(&python, &words)?;
    fs::write(&installed, REQUIREMENT).map_err(|error| error.to_string())?;
    Ok(program)
}

fn run(program: &str, words: &[&str]) -> Result<(), String> {
    let command = format!("{program} {}", words.join(" "));
    let output = Command::new(program).args(words).output();
    let output = output.map_err(|error| format!("{command}: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command}: {}", errors.trim_end())),
    }
}

fn is_ready(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return false;
    };
    let request = "GET /health/liveliness HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut response = String::new();
    stream.write_all(request.as_bytes()).is_ok()
        && stream.read_to_string(&mut response).is_ok()
        && response.starts_with("HTTP/1.1 200 ")
}
