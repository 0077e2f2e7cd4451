//! What the gateway adds to a call, beside nginx as a plain proxy and LiteLLM's proxy, with one provider in the same run:
//! nginx too, with an answer that is always the same.
//!
//!     cargo bench -p axilog-harness-benches --bench gateway
//!
//! Each client keeps its connection, and asks the next question (of 120 bytes, each another one) when it has its answer
//! (of 320 bytes). What the gateway releases is durable, so the disk counts; where there is /dev/shm, whose files need no
//! disk, the same is measured there. Needs nginx, and for LiteLLM Python and the network for the first time; where it cannot
//! be installed, its row says why. With `--test` each client asks five times.

mod litellm;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use axilog_gateway::{Gateway, GatewayConfiguration};
use litellm::LiteLlm;
use tempfile::TempDir;

/// The clients at a time.
const CLIENTS: [usize; 4] = [1, 16, 64, 256];

/// The calls of each figure, over all clients.
const CALLS: usize = 20_000;

/// The calls of each figure of LiteLLM, which takes a hundred times as long.
const CALLS_OF_LITELLM: usize = 1000;

/// The answer of the provider.
const ANSWER: &str = r#"{"id":"chatcmpl-0123456789","object":"chat.completion","created":1700000000,"model":"model-1","choices":[{"index":0,"message":{"role":"assistant","content":"{\"speed\":42,\"reason\":\"The line is clear.\"}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":31,"completion_tokens":14,"total_tokens":45}}"#;

/// What the model says, as both have it in their answers.
const CONTENT: &str = r#""content":"{\"speed\":42,\"reason\":\"The line is clear.\"}""#;

/// A running nginx: the provider, and a proxy before it.
struct Nginx {
    process: Child,
    provider: SocketAddr,
    proxy: SocketAddr,
    _folder: TempDir,
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

impl Nginx {
    fn start() -> Nginx {
        let folder = tempfile::tempdir().unwrap();
        let (provider, proxy) = (free_address(), free_address());
        // nginx reads escapes in its strings.
        let answer = ANSWER.replace('\\', "\\\\");
        let configuration = format!(
            "daemon off; master_process off; error_log stderr crit; pid {0}/pid;\n\
             events {{ worker_connections 4096; }}\n\
             http {{ access_log off; keepalive_requests 1000000000; client_body_temp_path {0}/a; proxy_temp_path {0}/b;\n\
             fastcgi_temp_path {0}/c; uwsgi_temp_path {0}/d; scgi_temp_path {0}/e;\n\
             upstream provider {{ server {provider}; keepalive 512; keepalive_requests 1000000000; }}\n\
             server {{ listen {provider}; location / {{ default_type application/json; return 200 '{answer}'; }} }}\n\
             server {{ listen {proxy}; location / {{ proxy_pass http://provider; proxy_http_version 1.1;\n\
             proxy_set_header Connection \"\"; }} }} }}\n",
            folder.path().display(),
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, configuration).unwrap();
        let process = Command::new("nginx")
            .arg("-c")
            .arg(&path)
            .stdin(Stdio::null())
            .spawn()
            .expect("this bench needs nginx");
        while TcpStream::connect(proxy).is_err() || TcpStream::connect(provider).is_err() {
            thread::sleep(Duration::from_millis(10));
        }
        Nginx {
            process,
            provider,
            proxy,
            _folder: folder,
        }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Asks `calls` times on one connection, and gives the time of each call.
fn ask(address: SocketAddr, client: usize, calls: usize) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut times = Vec::with_capacity(calls);
    let (mut line, mut body) = (String::new(), Vec::new());
    for call in 0..calls {
        let question = format!(
            r#"{{"model":"model-1","messages":[{{"role":"user","content":"How fast may the line go now? Question {client:04} {call:06}."}}]}}"#
        );
        let start = Instant::now();
        let request = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{question}",
            question.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        let mut first = true;
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            if first {
                assert!(line.contains(" 200 "), "{line}");
                first = false;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        body.resize(length, 0);
        reader.read_exact(&mut body).unwrap();
        times.push(start.elapsed());
        // LiteLLM writes an answer of its own that says the same.
        let answer = String::from_utf8_lossy(&body);
        assert!(answer.contains(CONTENT), "{answer}");
    }
    times
}

/// Measures `clients` that ask at a time, and prints a row.
fn measure(name: &str, address: SocketAddr, clients: usize, calls: usize) {
    let start = Instant::now();
    let each = (calls / clients).max(1);
    let mut times: Vec<Duration> = thread::scope(|scope| {
        let asked: Vec<_> = (0..clients)
            .map(|client| scope.spawn(move || ask(address, client, each)))
            .collect();
        asked
            .into_iter()
            .flat_map(|asked| asked.join().unwrap())
            .collect()
    });
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
    println!(
        "{name:<22} {clients:>7} {:>9.3} {:>9.3} {rate:>9.0}",
        at(50),
        at(99)
    );
}

/// Measures the gateway with its ledger below `place`.
fn measure_gateway(name: &str, place: &Path, provider: SocketAddr, counts: &[usize], calls: usize) {
    for &clients in counts {
        let folder = tempfile::tempdir_in(place).unwrap();
        let path = folder.path().join("gateway.toml");
        let text = format!(
            "listen = \"127.0.0.1:0\"\nledgers = \"ledgers\"\n[upstream]\nbase_url = \"http://{provider}/v1\"\n[ledger.default]\npolicies = \"policies.toml\"\n"
        );
        let policies = "[SPEED]\noracle = \"llm\"\npath = \"speed\"\nmax = \"70\"\n";
        fs::write(folder.path().join("policies.toml"), policies).unwrap();
        fs::write(&path, text).unwrap();
        let gateway = Gateway::open(GatewayConfiguration::read(&path).unwrap()).unwrap();
        let listener = gateway.listen().unwrap();
        let address = listener.address();
        let stop = Arc::new(AtomicBool::new(false));
        let must_stop = stop.clone();
        let served =
            thread::spawn(move || listener.serve(move || must_stop.load(Ordering::Relaxed)));
        measure(name, address, clients, calls);
        stop.store(true, Ordering::Relaxed);
        served.join().unwrap().unwrap();
    }
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    let (counts, calls): (&[usize], usize) = match test {
        true => (&[1, 16], 5),
        false => (&CLIENTS, CALLS),
    };
    let nginx = Nginx::start();
    println!("                       clients median ms    p99 ms   calls/s");
    for &clients in counts {
        measure("provider itself", nginx.provider, clients, calls);
        measure("nginx as a proxy", nginx.proxy, clients, calls);
    }
    let address = free_address();
    match LiteLlm::start(address, nginx.provider) {
        Ok(_proxy) => {
            let calls = calls.min(CALLS_OF_LITELLM);
            // Its first calls load what it needs for them.
            ask(address, 0, 5);
            for &clients in counts {
                measure("LiteLLM's proxy", address, clients, calls);
            }
        }
        Err(reason) => println!("LiteLLM's proxy        is not measured: {reason}"),
    }
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        measure_gateway(
            "axilog gateway, memory",
            memory,
            nginx.provider,
            counts,
            calls,
        );
    }
    // Synced to a disk, a call takes as long as the disk's syncs.
    let calls = calls.min(4000);
    let disk = std::env::temp_dir();
    measure_gateway("axilog gateway, disk", &disk, nginx.provider, counts, calls);
}
