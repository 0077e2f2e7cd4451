/**
 * Acts on one input whose observation is already in the agent's ledger: evaluates the policies,
 * commits the transition, changes the state.
 *
 * The function stands alone in its object, so that a program that defines ax_agent_step itself
 * links with the static library all the same. A policy->ledger other than the agent's own, or a
 * flag that is set on entry, stops the agent for good without a record.
 *
 * @param ctx Agent that ax_agent_init or ax_replay_agent made. NULL, or a ledger that was never
 *     initialised, sets domain.
 * @param policy Context that ax_policy_init made with the agent's ledger. NULL, or a registry that
 *     is not valid, sets domain.
 * @param input Input to act on, borrowed for the call. NULL sets domain.
 * @param faults Fault flags of the caller; the call sets some and clears none. NULL: the call does
 *     nothing.
 * @see SRS-004 §12 and §19; formats.md §5
 */
void ax_agent_step(ax_agent_ctx_t *ctx,
                   ax_policy_ctx_t *policy,
                   const ax_input_t *input,
                   ct_fault_flags_t *faults);
