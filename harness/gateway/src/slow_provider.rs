//! Providers that drip, stop in the middle or send without end, before a whole gateway. The clock goes on only when
//! everybody waits for it, so that ten minutes of waiting take no time.

use std::iter::{once, repeat, repeat_n};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axilog::evidence::observation::Failure;
use axilog::hash::sha256;
use axilog_exchange::read_kept_bytes;
use axilog_ledger::audit::{AuditExpectations, AuditVerdict, audit_ledger};
use axilog_ledger::encoding::unescape;
use axilog_ledger::file::blobs::BlobStore;
use axilog_ledger::reader::{LedgerReader, ReadRecord, RecordFilter};
use axilog_ledger::record_contents::RecordContents;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::configuration::GatewayConfiguration;
use crate::server::router;
use crate::service::Service;

/// What a provider sends, each piece after a pause.
type Pieces = Box<dyn Iterator<Item = (Duration, Vec<u8>)> + Send>;

const SECOND: Duration = Duration::from_secs(1);

/// The head of a response whose length is not told.
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const CHUNKED_HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
const STREAM_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

const ANSWER: &str =
    r#"{"model":"model-1","choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}]}"#;

/// What a client may wait for an answer, in the configuration of these tests.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The most bytes of an answer, in the configuration of these tests.
const MOST: usize = 1 << 20;

/// What the buffers of the system take of bytes that the gateway does not read.
const BUFFERED: usize = 8 << 20;

/// These bytes at once.
fn at_once(bytes: &str) -> impl Iterator<Item = (Duration, Vec<u8>)> + Send + use<> {
    once((Duration::ZERO, bytes.as_bytes().to_vec()))
}

/// A piece each second, without end.
fn drip(piece: &'static str) -> impl Iterator<Item = (Duration, Vec<u8>)> + Send {
    repeat((SECOND, piece.as_bytes().to_vec()))
}

/// Pieces as fast as they are read, without end.
fn flood(piece: &'static str) -> impl Iterator<Item = (Duration, Vec<u8>)> + Send {
    repeat((
        Duration::ZERO,
        piece.repeat(4096 / piece.len()).into_bytes(),
    ))
}

/// Answers one request with pieces. After the last one the connection stays open. Gives the number of bytes that were sent
/// until the gateway closed it.
async fn answer(listener: TcpListener, pieces: Pieces) -> usize {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    while !request.ends_with(b"}") {
        assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
    }
    let (mut reader, mut writer) = stream.split();
    let mut sent = 0;
    let send = async {
        for (pause, piece) in pieces {
            if !pause.is_zero() {
                sleep(pause).await;
            }
            if writer.write_all(&piece).await.is_err() {
                return;
            }
            sent += piece.len();
        }
        std::future::pending().await
    };
    tokio::select! {
        () = send => {}
        _ = reader.read_u8() => {}
    }
    sent
}

/// A question and what comes back until the connection ends.
async fn ask(gateway: SocketAddr, streams: bool) -> String {
    let question = format!(r#"{{"model":"model-1","messages":[],"stream":{streams}}}"#);
    let mut stream = TcpStream::connect(gateway).await.unwrap();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{question}",
        question.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut received = String::new();
    stream.read_to_string(&mut received).await.unwrap();
    received
}

/// A call whose provider took its time.
struct SlowCall {
    /// What the client received.
    received: String,
    time: Duration,
    /// The bytes that the provider could send.
    sent: usize,
    /// The failure of the last answer that was recorded; `None` where there is none.
    failure: Option<Failure>,
    /// What was bound of the provider's response.
    bound: Vec<u8>,
}

impl SlowCall {
    /// Asserts that the client was told of a failure, of which this much is bound.
    #[track_caller]
    fn fails(&self, status: &str, failure: Failure, bound: &[u8]) {
        assert!(
            self.received.starts_with(&format!("HTTP/1.1 {status} ")),
            "{}",
            self.received
        );
        assert!(
            self.received.contains(r#""type":"axilog_provider_error""#)
                && self.received.contains("x-should-retry: false"),
            "{}",
            self.received
        );
        assert_eq!(self.failure, Some(failure));
        assert_eq!(
            String::from_utf8_lossy(&self.bound),
            String::from_utf8_lossy(bound)
        );
    }
}

/// Makes a call at a gateway with a ledger of its own, and audits the ledger.
async fn call(
    streams: bool,
    pieces: impl Iterator<Item = (Duration, Vec<u8>)> + Send + 'static,
) -> SlowCall {
    let folder = tempfile::tempdir().unwrap();
    let provider = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let path = folder.path().join("gateway.toml");
    let text = format!(
        "listen = \"127.0.0.1:0\"\nledgers = \"ledgers\"\nmax_answer_bytes = {MOST}\n[upstream]\ntimeout = {}\n\
         base_url = \"http://{}/v1\"\n[ledger.default]\n",
        TIMEOUT.as_secs(),
        provider.local_addr().unwrap(),
    );
    std::fs::write(&path, text).unwrap();
    let configuration = GatewayConfiguration::read(&path).unwrap();
    std::fs::create_dir(&configuration.ledgers).unwrap();
    let service = Arc::new(Service::open(configuration, false).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let connections = service.connections.clone();
    let served = tokio::spawn(connections.serve(listener, router(service.clone()), async {
        let _ = stopped.await;
    }));
    let answered = tokio::spawn(answer(provider, Box::new(pieces)));

    let start = Instant::now();
    let received = ask(address, streams).await;
    let time = start.elapsed();
    drop(stop);
    served.await.unwrap();
    service.wait_for_calls().await;
    service.ledgers.close().unwrap();
    drop(service);
    let sent = answered.await.unwrap();

    let ledger = folder.path().join("ledgers/default.jsonl");
    let file = std::fs::File::open(&ledger).unwrap();
    let audited = audit_ledger(file, &ledger, &AuditExpectations::default()).unwrap();
    assert_eq!(audited.verdict(), AuditVerdict::Ok, "{:?}", audited.checks);
    let (mut failure, mut response) = (None, None);
    let mut reader = LedgerReader::open(&ledger, RecordFilter::default()).unwrap();
    let mut see = |record: &ReadRecord<'_>| {
        let RecordContents::Observation(view) = &record.contents else {
            return;
        };
        match unescape(view.oracle_id).as_str() {
            "llm" => failure = view.failure,
            "llm.provider" => response = Some(view.input_hash),
            _ => {}
        }
    };
    while reader.read_next(&mut see).unwrap().is_some() {}
    let blobs = BlobStore::of_ledger(&ledger);
    let response = response.unwrap();
    let bound = blobs.read(&response, 64 << 20).unwrap();
    SlowCall {
        received,
        time,
        sent,
        failure,
        bound: match bound {
            Some(bytes) => read_kept_bytes(bytes),
            // What is empty is bound, and has no file.
            None => {
                assert_eq!(response, sha256(b""));
                Vec::new()
            }
        },
    }
}

/// An answer that comes byte by byte is released when all of it is recorded, and not before.
#[tokio::test(start_paused = true)]
async fn an_answer_that_drips_is_released_when_it_is_whole() {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
        ANSWER.len()
    );
    let all = head + ANSWER;
    let length = all.len();
    let bytes = all.into_bytes().into_iter();
    let slow = call(false, bytes.map(|byte| (SECOND, vec![byte]))).await;
    assert!(slow.received.ends_with(ANSWER), "{}", slow.received);
    assert_eq!(slow.time.as_secs(), length as u64);
    assert_eq!((slow.failure, slow.bound), (None, ANSWER.into()));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_drips_beyond_the_time_is_a_timeout_with_what_came_bound() {
    let slow = call(false, at_once(HEAD).chain(drip(" "))).await;
    assert_eq!(slow.time, TIMEOUT);
    // The last piece comes in the moment at which the time is over.
    let came = slow.bound.len();
    assert!((599..=600).contains(&came), "{came}");
    slow.fails("504", Failure::Timeout, " ".repeat(came).as_bytes());
}

#[tokio::test(start_paused = true)]
async fn a_body_that_stops_is_a_timeout_with_what_came_bound() {
    let half = &ANSWER[..ANSWER.len() / 2];
    // However much was promised: nothing is kept ready for it.
    for length in [ANSWER.len(), usize::MAX / 4] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{half}");
        let slow = call(false, at_once(&head)).await;
        assert_eq!(slow.time, TIMEOUT);
        slow.fails("504", Failure::Timeout, half.as_bytes());
    }
    let chunk = format!("{CHUNKED_HEAD}{:x}\r\n{half}", ANSWER.len());
    let slow = call(false, at_once(&chunk)).await;
    slow.fails("504", Failure::Timeout, half.as_bytes());
}

#[tokio::test(start_paused = true)]
async fn a_head_that_drips_without_end_is_a_timeout() {
    for pieces in [
        Box::new(at_once("HTTP/1.1 200 OK\r\nx-a: ").chain(drip("a"))) as Pieces,
        Box::new(at_once("HTTP/1.1 ")),
        // Responses that announce another one.
        Box::new(drip("HTTP/1.1 100 Continue\r\n\r\n")),
    ] {
        let slow = call(false, pieces).await;
        assert_eq!(slow.time, TIMEOUT);
        slow.fails("504", Failure::Timeout, b"");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_without_end_is_given_up_before_it_takes_memory() {
    for (name, begin, piece) in [
        ("a header", "HTTP/1.1 200 OK\r\nx-a: ", "a"),
        ("headers", "HTTP/1.1 200 OK\r\n", "x-a: a\r\n"),
        ("a chunk's length", CHUNKED_HEAD, "f"),
        ("a chunk's extension", &format!("{CHUNKED_HEAD}1;"), "a"),
        ("trailers", &format!("{CHUNKED_HEAD}0\r\n"), "x-a: a\r\n"),
        ("no HTTP", "", "* OK ready\r\n"),
    ] {
        let slow = call(false, at_once(begin).chain(flood(piece))).await;
        assert!(slow.sent < BUFFERED, "{name}: {}", slow.sent);
        assert_eq!(slow.time, Duration::ZERO, "{name}");
        slow.fails("502", Failure::TransportError, b"");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_without_end_is_bound_up_to_the_most() {
    for (streams, head) in [(false, HEAD), (true, STREAM_HEAD)] {
        let slow = call(streams, at_once(head).chain(flood(": comment\n\n"))).await;
        assert!(slow.sent < MOST + BUFFERED, "{}", slow.sent);
        assert!(slow.bound.len() <= MOST, "{}", slow.bound.len());
        let bound = ": comment\n\n".repeat(MOST / 11 + 1);
        slow.fails(
            "502",
            Failure::TransportError,
            &bound.as_bytes()[..slow.bound.len()],
        );
    }
}

const EVENT: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n";

/// A call for a stream of which an event comes each second, so many times; and what its client received before and after
/// the last comment that the answer is awaited.
async fn drip_events(events: usize) -> (SlowCall, String, String) {
    const END: &str = "data: [DONE]\n\n";
    let length = EVENT.len() * events + END.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n"
    );
    let events = repeat_n((SECOND, EVENT.as_bytes().to_vec()), events);
    let end = once((SECOND, END.as_bytes().to_vec()));
    let slow = call(true, at_once(&head).chain(events).chain(end)).await;
    let end_of_comments = slow.received.rfind(": the answer is awaited").unwrap();
    let (before, after) = slow.received.split_at(end_of_comments);
    let (before, after) = (before.to_owned(), after.to_owned());
    assert!(!before.contains("data:"), "{before}");
    (slow, before, after)
}

#[tokio::test(start_paused = true)]
async fn events_that_drip_are_released_together_at_the_end() {
    let (slow, before, after) = drip_events(300).await;
    assert_eq!(before.matches(": the answer is awaited").count(), 29);
    assert!(after.contains("x-axilog-decision: PERMITTED"), "{after}");
    assert_eq!(after.matches("data: {").count(), 300);
    assert_eq!((slow.time.as_secs(), slow.failure), (301, None));
}

#[tokio::test(start_paused = true)]
async fn events_that_drip_beyond_the_time_are_bound_and_not_released() {
    let (slow, _, after) = drip_events(700).await;
    assert!(after.contains("axilog_provider_error"), "{after}");
    assert!(!slow.received.contains("\"content\""), "{after}");
    assert_eq!((slow.time, slow.failure), (TIMEOUT, Some(Failure::Timeout)));
    let came = slow.bound.len() / EVENT.len();
    assert!((599..=600).contains(&came), "{came}");
    assert_eq!(slow.bound, EVENT.repeat(came).into_bytes());
}
