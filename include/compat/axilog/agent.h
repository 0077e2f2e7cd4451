/**
 * The agent, for deployed rigs: the library's own declarations over the fault struct of this directory,
 * except that ax_agent_step takes no policies. The step under a policy context is axilog_agent_step.
 *
 * Of the flags that eight bytes have no room for, io_error is told as ledger_fail and every other one as
 * domain.
 */

#ifndef AXILOG_COMPAT_AGENT_H
#define AXILOG_COMPAT_AGENT_H

#include "axilog/policy.h"
#include "axilog/oracle.h"

/* The library declares a step of four arguments under both of its names. */
#undef ax_agent_step
#define ax_agent_step axilog_agent_step
#include "../../axilog/agent.h"
#undef ax_agent_step
#ifdef AXILOG_COMPAT_AS_DEPLOYED
#define ax_agent_step ax_compat_raw_agent_step
#else
#define ax_agent_step ax_compat_agent_step
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Acts on one input whose observation is already in the agent's ledger: commits the transition, changes the
 * state. No policy judges the input, and an answer's record is not read; the payload of a TIME_OBS is
 * {"timestamp":N}.
 *
 * ctx: agent that ax_agent_init made. input: input to act on, borrowed for the call. faults: flags of the
 * caller, not NULL; those that are set on entry are ignored. ledger_fail: the agent or its ledger failed, and it
 * is STOPPED; domain: a NULL, or the agent was STOPPED before, which records nothing.
 */
void ax_agent_step(ax_agent_ctx_t *ctx, const ax_input_t *input, ct_fault_flags_t *faults);

#ifdef __cplusplus
}
#endif

#endif /* AXILOG_COMPAT_AGENT_H */
