//! Eight policies on values of an answer of 16 KiB in three shapes, recorded and chained, beside the SHA-256 work that
//! its record cannot avoid, and beside two policy engines that judge the same answer and record nothing.

#![allow(missing_docs, reason = "criterion_group! makes public functions")]

#[path = "../support/pointers.rs"]
mod pointers;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use std::hint::black_box;

use axilog::hash::sha256;
use cedar_policy::{Authorizer, Context, Decision, Entities, PolicySet, Request};
use criterion::{Criterion, criterion_group};
use pointers::{Shape, record_of, shapes};
use support::ratio;

fn observer(shape: &Shape) -> impl FnMut() {
    pointers::observer(&shape.answer, shape.pointers.into_iter())
}

/// The same eight limits in Rego.
fn rego(shape: &Shape) -> impl FnMut() {
    let output = shape.answer.clone();
    let mut policy = String::from("package robot\n\ndefault allow := false\n\nallow if {\n");
    for pointer in shape.pointers {
        let path = pointer.trim_start_matches('/').split('/');
        let path: String = path.map(|step| format!("[{}]", quote(step))).collect();
        let _ = writeln!(policy, "    input{path} <= 70");
    }
    policy += "}\n";
    let mut engine = regorus::Engine::new();
    engine.add_policy("robot.rego".to_owned(), policy).unwrap();
    move || {
        engine.set_input(regorus::Value::from_json_str(&output).unwrap());
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

/// The limits on the prose in Cedar, which has no index of an array and no fractions: the joints are members there,
/// and the other shapes cannot be judged.
fn cedar(prose: &Shape) -> impl FnMut() {
    let limits: Vec<String> = prose
        .pointers
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
    let output = prose.answer.replace(
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
    for shape in shapes() {
        let mut group = c.benchmark_group(format!("eight policies on 16 KiB of {}", shape.name));
        group.bench_function("axilog, recorded and chained", |b| b.iter(observer(&shape)));
        group.bench_function("regorus", |b| b.iter(rego(&shape)));
        group.finish();
    }
    let [prose, ..] = shapes();
    c.bench_function("eight policies on 16 KiB of prose/cedar", |b| {
        b.iter(cedar(&prose))
    });
}

fn ratios() {
    for (shape, limit) in shapes().iter().zip(["<= 1.5", "<= 2.0", "<= 2.5"]) {
        let record = record_of(&shape.answer);
        ratio(
            &format!("observe, 8 pointers, {} / two SHA-256", shape.name),
            limit,
            observer(shape),
            || {
                black_box((sha256(&record), sha256(&record)));
            },
        );
        ratio(
            &format!("observe, 8 pointers, {} / regorus", shape.name),
            "",
            observer(shape),
            rego(shape),
        );
    }
    let [prose, ..] = shapes();
    ratio(
        "observe, 8 pointers, prose / cedar",
        "",
        observer(&prose),
        cedar(&prose),
    );
}

criterion_group!(criterion, benches);

fn main() {
    criterion();
    ratios();
    Criterion::default().configure_from_args().final_summary();
}
