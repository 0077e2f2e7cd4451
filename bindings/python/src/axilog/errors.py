"""What can go wrong: where, what was found, what was expected, what to do.

Everything derives from :class:`AxilogError` and says in its text that nothing was recorded, unless
it says otherwise. A breach is no error by itself: it is a recorded decision, and becomes
:class:`axilog.BreachError` only where a program asks for that.
"""

from __future__ import annotations

from typing import NamedTuple, Optional

from axilog.enums import ReturnCode, Verdict
from axilog.faults import NO_FAULTS, Faults


class AxilogError(Exception):
    """The base of all errors of this package."""

    faults: Faults = NO_FAULTS
    """The flags that the library had set."""


class CallError(AxilogError):
    """The library refused a call."""

    def __init__(self, code: ReturnCode, faults: Faults, what: str) -> None:
        super().__init__(f"{what}: {code.name} (faults: {faults})")
        self.code = code
        """Its return code."""
        self.faults = faults


class ConcurrentUseError(AxilogError, RuntimeError):
    """An agent was used while a call on it was under way, in another thread or in its own sink.

    Nothing was done. Give each thread an agent of its own, or put a lock of yours around it.
    """


class StoppedError(CallError):
    """The agent's ledger takes nothing more: it failed or is sealed, or the agent failed."""


class SinkError(AxilogError):
    """A record could not be stored; the agent is STOPPED and stores nothing more. ``__cause__`` is
    what the sink raised."""


class InputError(AxilogError, ValueError):
    """An input that has no canonical form; it may not be put to an oracle."""


class IdentityError(AxilogError, ValueError):
    """An oracle or model id that no record may hold, or that means something else."""


class ModelError(AxilogError, ValueError):
    """An oracle that had another model in this ledger."""


class RollbackError(AxilogError, ValueError):
    """A time that does not exceed the last one; recording it would stop the agent."""


class PolicyError(AxilogError, ValueError):
    """Policies that are none: ``where`` in which file, what was found and what was expected."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}" if where else reason)
        self.where = where
        self.reason = reason


class RecordError(CallError, ValueError):
    """Bytes that are not a record in canonical form with a matching hash."""


class LedgerError(AxilogError):
    """A ledger file cannot be used as asked."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        """The ledger."""


class LedgerBusyError(LedgerError):
    """Another process, or another open :class:`axilog.Ledger`, writes this ledger."""

    def __init__(self, path: str, holder: Optional[int]) -> None:
        who = f" (process {holder})" if holder is not None else ""
        super().__init__(path, f"somebody{who} is writing to this ledger; wait for them to end")
        self.holder = holder
        """The writer's process id, where it is known."""


class LedgerExistsError(LedgerError, FileExistsError):
    """A new ledger was asked for where there is one."""


class LedgerMissingError(LedgerError, FileNotFoundError):
    """There is no ledger."""


class LedgerSealedError(LedgerError):
    """A sealed ledger accepts nothing more."""


class LedgerIOError(LedgerError, OSError):
    """The operating system refused; ``__cause__`` is its error."""

    def __init__(self, path: str, action: str, cause: OSError) -> None:
        LedgerError.__init__(self, path, f"cannot {action}: {cause.strerror or cause}")
        self.errno = cause.errno
        self.__cause__ = cause


class ConfigurationError(LedgerError):
    """The rules that a ledger names cannot be had, or are not the ones given."""


class Fault(NamedTuple):
    """Why a ledger is not good, and where."""

    verdict: Verdict
    """Never ``OK``."""
    sequence: int
    """The sequence of the first bad record, or of the first missing one."""
    offset: int
    """Where that record's line begins, or the end of the file where it is missing; in bytes."""
    reason: str
    """What was found and what was expected, in a sentence."""

    def __str__(self) -> str:
        return f"{self.verdict}: record {self.sequence} at byte {self.offset}: {self.reason}"


class LedgerDamagedError(LedgerError):
    """The ledger is not good, so nothing may be added to it."""

    def __init__(self, path: str, fault: Fault) -> None:
        super().__init__(path, str(fault))
        self.fault = fault
        """What is wrong, and where."""
