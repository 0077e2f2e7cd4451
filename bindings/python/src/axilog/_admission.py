"""Admission, made again from the bytes of an answer that its observation does not hold.

formats.md section 3 (Admission) and section 6 (Raw answers). The library admits; this module
compares the result with the record.
"""

from __future__ import annotations

import ctypes
import enum
from typing import NamedTuple, Optional

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


class AnswerText(NamedTuple):
    """What admission says of an answer's bytes, whatever the observation."""

    raw_bytes: int
    """How many bytes came."""
    admitted_bytes: Optional[int]
    """How many they are with normalised line ends; ``None`` where the answer is not admissible."""

    @classmethod
    def of(cls, answer: bytes) -> AnswerText:
        """Checks an answer."""
        try:
            return cls(len(answer), len(canonical_input(answer)))
        except InputError:
            return cls(len(answer), None)


def compare_answer(observation: Observation, answer: bytes) -> Fit:
    """Admits an answer again and compares the result with the observation, which does not hold the
    answer or not all of it."""
    text = AnswerText.of(answer)
    if observation.failure is Failure.INVALID_OUTPUT:
        return Fit.RECORDED if text.admitted_bytes is None else Fit.ADMISSIBLE
    if text.admitted_bytes is None or text.admitted_bytes != observation.output_size:
        return Fit.DIFFERS
    is_recorded = _cut(observation, answer) == observation.output.encode()
    return Fit.RECORDED if is_recorded else Fit.DIFFERS


def _cut(observation: Observation, beginning: bytes) -> Optional[bytes]:
    """What a record of this oracle holds of an admissible answer; ``None`` where that is all."""
    given = ax_obs_input_t()
    given.completion_state = int(Completion.TRUNCATED)
    given.failure_type = int(Failure.NULL)
    # A record has the same length for every input, since it holds the input's hash.
    given.input_kind = int(InputKind.TEXT)
    # The record says the length of the whole answer, which may have more digits.
    more_digits = len(str(observation.output_size)) - len(str(len(canonical_input(beginning))))
    given.ledger_seq = observation.ledger_seq * 10 ** max(more_digits, 0)
    given.oracle_id = observation.oracle_id.encode()
    given.model_id = observation.model_id.encode()
    given.output, given.output_len = beginning, len(beginning)
    given.params = observation.params._struct
    context = ax_admission_ctx_t()
    context.profile = int(observation.profile)
    output = ctypes.create_string_buffer(len(beginning) + 1)
    record, faults = ax_obs_record_t(), ct_fault_flags_t()
    code = lib.ax_obs_admit(
        ctypes.byref(record),
        output,
        len(output),
        ctypes.byref(given),
        ctypes.byref(context),
        ctypes.byref(faults),
    )
    is_cut = code == ReturnCode.OK and faults.size
    return output.value if is_cut else None
