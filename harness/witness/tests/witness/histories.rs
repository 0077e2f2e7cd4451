//! Two histories of one log: a witness signs one of them, whoever asks how often, and whatever was in between.

use std::collections::BTreeMap;
use std::thread;

use crate::bench::Bench;

#[test]
fn a_witness_remembers_what_it_signed_before_it_ended() {
    let bench = Bench::new();
    let (log, fork) = (bench.log("a"), bench.log("b"));
    bench.serve().submit(log.submission(0, 30)).is(200, "");
    for _ in 0..3 {
        let witness = bench.serve();
        witness.submit(fork.submission(0, 30)).is_conflict(30);
        witness.submit(fork.submission(0, 40)).is_conflict(30);
        witness.submit(fork.submission(30, 40)).is(422, "");
        witness.submit(log.submission(20, 30)).is_conflict(30);
        witness.submit(log.submission(30, 30)).is(200, "");
    }
    let witness = bench.serve();
    witness.submit(log.submission(30, 40)).is(200, "");
}

/// Clients of both histories ask at once; what they get signed is one of them.
#[test]
fn of_two_histories_one_is_signed() {
    let bench = Bench::new();
    let witness = bench.serve();
    let signed = thread::scope(|scope| {
        let clients: Vec<_> = ["a", "b", "a", "b"]
            .into_iter()
            .map(|history| {
                let (bench, witness) = (&bench, &witness);
                scope.spawn(move || {
                    let log = bench.log(history);
                    let mut signed = Vec::new();
                    let mut old = 0;
                    for size in 1..60 {
                        let answer = witness.submit(log.submission(old.min(size), size));
                        match answer.status {
                            200 => {
                                signed.push((size, log.root(size)));
                                old = size;
                            }
                            409 => old = answer.body.trim_end().parse().unwrap(),
                            status => assert_eq!(status, 422, "{}", answer.body),
                        }
                    }
                    signed
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert!(signed.len() > 10, "{}", signed.len());
    let mut roots = BTreeMap::new();
    for (size, root) in signed {
        assert_eq!(
            *roots.entry(size).or_insert(root),
            root,
            "two heads of {size} records"
        );
    }
}
