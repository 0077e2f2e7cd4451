"""One call of an oracle, as the C struct ``ax_obs_input_t`` that the library takes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Optional

from axilog.capi.constants import AX_MAX_ORACLE_ID_BYTES
from axilog.capi.structs import ax_obs_input_t
from axilog.enums import Completion, Failure, InputKind
from axilog.errors import IdentityError, InputError
from axilog.inputs import Text, canonical_input
from axilog.params import Params

if TYPE_CHECKING:
    from axilog_harness.ledger import Schema

_NO_PARAMS = Params()
CONTROL_ORACLE = "ax.control"
"""The oracle id of the observations of control inputs."""
RESERVED_IDS = {"ax.time": "observe_time", CONTROL_ORACLE: "observe_control"}
"""The oracle ids of times and control inputs, and the agent's method that records each."""


class OracleCall:
    """An ``ax_obs_input_t`` for one oracle and model. An agent makes it once and sets input and
    output anew for each answer."""

    __slots__ = (
        "input_schema",
        "lacks_policy",
        "kind",
        "model_id",
        "oracle_id",
        "output_schema",
        "params",
        "recorded",
        "ref",
        "struct",
        "truncated",
    )

    def __init__(self, oracle_id: str, model_id: str) -> None:
        self.oracle_id = oracle_id
        self.model_id = model_id
        # Whether the ledger has an answer of this oracle, which must then keep its model.
        self.recorded = False
        # Whether the agent requires a policy that judges the oracle, and there is none.
        self.lacks_policy = False
        self.struct = ax_obs_input_t()
        self.struct.oracle_id = oracle_id.encode()
        self.struct.model_id = model_id.encode()
        self.ref = ctypes.byref(self.struct)
        self.params: Optional[Params] = None
        self.kind = InputKind.TEXT
        self.truncated = False
        # The declared schemas of what the oracle is asked and answers.
        self.input_schema: Optional[Schema] = None
        self.output_schema: Optional[Schema] = None
        self.set_params(None)

    def set_params(self, params: Optional[Params]) -> None:
        """Sets the sampling parameters; ``None`` makes every one of them null."""
        self.struct.params = (_NO_PARAMS if params is None else params)._struct
        self.params = params

    def set_kind(self, kind: InputKind, truncated: bool) -> None:
        """Sets the kind of the input, and whether the answer is TRUNCATED or COMPLETE."""
        completion = Completion.TRUNCATED if truncated else Completion.COMPLETE
        self.struct.completion_state = int(completion)
        self.struct.failure_type = int(Failure.NULL)
        self.struct.input_kind = int(kind)
        self.kind = kind
        self.truncated = truncated

    def refuse_output(self) -> None:
        """Makes the next answer one that the library records as INVALID_OUTPUT, and whose bytes it
        binds. :meth:`set_kind` ends that."""
        self.struct.completion_state = int(Completion.ERROR)
        self.struct.failure_type = int(Failure.INVALID_OUTPUT)

    def find_violation(self, answer: bytes) -> Optional[str]:
        """How an answer violates its declared schema; ``None`` where it conforms, where none is
        declared, and for what is not admissible, which the library refuses."""
        if self.output_schema is None:
            return None
        try:
            canonical_input(answer)
        except InputError:
            return None
        return self.output_schema.find_violation(answer)


def as_bytes(output: Text) -> bytes:
    """An answer as bytes. A lone surrogate, which UTF-8 cannot express, becomes bytes that are not
    UTF-8, so that the library records the answer as INVALID_OUTPUT. Raises TypeError."""
    if isinstance(output, str):
        return output.encode("utf-8", "surrogatepass")
    if isinstance(output, (bytes, bytearray, memoryview)):
        return bytes(output)
    raise TypeError(f"output: found {type(output).__name__}, expected bytes or str")


def check_identities(oracle_id: str, model_id: str) -> None:
    """Raises IdentityError for an id that is not 1 to 256 visible ASCII characters, since readers
    could take it for another one, and for the two reserved oracle ids (SRS-004 section 7.1)."""
    if oracle_id in RESERVED_IDS:
        method = RESERVED_IDS[oracle_id]
        raise IdentityError(f"the oracle id {oracle_id} is reserved; use Agent.{method}()")
    for field, value in (("oracle_id", oracle_id), ("model_id", model_id)):
        reason = _identity_fault(value)
        if reason is not None:
            start = ascii(value[:64]) if isinstance(value, str) else ascii(value)
            raise IdentityError(
                f"the {field} {start} is not admissible: {reason}; expected 1 to "
                f"{AX_MAX_ORACLE_ID_BYTES} visible ASCII characters (U+0021 to U+007E), like "
                "'planner-1'; give such an id; nothing was recorded"
            )


def _identity_fault(value: object) -> Optional[str]:
    if not isinstance(value, str):
        return f"it is of the type {type(value).__name__}"
    for place, character in enumerate(value, 1):
        if not "!" <= character <= "~":
            return f"character {place} is U+{ord(character):04X}"
    if not 1 <= len(value) <= AX_MAX_ORACLE_ID_BYTES:
        return f"it has {len(value)} characters"
    return None
