"""The package reproduces the golden vectors."""

from __future__ import annotations

import base64
import ctypes
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog.capi import lib, structs
from axilog.capi.structs import FAULT_NAMES
from axilog.enums import ReturnCode
from tests.conftest import ROOT
from tests.raw_agent import Entry, RawAgent

COMPARISONS = {member.name: member for member in axilog.Comparison}
Vectors = Callable[[str], Any]


def make_policies(run: dict[str, Any]) -> list[axilog.Policy]:
    # One run has an operator outside Comparison, under which the library finds every value a
    # breach.
    return [
        axilog.Policy(
            policy["policy_id"],
            COMPARISONS.get(policy["comparison"], 99),  # type: ignore[arg-type]
            raw=policy["threshold"],
            selector=policy["selector"],
            enabled=bool(policy["enabled"]),
        )
        for policy in run["policies"]
    ]


def replay_step(agent: RawAgent, step: dict[str, Any]) -> list[Entry]:
    output = base64.b64decode(step["output_b64"])
    oracle = step["oracle_id"]
    for control in axilog.InputClass:
        if oracle == "ax.control" and output == b'{"input_class":"%s"}' % control.name.encode():
            return agent.control(control)
    if oracle.startswith("ax."):
        # Invalid times and controls too, which no program of ours writes.
        return agent.observe(output, oracle, oracle, b"")
    return agent.observe(output, oracle, step["model_id"], base64.b64decode(step["input_b64"]))


def test_agents_reproduce_the_golden_runs(vectors: Vectors) -> None:
    runs = vectors("agent.json")
    assert len(runs) >= 25
    for run in runs:
        agent = RawAgent(
            make_policies(run), run["permit_truncated"], run["stop_on_invalid"], run["manifest"]
        )
        for step in run["steps"]:
            found = [[entry.tag, entry.payload.decode()] for entry in replay_step(agent, step)]
            where = (run["name"], step["sequence"])
            assert found == step["records"], where
            context = agent.context
            assert axilog.Health(context.health).name == step["health"], where
            assert context.fault_accumulator == step["fault_count"], where
            head = bytes(context.ledger.current_hash).hex()
            assert (head, context.ledger.sequence) == (step["head"], step["sequence"]), where
        configuration = run["configuration"].encode()
        assert agent.configuration_hash() == hashlib.sha256(configuration).hexdigest()


def test_selectors_lead_to_the_golden_values(vectors: Vectors) -> None:
    golden = vectors("selectors.json")
    assert len(golden["extracted"]) >= 295
    for case in golden["extracted"]:
        selector, answer = case["selector"], case["answer"]
        agent = RawAgent([axilog.Policy("P", COMPARISONS[case["comparison"]], "0", selector)])
        agent.control(axilog.InputClass.RESET_REQUEST)
        agent.time(1)
        oracle = "oracle" if selector.startswith("/") else selector.partition("#")[0]
        records = agent.observe(answer.encode(), oracle, "model", b"Q")
        found = [json.loads(r.payload)["actual"] for r in records if r.tag == "AX:POLICY:v1"]
        expected = -(2**31) if case["value"] is None else case["value"]
        assert found == [expected], (selector, answer)
    for selector in golden["valid"]:
        axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "0", selector)])
    for selector in golden["refused"]:
        with pytest.raises(axilog.PolicyError, match="expected"):
            axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "0", selector)])


def test_a_run_into_a_file_reproduces_the_golden_ledger(vectors: Vectors, path: str) -> None:
    run = next(r for r in vectors("agent.json") if r["name"] == "breach-alarm-recover")
    by_device = RawAgent(make_policies(run))
    for step in run["steps"]:
        replay_step(by_device, step)
    golden = (ROOT / "tests" / "vectors" / "breach-alarm-recover.jsonl").read_bytes()
    assert bytes(by_device.lines) == golden
    reset, time, *steps = run["steps"]
    with axilog.Agent.create(path, time=read_time(time)) as agent:
        for step in steps:
            output, oracle = base64.b64decode(step["output_b64"]), step["oracle_id"]
            if oracle == "ax.time":
                agent.observe_time(read_time(step))
            elif oracle == "ax.control":
                agent.observe_control(axilog.InputClass[json.loads(output)["input_class"]])
            else:
                prompt, model = base64.b64decode(step["input_b64"]), step["model_id"]
                agent.observe(output, oracle_id=oracle, model_id=model, input=prompt)
    assert json.loads(base64.b64decode(reset["output_b64"])) == {"input_class": "RESET_REQUEST"}
    assert Path(path).read_bytes() == golden
    assert axilog.verify(path, expect_head=run["steps"][-1]["head"], blobs=True).ok
    assert axilog.replay(path).ok


def read_time(step: dict[str, Any]) -> int:
    return int(json.loads(base64.b64decode(step["output_b64"]))["timestamp"])


def test_admission_reproduces_the_golden_observations(vectors: Vectors) -> None:
    compared = 0
    for vector in vectors("observations.json"):
        for profile in axilog.Profile:
            expected = vector.get(profile.name.lower())
            if expected is None:
                continue
            record, code = admit(vector, profile)
            assert {"ok": 0, "encoding": -1, "truncated": 0}[vector["status"]] == code
            assert len(record) == expected["len"], vector["name"]
            assert hashlib.sha256(record).hexdigest() == expected["sha256"], vector["name"]
            found = axilog.Observation.parse(record)
            assert found.obs_hash == expected["obs_hash"]
            assert found.ledger_seq == vector["ledger_seq"]
            assert (found.oracle_id, found.model_id) == (vector["oracle_id"], vector["model_id"])
            # Without a control character profiles 0 and 1 write the same.
            assert found.profile is profile or "\n" not in found.output
            compared += 1
    assert compared > 60


def admit(vector: dict[str, Any], profile: axilog.Profile) -> tuple[bytes, int]:
    """Admits an observation; returns its record and the code of the library."""
    params = vector["params"]
    observation_input = structs.ax_obs_input_t()
    observation_input.completion_state = vector["completion_state"]
    observation_input.failure_type = vector["failure_type"]
    observation_input.input = prompt = base64.b64decode(vector["input_b64"])
    observation_input.input_len = len(prompt)
    observation_input.output = output = base64.b64decode(vector["output_b64"])
    observation_input.output_len = len(output)
    observation_input.ledger_seq = vector["ledger_seq"]
    observation_input.oracle_id = vector["oracle_id"].encode()
    observation_input.model_id = vector["model_id"].encode()
    null = axilog.Params()._struct
    for name in ("max_tokens", "seed", "temperature", "top_p"):
        value = params[name]
        setattr(observation_input.params, name, getattr(null, name) if value is None else value)
    context = structs.ax_admission_ctx_t(profile=int(profile))
    record = structs.ax_obs_record_t()
    faults = structs.ct_fault_flags_t()
    text = ctypes.create_string_buffer(1 << 17)
    code = lib.ax_obs_admit(record, text, len(text), observation_input, context, faults)
    assert code in (ReturnCode.OK, ReturnCode.ENCODING), vector["name"]
    out = ctypes.create_string_buffer(1 << 17)
    written = lib.ax_obs_canonicalise_as(out, len(out), record, 1, int(profile))
    assert written > 0
    return ctypes.string_at(out, written), code


def test_arithmetic_reproduces_the_golden_results(vectors: Vectors) -> None:
    found = vectors("q16.json")
    for name, a, b, result, flags in found["arith"]:
        faults = structs.ct_fault_flags_t()
        assert getattr(lib, f"dvm_{name}_q16")(a, b, faults) == result
        assert {name for name in FAULT_NAMES if getattr(faults, name)} == set(flags)
    for text, raw in found["decimal"]:
        if raw is None:
            continue
        assert axilog.to_q16(text) == raw, text
        assert axilog.to_q16(axilog.from_q16(raw)) == raw
