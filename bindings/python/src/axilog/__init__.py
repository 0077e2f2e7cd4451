"""Records what a language model answers before a program acts on it, and decides whether it may.

An :class:`Agent` takes the answers of a language model, or of any other oracle, evaluates fixed
policies on them, and records answer, decision and transition in a hash-chained ledger file.
:func:`verify`, :func:`replay` and :func:`audit` check such a file without the oracle. SRS-004
specifies all of it; the library ``libaxilog_host``, which is in the wheel, implements it
(:mod:`axilog.capi`).

    >>> import os, tempfile, axilog
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with axilog.Agent.start(os.path.join(directory, "run.axilog")) as agent:
    ...         decision = agent.observe('{"value": 69}', oracle_id="llm", model_id="m", input="?")
    ...         print(decision.output() if decision else agent.health)
    {"value": 69}
"""

from axilog._exchange import KeptBackError
from axilog._ledger_reader import RecordKind
from axilog._ledger_state import LeftBehind, TornLine
from axilog.agent import Agent
from axilog.async_agent import AsyncAgent
from axilog.auditing import AuditCheck, AuditReport, CheckResult, UnjudgedOracle, audit
from axilog.canonical import canonical_json
from axilog.capi import ABI_VERSION, LibraryError, lib
from axilog.decision import BreachError, Decision, Judgement, RunningValue, Transition
from axilog.derivation import derive_input
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
    ModelError,
    NotEnabledError,
    NotRecordedError,
    OracleRefusedError,
    PolicyError,
    ProofError,
    RecordError,
    SchemaError,
    StoppedError,
    TimeRollbackError,
)
from axilog.inputs import canonical_input
from axilog.observation import Observation
from axilog.params import Params
from axilog.policy import Policy
from axilog.policy_set import PolicySet
from axilog.proof import ProvenRecord, check_proof
from axilog.q16 import from_q16, to_q16
from axilog.reading import RawAnswer, Reader, Record, read
from axilog.tables import to_arrow, to_pandas, to_polars
from axilog.tool_calls import ToolCall, split_tool_calls
from axilog.verification import AuditVerdict, BlobReport, Report, replay, verify

__version__: str = lib.ax_version().decode()
"""The version of the library."""

UNICODE_VERSION: str = lib.ax_unicode_version().decode()
"""The version of Unicode by which the library decides whether text is in NFC."""

__all__ = [
    "ABI_VERSION",
    "UNICODE_VERSION",
    "Agent",
    "AsyncAgent",
    "AuditCheck",
    "AuditReport",
    "AuditVerdict",
    "AxilogError",
    "BadRecordError",
    "BlobReport",
    "BreachError",
    "CheckResult",
    "Comparison",
    "Completion",
    "ConfigurationError",
    "Decision",
    "Failure",
    "LedgerDefect",
    "Health",
    "IdentityError",
    "InputClass",
    "InputError",
    "InputKind",
    "Judgement",
    "KeptBackError",
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
    "ModelError",
    "NotEnabledError",
    "NotRecordedError",
    "OracleRefusedError",
    "Observation",
    "Params",
    "Policy",
    "PolicyError",
    "PolicyResult",
    "PolicySet",
    "Profile",
    "ProofError",
    "ProvenRecord",
    "RawAnswer",
    "Reader",
    "Record",
    "RecordError",
    "RecordKind",
    "Report",
    "ReturnCode",
    "RunningValue",
    "TimeRollbackError",
    "SchemaError",
    "StoppedError",
    "ToolCall",
    "TornLine",
    "Transition",
    "UnjudgedOracle",
    "Verdict",
    "Violation",
    "__version__",
    "audit",
    "canonical_input",
    "canonical_json",
    "check_proof",
    "derive_input",
    "from_q16",
    "read",
    "replay",
    "split_tool_calls",
    "to_arrow",
    "to_pandas",
    "to_polars",
    "to_q16",
    "verify",
]
