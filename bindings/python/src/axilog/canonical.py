"""Canonical JSON (RFC 8785), the form of a question of the kind JSON (SRS-004 section 8.3)."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p

from axilog._host_call import take_string
from axilog.capi import lib
from axilog.capi.host import AXH_OK
from axilog.errors import InputError


def canonical_json(value: object) -> bytes:
    """Writes a value as canonical JSON, to be put to an oracle and recorded as its question with
    ``input_kind=InputKind.JSON``.

    Args:
        value: What :func:`json.dumps` takes. An integer beyond 64 bits becomes the nearest double.

    Raises:
        InputError for a value that has no canonical form: NaN, an infinity, a number beyond the
        doubles, a lone surrogate; TypeError for one that is no JSON.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"the value has no canonical JSON: {error}") from error
    canonical = c_void_p()
    if lib.axh_canonical_json(text, len(text), byref(canonical)) != AXH_OK:
        raise InputError(f"the value has no canonical JSON: {lib.axh_last_error().decode()}")
    return take_string(canonical)
