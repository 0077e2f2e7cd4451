"""Observations: the records of what oracles answered (SRS-004 sections 4 to 6; formats.md section
3)."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Optional, Union

from axilog.capi import lib
from axilog.capi.structs import ax_obs_view_t, ct_fault_flags_t
from axilog.enums import Completion, Failure, Profile, ReturnCode
from axilog.errors import RecordError
from axilog.params import Params


@dataclass(frozen=True)
class Observation:
    """A parsed AX:OBS:v1 record."""

    ledger_seq: int
    """The position of the record in the ledger."""
    oracle_id: str
    """The oracle that answered."""
    model_id: str
    """The model that answered."""
    completion: Completion
    """Whether the answer is COMPLETE, TRUNCATED, or missing (ERROR)."""
    failure: Optional[Failure]
    """How the oracle failed; ``None`` for an answer."""
    output: str
    """The answer with its line ends normalised; empty where the oracle failed."""
    output_size: int
    """How many bytes of UTF-8 the whole answer has. ``output`` is its beginning where the record
    would be too large."""
    input_hash: str
    """SHA-256 of the canonical input, in hexadecimal."""
    obs_hash: str
    """The hash of the record itself, in hexadecimal."""
    params: Params
    """The sampling parameters of the call."""
    profile: Profile
    """The profile that the record is written in."""
    gateway: bool
    """Whether the record can only come from a deployed gateway (formats.md section 3, Profiles)."""

    @classmethod
    def parse(cls, record: Union[bytes, bytearray, memoryview]) -> Observation:
        """Parses the canonical bytes of a record, whose ``obs_hash`` must match. Raises RecordError
        for any other bytes."""
        data = bytes(record)
        view = ax_obs_view_t()
        faults = ct_fault_flags_t()
        profile = ctypes.c_int()
        code = lib.ax_obs_parse(
            ctypes.byref(view), data, len(data), ctypes.byref(profile), ctypes.byref(faults)
        )
        if code != ReturnCode.OK:
            name = ReturnCode(code).name
            raise RecordError(f"the bytes are not the canonical record of an observation: {name}")
        output = ctypes.create_string_buffer(view.output_len + 1)
        written = lib.ax_obs_output(ctypes.byref(view), output, len(output))
        failure = Failure(view.failure_type)
        return cls(
            ledger_seq=view.ledger_seq,
            oracle_id=_unescape_identity(view.oracle_id, view.oracle_id_len),
            model_id=_unescape_identity(view.model_id, view.model_id_len),
            completion=Completion(view.completion_state),
            failure=None if failure is Failure.NULL else failure,
            output=ctypes.string_at(output, written).decode(),
            output_size=view.output_size,
            input_hash=bytes(view.input_hash).hex(),
            obs_hash=view.obs_hash.decode(),
            params=Params._from_struct(view.params),
            profile=Profile(profile.value),
            gateway=bool(view.gateway),
        )


def _unescape_identity(address: int, length: int) -> str:
    # The record holds it as a JSON string, and the view points at what is between the quotes.
    text = ctypes.string_at(address, length)
    return str(json.loads(b'"' + text + b'"')) if b"\\" in text else text.decode()
