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
from axilog._standing import UNJUDGED, Standing, StandingReader
from axilog.decision import Decision
from axilog.derivation import REFUSED_ADVICE, Source, find_refusal
from axilog.entry import Entry
from axilog.errors import InputError, OracleRefusedError, SchemaError
from axilog.ledger import Ledger
from axilog.manifest import Manifest
from axilog.policy_set import PolicySet

# The most declared oracles that a refusal names.
_MAX_NAMED_ORACLES = 8


class QuestionChecks:
    """The checks of an agent's questions. An agent without a ledger can make none of them.

    Args:
        ledger: The agent's ledger.
        manifest: The SHA-256 of the manifest in the agent's configuration.
        require_policy: Whether no question may be derived from an answer that no policy judged.
    """

    def __init__(
        self, ledger: Optional[Ledger], manifest: Optional[str], require_policy: bool
    ) -> None:
        self._ledger = ledger
        self._manifest = manifest
        self._require_policy = require_policy
        self._schemas: Optional[DeclaredSchemas] = None
        # What the ledger is bound to; read when a call needs it first.
        self._bound: Optional[Manifest] = None
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
        manifest, ledger = self._load_manifest(), self._ledger
        if ledger is None:
            return DeclaredSchemas()
        if ledger._manifest is not None:
            return ledger._schemas
        try:
            return DeclaredSchemas.load(manifest, BlobStore(ledger.path))
        except UnusableSchemasError as error:
            raise _unusable(ledger, f"it declares schemas, and {error}") from error

    def _load_manifest(self) -> Manifest:
        """What the ledger is bound to. Raises SchemaError where that cannot be had."""
        if self._bound is None:
            self._bound = self._read_manifest()
        return self._bound

    def _read_manifest(self) -> Manifest:
        ledger = self._ledger
        if self._manifest is None or ledger is None:
            return Manifest()
        if ledger._manifest is not None:
            return ledger._manifest
        found = find_manifest(BlobStore(ledger.path), self._manifest)
        if found is None:
            reason = f"its manifest {self._manifest} is missing, and may declare schemas"
            raise _unusable(ledger, reason)
        if isinstance(found, BadManifest):
            raise _unusable(ledger, f"its manifest is bad: {found.reason}")
        return found

    def check_oracle(self, oracle_id: str, policies: PolicySet) -> None:
        """Raises OracleRefusedError for an oracle that the ledger does not declare, or that no
        policy judges where the ledger requires one."""
        manifest = self._load_manifest()
        where = "" if self._ledger is None else f"{self._ledger.path}: "
        if manifest.oracles is not None and oracle_id not in manifest.oracles:
            named = ", ".join(ascii(known) for known in manifest.oracles[:_MAX_NAMED_ORACLES])
            rest = len(manifest.oracles) - _MAX_NAMED_ORACLES
            named += f" and {rest} more" if rest > 0 else ""
            raise OracleRefusedError(
                f"{where}the oracle {oracle_id!a} is not declared in this ledger, which takes "
                f"answers of {named} only; correct the id, or begin a ledger that declares it; "
                "nothing was recorded"
            )
        if manifest.require_policy and not policies.judges(oracle_id):
            raise OracleRefusedError(
                f"{where}no policy judges the answers of the oracle {oracle_id!a}, and this ledger "
                "requires one; correct the id, or begin a ledger with a policy for it; nothing was "
                "recorded"
            )

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
                refusal = self._find_refusal(known[source]) if source in known else "not known"
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
            refusal = self._find_refusal(found)
            if refusal is not None and not derivation.even_refused:
                raise InputError(
                    f"{derived} observation {found.ledger_seq}, which may not be acted on: "
                    f"{refusal}; {REFUSED_ADVICE}; nothing was recorded"
                )

    def _find_refusal(self, found: Standing) -> Optional[str]:
        if found.refusal is None and self._require_policy and not found.is_judged:
            return UNJUDGED
        return found.refusal

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


def _unusable(ledger: Ledger, reason: str) -> SchemaError:
    return SchemaError(ledger.path, f"takes no answers: {reason}; nothing was recorded")
