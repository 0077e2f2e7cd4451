"""What is checked of a question before its answer is recorded: whether it conforms to the schema
that the ledger declares (SRS-004 section 8.3, decision D30), and whether the ledger holds the
answers that the question was made from and they may be acted on (sections 10.1 and 11.2, decision
D31)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional

from axilog._blobs import BlobStore
from axilog._declared_schemas import DeclaredSchemas, UnusableSchemasError
from axilog._derivations import find_derivation, read_standings
from axilog._named_blobs import BadManifest, find_manifest
from axilog._oracle_call import OracleCall
from axilog._standing import Standing, StandingReader
from axilog.decision import Decision
from axilog.derivation import REFUSED_ADVICE, Source, find_refusal
from axilog.entry import Entry
from axilog.errors import InputError, SchemaError
from axilog.ledger import Ledger


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
        self._standings: Optional[dict[str, Standing]] = None
        self._reader = StandingReader()

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

    def has_refused_answer(self, sources: Iterable[Source]) -> bool:
        """Whether any of these answers may not be acted on. Without a ledger nothing is known of
        one that is named by its hash."""
        known = {} if self._ledger is None else self._read_standings(self._ledger)
        for source in sources:
            if isinstance(source, Decision):
                refusal = find_refusal(source)
            else:
                refusal = known[source].refusal if source in known else "it is not known"
            if refusal is not None:
                return True
        return False

    def check_sources(self, prompt: bytes) -> None:
        """Raises InputError where a question names answers that it is made from and that the ledger
        does not hold, or that may not be acted on while the question does not say so."""
        derivation = find_derivation(prompt)
        if derivation is None:
            return
        if isinstance(derivation, str):
            raise InputError(f"the input is not admissible: it {derivation}; nothing was recorded")
        if self._ledger is None:
            return
        known = self._read_standings(self._ledger)
        derived = f"{self._ledger.path}: the input is derived from"
        for source in derivation.sources:
            found = known.get(source)
            if found is None:
                raise InputError(
                    f"{derived} the answer with the obs_hash {source}, which is no observation of "
                    "this ledger; name answers that it holds; nothing was recorded"
                )
            if not found.is_answer:
                raise InputError(
                    f"{derived} observation {found.ledger_seq}, which is the time or a control "
                    "input and no answer; name answers of oracles; nothing was recorded"
                )
            if found.refusal is not None and not derivation.even_refused:
                raise InputError(
                    f"{derived} observation {found.ledger_seq}, which may not be acted on: "
                    f"{found.refusal}; {REFUSED_ADVICE}; nothing was recorded"
                )

    def _read_standings(self, ledger: Ledger) -> dict[str, Standing]:
        if self._standings is None:
            self._standings = read_standings(ledger.path, self._reader)
        return self._standings

    def note_records(self, records: Iterable[Entry]) -> None:
        """Notes what new records of the ledger say of its observations."""
        if self._standings is not None:
            for entry in records:
                told = self._reader.take_payload(entry.tag, entry.payload)
                if told is not None:
                    self._standings[told[0]] = told[1]
