//! The grammar matcher on answers of 16 and 64 KiB: the growth from the one to the other, which is 4 where
//! time is linear, and the time beside that of `serde_json` reading the same text.
//!
//!     cargo bench -p axilog-harness-benches --bench grammar
//!
//! A line beginning with `ratio` for each. With `--test` each text is matched once, unmeasured.

mod clock;

use std::hint::black_box;

use axilog_bundle::catalogue::GRAMMARS;
use axilog_bundle::gbnf::{Grammar, GrammarVerdict};
use clock::time;
use serde_json::Value;

/// An object whose one member is an array of `item`, of about `size` bytes.
fn object(item: &str, size: usize) -> String {
    let items = vec![item; size / (item.len() + 1)];
    format!("{{\"a\":[{}]}}", items.join(","))
}

const ITEMS: [(&str, &str); 5] = [
    ("numbers", "1"),
    (
        "strings",
        "\"some text of a model, with an escape \\n in it\"",
    ),
    ("objects", "{\"name\":\"x\",\"value\":-1.5e3}"),
    ("spaces", "1                                        "),
    ("nested arrays", "[[[[[[[[[[0]]]]]]]]]]"),
];

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    let text = GRAMMARS
        .iter()
        .find(|(name, _)| *name == "json_generic.gbnf");
    let grammar = Grammar::parse(text.unwrap().1).unwrap();
    for (name, item) in ITEMS {
        let (small, large) = (object(item, 16 << 10), object(item, 64 << 10));
        let work = |text: &str| assert_eq!(grammar.judge(black_box(text)), GrammarVerdict::Matches);
        if test {
            work(&small);
            continue;
        }
        let (quarter, whole) = (time(|| work(&small)), time(|| work(&large)));
        let parsed = time(|| {
            let value: Value = serde_json::from_str(black_box(&large)).unwrap();
            black_box(value);
        });
        println!(
            "ratio {name:16} growth {:5.2}   match / parse {:7.0}   ({whole:.1?} for 64 KiB)",
            whole.as_secs_f64() / quarter.as_secs_f64(),
            whole.as_secs_f64() / parsed.as_secs_f64(),
        );
    }
}
