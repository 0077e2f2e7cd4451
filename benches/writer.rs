//! The canonical string writer beside `serde_jcs`.

#![allow(missing_docs, reason = "criterion_group! makes public functions")]

mod support;

use std::hint::black_box;

use axilog::json::writer::{self, Buffer};
use axilog::profile::Profile;
use criterion::{Criterion, Throughput, criterion_group};
use support::{ASCII, CJK, LATIN, SIZE, ratio, text};

fn corpora() -> [(&'static str, String); 5] {
    let prose = text(ASCII, SIZE);
    [
        ("ascii", prose.clone()),
        (
            "ascii in short lines",
            prose.replace(", ", ",\n").replace("pump", "\"pump\""),
        ),
        (
            "json",
            text("{\"speed\":60.5,\"why\":\"the road is clear\"},", SIZE),
        ),
        ("latin", text(LATIN, SIZE)),
        ("cjk", text(CJK, SIZE)),
    ]
}

fn ours(text: &str, room: &mut [u8]) {
    let mut out = Buffer::new(room);
    writer::string(text.as_bytes(), Profile::Rfc8785, &mut out);
    black_box(out.finish());
}

fn theirs(text: &str) {
    black_box(serde_jcs::to_vec(text).unwrap());
}

fn benches(c: &mut Criterion) {
    let mut room = vec![0u8; 2 * SIZE];
    for (name, text) in corpora() {
        let mut group = c.benchmark_group(format!("canonical string {name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("axilog", |b| b.iter(|| ours(&text, &mut room)));
        group.bench_function("serde_jcs", |b| b.iter(|| theirs(&text)));
        group.finish();
    }
}

fn ratios() {
    let mut room = vec![0u8; 2 * SIZE];
    for (name, text) in corpora() {
        let mut expected = vec![0u8; 2 * SIZE];
        let mut out = Buffer::new(&mut expected);
        writer::string(text.as_bytes(), Profile::Rfc8785, &mut out);
        assert_eq!(out.finish().unwrap(), serde_jcs::to_vec(&text).unwrap());
        ratio(
            &format!("serde_jcs / axilog, string, {name}"),
            ">= 5",
            || theirs(&text),
            || ours(&text, &mut room),
        );
    }
}

criterion_group!(criterion, benches);

fn main() {
    criterion();
    ratios();
    Criterion::default().configure_from_args().final_summary();
}
