"""What is checked of a question before its answer is recorded: whether the ledger declares schemas
(SRS-004 section 8.3, decision D30), and whether it holds the answers that the question was made
from (section 10.1, decision D31)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from axilog._blob_comparison import BadManifest, find_manifest
from axilog._blobs import BlobStore
from axilog._derivations import find_sources, read_obs_hashes
from axilog.capi.constants import AX_TAG_OBS
from axilog.entry import Entry
from axilog.errors import InputError, SchemaError
from axilog.ledger import Ledger
from axilog.manifest import Manifest
from axilog.observation import Observation

_OBS = AX_TAG_OBS.decode()


class QuestionChecks:
    """The checks of an agent's questions. An agent without a ledger can make none of them.

    Args:
        ledger: The agent's ledger.
        manifest: The SHA-256 of the manifest in the agent's configuration.
    """

    def __init__(self, ledger: Optional[Ledger], manifest: Optional[str]) -> None:
        self._ledger = ledger
        self._manifest = manifest
        # The observations of the ledger, read when a derived input needs them first.
        self._obs_hashes: Optional[set[str]] = None

    def check_schemas(self) -> None:
        """Raises SchemaError where the ledger's manifest declares schemas, or cannot be read.
        Python's regular expressions may take exponential time, so the package validates nothing."""
        ledger = self._ledger
        if self._manifest is None or ledger is None or ledger._manifest is not None:
            # A manifest that this package made has no schemas.
            return
        found = find_manifest(BlobStore(ledger.path), self._manifest)
        if isinstance(found, Manifest) and not found.schemas:
            return
        reason = "its manifest declares schemas, which this package does not validate"
        if found is None:
            reason = f"its manifest {self._manifest} is missing, and may declare schemas"
        elif isinstance(found, BadManifest):
            reason = f"its manifest is bad: {found.reason}"
        raise SchemaError(
            ledger.path,
            f"takes no answers here: {reason}; record them with the command `axilog observe`; "
            "nothing was recorded",
        )

    def check_sources(self, prompt: bytes) -> None:
        """Raises InputError where a question names answers that it is made from and that the ledger
        does not hold."""
        sources = find_sources(prompt)
        if sources is None or self._ledger is None:
            return
        if isinstance(sources, str):
            raise InputError(f"the input is not admissible: it {sources}; nothing was recorded")
        if self._obs_hashes is None:
            self._obs_hashes = read_obs_hashes(self._ledger.path)
        for source in sources:
            if source not in self._obs_hashes:
                raise InputError(
                    f"{self._ledger.path}: the input is derived from the answer with the obs_hash "
                    f"{source}, which is no observation of this ledger; name answers that it "
                    "holds; nothing was recorded"
                )

    def note_records(self, records: Iterable[Entry]) -> None:
        """Notes the observations among new records of the ledger."""
        if self._obs_hashes is not None:
            observed = (entry.payload for entry in records if entry.tag == _OBS)
            self._obs_hashes.update(Observation.parse(payload).obs_hash for payload in observed)
