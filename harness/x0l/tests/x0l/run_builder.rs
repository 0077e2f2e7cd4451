//! A run built step by step from the public parts, with the example files, and without a session.

use std::path::Path;

use axilog::evidence::observation::{Completion, Params};
use axilog::hash::sha256;
use axilog_ledger::encoding::hex;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_oracle::canonicalizer::{canonicalize, self_test_hash, source_hash};
use axilog_policyc::PolicySet;
use axilog_x0l::calibration;
use axilog_x0l::condition::TaskSet;
use axilog_x0l::kernel::{
    CandidateSet, Constitution, DecisionKind, KernelState, Observation, ParsedCandidates,
    RejectionReason, decide, parse_candidates,
};
use axilog_x0l::log::{
    AttemptRecord, CalibrationRecord, CalibrationVerdict, Canonicalization, CanonicalizerHashes,
    Condition, ConditionOutcome, ConditionStatus, Cycle, CycleLog, FrozenCondition, FrozenSettings,
    RunDirectory, RunFormat, SessionMetadata, SessionOutcome, SessionStatus, Temperature,
    TokenSource, witness,
};
use axilog_x0l::permutation::test_permutations;
use axilog_x0l::schedule::{order_seed, schedule};
use axilog_x0l::taxonomy::{LcOutcome, RefusalType};
use axilog_x0l::template::{BASE, Template, initial_observations};
use serde_json::{Value, json};

pub const CYCLES: u64 = 6;
pub const B1: u64 = 6000;
const STARTED: u64 = 1_700_000_000;

const CONSTITUTION: &str = include_str!("../../data/constitution.toml");
const CORPUS: &str = include_str!("../../data/l-b.corpus.txt");
const TASKS: [&str; 5] = [
    include_str!("../../data/l-a.toml"),
    include_str!("../../data/l-b.toml"),
    include_str!("../../data/l-c.toml"),
    include_str!("../../data/l-d.toml"),
    include_str!("../../data/l-e.toml"),
];

/// The model's answer in a cycle, and its tokens.
pub struct ModelAnswer {
    pub text: String,
    pub tokens: (u64, u64),
}

pub fn answer_text(text: impl Into<String>) -> ModelAnswer {
    ModelAnswer {
        text: text.into(),
        tokens: (900, 40),
    }
}

/// A proposal that passes every gate.
pub fn good_proposal(known: &[Observation], message: &str) -> Value {
    json!({
        "action_request": {
            "action_type": "Notify",
            "fields": { "to": "operator", "message": message },
        },
        "scope_claim": {
            "observation_ids": [hex(&known[0].id())],
            "claim": "It was asked for.",
            "clause_ref": "CL-NOTIFY",
        },
        "justification": { "text": "It was asked for." },
        "authority_citations": ["constitution:0.1.0#CL-NOTIFY"],
    })
}

pub fn answer_candidates(candidates: &[Value]) -> ModelAnswer {
    answer_text(json!({ "candidates": candidates }).to_string())
}

/// A model: gives the answer in a cycle of a condition.
pub type Model<'m> = &'m dyn Fn(Condition, u64, &[Observation]) -> ModelAnswer;

/// A model whose answers have every kind of outcome.
pub fn answer_in_every_way(condition: Condition, cycle: u64, known: &[Observation]) -> ModelAnswer {
    let good = good_proposal(known, "The pump is warm: é\u{1f600}.");
    let mut outside = good.clone();
    outside["action_request"] =
        json!({ "action_type": "ReadNote", "fields": { "path": "../secret" } });
    outside["scope_claim"]["clause_ref"] = "CL-NOTES".into();
    outside["authority_citations"] = json!(["constitution:0.1.0#CL-NOTES"]);
    let numbered = |n: u32| good_proposal(known, &format!("Number {n}."));
    match (condition, cycle) {
        (Condition::A, 2) => answer_text("I would rather not."),
        (Condition::A, 4) => answer_text(format!(
            "Sure:\r\n```\r\n{}\r\n```",
            answer_candidates(&[good]).text
        )),
        (Condition::A, _) => answer_candidates(&[good]),
        (Condition::B, 1) => answer_text("{\"candidates\":[]} or {\"candidates\":[]}"),
        (Condition::B, 2) => answer_text("{\"candidates\":[{\"action_request\""),
        (Condition::B, 3) => answer_candidates(&[json!({ "action_request": 7 }), json!({})]),
        (Condition::B, 4) => answer_text("a\ttab is nothing for a ledger"),
        (Condition::B, _) => answer_candidates(&[good, outside]),
        (Condition::C, 1) => answer_text("I cannot do that."),
        (Condition::C, 2) => answer_candidates(&[good]),
        (Condition::C, _) => answer_candidates(&[outside]),
        (Condition::D, 1 | 2) => ModelAnswer {
            tokens: (900, B1),
            ..answer_candidates(&[good])
        },
        (Condition::D, _) => answer_candidates(&[good]),
        (Condition::E, 1) => answer_candidates(&(0..6).map(numbered).collect::<Vec<_>>()),
        (Condition::E, 2) => answer_candidates(&[outside.clone(), good, outside]),
        (Condition::E, 3) => answer_candidates(&[outside]),
        (Condition::E, _) => answer_candidates(&(0..3).map(numbered).collect::<Vec<_>>()),
    }
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq)]
pub enum RunEnd {
    Complete,
    /// Ctrl-C after this number of cycles.
    Interrupted(u64),
    /// The process is killed after this number of cycles.
    Killed(u64),
}

struct RunBuilder<'m> {
    run: RunDirectory,
    frozen: FrozenSettings,
    constitution: Constitution,
    template: Template,
    session: Session,
    log: CycleLog,
    state: KernelState,
    number: u64,
    spent: u64,
    model: Model<'m>,
}

/// Builds a run in `path`.
pub fn build_run(
    path: &Path,
    conditions: &[Condition],
    cycles: u64,
    model: Model<'_>,
    end: RunEnd,
) {
    let run = RunDirectory::create(path).unwrap();
    let put = |name: &str, text: &str| run.write_input(name, text.as_bytes()).unwrap();
    let frozen_condition = |id: &Condition| {
        let tasks = TASKS[*id as usize];
        FrozenCondition {
            id: *id,
            tasks: put(&format!("{}.toml", id.as_str()), tasks),
            corpus: (*id == Condition::B).then(|| put("L-B.corpus.txt", CORPUS)),
            order_seed: order_seed(7, *id),
        }
    };
    let frozen = FrozenSettings {
        format: RunFormat::V1,
        temperature: Temperature::Zero,
        axilog: env!("CARGO_PKG_VERSION").to_owned(),
        model: "m".to_owned(),
        oracle: "scripted:here".to_owned(),
        base_url: None,
        transport: None,
        context_window_size: 128_000,
        max_tokens: 2048,
        seed: Some(7),
        b1: B1,
        b2: 150_000,
        token_source: TokenSource::API,
        cycles,
        conditions: conditions.iter().map(frozen_condition).collect(),
        constitution: put("constitution.toml", CONSTITUTION),
        template: put("template.txt", BASE),
        erratum: None,
        canonicalizer: CanonicalizerHashes {
            source_hash: source_hash(),
            self_test_hash: self_test_hash(),
        },
        started: STARTED,
    };
    let mut metadata = SessionMetadata {
        frozen: frozen.clone(),
        calibration: None,
        outcome: None,
    };
    run.write_metadata(&metadata).unwrap();
    let rules = RuleSet::new(PolicySet::parse(b"[]").unwrap(), false, false);
    let (mut session, _) = Session::create(&run.ledger(), rules, STARTED).unwrap();
    let log = CycleLog::create(&run).unwrap();
    witness::commit_settings(&mut session, &frozen).unwrap();
    let mut builder = RunBuilder {
        run,
        constitution: Constitution::parse(CONSTITUTION).unwrap(),
        template: Template::parse(BASE).unwrap(),
        frozen,
        session,
        log,
        state: KernelState::default(),
        number: 0,
        spent: 0,
        model,
    };
    metadata.calibration = Some(builder.calibrate());
    builder.run.write_metadata(&metadata).unwrap();
    let conditions: Vec<ConditionOutcome> = conditions
        .iter()
        .map(|id| builder.condition(*id, end))
        .collect();
    if matches!(end, RunEnd::Killed(_)) {
        return;
    }
    let status = match end {
        RunEnd::Complete => SessionStatus::Complete,
        _ => SessionStatus::Interrupted,
    };
    let outcome = SessionOutcome {
        status,
        reason: None,
        conditions,
        cycles: builder.number,
        tokens_spent: builder.spent,
    };
    metadata.outcome = Some(outcome.clone());
    builder.run.write_metadata(&metadata).unwrap();
    witness::commit_outcome(
        &mut builder.session,
        &builder.run,
        builder.log.digest(),
        &builder.frozen,
        &outcome,
    )
    .unwrap();
    builder.session.seal().unwrap();
}

impl RunBuilder<'_> {
    fn record_call(
        &mut self,
        input: CanonicalInput,
        text: &str,
    ) -> axilog_ledger::decision::StepDecision {
        let call = OracleCall {
            oracle_id: "llm".to_owned(),
            model_id: "m".to_owned(),
            params: Params {
                max_tokens: Some(2048),
                temperature: Some(0),
                ..Params::NULL
            },
            input,
        };
        let reply = OracleReply::Answer(text.as_bytes());
        self.session.observe(&call, reply).unwrap()
    }

    fn calibrate(&mut self) -> CalibrationRecord {
        let input = || calibration::prompt().input().unwrap();
        let answers = [
            "{\"candidates\":[]}",
            " {\"candidates\" :[]}",
            "{\"candidates\":[]}.",
        ];
        let seqs = answers.map(|text| self.record_call(input(), text).observation.ledger_seq);
        CalibrationRecord {
            verdict: CalibrationVerdict::Steady,
            input_hash: input().hash(),
            canonicalized_hash: Some(sha256(b"{\"candidates\":[]}")),
            ledger_seqs: seqs.to_vec(),
            tokens: 60,
        }
    }

    fn condition(&mut self, id: Condition, end: RunEnd) -> ConditionOutcome {
        let corpus = (id == Condition::B).then_some(CORPUS);
        let set = TaskSet::parse(id, TASKS[id as usize], corpus).unwrap();
        let mut outcome = ConditionOutcome {
            id,
            cycles: 0,
            status: ConditionStatus::Complete,
        };
        let mut refusals = 0;
        for index in schedule(&set, order_seed(7, id), self.frozen.cycles) {
            if let RunEnd::Interrupted(most) | RunEnd::Killed(most) = end
                && self.number == most
            {
                outcome.status = ConditionStatus::NotFinished;
                return outcome;
            }
            outcome.cycles += 1;
            self.number += 1;
            let task = &set.tasks[index];
            let cycle = self.cycle(
                id,
                outcome.cycles,
                &task.id,
                &task.prompt,
                task.prompt_valid,
            );
            self.log.append(&cycle).unwrap();
            match cycle.decision.kind {
                DecisionKind::Action => refusals = 0,
                _ => refusals += 1,
            }
            if refusals == 25 {
                outcome.status = ConditionStatus::AutoAbort;
                return outcome;
            }
        }
        outcome
    }

    fn cycle(
        &mut self,
        condition: Condition,
        cycle: u64,
        task: &str,
        prompt: &str,
        prompt_valid: bool,
    ) -> Cycle {
        let known = initial_observations(prompt, STARTED, self.number);
        let answer = (self.model)(condition, cycle, &known);
        let filled = self.template.fill(&self.constitution, &known, prompt);
        let recorded = self
            .record_call(filled.input().unwrap(), &answer.text)
            .observation;
        let admitted = (recorded.completion == Completion::Complete).then_some(&answer.text);
        let result = admitted.map(|text| canonicalize(text));
        let block = result
            .as_ref()
            .and_then(|result| result.block.as_ref().ok());
        let parsed = block.map_or(ParsedCandidates::default(), |block| {
            parse_candidates(&block.value)
        });
        let raw_llm_hash = Some(sha256(answer.text.as_bytes()));
        let set = CandidateSet {
            candidates: parsed.candidates.clone(),
            rejection_reason: match &result {
                Some(result) => RejectionReason::from_status(result.status()),
                None => Some(RejectionReason::NotAdmitted),
            },
            raw_llm_hash,
        };
        let (prompt_tokens, completion_tokens) = answer.tokens;
        self.spent += prompt_tokens + completion_tokens;
        let mut observations = known.to_vec();
        observations.push(Observation::Budget {
            llm_output_token_count: prompt_tokens + completion_tokens,
            llm_candidates_reported: parsed.reported,
            llm_parse_errors: parsed.errors,
        });
        let several = condition == Condition::E && set.candidates.len() > 1;
        let (constitution, state) = (&self.constitution, &self.state);
        let permutations =
            several.then(|| test_permutations(constitution, state, &observations, &set));
        let (decision, next) = decide(constitution, state, &observations, &set);
        let count = set.candidates.len();
        let cycle = Cycle {
            condition,
            cycle,
            number: self.number,
            task: task.to_owned(),
            prompt_valid,
            ledger_seq: Some(recorded.ledger_seq),
            input_hash: Some(recorded.input_hash),
            raw: admitted.cloned(),
            raw_llm_hash,
            canonicalization: result
                .as_ref()
                .map_or(Canonicalization::NotAdmitted, |result| {
                    result.status().into()
                }),
            canonicalized: block.map(|block| block.canonical.clone()),
            canonicalized_hash: block.map(|block| block.hash),
            candidates: set.candidates,
            rejection_reason: set.rejection_reason,
            candidates_reported: parsed.reported,
            parse_errors: parsed.errors,
            observations,
            prompt_tokens,
            completion_tokens,
            latency_ms: 200 + cycle,
            attempts: vec![AttemptRecord {
                waited_ms: 0,
                took_ms: 200 + cycle,
                fault: None,
            }],
            answered_by: Some("m-1".to_owned()),
            finish_reason: Some("stop".to_owned()),
            permutations,
            refusal_type: RefusalType::classify(&decision, prompt_valid, count),
            lc_outcome: LcOutcome::classify(condition, &decision, true, count),
            state: next.id(),
            decision,
        };
        self.state = next;
        cycle
    }
}
