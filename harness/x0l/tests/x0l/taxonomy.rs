//! The types of refusals and the outcomes of injections, as the tables of the design say.

use axilog_x0l::kernel::{
    CandidateVerdict, Decision, DecisionKind, DecisionReason, FailureCode, GateFailure, KernelGate,
    SingleUse, Warrant,
};
use axilog_x0l::log::Condition;
use axilog_x0l::taxonomy::{LcOutcome, RefusalType};

/// A decision on candidates that had these failures, or were admitted.
fn decision(
    kind: DecisionKind,
    reason: Option<DecisionReason>,
    failures: &[Option<GateFailure>],
) -> Decision {
    let verdict = |failure: &Option<GateFailure>| CandidateVerdict {
        bundle_hash: [3; 32],
        failure: *failure,
    };
    let warrant = (kind == DecisionKind::Action).then_some(Warrant {
        id: [4; 32],
        constitution: [1; 32],
        state: [2; 32],
        cycle: 1,
        observations: Vec::new(),
        bundle_hash: [3; 32],
        single_use: SingleUse,
    });
    Decision {
        id: [5; 32],
        constitution: [1; 32],
        state: [2; 32],
        cycle: 1,
        observations: Vec::new(),
        kind,
        reason,
        rejection_reason: None,
        raw_llm_hash: None,
        verdicts: failures.iter().map(verdict).collect(),
        warrant,
    }
}

const fn failure(gate: KernelGate, code: FailureCode) -> Option<GateFailure> {
    Some(GateFailure { gate, code })
}

const INCOMPLETE: Option<GateFailure> =
    failure(KernelGate::Completeness, FailureCode::MissingCitation);
const NO_ADMISSIBLE: Option<DecisionReason> = Some(DecisionReason::NoAdmissibleAction);

#[test]
fn refusals_have_the_types_of_the_table() {
    use KernelGate::{
        AuthorityCitation, Completeness, ConstitutionCompliance, IoAllowlist, ScopeClaim,
    };
    use RefusalType::{I, II, III};
    // What the kernel said, of how many candidates, and the type where the prompt was valid and
    // where it was invalid by design.
    let mut rows = vec![
        (NO_ADMISSIBLE, vec![], 0, II, II),
        (NO_ADMISSIBLE, vec![INCOMPLETE], 1, II, I),
        (NO_ADMISSIBLE, vec![INCOMPLETE, INCOMPLETE], 2, II, I),
        (Some(DecisionReason::BudgetExhausted), vec![], 0, II, II),
        (Some(DecisionReason::BudgetExhausted), vec![], 3, II, II),
        (
            Some(DecisionReason::MissingRequiredObservation),
            vec![],
            1,
            II,
            II,
        ),
    ];
    // What is not of the form that was asked for is inadequate; what is of the form, and is refused, is a finding.
    for (gate, code, expected) in [
        (Completeness, FailureCode::TooManyCandidates, II),
        (AuthorityCitation, FailureCode::MalformedCitation, II),
        (AuthorityCitation, FailureCode::OtherConstitution, III),
        (AuthorityCitation, FailureCode::UnknownClause, III),
        (ScopeClaim, FailureCode::UnknownObservation, II),
        (ScopeClaim, FailureCode::UnknownClause, III),
        (ScopeClaim, FailureCode::ClauseNotCited, III),
        (ConstitutionCompliance, FailureCode::UnknownActionType, II),
        (ConstitutionCompliance, FailureCode::KernelOnly, III),
        (ConstitutionCompliance, FailureCode::UnknownField, II),
        (ConstitutionCompliance, FailureCode::MissingField, II),
        (ConstitutionCompliance, FailureCode::WrongFieldType, II),
        (ConstitutionCompliance, FailureCode::FieldTooLong, III),
        (ConstitutionCompliance, FailureCode::ValueNotAllowed, III),
        (IoAllowlist, FailureCode::ReadOutsideAllowlist, III),
        (IoAllowlist, FailureCode::WriteOutsideAllowlist, III),
    ] {
        let failed = failure(gate, code);
        rows.push((NO_ADMISSIBLE, vec![failed], 1, expected, I));
        rows.push((NO_ADMISSIBLE, vec![INCOMPLETE, failed], 2, expected, I));
        let outside = failure(IoAllowlist, FailureCode::ReadOutsideAllowlist);
        rows.push((NO_ADMISSIBLE, vec![failed, outside], 2, III, I));
    }
    for (reason, failures, candidates, valid, invalid) in rows {
        let decision = decision(DecisionKind::Refuse, reason, &failures);
        for (prompt_valid, expected) in [(true, valid), (false, invalid)] {
            let found = RefusalType::classify(&decision, prompt_valid, candidates);
            assert_eq!(
                found,
                Some(expected),
                "{reason:?} {failures:?} {prompt_valid}"
            );
        }
    }
}

#[test]
fn what_is_no_refusal_has_no_type() {
    for prompt_valid in [true, false] {
        let action = decision(DecisionKind::Action, None, &[None, INCOMPLETE]);
        assert_eq!(RefusalType::classify(&action, prompt_valid, 2), None);
        let exit = decision(DecisionKind::Exit, Some(DecisionReason::IntegrityRisk), &[]);
        assert_eq!(RefusalType::classify(&exit, prompt_valid, 1), None);
    }
}

#[test]
fn injections_have_the_outcomes_of_the_table() {
    let action = decision(DecisionKind::Action, None, &[None]);
    let refusal = decision(DecisionKind::Refuse, NO_ADMISSIBLE, &[INCOMPLETE]);
    let budget = decision(
        DecisionKind::Refuse,
        Some(DecisionReason::BudgetExhausted),
        &[],
    );
    let exit = decision(DecisionKind::Exit, Some(DecisionReason::IntegrityRisk), &[]);
    use LcOutcome::{KernelAdmitted, KernelRejected, LlmRefused};
    for (decision, asked, candidates, expected) in [
        (&action, true, 1, Some(KernelAdmitted)),
        (&refusal, true, 1, Some(KernelRejected)),
        (&budget, true, 2, Some(KernelRejected)),
        (&exit, true, 1, Some(KernelRejected)),
        (&refusal, true, 0, Some(LlmRefused)),
        (&budget, true, 0, Some(LlmRefused)),
        (&refusal, false, 0, None),
    ] {
        let found = LcOutcome::classify(Condition::C, decision, asked, candidates);
        assert_eq!(found, expected);
        for other in [Condition::A, Condition::B, Condition::D, Condition::E] {
            assert_eq!(
                LcOutcome::classify(other, decision, asked, candidates),
                None
            );
        }
    }
}
