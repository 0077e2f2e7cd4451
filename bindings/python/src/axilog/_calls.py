"""One call of an oracle as the library takes it: made once, filled anew for each answer."""

from __future__ import annotations

import ctypes
from typing import Optional

from axilog.capi import lib
from axilog.capi.constants import AX_MAX_ORACLE_ID_BYTES
from axilog.capi.structs import ax_obs_input_t
from axilog.enums import Completion, InputKind
from axilog.errors import IdentityError
from axilog.inputs import Text
from axilog.params import Params

_NO_PARAMS = Params()
_RESERVED = {"ax.time": "time", "ax.control": "control"}


class Call:
    """A reusable ``ax_obs_input_t`` with its identities set."""

    __slots__ = (
        "kind",
        "model_id",
        "oracle_id",
        "params",
        "recorded",
        "ref",
        "struct",
        "truncated",
    )

    def __init__(self, oracle_id: str, model_id: str) -> None:
        self.oracle_id = oracle_id
        self.model_id = model_id
        # Whether an answer of this oracle is in the ledger, which holds it to its model.
        self.recorded = False
        self.struct = ax_obs_input_t()
        self.struct.oracle_id = oracle_id.encode()
        self.struct.model_id = model_id.encode()
        self.ref = ctypes.byref(self.struct)
        self.params: Optional[Params] = None
        self.kind = InputKind.TEXT
        self.truncated = False
        self.set_params(None)

    def set_params(self, params: Optional[Params]) -> None:
        """Sets the sampling parameters."""
        self.struct.params = (_NO_PARAMS if params is None else params)._struct
        self.params = params

    def set_kind(self, kind: InputKind, truncated: bool) -> None:
        """Sets the kind of the input, and whether the answer is whole."""
        completion = Completion.TRUNCATED if truncated else Completion.COMPLETE
        self.struct.completion_state = int(completion)
        self.struct.input_kind = int(kind)
        self.kind = kind
        self.truncated = truncated


def as_bytes(output: Text) -> bytes:
    """An answer as bytes. Text that UTF-8 cannot express (a lone surrogate) becomes bytes that are
    not UTF-8, and is recorded as the invalid answer that it is."""
    if isinstance(output, str):
        return output.encode("utf-8", "surrogatepass")
    if isinstance(output, (bytes, bytearray, memoryview)):
        return bytes(output)
    raise TypeError(f"output: found {type(output).__name__}, expected bytes or str")


def check_identities(oracle_id: str, model_id: str) -> None:
    """Refuses ids that no record may hold, and those of time and control."""
    if oracle_id in _RESERVED:
        method = _RESERVED[oracle_id]
        raise IdentityError(f"the oracle id {oracle_id} is reserved; use Agent.{method}()")
    for field, value in (("oracle_id", oracle_id), ("model_id", model_id)):
        if not isinstance(value, str) or not _is_identity(value):
            raise IdentityError(
                f"the {field} {value!r} is not admissible: expected 1 to {AX_MAX_ORACLE_ID_BYTES} "
                "bytes of text in NFC without control characters"
            )


def _is_identity(value: str) -> bool:
    data = value.encode("utf-8", "surrogatepass")
    if not 1 <= len(data) <= AX_MAX_ORACLE_ID_BYTES or any(byte < 0x20 for byte in data):
        return False
    return bool(lib.ax_is_nfc(data, len(data)))
