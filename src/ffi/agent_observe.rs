//! `agent.h`, second part: observing and stepping (formats.md §5; SRS-004 §12, §19).

use core::ffi::c_int;
use core::mem::MaybeUninit;

use super::agent::{ax_agent_ctx_t, ax_input_class_t, ax_input_t, load_class};
use super::obs::ax_obs_input_t;
use super::pointer::{Flags, buffer, overlap};
use super::policy::ax_policy_ctx_t;
use super::sink::CSink;
use super::types::ct_fault_flags_t;
use crate::admission::{AdmissionOutcome, Answer};
use crate::agent::Agent;
use crate::agent::observe::ObservedAnswer;
use crate::agent::state::{Health, InputClass};
use crate::agent::stimulus::is_reserved;
use crate::fault::{Error, Fault, Faults};
use crate::policy::{Evaluation, Rules};

/// Acts on one input whose observation is already in the agent's ledger: evaluates the policies,
/// commits the transition, changes the state.
///
/// ax_agent_step forwards to this function, which a program whose own step has that name may call.
/// A policy->ledger other than the agent's own, or a flag that is set on entry, stops the agent
/// for good without a record.
///
/// @param ctx Agent that ax_agent_init or ax_replay_agent made. NULL, or a ledger that was never
///     initialised, sets domain.
/// @param policy Context that ax_policy_init made with the agent's ledger. NULL, or a registry
///     that is not valid, sets domain.
/// @param input Input to act on, borrowed for the call. NULL sets domain.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing.
/// @see SRS-004 §12 and §19; formats.md §5
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_axilog_agent_step")]
pub unsafe extern "C" fn axilog_agent_step(
    ctx: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input: *const ax_input_t,
    faults: *mut ct_fault_flags_t,
) {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return;
    };
    // SAFETY: by contract.
    let input = unsafe { input.as_ref().and_then(|input| input.load()) };
    let Some(input) = input else {
        flags.set(Fault::Domain);
        return;
    };
    // SAFETY: by contract.
    let stepped = unsafe {
        with_agent(ctx, policy, flags, |agent, rules, sink, faults| {
            let evaluation = agent.step(&input, rules, sink, faults);
            Ok((evaluation, agent.health == Health::Enabled))
        })
    };
    // SAFETY: by contract.
    let Some(policy) = (unsafe { policy.as_mut() }) else {
        return;
    };
    let (evaluation, enabled) = stepped.unwrap_or((None, false));
    if let Some(evaluation) = evaluation {
        policy.begin_cycle(evaluation);
    }
    if input.class == Some(InputClass::LlmObs) {
        policy.answer_permitted = u8::from(evaluation.is_some_and(|e| !e.breach));
    }
    if !enabled {
        policy.answer_permitted = 0;
    }
}

/// Takes an oracle's raw answer all the way: admits and records it under the next sequence,
/// evaluates the policies, commits the transition, changes the state.
///
/// Where the observation does not hold the answer's bytes, as it is not admissible or was cut, a RAW
/// record after it binds them (ax_raw_record). So it does for an answer that the caller refuses by
/// its own rules: one that is ERROR / INVALID_OUTPUT and whose output is not NULL. A STOPPED agent still records the observation and the
/// RAW record, and does nothing else. What the oracle did wrong is in the record and never in faults.
/// Whether the answer may be acted on, ax_agent_may_act tells.
///
/// @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
/// @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
///     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
///     nothing.
/// @param in Answer as the oracle gave it, borrowed for the call; its ledger_seq is ignored. Its
///     input, its output and its identities may overlap one another.
/// @param work Scratch room for the record; overlaps nothing that another argument leads to. One that
///     overlaps the input, the output or an identity of in is refused.
/// @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
///     suffice for the time, a control input or a short answer.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_ENCODING The input or the output is not admissible, or the caller refused the
///     output; the agent recorded that and acted on it.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
///     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
/// @retval AX_ERR_PROTOCOL A pointer is NULL or work overlaps what in leads to (flag domain), a flag
///     is set on entry, or policy->ledger is not the agent's own, which stops the agent. Nothing is
///     recorded.
/// @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
///     (flags ordering and protocol). Nothing is recorded.
/// @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
/// @retval AX_ERR_SCHEMA An identity, a parameter or a state of in breaks the schema (flag
///     schema); nothing is recorded.
/// @see SRS-004 §12 and §19; formats.md §5
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// static ax_policy_ctx_t policy;
/// static uint8_t work[4096];
/// const char *answer = "{\"value\": 71}";
/// ax_obs_input_t input;
/// ct_fault_flags_t faults;
/// int code;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// ax_policy_init(&policy, &agent.ledger, &agent, &faults);
/// ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
/// ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
///
/// ax_obs_input_set_complete(&input, 0, "llm", "model-1", "How fast?", 9, answer, strlen(answer),
///                           NULL);
/// code = ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
/// assert(code == AX_OK && agent.health == AX_HEALTH_ALARM && agent.ledger.sequence == 7);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_observe")]
pub unsafe extern "C" fn ax_agent_observe(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    r#in: *const ax_obs_input_t,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    let answer = unsafe {
        r#in.as_ref()
            .ok_or(Error::Protocol)
            .and_then(|input| input.load())
    };
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let refused = unsafe { r#in.as_ref() }.is_some_and(ax_obs_input_t::is_refused);
    let of_oracle = !matches!(&answer, Ok(answer) if is_reserved(answer.oracle_id));
    // SAFETY: by contract.
    if let (true, Some(policy)) = (of_oracle, unsafe { policy.as_mut() }) {
        policy.answer_permitted = 0;
    }
    if matches!(&answer, Ok(answer) if overlaps_work(answer, work, work_len)) {
        return flags.null();
    }
    // SAFETY: by contract; nothing that `answer` borrows is in `work`.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                let answer = answer.inspect_err(|&error| {
                    faults.set(if error == Error::Schema {
                        Fault::Schema
                    } else {
                        Fault::Domain
                    });
                })?;
                match refused {
                    true => agent.observe_refused(&answer, rules, work, sink, faults),
                    false => agent.observe(&answer, rules, work, sink, faults),
                }
            },
        )
    }
}

/// Observes the time: records it as an observation of ax.time, evaluates the policies on elapsed,
/// and moves an INIT agent to ENABLED.
///
/// @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
/// @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
///     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
///     nothing.
/// @param timestamp Time in the integrator's unit, above the last one and above 0; another one
///     stops the agent.
/// @param work Scratch room for the record; overlaps nothing that another argument leads to.
/// @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
///     suffice for the time, a control input or a short answer.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
///     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or
///     policy->ledger is not the agent's own, which stops the agent. Nothing is recorded.
/// @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
///     (flags ordering and protocol). Nothing is recorded.
/// @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
/// @see SRS-004 §19; formats.md §5
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// static ax_policy_ctx_t policy;
/// static uint8_t work[1024];
/// ct_fault_flags_t faults;
/// int code;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// ax_policy_init(&policy, &agent.ledger, &agent, &faults);
/// ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
///
/// code = ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
/// assert(code == AX_OK && agent.health == AX_HEALTH_ENABLED && agent.last_timestamp == 1);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_observe_time")]
pub unsafe extern "C" fn ax_agent_observe_time(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    timestamp: u64,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    // SAFETY: by contract.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                agent.observe_time(timestamp, rules, work, sink, faults)
            },
        )
    }
}

/// Observes a control input: records it as an observation of ax.control and acts on it.
///
/// @param agent Agent that ax_agent_init or ax_replay_agent made; its sink, if any, is valid.
/// @param policy Context that ax_policy_init made with the agent's ledger. For a registry that is
///     not valid the call returns what ax_policy_config_hash returns (flag domain), and records
///     nothing.
/// @param input_class AX_INPUT_POLICY_TRIGGER, AX_INPUT_FAULT_SIGNAL or AX_INPUT_RESET_REQUEST.
/// @param work Scratch room for the record; overlaps nothing that another argument leads to.
/// @param work_len Bytes of work, of which at most 65536 are used; they bound the record. 1024
///     suffice for the time, a control input or a short answer.
/// @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call
///     does nothing and returns AX_ERR_PROTOCOL.
/// @return AX_OK, or one of these codes.
/// @retval AX_ERR_LEDGER The ledger has failed, is sealed or has no sequence left (flag
///     ledger_fail), the sink refused a record (flags io_error and ledger_fail), or the ledger was
///     never initialised (flag domain). The observation may be recorded; the agent is STOPPED.
/// @retval AX_ERR_PROTOCOL A pointer is NULL (flag domain), a flag is set on entry, or
///     policy->ledger is not the agent's own, which stops the agent. Nothing is recorded.
/// @retval AX_ERR_ORDERING The next sequence does not exceed the last that the agent acted on
///     (flags ordering and protocol). Nothing is recorded.
/// @retval AX_ERR_BUFFER work_len is too small for the record. Nothing is recorded.
/// @retval AX_ERR_SCHEMA input_class is not a control class (flag schema); nothing is recorded.
/// @see SRS-004 §19; formats.md §5
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// static ax_policy_ctx_t policy;
/// static uint8_t work[1024];
/// ct_fault_flags_t faults;
/// int code;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// ax_policy_init(&policy, &agent.ledger, &agent, &faults);
///
/// code = ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work,
///                                 &faults);
/// assert(code == AX_OK && agent.health == AX_HEALTH_INIT);
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_observe_control")]
pub unsafe extern "C" fn ax_agent_observe_control(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    input_class: MaybeUninit<ax_input_class_t>,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
) -> c_int {
    let class = load_class(input_class);
    // SAFETY: by contract.
    unsafe {
        observe(
            agent,
            policy,
            work,
            work_len,
            faults,
            |agent, rules, work, sink, faults| {
                let class = class.ok_or_else(|| {
                    faults.set(Fault::Schema);
                    Error::Schema
                })?;
                agent.observe_control(class, rules, work, sink, faults)
            },
        )
    }
}

/// What the three ways to observe have in common.
///
/// # Safety
/// As for the callers.
unsafe fn observe(
    agent: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    work: *mut u8,
    work_len: usize,
    faults: *mut ct_fault_flags_t,
    call: impl FnOnce(
        &mut Agent,
        &Rules<'_>,
        &mut [u8],
        &mut CSink,
        &mut Faults,
    ) -> Result<ObservedAnswer, Error>,
) -> c_int {
    // SAFETY: by contract.
    let Some(flags) = (unsafe { Flags::new(faults) }) else {
        return Error::Protocol.code();
    };
    // SAFETY: by contract.
    let Some(work) = (unsafe { buffer(work, work_len) }) else {
        return flags.null();
    };
    // SAFETY: by contract.
    let observed = unsafe {
        with_agent(agent, policy, flags, |agent, rules, sink, faults| {
            let observed = call(agent, rules, work, sink, faults)?;
            Ok((observed, agent.health == Health::Enabled))
        })
    };
    // SAFETY: by contract.
    let policy = unsafe { policy.as_mut() };
    match observed {
        Ok((observed, enabled)) => {
            if let (Some(evaluation), Some(policy)) = (observed.evaluation, policy) {
                policy.begin_cycle(evaluation);
                policy.answer_permitted |= u8::from(observed.may_act);
                policy.answer_permitted &= u8::from(enabled);
            }
            if observed.admitted == AdmissionOutcome::Invalid {
                Error::Encoding.code()
            } else {
                0
            }
        }
        Err(error) => {
            let Some(policy) = policy else {
                return error.code();
            };
            policy.answer_permitted = 0;
            // What cannot be committed is a breach (formats.md §5, rule 6).
            if error == Error::Ledger {
                policy.begin_cycle(Evaluation {
                    breach: true,
                    count: 0,
                    ledger_seq: policy.last_eval_seq,
                });
            }
            error.code()
        }
    }
}

/// Whether anything that `answer` borrows is in `work`. A function of its own, so that its list is not on the
/// stack of the step.
#[inline(never)]
fn overlaps_work(answer: &Answer<'_>, work: *const u8, work_len: usize) -> bool {
    [
        answer.output,
        answer.input,
        answer.model_id,
        answer.oracle_id,
    ]
    .iter()
    .any(|part| overlap(part, work, work_len))
}

/// Takes agent and rules out of their contexts, lets `change` at them, puts the agent back.
///
/// # Safety
/// As for the callers.
unsafe fn with_agent<T>(
    ctx: *mut ax_agent_ctx_t,
    policy: *mut ax_policy_ctx_t,
    flags: Flags,
    change: impl FnOnce(&mut Agent, &Rules<'_>, &mut CSink, &mut Faults) -> Result<T, Error>,
) -> Result<T, Error> {
    if ctx.is_null() || policy.is_null() {
        flags.set(Fault::Domain);
        return Err(Error::Protocol);
    }
    // SAFETY: neither is NULL. No reference to either is held while the sink is called.
    unsafe {
        let Some(mut agent) = (*ctx).load() else {
            flags.set(Fault::Domain);
            return Err(Error::Ledger);
        };
        let entry = flags.load();
        if !core::ptr::eq((*policy).ledger, &raw const (*ctx).ledger) {
            agent.halt();
            (*ctx).store(&agent);
            return Err(Error::Protocol);
        }
        let registry = (*policy)
            .registry()
            .inspect_err(|_| flags.set(Fault::Domain))?;
        let rules = (*policy).rules(&registry);
        let mut sink = CSink::new((*ctx).ledger.sink);
        let mut faults = entry;
        let result = change(&mut agent, &rules, &mut sink, &mut faults);
        (*ctx).store(&agent);
        flags.raise(faults);
        result
    }
}
