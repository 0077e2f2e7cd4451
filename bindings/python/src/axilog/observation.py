"""Observations: what an oracle answered, as the ledger holds it (SRS-004 sections 4 to 6)."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Optional, Union

from axilog.capi import lib
from axilog.capi.structs import ax_obs_view_t, ct_fault_flags_t
from axilog.enums import Completion, Failure, Profile, ReturnCode
from axilog.errors import RecordError
from axilog.faults import Faults
from axilog.params import Params


@dataclass(frozen=True)
class Observation:
    """An AX:OBS:v1 record, read."""

    ledger_seq: int
    """Its position in the ledger."""
    oracle_id: str
    """Who answered."""
    model_id: str
    """Which model answered."""
    completion: Completion
    """Whether the answer is whole."""
    failure: Optional[Failure]
    """How the oracle failed; ``None`` where it did not."""
    output: str
    """The answer, line ends normalised; empty where there is none."""
    output_size: int
    """Bytes of the whole answer in UTF-8, of which ``output`` may be a beginning."""
    input_hash: str
    """SHA-256 of the canonical input, in hexadecimal."""
    obs_hash: str
    """The record's own hash, in hexadecimal."""
    params: Params
    """How it was asked."""
    profile: Profile
    """How the record is written."""
    gateway: bool
    """Whether only a deployed gateway can have written it."""

    @classmethod
    def parse(cls, record: Union[bytes, bytearray, memoryview]) -> Observation:
        """Reads exactly the canonical bytes of a record with a matching ``obs_hash``.

        Raises RecordError for anything else.
        """
        data = bytes(record)
        view = ax_obs_view_t()
        faults = ct_fault_flags_t()
        profile = ctypes.c_int()
        code = lib.ax_obs_parse(
            ctypes.byref(view), data, len(data), ctypes.byref(profile), ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            raise RecordError(
                ReturnCode(code), Faults.of(faults), "not the canonical record of an observation"
            )
        output = ctypes.create_string_buffer(view.output_len + 1)
        written = lib.ax_obs_output(ctypes.byref(view), output, len(output))
        failure = Failure(view.failure_type)
        return cls(
            ledger_seq=view.ledger_seq,
            oracle_id=_identity(view.oracle_id, view.oracle_id_len),
            model_id=_identity(view.model_id, view.model_id_len),
            completion=Completion(view.completion_state),
            failure=None if failure is Failure.NULL else failure,
            output=ctypes.string_at(output, written).decode(),
            output_size=view.output_size,
            input_hash=bytes(view.input_hash).hex(),
            obs_hash=view.obs_hash.decode(),
            params=Params._of(view.params),
            profile=Profile(profile.value),
            gateway=bool(view.gateway),
        )


def _identity(address: int, length: int) -> str:
    # As escaped in the record, which is a JSON string without its quotes.
    return str(json.loads(b'"' + ctypes.string_at(address, length) + b'"'))
