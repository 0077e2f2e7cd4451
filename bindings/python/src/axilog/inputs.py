"""The canonical form of what an oracle is asked (SRS-004 section 8.1; formats.md section 3)."""

from __future__ import annotations

import ctypes
from typing import Union

from axilog.capi import lib
from axilog.capi.structs import ct_fault_flags_t
from axilog.enums import InputKind
from axilog.errors import InputError

Text = Union[str, bytes, bytearray, memoryview]


def canonical_input(raw: Text, kind: InputKind = InputKind.TEXT) -> bytes:
    """The bytes that may be put to an oracle and whose SHA-256 is the record's ``input_hash``.

    CR and CRLF become LF. Check the input before the oracle is called: :meth:`axilog.Agent.observe`
    checks it too, but then the oracle has been asked already.

    Raises InputError for what is not UTF-8 in NFC without control characters other than line ends,
    and for kind JSON for what is not canonical JSON (RFC 8785) as it stands.
    """
    if isinstance(raw, str):
        if raw.isascii() and raw.isprintable() and kind == InputKind.TEXT:
            return raw.encode()
        data = raw.encode("utf-8", "surrogatepass")
    else:
        data = bytes(raw)
    buffer = ctypes.create_string_buffer(len(data) + 1)
    written = lib.ax_validate_and_normalise(
        buffer, len(buffer), data, len(data), ctypes.byref(ct_fault_flags_t())
    )
    if written < 0:
        raise InputError(f"the input is not admissible: {_complaint(data)}; nothing was recorded")
    if kind == InputKind.JSON and not lib.ax_is_canonical_json(data, len(data)):
        raise InputError(
            "the input is not admissible: it is not canonical JSON (RFC 8785) as it stands; "
            "nothing was recorded"
        )
    return ctypes.string_at(buffer, written)


def _complaint(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"it is not UTF-8 at byte {error.start}"
    for at, character in enumerate(text):
        if character < " " and character not in "\r\n":
            place = len(text[:at].encode())
            return (
                f"control character U+{ord(character):04X} at byte {place}, where only line ends "
                "are allowed"
            )
    return (
        "it is not in Unicode normalisation form C (unicodedata.normalize('NFC', text) gives it), "
        "or has more than 30 combining marks in a row"
    )
