"""What became of one input: what is recorded, what each policy said, what the agent did."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, NamedTuple, Optional

from axilog.capi.constants import AX_TAG_OBS, AX_TAG_POLICY, AX_TAG_TRANS, Q16_16_MIN
from axilog.entry import Entry
from axilog.enums import Completion, Health, PolicyResult
from axilog.errors import AxilogError
from axilog.fixed import from_q16
from axilog.observation import Observation


class Judgement(NamedTuple):
    """An AX:POLICY:v1 record: what one policy said."""

    policy_id: str
    """Which policy."""
    result: PolicyResult
    """What it said."""
    actual: Optional[int]
    """The value, raw Q16.16; ``None`` where the answer had none."""
    threshold: int
    """The limit, raw Q16.16."""
    ledger_seq: int
    """The sequence of the observation."""

    @property
    def actual_decimal(self) -> Optional[Decimal]:
        """The value, exactly."""
        return None if self.actual is None else from_q16(self.actual)

    @property
    def threshold_decimal(self) -> Decimal:
        """The limit, exactly."""
        return from_q16(self.threshold)


class Transition(NamedTuple):
    """An AX:TRANS:v1 record: what the agent did."""

    input_class: str
    """Of what: ``LLM_OBS`` and so on, or ``UNKNOWN``."""
    prev_state: Health
    """Its state before."""
    next_state: Health
    """Its state after."""
    violation: Optional[str]
    """Which rule was violated, such as ``POLICY_BREACH``; ``None`` where none was."""
    fault_count: int
    """Faults since the last reset."""
    ledger_seq: int
    """The sequence of the observation."""


class Decision:
    """One step of an agent.

    ``records`` and what is read from them (``observation``, ``policies``, ``transition``) are there
    where the agent has a ledger or a sink; without one nothing is kept but the chain's head.
    """

    __slots__ = ("admissible", "health", "ledger_seq", "permitted", "records")

    ledger_seq: int
    """The observation's sequence."""
    admissible: bool
    """Whether the answer was: UTF-8 in NFC without control characters. One that was not is recorded
    as INVALID_OUTPUT, and breaches."""
    permitted: bool
    """Whether the agent acted and nothing breached."""
    health: Health
    """The agent's state afterwards."""
    records: tuple[Entry, ...]
    """What the step put into the ledger, in order."""

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

    @property
    def ok(self) -> bool:
        """Whether the answer may be acted on: it is permitted and the agent is not STOPPED. In
        ALARM, INIT and DEGRADED a good answer is permitted: look at ``health`` where that matters.
        """
        return self.permitted and self.health is not Health.STOPPED

    def raise_for_breach(self) -> Decision:
        """Raises BreachError unless the answer may be acted on; else gives the decision itself."""
        if not self.ok:
            raise BreachError(self)
        return self

    @property
    def observation(self) -> Optional[Observation]:
        """The observation as recorded."""
        for payload in self._payloads(AX_TAG_OBS):
            return Observation.parse(payload)
        return None

    @property
    def policies(self) -> tuple[Judgement, ...]:
        """What each policy said, in the order of their ids."""
        return tuple(_judgement(json.loads(p)) for p in self._payloads(AX_TAG_POLICY))

    @property
    def transition(self) -> Optional[Transition]:
        """What the agent did; ``None`` where it was STOPPED before and did nothing."""
        for payload in self._payloads(AX_TAG_TRANS):
            return _transition(json.loads(payload))
        return None

    def _payloads(self, tag: bytes) -> list[bytes]:
        return [entry.payload for entry in self.records if entry.tag == tag.decode()]

    @property
    def why(self) -> str:
        """The decision in a sentence, with its reasons."""
        state = f"observation {self.ledger_seq} is {'permitted' if self.permitted else 'a breach'}"
        reasons = [] if self.ok else self._reasons()
        return f"{state}, the agent is {self.health}" + "".join(f"; {text}" for text in reasons)

    def _reasons(self) -> list[str]:
        reasons = []
        if not self.admissible:
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
    """An answer may not be acted on. It is in the ledger, with the decision."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.why)
        self.decision = decision
        """What was decided, and why."""


def _judgement(record: dict[str, Any]) -> Judgement:
    return Judgement(
        policy_id=record["policy_id"],
        result=PolicyResult[record["result"]],
        actual=None if record["actual"] == Q16_16_MIN else record["actual"],
        threshold=record["threshold"],
        ledger_seq=record["ledger_seq"],
    )


def _transition(record: dict[str, Any]) -> Transition:
    return Transition(
        input_class=record["input_class"],
        prev_state=Health[record["prev_state"]],
        next_state=Health[record["next_state"]],
        violation=record["violation"],
        fault_count=record["fault_count"],
        ledger_seq=record["ledger_seq"],
    )
