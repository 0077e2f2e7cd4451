//! Strategies for every document of a run.

use axilog::hash::Hash;
use axilog_oracle::TransportSettings;
use axilog_x0l::kernel::{
    ActionRequest, Candidate, CandidateVerdict, Decision, DecisionKind, DecisionReason,
    FailureCode, GateFailure, Justification, KernelGate, KernelObservation, KernelState,
    RejectionReason, ScopeClaim, SingleUse, SystemEvent, Warrant,
};
use axilog_x0l::log::{
    Attempt, AttemptRecord, CalibrationRecord, CalibrationVerdict, Canonicalization, CodeHashes,
    Condition, ConditionOutcome, ConditionStatus, Cycle, FrozenAttempt, FrozenCondition,
    FrozenSentinels, FrozenSettings, FrozenWeights, InputFile, PermutationTest, PromptCount,
    RunFormat, SessionMetadata, SessionOutcome, SessionStatus, Temperature, TokenSource,
};
use axilog_x0l::taxonomy::{LcOutcome, RefusalType};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

fn hash() -> impl Strategy<Value = Hash> {
    any::<[u8; 32]>()
}

/// Values as they come out of the canonicalizer: integers within ±(2^53−1), other numbers with a
/// fraction.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1i64 << 53) + 1..1 << 53).prop_map(Value::from),
        (-1000i64..1000).prop_map(|n| Value::from(n as f64 + 0.5)),
        // Written otherwise by serde_json than in canonical form.
        select(&[0.00001, 1e-7, 1e21, 5e-324, 1.5e300][..]).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            members(inner).prop_map(Value::Object),
        ]
    })
}

fn members(
    value: impl Strategy<Value = Value>,
) -> impl Strategy<Value = serde_json::Map<String, Value>> {
    vec((any::<String>(), value), 0..4).prop_map(|members| members.into_iter().collect())
}

prop_compose! {
    pub fn candidate()(
        action_type in any::<String>(),
        fields in members(value()),
        observation_ids in vec(any::<String>(), 0..3),
        claim in any::<String>(),
        clause_ref in any::<String>(),
        justification in any::<String>(),
        authority_citations in vec(any::<String>(), 0..3),
    ) -> Candidate {
        Candidate {
            action_request: ActionRequest { action_type, fields },
            scope_claim: ScopeClaim { observation_ids, claim, clause_ref },
            justification: Justification { text: justification },
            authority_citations,
        }
    }
}

pub fn observation() -> impl Strategy<Value = KernelObservation> {
    prop_oneof![
        any::<String>().prop_map(|text| KernelObservation::UserInput { text }),
        any::<u64>().prop_map(|time| KernelObservation::Timestamp { time }),
        any::<(u64, u64, u64)>().prop_map(|(tokens, reported, errors)| KernelObservation::Budget {
            llm_output_token_count: tokens,
            llm_candidates_reported: reported,
            llm_parse_errors: errors,
        }),
        (select(&SystemEvent::ALL[..]), any::<String>())
            .prop_map(|(event, detail)| KernelObservation::System { event, detail }),
    ]
}

prop_compose! {
    fn verdict()(
        bundle_hash in hash(),
        refused in option::of((select(&KernelGate::ALL[..]), select(&FailureCode::ALL[..]))),
    ) -> CandidateVerdict {
        CandidateVerdict { bundle_hash, failure: refused.map(|(gate, code)| GateFailure { gate, code }) }
    }
}

prop_compose! {
    fn warrant()(
        [id, constitution, state, bundle_hash] in [hash(), hash(), hash(), hash()],
        cycle in any::<u64>(), observations in vec(hash(), 0..4),
    ) -> Warrant {
        Warrant {
            id, constitution, state, cycle, observations, bundle_hash, single_use: SingleUse,
        }
    }
}

prop_compose! {
    pub fn decision()(
        [id, constitution, state] in [hash(), hash(), hash()],
        cycle in any::<u64>(), observations in vec(hash(), 0..4),
        kind in select(&DecisionKind::ALL[..]),
        reason in option::of(select(&DecisionReason::ALL[..])),
        rejection_reason in option::of(select(&RejectionReason::ALL[..])),
        raw_llm_hash in option::of(hash()),
        verdicts in vec(verdict(), 0..4),
        warrant in option::of(warrant()),
    ) -> Decision {
        Decision {
            id, constitution, state, cycle, observations, kind, reason, rejection_reason,
            raw_llm_hash, verdicts, warrant,
        }
    }
}

prop_compose! {
    pub fn state()(
        cycle in any::<u64>(), last_decision in option::of(hash()), ended in any::<bool>(),
    ) -> KernelState {
        KernelState { cycle, last_decision, ended }
    }
}

prop_compose! {
    fn attempt()(
        waited_ms in any::<u64>(), took_ms in any::<u64>(), fault in option::of(any::<String>()),
    ) -> AttemptRecord {
        AttemptRecord { waited_ms, took_ms, fault }
    }
}

prop_compose! {
    pub fn cycle()(
        (condition, cycle, number, task, prompt_valid, ledger_seq) in (
            select(&Condition::ALL[..]), any::<u64>(), any::<u64>(), any::<String>(),
            any::<bool>(), option::of(any::<u64>()),
        ),
        (input_hash, raw, raw_llm_hash, canonicalization, canonicalized, canonicalized_hash) in (
            option::of(hash()), option::of(any::<String>()), option::of(hash()),
            select(&Canonicalization::ALL[..]), option::of(any::<String>()), option::of(hash()),
        ),
        (candidates, rejection_reason, candidates_reported, parse_errors, observations) in (
            vec(candidate(), 0..3), option::of(select(&RejectionReason::ALL[..])), any::<u64>(),
            any::<u64>(), vec(observation(), 0..4),
        ),
        (prompt_tokens, completion_tokens, latency_ms, attempts) in (
            any::<u64>(), any::<u64>(), any::<u64>(), vec(attempt(), 0..3),
        ),
        (answered_by, system_fingerprint, finish_reason, permutations) in (
            option::of(any::<String>()), option::of(any::<String>()), option::of(any::<String>()),
            option::of((any::<u64>(), any::<bool>())),
        ),
        (decision, state, refusal_type, lc_outcome) in (
            decision(), hash(), option::of(select(&RefusalType::ALL[..])),
            option::of(select(&LcOutcome::ALL[..])),
        ),
    ) -> Cycle {
        Cycle {
            condition, cycle, number, task, prompt_valid, ledger_seq, input_hash, raw,
            raw_llm_hash, canonicalization, canonicalized, canonicalized_hash, candidates,
            rejection_reason, candidates_reported, parse_errors, observations, prompt_tokens,
            completion_tokens, latency_ms, attempts, answered_by, system_fingerprint, finish_reason,
            permutations: permutations.map(|(tried, equal)| PermutationTest { tried, equal }),
            decision, state, refusal_type, lc_outcome,
        }
    }
}

prop_compose! {
    fn file()(name in "[A-Za-z0-9][A-Za-z0-9._-]{0,20}", sha256 in hash()) -> InputFile {
        InputFile { name, sha256 }
    }
}

prop_compose! {
    fn frozen_condition()(
        id in select(&Condition::ALL[..]), tasks in file(), corpus in option::of(file()),
        order_seed in option::of(any::<u64>()),
    ) -> FrozenCondition {
        FrozenCondition { id, tasks, corpus, order_seed }
    }
}

fn token_source() -> impl Strategy<Value = TokenSource> {
    prop_oneof![
        Just(TokenSource::API),
        any::<(String, String)>()
            .prop_map(|(tokenizer, version)| TokenSource::Local { tokenizer, version }),
    ]
}

prop_compose! {
    fn code_hashes()([source_hash, self_test_hash] in [hash(), hash()]) -> CodeHashes {
        CodeHashes { source_hash, self_test_hash }
    }
}

prop_compose! {
    fn transport()(
        [timeout_ms, max_retry_after_ms, pace_ms] in any::<[u64; 3]>(),
        backoff_ms in vec(any::<u64>(), 0..4), token_limit_as in any::<String>(),
        response_format in option::of(any::<String>()),
    ) -> TransportSettings {
        TransportSettings {
            timeout_ms, backoff_ms, max_retry_after_ms, pace_ms, token_limit_as, response_format,
        }
    }
}

prop_compose! {
    fn weights()(name in any::<String>(), sha256 in hash(), size in any::<u64>()) -> FrozenWeights {
        FrozenWeights { name, sha256, size }
    }
}

prop_compose! {
    fn sentinels()(max_tokens in any::<u64>(), prompts in vec(hash(), 0..4)) -> FrozenSentinels {
        FrozenSentinels { max_tokens, prompts }
    }
}

prop_compose! {
    fn known_attempt()(
        attempt in any::<u64>(), began in any::<u64>(), erratum in option::of(hash()),
        head in option::of(hash()), status in option::of(select(&SessionStatus::ALL[..])),
    ) -> Attempt {
        Attempt { attempt, began, erratum, head, status }
    }
}

prop_compose! {
    fn place()(
        attempt in any::<u64>(), earlier in vec(known_attempt(), 0..3),
        planned in option::of(any::<u64>()), subject in hash(),
    ) -> FrozenAttempt {
        FrozenAttempt { attempt, earlier, planned, subject }
    }
}

prop_compose! {
    pub fn frozen()(
        (axilog, model, oracle, base_url) in (
            any::<String>(), any::<String>(), any::<String>(), option::of(any::<String>()),
        ),
        (context_window_size, max_tokens, seed, b1, b2, cycles, started) in (
            any::<u64>(), any::<u64>(), option::of(any::<u64>()), any::<u64>(), any::<u64>(),
            any::<u64>(), any::<u64>(),
        ),
        (token_source, conditions, constitution, template, base_template, erratum, corrects) in (
            token_source(), vec(frozen_condition(), 0..5), file(), file(), option::of(file()),
            option::of(hash()), option::of(hash()),
        ),
        (canonicalizer, kernel) in (code_hashes(), code_hashes()),
        transport in option::of(transport()),
        weights in option::of(weights()), sentinels in option::of(sentinels()),
        format in select(&RunFormat::ALL[..]),
        prompt_count in option::of(Just(PromptCount::Server)),
        (plan, correction) in (option::of(place()), option::of(place())),
    ) -> FrozenSettings {
        FrozenSettings {
            axilog, model, oracle, base_url, transport, weights, sentinels, context_window_size, max_tokens, seed,
            b1, b2, token_source, cycles, conditions, constitution, template, base_template, erratum,
            corrects, canonicalizer, kernel, format, temperature: Temperature::Zero, started,
            prompt_count, plan, correction,
        }
    }
}

prop_compose! {
    fn calibration()(
        verdict in select(&CalibrationVerdict::ALL[..]), input_hash in hash(),
        canonicalized_hash in option::of(hash()), ledger_seqs in vec(any::<u64>(), 0..4),
        answered_by in option::of(any::<String>()),
        system_fingerprint in option::of(any::<String>()), tokens in any::<u64>(),
    ) -> CalibrationRecord {
        CalibrationRecord {
            verdict, input_hash, canonicalized_hash, answered_by, system_fingerprint, ledger_seqs,
            tokens,
        }
    }
}

prop_compose! {
    pub fn outcome()(
        status in select(&SessionStatus::ALL[..]), reason in option::of(any::<String>()),
        cycles in any::<u64>(), tokens_spent in any::<u64>(),
        conditions in vec(
            (select(&Condition::ALL[..]), any::<u64>(), select(&ConditionStatus::ALL[..])), 0..5,
        ),
    ) -> SessionOutcome {
        let condition = |(id, cycles, status)| ConditionOutcome { id, cycles, status };
        let conditions = conditions.into_iter().map(condition).collect();
        SessionOutcome { status, reason, conditions, cycles, tokens_spent }
    }
}

prop_compose! {
    pub fn metadata()(
        frozen in frozen(), calibration in option::of(calibration()),
        outcome in option::of(outcome()),
    ) -> SessionMetadata {
        SessionMetadata { frozen, calibration, outcome }
    }
}
