"""The exceptions of the package. Each message names the thing, what was found, what was expected
and what to do.

All of them derive from :class:`AxilogError`. Nothing was recorded, unless the message says
otherwise. A breach is a recorded decision and no exception; :class:`axilog.BreachError` is raised
only where a program asks for it."""

from __future__ import annotations

from typing import NamedTuple, Optional

from axilog.enums import Verdict


class AxilogError(Exception):
    """The base of all exceptions of this package."""


class InputError(AxilogError, ValueError):
    """An input has no canonical form, and may not be put to an oracle."""


class IdentityError(AxilogError, ValueError):
    """An oracle or model id cannot be recorded, or is reserved for times and controls."""


class OracleRefusedError(AxilogError, ValueError):
    """A ledger takes no answers of an oracle: it declares others, or no policy judges the oracle
    and the ledger requires one."""


class ModelError(AxilogError, ValueError):
    """An oracle has another model in this ledger already."""


class NotEnabledError(AxilogError):
    """The agent is not ENABLED, and a wrapped client asks nothing before an operator has acted. The
    message has the state and what is missing."""


class NotRecordedError(AxilogError, AttributeError):
    """A wrapped client was asked for a call that cannot be recorded. It was not made. The message
    says what to use."""


class TimeRollbackError(AxilogError, ValueError):
    """A time is not after the last recorded one, and recording it would stop the agent."""


class PolicyError(AxilogError, ValueError):
    """Policies are not valid. The message has the place, what was found and what was expected."""


class BundleError(AxilogError, ValueError):
    """A bundle cannot be built or rendered. The message says why and what to do."""


class InvalidGrammarError(BundleError):
    """A text is no grammar. The message says where and why."""


class ProofError(AxilogError, ValueError):
    """A proof does not show what it should. The message says what does not hold."""


class RecordError(AxilogError, ValueError):
    """Bytes are not a record in canonical form with a matching hash."""


class LedgerError(AxilogError):
    """A ledger file cannot be used in the way that was asked for."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        """The path of the ledger."""


class BadRecordError(LedgerError):
    """A record that was read is bad, or a blob that it names is missing or altered."""


class LedgerBusyError(LedgerError):
    """Another process, or another open :class:`axilog.Agent`, is writing this ledger."""


class LedgerExistsError(LedgerError, FileExistsError):
    """There is a ledger already where a new one was to begin."""


class LedgerMissingError(LedgerError, FileNotFoundError):
    """There is no ledger at the path."""


class LedgerSealedError(LedgerError):
    """The ledger is sealed, and takes nothing more."""


class StoppedError(LedgerError):
    """The ledger takes nothing more, since recording an earlier step failed. Open it again to see
    what it holds, and to go on."""


class LedgerDisplacedError(LedgerError):
    """The path of a ledger does not lead to the file that was opened under it, or the file has
    another length than was written: something else renamed, removed, replaced or cut it off. What
    was not acknowledged before is not recorded, and nothing more will be."""


class LedgerIOError(LedgerError, OSError):
    """The operating system refused an operation on a ledger; ``errno`` is the number of its
    error."""

    def __init__(self, path: str, reason: str, errno: Optional[int]) -> None:
        LedgerError.__init__(self, path, reason)
        self.errno = errno


class ConfigurationError(LedgerError):
    """The configuration of a ledger cannot be had, or another one was given."""


class SchemaError(LedgerError):
    """A ledger declares schemas of what its oracles are asked and answer, or may declare some, and
    they cannot be had or validated against, so that it takes no answers: a blob is missing or
    altered."""


class LedgerDefect(NamedTuple):
    """The first thing that is wrong with a ledger, and where it is."""

    verdict: Verdict
    """The kind of the defect; never ``OK``."""
    sequence: int
    """The sequence of the first bad record, or of the first missing one."""
    offset: int
    """Where that record's line begins, or the end of the file for a missing one, in bytes."""
    reason: str
    """What was found and what was expected, in a sentence."""

    def __str__(self) -> str:
        return f"{self.verdict}: record {self.sequence} at byte {self.offset}: {self.reason}"


class LedgerDamagedError(LedgerError):
    """The ledger has a defect, so nothing may be appended to it. The message has the verdict and
    the place; :func:`axilog.replay` gives both as values."""
