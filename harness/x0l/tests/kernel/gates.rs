//! Each gate, with each code it has.

use axilog_x0l::kernel::{
    DecisionKind, DecisionReason, FailureCode, KernelGate, KernelState, decide, parse_candidates,
};
use serde_json::{Value, json};

use crate::scene::{constitution, observations, proposal, set};

/// The verdict on the good proposal after `change`.
fn verdict(change: impl Fn(&mut Value)) -> Option<(KernelGate, FailureCode)> {
    let mut item = proposal();
    change(&mut item);
    let set = set(&[item]);
    let (decision, _) = decide(
        &constitution(),
        &KernelState::default(),
        &observations(1),
        &set,
    );
    assert_eq!(decision.verdicts.len(), 1);
    let refused = decision.verdicts[0].failure;
    let expected = match refused {
        None => (DecisionKind::Action, None),
        Some(_) => (
            DecisionKind::Refuse,
            Some(DecisionReason::NoAdmissibleAction),
        ),
    };
    assert_eq!((decision.kind, decision.reason), expected);
    assert_eq!(decision.warrant.is_some(), refused.is_none());
    refused.map(|refused| (refused.gate, refused.code))
}

fn action(action_type: &str, fields: Value) -> impl Fn(&mut Value) {
    move |item| {
        item["action_request"] = json!({ "action_type": action_type, "fields": fields });
    }
}

#[test]
fn good_candidates_pass() {
    assert_eq!(verdict(|_| {}), None);
    // What a model makes up beside it counts for nothing.
    assert_eq!(verdict(|item| item["id"] = "mine".into()), None);
    let cited = |item: &mut Value| {
        item["scope_claim"]["clause_ref"] = "constitution:0.1.0#CL-NOTIFY".into();
    };
    assert_eq!(verdict(cited), None);
    let long = "é".repeat(280);
    for change in [
        action(
            "Notify",
            json!({ "to": "owner", "message": long, "urgent": true }),
        ),
        action("ReadNote", json!({ "path": "./inbox/../notes/a.md" })),
        action("WriteNote", json!({ "path": "notes/b.md", "text": "" })),
    ] {
        assert_eq!(verdict(change), None);
    }
}

#[test]
fn completeness() {
    let gate = KernelGate::Completeness;
    for (path, value, code) in [
        (
            "/action_request/action_type",
            json!(""),
            FailureCode::MissingActionType,
        ),
        ("/action_request", json!({}), FailureCode::MissingActionType),
        ("/scope_claim", json!({}), FailureCode::MissingScopeClaim),
        (
            "/scope_claim/observation_ids",
            json!([]),
            FailureCode::MissingScopeClaim,
        ),
        (
            "/scope_claim/claim",
            json!(" \n"),
            FailureCode::MissingScopeClaim,
        ),
        (
            "/scope_claim/clause_ref",
            json!(""),
            FailureCode::MissingScopeClaim,
        ),
        (
            "/justification/text",
            json!(" "),
            FailureCode::MissingJustification,
        ),
        (
            "/authority_citations",
            json!([]),
            FailureCode::MissingCitation,
        ),
    ] {
        let change = |item: &mut Value| *item.pointer_mut(path).unwrap() = value.clone();
        assert_eq!(verdict(change), Some((gate, code)), "{path}");
    }
    let gone = |item: &mut Value| drop(item.as_object_mut().unwrap().remove("justification"));
    assert_eq!(
        verdict(gone),
        Some((gate, FailureCode::MissingJustification))
    );
}

#[test]
fn authority_citation() {
    let gate = KernelGate::AuthorityCitation;
    for (citation, code) in [
        ("CL-NOTIFY", FailureCode::MalformedCitation),
        ("constitution:0.1.0", FailureCode::MalformedCitation),
        ("law:0.1.0#CL-NOTIFY", FailureCode::MalformedCitation),
        (
            "constitution:0.1.1#CL-NOTIFY",
            FailureCode::OtherConstitution,
        ),
        ("constitution:#CL-NOTIFY", FailureCode::OtherConstitution),
        ("constitution:0.1.0#CL-DELETE", FailureCode::UnknownClause),
        ("constitution:0.1.0#cl-notify", FailureCode::UnknownClause),
        ("constitution:0.1.0#", FailureCode::UnknownClause),
    ] {
        // One that is not good is enough.
        let change = |item: &mut Value| {
            item["authority_citations"]
                .as_array_mut()
                .unwrap()
                .push(citation.into());
        };
        assert_eq!(verdict(change), Some((gate, code)), "{citation}");
    }
}

#[test]
fn scope_claim() {
    let gate = KernelGate::ScopeClaim;
    for (member, value, code) in [
        (
            "observation_ids",
            json!(["0".repeat(64)]),
            FailureCode::UnknownObservation,
        ),
        (
            "observation_ids",
            json!(["user_input"]),
            FailureCode::UnknownObservation,
        ),
        ("clause_ref", json!("CL-DELETE"), FailureCode::UnknownClause),
        ("clause_ref", json!("CL-NOTES"), FailureCode::ClauseNotCited),
        (
            "clause_ref",
            json!("constitution:0.1.0#CL-NOTES"),
            FailureCode::ClauseNotCited,
        ),
        (
            "clause_ref",
            json!("constitution:0.2#CL-NOTIFY"),
            FailureCode::ClauseNotCited,
        ),
    ] {
        let change = |item: &mut Value| item["scope_claim"][member] = value.clone();
        assert_eq!(verdict(change), Some((gate, code)), "{value}");
    }
}

#[test]
fn constitution_compliance() {
    let gate = KernelGate::ConstitutionCompliance;
    let notify = |more: (&str, Value)| {
        let mut fields = json!({ "to": "operator", "message": "m" });
        fields[more.0] = more.1;
        action("Notify", fields)
    };
    for (change, code) in [
        (action("Delete", json!({})), FailureCode::UnknownActionType),
        (action("notify", json!({})), FailureCode::UnknownActionType),
        (action("Halt", json!({})), FailureCode::KernelOnly),
        (
            action("Notify", json!({ "to": "operator" })),
            FailureCode::MissingField,
        ),
        (action("Notify", json!({})), FailureCode::MissingField),
    ] {
        assert_eq!(verdict(change), Some((gate, code)));
    }
    for (field, value, code) in [
        ("cc", json!("owner"), FailureCode::UnknownField),
        ("message", json!(5), FailureCode::WrongFieldType),
        ("message", json!(null), FailureCode::WrongFieldType),
        ("urgent", json!("yes"), FailureCode::WrongFieldType),
        ("message", json!("m".repeat(281)), FailureCode::FieldTooLong),
        ("to", json!("everyone"), FailureCode::ValueNotAllowed),
        ("to", json!("Operator"), FailureCode::ValueNotAllowed),
    ] {
        let change = notify((field, value.clone()));
        assert_eq!(verdict(change), Some((gate, code)), "{field} {value}");
    }
}

#[test]
fn io_allowlist() {
    for path in [
        "/etc/passwd",
        "notes/../secret",
        "../notes/a",
        "inbox/a",
        "notes\\a",
        "",
    ] {
        let change = action("WriteNote", json!({ "path": path, "text": "t" }));
        let expected = Some((KernelGate::IoAllowlist, FailureCode::WriteOutsideAllowlist));
        assert_eq!(verdict(change), expected, "{path}");
    }
    let read = action("ReadNote", json!({ "path": "inboxes/a" }));
    let expected = Some((KernelGate::IoAllowlist, FailureCode::ReadOutsideAllowlist));
    assert_eq!(verdict(read), expected);
}

/// The first gate that fails is the one recorded.
#[test]
fn gates_stand_in_order() {
    let mut item = json!({
        "action_request": { "action_type": "WriteNote", "fields": { "path": "/etc/x", "text": 1 } },
        "scope_claim": { "observation_ids": ["none"], "claim": "c", "clause_ref": "none" },
        "authority_citations": ["none"],
    });
    let mut seen = Vec::new();
    let repairs: [(&str, Value); 4] = [
        ("/justification", json!({ "text": "why" })),
        (
            "/authority_citations",
            proposal()["authority_citations"].clone(),
        ),
        ("/scope_claim", proposal()["scope_claim"].clone()),
        ("/action_request/fields/text", json!("t")),
    ];
    for repair in repairs.into_iter().map(Some).chain([None]) {
        let found = verdict(|slot| *slot = item.clone()).unwrap();
        seen.push(found.0);
        if let Some((path, value)) = repair {
            match item.pointer_mut(path) {
                Some(part) => *part = value,
                None => item[&path[1..]] = value,
            }
        }
    }
    assert_eq!(seen, KernelGate::ALL);
}

#[test]
fn malformed_items_are_counted_and_the_others_count() {
    let mut wrong = proposal();
    wrong["scope_claim"]["observation_ids"] = "all of them".into();
    let items = json!([7, proposal(), null, "x", [], wrong, { "action_request": [] }]);
    let parsed = parse_candidates(&json!({ "candidates": items, "note": "hello" }));
    assert_eq!((parsed.reported, parsed.errors), (7, 6));
    assert_eq!(parsed.candidates.len(), 1);
    let empty = parse_candidates(&json!({ "candidates": [] }));
    assert_eq!((empty.reported, empty.errors), (0, 0));
    for answer in [
        json!({}),
        json!({ "candidates": {} }),
        json!({ "Candidates": [] }),
    ] {
        let parsed = parse_candidates(&answer);
        assert_eq!(
            (parsed.candidates.len(), parsed.reported, parsed.errors),
            (0, 0, 1)
        );
    }
}
