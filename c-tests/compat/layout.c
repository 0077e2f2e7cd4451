/* Prints the size of every public struct, and of each of its fields the size and the offset; the test compares
 * them with the table of docs/rigs.md. */

#include "axilog/axilog.h"

#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) \
    printf(#type "." #field " %zu %zu\n", sizeof(((type *)NULL)->field), offsetof(type, field))

/* Macros that take the fields of a struct by fives, or fewer. */
#define F1(t, a) FIELD(t, a)
#define F2(t, a, b) F1(t, a), FIELD(t, b)
#define F3(t, a, b, c) F2(t, a, b), FIELD(t, c)
#define F4(t, a, b, c, d) F3(t, a, b, c), FIELD(t, d)
#define F5(t, a, b, c, d, e) F4(t, a, b, c, d), FIELD(t, e)

static void faults(void)
{
    SIZE(ct_fault_flags_t);
    F5(ct_fault_flags_t, overflow, underflow, div_zero, saturation, narrowing);
    F2(ct_fault_flags_t, domain, ledger_fail);
#ifdef AXILOG_COMPAT_1_0
    F5(ct_fault_flags_t, io_error, precision, encoding, schema, ordering);
    F4(ct_fault_flags_t, size, protocol, serialise, commit);
    SIZE(ax_l3_fault_flags_t);
    F5(ax_l3_fault_flags_t, overflow, underflow, div_zero, saturation, narrowing);
    F3(ax_l3_fault_flags_t, domain, ledger_fail, io_error);
#else
    F1(ct_fault_flags_t, _reserved);
    SIZE(ax_l3_fault_flags_t);
    F1(ax_l3_fault_flags_t, base);
#endif
    F4(ax_l3_fault_flags_t, precision, encoding, schema, ordering);
    F2(ax_l3_fault_flags_t, size, protocol);
#ifdef AXILOG_COMPAT_1_0
    F2(ax_l3_fault_flags_t, serialise, commit);
#else
    F1(ax_l3_fault_flags_t, _pad);
#endif
}

static void observations(void)
{
    SIZE(ax_oracle_params_t);
    F4(ax_oracle_params_t, max_tokens, seed, temperature, top_p);
    SIZE(ax_obs_record_t);
    F5(ax_obs_record_t, completion_state, failure_type, input_hash, ledger_seq, model_id);
    F5(ax_obs_record_t, obs_hash, oracle_id, output, output_size, params);
    F1(ax_obs_record_t, schema_version);
    SIZE(ax_obs_input_t);
    F5(ax_obs_input_t, completion_state, failure_type, input, input_len, ledger_seq);
    F5(ax_obs_input_t, model_id, oracle_id, output, output_len, params);
    F1(ax_obs_input_t, input_kind);
    SIZE(ax_admission_ctx_t);
    F5(ax_admission_ctx_t, last_ledger_seq, initialized, profile, max_output_bytes, reject_del);
    SIZE(ax_obs_view_t);
    F5(ax_obs_view_t, completion_state, failure_type, input_hash, ledger_seq, params);
    F5(ax_obs_view_t, obs_hash, output_size, model_id, model_id_len, oracle_id);
    F4(ax_obs_view_t, oracle_id_len, output, output_len, gateway);
}

static void ledgers(void)
{
    SIZE(ax_ledger_ctx_t);
    F5(ax_ledger_ctx_t, current_hash, genesis_hash, sequence, failed, initialised);
    F4(ax_ledger_ctx_t, state, sealed, _pad, sink);
    SIZE(ax_ledger_entry_t);
    F5(ax_ledger_entry_t, tag, payload, payload_len, sequence, commit);
    F1(ax_ledger_entry_t, chain);
    SIZE(ax_ledger_sink_t);
    F2(ax_ledger_sink_t, append, user);
    SIZE(ax_evidence_t);
    F3(ax_evidence_t, tag, payload, payload_len);
}

static void policies(void)
{
    SIZE(ax_policy_t);
    F4(ax_policy_t, policy_id, threshold, comparison, enabled);
    SIZE(ax_policy_registry_t);
    F3(ax_policy_registry_t, policies, count, selectors);
    SIZE(ax_policy_ctx_t);
    F5(ax_policy_ctx_t, ledger, agent, breach_flag, evaluation_count, answer_permitted);
    F5(ax_policy_ctx_t, last_eval_seq, registry, permit_truncated, stop_on_invalid, has_manifest);
    F1(ax_policy_ctx_t, manifest);
    SIZE(ax_policy_input_t);
    F2(ax_policy_input_t, value, ledger_seq);
    SIZE(ax_policy_record_t);
    F4(ax_policy_record_t, actual, ledger_seq, policy_id, result);
    F1(ax_policy_record_t, threshold);
}

static void agents(void)
{
    SIZE(ax_agent_ctx_t);
    F5(ax_agent_ctx_t, ledger, health, fault_accumulator, last_timestamp, last_seen_seq);
    F3(ax_agent_ctx_t, local_failed_flag, _pad, violation);
    SIZE(ax_input_t);
    F4(ax_input_t, type, payload, payload_len, ledger_seq);
}

int main(void)
{
    faults();
    observations();
    ledgers();
    policies();
    agents();
    return 0;
}
