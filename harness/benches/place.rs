//! What the look costs that a ledger takes at its path before each acknowledgement, beside a whole step with its
//! sync, which has a look in it.
//!
//!     cargo bench -p axilog-harness-benches --bench place
//!
//! The median of 200 each, in turns. With `--test` there are two.

use std::fs::File;
use std::time::{Duration, Instant};

use axilog_ledger::file::place::FilePlace;
use axilog_ledger::session::Session;

const START: u64 = 1000;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let test = std::env::args().any(|argument| argument == "--test");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.jsonl");
    let (mut session, _) = Session::open_or_create(&path, None, START).unwrap();
    let opened = File::open(&path).unwrap();
    let place = FilePlace::of(&path, &opened).unwrap();
    let (mut looks, mut steps) = (Vec::new(), Vec::new());
    for n in 1..=if test { 2 } else { 200 } {
        let len = opened.metadata().unwrap().len();
        let begun = Instant::now();
        place.check(len).unwrap();
        looks.push(begun.elapsed());
        let begun = Instant::now();
        session.observe_time(START + n, false).unwrap();
        steps.push(begun.elapsed());
    }
    println!("look at the path {:10.1?}", median(looks));
    println!("step             {:10.1?}", median(steps));
}
