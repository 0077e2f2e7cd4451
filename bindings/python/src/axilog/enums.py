"""The closed sets of the C surface as integer enumerations, with the same numbers.

A name here is the C name without its prefix: ``Health.ENABLED`` is ``AX_HEALTH_ENABLED``. A test
compares all of them with what the C compiler makes of the headers.
"""

from __future__ import annotations

import enum

from axilog.capi import constants


class _Number(enum.IntEnum):
    # The numbers are C's; people want the names.
    def __str__(self) -> str:
        return self.name


class ReturnCode(_Number):
    """What C functions return (``AX_OK``, ``AX_ERR_…``)."""

    OK = constants.AX_OK
    ENCODING = constants.AX_ERR_ENCODING
    SCHEMA = constants.AX_ERR_SCHEMA
    ORDERING = constants.AX_ERR_ORDERING
    SIZE = constants.AX_ERR_SIZE
    HASH = constants.AX_ERR_HASH
    BUFFER = constants.AX_ERR_BUFFER
    PROTOCOL = constants.AX_ERR_PROTOCOL
    LEDGER = constants.AX_ERR_LEDGER


class Health(_Number):
    """The agent's state (SRS-004 section 19)."""

    UNINIT = 0
    INIT = 1
    ENABLED = 2
    ALARM = 3
    DEGRADED = 4
    STOPPED = 5


class InputClass(_Number):
    """What kind of input the agent takes."""

    TIME_OBS = 0
    LLM_OBS = 1
    POLICY_TRIGGER = 2
    FAULT_SIGNAL = 3
    RESET_REQUEST = 4


class Violation(_Number):
    """Which rule was violated."""

    NONE = 0
    TIME_ROLLBACK = 1
    POLICY_BREACH = 2
    FAULT_EXCEEDED = 3
    PROTOCOL = 4
    GENESIS_MISMATCH = 5
    COMMIT_FAILURE = 6
    SEQUENCE_ORDER = 7
    TERMINALITY = 8


class Completion(_Number):
    """Whether an answer was fully received."""

    COMPLETE = 0
    TRUNCATED = 1
    ERROR = 2


class Failure(_Number):
    """How an oracle failed; ``NULL`` where it did not."""

    NULL = 0
    TIMEOUT = 1
    INVALID_OUTPUT = 2
    TRANSPORT_ERROR = 3


class InputKind(_Number):
    """The declared schema of an input."""

    TEXT = 0
    JSON = 1


class Profile(_Number):
    """How observations are written: by this library, or by deployed gateways."""

    RFC8785 = 0
    ORACLE_1_1 = 1
    ORACLE_1_2 = 2


class Comparison(_Number):
    """How a value is compared with its threshold: it breaches where the comparison holds."""

    GT = 0
    LT = 1
    GE = 2
    LE = 3


class PolicyResult(_Number):
    """What a policy decided."""

    PERMITTED = 0
    BREACH = 1


class PolicyCode(_Number):
    """What the C functions that set up policies return (``ax_policy_err_t``)."""

    OK = 0
    NULL_CTX = -1
    NULL_INPUT = -2
    SERIALISE = -3
    COMMIT = -4
    INVALID_ID = -5
    OVERFLOW = -6


class Verdict(_Number):
    """What verification and replay find."""

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
