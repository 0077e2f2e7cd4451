//! A run built step by step from the public parts, with the example files, and without a session.

use std::path::Path;

use axilog::evidence::observation::Params;
use axilog::hash::sha256;
use axilog_ledger::input::CanonicalInput;
use axilog_ledger::rules::RuleSet;
use axilog_ledger::session::{OracleCall, OracleReply, Session};
use axilog_oracle::canonicalizer::canonicalize;
use axilog_policyc::PolicySet;
use axilog_x0l::calibration;
use axilog_x0l::condition::TaskSet;
use axilog_x0l::frozen_code::{canonicalizer_hashes, kernel_hashes};
use axilog_x0l::kernel::{
    CandidateSet, Constitution, DecisionKind, KernelObservation, KernelState, ParsedCandidates,
    RejectionReason, decide, parse_candidates,
};
use axilog_x0l::log::provider::commit_facts;
use axilog_x0l::log::{
    AttemptRecord, CalibrationRecord, CalibrationVerdict, Condition, ConditionOutcome,
    ConditionStatus, Cycle, CycleLog, CycleStatement, FrozenCondition, FrozenSettings,
    ProviderFacts, RunDirectory, RunFormat, SessionMetadata, SessionOutcome, SessionStatus,
    Temperature, TokenSource, witness,
};
use axilog_x0l::permutation::test_permutations;
use axilog_x0l::schedule::{order_seed, schedule};
use axilog_x0l::taxonomy::{LcOutcome, RefusalType};
use axilog_x0l::template::{BASE, Template, initial_observations};

use crate::built_session::{BuiltSession, LineBinding, RunEnd, corpus};
use crate::model_answers::Model;

pub const CYCLES: u64 = 6;
pub const B1: u64 = 6000;
/// More than 6000, so that an answer can exceed B1.
const MAX_TOKENS: u64 = 8192;
const STARTED: u64 = 1_700_000_000;

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
    built: BuiltSession,
    /// The lines that are bound after the last cycle.
    unbound: Vec<CycleStatement>,
}

/// Builds a run in `path`.
pub fn build_run(
    path: &Path,
    conditions: &[Condition],
    cycles: u64,
    model: Model<'_>,
    end: RunEnd,
) {
    let session = BuiltSession::default();
    build_session(session, path, conditions, cycles, model, end);
}

/// Builds a run in `path` of a session that runs on something else.
pub fn build_session(
    built: BuiltSession,
    path: &Path,
    conditions: &[Condition],
    cycles: u64,
    model: Model<'_>,
    end: RunEnd,
) {
    let constitution = Constitution::parse(&built.constitution).unwrap();
    let run = RunDirectory::create(path).unwrap();
    let put = |name: &str, text: &str| run.write_input(name, text.as_bytes()).unwrap();
    let frozen_condition = |id: &Condition| FrozenCondition {
        id: *id,
        tasks: put(&format!("{}.toml", id.as_str()), built.tasks(*id)),
        corpus: corpus(*id).map(|text| put(&format!("{id}.corpus.txt"), text)),
        order_seed: order_seed(7, *id),
    };
    let frozen = FrozenSettings {
        format: match built.binding {
            LineBinding::EarlierFormat => RunFormat::V1,
            _ => RunFormat::V2,
        },
        temperature: Temperature::Zero,
        axilog: env!("CARGO_PKG_VERSION").to_owned(),
        model: "m".to_owned(),
        oracle: built.oracle.to_owned(),
        base_url: None,
        transport: None,
        weights: None,
        sentinels: None,
        context_window_size: 128_000,
        max_tokens: MAX_TOKENS,
        seed: Some(7),
        b1: constitution.limits.max_total_tokens_per_cycle,
        b2: u64::max(180_000, 30_000 * cycles),
        token_source: TokenSource::API,
        cycles,
        conditions: conditions.iter().map(frozen_condition).collect(),
        constitution: put("constitution.toml", &built.constitution),
        template: put("template.txt", BASE),
        erratum: None,
        corrects: None,
        base_template: None,
        canonicalizer: canonicalizer_hashes(),
        kernel: kernel_hashes(),
        started: STARTED,
        prompt_count: None,
        plan: built.plan.clone(),
        correction: None,
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
        constitution,
        template: Template::parse(BASE).unwrap(),
        frozen,
        session,
        log,
        state: KernelState::default(),
        number: 0,
        spent: 0,
        model,
        built,
        unbound: Vec::new(),
    };
    metadata.calibration = Some(builder.calibrate());
    builder.run.write_metadata(&metadata).unwrap();
    let conditions: Vec<ConditionOutcome> = conditions
        .iter()
        .map(|id| builder.condition(*id, end))
        .collect();
    for line in std::mem::take(&mut builder.unbound) {
        witness::commit_cycle(&mut builder.session, line).unwrap();
    }
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
                max_tokens: Some(MAX_TOKENS as i32),
                temperature: Some(0),
                ..Params::NULL
            },
            input,
        };
        let reply = OracleReply::Answer(text.as_bytes());
        self.session.observe(&call, reply).unwrap()
    }

    /// Records who answered, after the first call.
    fn record_first_call(&mut self, input: CanonicalInput, text: &str) -> u64 {
        let seq = self.record_call(input, text).observation.ledger_seq;
        let facts = ProviderFacts {
            answered_by: Some("m-1".to_owned()),
            system_fingerprint: None,
        };
        commit_facts(&mut self.session, seq, &facts).unwrap();
        seq
    }

    fn calibrate(&mut self) -> CalibrationRecord {
        let input = || calibration::prompt().input().unwrap();
        let answers = [
            "{\"candidates\":[]}",
            " {\"candidates\" :[]}",
            "{\"candidates\":[]}.",
        ];
        let first = self.record_first_call(input(), answers[0]);
        let [second, third] = [answers[1], answers[2]]
            .map(|text| self.record_call(input(), text).observation.ledger_seq);
        CalibrationRecord {
            verdict: CalibrationVerdict::Steady,
            input_hash: input().hash(),
            canonicalized_hash: Some(sha256(b"{\"candidates\":[]}")),
            answered_by: Some("m-1".to_owned()),
            system_fingerprint: None,
            ledger_seqs: vec![first, second, third],
            tokens: 60,
        }
    }

    fn condition(&mut self, id: Condition, end: RunEnd) -> ConditionOutcome {
        let set = TaskSet::parse(id, self.built.tasks(id), corpus(id)).unwrap();
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
            let sha256 = self.log.append(&cycle).unwrap();
            let line = CycleStatement {
                cycle: self.number,
                sha256,
            };
            match self.built.binding {
                LineBinding::EachCycle => {
                    witness::commit_cycle(&mut self.session, line).unwrap();
                }
                LineBinding::Late => self.unbound.push(line),
                LineBinding::Never | LineBinding::EarlierFormat => {}
            }
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
        let result = canonicalize(&answer.text);
        let block = result.block.as_ref().ok();
        let parsed = block.map_or(ParsedCandidates::default(), |block| {
            parse_candidates(&block.value)
        });
        let raw_llm_hash = Some(sha256(answer.text.as_bytes()));
        let set = CandidateSet {
            candidates: parsed.candidates.clone(),
            rejection_reason: RejectionReason::from_status(result.status()),
            raw_llm_hash,
        };
        let (least, completion_tokens) = answer.tokens;
        // A few prompts of L-D are long.
        let prompt_tokens = least.max((filled.system.len() + filled.user.len()) as u64 / 4);
        self.spent += prompt_tokens + completion_tokens;
        let mut observations = known.to_vec();
        observations.push(KernelObservation::Budget {
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
            raw: Some(answer.text.clone()),
            raw_llm_hash,
            canonicalization: result.status().into(),
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
            system_fingerprint: None,
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
