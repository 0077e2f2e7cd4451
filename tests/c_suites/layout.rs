//! The layout of every public type as Rust has it, in the words of `c-tests/layout.c`. Compiled for
//! bare targets too: c-tests/firmware/layout.rs.

use core::fmt::{Result, Write};
use core::mem::{offset_of, size_of};

use axilog::ffi::agent::*;
use axilog::ffi::audit::*;
use axilog::ffi::obs::*;
use axilog::ffi::obs_view::*;
use axilog::ffi::oracle::*;
use axilog::ffi::policy::*;
use axilog::ffi::replay::*;
use axilog::ffi::types::*;

fn size_of_field<S, F>(_: impl FnOnce(&S) -> &F) -> usize {
    size_of::<F>()
}

/// Writes what the C program prints if the two agree.
pub fn write(out: &mut impl Write) -> Result {
    macro_rules! layout {
        ($($name:ident { $($field:ident)* })*) => {$(
            writeln!(out, "{} {}", stringify!($name), size_of::<$name>())?;
            $(
                writeln!(
                    out,
                    "{}.{} {} {}",
                    stringify!($name),
                    stringify!($field).trim_start_matches("r#"),
                    size_of_field(|s: &$name| &s.$field),
                    offset_of!($name, $field)
                )?;
            )*
        )*};
    }
    macro_rules! values {
        ($($name:ident { $($value:ident)* })*) => {$(
            writeln!(out, "{} {}", stringify!($name), size_of::<$name>())?;
            $(
                writeln!(out, "{} {}", stringify!($value), $name::$value as i32)?;
            )*
        )*};
    }
    writeln!(out, "q16_16_t {}", size_of::<q16_16_t>())?;
    layout! {
        ct_fault_flags_t {
            overflow underflow div_zero saturation narrowing domain ledger_fail io_error precision encoding schema ordering size protocol serialise commit
        }
        ax_oracle_params_t {
            max_tokens seed temperature top_p
        }
        ax_obs_record_t {
            completion_state failure_type input_hash ledger_seq model_id obs_hash oracle_id output output_size params schema_version
        }
        ax_obs_input_t {
            completion_state failure_type input input_len ledger_seq model_id oracle_id output output_len params input_kind
        }
        ax_admission_ctx_t {
            last_ledger_seq initialized profile max_output_bytes reject_del
        }
        ax_obs_view_t {
            completion_state failure_type input_hash ledger_seq params obs_hash output_size model_id model_id_len oracle_id oracle_id_len output output_len gateway
        }
        ax_ledger_entry_t {
            tag payload payload_len sequence commit chain
        }
        ax_ledger_sink_t {
            append user
        }
        ax_ledger_ctx_t {
            current_hash genesis_hash sequence failed initialised sealed _pad sink
        }
        ax_evidence_t {
            tag payload payload_len
        }
        ax_policy_t {
            policy_id threshold comparison enabled
        }
        ax_policy_registry_t {
            policies count selectors
        }
        ax_policy_ctx_t {
            ledger agent breach_flag evaluation_count answer_permitted last_eval_seq registry permit_truncated stop_on_invalid has_manifest manifest
        }
        ax_policy_input_t {
            value ledger_seq obs_ledger_seq
        }
        ax_policy_record_t {
            actual ledger_seq obs_ledger_seq policy_id result threshold
        }
        ax_agent_ctx_t {
            ledger health fault_accumulator last_timestamp last_seen_seq local_failed_flag _pad violation
        }
        ax_input_t {
            r#type payload payload_len ledger_seq
        }
        ax_replay_ctx_t {
            _registry _made _permit_truncated _stop_on_invalid _state _offset _manifest _has_manifest
        }
    }
    values! {
        ax_completion_state_t {
            AX_COMPLETION_COMPLETE
            AX_COMPLETION_TRUNCATED
            AX_COMPLETION_ERROR
        }
        ax_failure_type_t {
            AX_FAILURE_NULL
            AX_FAILURE_TIMEOUT
            AX_FAILURE_INVALID_OUTPUT
            AX_FAILURE_TRANSPORT_ERROR
        }
        ax_input_kind_t {
            AX_INPUT_KIND_TEXT
            AX_INPUT_KIND_JSON
        }
        ax_profile_t {
            AX_PROFILE_RFC8785
            AX_PROFILE_ORACLE_1_1
            AX_PROFILE_ORACLE_1_2
        }
        ax_policy_err_t {
            AX_POLICY_OK
            AX_POLICY_ERR_NULL_CTX
            AX_POLICY_ERR_NULL_INPUT
            AX_POLICY_ERR_SERIALISE
            AX_POLICY_ERR_COMMIT
            AX_POLICY_ERR_INVALID_ID
            AX_POLICY_ERR_OVERFLOW
        }
        ax_policy_cmp_t {
            AX_POLICY_CMP_GT
            AX_POLICY_CMP_LT
            AX_POLICY_CMP_GE
            AX_POLICY_CMP_LE
        }
        ax_policy_result_t {
            AX_POLICY_PERMITTED
            AX_POLICY_BREACH
        }
        ax_health_state_t {
            AX_HEALTH_UNINIT
            AX_HEALTH_INIT
            AX_HEALTH_ENABLED
            AX_HEALTH_ALARM
            AX_HEALTH_DEGRADED
            AX_HEALTH_STOPPED
        }
        ax_violation_t {
            AX_VIOLATION_NONE
            AX_VIOLATION_TIME_ROLLBACK
            AX_VIOLATION_POLICY_BREACH
            AX_VIOLATION_FAULT_EXCEEDED
            AX_VIOLATION_PROTOCOL
            AX_VIOLATION_GENESIS_MISMATCH
            AX_VIOLATION_COMMIT_FAILURE
            AX_VIOLATION_SEQUENCE_ORDER
            AX_VIOLATION_TERMINALITY
        }
        ax_input_class_t {
            AX_INPUT_TIME_OBS
            AX_INPUT_LLM_OBS
            AX_INPUT_POLICY_TRIGGER
            AX_INPUT_FAULT_SIGNAL
            AX_INPUT_RESET_REQUEST
        }
        ax_verdict_t {
            AX_VERDICT_OK
            AX_VERDICT_ALTERED
            AX_VERDICT_REORDERED
            AX_VERDICT_TRUNCATED
            AX_VERDICT_TORN
            AX_VERDICT_NON_CANONICAL
            AX_VERDICT_UNWITNESSED
            AX_VERDICT_DIVERGED
            AX_VERDICT_CONFIG_MISMATCH
            AX_VERDICT_MODEL_MISMATCH
        }
    }
    Ok(())
}
