"""The functions, structs and constants of ``axilog/host.h`` that the package calls."""

from __future__ import annotations

from ctypes import (
    CDLL,
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_size_t,
    c_uint8,
    c_uint64,
    c_void_p,
)
from typing import Any, Optional

AXH_OK = 0
AXH_NOT_OK = 1
AXH_ERR_ARGUMENT = -101
AXH_ERR_LEDGER = -107
AXH_ERR_IO = -108


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


_check = (c_int, [c_char_p, POINTER(axh_expectations_t), POINTER(c_void_p)])

PROTOTYPES: dict[str, tuple[Optional[Any], list[Any]]] = {
    "axh_last_error": (c_char_p, []),
    "axh_last_os_error": (c_int, []),
    "axh_verify": _check,
    "axh_replay": _check,
    "axh_audit": _check,
    "axh_string_free": (None, [c_void_p]),
}


def set_prototypes(library: CDLL) -> None:
    """Gives the functions their types. Raises AttributeError for one that the library lacks."""
    for name, (restype, argtypes) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = restype
        function.argtypes = argtypes
