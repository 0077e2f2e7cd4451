"""The decision on one input: its records, what each policy decided, what the agent did (SRS-004
sections 11 and 19; formats.md sections 4 and 5)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NamedTuple, Optional

from axilog.capi.constants import AX_TAG_OBS, AX_TAG_POLICY, AX_TAG_TRANS, Q16_16_MIN
from axilog.entry import Entry
from axilog.enums import Completion, Health, PolicyResult
from axilog.errors import AxilogError
from axilog.inputs import canonical_input
from axilog.observation import Observation
from axilog.q16 import from_q16

# What an agent in each state needs to become ENABLED.
_ADVICE = {
    Health.INIT: "the time is missing, call observe_time()",
    Health.ALARM: "the alarm is not handled, call mitigate(), reset() and observe_time()",
    Health.DEGRADED: "reset and time are missing, call reset() and observe_time()",
}


class Judgement(NamedTuple):
    """An AX:POLICY:v1 record: what one policy decided on one observation."""

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

    def to_dict(self) -> dict[str, Any]:
        """The judgement as what :func:`json.dumps` takes, its numbers as decimals in texts."""
        actual = self.actual_decimal
        return {
            "policy_id": self.policy_id,
            "result": self.result.name,
            "actual": None if actual is None else str(actual),
            "threshold": str(self.threshold_decimal),
        }


class Transition(NamedTuple):
    """An AX:TRANS:v1 record: the agent's transition on one observation."""

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
    """What an agent decided on one input. A decision is true where an answer may be acted on, so
    that ``if agent.observe(…):`` acts on nothing else.

    ``records``, and ``observation``, ``policies`` and ``transition``, which are read from them, are
    empty or ``None`` where the agent has neither a ledger nor a sink.
    """

    __slots__ = (
        "admissible",
        "health",
        "ledger_seq",
        "permitted",
        "policy_missing",
        "raw",
        "records",
        "schema_violation",
    )

    ledger_seq: int
    """The observation's sequence."""
    admissible: bool
    """Whether the answer is UTF-8 in NFC without control characters other than line ends, and
    conforms to the schema that the ledger declares. An inadmissible answer is recorded as
    INVALID_OUTPUT, and is a breach."""
    permitted: bool
    """Whether the policies were evaluated and none was breached."""
    health: Health
    """The agent's state afterwards."""
    records: tuple[Entry, ...]
    """The records of the step, in order."""
    schema_violation: Optional[str]
    """How the answer violates the schema that the ledger declares, in words; ``None`` where it
    conforms or none is declared."""
    policy_missing: bool
    """Whether the agent requires that a policy judged the answer, and none did."""
    raw: Optional[bytes]
    """The answer as it came; ``None`` on a failure, on the time and on a control input."""

    def __init__(
        self,
        ledger_seq: int,
        admissible: bool,
        permitted: bool,
        health: Health,
        records: tuple[Entry, ...] = (),
    ) -> None:
        self.ledger_seq = ledger_seq
        self.admissible = admissible
        self.permitted = permitted
        self.health = health
        self.records = records
        self.schema_violation: Optional[str] = None
        self.policy_missing = False
        self.raw: Optional[bytes] = None

    def __bool__(self) -> bool:
        return self.may_act

    @property
    def may_act(self) -> bool:
        """Whether there is an answer that may be acted on: ``ok``, and on an oracle's answer rather
        than on the time or a control input."""
        return self.raw is not None and self.ok

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
        """The decision as what :func:`json.dumps` takes. The answer is not in it."""
        return {
            "ledger_seq": self.ledger_seq,
            "may_act": self.may_act,
            "permitted": self.permitted,
            "health": self.health.name,
            "admissible": self.admissible,
            "schema_violation": self.schema_violation,
            "policies": [judgement.to_dict() for judgement in self.policies],
            "why": self.why,
        }

    @property
    def ok(self) -> bool:
        """Whether the input was permitted, and the agent is ENABLED behind it.
        In ALARM, INIT and DEGRADED the policies can permit an answer too, which is recorded and
        may not be acted on. Nor may one that no policy judged where the agent requires one."""
        return self.permitted and self.health is Health.ENABLED and not self.policy_missing

    def raise_for_breach(self) -> Decision:
        """Returns this decision, or raises BreachError where the answer may not be acted on: it is
        a breach, or the agent is not ENABLED behind it."""
        if not self.ok:
            raise BreachError(self)
        return self

    @property
    def observation(self) -> Optional[Observation]:
        """The observation that was recorded."""
        for payload in self._payloads(AX_TAG_OBS):
            return Observation.parse(payload)
        return None

    @property
    def policies(self) -> tuple[Judgement, ...]:
        """What each policy decided, in the order of the policies' ids."""
        return tuple(_parse_judgement(json.loads(p)) for p in self._payloads(AX_TAG_POLICY))

    @property
    def transition(self) -> Optional[Transition]:
        """The agent's transition; ``None`` where the agent was STOPPED before."""
        for payload in self._payloads(AX_TAG_TRANS):
            return _parse_transition(json.loads(payload))
        return None

    def _payloads(self, tag: bytes) -> list[bytes]:
        return [entry.payload for entry in self.records if entry.tag == tag.decode()]

    @property
    def why(self) -> str:
        """The decision and the reasons why the answer may not be acted on, in one sentence."""
        state = f"observation {self.ledger_seq} is {'permitted' if self.permitted else 'a breach'}"
        reasons = [] if self.ok else self._reasons()
        return f"{state}, the agent is {self.health}" + "".join(f"; {text}" for text in reasons)

    def _reasons(self) -> list[str]:
        reasons = []
        if self.policy_missing:
            reasons.append("no policy judged the answer, and the agent requires one")
        if self.permitted and self.health is not Health.ENABLED:
            advice = _ADVICE.get(self.health, "a STOPPED agent never is again")
            reasons.append(
                f"an answer may be acted on only where the agent is ENABLED behind it: {advice}"
            )
        if self.schema_violation is not None:
            reasons.append(f"the answer violates its schema: {self.schema_violation}")
        elif not self.admissible:
            reasons.append("the answer is not UTF-8 in NFC without control characters")
        observation = self.observation
        if observation is not None and observation.completion is not Completion.COMPLETE:
            failure = "" if observation.failure is None else f" ({observation.failure})"
            reasons.append(f"the answer is {observation.completion}{failure}")
        for judgement in self.policies:
            if judgement.result is PolicyResult.BREACH:
                value = judgement.actual_decimal
                found = "no value" if value is None else f"the value {value}"
                limit = f"{judgement.policy_id}, whose limit is {judgement.threshold_decimal}"
                reasons.append(f"{found} breaches {limit}")
        transition = self.transition
        if self.records and transition is None:
            reasons.append("the agent was STOPPED before")
        elif transition is not None and transition.violation is not None:
            reasons.append(f"violation {transition.violation}")
        return reasons

    def __repr__(self) -> str:
        return (
            f"Decision(ledger_seq={self.ledger_seq}, permitted={self.permitted}, "
            f"health={self.health}, admissible={self.admissible}, records={len(self.records)})"
        )


class BreachError(AxilogError):
    """An answer may not be acted on: it is a breach, or it was permitted and the agent is not
    ENABLED behind it. ``decision.permitted`` says which. Answer and decision are recorded."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.why)
        self.decision = decision
        """The decision; its ``why`` is the message."""


def _parse_judgement(record: dict[str, Any]) -> Judgement:
    return Judgement(
        policy_id=record["policy_id"],
        result=PolicyResult[record["result"]],
        actual=None if record["actual"] == Q16_16_MIN else record["actual"],
        threshold=record["threshold"],
        ledger_seq=record["ledger_seq"],
    )


def _parse_transition(record: dict[str, Any]) -> Transition:
    return Transition(
        input_class=record["input_class"],
        prev_state=Health[record["prev_state"]],
        next_state=Health[record["next_state"]],
        violation=record["violation"],
        fault_count=record["fault_count"],
        ledger_seq=record["ledger_seq"],
    )
