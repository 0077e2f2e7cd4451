"""axilog.split_tool_calls, by the vectors that the library's own tests read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import InputError, split_tool_calls

VECTORS = Path(__file__).resolve().parents[3] / "tests" / "vectors" / "tool_calls.json"


def read_vectors(part: str) -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))[part]
    return vectors


def test_a_message_is_split_into_its_calls() -> None:
    vectors = read_vectors("split")
    assert len(vectors) >= 30
    for vector in vectors:
        expected = [(call["oracle_id"], call["arguments"].encode()) for call in vector["calls"]]
        message = vector["message"]
        assert split_tool_calls(message) == expected, vector["name"]
        assert split_tool_calls(message.encode()) == expected, vector["name"]


def test_a_message_of_another_form_is_refused() -> None:
    vectors = read_vectors("refused")
    assert len(vectors) >= 20
    for vector in vectors:
        with pytest.raises(InputError) as raised:
            split_tool_calls(vector["message"])
        assert vector["told"] in str(raised.value)


def test_values_are_split_as_their_text_is() -> None:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "pay", "arguments": '{"n": 1.0}'}},
            {"id": "2", "type": "function", "function": {"name": "look", "arguments": "not JSON"}},
        ],
    }
    expected = [("tool.pay", b'{"n":1}'), ("tool.look", b"not JSON")]
    assert split_tool_calls(message) == expected
    assert split_tool_calls(message["tool_calls"]) == expected
    with pytest.raises(InputError):
        split_tool_calls({"tool_calls": [float("nan")]})
    with pytest.raises(TypeError):
        split_tool_calls(7)  # type: ignore[arg-type]


def test_each_call_is_judged_by_the_policies_of_its_tool(tmp_path: Path) -> None:
    limit = axilog.Policy("PAY-MAX", axilog.Comparison.GT, "250", selector="tool.pay#/amount")
    message = [
        {"type": "tool_use", "id": "1", "name": "pay", "input": {"amount": 99.5}},
        {"type": "tool_use", "id": "2", "name": "pay", "input": {"amount": 400}},
    ]
    with axilog.Agent.start(tmp_path / "l.jsonl", policies=axilog.PolicySet([limit])) as agent:
        decisions = [
            agent.observe(call.output, oracle_id=call.oracle_id, model_id="m")
            for call in split_tool_calls(message)
        ]
    assert [bool(decision) for decision in decisions] == [True, False]
