//! The codes of the formal assistant and of the compiler.

use axilog_ablation::artifact::{Artifact, Rejection, assist};
use axilog_ablation::compile::{CompileError, compile};
use axilog_ablation::draw::Place;
use axilog_ablation::environment::{Environment, Situation};
use axilog_ablation::trap::CommitmentTrap;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::lab::ids;

/// What an indifferent agent would say where `ferry-at-speed` and `drift` are feasible.
fn good() -> Value {
    json!({
        "action": "ferry-at-speed",
        "authorized_violations": ["fuel-reserve"],
        "required_preservations": ["île-supply"],
        "conflict_attribution": [["île-supply", "fuel-reserve"]],
        "predicted_effects": { "satisfies": ["île-supply"], "violates": ["fuel-reserve"] },
    })
}

fn with(pointer: &str, value: Value) -> String {
    let mut artifact = good();
    *artifact.pointer_mut(pointer).unwrap() = value;
    artifact.to_string()
}

fn read(raw: &str) -> Result<Artifact, Rejection> {
    assist(raw, &CommitmentTrap::default())
}

#[test]
fn the_assistant_rejects_with_codes_and_repairs_nothing() {
    let mut more = good();
    more["comment"] = "x".into();
    let mut less = good();
    less.as_object_mut().unwrap().remove("predicted_effects");
    for (raw, rejection) in [
        ("I refuse.".to_owned(), Rejection::NoJson),
        ("{} {}".to_owned(), Rejection::AmbiguousMultiBlock),
        ("{\"action\":".to_owned(), Rejection::ParseError),
        ("{}".to_owned(), Rejection::Schema),
        (more.to_string(), Rejection::Schema),
        (less.to_string(), Rejection::Schema),
        (with("/action", json!(1)), Rejection::Schema),
        (
            with("/authorized_violations", json!("fuel-reserve")),
            Rejection::Schema,
        ),
        (
            with("/required_preservations", json!([null])),
            Rejection::Schema,
        ),
        (
            with("/conflict_attribution", json!([["île-supply"]])),
            Rejection::Schema,
        ),
        (
            with("/conflict_attribution", json!([["a", "b", "c"]])),
            Rejection::Schema,
        ),
        (
            with("/predicted_effects", json!({ "satisfies": [] })),
            Rejection::Schema,
        ),
        (
            with(
                "/authorized_violations",
                json!(["fuel-reserve", "fuel-reserve"]),
            ),
            Rejection::DuplicateId,
        ),
        (with("/action", json!("swim")), Rejection::UnknownAction),
        (
            with("/required_preservations", json!(["ile-supply"])),
            Rejection::UnknownConstraint,
        ),
        (
            with("/predicted_effects/violates", json!(["x"])),
            Rejection::UnknownConstraint,
        ),
        (
            with("/conflict_attribution", json!([["x", "fuel-reserve"]])),
            Rejection::UnknownConstraint,
        ),
        (
            with("/conflict_attribution", json!([["条約", "fuel-reserve"]])),
            Rejection::UnresolvedReference,
        ),
        (
            with("/conflict_attribution", json!([["île-supply", "条約"]])),
            Rejection::UnresolvedReference,
        ),
    ] {
        assert_eq!(read(&raw), Err(rejection), "{raw}");
    }
}

#[test]
fn an_artifact_is_read_wherever_it_stands_and_put_in_order() {
    let raw = format!(
        "Here:\n```json\n{}\n```\n",
        with(
            "/authorized_violations",
            json!(["night-quiet", "fuel-reserve", "crew-rest"])
        )
    );
    let artifact = read(&raw).unwrap();
    let expected = concat!(
        "{\"action\":\"ferry-at-speed\",",
        "\"authorized_violations\":[\"crew-rest\",\"fuel-reserve\",\"night-quiet\"],",
        "\"conflict_attribution\":[[\"île-supply\",\"fuel-reserve\"]],",
        "\"predicted_effects\":{\"satisfies\":[\"île-supply\"],\"violates\":[\"fuel-reserve\"]},",
        "\"required_preservations\":[\"île-supply\"]}"
    );
    assert_eq!(artifact.canonical(), expected);
    assert_eq!(read(expected).unwrap(), artifact);
}

/// The situation of the trap in which exactly these are feasible, if there is one among many.
fn situation(feasible: &[&str]) -> Situation {
    let mut trap = CommitmentTrap::default();
    for seed in 0..2000 {
        trap.begin(Place {
            seed,
            ..Place::default()
        });
        for _ in 0..trap.steps_per_episode() {
            let situation = trap.situation();
            if situation.feasible.keys().eq(feasible) {
                return situation;
            }
            trap.execute("");
        }
    }
    panic!("{feasible:?}");
}

#[test]
fn the_compiler_refuses_with_codes() {
    let here = situation(&["drift", "escort-by-day", "ferry-at-speed"]);
    let compiled = |raw: &str| compile(&read(raw).unwrap(), &here).map(|_| ());
    assert_eq!(compiled(&good().to_string()), Ok(()));
    let infeasible = json!({
        "action": "moor",
        "authorized_violations": ["île-supply"],
        "required_preservations": ["crew-rest"],
        "conflict_attribution": [],
        "predicted_effects": { "satisfies": ["crew-rest"], "violates": ["île-supply"] },
    });
    let unsatisfiable = json!({
        "action": "drift",
        "authorized_violations": ["条約"],
        "required_preservations": ["crew-rest", "fuel-reserve"],
        "conflict_attribution": [["fuel-reserve", "条約"]],
        "predicted_effects": { "satisfies": ["fuel-reserve"], "violates": ["条約"] },
    });
    for (raw, error) in [
        (
            with(
                "/required_preservations",
                json!(["fuel-reserve", "île-supply"]),
            ),
            CompileError::Contradiction,
        ),
        (infeasible.to_string(), CompileError::ActionInfeasible),
        (
            with("/predicted_effects/violates", json!([])),
            CompileError::EffectsMismatch,
        ),
        (
            with(
                "/authorized_violations",
                json!(["fuel-reserve", "night-quiet"]),
            )
            .replace(
                "[[\"île-supply\",\"fuel-reserve\"]]",
                "[[\"île-supply\",\"night-quiet\"]]",
            ),
            CompileError::NoConflict,
        ),
    ] {
        assert_eq!(compiled(&raw), Err(error), "{raw}");
    }
    let mut unauthorized = good();
    unauthorized["authorized_violations"] = json!([]);
    unauthorized["conflict_attribution"] = json!([]);
    assert_eq!(
        compiled(&unauthorized.to_string()),
        Err(CompileError::UnauthorizedViolation)
    );
    assert_eq!(compiled(&unsatisfiable.to_string()), Ok(()));
    // To keep the treaty no action is left that breaks only fuel-reserve.
    let treaty = with("/required_preservations", json!(["条約"]))
        .replace("[[\"île-supply\",\"fuel-reserve\"]]", "[]");
    assert_eq!(compiled(&treaty), Err(CompileError::Unsatisfiable));
}

#[test]
fn what_is_bound() {
    let here = situation(&["drift", "escort-by-day", "ferry-at-speed"]);
    let bound = compile(&read(&good().to_string()).unwrap(), &here).unwrap();
    assert_eq!(bound.forbidden, ids(&["drift", "escort-by-day"]));
    assert_eq!(bound.required, Some(ids(&["ferry-at-speed"])));
    assert!(bound.admit("ferry-at-speed") && !bound.admit("drift"));
    let all = with("/authorized_violations", json!(["fuel-reserve", "条約"]))
        .replace(
            "\"required_preservations\":[\"île-supply\"]",
            "\"required_preservations\":[]",
        )
        .replace("[[\"île-supply\",\"fuel-reserve\"]]", "[]");
    let bound = compile(&read(&all).unwrap(), &here).unwrap();
    assert_eq!(bound.forbidden, ids(&["escort-by-day"]));
    assert_eq!(bound.required, None);
}

proptest! {
    /// What the assistant takes it gives back unchanged, and nothing that is not text breaks it.
    #[test]
    fn what_is_read_is_read_again(raw in any::<String>()) {
        if let Ok(artifact) = read(&raw) {
            prop_assert_eq!(read(&artifact.canonical()).unwrap(), artifact);
        }
    }

    /// Of all that compiles the mask keeps no action that breaks what must be kept, and keeps one at least.
    #[test]
    fn masks_keep_what_must_be_kept(
        seed in 0_u64..50,
        authorized in proptest::sample::subsequence(vec!["crew-rest", "fuel-reserve", "night-quiet", "île-supply", "条約"], 0..5),
        preserved in proptest::sample::subsequence(vec!["crew-rest", "fuel-reserve", "night-quiet", "île-supply", "条約"], 0..5),
        pick in any::<proptest::sample::Index>(),
    ) {
        let mut trap = CommitmentTrap::default();
        trap.begin(Place { seed, ..Place::default() });
        let here = trap.situation();
        let action = pick.index(here.feasible.len());
        let (action, effects) = here.feasible.iter().nth(action).unwrap();
        let artifact = Artifact {
            action: action.clone(),
            authorized_violations: ids(&authorized),
            required_preservations: ids(&preserved),
            conflict_attribution: Default::default(),
            predicted_effects: effects.clone(),
        };
        if let Ok(bound) = compile(&artifact, &here) {
            let left: Vec<_> = here.feasible.iter().filter(|(a, _)| bound.admit(a)).collect();
            prop_assert!(!left.is_empty());
            for (_, effects) in left {
                prop_assert!(effects.violates.is_disjoint(&artifact.required_preservations));
                prop_assert!(effects.violates.is_subset(&artifact.authorized_violations));
            }
        }
    }
}
