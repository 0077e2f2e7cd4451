/* The layout of every public type as C sees it: `type size` and `type.field size offset`, and the
 * value of every enumerator. tests/c_suites/layout.rs says the same of Rust. */

#include <stddef.h>
#include <stdio.h>

#include "axilog/axilog.h"

#define TYPE(type) printf("%s %u\n", #type, (unsigned)sizeof(type))
#define FIELD(type, field) \
    printf("%s.%s %u %u\n", #type, #field, (unsigned)sizeof(((type *)0)->field), \
           (unsigned)offsetof(type, field))
#define VALUE(name) printf("%s %d\n", #name, (int)name)

int main(void)
{
    TYPE(q16_16_t);

    TYPE(ct_fault_flags_t);
    FIELD(ct_fault_flags_t, overflow);
    FIELD(ct_fault_flags_t, underflow);
    FIELD(ct_fault_flags_t, div_zero);
    FIELD(ct_fault_flags_t, saturation);
    FIELD(ct_fault_flags_t, narrowing);
    FIELD(ct_fault_flags_t, domain);
    FIELD(ct_fault_flags_t, ledger_fail);
    FIELD(ct_fault_flags_t, io_error);
    FIELD(ct_fault_flags_t, precision);
    FIELD(ct_fault_flags_t, encoding);
    FIELD(ct_fault_flags_t, schema);
    FIELD(ct_fault_flags_t, ordering);
    FIELD(ct_fault_flags_t, size);
    FIELD(ct_fault_flags_t, protocol);
    FIELD(ct_fault_flags_t, serialise);
    FIELD(ct_fault_flags_t, commit);

    TYPE(ax_oracle_params_t);
    FIELD(ax_oracle_params_t, max_tokens);
    FIELD(ax_oracle_params_t, seed);
    FIELD(ax_oracle_params_t, temperature);
    FIELD(ax_oracle_params_t, top_p);

    TYPE(ax_obs_record_t);
    FIELD(ax_obs_record_t, completion_state);
    FIELD(ax_obs_record_t, failure_type);
    FIELD(ax_obs_record_t, input_hash);
    FIELD(ax_obs_record_t, ledger_seq);
    FIELD(ax_obs_record_t, model_id);
    FIELD(ax_obs_record_t, obs_hash);
    FIELD(ax_obs_record_t, oracle_id);
    FIELD(ax_obs_record_t, output);
    FIELD(ax_obs_record_t, output_size);
    FIELD(ax_obs_record_t, params);
    FIELD(ax_obs_record_t, schema_version);

    TYPE(ax_obs_input_t);
    FIELD(ax_obs_input_t, completion_state);
    FIELD(ax_obs_input_t, failure_type);
    FIELD(ax_obs_input_t, input);
    FIELD(ax_obs_input_t, input_len);
    FIELD(ax_obs_input_t, ledger_seq);
    FIELD(ax_obs_input_t, model_id);
    FIELD(ax_obs_input_t, oracle_id);
    FIELD(ax_obs_input_t, output);
    FIELD(ax_obs_input_t, output_len);
    FIELD(ax_obs_input_t, params);
    FIELD(ax_obs_input_t, input_kind);

    TYPE(ax_admission_ctx_t);
    FIELD(ax_admission_ctx_t, last_ledger_seq);
    FIELD(ax_admission_ctx_t, initialized);
    FIELD(ax_admission_ctx_t, profile);
    FIELD(ax_admission_ctx_t, max_output_bytes);
    FIELD(ax_admission_ctx_t, reject_del);

    TYPE(ax_obs_view_t);
    FIELD(ax_obs_view_t, completion_state);
    FIELD(ax_obs_view_t, failure_type);
    FIELD(ax_obs_view_t, input_hash);
    FIELD(ax_obs_view_t, ledger_seq);
    FIELD(ax_obs_view_t, params);
    FIELD(ax_obs_view_t, obs_hash);
    FIELD(ax_obs_view_t, output_size);
    FIELD(ax_obs_view_t, model_id);
    FIELD(ax_obs_view_t, model_id_len);
    FIELD(ax_obs_view_t, oracle_id);
    FIELD(ax_obs_view_t, oracle_id_len);
    FIELD(ax_obs_view_t, output);
    FIELD(ax_obs_view_t, output_len);
    FIELD(ax_obs_view_t, gateway);

    TYPE(ax_ledger_entry_t);
    FIELD(ax_ledger_entry_t, tag);
    FIELD(ax_ledger_entry_t, payload);
    FIELD(ax_ledger_entry_t, payload_len);
    FIELD(ax_ledger_entry_t, sequence);
    FIELD(ax_ledger_entry_t, commit);
    FIELD(ax_ledger_entry_t, chain);

    TYPE(ax_ledger_sink_t);
    FIELD(ax_ledger_sink_t, append);
    FIELD(ax_ledger_sink_t, user);

    TYPE(ax_ledger_ctx_t);
    FIELD(ax_ledger_ctx_t, current_hash);
    FIELD(ax_ledger_ctx_t, genesis_hash);
    FIELD(ax_ledger_ctx_t, sequence);
    FIELD(ax_ledger_ctx_t, failed);
    FIELD(ax_ledger_ctx_t, initialised);
    FIELD(ax_ledger_ctx_t, sealed);
    FIELD(ax_ledger_ctx_t, _pad);
    FIELD(ax_ledger_ctx_t, sink);

    TYPE(ax_evidence_t);
    FIELD(ax_evidence_t, tag);
    FIELD(ax_evidence_t, payload);
    FIELD(ax_evidence_t, payload_len);

    TYPE(ax_policy_t);
    FIELD(ax_policy_t, policy_id);
    FIELD(ax_policy_t, threshold);
    FIELD(ax_policy_t, comparison);
    FIELD(ax_policy_t, enabled);

    TYPE(ax_policy_registry_t);
    FIELD(ax_policy_registry_t, policies);
    FIELD(ax_policy_registry_t, count);
    FIELD(ax_policy_registry_t, selectors);

    TYPE(ax_policy_ctx_t);
    FIELD(ax_policy_ctx_t, ledger);
    FIELD(ax_policy_ctx_t, agent);
    FIELD(ax_policy_ctx_t, breach_flag);
    FIELD(ax_policy_ctx_t, evaluation_count);
    FIELD(ax_policy_ctx_t, answer_permitted);
    FIELD(ax_policy_ctx_t, last_eval_seq);
    FIELD(ax_policy_ctx_t, registry);
    FIELD(ax_policy_ctx_t, permit_truncated);
    FIELD(ax_policy_ctx_t, stop_on_invalid);
    FIELD(ax_policy_ctx_t, has_manifest);
    FIELD(ax_policy_ctx_t, manifest);

    TYPE(ax_policy_input_t);
    FIELD(ax_policy_input_t, value);
    FIELD(ax_policy_input_t, ledger_seq);
    FIELD(ax_policy_input_t, obs_ledger_seq);

    TYPE(ax_policy_record_t);
    FIELD(ax_policy_record_t, actual);
    FIELD(ax_policy_record_t, ledger_seq);
    FIELD(ax_policy_record_t, obs_ledger_seq);
    FIELD(ax_policy_record_t, policy_id);
    FIELD(ax_policy_record_t, result);
    FIELD(ax_policy_record_t, threshold);

    TYPE(ax_agent_ctx_t);
    FIELD(ax_agent_ctx_t, ledger);
    FIELD(ax_agent_ctx_t, health);
    FIELD(ax_agent_ctx_t, fault_accumulator);
    FIELD(ax_agent_ctx_t, last_timestamp);
    FIELD(ax_agent_ctx_t, last_seen_seq);
    FIELD(ax_agent_ctx_t, local_failed_flag);
    FIELD(ax_agent_ctx_t, _pad);
    FIELD(ax_agent_ctx_t, violation);

    TYPE(ax_input_t);
    FIELD(ax_input_t, type);
    FIELD(ax_input_t, payload);
    FIELD(ax_input_t, payload_len);
    FIELD(ax_input_t, ledger_seq);

    TYPE(ax_replay_ctx_t);
    FIELD(ax_replay_ctx_t, _registry);
    FIELD(ax_replay_ctx_t, _made);
    FIELD(ax_replay_ctx_t, _permit_truncated);
    FIELD(ax_replay_ctx_t, _stop_on_invalid);
    FIELD(ax_replay_ctx_t, _state);
    FIELD(ax_replay_ctx_t, _offset);
    FIELD(ax_replay_ctx_t, _manifest);
    FIELD(ax_replay_ctx_t, _has_manifest);

    TYPE(ax_completion_state_t);
    VALUE(AX_COMPLETION_COMPLETE);
    VALUE(AX_COMPLETION_TRUNCATED);
    VALUE(AX_COMPLETION_ERROR);

    TYPE(ax_failure_type_t);
    VALUE(AX_FAILURE_NULL);
    VALUE(AX_FAILURE_TIMEOUT);
    VALUE(AX_FAILURE_INVALID_OUTPUT);
    VALUE(AX_FAILURE_TRANSPORT_ERROR);

    TYPE(ax_input_kind_t);
    VALUE(AX_INPUT_KIND_TEXT);
    VALUE(AX_INPUT_KIND_JSON);

    TYPE(ax_profile_t);
    VALUE(AX_PROFILE_RFC8785);
    VALUE(AX_PROFILE_ORACLE_1_1);
    VALUE(AX_PROFILE_ORACLE_1_2);

    TYPE(ax_policy_err_t);
    VALUE(AX_POLICY_OK);
    VALUE(AX_POLICY_ERR_NULL_CTX);
    VALUE(AX_POLICY_ERR_NULL_INPUT);
    VALUE(AX_POLICY_ERR_SERIALISE);
    VALUE(AX_POLICY_ERR_COMMIT);
    VALUE(AX_POLICY_ERR_INVALID_ID);
    VALUE(AX_POLICY_ERR_OVERFLOW);

    TYPE(ax_policy_cmp_t);
    VALUE(AX_POLICY_CMP_GT);
    VALUE(AX_POLICY_CMP_LT);
    VALUE(AX_POLICY_CMP_GE);
    VALUE(AX_POLICY_CMP_LE);

    TYPE(ax_policy_result_t);
    VALUE(AX_POLICY_PERMITTED);
    VALUE(AX_POLICY_BREACH);

    TYPE(ax_health_state_t);
    VALUE(AX_HEALTH_UNINIT);
    VALUE(AX_HEALTH_INIT);
    VALUE(AX_HEALTH_ENABLED);
    VALUE(AX_HEALTH_ALARM);
    VALUE(AX_HEALTH_DEGRADED);
    VALUE(AX_HEALTH_STOPPED);

    TYPE(ax_violation_t);
    VALUE(AX_VIOLATION_NONE);
    VALUE(AX_VIOLATION_TIME_ROLLBACK);
    VALUE(AX_VIOLATION_POLICY_BREACH);
    VALUE(AX_VIOLATION_FAULT_EXCEEDED);
    VALUE(AX_VIOLATION_PROTOCOL);
    VALUE(AX_VIOLATION_GENESIS_MISMATCH);
    VALUE(AX_VIOLATION_COMMIT_FAILURE);
    VALUE(AX_VIOLATION_SEQUENCE_ORDER);
    VALUE(AX_VIOLATION_TERMINALITY);

    TYPE(ax_input_class_t);
    VALUE(AX_INPUT_TIME_OBS);
    VALUE(AX_INPUT_LLM_OBS);
    VALUE(AX_INPUT_POLICY_TRIGGER);
    VALUE(AX_INPUT_FAULT_SIGNAL);
    VALUE(AX_INPUT_RESET_REQUEST);

    TYPE(ax_verdict_t);
    VALUE(AX_VERDICT_OK);
    VALUE(AX_VERDICT_ALTERED);
    VALUE(AX_VERDICT_REORDERED);
    VALUE(AX_VERDICT_TRUNCATED);
    VALUE(AX_VERDICT_TORN);
    VALUE(AX_VERDICT_NON_CANONICAL);
    VALUE(AX_VERDICT_UNWITNESSED);
    VALUE(AX_VERDICT_DIVERGED);
    VALUE(AX_VERDICT_CONFIG_MISMATCH);
    VALUE(AX_VERDICT_MODEL_MISMATCH);
    return 0;
}
