"""Admission, made again from the bytes of an answer that its observation does not hold.

formats.md section 3 (Admission) and section 6 (Raw answers). The library admits; this module
compares the result with the record.
"""

from __future__ import annotations

import ctypes
import enum
from typing import NamedTuple

from axilog.capi import lib
from axilog.capi.structs import (
    ax_admission_ctx_t,
    ax_obs_input_t,
    ax_obs_record_t,
    ct_fault_flags_t,
)
from axilog.enums import Completion, Failure, InputKind, ReturnCode
from axilog.errors import InputError
from axilog.inputs import canonical_input
from axilog.observation import Observation


class Fit(enum.Enum):
    """How the bytes of an answer fit the observation that does not hold them."""

    RECORDED = "recorded"
    """Admission makes this observation of them."""
    ADMISSIBLE = "admissible"
    """The observation says INVALID_OUTPUT, and they are admissible: only the question, or a schema,
    can be why they were refused."""
    DIFFERS = "differs"
    """Admission makes another observation of them."""


class AnswerFit(NamedTuple):
    """How the bytes of an answer fit its observation."""

    fit: Fit
    reason: str = ""
    """In what the observation that admission makes differs."""


def compare_answer(observation: Observation, answer: bytes) -> AnswerFit:
    """Admits ``answer`` again and compares the result with the observation, which does not hold the
    answer or not all of it."""
    try:
        whole = canonical_input(answer)
    except InputError:
        if observation.failure is Failure.INVALID_OUTPUT:
            return AnswerFit(Fit.RECORDED)
        return AnswerFit(Fit.DIFFERS, "it is not admissible, and is recorded as TRUNCATED")
    if observation.failure is Failure.INVALID_OUTPUT:
        return AnswerFit(Fit.ADMISSIBLE)
    if len(whole) != observation.output_size:
        return AnswerFit(
            Fit.DIFFERS,
            f"it has {len(whole)} bytes in its record's form, and the record says "
            f"{observation.output_size}",
        )
    recorded, admitted = observation.output.encode(), _cut(observation, answer)
    if recorded == admitted:
        return AnswerFit(Fit.RECORDED)
    if not whole.startswith(recorded):
        return AnswerFit(Fit.DIFFERS, "it does not begin with what the record holds")
    return AnswerFit(
        Fit.DIFFERS,
        f"the record holds its first {len(recorded)} bytes, and admission cuts it behind "
        f"{len(admitted)}",
    )


def _cut(observation: Observation, answer: bytes) -> bytes:
    """What a record of this oracle holds of an admissible answer."""
    given = ax_obs_input_t()
    # The record has the same length for every input, since it holds the input's hash.
    given.completion_state = int(Completion.TRUNCATED)
    given.failure_type = int(Failure.NULL)
    given.input_kind = int(InputKind.TEXT)
    given.ledger_seq = observation.ledger_seq
    given.oracle_id = observation.oracle_id.encode()
    given.model_id = observation.model_id.encode()
    given.output, given.output_len = answer, len(answer)
    given.params = observation.params._struct
    context = ax_admission_ctx_t()
    context.profile = int(observation.profile)
    output = ctypes.create_string_buffer(len(answer) + 1)
    record = ax_obs_record_t()
    code = lib.ax_obs_admit(
        ctypes.byref(record),
        output,
        len(output),
        ctypes.byref(given),
        ctypes.byref(context),
        ctypes.byref(ct_fault_flags_t()),
    )
    return output.value if code == ReturnCode.OK else b""
