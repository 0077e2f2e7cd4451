/**
 * Acts on one input whose observation is already in the agent's ledger; the same as
 * axilog_agent_step. Alone in its object, so that a program that defines ax_agent_step itself links
 * against the static library all the same.
 *
 * Safety:
 * As for axilog_agent_step.
 */
void ax_agent_step(ax_agent_ctx_t *ctx,
                   ax_policy_ctx_t *policy,
                   const ax_input_t *input,
                   ct_fault_flags_t *faults);
