//! Checkpoints that are submitted to the witnesses of a policy once: good ones, ones that are away, and ones that lie.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use axilog_checkpoints::{WitnessOutcome, submit_checkpoint};
use axilog_heads::{Checkpoint, SigningRequest, WitnessKey, WitnessPolicy, sign_ledger};

use crate::bench::{Bench, NAME, observe};

impl Bench {
    /// Records three records more, and signs the head.
    fn grow(&self) -> Checkpoint {
        observe(&mut self.session(), 60);
        let key = self.log_key();
        let request = SigningRequest {
            ledger: &self.ledger(),
            key: &key,
            origin: Some(NAME),
            earlier: None,
        };
        let mut source = File::open(self.ledger()).unwrap();
        sign_ledger(&mut source, &request).unwrap().checkpoint
    }
}

fn submit(bench: &Bench, checkpoint: &mut Checkpoint, policy: &str) -> Vec<WitnessOutcome> {
    let policy = WitnessPolicy::parse(&format!("{policy}quorum none\n")).unwrap();
    let mut source = File::open(bench.ledger()).unwrap();
    let time_limit = Duration::from_secs(2);
    submit_checkpoint(
        &mut source,
        &bench.ledger(),
        checkpoint,
        &policy,
        time_limit,
    )
    .unwrap()
}

/// A server that gives every client the same bytes; with none it answers never.
pub fn serve_bytes(bytes: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(&bytes);
            if bytes.is_empty() {
                open.push(stream);
            }
        }
    });
    address
}

/// A server that answers one client, when every other server with this barrier has a client too.
fn serve_together(barrier: Arc<Barrier>, bytes: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        barrier.wait();
        let _ = stream.write_all(&bytes);
    });
    address
}

pub fn http(status: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

#[test]
fn witnesses_that_have_signed_different_heads_sign_the_newest() {
    let bench = Bench::new();
    let others = [bench.another_witness(), bench.another_witness()];
    let [first, second, third] = [bench.serve(), others[0].serve(), others[1].serve()];
    let policy = |names: &[usize]| -> String {
        let all = [
            bench.line("a", first.address),
            others[0].line("b", second.address),
            others[1].line("c", third.address),
        ];
        names.iter().map(|name| all[*name].as_str()).collect()
    };
    for asked in [&[0][..], &[0, 1], &[1], &[0, 1, 2], &[0, 1, 2]] {
        let mut checkpoint = bench.grow();
        let outcomes = submit(&bench, &mut checkpoint, &policy(asked));
        assert_eq!(outcomes.len(), asked.len());
        for outcome in &outcomes {
            assert!(outcome.signed.is_ok(), "{outcome:?}");
        }
        // The same head again.
        let again = submit(&bench, &mut checkpoint, &policy(asked));
        assert!(
            again.iter().all(|outcome| outcome.signed.is_ok()),
            "{again:?}"
        );
        let keys = [
            bench.witness_key(),
            others[0].witness_key(),
            others[1].witness_key(),
        ];
        for name in asked {
            checkpoint.find_cosigned_time(&keys[*name]).unwrap();
        }
    }
}

#[test]
fn a_witness_that_is_away_or_lies_holds_up_no_other() {
    let bench = Bench::new();
    let good = bench.serve();
    let mut checkpoint = bench.grow();
    // What is signed by somebody else, or of another head.
    let stranger = WitnessKey::create(&bench.path("stranger.key"), "example.com/witness").unwrap();
    let strange = String::from_utf8(bench.grow().cosign(&stranger, 7).unwrap()).unwrap();
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let liars: Vec<(Bench, SocketAddr, &str)> = [
        (closed, "it is away"),
        (serve_bytes(Vec::new()), "it is away"),
        (serve_bytes(b"nonsense\r\n\r\n".to_vec()), "it is away"),
        (serve_bytes(http("200 OK", &strange)), "no signature of"),
        (serve_bytes(http("200 OK", "")), "no signature of"),
        (
            serve_bytes(http("200 OK", &"x".repeat(1 << 20))),
            "no signature of",
        ),
        (serve_bytes(http("409 Conflict", "3\n")), "meanwhile"),
        (
            serve_bytes(http("409 Conflict", "99\n")),
            "a head of 99 records already",
        ),
        (serve_bytes(http("409 Conflict", "-1\n")), "it answered 409"),
        (
            serve_bytes(http("422 Unprocessable", "no\n")),
            "it answered 422: \"no",
        ),
        (
            serve_bytes(http("302 Found\r\nlocation: http://127.0.0.1/", "")),
            "it answered 302",
        ),
    ]
    .into_iter()
    .map(|(address, told)| (bench.another_witness(), address, told))
    .collect();
    let mut policy = String::new();
    for (n, (liar, address, _)) in liars.iter().enumerate() {
        policy.push_str(&liar.line(&format!("liar-{n}"), *address));
    }
    policy.push_str(&bench.line("good", good.address));
    policy.push_str(&format!(
        "witness silent {}\n",
        bench.another_witness().witness_key()
    ));
    let outcomes = submit(&bench, &mut checkpoint, &policy);
    assert_eq!(outcomes.len(), liars.len() + 2);
    for ((_, _, told), outcome) in liars.iter().zip(&outcomes) {
        let reason = outcome.signed.as_ref().unwrap_err().to_string();
        assert!(reason.contains(told), "{}: {reason}", outcome.name);
    }
    let [.., signed, silent] = outcomes.as_slice() else {
        panic!("{outcomes:?}")
    };
    assert!(signed.signed.is_ok(), "{signed:?}");
    assert!(
        silent
            .signed
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("no URL")
    );
    let text = String::from_utf8(checkpoint.to_bytes()).unwrap();
    assert_eq!(text.matches('\u{2014}').count(), 2, "{text}");
}

#[test]
fn witnesses_are_asked_at_the_same_time() {
    let bench = Bench::new();
    let mut checkpoint = bench.grow();
    let barrier = Arc::new(Barrier::new(3));
    let policy: String = (0..3)
        .map(|n| {
            let address = serve_together(barrier.clone(), http("503 Unavailable", "later\n"));
            bench.another_witness().line(&format!("w{n}"), address)
        })
        .collect();
    // One after the other, the first would be away: no server answers before all were asked.
    for outcome in submit(&bench, &mut checkpoint, &policy) {
        let reason = outcome.signed.unwrap_err().to_string();
        assert!(reason.starts_with("it answered 503"), "{reason}");
    }
}
