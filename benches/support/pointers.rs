//! Answers of 16 KiB in three shapes, and an agent that judges one by pointers into it.

#![allow(dead_code)]

use std::fmt::Write;
use std::hint::black_box;

use axilog::agent::state::Health;
use axilog::fault::Faults;
use axilog::ledger::DiscardingSink;
use axilog::policy::{Comparison, Policy, Rules};

use crate::support::{ASCII, SIZE, answer, enabled, text};

/// An answer, and pointers to numbers in it, all at most 70.
pub struct Shape {
    pub name: &'static str,
    pub answer: String,
    pub pointers: [&'static str; 8],
    /// Pointers to numbers of every element; none where the answer has no array to speak of.
    pub every: &'static [&'static str],
}

/// A tool call whose bulk is the text that explains it, a path of number triples, and one of waypoint objects.
pub fn shapes() -> [Shape; 3] {
    [
        Shape {
            name: "prose",
            answer: format!(
                "{{\"why\":\"{}\",\"linear\":{{\"x\":1,\"y\":2,\"z\":3}},\"angular\":{{\"x\":4,\"y\":5,\"z\":6}},\
                 \"joints\":[{{\"torque\":7}},{{\"torque\":8}}]}}",
                text(ASCII, SIZE)
            ),
            pointers: [
                "/linear/x",
                "/linear/y",
                "/linear/z",
                "/angular/x",
                "/angular/y",
                "/angular/z",
                "/joints/0/torque",
                "/joints/1/torque",
            ],
            every: &[],
        },
        Shape {
            name: "triples",
            answer: path("points", |[x, y, z]| format!("[{x},{y},{z}]")),
            pointers: [
                "/points/0/0",
                "/points/0/1",
                "/points/0/2",
                "/points/1/0",
                "/points/1/1",
                "/points/1/2",
                "/points/2/0",
                "/points/2/1",
            ],
            every: &["/points/~*/0", "/points/~*/1", "/points/~*/2"],
        },
        Shape {
            name: "waypoints",
            answer: path("waypoints", |[x, y, z]| {
                format!("{{\"x\":{x},\"y\":{y},\"z\":{z}}}")
            }),
            pointers: [
                "/waypoints/0/x",
                "/waypoints/0/y",
                "/waypoints/0/z",
                "/waypoints/1/x",
                "/waypoints/1/y",
                "/waypoints/1/z",
                "/waypoints/2/x",
                "/waypoints/2/y",
            ],
            every: &["/waypoints/~*/x", "/waypoints/~*/y", "/waypoints/~*/z"],
        },
    ]
}

/// An object whose one member is an array of points in space, as many as fit: a random walk in steps of a
/// hundredth, so that the numbers' lengths do not follow a pattern.
fn path(member: &str, point: impl Fn([String; 3]) -> String) -> String {
    let mut out = format!("{{\"{member}\":[");
    let mut state = 1u32;
    let mut place = [0i32; 3];
    loop {
        for coordinate in &mut place {
            // The generator of Numerical Recipes.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let step = i32::try_from(state >> 22).unwrap() - 512;
            *coordinate = (*coordinate + step).clamp(-7_000, 7_000);
        }
        let next = point(place.map(|coordinate| (f64::from(coordinate) / 100.0).to_string()));
        if out.len() + next.len() > SIZE {
            break;
        }
        let _ = write!(out, "{next},");
    }
    out.pop();
    out + "]}"
}

/// An agent under a policy for each pointer that observes the answer from the same state again and again. The
/// policies are never freed.
pub fn observer(output: &str, pointers: impl Iterator<Item = &'static str>) -> impl FnMut() {
    let policies: Vec<Policy<'static>> = pointers
        .enumerate()
        .map(|(number, selector)| Policy {
            id: format!("P{number:02}").leak(),
            threshold: 70 << 16,
            comparison: Comparison::Gt,
            enabled: true,
            selector,
        })
        .collect();
    let registry: &'static &'static [Policy<'static>] = Box::leak(Box::new(&*policies.leak()));
    let rules = Rules {
        registry,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let begun = enabled(&rules, &mut DiscardingSink);
    let mut work = vec![0; 65_536];
    let output = output.to_owned();
    move || {
        let (mut agent, mut faults) = (begun.clone(), Faults::NONE);
        let answer = answer(output.as_bytes());
        let observed = agent
            .observe(&answer, &rules, &mut work, &mut DiscardingSink, &mut faults)
            .unwrap();
        assert!(black_box(observed).may_act && agent.health == Health::Enabled);
    }
}

/// The record that one observation of the answer writes.
pub fn record_of(output: &str) -> Vec<u8> {
    crate::support::session(output, 1).0[5].payload.clone()
}
