"""The checks that the library makes of a ledger file. Each gives the object that the command prints
with ``--json``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from ctypes import byref, c_char_p, c_void_p, sizeof
from typing import Any, Callable, Optional

from axilog._host_call import Path, encode_path, make_error, take_string
from axilog.capi.host import AXH_NOT_OK, AXH_OK, axh_expectations_t
from axilog.policy_set import PolicySet

EarlierHeads = Sequence[tuple[int, str]]
"""Pairs of a number of records and the head that the ledger had then, as ``Agent.entries`` and
``Agent.head`` give both."""
_HASH = re.compile(r"[0-9A-Fa-f]{64}")


def make_expectations(
    head: Optional[str],
    entries: Optional[int],
    models: Optional[Mapping[str, str]],
    extends: EarlierHeads,
) -> axh_expectations_t:
    """What a caller expects of a ledger's records. Raises ValueError for a value out of its
    range."""
    expected = axh_expectations_t(size=sizeof(axh_expectations_t))
    if head is not None:
        expected.head = _check_head(head, "expect_head").encode()
    if entries is not None:
        expected.entries = _check_number(entries, "expect_entries")
    heads = [
        f"{_check_number(number, 'extends')}:{_check_head(noted, 'extends')}"
        for number, noted in extends
    ]
    expected.extends, expected.extends_count = _make_array(heads), len(heads)
    pins = [_join_model(oracle, model) for oracle, model in (models or {}).items()]
    expected.models, expected.model_count = _make_array(pins), len(pins)
    return expected


def expect_rules(
    expected: axh_expectations_t,
    policies: Optional[PolicySet],
    permit_truncated: bool,
    stop_on_invalid: bool,
) -> None:
    """Adds what a caller expects of a ledger's rules. Policies, or a switch that is on, name both
    switches."""
    if policies is not None:
        text = policies.canonical().encode()
        expected.policies, expected.policies_len = text, len(text)
    expected.permit_truncated = int(bool(permit_truncated))
    expected.stop_on_invalid = int(bool(stop_on_invalid))


def check_ledger(
    check: Callable[..., int], path: Path, expected: axh_expectations_t
) -> dict[str, Any]:
    """Makes a check of the library, such as ``lib.axh_verify``. Raises LedgerMissingError,
    LedgerIOError, LedgerError, ConfigurationError, and ValueError for an expectation that the
    library refuses."""
    name = encode_path(path)
    text = c_void_p()
    status = check(name, byref(expected), byref(text))
    if status not in (AXH_OK, AXH_NOT_OK):
        raise make_error(status, os.fsdecode(name))
    found: dict[str, Any] = json.loads(take_string(text))
    # The object has the path as text, in which bytes that are no UTF-8 are replaced.
    found["ledger"] = os.fsdecode(name)
    return found


def check_segment(
    check: Callable[..., int], path: Path, begin: int, end: int, expected: axh_expectations_t
) -> str:
    """Checks a segment of a ledger, by ``lib.axh_segment_verify`` or ``lib.axh_segment_replay``.
    Raises as :func:`check_ledger` does."""
    name, text = encode_path(path), c_void_p()
    for offset, where in ((begin, "begin"), (end, "end")):
        if not 0 <= offset < 2**64:
            raise ValueError(f"{where}: found {offset!r}, expected an offset from 0")
    status = check(name, begin, end, byref(expected), byref(text))
    if status != AXH_OK:
        raise make_error(status, os.fsdecode(name))
    return take_string(text).decode()


def join_segments(
    join: Callable[..., int], path: Path, segments: Iterable[str], expected: axh_expectations_t
) -> dict[str, Any]:
    """Joins segments, by ``lib.axh_segment_verify_join`` or ``lib.axh_segment_replay_join``. Raises
    as :func:`check_ledger` does."""
    texts = list(segments)
    array = _make_array(texts)

    def check(name: bytes, expected: Any, text: Any) -> int:
        return join(name, array, len(texts), expected, text)

    return check_ledger(check, path, expected)


def _make_array(texts: list[str]) -> Any:
    """An array of C strings; NULL for none."""
    array = (c_char_p * len(texts))(*(text.encode() for text in texts))
    return array if texts else None


def _check_number(number: int, where: str) -> int:
    if not 1 <= number < 2**64:
        raise ValueError(f"{where}: found {number!r} records, expected a number from 1")
    return number


def _check_head(text: str, where: str) -> str:
    if not _HASH.fullmatch(text):
        raise ValueError(f"{where}: found {text!r}, expected 64 hexadecimal digits")
    return text


def _join_model(oracle_id: str, model_id: str) -> str:
    """What the library splits at the first equals sign."""
    joined = f"{oracle_id}={model_id}"
    if "=" in oracle_id or not (oracle_id and model_id) or "\0" in joined:
        raise ValueError(
            f"expect_models: found the model {model_id!r} of the oracle {oracle_id!r}, expected "
            "two texts without NUL, and no equals sign in the first"
        )
    return joined
