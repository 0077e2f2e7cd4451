"""The blobs of a ledger, compared with the records that name them.

formats.md section 6 (Blobs, Raw answers); decision D28. A blob that a record names must be there
and have that hash; a file that no record names may have been put there by anybody.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import NamedTuple, Optional, Union

from axilog._blobs import EMPTY_HASH, BlobStore
from axilog._ledger_configuration import read_manifest_hash
from axilog._oracle_call import CONTROL_ORACLE
from axilog.capi.constants import AX_TAG_PROOF
from axilog.entry import Entry
from axilog.enums import Completion, Failure
from axilog.errors import ManifestError, PolicyError
from axilog.manifest import Manifest
from axilog.observation import Observation

_MAX_NAMED = 20
_MAX_MANIFEST_BYTES = 1 << 20
_PROOF = AX_TAG_PROOF.decode()


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
    unreferenced_count: int = 0
    """How many files no record names; 0 where the ledger has a defect, since records behind it may
    name them."""
    unreferenced: list[str] = field(default_factory=list)
    """The paths of the first of them."""
    bound_answers: int = 0
    """How many raw answers a RAW record binds."""
    unbound_answers: int = 0
    """How many observations lack a part of their answer and have no RAW record behind them."""
    # For each of ``altered`` the observation whose record names another length.
    _altered_sequences: list[Optional[int]] = field(default_factory=list, repr=False)

    def is_good(self) -> bool:
        """Whether every blob is there, has its hash and is named by a record."""
        return not (self.altered_count or self.missing_count or self.unreferenced_count)

    def _add_altered(self, ledger_seq: Optional[int], path: str) -> None:
        self.altered_count += 1
        if len(self.altered) < _MAX_NAMED:
            self.altered.append(path)
            self._altered_sequences.append(ledger_seq)

    def _add_missing(self, ledger_seq: Optional[int], path: str) -> None:
        self.missing_count += 1
        if len(self.missing) < _MAX_NAMED:
            self.missing.append((ledger_seq, path))

    def _add_unreferenced(self, path: str) -> None:
        self.unreferenced_count += 1
        if len(self.unreferenced) < _MAX_NAMED:
            self.unreferenced.append(path)


class BlobComparison:
    """A comparison of blobs with records, in progress. Its memory grows with the number of distinct
    blobs."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store
        self._referenced: set[str] = set()
        self._configuration: Optional[str] = None
        # Whether the last observation lacks a part of its answer, and no RAW record came yet.
        self._awaits_answer = False
        self._report = BlobReport()

    def take_record(self, entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        """Takes the next good record of the ledger."""
        report = self._report
        proof = json.loads(entry.payload) if entry.tag == _PROOF else {}
        if proof.get("kind") == "RAW":
            self._awaits_answer = False
            report.bound_answers += 1
            self._take_raw_answer(proof["sha256"], proof["ledger_seq"], proof["bytes"])
        elif not proof:
            self._end_awaiting()
        if observation is None:
            return
        self._require(observation.input_hash, observation.ledger_seq)
        has_input = observation.input_hash != EMPTY_HASH
        if self._configuration is None and observation.oracle_id == CONTROL_ORACLE and has_input:
            self._configuration = observation.input_hash
        self._awaits_answer = _lacks_answer(observation)

    def finish(self, is_whole: bool) -> BlobReport:
        """Hashes every blob and ends the comparison. ``is_whole`` says that the ledger has no
        defect, so that every record was taken. Raises LedgerIOError."""
        self._end_awaiting()
        self._require_manifest()
        report = self._report
        for path, digest, is_good in self._store.examine_files():
            if digest is not None:
                report.checked += 1
            if digest is not None and not is_good:
                report._add_altered(None, path)
            elif digest not in self._referenced and is_whole:
                report._add_unreferenced(path)
        return report

    def _require_manifest(self) -> None:
        """Requires the manifest that the configuration names, and the schemas that it declares."""
        if self._configuration is None:
            return
        try:
            digest = read_manifest_hash(self._store, self._configuration)
        except PolicyError:
            # A configuration that cannot be read is a matter of the replay.
            return
        if digest is None:
            return
        self._require(digest, None)
        manifest = find_manifest(self._store, digest)
        if isinstance(manifest, Manifest):
            for schema in manifest.schema_hashes():
                self._require(schema, None)

    def _take_raw_answer(self, digest: str, ledger_seq: int, size: int) -> None:
        self._require(digest, ledger_seq)
        path = self._store.path(digest)
        try:
            found = os.stat(path).st_size
        except OSError:
            # It is named as missing already.
            return
        if found != size:
            self._report._add_altered(ledger_seq, path)

    def _require(self, digest: str, ledger_seq: Optional[int]) -> None:
        if digest == EMPTY_HASH or digest in self._referenced:
            return
        self._referenced.add(digest)
        if not self._store.contains(digest):
            self._report._add_missing(ledger_seq, self._store.path(digest))

    def _end_awaiting(self) -> None:
        self._report.unbound_answers += int(self._awaits_answer)
        self._awaits_answer = False


class BadManifest(NamedTuple):
    """The blob of a manifest holds another document, or none."""

    reason: str
    """What was found, in words."""


def find_manifest(store: BlobStore, digest: str) -> Union[Manifest, BadManifest, None]:
    """Finds the manifest with this hash among the blobs; ``None`` where it is missing. Raises
    LedgerIOError."""
    data = store.get(digest, _MAX_MANIFEST_BYTES)
    if data is None:
        return None
    if hashlib.sha256(data).hexdigest() != digest:
        return BadManifest("its bytes have another hash")
    try:
        return Manifest.parse(data)
    except ManifestError as error:
        return BadManifest(str(error))


def _lacks_answer(observation: Observation) -> bool:
    """Whether an observation does not hold the whole answer: it was inadmissible, or was cut."""
    if observation.completion is Completion.TRUNCATED:
        return len(observation.output.encode()) < observation.output_size
    return (
        observation.completion is Completion.ERROR and observation.failure is Failure.INVALID_OUTPUT
    )
