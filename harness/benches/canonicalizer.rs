//! The canonicalizer on text made to slow it down: time per byte beside that of SHA-256 over the same
//! text, and the growth from 256 KiB to 1 MiB, which is 4 where time is linear.
//!
//!     cargo bench -p axilog-harness-benches --bench canonicalizer
//!
//! A line beginning with `ratio` for each. With `--test` each text is passed over once, unmeasured.

mod clock;

use std::hint::black_box;

use axilog::hash::sha256;
use axilog_oracle::canonicalizer::canonicalize;
use clock::time;

const SMALL: usize = 256 << 10;
const LARGE: usize = 1 << 20;

/// `head`, then `body` over and over, up to `size` bytes.
fn text(head: &str, body: &str, size: usize) -> String {
    head.to_owned() + &body.repeat((size - head.len()) / body.len())
}

/// The beginnings of more arrays than JSON may nest here.
const DEEP_ARRAYS: &str = concat!(
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
);

const TEXTS: [(&str, &str, &str); 18] = [
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
    ("1, in 190 arrays", DEEP_ARRAYS, "1,"),
    ("placeholders", "", "{name} "),
];

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    for (name, head, body) in TEXTS {
        let (small, large) = (text(head, body, SMALL), text(head, body, LARGE));
        let work = |text: &str| {
            black_box(canonicalize(black_box(text)));
        };
        if test {
            work(&small);
            continue;
        }
        let (quarter, whole) = (time(|| work(&small)), time(|| work(&large)));
        let hashed = time(|| {
            black_box(sha256(black_box(large.as_bytes())));
        });
        println!(
            "ratio {name:36} growth {:5.2}   canonicalize / SHA-256 {:6.1}   ({whole:.1?} for 1 MiB)",
            whole.as_secs_f64() / quarter.as_secs_f64(),
            whole.as_secs_f64() / hashed.as_secs_f64(),
        );
    }
}
