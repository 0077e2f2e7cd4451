"""The blobs that a ledger names: those of its records, its manifest, and the schemas that the
manifest declares (formats.md sections 5, Manifest, and 6, Blobs and Raw answers)."""

from __future__ import annotations

import hashlib
import json
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

_MAX_MANIFEST_BYTES = 1 << 20
_PROOF = AX_TAG_PROOF.decode()


class NamedBlobs:
    """The hashes of the blobs that a ledger names. The memory grows with their number."""

    def __init__(self) -> None:
        self._digests: set[str] = set()
        self._configuration: Optional[str] = None

    def __contains__(self, digest: object) -> bool:
        return digest in self._digests

    def add(self, digest: str) -> bool:
        """Adds a blob. Returns whether nothing named it before; the empty string needs none."""
        if digest == EMPTY_HASH or digest in self._digests:
            return False
        self._digests.add(digest)
        return True

    def take_record(self, entry: Entry, observation: Optional[Observation]) -> Optional[str]:
        """Takes the next record, with the observation that it is, and returns the blob that it is
        the first to name."""
        if observation is None:
            digest = _read_raw_answer_hash(entry)
        else:
            digest = observation.input_hash
            is_control = observation.oracle_id == CONTROL_ORACLE
            if self._configuration is None and is_control and digest != EMPTY_HASH:
                self._configuration = digest
        return digest if self.add(digest) else None

    def find_bound_documents(self, store: BlobStore) -> list[str]:
        """Reads which blobs the configuration leads to: its manifest, and the manifest's schemas.
        Raises LedgerIOError."""
        if self._configuration is None:
            return []
        try:
            digest = read_manifest_hash(store, self._configuration)
        except PolicyError:
            # A configuration that cannot be read is a matter of the replay.
            return []
        if digest is None:
            return []
        manifest = find_manifest(store, digest)
        if isinstance(manifest, Manifest):
            return [digest, *manifest.schema_hashes()]
        return [digest]

    def knows_schemas(self, store: BlobStore) -> bool:
        """Whether it is known which schemas the ledger declares: its manifest is there, or it has
        none. Raises LedgerIOError."""
        documents = self.find_bound_documents(store)
        return not documents or isinstance(find_manifest(store, documents[0]), Manifest)


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


def _read_raw_answer_hash(entry: Entry) -> str:
    """The hash of the raw answer that a record binds; that of the empty string for any other."""
    if entry.tag != _PROOF:
        return EMPTY_HASH
    proof = json.loads(entry.payload)
    return str(proof["sha256"]) if proof["kind"] == "RAW" else EMPTY_HASH


def lacks_answer(observation: Observation) -> bool:
    """Whether an observation does not hold the whole answer: it was inadmissible, or was cut."""
    if observation.completion is Completion.TRUNCATED:
        return len(observation.output.encode()) < observation.output_size
    return (
        observation.completion is Completion.ERROR and observation.failure is Failure.INVALID_OUTPUT
    )
