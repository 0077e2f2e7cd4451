//! Eight policies on nested values of a robot's tool call of 16 KiB, recorded and chained, beside the SHA-256
//! work that its record cannot avoid, and beside two policy engines that judge the same answer and record
//! nothing.

#![allow(missing_docs, reason = "criterion_group! makes public functions")]

#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use std::hint::black_box;

use axilog::agent::state::Health;
use axilog::fault::Faults;
use axilog::hash::sha256;
use axilog::ledger::DiscardingSink;
use axilog::policy::{Comparison, Policy, Rules};
use cedar_policy::{Authorizer, Context, Decision, Entities, PolicySet, Request};
use criterion::{Criterion, criterion_group};
use support::{ASCII, SIZE, answer, enabled, ratio, text};

/// The limited values, which are integers since one of the engines knows no fractions.
const POINTERS: [&str; 8] = [
    "/linear/x",
    "/linear/y",
    "/linear/z",
    "/angular/x",
    "/angular/y",
    "/angular/z",
    "/joints/0/torque",
    "/joints/1/torque",
];

const IDS: [&str; 8] = ["P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7"];

/// Every value is permitted up to 70.
fn policies() -> [Policy<'static>; 8] {
    std::array::from_fn(|number| Policy {
        id: IDS[number],
        threshold: 70 << 16,
        comparison: Comparison::Gt,
        enabled: true,
        selector: POINTERS[number],
    })
}

/// The tool call; the text that explains it is its bulk.
fn tool_call() -> String {
    format!(
        "{{\"why\":\"{}\",\"linear\":{{\"x\":1,\"y\":2,\"z\":3}},\"angular\":{{\"x\":4,\"y\":5,\"z\":6}},\
         \"joints\":[{{\"torque\":7}},{{\"torque\":8}}]}}",
        text(ASCII, SIZE)
    )
}

/// An agent under the eight policies that observes the tool call from the same state again and again.
fn observer(output: &str) -> impl FnMut() {
    let policies = policies();
    let rules = Rules {
        registry: &policies,
        permit_truncated: false,
        stop_on_invalid: false,
        manifest: None,
    };
    let begun = enabled(&rules, &mut DiscardingSink);
    let mut work = vec![0; 65_536];
    move || {
        let rules = Rules {
            registry: &policies,
            permit_truncated: false,
            stop_on_invalid: false,
            manifest: None,
        };
        let (mut agent, mut faults) = (begun.clone(), Faults::NONE);
        let answer = answer(output.as_bytes());
        let observed = agent
            .observe(&answer, &rules, &mut work, &mut DiscardingSink, &mut faults)
            .unwrap();
        assert!(black_box(observed).may_act && agent.health == Health::Enabled);
    }
}

/// The record that one observation of the tool call writes.
fn record_of(output: &str) -> Vec<u8> {
    support::session(output, 1).0[5].payload.clone()
}

/// The same eight limits in Rego.
fn rego(output: &str) -> impl FnMut() {
    let mut policy = String::from("package robot\n\ndefault allow := false\n\nallow if {\n");
    for pointer in POINTERS {
        let path = pointer.trim_start_matches('/').split('/');
        let path: String = path.map(|step| format!("[{}]", quote(step))).collect();
        let _ = writeln!(policy, "    input{path} <= 70");
    }
    policy += "}\n";
    let mut engine = regorus::Engine::new();
    engine.add_policy("robot.rego".to_owned(), policy).unwrap();
    move || {
        engine.set_input(regorus::Value::from_json_str(output).unwrap());
        let allowed = engine.eval_rule("data.robot.allow".to_owned()).unwrap();
        assert_eq!(black_box(allowed), regorus::Value::from(true));
    }
}

/// A step of a pointer in Rego: an index of an array as it is, a name in quotes.
fn quote(step: &str) -> String {
    match step.parse::<u32>() {
        Ok(index) => index.to_string(),
        Err(_) => format!("\"{step}\""),
    }
}

/// The same limits in Cedar, which has no index of an array: the joints are members there.
fn cedar(output: &str) -> impl FnMut() {
    let limits: Vec<String> = POINTERS
        .iter()
        .map(|pointer| {
            let path = pointer.replace("/joints/", "/joint").replace('/', ".");
            format!("context{path} <= 70")
        })
        .collect();
    let policy = format!(
        "permit(principal, action, resource) when {{ {} }};",
        limits.join(" && ")
    );
    let policies: PolicySet = policy.parse().unwrap();
    let output = output.replace(
        "\"joints\":[{\"torque\":7},{\"torque\":8}]",
        "\"joint0\":{\"torque\":7},\"joint1\":{\"torque\":8}",
    );
    let uid = |text: &str| text.parse().unwrap();
    let (principal, action, resource) = (
        uid("Oracle::\"tool\""),
        uid("Action::\"move\""),
        uid("Robot::\"arm\""),
    );
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    move || {
        let context = Context::from_json_str(&output, None).unwrap();
        let request = Request::new(
            Clone::clone(&principal),
            Clone::clone(&action),
            Clone::clone(&resource),
            context,
            None,
        )
        .unwrap();
        let response = authorizer.is_authorized(&request, &policies, &entities);
        assert_eq!(black_box(response.decision()), Decision::Allow);
    }
}

fn benches(c: &mut Criterion) {
    let output = tool_call();
    let mut group = c.benchmark_group("eight policies on a tool call of 16 KiB");
    group.bench_function("axilog, recorded and chained", |b| {
        b.iter(observer(&output))
    });
    group.bench_function("regorus", |b| b.iter(rego(&output)));
    group.bench_function("cedar", |b| b.iter(cedar(&output)));
    group.finish();
}

fn ratios() {
    let output = tool_call();
    let record = record_of(&output);
    ratio(
        "observe, 8 pointers, 16 KiB / two SHA-256 passes",
        "<= 1.5",
        observer(&output),
        || {
            black_box((sha256(&record), sha256(&record)));
        },
    );
    ratio(
        "observe, 8 pointers / regorus",
        "",
        observer(&output),
        rego(&output),
    );
    ratio(
        "observe, 8 pointers / cedar",
        "",
        observer(&output),
        cedar(&output),
    );
}

criterion_group!(criterion, benches);

fn main() {
    criterion();
    ratios();
    Criterion::default().configure_from_args().final_summary();
}
