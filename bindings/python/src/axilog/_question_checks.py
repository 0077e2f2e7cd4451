"""What is checked of a question before its answer is recorded: whether it conforms to the schema
that the ledger declares (SRS-004 section 8.3, decision D30), and whether the ledger holds the
answers that the question was made from (section 10.1, decision D31)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from axilog._blobs import BlobStore
from axilog._declared_schemas import DeclaredSchemas, UnusableSchemasError
from axilog._derivations import find_sources, read_obs_hashes
from axilog._named_blobs import BadManifest, find_manifest
from axilog._oracle_call import OracleCall
from axilog.capi.constants import AX_TAG_OBS
from axilog.entry import Entry
from axilog.errors import InputError, SchemaError
from axilog.ledger import Ledger
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
        self._schemas: Optional[DeclaredSchemas] = None
        # The observations of the ledger, read when a derived input needs them first.
        self._obs_hashes: Optional[set[str]] = None

    def load_schemas(self) -> DeclaredSchemas:
        """The schemas that the ledger declares, read when they are first needed. Raises SchemaError
        where they cannot be had, or cannot be validated against."""
        if self._schemas is None:
            self._schemas = self._read_schemas()
        return self._schemas

    def _read_schemas(self) -> DeclaredSchemas:
        ledger = self._ledger
        if self._manifest is None or ledger is None:
            return DeclaredSchemas()
        if ledger._manifest is not None:
            return ledger._schemas
        blobs = BlobStore(ledger.path)
        found = find_manifest(blobs, self._manifest)
        if found is None:
            reason = f"its manifest {self._manifest} is missing, and may declare schemas"
        elif isinstance(found, BadManifest):
            reason = f"its manifest is bad: {found.reason}"
        else:
            try:
                return DeclaredSchemas.load(found, blobs)
            except UnusableSchemasError as error:
                reason = f"it declares schemas, and {error}"
        raise SchemaError(ledger.path, f"takes no answers: {reason}; nothing was recorded")

    def check_input(self, call: OracleCall, prompt: bytes) -> None:
        """Raises InputError where a question violates the declared schema of its oracle."""
        if call.input_schema is None:
            return
        violation = call.input_schema.find_violation(prompt)
        if violation is not None:
            raise InputError(
                f"the input violates the schema of what oracle {call.oracle_id!a} may be asked: "
                f"{violation}; nothing was recorded"
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
