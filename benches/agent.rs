//! The agent beside the SHA-256 work that its records cannot avoid.

#![allow(missing_docs, reason = "criterion_group! makes public functions")]

mod support;

use std::hint::black_box;

use axilog::hash::{Hasher, sha256};
use axilog::replay::{Replay, Verdict};
use criterion::{Criterion, Throughput, criterion_group};
use support::{
    ASCII, CAgent, CJK, CommittedSession, LATIN, ONE_POLICY, SIZE, answer_text, ratio, rules,
    session, text,
};

/// The record that one observation of `output` writes.
fn record_of(output: &str) -> Vec<u8> {
    let committed = session(output, 1);
    committed.0[committed.0.len() - 3].payload.clone()
}

fn corpora() -> [(&'static str, &'static str, String); 4] {
    let prose = |sentence| answer_text(&text(sentence, SIZE));
    [
        ("ascii", "<= 0.8", prose(ASCII)),
        ("latin", "<= 0.9", prose(LATIN)),
        ("cjk", "<= 1.2", prose(CJK)),
        ("dense quotes", "<= 2.0", dense_quotes()),
    ]
}

/// An answer of 16 KiB of short members, in whose record each fifth byte or so belongs to an escape.
fn dense_quotes() -> String {
    let element = "{\"speed\":60.5,\"why\":\"the road is clear\"}";
    let elements = vec![element; SIZE / (element.len() + 1)];
    format!("{{\"value\":60.5,\"moves\":[{}]}}", elements.join(","))
}

/// The digests of a step with one policy: the observation checked, two records committed and chained.
fn unavoidable_step(records: &[&[u8]; 3]) {
    let [observation, policy, transition] = records;
    let mut hasher = Hasher::new();
    hasher.update(&observation[64..]);
    black_box(hasher.finish());
    for record in [policy, transition] {
        black_box(axilog::hash::commit(b"AX:POLICY:v1", record));
        black_box(axilog::hash::chain(Some(&[0; 32]), &[1; 32]));
    }
}

/// The digests of replaying a ledger: each record's commit and chain, each observation's own hash.
fn unavoidable_replay(committed: &CommittedSession) {
    for owned in &committed.0 {
        let entry = owned.entry();
        let tag = entry.tag.as_str();
        black_box(axilog::hash::commit(tag.as_bytes(), entry.payload));
        black_box(axilog::hash::chain(Some(&[0; 32]), &[1; 32]));
        if tag == "AX:OBS:v1" {
            black_box(sha256(&entry.payload[64..]));
        }
    }
}

fn replay(committed: &CommittedSession, with_rules: bool) {
    let rules = rules(&ONE_POLICY);
    let mut replay = Replay::new();
    for owned in &committed.0 {
        let verdict = replay.feed(&owned.entry(), with_rules.then_some(&rules));
        assert_eq!(verdict, Verdict::Ok);
    }
}

/// The first observation's record of a session, its policy's and its transition's.
fn step_records(committed: &CommittedSession) -> [&[u8]; 3] {
    [5, 6, 7].map(|sequence: usize| &*committed.0[sequence].payload)
}

fn benches(c: &mut Criterion) {
    let mut agent = CAgent::enabled();
    for (name, _, output) in corpora() {
        let record = record_of(&output);
        let mut group = c.benchmark_group(format!("observe 16 KiB {name}"));
        group.throughput(Throughput::Bytes(record.len() as u64));
        group.bench_function("ax_agent_observe", |b| {
            b.iter(|| agent.observe(output.as_bytes()))
        });
        group.bench_function("two SHA-256 passes", |b| {
            b.iter(|| (black_box(sha256(&record)), black_box(sha256(&record))));
        });
        group.finish();
    }
    let committed = session("{\"value\":60.5}", 1000);
    let [observation, ..] = step_records(&committed);
    c.bench_function("ax_agent_step with one policy", |b| {
        b.iter(|| agent.step(observation))
    });
    c.bench_function("replay of 1000 short answers", |b| {
        b.iter(|| replay(&committed, true))
    });
}

fn ratios() {
    let mut agent = CAgent::enabled();
    for (name, limit, output) in corpora() {
        let record = record_of(&output);
        ratio(
            &format!("ax_agent_observe, 16 KiB {name} / two SHA-256 passes"),
            limit,
            || agent.observe(output.as_bytes()),
            || {
                black_box((sha256(&record), sha256(&record)));
            },
        );
    }
    let committed = session("{\"value\":60.5}", 1);
    let records = step_records(&committed);
    ratio(
        "ax_agent_step, one policy / its SHA-256 work",
        "<= 1.5",
        || agent.step(records[0]),
        || unavoidable_step(&records),
    );
    for (name, output) in [
        ("short", "{\"value\":60.5}".to_owned()),
        ("16 KiB", answer_text(&text(ASCII, SIZE))),
    ] {
        let committed = session(&output, 200);
        for (what, limit, with_rules) in [("replay", "<= 1.5", true), ("verify", "", false)] {
            ratio(
                &format!("{what}, {name} answers / its SHA-256 work"),
                limit,
                || replay(&committed, with_rules),
                || unavoidable_replay(&committed),
            );
        }
    }
}

criterion_group!(criterion, benches);

fn main() {
    criterion();
    ratios();
    Criterion::default().configure_from_args().final_summary();
}
