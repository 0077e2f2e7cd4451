"""Sums, counts and changes that a ledger computes itself, by the vectors that the library's own
tests read."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Optional

import pytest

import axilog
from axilog import Agent, Decision, IdentityError, PolicyError, PolicySet

VECTORS = json.loads(
    (Path(__file__).resolve().parents[3] / "tests" / "vectors" / "running_values.json").read_text()
)


def begin(path: Path, **other: Any) -> Agent:
    options: dict[str, Any] = {
        "policies": PolicySet.parse(json.dumps(VECTORS["policies"], separators=(",", ":"))),
        "running_values": VECTORS["running_values"],
        "time": VECTORS["time"],
    }
    return Agent.create(path, **{**options, **other})


def observe(agent: Agent, oracle: str, answer: str) -> Decision:
    return agent.observe(answer, oracle_id=oracle, model_id="m", input="q")


def value_of(answer: str) -> Optional[Decimal]:
    value: Optional[Decimal] = json.loads(answer, parse_float=Decimal, parse_int=Decimal)["value"]
    return value


def test_the_ledger_is_the_one_of_the_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.jsonl"
    agent = begin(path)
    for step in VECTORS["steps"]:
        if "recover" in step:
            agent.mitigate()
            agent.reset()
        if "answer" in step:
            decision = observe(agent, step["oracle"], step["answer"])
            assert bool(decision) is step["may_act"], step
            found = [value.value for value in decision.running_values]
            assert found == [value_of(answer) for answer in step["values"]], step
        else:
            assert agent.observe_time(step.get("recover", step.get("time"))).ok
        # The one that goes on reads what the ledger holds.
        agent.close()
        agent = Agent.open(path)
    assert (len(agent), agent.head) == (VECTORS["entries"], VECTORS["head"])
    agent.close()
    assert axilog.audit(path).ok


def test_the_sums_of_the_vectors_are_those_of_the_decimal_module(tmp_path: Path) -> None:
    """A model of its own: all payments that count, added up anew for each."""
    counted: list[tuple[int, Decimal]] = []
    now = VECTORS["time"]
    for step in VECTORS["steps"]:
        now = step.get("time", step.get("recover", now))
        if step.get("oracle") != "pay" or not step["values"]:
            continue
        members = json.loads(step["answer"], parse_float=Decimal, parse_int=Decimal)
        amount = members.get("amount", Decimal(members.get("amount_q16", 0)) / 65536)
        within = [own for time, own in counted if now - time < 10]
        assert value_of(step["values"][0]) == len(within) + 1
        if len(step["values"]) == 2:
            assert value_of(step["values"][1]) == sum(within) + amount
        if step["may_act"]:
            counted.append((now, amount))
    assert len(counted) >= 6


def test_a_decision_tells_its_running_values(tmp_path: Path) -> None:
    with begin(tmp_path / "ledger.jsonl") as agent:
        assert observe(agent, "pay", '{"amount": 70}').running_values[1].permitted
        refused = observe(agent, "pay", '{"amount": 30.5}')
        count, spend = refused.running_values
        assert (count.oracle_id, count.value) == ("ax.count.payments", Decimal(2))
        assert (spend.oracle_id, spend.value) == ("ax.sum.spend", Decimal("100.5"))
        assert not spend.permitted and spend.policies[0].policy_id == "SPEND"
        assert spend.ledger_seq > count.ledger_seq > refused.ledger_seq
        assert not refused and not refused.permitted
        assert refused.health is axilog.Health.ALARM
        assert "ax.sum.spend#value 100.5 is above 100 (SPEND)" in refused.why
        with pytest.raises(axilog.BreachError):
            refused.output()
        assert "ax.sum.spend" in refused._repr_html_()


def test_what_cannot_be_declared_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with pytest.raises(TypeError, match="running_values: found list, expected a dictionary or"):
        begin(path, running_values=["ax.sum.spend"])
    with pytest.raises(ValueError, match="the path is missing"):
        begin(path, running_values={"ax.sum.spend": {"oracle": "pay"}})
    with pytest.raises(ValueError, match="found at byte 1: not JSON"):
        begin(path, running_values="no JSON")
    with pytest.raises(PolicyError, match="no enabled policy has it as its oracle"):
        begin(path, running_values={"ax.sum.other": {"oracle": "pay", "path": "amount"}})
    assert not path.exists()
    with begin(path) as agent, pytest.raises(IdentityError, match="that of a running value"):
        observe(agent, "ax.sum.spend", "{}")
