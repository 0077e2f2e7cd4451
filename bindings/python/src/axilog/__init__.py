"""Records what a language model answers before a program acts on it, and decides whether it may.

An :class:`Agent` takes the answers of a language model, or of any other oracle, evaluates fixed
policies on them, and records answer, decision and transition in a hash-chained :class:`Ledger`.
:func:`verify`, :func:`replay` and :func:`audit` check such a file without the oracle. SRS-004
specifies all of it; the library ``libaxilog_host``, which is in the wheel, implements it
(:mod:`axilog.capi`).

    >>> import axilog
    >>> agent = axilog.Agent()
    >>> _ = agent.reset(), agent.observe_time(1)
    >>> agent.observe(b'{"value": 69}', oracle_id="llm", model_id="m", input="how fast?").ok
    True
"""

from axilog._ledger_reader import RecordKind
from axilog.agent import Agent
from axilog.auditing import AuditCheck, AuditReport, CheckResult, UnjudgedOracle, audit
from axilog.canonical import canonical_json
from axilog.capi import ABI_VERSION, LibraryError, lib
from axilog.configuration import Configuration
from axilog.decision import BreachError, Decision, Judgement, Transition
from axilog.derivation import derive_input
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
    BadRecordError,
    CallError,
    ConcurrentUseError,
    ConfigurationError,
    IdentityError,
    InputError,
    LedgerBusyError,
    LedgerDamagedError,
    LedgerDefect,
    LedgerDisplacedError,
    LedgerError,
    LedgerExistsError,
    LedgerIOError,
    LedgerMissingError,
    LedgerSealedError,
    ManifestError,
    ModelError,
    OracleRefusedError,
    PolicyError,
    RecordError,
    ResetMissingError,
    SchemaError,
    SinkError,
    StoppedError,
    TimeRollbackError,
)
from axilog.faults import Faults
from axilog.inputs import canonical_input
from axilog.ledger import Ledger, LeftBehind, TornLine
from axilog.manifest import Manifest, OracleSchemas, Predecessor
from axilog.observation import Observation
from axilog.params import Params
from axilog.policy import Policy
from axilog.policy_set import PolicySet
from axilog.q16 import from_q16, to_q16
from axilog.reading import RawAnswer, Reader, Record, read
from axilog.tables import to_arrow, to_pandas, to_polars
from axilog.verification import AuditVerdict, BlobReport, Report, replay, verify

__version__: str = lib.ax_version().decode()
"""The version of the library."""

UNICODE_VERSION: str = lib.ax_unicode_version().decode()
"""The version of Unicode by which the library decides whether text is in NFC."""

__all__ = [
    "ABI_VERSION",
    "UNICODE_VERSION",
    "Agent",
    "AuditCheck",
    "AuditReport",
    "AuditVerdict",
    "AxilogError",
    "BadRecordError",
    "BlobReport",
    "BreachError",
    "CallError",
    "CheckResult",
    "Comparison",
    "Completion",
    "ConcurrentUseError",
    "Configuration",
    "ConfigurationError",
    "Decision",
    "Entry",
    "Failure",
    "LedgerDefect",
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
    "LedgerDisplacedError",
    "LedgerError",
    "LedgerExistsError",
    "LedgerIOError",
    "LedgerMissingError",
    "LedgerSealedError",
    "LeftBehind",
    "LibraryError",
    "Manifest",
    "ManifestError",
    "ModelError",
    "OracleRefusedError",
    "Observation",
    "OracleSchemas",
    "Params",
    "Policy",
    "PolicyError",
    "PolicyResult",
    "PolicySet",
    "Predecessor",
    "Profile",
    "RawAnswer",
    "Reader",
    "Record",
    "RecordError",
    "RecordKind",
    "Report",
    "ResetMissingError",
    "ReturnCode",
    "TimeRollbackError",
    "SchemaError",
    "SinkError",
    "StoppedError",
    "TornLine",
    "Transition",
    "UnjudgedOracle",
    "Verdict",
    "Violation",
    "__version__",
    "audit",
    "canonical_input",
    "canonical_json",
    "derive_input",
    "from_q16",
    "read",
    "replay",
    "to_arrow",
    "to_pandas",
    "to_polars",
    "to_q16",
    "verify",
]
