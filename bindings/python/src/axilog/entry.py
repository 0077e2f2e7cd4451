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
"""The longest line there can be, its line feed included: the largest record, and every other field
at its longest (``docs/ledger.md``)."""


class Entry(NamedTuple):
    """One committed record."""

    tag: str
    """``AX:OBS:v1`` and so on."""
    payload: bytes
    """The canonical record."""
    sequence: int
    """Its position; the genesis is 0."""
    commit: str
    """SHA-256 over tag, length and record, in hexadecimal."""
    chain: str
    """The chain value with this record, in hexadecimal."""

    @classmethod
    def of(cls, entry: ax_ledger_entry_t) -> Entry:
        """A copy of a C entry."""
        return cls(
            entry.tag.decode(),
            ctypes.string_at(entry.payload, entry.payload_len),
            entry.sequence,
            bytes(entry.commit).hex(),
            bytes(entry.chain).hex(),
        )


class LineWriter:
    """Writes the lines of entries as a ledger file holds them."""

    __slots__ = ("_buffer", "_size")

    def __init__(self) -> None:
        self._size = MAX_LINE_BYTES
        self._buffer = ctypes.create_string_buffer(self._size)

    def line(self, entry: Any) -> bytes:
        """The line of a C entry (a struct, or a pointer to one), line feed included."""
        written = lib.ax_ledger_line_write(self._buffer, self._size, entry)
        if written < 0:
            raise CallError(ReturnCode(written), NO_FAULTS, "the line of a record")
        return ctypes.string_at(self._buffer, written)


def genesis_line() -> bytes:
    """The first line of every ledger file."""
    entry = ax_ledger_entry_t()
    lib.ax_ledger_genesis_entry(ctypes.byref(entry))
    return LineWriter().line(ctypes.byref(entry))
