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
from axilog._oracle_call import OracleCall
from axilog.capi import lib, structs
from axilog.enums import ReturnCode
from axilog.policy_set import PolicySet
from tests.conftest import ROOT

COMPARISONS = {member.name: member for member in axilog.Comparison}
Vectors = Callable[[str], Any]


def make_policies(run: dict[str, Any]) -> PolicySet:
    # One run has an operator outside Comparison, under which the library finds every value a
    # breach.
    return PolicySet._without_checks(
        axilog.Policy(
            policy["policy_id"],
            COMPARISONS.get(policy["comparison"], 99),  # type: ignore[arg-type]
            raw=policy["threshold"],
            selector=policy["selector"],
            enabled=bool(policy["enabled"]),
        )
        for policy in run["policies"]
    )


def replay_step(agent: axilog.Agent, step: dict[str, Any]) -> axilog.Decision:
    output = base64.b64decode(step["output_b64"])
    oracle = step["oracle_id"]
    if not oracle.startswith("ax."):
        prompt = base64.b64decode(step["input_b64"])
        model = step["model_id"]
        return agent.observe(output, oracle_id=oracle, model_id=model, input=prompt)
    for control in axilog.InputClass:
        if oracle == "ax.control" and output == b'{"input_class":"%s"}' % control.name.encode():
            return agent.observe_control(control)
    # Invalid times and controls, which the package itself never writes.
    call = OracleCall(oracle, oracle)
    call.struct.output, call.struct.output_len = output, len(output)
    return agent._observe_recorded(call, b"", output)


def test_agents_reproduce_the_golden_runs(vectors: Vectors) -> None:
    runs = vectors("agent.json")
    assert len(runs) >= 25
    for run in runs:
        entries: list[axilog.Entry] = []
        agent = axilog.Agent(
            policies=make_policies(run),
            permit_truncated=run["permit_truncated"],
            stop_on_invalid=run["stop_on_invalid"],
            manifest=run["manifest"],
            sink=entries.append,
        )
        for step in run["steps"]:
            decision = replay_step(agent, step)
            where = (run["name"], decision.ledger_seq)
            assert agent.health.name == step["health"], where
            assert agent.fault_count == step["fault_count"], where
            assert (agent.head, agent.entries - 1) == (step["head"], step["sequence"]), where
            found = [[entry.tag, entry.payload.decode()] for entry in decision.records]
            assert found == step["records"], where
        assert [entry.sequence for entry in entries] == list(range(1, agent.entries))
        configuration = run["configuration"].encode()
        assert agent.configuration.hash() == hashlib.sha256(configuration).hexdigest()
        if "UNKNOWN" not in run["configuration"]:
            assert agent.configuration.canonical() == configuration
            assert axilog.Configuration.parse(configuration) == agent.configuration


def test_selectors_lead_to_the_golden_values(vectors: Vectors) -> None:
    golden = vectors("selectors.json")
    assert len(golden["extracted"]) >= 104
    for case in golden["extracted"]:
        selector, answer = case["selector"], case["answer"]
        policy = axilog.Policy("P", COMPARISONS[case["comparison"]], "0", selector)
        entries: list[axilog.Entry] = []
        policies = PolicySet._without_checks([policy])
        agent = axilog.Agent(policies=policies, sink=entries.append)
        agent.observe_control(axilog.InputClass.RESET_REQUEST)
        agent.observe_time(1)
        oracle = "oracle" if selector.startswith("/") else selector.partition("#")[0]
        decision = agent.observe(answer, oracle_id=oracle, model_id="model", input="Q")
        found = [
            json.loads(r.payload)["actual"] for r in decision.records if r.tag == "AX:POLICY:v1"
        ]
        expected = -(2**31) if case["value"] is None else case["value"]
        assert found == [expected], (selector, answer)
    for selector in golden["valid"]:
        axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "0", selector)])
    for selector in golden["refused"]:
        with pytest.raises(axilog.PolicyError, match="expected"):
            axilog.PolicySet([axilog.Policy("P", axilog.Comparison.GT, "0", selector)])


def test_a_run_into_a_file_reproduces_the_golden_ledger(vectors: Vectors, path: str) -> None:
    run = next(r for r in vectors("agent.json") if r["name"] == "breach-alarm-recover")
    with axilog.Ledger.create(path) as ledger:
        agent = axilog.Agent(ledger)
        for step in run["steps"]:
            replay_step(agent, step)
    golden = ROOT / "tests" / "vectors" / "breach-alarm-recover.jsonl"
    assert Path(path).read_bytes() == golden.read_bytes()
    assert axilog.verify(path, expect_head=run["steps"][-1]["head"], blobs=True).ok
    assert axilog.replay(path).ok


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
        assert axilog.Faults.from_struct(faults) == frozenset(flags)
    for text, raw in found["decimal"]:
        if raw is None:
            continue
        assert axilog.to_q16(text) == raw, text
        assert axilog.to_q16(axilog.from_q16(raw)) == raw
