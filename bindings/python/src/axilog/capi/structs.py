"""The structs of the C headers, field for field.

Enums are ``c_int``. A pointer to bytes is ``c_char_p`` where the caller sets it, since ctypes then
keeps the bytes alive as long as the struct, and ``c_void_p`` where the library sets it, since those
bytes need not end with a NUL. A test compares sizes and offsets with those of the C compiler.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)

q16_16_t = c_int32
"""A raw Q16.16 number: the value times 65536."""

FAULT_NAMES = (
    "overflow",
    "underflow",
    "div_zero",
    "saturation",
    "narrowing",
    "domain",
    "ledger_fail",
    "io_error",
    "precision",
    "encoding",
    "schema",
    "ordering",
    "size",
    "protocol",
    "serialise",
    "commit",
)


class ct_fault_flags_t(Structure):
    """types.h: sixteen sticky flags."""

    _fields_ = [(name, c_uint8) for name in FAULT_NAMES]


class ax_oracle_params_t(Structure):
    """oracle.h: sampling parameters."""

    _fields_ = [
        ("max_tokens", c_int32),
        ("seed", c_int64),
        ("temperature", q16_16_t),
        ("top_p", q16_16_t),
    ]


class ax_obs_record_t(Structure):
    """obs.h: an observation."""

    _fields_ = [
        ("completion_state", c_int),
        ("failure_type", c_int),
        ("input_hash", c_uint8 * 32),
        ("ledger_seq", c_uint64),
        ("model_id", c_char_p),
        ("obs_hash", c_char * 65),
        ("oracle_id", c_char_p),
        ("output", c_char_p),
        ("output_size", c_uint64),
        ("params", ax_oracle_params_t),
        ("schema_version", c_char_p),
    ]


class ax_obs_input_t(Structure):
    """obs.h: the answer of one call of an oracle, or how the call failed."""

    _fields_ = [
        ("completion_state", c_int),
        ("failure_type", c_int),
        ("input", c_char_p),
        ("input_len", c_size_t),
        ("ledger_seq", c_uint64),
        ("model_id", c_char_p),
        ("oracle_id", c_char_p),
        ("output", c_char_p),
        ("output_len", c_size_t),
        ("params", ax_oracle_params_t),
        ("input_kind", c_int),
    ]


class ax_admission_ctx_t(Structure):
    """obs.h: the state of one admission sequence."""

    _fields_ = [
        ("last_ledger_seq", c_uint64),
        ("initialized", c_int),
        ("profile", c_int),
        ("max_output_bytes", c_uint32),
        ("reject_del", c_uint8),
    ]


class ax_obs_view_t(Structure):
    """obs.h: a verified record; its pointers point into the record."""

    _fields_ = [
        ("completion_state", c_int),
        ("failure_type", c_int),
        ("input_hash", c_uint8 * 32),
        ("ledger_seq", c_uint64),
        ("params", ax_oracle_params_t),
        ("obs_hash", c_char * 65),
        ("output_size", c_uint64),
        ("model_id", c_void_p),
        ("model_id_len", c_size_t),
        ("oracle_id", c_void_p),
        ("oracle_id_len", c_size_t),
        ("output", c_void_p),
        ("output_len", c_size_t),
        ("gateway", c_uint8),
    ]


class ax_ledger_entry_t(Structure):
    """audit.h: one committed record."""

    _fields_ = [
        ("tag", c_char_p),
        ("payload", c_void_p),
        ("payload_len", c_uint64),
        ("sequence", c_uint64),
        ("commit", c_uint8 * 32),
        ("chain", c_uint8 * 32),
    ]


append_t = CFUNCTYPE(c_int, c_void_p, POINTER(ax_ledger_entry_t))
"""``int (*append)(void *user, const ax_ledger_entry_t *entry)``. The Python function must catch
every exception: ctypes prints one that leaves it, and returns 0 to C."""


class ax_ledger_sink_t(Structure):
    """audit.h: the function that stores committed records."""

    _fields_ = [("append", append_t), ("user", c_void_p)]


class ax_ledger_ctx_t(Structure):
    """audit.h: the state of a chain."""

    _fields_ = [
        ("current_hash", c_uint8 * 32),
        ("genesis_hash", c_uint8 * 32),
        ("sequence", c_uint64),
        ("failed", c_uint8),
        ("initialised", c_uint8),
        ("sealed", c_uint8),
        ("_pad", c_uint8 * 5),
        ("sink", POINTER(ax_ledger_sink_t)),
    ]


class ax_evidence_t(Structure):
    """audit.h: a record before it is committed."""

    _fields_ = [("tag", c_char_p), ("payload", c_char_p), ("payload_len", c_uint64)]


class ax_policy_t(Structure):
    """policy.h: one policy."""

    _fields_ = [
        ("policy_id", c_char_p),
        ("threshold", q16_16_t),
        ("comparison", c_int),
        ("enabled", c_uint8),
    ]


class ax_policy_registry_t(Structure):
    """policy.h: a table of policies."""

    _fields_ = [
        ("policies", POINTER(ax_policy_t)),
        ("count", c_size_t),
        ("selectors", POINTER(c_char_p)),
    ]


class ax_agent_ctx_t(Structure):
    """agent.h: the agent and its ledger."""

    _fields_ = [
        ("ledger", ax_ledger_ctx_t),
        ("health", c_int),
        ("fault_accumulator", c_uint32),
        ("last_timestamp", c_uint64),
        ("last_seen_seq", c_uint64),
        ("local_failed_flag", c_uint8),
        ("_pad", c_uint8 * 7),
        ("violation", c_int),
    ]


class ax_policy_ctx_t(Structure):
    """policy.h: the policies that an agent runs under, and their last result."""

    _fields_ = [
        ("ledger", POINTER(ax_ledger_ctx_t)),
        ("agent", POINTER(ax_agent_ctx_t)),
        ("breach_flag", c_uint8),
        ("evaluation_count", c_uint8),
        ("answer_permitted", c_uint8),
        ("last_eval_seq", c_uint64),
        ("registry", POINTER(ax_policy_registry_t)),
        ("permit_truncated", c_uint8),
        ("stop_on_invalid", c_uint8),
        ("has_manifest", c_uint8),
        ("manifest", c_uint8 * 32),
    ]


class ax_policy_input_t(Structure):
    """policy.h: a value to evaluate."""

    _fields_ = [("value", q16_16_t), ("ledger_seq", c_uint64), ("obs_ledger_seq", c_uint64)]


class ax_policy_record_t(Structure):
    """policy.h: the fields of an AX:POLICY:v1."""

    _fields_ = [
        ("actual", q16_16_t),
        ("ledger_seq", c_uint64),
        ("obs_ledger_seq", c_uint64),
        ("policy_id", c_char_p),
        ("result", c_uint8),
        ("threshold", q16_16_t),
    ]


class ax_input_t(Structure):
    """agent.h: one input of the agent."""

    _fields_ = [
        ("type", c_int),
        ("payload", c_char_p),
        ("payload_len", c_uint64),
        ("ledger_seq", c_uint64),
    ]


class ax_replay_ctx_t(Structure):
    """replay.h: a verification or replay in progress. Its fields are private to the library."""

    _fields_ = [
        ("_registry", POINTER(ax_policy_registry_t)),
        ("_made", c_uint32),
        ("_permit_truncated", c_uint8),
        ("_stop_on_invalid", c_uint8),
        ("_state", c_uint64 * 224),
        ("_offset", c_uint64),
        ("_manifest", c_uint8 * 32),
        ("_has_manifest", c_uint8),
    ]
