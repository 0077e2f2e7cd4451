"""The decision on one input: what each policy decided, what the agent did (SRS-004 sections 11 and
19; formats.md sections 4 and 5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple, Optional

from axilog._notebook import make_list
from axilog.capi import lib
from axilog.capi.host import axh_decision_t
from axilog.enums import Completion, Failure, Health, PolicyResult, Violation
from axilog.errors import AxilogError
from axilog.inputs import canonical_input
from axilog.q16 import from_q16

# What an agent in each state needs to become ENABLED.
_ADVICE = {
    Health.INIT: "the time is missing, call observe_time()",
    Health.ALARM: "the alarm is not handled, call mitigate(), reset() and observe_time()",
    Health.DEGRADED: "reset and time are missing, call reset() and observe_time()",
}


class Judgement(NamedTuple):
    """What one policy decided on one observation."""

    policy_id: str
    """The id of the policy."""
    result: PolicyResult
    """PERMITTED or BREACH."""
    actual: Optional[int]
    """The value that was compared, raw Q16.16; ``None`` where the answer had none."""
    threshold: int
    """The limit of the policy, raw Q16.16."""
    ledger_seq: int
    """The sequence of the observation."""

    @property
    def actual_decimal(self) -> Optional[Decimal]:
        """The value that was compared, as an exact decimal."""
        return None if self.actual is None else from_q16(self.actual)

    @property
    def threshold_decimal(self) -> Decimal:
        """The limit of the policy, as an exact decimal."""
        return from_q16(self.threshold)


class RunningValue(NamedTuple):
    """A sum, a count or a change that the ledger computed and recorded after an answer."""

    oracle_id: str
    """The id under which it is recorded: ``ax.sum.NAME``, ``ax.count.NAME``, ``ax.change.NAME``."""
    value: Optional[Decimal]
    """The exact value; ``None`` where the answer has no number that counts."""
    permitted: bool
    """Whether the policies permitted it, without which the answer may not be acted on."""
    policies: tuple[Judgement, ...]
    """What each policy decided on it, in the order of the policies' ids."""
    ledger_seq: int
    """The sequence of its observation."""


class Transition(NamedTuple):
    """The agent's transition on one observation."""

    input_class: str
    """The class of the input: ``LLM_OBS`` and so on, or ``UNKNOWN``."""
    prev_state: Health
    """The agent's state before."""
    next_state: Health
    """The agent's state after."""
    violation: Optional[str]
    """The rule that was violated, such as ``POLICY_BREACH``; ``None`` without a violation."""
    fault_count: int
    """How many faults the agent counted since the last reset."""
    ledger_seq: int
    """The sequence of the observation."""


class Decision:
    """What an agent decided on one input, as the ledger holds it. A decision is true where an
    answer may be acted on, so that ``if agent.observe(…):`` acts on nothing else."""

    # The text is absent until it is asked for, which most programs never do.
    __slots__ = ("_found", "_kept", "_text", "raw")

    _found: axh_decision_t
    # What the library keeps of the decision, to be told as text; None where the text is here.
    _kept: Optional[int]
    _text: bytes
    raw: Optional[bytes]
    """The answer as it came; ``None`` on a failure, on the time and on a control input."""

    def __init__(self, found: axh_decision_t, kept: Optional[int], raw: Optional[bytes]) -> None:
        self._found = found
        self._kept = kept
        self.raw = raw

    # The function is named here, since at the end of a program the module may have lost it.
    def __del__(self, free: Callable[[Optional[int]], None] = lib.axh_kept_decision_free) -> None:
        free(self._kept)

    def __bool__(self) -> bool:
        return self.may_act

    @property
    def may_act(self) -> bool:
        """Whether there is an answer that may be acted on: an oracle's, permitted, and the agent is
        ENABLED after it."""
        return bool(self._found.may_act)

    @property
    def permitted(self) -> bool:
        """Whether the policies were evaluated and none was breached."""
        return bool(self._found.permitted)

    @property
    def health(self) -> Health:
        """The agent's state afterwards."""
        return Health(self._found.health)

    @property
    def ok(self) -> bool:
        """Whether the input was permitted, and the agent is ENABLED after it. Of an answer that is
        ``may_act``; the time and a control input can be ``ok``, and are nothing to act on."""
        return self.permitted and self.health is Health.ENABLED

    @property
    def ledger_seq(self) -> int:
        """The observation's sequence."""
        return int(self._found.ledger_seq)

    @property
    def entries(self) -> int:
        """How many records the ledger has after the step, genesis counted."""
        return int(self._found.entries)

    @property
    def head(self) -> str:
        """The chain value after the step, in hexadecimal."""
        return bytes(self._found.head).hex()

    @property
    def obs_hash(self) -> str:
        """The hash of the observation, in hexadecimal."""
        return bytes(self._found.obs_hash).hex()

    @property
    def input_hash(self) -> str:
        """SHA-256 of the canonical question, in hexadecimal."""
        return bytes(self._found.input_hash).hex()

    @property
    def completion(self) -> Completion:
        """Whether the answer is COMPLETE, TRUNCATED, or missing (ERROR)."""
        return Completion(self._found.completion_state)

    @property
    def failure(self) -> Optional[Failure]:
        """How the oracle failed; ``None`` for an answer. An answer that is not admissible is
        INVALID_OUTPUT."""
        failure = Failure(self._found.failure_type)
        return None if failure is Failure.NULL else failure

    @property
    def admissible(self) -> bool:
        """Whether the answer is UTF-8 in NFC without control characters other than line ends, and
        conforms to the schema that the ledger declares. An inadmissible answer is recorded as
        INVALID_OUTPUT, and is a breach."""
        return self.failure is not Failure.INVALID_OUTPUT

    @property
    def output_size(self) -> int:
        """How many bytes of UTF-8 the whole answer has."""
        return int(self._found.output_size)

    @property
    def fault_count(self) -> int:
        """How many faults the agent counted since the last reset."""
        return int(self._found.fault_count)

    def output(self) -> str:
        """The answer, with its line ends normalised. Raises BreachError where it may not be acted
        on, and ValueError for the time and control inputs, which have none."""
        self.raise_for_breach()
        if self.raw is None:
            raise ValueError(
                f"observation {self.ledger_seq} is the time or a control input, and has no answer"
            )
        return canonical_input(self.raw).decode()

    def to_dict(self) -> dict[str, Any]:
        """The decision as what :func:`json.dumps` takes: the object that ``axilog observe --json``
        prints, without what opening the ledger did. The answer is not in it."""
        members: dict[str, Any] = json.loads(self._tell())
        return members

    def raise_for_breach(self) -> Decision:
        """Returns this decision, or raises BreachError where the answer may not be acted on: it is
        a breach, or the agent is not ENABLED after it."""
        if not self.ok:
            raise BreachError(self)
        return self

    @property
    def schema_violation(self) -> Optional[str]:
        """How the answer violates the schema that the ledger declares, in words; ``None`` where it
        conforms or none is declared."""
        violation: Optional[str] = self.to_dict()["schema_violation"]
        return violation

    @property
    def policies(self) -> tuple[Judgement, ...]:
        """What each policy decided, in the order of the policies' ids."""
        return _judgements(self.to_dict()["policies"], self.ledger_seq)

    @property
    def running_values(self) -> tuple[RunningValue, ...]:
        """What the ledger computed after the answer, up to the first that was refused. The answer
        may be acted on only where each is permitted."""
        return tuple(
            RunningValue(
                value["oracle_id"],
                json.loads(value["answer"], parse_float=Decimal, parse_int=Decimal)["value"],
                value["permitted"],
                _judgements(value["policies"], value["ledger_seq"]),
                value["ledger_seq"],
            )
            for value in self.to_dict()["running_values"]
        )

    @property
    def transition(self) -> Optional[Transition]:
        """The agent's transition; ``None`` where the agent was STOPPED before."""
        members = self.to_dict()
        if members["prev_state"] is None:
            return None
        violation = Violation(self._found.violation)
        return Transition(
            members["input_class"],
            Health[members["prev_state"]],
            Health[members["next_state"]],
            None if violation is Violation.NONE else violation.name,
            self.fault_count,
            self.ledger_seq,
        )

    @property
    def why(self) -> str:
        """The decision and the reasons for it, in one sentence."""
        state = f"observation {self.ledger_seq} is {'permitted' if self.permitted else 'a breach'}"
        reasons: list[str] = self.to_dict()["why"]
        if self.permitted and not self.ok:
            advice = _ADVICE.get(self.health, "a STOPPED agent never is again")
            reasons = [
                f"an answer may be acted on only where the agent is ENABLED after it: {advice}"
            ]
        return "; ".join((f"{state}, the agent is {self.health}", *reasons))

    def _repr_html_(self) -> str:
        """The decision, why, the answer, and what each policy said of it, as notebooks show it."""
        members: list[tuple[str, object]] = [("may act", self.may_act), ("answer", self.raw)]
        members += [
            (judged.policy_id, f"{judged.result}: {judged.actual_decimal}")
            for judged in self.policies
        ]
        members += [
            (value.oracle_id, f"{'permitted' if value.permitted else 'BREACH'}: {value.value}")
            for value in self.running_values
        ]
        return make_list(self.why, members)

    def _tell(self) -> bytes:
        """The decision as JSON."""
        try:
            return self._text
        except AttributeError:
            self._text = lib.axh_kept_decision(self._kept)
            return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_decision, (bytes(self._found), self._tell(), self.raw)

    def __repr__(self) -> str:
        return (
            f"Decision(ledger_seq={self.ledger_seq}, may_act={self.may_act}, "
            f"permitted={self.permitted}, health={self.health})"
        )


def _judgements(policies: list[dict[str, Any]], ledger_seq: int) -> tuple[Judgement, ...]:
    return tuple(
        Judgement(
            judged["policy_id"],
            PolicyResult[judged["result"]],
            judged["actual"],
            judged["threshold"],
            ledger_seq,
        )
        for judged in policies
    )


def _restore_decision(found: bytes, text: bytes, raw: Optional[bytes]) -> Decision:
    decision = Decision(axh_decision_t.from_buffer_copy(found), None, raw)
    decision._text = text
    return decision


class BreachError(AxilogError):
    """An answer may not be acted on: it is a breach, or it was permitted and the agent is not
    ENABLED after it. ``decision.permitted`` says which. Answer and decision are recorded."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.why)
        self.decision = decision
        """The decision; its ``why`` is the message."""

    def __reduce__(self) -> tuple[Any, ...]:
        return BreachError, (self.decision,)
