//! `agent.h`, fourth part: whether the last answer may be acted on (decision D32).

use core::ffi::c_int;
use core::ptr;

use super::agent::{ax_agent_ctx_t, load_health};
use super::policy::ax_policy_ctx_t;
use crate::agent::state::Health;

/// Tells whether the agent's last answer may be acted on: the policies permitted it, and the agent
/// was ENABLED after it and still is.
///
/// An answer that the policies permitted while the agent was in INIT, ALARM or DEGRADED is recorded
/// and may not be acted on. An answer that ax_agent_observe could not record may not be acted on
/// either, and after a restart none may before the next answer. Times and control inputs are no
/// answers; one that takes the agent out of ENABLED ends the permission for good. In a program that
/// steps by itself, the values that it gives to ax_policy_evaluate_all since ax_policy_reset_cycle
/// count as the last answer.
///
/// @param agent Agent that observed the answer, borrowed for the call.
/// @param policy Context with which it did, borrowed for the call; its ledger is the agent's.
/// @return 1 where the answer may be acted on, else 0; 0 for a NULL.
/// @see SRS-004 §12 and §19; formats.md §5
///
/// @par Example
/// ```c
/// static ax_agent_ctx_t agent;
/// static ax_policy_ctx_t policy;
/// static uint8_t work[4096];
/// const char *answer = "{\"value\": 40}";
/// ax_obs_input_t input;
/// ct_fault_flags_t faults;
///
/// ct_fault_init(&faults);
/// ax_agent_init(&agent, &faults);
/// ax_policy_init(&policy, &agent.ledger, &agent, &faults);
/// ax_agent_observe_control(&agent, &policy, AX_INPUT_RESET_REQUEST, work, sizeof work, &faults);
/// ax_obs_input_set_complete(&input, 0, "llm", "model-1", "How fast?", 9, answer, strlen(answer),
///                           NULL);
///
/// ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
/// assert(!policy.breach_flag && agent.health == AX_HEALTH_INIT && !ax_agent_may_act(&agent, &policy));
///
/// ax_agent_observe_time(&agent, &policy, 1, work, sizeof work, &faults);
/// ax_agent_observe(&agent, &policy, &input, work, sizeof work, &faults);
/// assert(agent.health == AX_HEALTH_ENABLED && ax_agent_may_act(&agent, &policy));
/// ```
///
/// # Safety
/// The pointers are as the parameters say.
#[unsafe(export_name = "axilog_impl_ax_agent_may_act")]
pub unsafe extern "C" fn ax_agent_may_act(
    agent: *const ax_agent_ctx_t,
    policy: *const ax_policy_ctx_t,
) -> c_int {
    // SAFETY: by contract.
    let (Some(agent), Some(policy)) = (unsafe { (agent.as_ref(), policy.as_ref()) }) else {
        return 0;
    };
    let permitted = policy.answer_permitted == 1
        && policy.breach_flag == 0
        && ptr::eq(policy.ledger, &raw const agent.ledger)
        && agent.local_failed_flag == 0
        && load_health(agent.health) == Some(Health::Enabled);
    c_int::from(permitted)
}
