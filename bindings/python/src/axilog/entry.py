"""Ledger records with their place in the chain, and their lines (formats.md section 6)."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from axilog.capi import lib
from axilog.capi.constants import AX_CANONICAL_BUFFER_SIZE
from axilog.capi.structs import ax_ledger_entry_t
from axilog.enums import ReturnCode
from axilog.errors import CallError
from axilog.faults import NO_FAULTS

MAX_LINE_BYTES = AX_CANONICAL_BUFFER_SIZE + 224
"""The size of the longest possible line with its line feed: the largest record, and every other
field at its longest (``docs/ledger.md``)."""


class Entry(NamedTuple):
    """One committed record of a ledger."""

    tag: str
    """The kind of the record, such as ``AX:OBS:v1``."""
    payload: bytes
    """The canonical record."""
    sequence: int
    """The position in the ledger; the genesis is 0."""
    commit: str
    """The SHA-256 over tag, length and record, in hexadecimal."""
    chain: str
    """The chain value that includes this record, in hexadecimal."""

    @classmethod
    def from_struct(cls, entry: ax_ledger_entry_t) -> Entry:
        """Copies a C entry."""
        return cls(
            entry.tag.decode(),
            ctypes.string_at(entry.payload, entry.payload_len),
            entry.sequence,
            bytes(entry.commit).hex(),
            bytes(entry.chain).hex(),
        )


class LineWriter:
    """Formats entries as the lines of a ledger file."""

    __slots__ = ("_buffer", "_size")

    def __init__(self) -> None:
        self._size = MAX_LINE_BYTES
        self._buffer = ctypes.create_string_buffer(self._size)

    def format_line(self, entry: Any) -> bytes:
        """Formats the line of a C entry (a struct, or a pointer to one), with its line feed."""
        written = lib.ax_ledger_line_write(self._buffer, self._size, entry)
        if written < 0:
            raise CallError(ReturnCode(written), NO_FAULTS, "formatting the line of a record")
        return ctypes.string_at(self._buffer, written)


def genesis_line() -> bytes:
    """The first line of every ledger file."""
    entry = ax_ledger_entry_t()
    lib.ax_ledger_genesis_entry(ctypes.byref(entry))
    return LineWriter().format_line(ctypes.byref(entry))
