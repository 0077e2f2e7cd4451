"""Ledger files open for writing (formats.md section 6; docs/ledger.md)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, Optional, Union

from axilog._blobs import BlobStore
from axilog._declared_schemas import DeclaredSchemas, SchemaDocument
from axilog._interrupted_answer import bind_interrupted_answer
from axilog._ledger_check import LedgerCheck, RecordVisitor
from axilog._ledger_file import LedgerFile
from axilog._ledger_replay import replay_stream
from axilog._named_blobs import NamedBlobs, lacks_answer
from axilog._oracle_call import check_identities
from axilog._recorder import Recorder
from axilog.capi.structs import ax_agent_ctx_t
from axilog.configuration import Configuration
from axilog.entry import MAX_LINE_BYTES, Entry, genesis_line
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

_NO_SCHEMAS: Mapping[str, SchemaDocument] = {}


class TornLine(NamedTuple):
    """An incomplete last line, which a crash left and opening the ledger moved to another file."""

    path: str
    """The file that holds the line now: ``LEDGER.torn-N``."""
    size: int
    """How many bytes the line has."""


class LeftBehind(NamedTuple):
    """Files among the blobs that no record names, which an interrupted writer left and opening the
    ledger moved out of them."""

    path: str
    """The directory that holds them now: ``LEDGER.left-behind``."""
    files: int
    """How many there are."""


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
        self._left_behind: Optional[LeftBehind] = None

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
        genesis or a beginning of it, and behind it at most a torn line: a ledger is never
        overwritten.

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
        agent's state come from the file. A torn last line, and blobs that no record names, are
        moved aside, and an interrupted last step is completed.

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
        """Whether the file holds no observation yet: nothing, or the genesis, whole or torn, or
        behind it nothing but a torn line."""
        genesis = genesis_line()
        most = len(genesis) + MAX_LINE_BYTES
        if self._file.length > most:
            return False
        try:
            data = self._file.open_reader().read(most)
        except OSError as error:
            raise LedgerIOError.of_action(self.path, "read the ledger", error) from error
        if data.startswith(genesis):
            return b"\n" not in data[len(genesis) :]
        return genesis.startswith(data)

    def _write_genesis(self) -> None:
        genesis = genesis_line()
        if self._file.length not in (0, len(genesis)):
            torn_at = 0 if self._file.length < len(genesis) else len(genesis)
            self._torn_line = TornLine(*self._file.move_torn_line(torn_at))
        if self._file.length == 0:
            self._file.append(genesis)
        self._move_aside(NamedBlobs())

    def _resume(self, policies: Optional[PolicySet]) -> None:
        visitor = _ResumeVisitor()
        torn = b""
        check = self._replay(policies, visitor.take_record)
        defect = check.defect
        # A torn line behind a seal is no interrupted write, since nothing is written there.
        if (
            defect is not None
            and defect.verdict is Verdict.TORN
            and defect.sequence > 0
            and not check.sealed
        ):
            self._torn_line = TornLine(*self._file.move_torn_line(defect.offset))
            torn = self._read_torn_line()
            visitor = _ResumeVisitor()
            check = self._replay(policies, visitor.take_record)
        if check.defect is not None:
            raise LedgerDamagedError(self.path, check.defect)
        if check.sealed:
            reason = "is sealed, and nothing may follow a seal; begin a new ledger"
            raise LedgerSealedError(self.path, reason)
        # The process that wrote the last lines may have died before it synced them.
        self._file.sync()
        recorder = Recorder(lines=True)
        if visitor.unheld is not None:
            bind_interrupted_answer(
                check, visitor.unheld, visitor.named, self._blobs, torn, recorder
            )
        agent = check.restore_agent()
        if agent is None or check.configuration is None:
            raise LedgerError(self.path, "cannot be resumed: its replay gave no agent")
        recorder.attach(agent)
        before = agent.ledger.sequence - len(recorder.entries)
        check.complete_last_step(agent)
        recorder.raise_failure(agent.ledger.sequence - before)
        self._completed_records = len(recorder.entries)
        if recorder.lines:
            self._file.append(bytes(recorder.lines))
        if visitor.named.knows_schemas(self._blobs):
            for document in visitor.named.find_bound_documents(self._blobs):
                visitor.named.add(document)
            self._move_aside(visitor.named)
        self._resumed = ResumedState(agent, check.configuration, visitor.models)

    def _read_torn_line(self) -> bytes:
        """The bytes of the torn line that was moved aside."""
        if self._torn_line is None:
            return b""
        try:
            with open(self._torn_line.path, "rb") as file:
                return file.read()
        except OSError as error:
            raise LedgerIOError.of_action(self.path, "read the torn line", error) from error

    def _move_aside(self, named: NamedBlobs) -> None:
        """Moves the files among the blobs that ``named`` does not have out of them."""
        files = self._blobs.list_unnamed_files(named)
        if files:
            self._left_behind = LeftBehind(self._blobs.move_aside(files), len(files))

    def _replay(self, policies: Optional[PolicySet], visitor: RecordVisitor) -> LedgerCheck:
        try:
            source = self._file.open_reader()
            return replay_stream(source, self.path, policies, visitor)
        except OSError as error:
            if isinstance(error, AxilogError):
                raise
            raise LedgerIOError.of_action(self.path, "read the ledger", error) from error

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
    def left_behind(self) -> Optional[LeftBehind]:
        """The files among the blobs that no record names, which opening moved out of them; ``None``
        where there were none."""
        return self._left_behind

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


class _ResumeVisitor:
    """What the replay of an opened ledger notes of its records."""

    def __init__(self) -> None:
        self.models: dict[str, str] = {}
        self.named = NamedBlobs()
        # The last record, if it is an observation that does not hold its answer.
        self.unheld: Optional[Observation] = None

    def take_record(self, entry: Entry, offset: int, observation: Optional[Observation]) -> None:
        self.named.take_record(entry, observation)
        self.unheld = None
        if observation is not None:
            self.models.setdefault(observation.oracle_id, observation.model_id)
            self.unheld = observation if lacks_answer(observation) else None
