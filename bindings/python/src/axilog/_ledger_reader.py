"""A reader of the library (``axh_reader_t``): its handle, and the records that a caller wants."""

from __future__ import annotations

import enum
import os
import threading
from collections.abc import Callable, Iterable
from ctypes import Structure, byref, c_size_t, c_void_p, sizeof, string_at
from typing import Optional, TypeVar

from axilog._host_call import Path, encode_path, make_error
from axilog.capi import lib
from axilog.capi.host import (
    AXH_END,
    AXH_OK,
    AXH_TAG_OBSERVATION,
    AXH_TAG_POLICY,
    AXH_TAG_PROOF,
    AXH_TAG_STATE,
    AXH_TAG_TRANSITION,
    axh_columns_t,
    axh_filter_t,
    axh_reader_state_t,
    axh_record_t,
)
from axilog.errors import BadRecordError


class RecordKind(enum.IntEnum):
    """What a record of a ledger is."""

    GENESIS = 0
    """The first record of every ledger."""
    OBSERVATION = 1
    """What an oracle answered, or how it failed; the time; a control input."""
    POLICY = 2
    """What one policy said of the observation before."""
    TRANSITION = 3
    """What the observation before made of the agent."""
    RAW_ANSWER = 4
    """Length and hash of an answer that the observation before does not hold whole."""
    SEAL = 5
    """The end of the ledger."""


_TAGS = {
    RecordKind.GENESIS: AXH_TAG_STATE,
    RecordKind.OBSERVATION: AXH_TAG_OBSERVATION,
    RecordKind.POLICY: AXH_TAG_POLICY,
    RecordKind.TRANSITION: AXH_TAG_TRANSITION,
    RecordKind.RAW_ANSWER: AXH_TAG_PROOF,
    RecordKind.SEAL: AXH_TAG_PROOF,
}
Sized = TypeVar("Sized", bound=Structure)
Result = TypeVar("Result")


class LedgerReader:
    """An open reader, which one thread at a time uses. What the library gives is copied before
    another call."""

    def __init__(
        self,
        path: Path,
        oracle_id: Optional[str],
        first: int,
        count: Optional[int],
        kinds: Optional[Iterable[RecordKind]],
    ) -> None:
        if not 0 <= first < 2**64:
            raise ValueError(f"first: found {first!r}, expected a number from 0")
        if count is not None and not 1 <= count < 2**64:
            raise ValueError(f"count: found {count!r}, expected a number from 1")
        if oracle_id is not None and "\0" in oracle_id:
            raise ValueError(f"oracle_id: found {oracle_id!r}, expected a text without NUL")
        self.kinds = frozenset(RecordKind if kinds is None else map(RecordKind, kinds))
        if not self.kinds:
            raise ValueError("kinds: found none, expected one at least")
        tags = 0
        for kind in self.kinds:
            tags |= _TAGS[kind]
        wanted = _make_sized(axh_filter_t)
        wanted.oracle_id = None if oracle_id is None else oracle_id.encode()
        wanted.first, wanted.count, wanted.tags = first, count or 0, tags
        self._lock = threading.Lock()
        self._handle = c_void_p()
        name = encode_path(path)
        self.path = os.fsdecode(name)
        self._check(lib.axh_reader_open(name, byref(wanted), byref(self._handle)))

    def read_record(self, copy: Callable[[axh_record_t], Result]) -> Optional[Result]:
        """Reads the next record, and gives what ``copy`` makes of it; ``None`` at the end."""
        record = _make_sized(axh_record_t)
        with self._lock:
            if self._check(lib.axh_reader_next(self._handle, byref(record))) == AXH_END:
                return None
            return copy(record)

    def read_columns(
        self, max_records: int, copy: Callable[[axh_columns_t], Result]
    ) -> Optional[Result]:
        """Reads the next records, and gives what ``copy`` makes of them; ``None`` at the end."""
        columns = _make_sized(axh_columns_t)
        with self._lock:
            status = lib.axh_reader_columns(self._handle, max_records, byref(columns))
            return None if self._check(status) == AXH_END else copy(columns)

    def read_question(self) -> bytes:
        """The question of the record that was read last. To be called by ``copy`` alone."""
        return self._read_text(lib.axh_reader_question)

    def read_raw_answer(self) -> bytes:
        """The whole answer that the record leads to which was read last. To be called by ``copy``
        alone."""
        return self._read_text(lib.axh_reader_raw_answer)

    def _read_text(self, read: Callable[..., int]) -> bytes:
        text, size = c_void_p(), c_size_t()
        self._check(read(self._handle, byref(text), byref(size)))
        return string_at(text.value or 0, size.value) if size.value else b""

    def get_state(self) -> axh_reader_state_t:
        """How far the reader has come."""
        state = _make_sized(axh_reader_state_t)
        with self._lock:
            self._check(lib.axh_reader_state(self._handle, byref(state)))
        return state

    @property
    def closed(self) -> bool:
        """Whether the reader is closed."""
        return self._handle.value is None

    def close(self) -> None:
        """Closes the reader. Closing twice does nothing."""
        with self._lock:
            handle, self._handle = self._handle, c_void_p()
            if handle.value is not None:
                lib.axh_reader_close(handle)

    def _check(self, status: int) -> int:
        if status not in (AXH_OK, AXH_END):
            raise make_error(status, self.path, BadRecordError)
        return status

    def __del__(self) -> None:
        # Absent where __init__ has refused its arguments.
        if getattr(self, "_handle", None):
            lib.axh_reader_close(self._handle)


def _make_sized(struct: type[Sized]) -> Sized:
    return struct(size=sizeof(struct))
