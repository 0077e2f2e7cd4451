"""``restype`` and ``argtypes`` of every function of the C headers.

A test derives the same from the declarations in the headers.
"""

from __future__ import annotations

from ctypes import (
    CDLL,
    POINTER,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
)
from typing import Any, Optional

from axilog.capi import structs as s

_buffer = POINTER(c_char)
_bytes = c_char_p
_faults = POINTER(s.ct_fault_flags_t)
_params = POINTER(s.ax_oracle_params_t)
_record = POINTER(s.ax_obs_record_t)
_obs_input = POINTER(s.ax_obs_input_t)
_view = POINTER(s.ax_obs_view_t)
_admission = POINTER(s.ax_admission_ctx_t)
_ledger = POINTER(s.ax_ledger_ctx_t)
_sink = POINTER(s.ax_ledger_sink_t)
_entry = POINTER(s.ax_ledger_entry_t)
_evidence = POINTER(s.ax_evidence_t)
_policy = POINTER(s.ax_policy_t)
_registry = POINTER(s.ax_policy_registry_t)
_policy_context = POINTER(s.ax_policy_ctx_t)
_policy_input = POINTER(s.ax_policy_input_t)
_policy_record = POINTER(s.ax_policy_record_t)
_agent = POINTER(s.ax_agent_ctx_t)
_input = POINTER(s.ax_input_t)
_replay = POINTER(s.ax_replay_ctx_t)
_enum = c_int
_q16 = s.q16_16_t

Prototype = tuple[Optional[Any], list[Any]]

PROTOTYPES: dict[str, Prototype] = {
    # types.h
    "ax_strerror": (_bytes, [c_int]),
    "ax_abi_version": (c_uint32, []),
    "ax_version": (_bytes, []),
    "ax_unicode_version": (_bytes, []),
    # dvm.h
    "dvm_add_q16": (c_int32, [c_int32, c_int32, _faults]),
    "dvm_sub_q16": (c_int32, [c_int32, c_int32, _faults]),
    "dvm_mul_q16": (c_int32, [c_int32, c_int32, _faults]),
    "dvm_div_q16": (c_int32, [c_int32, c_int32, _faults]),
    # sha256.h, commitment.h
    "axilog_sha256": (None, [_buffer, _bytes, c_size_t]),
    "ax_sha256": (None, [_buffer, _bytes, c_size_t]),
    "axilog_commit": (None, [_bytes, _bytes, c_uint64, _buffer, _faults]),
    # obs.h
    "ax_obs_init": (None, [_record]),
    "ax_obs_admit": (c_int, [_record, _buffer, c_size_t, _obs_input, _admission, _faults]),
    "ax_obs_validate": (c_int, [_record, _faults]),
    "ax_obs_input_init": (None, [_obs_input]),
    "ax_obs_input_set_complete": (
        None,
        [_obs_input, c_uint64, _bytes, _bytes, _bytes, c_size_t, _bytes, c_size_t, _params],
    ),
    "ax_obs_input_set_timeout": (
        None,
        [_obs_input, c_uint64, _bytes, _bytes, _bytes, c_size_t],
    ),
    "ax_obs_input_set_transport_error": (
        None,
        [_obs_input, c_uint64, _bytes, _bytes, _bytes, c_size_t],
    ),
    "ax_obs_input_set_invalid_output": (
        None,
        [_obs_input, c_uint64, _bytes, _bytes, _bytes, c_size_t, _bytes, c_size_t],
    ),
    "ax_obs_parse": (c_int, [_view, _bytes, c_size_t, POINTER(_enum), _faults]),
    "ax_obs_output": (c_int, [_view, _buffer, c_size_t]),
    "ax_compute_derivation_hash": (None, [_buffer, _record, _bytes, c_size_t]),
    # canonical.h
    "ax_obs_canonicalise": (c_int, [_buffer, c_size_t, _record, c_int]),
    "ax_obs_canonicalise_as": (c_int, [_buffer, c_size_t, _record, c_int, _enum]),
    "ax_params_canonicalise": (c_int, [_buffer, c_size_t, _params]),
    "ax_string_escape": (c_int, [_buffer, c_size_t, _bytes, c_size_t]),
    "ax_string_escape_as": (c_int, [_buffer, c_size_t, _bytes, c_size_t, _enum]),
    "ax_format_int64": (c_int, [_buffer, c_size_t, c_int64]),
    "ax_format_uint64": (c_int, [_buffer, c_size_t, c_uint64]),
    "ax_format_q16": (c_int, [_buffer, c_size_t, _q16]),
    "ax_format_hash_hex": (c_int, [_buffer, c_size_t, _bytes, c_size_t]),
    # validate.h
    "ax_validate_utf8": (c_int, [_bytes, c_size_t]),
    "ax_is_nfc": (c_int, [_bytes, c_size_t]),
    "ax_contains_forbidden_control": (c_int, [_bytes, c_size_t]),
    "ax_validate_encoding": (c_int, [_bytes, c_size_t]),
    "ax_is_canonical_json": (c_int, [_bytes, c_size_t]),
    "ax_normalise_line_endings": (c_int, [_buffer, c_size_t, _bytes, c_size_t]),
    "ax_validate_and_normalise": (c_int, [_buffer, c_size_t, _bytes, c_size_t, _faults]),
    # hash.h
    "ax_compute_input_hash": (None, [_buffer, _bytes, c_size_t]),
    "ax_obs_compute_hash": (c_int, [_record]),
    "ax_obs_compute_hash_as": (c_int, [_record, _enum]),
    # audit.h
    "ax_ledger_genesis": (c_int, [_ledger, _faults]),
    "ax_ledger_resume": (c_int, [_ledger, _bytes, c_uint64, _faults]),
    "ax_ledger_set_sink": (c_int, [_ledger, _sink, _faults]),
    "ax_ledger_append": (c_int, [_ledger, _bytes, _faults]),
    "ax_commit_evidence": (c_int, [_evidence, _buffer, _faults]),
    "ax_ledger_record": (c_int, [_ledger, _evidence, _faults]),
    "ax_ledger_seal": (c_int, [_ledger, _faults]),
    "ax_raw_record": (c_int, [_buffer, c_size_t, c_uint64, _bytes, c_size_t]),
    "ax_verify_chain": (c_int, [_ledger, _faults]),
    "ax_ledger_genesis_entry": (c_int, [_entry]),
    "ax_ledger_line_write": (c_int, [_buffer, c_size_t, _entry]),
    "ax_ledger_line_parse": (c_int, [_entry, _buffer, _bytes, c_size_t]),
    "ax_hash_equal_ct": (c_int, [_bytes, _bytes, c_size_t]),
    # policy.h
    "ax_policy_init": (_enum, [_policy_context, _ledger, _agent, _faults]),
    "ax_policy_init_with_registry": (_enum, [_policy_context, _registry, _ledger, _agent, _faults]),
    "ax_policy_config_hash": (c_int, [_policy_context, _buffer, _faults]),
    "ax_policy_strerror": (_bytes, [_enum]),
    "ax_policy_get_registry": (_registry, []),
    "ax_policy_get_count": (c_size_t, []),
    "ax_policy_verify_registry_sorted": (c_int, []),
    "ax_policy_evaluate": (_enum, [_policy_context, _policy, _policy_input, _faults]),
    "ax_policy_evaluate_all": (_enum, [_policy_context, _policy_input, _faults]),
    "ax_policy_check_breach": (c_int, [_q16, _q16, _enum]),
    "ax_policy_serialize": (c_int, [_buffer, c_size_t, _policy_record, _faults]),
    "ax_policy_result_to_str": (_bytes, [_enum]),
    "ax_policy_cmp_to_str": (_bytes, [_enum]),
    "ax_policy_has_breach": (c_int, [_policy_context]),
    "ax_policy_reset_cycle": (None, [_policy_context]),
    # agent.h
    "ax_agent_init": (None, [_agent, _faults]),
    "ax_agent_bind": (None, [_agent, _faults]),
    "axilog_agent_step": (None, [_agent, _policy_context, _input, _faults]),
    "ax_agent_step": (None, [_agent, _policy_context, _input, _faults]),
    "ax_agent_observe": (c_int, [_agent, _policy_context, _obs_input, _buffer, c_size_t, _faults]),
    "ax_agent_observe_time": (
        c_int,
        [_agent, _policy_context, c_uint64, _buffer, c_size_t, _faults],
    ),
    "ax_agent_observe_control": (
        c_int,
        [_agent, _policy_context, _enum, _buffer, c_size_t, _faults],
    ),
    "ax_agent_may_act": (c_int, [_agent, _policy_context]),
    "ax_agent_extract_value": (_q16, [_input]),
    "ax_agent_determine_next": (_enum, [_enum, _enum]),
    "ax_agent_commit_transition": (None, [_agent, _input, _enum, _faults]),
    "ax_extract_timestamp": (c_int, [_bytes, c_uint64, POINTER(c_uint64), _faults]),
    "ax_health_state_to_str": (_bytes, [_enum]),
    "ax_input_class_to_str": (_bytes, [_enum]),
    "ax_violation_to_str": (_bytes, [_enum]),
    # replay.h
    "ax_replay_init": (c_int, [_replay, _registry, c_uint8, c_uint8, _faults]),
    "ax_replay_feed": (_enum, [_replay, _entry, _faults]),
    "ax_replay_finish": (_enum, [_replay, c_uint64, _bytes, _faults]),
    "ax_replay_agent": (c_int, [_replay, _agent, _faults]),
    "ax_replay_complete": (c_int, [_replay, _agent, _faults]),
    "ax_replay_set_manifest": (None, [_replay, _bytes]),
    "ax_replay_feed_lines": (c_size_t, [_replay, _bytes, c_size_t, POINTER(_enum), _faults]),
    "ax_replay_entries": (c_uint64, [_replay]),
    "ax_replay_offset": (c_uint64, [_replay]),
    "ax_verdict_to_str": (_bytes, [_enum]),
}


def find_function(library: CDLL, name: str) -> Any:
    """The function that C programs call by ``name``. The headers give some functions another
    symbol, their name and ``_v2``."""
    versioned = f"{name}_v2"
    return getattr(library, versioned if hasattr(library, versioned) else name)


def set_prototypes(library: CDLL) -> None:
    """Gives every function of ``library`` its C name, ``restype`` and ``argtypes``. Raises
    AttributeError for a function that the library lacks."""
    for name, (restype, argtypes) in PROTOTYPES.items():
        function = find_function(library, name)
        function.restype = restype
        function.argtypes = argtypes
        setattr(library, name, function)
