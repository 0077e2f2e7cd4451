"""The golden vectors, through the package."""

from __future__ import annotations

import base64
import ctypes
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axilog
from axilog._calls import Call
from axilog.capi import lib, structs
from axilog.enums import ReturnCode
from axilog.policy_set import PolicySet
from tests.conftest import ROOT

COMPARISONS = {member.name: member for member in axilog.Comparison}
Vectors = Callable[[str], Any]


def policies_of(run: dict[str, Any]) -> PolicySet:
    # One run has an operator that no Comparison is; the library keeps it, and it breaches.
    return PolicySet._unjudged(
        axilog.Policy(
            policy["policy_id"],
            COMPARISONS.get(policy["comparison"], 99),  # type: ignore[arg-type]
            policy["threshold"],
            policy["selector"],
            bool(policy["enabled"]),
        )
        for policy in run["policies"]
    )


def act(agent: axilog.Agent, step: dict[str, Any]) -> axilog.Decision:
    output = base64.b64decode(step["output_b64"])
    oracle = step["oracle_id"]
    if not oracle.startswith("ax."):
        asked = base64.b64decode(step["input_b64"])
        model = step["model_id"]
        return agent.observe(output, oracle_id=oracle, model_id=model, input=asked)
    for control in axilog.InputClass:
        if oracle == "ax.control" and output == b'{"input_class":"%s"}' % control.name.encode():
            return agent.control(control)
    # What the package itself never writes: times and controls that are none.
    call = Call(oracle, oracle)
    call.struct.output, call.struct.output_len = output, len(output)
    return agent._keep(call, b"", output)


def test_agents_and_their_ledgers(vectors: Vectors) -> None:
    runs = vectors("agent.json")
    assert len(runs) > 15
    for run in runs:
        entries: list[axilog.Entry] = []
        agent = axilog.Agent(
            policies=policies_of(run),
            permit_truncated=run["permit_truncated"],
            stop_on_invalid=run["stop_on_invalid"],
            sink=entries.append,
        )
        for step in run["steps"]:
            decision = act(agent, step)
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


def test_a_run_into_a_file_is_the_golden_ledger(vectors: Vectors, path: str) -> None:
    run = next(r for r in vectors("agent.json") if r["name"] == "breach-alarm-recover")
    with axilog.Ledger.create(path) as ledger:
        agent = axilog.Agent(ledger)
        for step in run["steps"]:
            act(agent, step)
    golden = ROOT / "tests" / "vectors" / "breach-alarm-recover.jsonl"
    assert Path(path).read_bytes() == golden.read_bytes()
    assert axilog.verify(path, expect_head=run["steps"][-1]["head"], blobs=True).ok
    assert axilog.replay(path).ok


def test_observations_under_every_profile(vectors: Vectors) -> None:
    compared = 0
    for vector in vectors("observations.json"):
        for profile in axilog.Profile:
            expected = vector.get(profile.name.lower())
            if expected is None:
                continue
            record, admitted = admit(vector, profile)
            assert {"ok": 0, "encoding": -1, "truncated": 0}[vector["status"]] == admitted
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
    """The record, and what admission returned."""
    params = vector["params"]
    given = structs.ax_obs_input_t()
    given.completion_state = vector["completion_state"]
    given.failure_type = vector["failure_type"]
    given.input = asked = base64.b64decode(vector["input_b64"])
    given.input_len = len(asked)
    given.output = output = base64.b64decode(vector["output_b64"])
    given.output_len = len(output)
    given.ledger_seq = vector["ledger_seq"]
    given.oracle_id = vector["oracle_id"].encode()
    given.model_id = vector["model_id"].encode()
    null = axilog.Params()._struct
    for name in ("max_tokens", "seed", "temperature", "top_p"):
        value = params[name]
        setattr(given.params, name, getattr(null, name) if value is None else value)
    context = structs.ax_admission_ctx_t(profile=int(profile))
    record = structs.ax_obs_record_t()
    faults = structs.ct_fault_flags_t()
    text = ctypes.create_string_buffer(1 << 17)
    code = lib.ax_obs_admit(record, text, len(text), given, context, faults)
    assert code in (ReturnCode.OK, ReturnCode.ENCODING), vector["name"]
    out = ctypes.create_string_buffer(1 << 17)
    written = lib.ax_obs_canonicalise_as(out, len(out), record, 1, int(profile))
    assert written > 0
    return ctypes.string_at(out, written), code


def test_arithmetic(vectors: Vectors) -> None:
    found = vectors("q16.json")
    for name, a, b, result, flags in found["arith"]:
        faults = structs.ct_fault_flags_t()
        assert getattr(lib, f"dvm_{name}_q16")(a, b, faults) == result
        assert axilog.Faults.of(faults) == frozenset(flags)
    for text, raw in found["decimal"]:
        if raw is None:
            continue
        assert axilog.to_q16(text) == raw, text
        assert axilog.to_q16(axilog.from_q16(raw)) == raw
