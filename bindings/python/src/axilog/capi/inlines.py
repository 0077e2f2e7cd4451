"""The inline functions of the C headers, which the library does not export. An argument may not be
NULL here."""

from __future__ import annotations

import ctypes

from axilog.capi.constants import AX_PARAMS_NULL_INT32, AX_PARAMS_NULL_INT64, AX_PARAMS_NULL_Q16
from axilog.capi.structs import ax_admission_ctx_t, ax_oracle_params_t, ct_fault_flags_t


def ct_fault_clear(faults: ct_fault_flags_t) -> None:
    """Clears every flag. No other function clears one."""
    ctypes.memset(ctypes.byref(faults), 0, ctypes.sizeof(faults))


def ct_fault_init(faults: ct_fault_flags_t) -> None:
    """Clears every flag, as :func:`ct_fault_clear` does."""
    ct_fault_clear(faults)


def ct_fault_any(faults: ct_fault_flags_t) -> int:
    """Returns 1 where any flag is set, else 0."""
    return int(any(bytes(faults)))


def ax_oracle_params_init_null(params: ax_oracle_params_t) -> None:
    """Sets every parameter to null."""
    params.max_tokens = AX_PARAMS_NULL_INT32
    params.seed = AX_PARAMS_NULL_INT64
    params.temperature = AX_PARAMS_NULL_Q16
    params.top_p = AX_PARAMS_NULL_Q16


def ax_params_max_tokens_is_null(params: ax_oracle_params_t) -> int:
    """Returns 1 where max_tokens is null, else 0."""
    return int(params.max_tokens == AX_PARAMS_NULL_INT32)


def ax_params_seed_is_null(params: ax_oracle_params_t) -> int:
    """Returns 1 where seed is null, else 0."""
    return int(params.seed == AX_PARAMS_NULL_INT64)


def ax_params_temperature_is_null(params: ax_oracle_params_t) -> int:
    """Returns 1 where temperature is null, else 0."""
    return int(params.temperature == AX_PARAMS_NULL_Q16)


def ax_params_top_p_is_null(params: ax_oracle_params_t) -> int:
    """Returns 1 where top_p is null, else 0."""
    return int(params.top_p == AX_PARAMS_NULL_Q16)


def ax_admission_ctx_init(ctx: ax_admission_ctx_t) -> None:
    """Initialises a context: nothing admitted, profile 0, no limit on the output, U+007F
    allowed."""
    ctypes.memset(ctypes.byref(ctx), 0, ctypes.sizeof(ctx))
