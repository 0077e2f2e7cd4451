"""Contain an oracle's answer: recorded, canonical, hash-chained evidence before anything acts.

An :class:`Agent` takes the answers of a language model, or of any other oracle, judges them by
fixed policies, and records answer, judgement and transition in a :class:`Ledger`; :func:`verify`
and :func:`replay` check such a file without the oracle. The rules are those of SRS-004; the work is
done by ``libaxilog``, which the wheel brings along (:mod:`axilog.capi`).

    >>> import axilog
    >>> agent = axilog.Agent()
    >>> _ = agent.reset(), agent.time(1)
    >>> agent.observe(b'{"value": 69}', oracle_id="llm", model_id="m", input="how fast?").ok
    True
"""

from axilog.agent import Agent
from axilog.capi import ABI_VERSION, LibraryError, lib
from axilog.configuration import Configuration
from axilog.decision import BreachError, Decision, Judgement, Transition
from axilog.entry import Entry
from axilog.enums import (
    Comparison,
    Completion,
    Failure,
    Health,
    InputClass,
    InputKind,
    PolicyResult,
    Profile,
    ReturnCode,
    Verdict,
    Violation,
)
from axilog.errors import (
    AxilogError,
    CallError,
    ConcurrentUseError,
    ConfigurationError,
    Fault,
    IdentityError,
    InputError,
    LedgerBusyError,
    LedgerDamagedError,
    LedgerError,
    LedgerExistsError,
    LedgerIOError,
    LedgerMissingError,
    LedgerSealedError,
    ModelError,
    PolicyError,
    RecordError,
    RollbackError,
    SinkError,
    StoppedError,
)
from axilog.faults import Faults
from axilog.fixed import from_q16, to_q16
from axilog.inputs import canonical_input
from axilog.ledger import Ledger, Torn
from axilog.observation import Observation
from axilog.params import Params
from axilog.policy import Policy
from axilog.policy_set import PolicySet
from axilog.verification import BlobReport, Report, replay, verify

__version__: str = lib.ax_version().decode()
"""The version of the library."""

UNICODE_VERSION: str = lib.ax_unicode_version().decode()
"""The Unicode version whose NFC the library decides."""

__all__ = [
    "ABI_VERSION",
    "UNICODE_VERSION",
    "Agent",
    "AxilogError",
    "BlobReport",
    "BreachError",
    "CallError",
    "Comparison",
    "Completion",
    "ConcurrentUseError",
    "Configuration",
    "ConfigurationError",
    "Decision",
    "Entry",
    "Failure",
    "Fault",
    "Faults",
    "Health",
    "IdentityError",
    "InputClass",
    "InputError",
    "InputKind",
    "Judgement",
    "Ledger",
    "LedgerBusyError",
    "LedgerDamagedError",
    "LedgerError",
    "LedgerExistsError",
    "LedgerIOError",
    "LedgerMissingError",
    "LedgerSealedError",
    "LibraryError",
    "ModelError",
    "Observation",
    "Params",
    "Policy",
    "PolicyError",
    "PolicyResult",
    "PolicySet",
    "Profile",
    "RecordError",
    "Report",
    "ReturnCode",
    "RollbackError",
    "SinkError",
    "StoppedError",
    "Torn",
    "Transition",
    "Verdict",
    "Violation",
    "__version__",
    "canonical_input",
    "from_q16",
    "replay",
    "to_q16",
    "verify",
]
