"""Ledger files open for writing (formats.md section 6; docs/ledger.md)."""

from __future__ import annotations

import os
import threading
from typing import NamedTuple, Optional, Union

from axilog._blobs import Blobs
from axilog._check import Expected, See
from axilog._closing import Closing
from axilog._recorder import Recorder
from axilog._storage import Storage
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
from axilog.observation import Observation
from axilog.policy_set import PolicySet
from axilog.verification import Replayed, replay_stream


class Torn(NamedTuple):
    """An incomplete last line that was moved aside."""

    path: str
    """Where its bytes are now: ``LEDGER.torn-N``."""
    bytes: int
    """How many they are."""


class Resumed(NamedTuple):
    """What replay gave of a ledger that was there."""

    agent: ax_agent_ctx_t
    configuration: Configuration
    models: dict[str, str]


class Ledger(Closing):
    """A ledger file that one :class:`axilog.Agent` writes.

    It is locked against other writers (the command ``axilog`` among them) until it is closed, and
    each step is on disk before the call that made it returns. Beside the file, ``LEDGER.blobs``
    keeps what records name by hash: inputs, the configuration, and inadmissible answers. A context
    manager: leaving it closes the file. Make one with :meth:`create`, :meth:`open` or
    :meth:`open_or_create`.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._blobs = Blobs(storage.path)
        # The agent that writes uses this lock too, so that the file is not closed under a step.
        self._lock = threading.Lock()
        self._bound = False
        self._resumed: Optional[Resumed] = None
        self._torn: Optional[Torn] = None
        self._completed = 0

    @classmethod
    def create(cls, path: Union[str, os.PathLike[str]]) -> Ledger:
        """Begins a ledger at ``path``, which must be new: absent, empty, or the genesis only, whole
        or torn. A ledger is never overwritten.

        Raises LedgerExistsError, LedgerBusyError, LedgerIOError.
        """
        return cls._take(path, create=True, resume=False, policies=None)

    @classmethod
    def open(
        cls, path: Union[str, os.PathLike[str]], *, policies: Optional[PolicySet] = None
    ) -> Ledger:
        """Opens the ledger at ``path``, which must exist, and replays it: rules, models and the
        agent's state come from the ledger itself. A torn last line is moved aside, and a step
        without its last records is completed.

        ``policies`` must be the ledger's; they are needed where its configuration is not beside it
        and its policies are not the built-in ones.

        Raises LedgerMissingError, LedgerDamagedError, LedgerSealedError, ConfigurationError,
        LedgerBusyError, LedgerIOError.
        """
        return cls._take(path, create=False, resume=True, policies=policies)

    @classmethod
    def open_or_create(
        cls, path: Union[str, os.PathLike[str]], *, policies: Optional[PolicySet] = None
    ) -> Ledger:
        """Opens the ledger at ``path``, or begins it where it is new. Look at the agent's state to
        know which: it is UNINIT in a new one. Raises as :meth:`open` does."""
        return cls._take(path, create=True, resume=True, policies=policies)

    @classmethod
    def _take(
        cls,
        path: Union[str, os.PathLike[str]],
        create: bool,
        resume: bool,
        policies: Optional[PolicySet],
    ) -> Ledger:
        ledger = cls(Storage.open(os.fspath(path), create))
        try:
            if ledger._is_new():
                ledger._begin()
            elif resume:
                ledger._resume(policies)
            else:
                raise LedgerExistsError(
                    ledger.path,
                    "already holds a ledger, which is never overwritten; name another file, open "
                    f"this one, or move it away together with {ledger.path}.blobs",
                )
        except BaseException:
            ledger._storage.close()
            raise
        return ledger

    def _is_new(self) -> bool:
        genesis = genesis_line()
        if self._storage.length > len(genesis):
            return False
        return genesis.startswith(self._read(len(genesis)))

    def _read(self, size: int) -> bytes:
        try:
            return self._storage.reader().read(size)
        except OSError as error:
            raise LedgerIOError(self.path, "read the ledger", error) from error

    def _begin(self) -> None:
        genesis = genesis_line()
        if 0 < self._storage.length < len(genesis):
            self._torn = Torn(*self._storage.set_torn_aside(0))
        if self._storage.length == 0:
            self._storage.append(genesis)

    def _resume(self, policies: Optional[PolicySet]) -> None:
        models: dict[str, str] = {}

        def see(entry: Entry, offset: int, observation: Optional[Observation]) -> None:
            if observation is not None:
                models.setdefault(observation.oracle_id, observation.model_id)

        replayed = self._replay(policies, see)
        fault = replayed.check.fault
        # Nothing is written behind a seal, so what is torn there no interruption has left.
        if (
            fault is not None
            and fault.verdict is Verdict.TORN
            and fault.sequence > 0
            and not replayed.check.sealed
        ):
            self._torn = Torn(*self._storage.set_torn_aside(fault.offset))
            replayed = self._replay(policies, see)
        check = replayed.check
        if check.fault is not None:
            raise LedgerDamagedError(self.path, check.fault)
        if check.sealed:
            reason = "is sealed, and nothing may follow a seal; begin a new ledger"
            raise LedgerSealedError(self.path, reason)
        agent = check.agent()
        if agent is None or check.configuration is None:
            raise LedgerError(self.path, "gives no agent")
        # Whoever was interrupted may not have come to it.
        self._storage.sync()
        recorder = Recorder(lines=True)
        recorder.attach(agent)
        before = agent.ledger.sequence
        check.complete(agent)
        recorder.check(agent.ledger.sequence - before)
        self._completed = len(recorder.entries)
        if recorder.lines:
            self._storage.append(bytes(recorder.lines))
        self._resumed = Resumed(agent, check.configuration, models)

    def _replay(self, policies: Optional[PolicySet], see: See) -> Replayed:
        try:
            source = self._storage.reader()
            return replay_stream(source, self.path, policies, Expected(), see)
        except OSError as error:
            if isinstance(error, AxilogError):
                raise
            raise LedgerIOError(self.path, "read the ledger", error) from error

    def _bind(self) -> Optional[Resumed]:
        """Gives the ledger to an agent, once: what it must go on from, if anything."""
        self._check_open()
        if self._bound:
            reason = (
                "has an agent already, and one agent writes a ledger; open it again for another"
            )
            raise LedgerError(self.path, reason)
        self._bound = True
        return self._resumed

    def _append(self, lines: bytes) -> None:
        self._storage.append(lines)

    def _keep_blob(self, data: bytes) -> None:
        self._check_open()
        self._blobs.put(data)

    def _check_open(self) -> None:
        self._storage.check_open()

    @property
    def path(self) -> str:
        """Where it is."""
        return self._storage.path

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._storage.closed

    @property
    def torn(self) -> Optional[Torn]:
        """The torn last line that opening moved aside."""
        return self._torn

    @property
    def completed(self) -> int:
        """How many records of an interrupted step opening has added."""
        return self._completed

    def close(self) -> None:
        """Gives the lock back and closes the file; what was acknowledged is on disk already.
        Closing twice does nothing. Raises ConcurrentUseError while a step is under way."""
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                f"{self.path}: a step is under way in another thread; close the ledger behind it"
            )
        try:
            self._storage.close()
        finally:
            self._lock.release()

    def __repr__(self) -> str:
        return f"<axilog.Ledger {self.path!r}{' closed' if self.closed else ''}>"
