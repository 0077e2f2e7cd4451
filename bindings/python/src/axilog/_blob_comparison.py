"""The blobs of a ledger, compared with the records that name them.

formats.md section 6 (Blobs, Raw answers); decision D28. A blob that a record names must be there
and have that hash. A file that no record names is left behind: a writer that was interrupted
between a blob and its record leaves one, so it is reported and is no failure.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container
from dataclasses import dataclass, field
from typing import Optional

from axilog._blobs import BlobStore
from axilog._named_blobs import NamedBlobs, RawAnswer, lacks_answer, read_raw_answer
from axilog.entry import Entry
from axilog.observation import Observation

_MAX_NAMED = 20
MAX_BLOB_BYTES = 64 << 20
"""The most bytes of a blob that are read where the caller names no other budget."""


@dataclass
class BlobReport:
    """What :func:`verify` found about the blobs beside a ledger (formats.md section 6, Blobs). All
    are counted, and the first 20 of each kind are named."""

    checked: int = 0
    """How many blobs were hashed."""
    altered_count: int = 0
    """How many blobs have another hash than their name, or another length than their record
    says."""
    altered: list[str] = field(default_factory=list)
    """The paths of the first of them."""
    missing_count: int = 0
    """How many blobs that a record names are not there."""
    missing: list[tuple[Optional[int], str]] = field(default_factory=list)
    """The first of them: the sequence of the observation that needs the blob, ``None`` for a
    manifest or schema, and its path."""
    unread_count: int = 0
    """How many blobs were not read, since they have more than 67108864 bytes, or than the budget of
    an audit."""
    unread: list[str] = field(default_factory=list)
    """The paths of the first of them."""
    unreferenced_count: int = 0
    """How many files no record names, as an interrupted writer leaves them; no failure. 0 where the
    ledger has a defect, since records behind it may name them."""
    unreferenced: list[str] = field(default_factory=list)
    """The paths of the first of them."""
    bound_answers: int = 0
    """How many raw answers a RAW record binds."""
    unbound_answers: int = 0
    """How many observations lack a part of their answer and have no RAW record behind them."""
    # Whether the last record is one of them: its step was interrupted.
    _awaits_binding: bool = field(default=False, repr=False)
    # For each of ``altered`` the observation whose record names another length.
    _altered_sequences: list[Optional[int]] = field(default_factory=list, repr=False)

    def is_good(self) -> bool:
        """Whether every blob that a record names is there and has its hash."""
        return not (self.altered_count or self.missing_count or self.unread_count)

    def _add_altered(self, ledger_seq: Optional[int], path: str) -> None:
        self.altered_count += 1
        if len(self.altered) < _MAX_NAMED:
            self.altered.append(path)
            self._altered_sequences.append(ledger_seq)

    def _add_missing(self, ledger_seq: Optional[int], path: str) -> None:
        self.missing_count += 1
        if len(self.missing) < _MAX_NAMED:
            self.missing.append((ledger_seq, path))

    def _add_unread(self, path: str) -> None:
        self.unread_count += 1
        if len(self.unread) < _MAX_NAMED:
            self.unread.append(path)

    def _add_unreferenced(self, path: str) -> None:
        self.unreferenced_count += 1
        if len(self.unreferenced) < _MAX_NAMED:
            self.unreferenced.append(path)


class BlobComparison:
    """A comparison of blobs with records, in progress. Its memory grows with the number of distinct
    blobs."""

    def __init__(self, store: BlobStore, limit: int = MAX_BLOB_BYTES) -> None:
        self._store = store
        # The most bytes of a blob that are read.
        self._limit = limit
        self._named = NamedBlobs()
        # The raw answers of which a record says another length: they are damaged, whatever their
        # hash.
        self._other_lengths: set[str] = set()
        # The offset of the last record's line.
        self._last_offset = 0
        # Whether the last observation lacks a part of its answer, and no RAW record came yet.
        self._awaits_answer = False
        self._report = BlobReport()

    def take_record(self, entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        """Takes the next good record of the ledger."""
        report = self._report
        self._last_offset = offset
        digest = self._named.take_record(entry, observation)
        if observation is not None:
            self._end_awaiting()
            self._awaits_answer = lacks_answer(observation)
            self._require(digest, observation.ledger_seq)
            return
        raw = read_raw_answer(entry)
        if raw is None:
            self._end_awaiting()
            return
        self._awaits_answer = False
        report.bound_answers += 1
        self._require(digest, raw.ledger_seq)
        self._compare_length(raw)

    def find_oracles_with_schemas(self) -> Container[str]:
        """The oracles of whose answers the ledger declares a schema, as far as its records were
        taken; every oracle where that is not known. Raises LedgerIOError."""
        return self._named.find_oracles_with_schemas(self._store)

    def finish(self, is_whole: bool) -> BlobReport:
        """Hashes every blob that a record names and ends the comparison. ``is_whole`` says that the
        ledger has no defect, so that every record was taken. Raises LedgerIOError."""
        self._report._awaits_binding = self._awaits_answer
        self._end_awaiting()
        for digest in self._named.find_bound_documents(self._store):
            if self._named.add(digest):
                self._require(digest, None)
        report = self._report
        unnamed = []
        for path, name in self._store.list_files():
            if name is None or name not in self._named:
                unnamed.append((path, name))
            elif os.path.lexists(path):
                self._compare(path, name)
        if unnamed and is_whole:
            self._named.take_lines(self._store.ledger, self._last_offset)
            for path, name in unnamed:
                if name is None or name not in self._named:
                    report._add_unreferenced(path)
        return report

    def _compare(self, path: str, name: str) -> None:
        if name in self._other_lengths:
            return
        has_hash = self._store.has_hash(name, self._limit)
        if has_hash is None:
            self._report._add_unread(path)
            return
        self._report.checked += 1
        if not has_hash:
            self._report._add_altered(None, path)

    def _compare_length(self, raw: RawAnswer) -> None:
        path = self._store.path(raw.sha256)
        try:
            found = os.lstat(path)
        except OSError:
            # It is named as missing already.
            return
        differs = stat.S_ISREG(found.st_mode) and found.st_size != raw.bytes
        if differs and raw.sha256 not in self._other_lengths:
            self._other_lengths.add(raw.sha256)
            self._report._add_altered(raw.ledger_seq, path)

    def _require(self, digest: Optional[str], ledger_seq: Optional[int]) -> None:
        """Requires a blob that is named for the first time."""
        if digest is not None and not self._store.is_taken(digest):
            self._report._add_missing(ledger_seq, self._store.path(digest))

    def _end_awaiting(self) -> None:
        self._report.unbound_answers += int(self._awaits_answer)
        self._awaits_answer = False
