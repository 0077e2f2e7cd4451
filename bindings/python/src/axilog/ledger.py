"""Ledger files open for writing (formats.md section 6; docs/ledger.md)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, Optional, Union

from axilog._blobs import BlobStore
from axilog._declared_schemas import DeclaredSchemas, SchemaDocument
from axilog._ledger_check import Expectations, LedgerCheck, RecordVisitor
from axilog._ledger_configuration import ExpectedRules
from axilog._ledger_file import LedgerFile
from axilog._oracle_call import check_identities
from axilog._recorder import Recorder
from axilog.capi.structs import ax_agent_ctx_t
from axilog.configuration import Configuration
from axilog.entry import Entry, genesis_line
from axilog.enums import Verdict
from axilog.errors import (
    AxilogError,
    ConcurrentUseError,
    LedgerDamagedError,
    LedgerError,
    LedgerExistsError,
    LedgerIOError,
    LedgerSealedError,
)
from axilog.manifest import Manifest, Predecessor
from axilog.observation import Observation
from axilog.policy_set import PolicySet
from axilog.verification import replay_stream

_NO_SCHEMAS: Mapping[str, SchemaDocument] = {}


class TornLine(NamedTuple):
    """An incomplete last line, which a crash left and opening the ledger moved to another file."""

    path: str
    """The file that holds the line now: ``LEDGER.torn-N``."""
    size: int
    """How many bytes the line has."""


class ResumedState(NamedTuple):
    """What the replay of an opened ledger gives the agent that goes on with it."""

    agent: ax_agent_ctx_t
    configuration: Configuration
    models: dict[str, str]
    """The model id of each oracle, by oracle id."""


class Ledger(AbstractContextManager["Ledger"]):
    """A ledger file that one :class:`axilog.Agent` writes.

    The file is locked against other writers, the command ``axilog`` among them, until it is closed.
    Each step is on disk before the call that made it returns. The directory ``LEDGER.blobs`` beside
    the file keeps what records name by hash: inputs, the configuration, and inadmissible answers.

    Make one with :meth:`create`, :meth:`open` or :meth:`open_or_create`; leaving its ``with`` block
    closes it.
    """

    def __init__(self, file: LedgerFile) -> None:
        self._file = file
        self._blobs = BlobStore(file.path)
        # The agent takes this lock for each step, so that no other thread closes the file
        # meanwhile.
        self._lock = threading.Lock()
        self._has_agent = False
        self._resumed: Optional[ResumedState] = None
        # What a new ledger is bound to, of which its agent keeps the blobs.
        self._manifest: Optional[Manifest] = None
        self._schemas = DeclaredSchemas()
        self._torn_line: Optional[TornLine] = None
        self._completed_records = 0

    @classmethod
    def create(
        cls,
        path: Union[str, os.PathLike[str]],
        *,
        name: Optional[str] = None,
        note: Optional[str] = None,
        schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        input_schemas: Mapping[str, SchemaDocument] = _NO_SCHEMAS,
        oracles: Optional[Iterable[str]] = None,
        require_policy: bool = False,
        follows: Optional[tuple[int, str]] = None,
    ) -> Ledger:
        """Begins a new ledger at ``path``. There must be no file, or one that holds nothing but the
        genesis or a beginning of it: a ledger is never overwritten.

        Args:
            path: The ledger file.
            name: The ledger's name: 1 to 256 visible ASCII characters without ``+``.
            note: A text for people: at most 4096 bytes of UTF-8, no control characters but line
                feeds.
            schemas: By oracle id, the JSON Schema (2020-12) of what the oracle answers, as a text
                or as a dictionary. An answer that violates it is recorded as INVALID_OUTPUT, and is
                a breach. Needs the package ``axilog-harness``.
            input_schemas: By oracle id, the schema of what the oracle may be asked.
            oracles: The ids of the oracles that may answer. An answer of another one is refused
                before anything is recorded. Absent, any oracle may answer.
            require_policy: Whether only an oracle may answer that an enabled policy judges.
            follows: The sealed ledger that this one goes on from: how many records it has, its seal
                counted, and its head, as ``entries`` and ``head`` of :func:`axilog.replay` give
                them.

        With any of these, every reset of the ledger's agent binds the ledger to the
        :class:`axilog.Manifest` of all, which is kept as a blob. ``axilog head`` shows it.

        Raises:
            ManifestError for a name, a note or a schema that is refused, IdentityError,
            LedgerExistsError, LedgerBusyError, LedgerIOError.
        """
        declared = DeclaredSchemas.of_documents(schemas, input_schemas)
        named = None if oracles is None else tuple(oracles)
        for oracle_id in (*declared.oracle_ids(), *(named or ())):
            check_identities(oracle_id, "m")
        before = None if follows is None else Predecessor(*follows)
        manifest = Manifest(name, note, declared.named(), named, require_policy, before)
        ledger = cls._open(path, create=True, resume=False, policies=None)
        ledger._manifest = None if manifest == Manifest() else manifest
        ledger._schemas = declared
        return ledger

    @classmethod
    def open(
        cls, path: Union[str, os.PathLike[str]], *, policies: Optional[PolicySet] = None
    ) -> Ledger:
        """Opens the ledger at ``path`` and replays it: its configuration, its models and the
        agent's state come from the file. A torn last line is moved to another file, and an
        interrupted last step is completed.

        Args:
            path: The ledger file, which must exist.
            policies: The policies that the ledger was made under. They are needed only where the
                blob of its configuration is missing and its policies are not the built-in ones.

        Raises:
            LedgerMissingError, LedgerDamagedError, LedgerSealedError, ConfigurationError,
            LedgerBusyError, LedgerIOError.
        """
        return cls._open(path, create=False, resume=True, policies=policies)

    @classmethod
    def open_or_create(
        cls, path: Union[str, os.PathLike[str]], *, policies: Optional[PolicySet] = None
    ) -> Ledger:
        """Opens the ledger at ``path`` as :meth:`open` does, or begins it where there is none. The
        agent of a new ledger is UNINIT. Raises as :meth:`open` does."""
        return cls._open(path, create=True, resume=True, policies=policies)

    @classmethod
    def _open(
        cls,
        path: Union[str, os.PathLike[str]],
        create: bool,
        resume: bool,
        policies: Optional[PolicySet],
    ) -> Ledger:
        ledger = cls(LedgerFile.open(os.fspath(path), create))
        try:
            if ledger._is_new():
                ledger._write_genesis()
            elif resume:
                ledger._resume(policies)
            else:
                raise LedgerExistsError(
                    ledger.path,
                    "already holds a ledger, which is never overwritten; name another file, open "
                    f"this one, or move it away together with {ledger.path}.blobs",
                )
        except BaseException:
            ledger._file.close()
            raise
        return ledger

    def _is_new(self) -> bool:
        genesis = genesis_line()
        if self._file.length > len(genesis):
            return False
        try:
            return genesis.startswith(self._file.open_reader().read(len(genesis)))
        except OSError as error:
            raise LedgerIOError(self.path, "read the ledger", error) from error

    def _write_genesis(self) -> None:
        genesis = genesis_line()
        if 0 < self._file.length < len(genesis):
            self._torn_line = TornLine(*self._file.move_torn_line(0))
        if self._file.length == 0:
            self._file.append(genesis)

    def _resume(self, policies: Optional[PolicySet]) -> None:
        models: dict[str, str] = {}

        def note_model(entry: Entry, offset: int, observation: Optional[Observation]) -> None:
            if observation is not None:
                models.setdefault(observation.oracle_id, observation.model_id)

        check = self._replay(policies, note_model)
        defect = check.defect
        # A torn line behind a seal is no interrupted write, since nothing is written there.
        if (
            defect is not None
            and defect.verdict is Verdict.TORN
            and defect.sequence > 0
            and not check.sealed
        ):
            self._torn_line = TornLine(*self._file.move_torn_line(defect.offset))
            check = self._replay(policies, note_model)
        if check.defect is not None:
            raise LedgerDamagedError(self.path, check.defect)
        if check.sealed:
            reason = "is sealed, and nothing may follow a seal; begin a new ledger"
            raise LedgerSealedError(self.path, reason)
        agent = check.restore_agent()
        if agent is None or check.configuration is None:
            raise LedgerError(self.path, "cannot be resumed: its replay gave no agent")
        # The process that wrote the last lines may have died before it synced them.
        self._file.sync()
        recorder = Recorder(lines=True)
        recorder.attach(agent)
        sequence = agent.ledger.sequence
        check.complete_last_step(agent)
        recorder.raise_failure(agent.ledger.sequence - sequence)
        self._completed_records = len(recorder.entries)
        if recorder.lines:
            self._file.append(bytes(recorder.lines))
        self._resumed = ResumedState(agent, check.configuration, models)

    def _replay(self, policies: Optional[PolicySet], visitor: RecordVisitor) -> LedgerCheck:
        try:
            source = self._file.open_reader()
            rules = ExpectedRules(policies)
            return replay_stream(source, self.path, rules, Expectations(), visitor).check
        except OSError as error:
            if isinstance(error, AxilogError):
                raise
            raise LedgerIOError(self.path, "read the ledger", error) from error

    def _attach_agent(self) -> None:
        """Reserves the ledger for the agent that calls. Raises LedgerError for a second agent."""
        self._file.check_open()
        if self._has_agent:
            raise LedgerError(
                self.path,
                "has an agent already, and one agent writes a ledger; open it again for another",
            )
        self._has_agent = True

    def _put_blob(self, data: bytes) -> None:
        self._file.check_open()
        self._blobs.put(data)

    def _put_manifest(self) -> None:
        """Keeps what a new ledger is bound to."""
        if self._manifest is not None:
            for document in self._schemas.documents():
                self._put_blob(document)
            self._put_blob(self._manifest.canonical())

    @property
    def path(self) -> str:
        """The path of the ledger file."""
        return self._file.path

    @property
    def closed(self) -> bool:
        """Whether the ledger is closed."""
        return self._file.closed

    @property
    def torn_line(self) -> Optional[TornLine]:
        """The torn last line that opening moved to another file; ``None`` where there was none."""
        return self._torn_line

    @property
    def completed_records(self) -> int:
        """How many records opening has added, to complete a step that a crash interrupted."""
        return self._completed_records

    def close(self) -> None:
        """Releases the lock and closes the file; every recorded step is already on disk. Closing
        twice does nothing. Raises ConcurrentUseError while another thread is in a step."""
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                f"{self.path}: a step is under way in another thread; close the ledger after it"
            )
        try:
            self._file.close()
        finally:
            self._lock.release()

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<axilog.Ledger {self.path!r}{' closed' if self.closed else ''}>"
