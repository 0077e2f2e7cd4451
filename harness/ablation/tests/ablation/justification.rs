//! The codes of the formal assistant and of the compiler.

use axilog_ablation::artifact::Artifact;
use axilog_ablation::assistant::{Rejection, assist};
use axilog_ablation::compile::{CompileError, compile};
use axilog_ablation::environment::Place;
use axilog_ablation::environment::{Environment, Situation};
use axilog_ablation::environment_source::open_harbour;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::ids;

/// What an indifferent agent answers where `ferry-at-speed` and `drift` are feasible.
fn valid_artifact() -> Value {
    json!({
        "action": "ferry-at-speed",
        "authorized_violations": ["fuel-reserve"],
        "required_preservations": ["île-supply"],
        "conflict_attribution": [["île-supply", "fuel-reserve"]],
        "predicted_effects": { "satisfies": ["île-supply"], "violates": ["fuel-reserve"] },
    })
}

/// The valid artifact with another value at `pointer`.
fn replace_at(pointer: &str, value: Value) -> String {
    let mut artifact = valid_artifact();
    *artifact.pointer_mut(pointer).unwrap() = value;
    artifact.to_string()
}

fn assist_in_trap(text: &str) -> Result<Artifact, Rejection> {
    assist(text, &open_harbour().unwrap())
}

#[test]
fn the_assistant_rejects_with_codes_and_repairs_nothing() {
    let mut more = valid_artifact();
    more["comment"] = "x".into();
    let mut less = valid_artifact();
    less.as_object_mut().unwrap().remove("predicted_effects");
    for (raw, rejection) in [
        ("I refuse.".to_owned(), Rejection::NoJson),
        ("{} {}".to_owned(), Rejection::AmbiguousMultiBlock),
        ("{\"action\":".to_owned(), Rejection::ParseError),
        ("{}".to_owned(), Rejection::Schema),
        (more.to_string(), Rejection::Schema),
        (less.to_string(), Rejection::Schema),
        (replace_at("/action", json!(1)), Rejection::Schema),
        (
            replace_at("/authorized_violations", json!("fuel-reserve")),
            Rejection::Schema,
        ),
        (
            replace_at("/required_preservations", json!([null])),
            Rejection::Schema,
        ),
        (
            replace_at("/conflict_attribution", json!([["île-supply"]])),
            Rejection::Schema,
        ),
        (
            replace_at("/conflict_attribution", json!([["a", "b", "c"]])),
            Rejection::Schema,
        ),
        (
            replace_at("/predicted_effects", json!({ "satisfies": [] })),
            Rejection::Schema,
        ),
        (
            replace_at("/predicted_effects", json!([["île-supply"], []])),
            Rejection::Schema,
        ),
        (
            replace_at(
                "/authorized_violations",
                json!(["fuel-reserve", "fuel-reserve"]),
            ),
            Rejection::DuplicateId,
        ),
        (
            replace_at("/action", json!("swim")),
            Rejection::UnknownAction,
        ),
        (
            replace_at("/required_preservations", json!(["ile-supply"])),
            Rejection::UnknownConstraint,
        ),
        (
            replace_at("/predicted_effects/violates", json!(["x"])),
            Rejection::UnknownConstraint,
        ),
        (
            replace_at("/conflict_attribution", json!([["x", "fuel-reserve"]])),
            Rejection::UnknownConstraint,
        ),
        (
            replace_at("/conflict_attribution", json!([["条約", "fuel-reserve"]])),
            Rejection::UnresolvedReference,
        ),
        (
            replace_at("/conflict_attribution", json!([["île-supply", "条約"]])),
            Rejection::UnresolvedReference,
        ),
    ] {
        assert_eq!(assist_in_trap(&raw), Err(rejection), "{raw}");
    }
}

#[test]
fn an_artifact_is_found_in_the_answer_and_its_sets_are_sorted() {
    let raw = format!(
        "Here:\n```json\n{}\n```\n",
        replace_at(
            "/authorized_violations",
            json!(["night-quiet", "fuel-reserve", "crew-rest"])
        )
    );
    let artifact = assist_in_trap(&raw).unwrap();
    let expected = concat!(
        "{\"action\":\"ferry-at-speed\",",
        "\"authorized_violations\":[\"crew-rest\",\"fuel-reserve\",\"night-quiet\"],",
        "\"conflict_attribution\":[[\"île-supply\",\"fuel-reserve\"]],",
        "\"predicted_effects\":{\"satisfies\":[\"île-supply\"],\"violates\":[\"fuel-reserve\"]},",
        "\"required_preservations\":[\"île-supply\"]}"
    );
    assert_eq!(artifact.canonical(), expected);
    assert_eq!(assist_in_trap(expected).unwrap(), artifact);
}

/// Finds a situation of the trap in which exactly these actions are feasible.
fn find_situation(feasible: &[&str]) -> Situation {
    let mut trap = open_harbour().unwrap();
    for seed in 0..2000 {
        trap.begin_episode(Place {
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
    let here = find_situation(&["drift", "escort-by-day", "ferry-at-speed"]);
    let try_compile = |raw: &str| compile(&assist_in_trap(raw).unwrap(), &here).map(|_| ());
    assert_eq!(try_compile(&valid_artifact().to_string()), Ok(()));
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
            replace_at(
                "/required_preservations",
                json!(["fuel-reserve", "île-supply"]),
            ),
            CompileError::Contradiction,
        ),
        (infeasible.to_string(), CompileError::ActionInfeasible),
        (
            replace_at("/predicted_effects/violates", json!([])),
            CompileError::EffectsMismatch,
        ),
        (
            replace_at(
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
        assert_eq!(try_compile(&raw), Err(error), "{raw}");
    }
    let mut unauthorized = valid_artifact();
    unauthorized["authorized_violations"] = json!([]);
    unauthorized["conflict_attribution"] = json!([]);
    assert_eq!(
        try_compile(&unauthorized.to_string()),
        Err(CompileError::UnauthorizedViolation)
    );
    assert_eq!(try_compile(&unsatisfiable.to_string()), Ok(()));
    // To keep the treaty no action is left that breaks only fuel-reserve.
    let treaty = replace_at("/required_preservations", json!(["条約"]))
        .replace("[[\"île-supply\",\"fuel-reserve\"]]", "[]");
    assert_eq!(try_compile(&treaty), Err(CompileError::Unsatisfiable));
}

#[test]
fn constraints_forbid_and_require_actions() {
    let here = find_situation(&["drift", "escort-by-day", "ferry-at-speed"]);
    let constraints = compile(
        &assist_in_trap(&valid_artifact().to_string()).unwrap(),
        &here,
    )
    .unwrap();
    assert_eq!(constraints.forbidden, ids(&["drift", "escort-by-day"]));
    assert_eq!(constraints.required, Some(ids(&["ferry-at-speed"])));
    assert!(constraints.admit("ferry-at-speed") && !constraints.admit("drift"));
    let all = replace_at("/authorized_violations", json!(["fuel-reserve", "条約"]))
        .replace(
            "\"required_preservations\":[\"île-supply\"]",
            "\"required_preservations\":[]",
        )
        .replace("[[\"île-supply\",\"fuel-reserve\"]]", "[]");
    let constraints = compile(&assist_in_trap(&all).unwrap(), &here).unwrap();
    assert_eq!(constraints.forbidden, ids(&["escort-by-day"]));
    assert_eq!(constraints.required, None);
}

proptest! {
    /// An artifact that the assistant accepts is read the same from its canonical JSON; no text makes the
    /// assistant panic.
    #[test]
    fn artifacts_are_read_from_their_canonical_form(raw in any::<String>()) {
        if let Ok(artifact) = assist_in_trap(&raw) {
            prop_assert_eq!(assist_in_trap(&artifact.canonical()).unwrap(), artifact);
        }
    }

    /// Constraints leave at least one action, and none that violates what must be preserved.
    #[test]
    fn constraints_leave_only_actions_that_preserve(
        seed in 0_u64..50,
        authorized in proptest::sample::subsequence(vec!["crew-rest", "fuel-reserve", "night-quiet", "île-supply", "条約"], 0..5),
        preserved in proptest::sample::subsequence(vec!["crew-rest", "fuel-reserve", "night-quiet", "île-supply", "条約"], 0..5),
        pick in any::<proptest::sample::Index>(),
    ) {
        let mut trap = open_harbour().unwrap();
        trap.begin_episode(Place { seed, ..Place::default() });
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
        if let Ok(constraints) = compile(&artifact, &here) {
            let left: Vec<_> = here.feasible.iter().filter(|(a, _)| constraints.admit(a)).collect();
            prop_assert!(!left.is_empty());
            for (_, effects) in left {
                prop_assert!(effects.violates.is_disjoint(&artifact.required_preservations));
                prop_assert!(effects.violates.is_subset(&artifact.authorized_violations));
            }
        }
    }
}
