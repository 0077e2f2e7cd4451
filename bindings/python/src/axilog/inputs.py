"""The canonical form of what an oracle is asked (SRS-004 section 8; formats.md section 3)."""

from __future__ import annotations

import ctypes
from typing import Union

from axilog.capi import lib
from axilog.capi.structs import ct_fault_flags_t
from axilog.enums import InputKind
from axilog.errors import InputError

Text = Union[str, bytes, bytearray, memoryview]


def as_bytes(name: str, text: Text) -> bytes:
    """A text as bytes. A lone surrogate, which UTF-8 cannot express, becomes bytes that are not
    UTF-8, which the library finds inadmissible. Raises TypeError."""
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return bytes(text)
    raise TypeError(f"{name}: found {type(text).__name__}, expected bytes or str")


def canonical_input(raw: Text, kind: InputKind = InputKind.TEXT) -> bytes:
    """Converts an input to its canonical form, in which CR and CRLF are LF. These are the bytes
    that may be put to an oracle, and their SHA-256 is the ``input_hash`` of the record.

    Call it before the oracle is asked: :meth:`axilog.Agent.observe` checks the input too, but only
    after the answer.

    Args:
        raw: The input.
        kind: TEXT, or JSON for an input that must also be canonical JSON (RFC 8785) as it stands.

    Raises:
        InputError for an input that is not UTF-8 in NFC, has a control character other than a line
        end, or is not canonical JSON where ``kind`` says so.
    """
    if isinstance(raw, str):
        if raw.isascii() and raw.isprintable() and kind == InputKind.TEXT:
            return raw.encode()
    data = as_bytes("raw", raw)
    buffer = ctypes.create_string_buffer(len(data) + 1)
    written = lib.ax_validate_and_normalise(
        buffer, len(buffer), data, len(data), ctypes.byref(ct_fault_flags_t())
    )
    if written < 0:
        problem = _describe_problem(data)
    elif kind == InputKind.JSON and not lib.ax_is_canonical_json(data, len(data)):
        problem = "it is not canonical JSON (RFC 8785) as it stands"
    else:
        return ctypes.string_at(buffer, written)
    raise InputError(f"the input is not admissible: {problem}; nothing was recorded")


def _describe_problem(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"it is not UTF-8 at byte {error.start}"
    for index, character in enumerate(text):
        if character < " " and character not in "\r\n":
            offset = len(text[:index].encode())
            return (
                f"control character U+{ord(character):04X} at byte {offset}, where only line ends "
                "are allowed"
            )
    return (
        "it is not in Unicode normalisation form C (unicodedata.normalize('NFC', text) gives it), "
        "or has more than 30 combining marks in a row"
    )
