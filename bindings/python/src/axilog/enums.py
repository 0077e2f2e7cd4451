"""The enums of the C headers, with the same numbers.

A name here is the C name without its prefix: ``Health.ENABLED`` is ``AX_HEALTH_ENABLED``. A test
compares each of them with the number that the C compiler computes from the headers.
"""

from __future__ import annotations

import enum

from axilog.capi import constants


class _NamedInteger(enum.IntEnum):
    # Messages show the name, and the library takes the number.
    def __str__(self) -> str:
        return self.name


class ReturnCode(_NamedInteger):
    """The result of a C function (``AX_OK``, ``AX_ERR_…``)."""

    OK = constants.AX_OK
    ENCODING = constants.AX_ERR_ENCODING
    SCHEMA = constants.AX_ERR_SCHEMA
    ORDERING = constants.AX_ERR_ORDERING
    SIZE = constants.AX_ERR_SIZE
    HASH = constants.AX_ERR_HASH
    BUFFER = constants.AX_ERR_BUFFER
    PROTOCOL = constants.AX_ERR_PROTOCOL
    LEDGER = constants.AX_ERR_LEDGER


class Health(_NamedInteger):
    """The agent's state (SRS-004 section 19)."""

    UNINIT = 0
    INIT = 1
    ENABLED = 2
    ALARM = 3
    DEGRADED = 4
    STOPPED = 5


class InputClass(_NamedInteger):
    """The class of an agent's input (formats.md section 5)."""

    TIME_OBS = 0
    LLM_OBS = 1
    POLICY_TRIGGER = 2
    FAULT_SIGNAL = 3
    RESET_REQUEST = 4


class Violation(_NamedInteger):
    """The rule that an agent or its ledger violated (formats.md section 5)."""

    NONE = 0
    TIME_ROLLBACK = 1
    POLICY_BREACH = 2
    FAULT_EXCEEDED = 3
    PROTOCOL = 4
    GENESIS_MISMATCH = 5
    COMMIT_FAILURE = 6
    SEQUENCE_ORDER = 7
    TERMINALITY = 8


class Completion(_NamedInteger):
    """Whether an answer was fully received (SRS-004 section 2.7)."""

    COMPLETE = 0
    TRUNCATED = 1
    ERROR = 2


class Failure(_NamedInteger):
    """How an oracle failed; ``NULL`` for an answer (SRS-004 section 2.8)."""

    NULL = 0
    TIMEOUT = 1
    INVALID_OUTPUT = 2
    TRANSPORT_ERROR = 3


class InputKind(_NamedInteger):
    """The form that an input must have (SRS-004 section 8.3)."""

    TEXT = 0
    JSON = 1


class Profile(_NamedInteger):
    """The form in which observations are written: RFC8785 by this library, the others by deployed
    gateways (formats.md section 3, Profiles)."""

    RFC8785 = 0
    ORACLE_1_1 = 1
    ORACLE_1_2 = 2


class Comparison(_NamedInteger):
    """The operator of a policy: a value is a breach where ``value OPERATOR threshold`` holds."""

    GT = 0
    LT = 1
    GE = 2
    LE = 3


class PolicyResult(_NamedInteger):
    """What a policy decided."""

    PERMITTED = 0
    BREACH = 1


class PolicyCode(_NamedInteger):
    """The result of a C function that sets up policies (``ax_policy_err_t``)."""

    OK = 0
    NULL_CTX = -1
    NULL_INPUT = -2
    SERIALISE = -3
    COMMIT = -4
    INVALID_ID = -5
    OVERFLOW = -6


class Verdict(_NamedInteger):
    """The result of verification or replay (formats.md section 6, Verification verdicts)."""

    OK = 0
    ALTERED = 1
    REORDERED = 2
    TRUNCATED = 3
    TORN = 4
    NON_CANONICAL = 5
    UNWITNESSED = 6
    DIVERGED = 7
    CONFIG_MISMATCH = 8
    MODEL_MISMATCH = 9
