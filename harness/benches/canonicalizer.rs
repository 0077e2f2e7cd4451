//! The canonicalizer on text made to slow it down: time per byte beside that of SHA-256 over the same
//! text, and the growth from 256 KiB to 1 MiB, which is 4 where time is linear.
//!
//!     cargo run --release -p axilog-harness --example canonicalizer
//!
//! A line beginning with `ratio` for each. With `--test` each text is passed over once, unmeasured.

use std::hint::black_box;
use std::time::{Duration, Instant};

use axilog::hash::sha256;
use axilog_harness::canonicalizer::canonicalize;

const SMALL: usize = 256 << 10;
const LARGE: usize = 1 << 20;
const ROUNDS: usize = 15;

/// `head`, then `body` over and over, up to `size` bytes.
fn text(head: &str, body: &str, size: usize) -> String {
    head.to_owned() + &body.repeat((size - head.len()) / body.len())
}

const TEXTS: [(&str, &str, &str); 16] = [
    ("prose", "", "The pump ran for an hour. "),
    ("one object", "{\"a\":[", "{\"b\":\"some text\"},"),
    ("objects", "", "{\"a\":1}"),
    ("{", "", "{"),
    ("[", "", "["),
    ("[{", "", "[{"),
    ("}", "", "}"),
    ("quotes", "", "\""),
    ("{ and quotes", "{", "\""),
    ("{\" and backslashes", "{\"", "\\"),
    ("[\" and [", "[\"", "["),
    ("[1,", "", "[1,"),
    ("[1], in an array that never closes", "[", "[1],"),
    ("[1], in an array that is wrong", "[x,", "[1],"),
    ("strings that hold brackets", "", "[\",[],\","),
    ("names", "{", "\"n\":0,"),
];

/// The shortest times of two pieces of work, which are done in turn: the ones that nothing else on the
/// machine has disturbed.
fn shortest(one: impl Fn(), other: impl Fn()) -> (Duration, Duration) {
    let time = |work: &dyn Fn()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best = (best.0.min(time(&one)), best.1.min(time(&other)));
    }
    best
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    for (name, head, body) in TEXTS {
        let (small, large) = (text(head, body, SMALL), text(head, body, LARGE));
        if test {
            black_box(canonicalize(&small));
            continue;
        }
        let work = |text: &str| {
            black_box(canonicalize(black_box(text)));
        };
        let (quarter, whole) = shortest(|| work(&small), || work(&large));
        let (hashed, again) = shortest(
            || {
                black_box(sha256(black_box(large.as_bytes())));
            },
            || work(&large),
        );
        println!(
            "ratio {name:36} growth {:5.2}   canonicalize / SHA-256 {:6.1}   ({whole:.1?} for 1 MiB)",
            whole.as_secs_f64() / quarter.as_secs_f64(),
            again.as_secs_f64() / hashed.as_secs_f64(),
        );
    }
}
