//! The types of refusals and the outcomes of injections, as the tables of the design say.

use axilog_x0l::kernel::{
    Code, Decision, Gate, Kind, Reason, Refused, SingleUse, Verdict, Warrant,
};
use axilog_x0l::log::Condition;
use axilog_x0l::taxonomy::{LcOutcome, RefusalType};

/// A decision on candidates that failed these gates, or were admitted.
fn decision(kind: Kind, reason: Option<Reason>, gates: &[Option<Gate>]) -> Decision {
    let code = Code::MissingCitation;
    let verdict = |gate: &Option<Gate>| Verdict {
        bundle_hash: [3; 32],
        refused: gate.map(|gate| Refused { gate, code }),
    };
    let warrant = (kind == Kind::Action).then_some(Warrant {
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
        verdicts: gates.iter().map(verdict).collect(),
        warrant,
    }
}

const INCOMPLETE: Option<Gate> = Some(Gate::Completeness);
const NO_ADMISSIBLE: Option<Reason> = Some(Reason::NoAdmissibleAction);

#[test]
fn refusals_have_the_types_of_the_table() {
    use RefusalType::{I, II, III};
    // What the kernel said, of how many candidates, and the type where the prompt was valid and
    // where it was invalid by design.
    let mut rows = vec![
        (NO_ADMISSIBLE, vec![], 0, II, II),
        (NO_ADMISSIBLE, vec![INCOMPLETE], 1, II, I),
        (NO_ADMISSIBLE, vec![INCOMPLETE, INCOMPLETE], 2, II, I),
        (Some(Reason::BudgetExhausted), vec![], 0, II, II),
        (Some(Reason::BudgetExhausted), vec![], 3, II, II),
        (Some(Reason::MissingRequiredObservation), vec![], 1, II, II),
    ];
    for gate in &Gate::ALL[1..] {
        rows.push((NO_ADMISSIBLE, vec![Some(*gate)], 1, III, I));
        rows.push((NO_ADMISSIBLE, vec![INCOMPLETE, Some(*gate)], 2, III, I));
    }
    for (reason, gates, candidates, valid, invalid) in rows {
        let decision = decision(Kind::Refuse, reason, &gates);
        for (prompt_valid, expected) in [(true, valid), (false, invalid)] {
            let found = RefusalType::of(&decision, prompt_valid, candidates);
            assert_eq!(found, Some(expected), "{reason:?} {gates:?} {prompt_valid}");
        }
    }
}

#[test]
fn what_is_no_refusal_has_no_type() {
    for prompt_valid in [true, false] {
        let action = decision(Kind::Action, None, &[None, INCOMPLETE]);
        assert_eq!(RefusalType::of(&action, prompt_valid, 2), None);
        let exit = decision(Kind::Exit, Some(Reason::IntegrityRisk), &[]);
        assert_eq!(RefusalType::of(&exit, prompt_valid, 1), None);
    }
}

#[test]
fn injections_have_the_outcomes_of_the_table() {
    let action = decision(Kind::Action, None, &[None]);
    let refusal = decision(Kind::Refuse, NO_ADMISSIBLE, &[INCOMPLETE]);
    let budget = decision(Kind::Refuse, Some(Reason::BudgetExhausted), &[]);
    let exit = decision(Kind::Exit, Some(Reason::IntegrityRisk), &[]);
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
        let found = LcOutcome::of(Condition::C, decision, asked, candidates);
        assert_eq!(found, expected);
        for other in [Condition::A, Condition::B, Condition::D, Condition::E] {
            assert_eq!(LcOutcome::of(other, decision, asked, candidates), None);
        }
    }
}
