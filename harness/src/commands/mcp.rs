//! `axilog mcp`: a proxy before a server of the Model Context Protocol, which is this process's child.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use axilog_ledger::session::{Session, check_identities};
use axilog_mcp::{Identities, LineDecision, MAX_LINE_BYTES, Proxy};

use crate::Failure;
use crate::commands::time::wait_for_second_after;
use crate::error::CommandError;
use crate::now;
use crate::options::checkpoints::{CheckpointArgs, remark_on};
use crate::output::write_remark;
use crate::read_named_policies;

/// Stand between a client and a server of the Model Context Protocol (MCP): judge each tool call, and record it and its
/// result.
///
/// A client's configuration gets `axilog mcp --ledger FILE -- COMMAND` in place of COMMAND. Each call of a tool is
/// recorded as an answer of the oracle tool.NAME and judged before the server gets it, and each result as one of
/// result.NAME before the client gets it. What may not be acted on goes no further; the client gets an error of the
/// tool, with the reason. A new ledger is begun as `axilog init` does it. Exits with the server's exit code, or 3.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The ledger file.
    #[arg(long, value_name = "FILE")]
    ledger: PathBuf,
    /// The ledger's policies, where its configuration is not beside it; of a new ledger, its own.
    #[arg(long, value_name = "FILE")]
    policies: Option<PathBuf>,
    /// Versioned identity of whoever chooses the arguments of calls; one for all tools in a ledger.
    #[arg(long, value_name = "ID", default_value = "mcp-client")]
    client_id: String,
    /// Versioned identity of the server, which gives the results.
    #[arg(long, value_name = "ID", default_value = "mcp-server")]
    server_id: String,
    /// A call or result that no policy judges goes no further.
    #[arg(long)]
    require_policy: bool,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    /// The server and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Standard output, on which both directions answer.
type ClientOutput = Arc<Mutex<BufWriter<io::Stdout>>>;

pub(crate) fn run(args: &Args) -> u8 {
    match serve(args) {
        Ok(code) => code,
        Err(failure) => {
            write_remark(&failure.error.to_string());
            failure.code
        }
    }
}

fn serve(args: &Args) -> Result<u8, Failure> {
    for id in [&args.client_id, &args.server_id] {
        check_identities("tool", id)?;
    }
    let policies = read_named_policies(args.policies.as_deref())?;
    let mut signing = args.checkpoints.read()?;
    let (mut session, begun) = Session::open_or_create(&args.ledger, policies.as_ref(), now())?;
    let last = session.agent().last_timestamp;
    let time = wait_for_second_after(last);
    // After a reset an agent waits for the time. A ledger in another unit, or of a clock ahead, gets none.
    if begun.is_none() && time > last {
        session.observe_time(time, false)?;
    }
    if args.require_policy {
        session.require_policy();
    }
    signing.start(&mut session)?;
    let identities = Identities {
        client: args.client_id.clone(),
        server: args.server_id.clone(),
    };
    let mut server = start(&args.command)?;
    let proxy = Arc::new(Proxy::new(session, identities));
    let output = ClientOutput::new(Mutex::new(BufWriter::new(io::stdout())));
    if let Some(input) = server.stdin.take() {
        let (proxy, output) = (proxy.clone(), output.clone());
        // Nothing waits for this thread: it may read standard input for ever after the server has ended.
        thread::spawn(move || pass_to_server(&proxy, input, &output));
    }
    if let Some(lines) = server.stdout.take() {
        pass_to_client(&proxy, lines, &output);
    }
    let status = server
        .wait()
        .map_err(|source| server_error("wait for", &args.command, source))?;
    let closed = proxy.close();
    remark_on(&args.ledger, signing.finish());
    closed?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(3))
}

fn start(command: &[OsString]) -> Result<Child, CommandError> {
    Command::new(program_of(command))
        .args(command.iter().skip(1))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| server_error("start", command, source))
}

/// The program of a command; the command line takes none that is empty.
fn program_of(command: &[OsString]) -> &OsStr {
    command.first().map(OsString::as_os_str).unwrap_or_default()
}

fn server_error(action: &'static str, command: &[OsString], source: io::Error) -> CommandError {
    CommandError::Server {
        action,
        program: program_of(command).to_string_lossy().into_owned(),
        source,
    }
}

/// Passes on what the client writes, until it has nothing more to say or the server has gone. The server's input ends then.
fn pass_to_server(proxy: &Proxy, mut server: ChildStdin, output: &ClientOutput) {
    let mut client = io::stdin().lock();
    while let Some(line) = read_line(&mut client, "the client") {
        let passed = match proxy.take_client_line(&line) {
            LineDecision::Pass(line) => write_line(&mut server, &line),
            LineDecision::Reply(line) => write_line(&mut *lock(output), &line),
            LineDecision::Drop(why) => {
                write_remark(&why);
                Ok(())
            }
        };
        if passed.is_err() {
            return;
        }
    }
}

/// Passes on what the server writes, until it ends or the client has gone.
fn pass_to_client(proxy: &Proxy, lines: impl Read, output: &ClientOutput) {
    let mut lines = BufReader::new(lines);
    while let Some(line) = read_line(&mut lines, "the server") {
        match proxy.take_server_line(&line) {
            LineDecision::Pass(line) | LineDecision::Reply(line) => {
                if write_line(&mut *lock(output), &line).is_err() {
                    return;
                }
            }
            LineDecision::Drop(why) => write_remark(&why),
        }
    }
}

/// The next line that is not empty; `None` at the end, which a line that is too long is too.
fn read_line(from: &mut impl BufRead, whose: &str) -> Option<Vec<u8>> {
    loop {
        let mut line = Vec::new();
        let limit = MAX_LINE_BYTES as u64 + 1;
        let read = from
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut line)
            .ok()?;
        if read == 0 {
            return None;
        }
        if read > MAX_LINE_BYTES {
            write_remark(&format!(
                "{whose} wrote a line of more than {MAX_LINE_BYTES} bytes; nothing more of it is read"
            ));
            return None;
        }
        if !line.trim_ascii().is_empty() {
            return Some(line);
        }
    }
}

fn write_line(to: &mut impl Write, line: &[u8]) -> io::Result<()> {
    to.write_all(line)?;
    to.write_all(b"\n")?;
    to.flush()
}

fn lock(output: &ClientOutput) -> std::sync::MutexGuard<'_, BufWriter<io::Stdout>> {
    output.lock().unwrap_or_else(PoisonError::into_inner)
}
