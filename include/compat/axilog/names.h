/**
 * The names under which deployed rigs call functions whose deployed behaviour differs from SRS-004. Each
 * stands for a function of the library that behaves as deployed (docs/rigs.md has the table). A rig that
 * declares or defines such a function itself does so under the same name.
 */

#ifndef AXILOG_COMPAT_NAMES_H
#define AXILOG_COMPAT_NAMES_H

/**
 * The profile of the rig's records: 1 (ORACLE_1_1) or 2 (ORACLE_1_2). axilog verify names the one that it
 * finds in a ledger.
 */
#ifndef AXILOG_COMPAT_PROFILE
#ifdef AXILOG_COMPAT_1_0
#define AXILOG_COMPAT_PROFILE 1
#else
#define AXILOG_COMPAT_PROFILE 2
#endif
#endif

#if AXILOG_COMPAT_PROFILE != 1 && AXILOG_COMPAT_PROFILE != 2
#error "AXILOG_COMPAT_PROFILE is neither 1 nor 2"
#endif

/*
 * Where the deployed code is unsafe, these functions do otherwise (docs/rigs.md has the list). With
 * AXILOG_COMPAT_AS_DEPLOYED they follow it even there, for rigs that compare golden ledgers byte for byte.
 */
#ifdef AXILOG_COMPAT_AS_DEPLOYED
#if AXILOG_COMPAT_PROFILE == 1
#define ax_obs_admit ax_compat_raw_obs_admit_1_1
#define ax_obs_compute_hash ax_compat_raw_obs_compute_hash_1_1
#else
#define ax_obs_admit ax_compat_raw_obs_admit_1_2
#define ax_obs_compute_hash ax_compat_raw_obs_compute_hash_1_2
#endif
#define ax_agent_step ax_compat_raw_agent_step
#define ax_obs_canonicalise ax_compat_raw_obs_canonicalise
#define ax_obs_validate ax_compat_raw_obs_validate
#define ax_params_canonicalise ax_compat_raw_params_canonicalise
#define ax_policy_serialize ax_compat_raw_policy_serialize
#define ax_string_escape ax_compat_raw_string_escape
#else
#if AXILOG_COMPAT_PROFILE == 1
#define ax_obs_admit ax_compat_obs_admit_1_1
#define ax_obs_canonicalise ax_compat_obs_canonicalise_1_1
#define ax_obs_compute_hash ax_compat_obs_compute_hash_1_1
#else
#define ax_obs_admit ax_compat_obs_admit_1_2
#define ax_obs_canonicalise ax_compat_obs_canonicalise_1_2
#define ax_obs_compute_hash ax_compat_obs_compute_hash_1_2
#endif
#define ax_agent_step ax_compat_agent_step
#define ax_obs_validate ax_compat_obs_validate
#define ax_policy_serialize ax_compat_policy_serialize
#define ax_string_escape ax_compat_string_escape
#endif

#define ax_agent_bind ax_compat_agent_bind
#define ax_compute_input_hash ax_compat_compute_input_hash
#define ax_contains_forbidden_control ax_compat_contains_forbidden_control
#define ax_extract_timestamp ax_compat_extract_timestamp
#define ax_is_nfc ax_compat_is_nfc
#define ax_ledger_append ax_compat_ledger_append
#define ax_obs_init ax_compat_obs_init
#define ax_obs_input_set_invalid_output ax_compat_obs_input_set_invalid_output
#define ax_policy_evaluate ax_compat_policy_evaluate
#define ax_policy_evaluate_all ax_compat_policy_evaluate_all
#define ax_policy_get_count ax_compat_policy_get_count
#define ax_policy_get_registry ax_compat_policy_get_registry
#define ax_policy_init ax_compat_policy_init
#define ax_policy_verify_registry_sorted ax_compat_policy_verify_registry_sorted
#define ax_sha256_final ax_compat_sha256_final
#define ax_sha256_init ax_compat_sha256_init
#define ax_sha256_update ax_compat_sha256_update
#define ax_validate_and_normalise ax_compat_validate_and_normalise
#define ax_validate_encoding ax_compat_validate_encoding
#define ax_verify_chain ax_compat_verify_chain

/*
 * The library's functions whose structs are longer than the deployed ones, by their symbols: objects that were
 * compiled against the deployed headers do not link. The headers of the library have the same.
 */
#define ax_agent_init ax_agent_init_v2
#define ax_ledger_genesis ax_ledger_genesis_v2
#define ax_obs_input_init ax_obs_input_init_v2
#define ax_obs_input_set_complete ax_obs_input_set_complete_v2
#define ax_obs_input_set_timeout ax_obs_input_set_timeout_v2
#define ax_obs_input_set_transport_error ax_obs_input_set_transport_error_v2
#define ax_policy_has_breach ax_policy_has_breach_v2
#define ax_policy_reset_cycle ax_policy_reset_cycle_v2

/* The library's functions that set flags after the eighth. */
#ifndef AXILOG_COMPAT_1_0
#define ax_agent_observe ax_compat_agent_observe
#define ax_agent_observe_control ax_compat_agent_observe_control
#define ax_agent_observe_time ax_compat_agent_observe_time
#define axilog_agent_step ax_compat_agent_step_with_policies
#endif

#endif /* AXILOG_COMPAT_NAMES_H */
