//! What judging an answer by many pointers costs, beside the SHA-256 work that its record cannot avoid.

#[path = "support/pointers.rs"]
mod pointers;
#[path = "support/mod.rs"]
mod support;

use std::hint::black_box;

use axilog::hash::sha256;
use pointers::{Shape, observer, record_of, shapes};
use support::ratio;

fn measure(shape: &Shape, of: &str, pointers: &[&'static str], count: usize, limit: &str) {
    let record = record_of(&shape.answer);
    ratio(
        &format!(
            "observe, {} of {of}, {count} pointers / two SHA-256",
            shape.name
        ),
        limit,
        observer(&shape.answer, pointers.iter().copied().cycle().take(count)),
        || {
            black_box((sha256(&record), sha256(&record)));
        },
    );
}

fn main() {
    for (shape, limit) in shapes().iter().zip(["<= 1.5", "<= 2.0", "<= 2.5"]) {
        for count in [1, 8, 32] {
            let limit = if count == 8 { limit } else { "" };
            measure(shape, "places", &shape.pointers, count, limit);
        }
        if !shape.every.is_empty() {
            for count in [1, 8] {
                measure(shape, "every element", shape.every, count, "");
            }
        }
    }
}
