"""The agent: its decisions, and the calls that it refuses."""

from __future__ import annotations

import hashlib
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import axilog
from axilog import Health
from tests.conftest import Cli, begin_agent, observe


def test_a_breach_is_a_decision_and_raise_for_breach_raises(path: str) -> None:
    with begin_agent(path) as agent:
        good = observe(agent, b'{"value": 69}')
        assert good.ok and good.raise_for_breach() is good
        bad = observe(agent, b'{"value": 71.5}')
    assert (bad.ok, bad.permitted, bad.health) == (False, False, Health.ALARM)
    with pytest.raises(axilog.BreachError) as caught:
        bad.raise_for_breach()
    assert caught.value.decision is bad
    assert str(caught.value) == (
        "observation 8 is a breach, the agent is ALARM; "
        "value 71.5 is above 70 (POL-001-MAX-VELOCITY)"
    )
    (judgement,) = bad.policies
    assert (judgement.actual_decimal, judgement.threshold_decimal) == (Decimal("71.5"), Decimal(70))
    transition = bad.transition
    assert transition is not None
    assert (transition.prev_state, transition.next_state) == (Health.ENABLED, Health.ALARM)
    assert transition.violation == "POLICY_BREACH"


def test_mitigate_and_reset_end_an_alarm(path: str) -> None:
    with begin_agent(path) as agent:
        observe(agent, b'{"value": 71}')
        assert agent.mitigate().health is Health.DEGRADED
        assert agent.reset().health is Health.INIT
        assert agent.observe_time(2).health is Health.ENABLED
        for count in (1, 2):
            assert agent.signal_fault().health is Health.ENABLED and agent.fault_count == count
        assert agent.signal_fault().health is Health.ALARM
        behind = observe(agent, b'{"value": 1}')
        assert behind.permitted and not behind.ok
        assert "the alarm is not handled, call mitigate()" in behind.why


def test_str_bytes_and_memoryview_record_the_same_answer(tmp_path: Path) -> None:
    heads = set()
    answers: list[Any] = ['{"value": 1, "é": "\r\n"}', b'{"value": 1, "\xc3\xa9": "\r\n"}']
    answers += [bytearray(answers[1]), memoryview(answers[1])]
    for number, answer in enumerate(answers):
        with begin_agent(str(tmp_path / str(number))) as agent:
            agent.observe(answer, oracle_id="llm", model_id="m", input="a\nb")
            heads.add(agent.head)
            with pytest.raises(TypeError, match="output: found NoneType, expected bytes or str"):
                agent.observe(None, oracle_id="llm", model_id="m")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="input: found dict, expected bytes or str"):
                agent.observe("", oracle_id="llm", model_id="m", input={})  # type: ignore[arg-type]
    assert len(heads) == 1


@pytest.mark.parametrize("answer", [b"\xff", "e\u0301", '"\ud800"', b"a\x00b"])
def test_an_inadmissible_answer_is_recorded_and_alarms(path: str, answer: Any) -> None:
    with begin_agent(path) as agent:
        decision = agent.observe(answer, oracle_id="llm", model_id="m")
        assert not decision.admissible and not decision.ok and agent.health is Health.ALARM
    assert decision.failure is axilog.Failure.INVALID_OUTPUT
    assert "not admissible text (UTF-8 in NFC" in decision.why
    assert axilog.audit(path).ok


def test_a_decision_is_true_where_its_answer_may_be_acted_on(path: str) -> None:
    with begin_agent(path) as agent:
        permitted = observe(agent, b'{"value": 69,\r\n"a": 1}')
        assert permitted and permitted.may_act
        assert permitted.raw == b'{"value": 69,\r\n"a": 1}'
        assert permitted.output() == '{"value": 69,\n"a": 1}'
        # The time is permitted, and there is no answer.
        clock = agent.observe_time(agent.last_timestamp + 1)
        assert clock.ok and not clock and clock.raw is None
        with pytest.raises(ValueError, match="has no answer"):
            clock.output()
        breach = observe(agent, b'{"value": 71}')
        behind = observe(agent, b'{"value": 1}')
        failure = agent.observe_failure(axilog.Failure.TIMEOUT, oracle_id="llm", model_id="m")
        no_text = observe(agent, b"\xff")
    assert behind.permitted and behind.health is Health.ALARM
    for decision in (breach, behind, failure, no_text):
        assert not decision and not decision.may_act
        with pytest.raises(axilog.BreachError) as caught:
            decision.output()
        assert caught.value.decision is decision
    assert (breach.raw, failure.raw) == (b'{"value": 71}', None)


def test_a_decision_is_the_object_that_the_command_prints(
    cli: Cli, path: str, tmp_path: Path
) -> None:
    other = str(tmp_path / "other.jsonl")
    cli.run("init", other, "--time", 1)
    line = ("observe", "--ledger", other, "--oracle-id", "llm", "--model-id", "m")
    with begin_agent(path) as agent:
        for answer in (b'{"value": 69}', b'{"value": 71.5}', b"\xff", b"x" * 70_000):
            told = json.loads(json.dumps(observe(agent, answer, "").to_dict()))
            printed = cli.run_json(*line, stdin=answer)
            opened = {"begun", "completed_records", "left_behind", "torn"}
            assert told.pop("ledger") == path and printed.pop("ledger") == other
            assert told == {name: printed[name] for name in set(printed) - opened}


def test_a_failure_of_the_oracle_is_a_breach(path: str) -> None:
    with begin_agent(path) as agent:
        for failure in axilog.Failure:
            if failure in (axilog.Failure.NULL, axilog.Failure.INVALID_OUTPUT):
                with pytest.raises(ValueError, match=f"found {failure.name}, expected TIMEOUT or"):
                    agent.observe_failure(failure, oracle_id="llm", model_id="m")
                continue
            decision = agent.observe_failure(failure, oracle_id="llm", model_id="m", input="x")
            assert (decision.failure, decision.output_size) == (failure, 0) and not decision.ok
            # The next answer of the oracle is recorded as an answer.
            assert observe(agent, b'{"value": 1}').permitted


def test_a_truncated_answer_is_a_breach_unless_permitted(path: str, tmp_path: Path) -> None:
    answer = b'{"value": 1}'
    call: dict[str, Any] = {"oracle_id": "llm", "model_id": "m", "truncated": True}
    with begin_agent(path) as agent:
        assert not agent.observe(answer, **call).permitted
    with begin_agent(str(tmp_path / "lenient"), permit_truncated=True) as lenient:
        decision = lenient.observe(answer, **call)
        assert decision and decision.completion is axilog.Completion.TRUNCATED
        assert observe(lenient, answer).completion is axilog.Completion.COMPLETE
        long = observe(lenient, b"x" * 100_000)
        assert long.completion is axilog.Completion.TRUNCATED and long.output_size == 100_000
    for ledger in (path, str(tmp_path / "lenient")):
        assert axilog.audit(ledger).ok


def test_parameters_are_recorded_exactly(path: str) -> None:
    params = axilog.Params(max_tokens=9, seed=2**63 - 1, temperature=0.7, top_p="0.9")
    given: list[Any] = [params, None, {"seed": 0}]
    with begin_agent(path) as agent:
        for each in given:
            agent.observe(b'{"value":1}', oracle_id="llm", model_id="m", params=each)
        with pytest.raises(ValueError, match="seed: found -1"):
            agent.observe(b"", oracle_id="llm", model_id="m", params={"seed": -1})
    with axilog.read(path, oracle_id="llm", kinds=[axilog.RecordKind.OBSERVATION]) as records:
        found = [r.observation.params for r in records if r.observation is not None]
    assert found == [params, axilog.Params(), axilog.Params(seed=0)]
    assert params.temperature == Decimal(45875) / 65536
    assert repr(axilog.Params(seed=3)) == "Params(seed=3)"


@pytest.mark.parametrize(
    "bad",
    [
        {"max_tokens": -1},
        {"max_tokens": 2**31},
        {"max_tokens": True},
        {"seed": 1.5},
        {"seed": -1},
        {"temperature": -0.1},
        {"temperature": 32768},
        {"temperature": "warm"},
        {"temperature": float("nan")},
        {"top_p": 1.1},
        {"top_p": "1e999999999"},
    ],
)
def test_invalid_parameters_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bad))}: found .*, expected "):
        axilog.Params(**bad)


@pytest.mark.parametrize(
    ("prompt", "kind", "reason"),
    [
        (b"ab\xff", axilog.InputKind.TEXT, "not UTF-8"),
        ("é\tc", axilog.InputKind.TEXT, r"U\+0009 at byte 2"),
        ("e\u0301", axilog.InputKind.TEXT, "normalisation form C"),
        ("{ }", axilog.InputKind.JSON, "not canonical JSON"),
        ("\ud800", axilog.InputKind.TEXT, "not UTF-8"),
        ("a\0b", axilog.InputKind.TEXT, r"U\+0000"),
    ],
)
def test_an_inadmissible_input_is_refused(
    path: str, prompt: Any, kind: axilog.InputKind, reason: str
) -> None:
    with begin_agent(path) as agent:
        before = agent.head
        for refused in (
            lambda: agent.observe(b"", oracle_id="o", model_id="m", input=prompt, input_kind=kind),
            lambda: agent.check_question(
                oracle_id="o", model_id="m", input=prompt, input_kind=kind
            ),
        ):
            with pytest.raises(axilog.InputError, match=reason):
                refused()
        assert agent.head == before and agent.health is Health.ENABLED
    with pytest.raises(axilog.InputError, match=reason):
        axilog.canonical_input(prompt, kind)


def test_a_question_is_given_as_it_is_recorded(path: str) -> None:
    assert axilog.canonical_input("{}", axilog.InputKind.JSON) == b"{}"
    assert axilog.canonical_input("a\r\nb\rc") == b"a\nb\nc"
    with begin_agent(path) as agent:
        question = agent.check_question(oracle_id="o", model_id="m", input="a\r\nb\rc")
        assert question == b"a\nb\nc"
        decision = agent.observe(b"1", oracle_id="o", model_id="m", input="a\r\nb\rc")
    assert decision.input_hash == hashlib.sha256(question).hexdigest()


@pytest.mark.parametrize("bad", ["", "x" * 257, "a\x00b", "a\nb", "e\u0301", "\ud800", 7, "a b"])
def test_invalid_identities_are_refused(path: str, bad: Any) -> None:
    with begin_agent(path) as agent:
        before = agent.head
        for ids in ({"oracle_id": bad, "model_id": "m"}, {"oracle_id": "llm", "model_id": bad}):
            with pytest.raises(axilog.IdentityError, match="not admissible"):
                agent.observe(b"{}", **ids)
        assert agent.head == before


def test_reserved_oracle_ids_and_second_models_are_refused(path: str) -> None:
    with begin_agent(path) as agent:
        for oracle in ("ax.time", "ax.control"):
            with pytest.raises(axilog.IdentityError, match=f"the oracle id {oracle} is reserved"):
                agent.observe(b"{}", oracle_id=oracle, model_id="m")
        # A call that was refused does not decide the model of its oracle.
        with pytest.raises(axilog.InputError):
            agent.observe(b"{}", oracle_id="llm", model_id="misspelt", input="\t")
        observe(agent, b'{"value": 1}')
        before = agent.head
        with pytest.raises(axilog.ModelError, match='has the model "m" in this ledger'):
            agent.observe(b"{}", oracle_id="llm", model_id="other")
        with pytest.raises(axilog.ModelError):
            agent.observe_failure(axilog.Failure.TIMEOUT, oracle_id="llm", model_id="other")
        assert agent.head == before and observe(agent, b'{"value": 1}').ok


def test_observe_time_refuses_rollback_unless_forced(path: str) -> None:
    with begin_agent(path) as agent:
        with pytest.raises(axilog.TimeRollbackError, match="the time 1 is not after the last"):
            agent.observe_time(1)
        for bad in (-1, 2**64, True, 1.5):
            with pytest.raises(ValueError, match="timestamp: found"):
                agent.observe_time(bad)  # type: ignore[arg-type]
        assert agent.observe_time().health is Health.ENABLED
        assert agent.last_timestamp > 1_700_000_000
        assert agent.observe_time(5, force=True).health is Health.STOPPED


def test_a_stopped_agent_records_the_observation_only(path: str) -> None:
    with begin_agent(path) as agent:
        first = agent.observe_time(1, force=True)
        assert (first.health, first.ok) == (Health.STOPPED, False)
        entries = agent.entries
        decision = observe(agent, b'{"value": 1}')
        assert agent.entries == entries + 1
    assert not decision.permitted and decision.transition is None and decision.policies == ()
    assert "the agent is STOPPED" in decision.why


def test_another_input_than_a_control_is_refused(path: str) -> None:
    with begin_agent(path) as agent:
        with pytest.raises(ValueError, match="input_class: found LLM_OBS, expected one of RESET_"):
            agent.observe_control(axilog.InputClass.LLM_OBS)
        assert observe(agent, b'{"value": 1}').ok


def test_policies_judge_their_own_selectors(path: str) -> None:
    policies = axilog.PolicySet(
        [
            axilog.Policy("P-2", axilog.Comparison.LT, "-5", "altitude"),
            axilog.Policy("P-1", axilog.Comparison.GE, "0.5", "speed"),
            axilog.Policy("P-3", axilog.Comparison.LE, "0", "unused", enabled=False),
        ]
    )
    with begin_agent(path, policies=policies, stop_on_invalid=True) as agent:
        found = observe(agent, b'{"altitude": -4, "speed": 0.25}')
        assert [(j.policy_id, j.result.name) for j in found.policies] == [
            ("P-1", "PERMITTED"),
            ("P-2", "PERMITTED"),
        ]
        assert observe(agent, b"\xff").health is Health.STOPPED


def test_a_decision_is_told_after_later_ones_and_on_another_thread(path: str) -> None:
    with begin_agent(path) as agent:
        breach = observe(agent, b'{"value": 71}')
        later = observe(agent, b'{"value": 1}')
    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(breach.to_dict).result()
    assert told["ledger_seq"] == breach.ledger_seq != later.to_dict()["ledger_seq"]
    assert "value 71 is above 70" in breach.why and breach.to_dict() == told


def test_a_decision_is_pickled_and_an_agent_is_not(path: str) -> None:
    with begin_agent(path) as agent:
        decision = observe(agent, b'{"value": 71}')
        with pytest.raises(TypeError, match="an open agent cannot be sent to another process"):
            pickle.dumps(agent)
    copied = pickle.loads(pickle.dumps(decision))
    assert copied.to_dict() == decision.to_dict() and copied.raw == decision.raw
    error = pickle.loads(pickle.dumps(axilog.BreachError(decision)))
    assert error.decision.why == decision.why and not copied


def test_an_agent_is_made_with_a_ledger() -> None:
    with pytest.raises(TypeError, match="use Agent.start, Agent.create or Agent.open"):
        axilog.Agent()
