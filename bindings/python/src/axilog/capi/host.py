"""The functions, structs and constants of ``axilog/host.h`` that the package calls."""

from __future__ import annotations

from ctypes import (
    CDLL,
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Optional

from axilog.capi.structs import ax_oracle_params_t

AXH_OK = 0
AXH_NOT_OK = 1
AXH_END = 2
AXH_ERR_ARGUMENT = -101
AXH_ERR_HANDLE = -102
AXH_ERR_FORKED = -103
AXH_ERR_REFUSED = -104
AXH_ERR_EXISTS = -105
AXH_ERR_LOCKED = -106
AXH_ERR_LEDGER = -107
AXH_ERR_IO = -108

AXH_REASON_QUESTION = 1
AXH_REASON_IDENTITY = 2
AXH_REASON_MODEL = 3
AXH_REASON_ORACLE = 4
AXH_REASON_SOURCE = 5
AXH_REASON_SCHEMA = 6
AXH_REASON_TIME = 7
AXH_REASON_SEALED = 8
AXH_REASON_BINDING = 9
AXH_REASON_DAMAGED = 10
AXH_REASON_CONFIGURATION = 11
AXH_REASON_DECLARATIONS = 12
AXH_REASON_DISPLACED = 13
AXH_REASON_FAILED = 14
AXH_REASON_POLICIES = 15
AXH_REASON_BUNDLE = 16
AXH_REASON_GRAMMAR = 17
AXH_REASON_STATE = 18

AXH_ARRIVAL_RESPONSE = 0
AXH_ARRIVAL_UNREACHABLE = 1
AXH_ARRIVAL_TIMEOUT = 2
AXH_ARRIVAL_BROKEN = 3
AXH_ARRIVAL_CANCELLED = 4

AXH_TAG_STATE = 1
AXH_TAG_OBSERVATION = 2
AXH_TAG_POLICY = 4
AXH_TAG_TRANSITION = 8
AXH_TAG_PROOF = 16


class axh_schema_t(Structure):
    """The declared schemas of an oracle."""

    _fields_ = [
        ("oracle_id", c_char_p),
        ("input", c_char_p),
        ("input_len", c_size_t),
        ("output", c_char_p),
        ("output_len", c_size_t),
    ]


class axh_options_t(Structure):
    """What a ledger is begun with, and what it must be bound to where it is opened."""

    _fields_ = [
        ("size", c_size_t),
        ("policies", c_char_p),
        ("policies_len", c_size_t),
        ("name", c_char_p),
        ("note", c_char_p),
        ("oracles", POINTER(c_char_p)),
        ("oracle_count", c_size_t),
        ("schemas", POINTER(axh_schema_t)),
        ("schema_count", c_size_t),
        ("time", c_uint64),
        ("interval_records", c_uint64),
        ("interval_milliseconds", c_uint64),
        ("durability", c_int),
        ("require_policy", c_uint8),
        ("permit_truncated", c_uint8),
        ("stop_on_invalid", c_uint8),
        ("follows", c_char_p),
        ("running_values", c_char_p),
        ("running_values_len", c_size_t),
    ]


class axh_observation_t(Structure):
    """One call of an oracle: what it was asked, and its answer or its failure."""

    _fields_ = [
        ("size", c_size_t),
        ("oracle_id", c_char_p),
        ("model_id", c_char_p),
        ("params", POINTER(ax_oracle_params_t)),
        ("input", c_char_p),
        ("input_len", c_size_t),
        ("output", c_char_p),
        ("output_len", c_size_t),
        ("input_kind", c_int),
        ("failure", c_int),
        ("truncated", c_uint8),
    ]


class axh_exchange_t(Structure):
    """One exchange with the provider of a model."""

    _fields_ = [
        ("size", c_size_t),
        ("interface", c_char_p),
        ("oracle_id", c_char_p),
        ("key", c_char_p),
        ("request", c_char_p),
        ("request_len", c_size_t),
        ("response", c_char_p),
        ("response_len", c_size_t),
        ("content_type", c_char_p),
        ("milliseconds", c_uint64),
        ("status", c_uint32),
        ("arrival", c_int),
    ]


class axh_decision_t(Structure):
    """The decision of one step."""

    _fields_ = [
        ("size", c_size_t),
        ("ledger_seq", c_uint64),
        ("entries", c_uint64),
        ("output_size", c_uint64),
        ("head", c_uint8 * 32),
        ("input_hash", c_uint8 * 32),
        ("obs_hash", c_uint8 * 32),
        ("judged", c_uint32),
        ("breached", c_uint32),
        ("fault_count", c_uint32),
        ("completion_state", c_int),
        ("failure_type", c_int),
        ("health", c_int),
        ("violation", c_int),
        ("may_act", c_uint8),
        ("permitted", c_uint8),
        ("violates_schema", c_uint8),
    ]


class axh_state_t(Structure):
    """The state of a ledger and of its agent."""

    _fields_ = [
        ("size", c_size_t),
        ("entries", c_uint64),
        ("durable_entries", c_uint64),
        ("last_timestamp", c_uint64),
        ("completed_records", c_uint64),
        ("head", c_uint8 * 32),
        ("durable_head", c_uint8 * 32),
        ("configuration", c_uint8 * 32),
        ("manifest", c_uint8 * 32),
        ("fault_count", c_uint32),
        ("health", c_int),
        ("sealed", c_uint8),
        ("failed", c_uint8),
        ("has_manifest", c_uint8),
        ("torn", c_uint8),
    ]


class axh_expectations_t(Structure):
    """What the caller of a check knows about a ledger from elsewhere."""

    _fields_ = [
        ("size", c_size_t),
        ("head", c_char_p),
        ("extends", POINTER(c_char_p)),
        ("extends_count", c_size_t),
        ("models", POINTER(c_char_p)),
        ("model_count", c_size_t),
        ("policies", c_char_p),
        ("policies_len", c_size_t),
        ("entries", c_uint64),
        ("blob_bytes", c_uint64),
        ("permit_truncated", c_uint8),
        ("stop_on_invalid", c_uint8),
        ("require_policy", c_uint8),
        ("blobs", c_uint8),
    ]


class axh_filter_t(Structure):
    """The records that a reader gives."""

    _fields_ = [
        ("size", c_size_t),
        ("oracle_id", c_char_p),
        ("first", c_uint64),
        ("count", c_uint64),
        ("tags", c_uint32),
    ]


class axh_record_t(Structure):
    """A record."""

    _fields_ = [
        ("size", c_size_t),
        ("sequence", c_uint64),
        ("ledger_seq", c_uint64),
        ("offset", c_uint64),
        ("time", c_uint64),
        ("bytes", c_void_p),
        ("bytes_len", c_size_t),
        ("oracle_id", c_char_p),
        ("model_id", c_char_p),
        ("output", c_void_p),
        ("output_len", c_size_t),
        ("output_size", c_uint64),
        ("policy_id", c_char_p),
        ("commit", c_uint8 * 32),
        ("chain", c_uint8 * 32),
        ("content_hash", c_uint8 * 32),
        ("obs_hash", c_uint8 * 32),
        ("params", ax_oracle_params_t),
        ("kind", c_int),
        ("completion_state", c_int),
        ("failure_type", c_int),
        ("input_class", c_int),
        ("prev_state", c_int),
        ("next_state", c_int),
        ("violation", c_int),
        ("fault_count", c_uint32),
        ("actual", c_int32),
        ("threshold", c_int32),
        ("breached", c_uint8),
    ]


class axh_texts_t(Structure):
    """The texts of a column."""

    _fields_ = [("offsets", c_void_p), ("bytes", c_void_p)]


class axh_columns_t(Structure):
    """Records in columns."""

    _fields_ = [
        ("size", c_size_t),
        ("count", c_size_t),
        ("sequence", c_void_p),
        ("ledger_seq", c_void_p),
        ("offset", c_void_p),
        ("time", c_void_p),
        ("output_size", c_void_p),
        ("actual", c_void_p),
        ("threshold", c_void_p),
        ("fault_count", c_void_p),
        ("kind", c_void_p),
        ("completion_state", c_void_p),
        ("failure_type", c_void_p),
        ("breached", c_void_p),
        ("input_class", c_void_p),
        ("prev_state", c_void_p),
        ("next_state", c_void_p),
        ("violation", c_void_p),
        ("chain", c_void_p),
        ("content_hash", c_void_p),
        ("obs_hash", c_void_p),
        ("oracle_id", axh_texts_t),
        ("model_id", axh_texts_t),
        ("output", axh_texts_t),
        ("policy_id", axh_texts_t),
        ("bytes", axh_texts_t),
    ]


class axh_reader_state_t(Structure):
    """How far a reader has come."""

    _fields_ = [
        ("size", c_size_t),
        ("entries", c_uint64),
        ("offset", c_uint64),
        ("torn_bytes", c_uint64),
        ("time", c_uint64),
        ("head", c_uint8 * 32),
        ("sealed", c_uint8),
    ]


# Handles are opaque: numbers that the library looks up.
_ledger = c_void_p
_open = (c_int, [c_char_p, POINTER(axh_options_t), POINTER(_ledger)])
_decision = POINTER(axh_decision_t)
_check = (c_int, [c_char_p, POINTER(axh_expectations_t), POINTER(c_void_p)])
_segment = (
    c_int,
    [c_char_p, c_uint64, c_uint64, POINTER(axh_expectations_t), POINTER(c_void_p)],
)
_join = (
    c_int,
    [c_char_p, POINTER(c_char_p), c_size_t, POINTER(axh_expectations_t), POINTER(c_void_p)],
)
_text_to_text = (c_int, [c_char_p, c_size_t, POINTER(c_void_p)])
_reader = c_void_p
_text = [_reader, POINTER(c_void_p), POINTER(c_size_t)]

PROTOTYPES: dict[str, tuple[Optional[Any], list[Any]]] = {
    "axh_last_error": (c_char_p, []),
    "axh_last_os_error": (c_int, []),
    "axh_last_reason": (c_int, []),
    "axh_take_decision": (c_void_p, []),
    "axh_kept_decision": (c_char_p, [c_void_p]),
    "axh_kept_decision_free": (None, [c_void_p]),
    "axh_ledger_create": _open,
    "axh_ledger_open": _open,
    "axh_ledger_open_or_create": _open,
    "axh_ledger_close": (c_int, [_ledger]),
    "axh_observe": (c_int, [_ledger, POINTER(axh_observation_t), _decision]),
    "axh_check_question": (c_int, [_ledger, POINTER(axh_observation_t), POINTER(c_void_p)]),
    "axh_exchange_begin": (c_int, [_ledger, POINTER(axh_exchange_t)]),
    "axh_exchange_end": (
        c_int,
        [_ledger, POINTER(axh_exchange_t), _decision, POINTER(c_void_p)],
    ),
    "axh_derive_question": (
        c_int,
        [_ledger, c_char_p, c_size_t, c_int, POINTER(c_char_p), c_size_t, c_int, POINTER(c_void_p)],
    ),
    "axh_time": (c_int, [_ledger, c_uint64, c_int, _decision]),
    "axh_control": (c_int, [_ledger, c_int, _decision]),
    "axh_seal": (c_int, [_ledger]),
    "axh_state": (c_int, [_ledger, POINTER(axh_state_t)]),
    "axh_opening": (c_int, [_ledger, POINTER(c_void_p)]),
    "axh_verify": _check,
    "axh_replay": _check,
    "axh_audit": _check,
    "axh_segment_verify": _segment,
    "axh_segment_replay": _segment,
    "axh_segment_verify_join": _join,
    "axh_segment_replay_join": _join,
    "axh_string_free": (None, [c_void_p]),
    "axh_reader_open": (c_int, [c_char_p, POINTER(axh_filter_t), POINTER(_reader)]),
    "axh_reader_next": (c_int, [_reader, POINTER(axh_record_t)]),
    "axh_reader_question": (c_int, _text),
    "axh_reader_raw_answer": (c_int, _text),
    "axh_reader_columns": (c_int, [_reader, c_size_t, POINTER(axh_columns_t)]),
    "axh_reader_state": (c_int, [_reader, POINTER(axh_reader_state_t)]),
    "axh_reader_close": (c_int, [_reader]),
    "axh_policy_check": (c_int, [c_char_p, c_size_t, c_char_p, POINTER(c_void_p)]),
    "axh_tool_call": (
        c_int,
        [c_char_p, c_size_t, c_size_t, POINTER(c_void_p), POINTER(c_void_p)],
    ),
    "axh_check_proof": (
        c_int,
        [c_char_p, c_size_t, c_char_p, c_size_t, c_char_p, POINTER(c_void_p)],
    ),
    "axh_canonical_json": _text_to_text,
    "axh_canonicalize": _text_to_text,
    "axh_bundle_build": _text_to_text,
    "axh_bundle_check": (c_int, [c_char_p, POINTER(c_void_p)]),
    "axh_bundle_grammar": (c_int, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "axh_bundle_match": (
        c_int,
        [c_char_p, c_size_t, c_char_p, c_char_p, c_size_t, c_uint64, POINTER(c_void_p)],
    ),
}


def set_prototypes(library: CDLL) -> None:
    """Gives the functions their types. Raises AttributeError for one that the library lacks."""
    for name, (restype, argtypes) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = restype
        function.argtypes = argtypes
