"""What a ledger is begun and opened with, as ``axh_options_t``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from ctypes import POINTER, c_char_p, cast, sizeof
from typing import Any, Optional, Union

from axilog.capi.host import axh_options_t, axh_schema_t
from axilog.policy_set import PolicySet

SchemaDocument = Union[Mapping[str, Any], bool, str, bytes]
"""A JSON Schema (2020-12), as a text, or as a dictionary or a bool."""

RunningValues = Union[Mapping[str, Mapping[str, Any]], str, bytes]
"""What a ledger computes itself: by ``ax.sum.NAME``, ``ax.count.NAME`` or ``ax.change.NAME`` the
``oracle``, the ``path`` of the number and the ``window``, as a dictionary or as JSON text."""


def make_options(
    policies: Optional[PolicySet],
    permit_truncated: bool,
    stop_on_invalid: bool,
    name: Optional[str],
    note: Optional[str],
    schemas: Mapping[str, SchemaDocument],
    input_schemas: Mapping[str, SchemaDocument],
    oracles: Optional[Iterable[str]],
    require_policy: bool,
    follows: Optional[tuple[int, str]],
    running_values: Optional[RunningValues],
    time: Optional[int],
) -> axh_options_t:
    """The options as C has them. Raises ValueError for a value that C cannot express, and TypeError
    for one of another type."""
    options = axh_options_t(size=sizeof(axh_options_t))
    if policies is not None:
        options.policies, options.policies_len = _text(policies.canonical())
    options.permit_truncated = int(permit_truncated)
    options.stop_on_invalid = int(stop_on_invalid)
    options.require_policy = int(require_policy)
    options.name = encode_text("name", name)
    options.note = encode_text("note", note)
    if oracles is not None:
        ids = [encode_text("oracles", oracle_id) for oracle_id in oracles]
        if not ids:
            raise ValueError("oracles: found none, expected at least one; leave it out for any")
        options.oracles, options.oracle_count = (c_char_p * len(ids))(*ids), len(ids)
    if follows is not None:
        entries, head = follows
        options.follows = encode_text("follows", f"{entries}:{head}")
    if running_values is not None:
        text = _json("running_values", running_values)
        options.running_values, options.running_values_len = text
    if time is not None:
        options.time = check_time(time, 1)
    _set_schemas(options, schemas, input_schemas)
    return options


def encode_text(name: str, text: Optional[str]) -> Optional[bytes]:
    """A text as C takes it. Raises TypeError, and ValueError for one with a NUL."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{name}: found {type(text).__name__}, expected str")
    if "\0" in text:
        raise ValueError(f"{name}: found {text!r}, expected a text without NUL")
    return text.encode("utf-8", "surrogatepass")


def check_time(time: int, least: int) -> int:
    """Raises ValueError for a time that is no unsigned 64-bit integer of at least ``least``."""
    if isinstance(time, bool) or not isinstance(time, int) or not least <= time < 2**64:
        raise ValueError(f"timestamp: found {time!r}, expected {least} to {2**64 - 1}")
    return time


def _set_schemas(
    options: axh_options_t,
    schemas: Mapping[str, SchemaDocument],
    input_schemas: Mapping[str, SchemaDocument],
) -> None:
    ids = list(dict.fromkeys((*schemas, *input_schemas)))
    declared = (axh_schema_t * len(ids))()
    for schema, oracle_id in zip(declared, ids):
        schema.oracle_id = encode_text("schemas", oracle_id)
        if oracle_id in input_schemas:
            schema.input, schema.input_len = _document(input_schemas[oracle_id])
        if oracle_id in schemas:
            schema.output, schema.output_len = _document(schemas[oracle_id])
    if ids:
        options.schemas = cast(declared, POINTER(axh_schema_t))
        options.schema_count = len(ids)


def _document(document: SchemaDocument) -> tuple[bytes, int]:
    if isinstance(document, bool):
        return _text(json.dumps(document))
    return _json("schemas", document)


def _json(name: str, document: Union[Mapping[str, Any], str, bytes]) -> tuple[bytes, int]:
    if isinstance(document, bytes):
        return document, len(document)
    if isinstance(document, str):
        return _text(document)
    if not isinstance(document, Mapping):
        found = type(document).__name__
        expected = "a dictionary, a bool, or" if name == "schemas" else "a dictionary or"
        raise TypeError(f"{name}: found {found}, expected {expected} JSON text")
    return _text(json.dumps(document, ensure_ascii=False))


def _text(text: str) -> tuple[bytes, int]:
    data = text.encode("utf-8", "surrogatepass")
    return data, len(data)
