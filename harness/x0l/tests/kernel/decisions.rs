//! What is decided, in which order, and what does not matter to it.

use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::jcs;
use axilog_oracle::canonicalizer::Status;
use axilog_x0l::document::to_value;
use axilog_x0l::kernel::{
    CandidateSet, DecisionKind, DecisionReason, FailureCode, GateFailure, KernelGate,
    KernelObservation, KernelState, RejectionReason, SystemEvent, decide,
};
use proptest::prelude::*;
use serde_json::json;

use crate::scene::{candidates, constitution, observations, proposal, saying, set};

fn outcome(
    observations: &[KernelObservation],
    set: &CandidateSet,
) -> (DecisionKind, Option<DecisionReason>) {
    let (decision, _) = decide(&constitution(), &KernelState::default(), observations, set);
    assert_eq!(
        decision.warrant.is_some(),
        decision.kind == DecisionKind::Action
    );
    (decision.kind, decision.reason)
}

#[test]
fn the_order_of_refusals() {
    let good = set(&[proposal()]);
    let integrity = KernelObservation::System {
        event: SystemEvent::IntegrityRisk,
        detail: "a blob differs".to_owned(),
    };
    let missing = (
        DecisionKind::Refuse,
        Some(DecisionReason::MissingRequiredObservation),
    );
    let exhausted = (DecisionKind::Refuse, Some(DecisionReason::BudgetExhausted));
    let ended = (DecisionKind::Exit, Some(DecisionReason::IntegrityRisk));

    let mut seen = observations(6_000);
    assert_eq!(outcome(&seen, &good), (DecisionKind::Action, None));
    seen.push(integrity.clone());
    assert_eq!(outcome(&seen, &good), ended);

    let mut over = observations(6_001);
    assert_eq!(outcome(&over, &good), exhausted);
    over.push(integrity);
    assert_eq!(outcome(&over, &good), ended);
    // The timestamp comes first of all.
    let time = over.remove(1);
    assert_eq!(outcome(&over, &good), missing);
    over.extend([time.clone(), time]);
    assert_eq!(outcome(&over, &good), missing);

    // Tokens that nobody has counted, or somebody twice, are no tokens within the limit.
    let mut uncounted = observations(1);
    let budget = uncounted.pop().unwrap();
    assert_eq!(outcome(&uncounted, &good), missing);
    uncounted.extend([budget.clone(), budget]);
    assert_eq!(outcome(&uncounted, &good), missing);
}

/// Q56: a rejected answer is decided upon like any other, and the reason is in the decision.
#[test]
fn rejections_are_refused_by_the_kernel() {
    for (reason, text) in [
        (RejectionReason::NoJson, "NO_JSON"),
        (
            RejectionReason::AmbiguousMultiBlock,
            "AMBIGUOUS_MULTI_BLOCK",
        ),
        (RejectionReason::ParseError, "PARSE_ERROR"),
        (
            RejectionReason::BudgetExhaustedSession,
            "BUDGET_EXHAUSTED_SESSION",
        ),
    ] {
        let set = CandidateSet {
            rejection_reason: Some(reason),
            raw_llm_hash: Some(sha256(b"raw")),
            ..CandidateSet::default()
        };
        let (decision, next) = decide(
            &constitution(),
            &KernelState::default(),
            &observations(1),
            &set,
        );
        assert_eq!(decision.kind, DecisionKind::Refuse);
        assert_eq!(decision.reason, Some(DecisionReason::NoAdmissibleAction));
        let written = to_value(&decision);
        assert_eq!(written["rejection_reason"], text);
        assert_eq!(written["decision"], "REFUSE");
        assert_eq!(next.cycle, 1);
        assert_eq!(next.last_decision, Some(decision.id));
        let other = CandidateSet {
            raw_llm_hash: Some(sha256(b"other")),
            ..set
        };
        let (other, _) = decide(
            &constitution(),
            &KernelState::default(),
            &observations(1),
            &other,
        );
        assert_ne!(other.id, decision.id);
    }
    for status in [
        Status::Ok,
        Status::NoJson,
        Status::AmbiguousMultiBlock,
        Status::ParseError,
    ] {
        let reason = RejectionReason::from_status(status).map_or("OK", RejectionReason::as_str);
        assert_eq!(reason, status.as_str());
    }
}

#[test]
fn the_smallest_hash_of_those_admitted_is_selected() {
    let mut bad = proposal();
    bad["authority_citations"] = json!(["constitution:9#CL-NOTIFY"]);
    let items = [saying("a"), bad.clone(), saying("b"), saying("c")];
    let (decision, _) = decide(
        &constitution(),
        &KernelState::default(),
        &observations(1),
        &set(&items),
    );
    let good = candidates(&[saying("a"), saying("b"), saying("c")]);
    let smallest = good.iter().map(|candidate| candidate.hash()).min();
    assert_eq!(
        decision.warrant.map(|warrant| warrant.bundle_hash),
        smallest
    );
    let refused: Vec<_> = decision.verdicts.iter().filter_map(|v| v.failure).collect();
    let expected = GateFailure {
        gate: KernelGate::AuthorityCitation,
        code: FailureCode::OtherConstitution,
    };
    assert_eq!(refused, [expected]);
}

#[test]
fn five_candidates_are_enough_and_six_are_too_many() {
    let items: Vec<_> = (0..6).map(|n| saying(&n.to_string())).collect();
    let (five, six) = (set(&items[..5]), set(&items));
    assert_eq!(
        outcome(&observations(1), &five),
        (DecisionKind::Action, None)
    );
    let (decision, _) = decide(
        &constitution(),
        &KernelState::default(),
        &observations(1),
        &six,
    );
    assert_eq!(decision.reason, Some(DecisionReason::NoAdmissibleAction));
    let expected = GateFailure {
        gate: KernelGate::Completeness,
        code: FailureCode::TooManyCandidates,
    };
    assert!(
        decision
            .verdicts
            .iter()
            .all(|verdict| verdict.failure == Some(expected))
    );
}

#[test]
fn a_warrant_is_for_one_cycle_and_an_exit_is_for_good() {
    let (constitution, good) = (constitution(), set(&[proposal()]));
    let (first, state) = decide(
        &constitution,
        &KernelState::default(),
        &observations(1),
        &good,
    );
    let (second, state) = decide(&constitution, &state, &observations(1), &good);
    let (first, second) = (first.warrant.unwrap(), second.warrant.unwrap());
    assert_eq!(first.bundle_hash, second.bundle_hash);
    assert_ne!(first.id, second.id);
    assert_eq!((first.cycle, second.cycle), (1, 2));

    let mut seen = observations(1);
    seen.push(KernelObservation::System {
        event: SystemEvent::IntegrityRisk,
        detail: String::new(),
    });
    let (_, state) = decide(&constitution, &state, &seen, &good);
    assert!(state.ended);
    let (after, state) = decide(&constitution, &state, &observations(1), &good);
    assert_eq!(after.kind, DecisionKind::Exit);
    assert!(state.ended && after.verdicts.is_empty() && state.cycle == 4);
}

/// Bytes that never change: whoever reads old runs needs them. Another implementation of RFC 8785 and
/// SHA-256 made these.
#[test]
fn ids_do_not_change_between_versions() {
    let (decision, state) = decide(
        &constitution(),
        &KernelState::default(),
        &observations(1),
        &set(&[proposal()]),
    );
    let ids = [
        observations(1)[0].id(),
        candidates(&[proposal()])[0].hash(),
        decision.warrant.unwrap().id,
        decision.id,
        state.id(),
    ];
    assert_eq!(ids.map(|id| hex(&id)), IDS);
}

const IDS: [&str; 5] = [
    "096befc074f4e6a3d9c92a03b2e8a43e709df0f1c23ba7744d2478f5de06b01b",
    "582d940afcb141846e86e0c9a7e0c76d3b4e799ed825d9d07b5c13d384dcbf96",
    "0c5f346c32f18591b1a1a009a72ee8506aca785c99004a35ab2f8804e335d58d",
    "4cb654dc744cd790384c855282a68413720059b09305282cef9ddf842b5db855",
    "6b89bfbfaaab45bb06232c08951f6cf5a3ecda6bf735e13c08f052e774bfd346",
];

/// Whoever has a record can compute its id: it is of everything else in it.
#[test]
fn an_id_is_the_hash_of_the_rest_of_its_record() {
    let set = set(&[proposal(), saying("more")]);
    let (decision, _) = decide(
        &constitution(),
        &KernelState::default(),
        &observations(1),
        &set,
    );
    for mut record in [to_value(&decision), to_value(&decision.warrant)] {
        let id = record.as_object_mut().unwrap().remove("id").unwrap();
        let canonical = jcs::canonicalize(record.to_string().as_bytes()).unwrap();
        assert_eq!(id, hex(&sha256(&canonical)));
    }
}

proptest! {
    /// Q37: the order of the candidates changes nothing, not one byte.
    #[test]
    fn the_order_of_candidates_does_not_matter(
        items in prop::collection::vec((0u8..4, any::<bool>()), 0..7).prop_shuffle(),
        turn in 0usize..7,
    ) {
        let items: Vec<_> = items
            .iter()
            .map(|(n, good)| {
                let mut item = saying(&n.to_string());
                if !good {
                    item["scope_claim"]["clause_ref"] = "CL-NOTES".into();
                }
                item
            })
            .collect();
        let mut turned = items.clone();
        turned.rotate_left(turn.min(items.len()));
        turned.reverse();
        let one = decide(&constitution(), &KernelState::default(), &observations(9), &set(&items));
        let other = decide(&constitution(), &KernelState::default(), &observations(9), &set(&turned));
        prop_assert_eq!(&one, &other);
        let again = decide(&constitution(), &KernelState::default(), &observations(9), &set(&items));
        prop_assert_eq!(&one, &again);
    }

    /// Whatever a model proposes is decided upon.
    #[test]
    fn every_input_gets_a_decision(
        action in any::<String>(),
        field in any::<String>(),
        value in any::<String>(),
        clause in any::<String>(),
        number in any::<i64>(),
    ) {
        let mut item = proposal();
        item["action_request"]["action_type"] = action.into();
        item["action_request"]["fields"][field] = value.into();
        item["action_request"]["fields"]["number"] = number.into();
        item["authority_citations"] = json!([clause]);
        prop_assert_eq!(outcome(&observations(1), &set(&[item])).0, DecisionKind::Refuse);
    }
}
