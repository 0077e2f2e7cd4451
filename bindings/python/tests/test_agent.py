"""The agent: its decisions, the calls that it refuses, its sinks."""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import axilog
from axilog import Health
from axilog.capi import lib
from tests.conftest import observe


def make_enabled_agent(**rules: Any) -> axilog.Agent:
    agent = axilog.Agent(**rules)
    agent.reset()
    agent.observe_time(1)
    assert agent.health is Health.ENABLED
    return agent


def test_a_breach_is_a_decision_and_raise_for_breach_raises() -> None:
    agent = make_enabled_agent(sink=lambda entry: None)
    good = observe(agent, b'{"value": 69}')
    assert good.ok and good.raise_for_breach() is good
    bad = observe(agent, b'{"value": 71.5}')
    assert (bad.ok, bad.permitted, bad.health) == (False, False, Health.ALARM)
    with pytest.raises(axilog.BreachError) as caught:
        bad.raise_for_breach()
    assert caught.value.decision is bad
    assert "the value 71.5 breaches POL-001-MAX-VELOCITY, whose limit is 70" in str(caught.value)
    judgement = bad.policies[0]
    assert (judgement.actual_decimal, judgement.threshold_decimal) == (Decimal("71.5"), Decimal(70))
    transition = bad.transition
    assert transition is not None
    assert (transition.prev_state, transition.next_state) == (Health.ENABLED, Health.ALARM)
    assert transition.violation == "POLICY_BREACH"


def test_mitigate_and_reset_end_an_alarm() -> None:
    agent = make_enabled_agent()
    observe(agent, b'{"value": 71}')
    assert agent.mitigate().health is Health.DEGRADED
    assert agent.reset().health is Health.INIT
    assert agent.observe_time(2).health is Health.ENABLED
    for count in (1, 2):
        assert agent.signal_fault().health is Health.ENABLED and agent.fault_count == count
    assert agent.signal_fault().health is Health.ALARM


def test_the_decision_without_a_sink_equals_that_with_one() -> None:
    with_sink, without_sink = make_enabled_agent(sink=lambda entry: None), make_enabled_agent()
    answers = [b'{"value": 69}', b"prose", b"\xff", b'{"value": 71}', b""]
    for answer in answers:
        expected, decision = observe(with_sink, answer), observe(without_sink, answer)
        for field in ("ledger_seq", "admissible", "permitted", "health", "ok"):
            assert getattr(expected, field) == getattr(decision, field)
        assert decision.records == () and decision.observation is None and decision.policies == ()
    assert with_sink.head == without_sink.head and with_sink.entries == without_sink.entries


def test_str_bytes_and_memoryview_record_the_same_answer() -> None:
    heads = set()
    for answer in ('{"value": 1, "é": "\r\n"}', b'{"value": 1, "\xc3\xa9": "\r\n"}'):
        for kind in (lambda x: x, lambda x: memoryview(x.encode() if isinstance(x, str) else x)):
            agent = make_enabled_agent()
            agent.observe(kind(answer), oracle_id="llm", model_id="m", input="a\nb")
            heads.add(agent.head)
    assert len(heads) == 1
    with pytest.raises(TypeError, match="found NoneType, expected bytes or str"):
        make_enabled_agent().observe(None, oracle_id="llm", model_id="m")  # type: ignore[arg-type]


def test_an_inadmissible_answer_is_recorded_and_alarms() -> None:
    for answer in (b"\xff", "e\u0301", '"\ud800"', b"a\x00b"):
        agent = make_enabled_agent(sink=lambda entry: None)
        decision = agent.observe(answer, oracle_id="llm", model_id="m")
        assert not decision.admissible and not decision.ok and agent.health is Health.ALARM
        found = decision.observation
        assert found is not None and found.failure is axilog.Failure.INVALID_OUTPUT
        assert "not UTF-8 in NFC" in decision.why


def test_a_decision_is_true_where_its_answer_may_be_acted_on() -> None:
    agent = make_enabled_agent()
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
    assert behind.permitted and behind.health is Health.ALARM
    for decision in (breach, behind, failure):
        assert not decision and not decision.may_act
        with pytest.raises(axilog.BreachError) as caught:
            decision.output()
        assert caught.value.decision is decision
    assert (breach.raw, failure.raw) == (b'{"value": 71}', None)
    # Bytes that are no text are refused before they are read as one.
    with pytest.raises(axilog.BreachError):
        observe(make_enabled_agent(), b"\xff").output()


def test_a_decision_is_written_as_json() -> None:
    decision = observe(make_enabled_agent(sink=lambda entry: None), b'{"value": 71.5}')
    told = json.loads(json.dumps(decision.to_dict()))
    assert told["policies"] == [
        {
            "policy_id": "POL-001-MAX-VELOCITY",
            "result": "BREACH",
            "actual": "71.5",
            "threshold": "70",
        }
    ]
    assert (told["may_act"], told["health"], told["why"]) == (False, "ALARM", decision.why)


def test_a_failure_of_the_oracle_is_a_breach() -> None:
    for failure in axilog.Failure:
        agent = make_enabled_agent(sink=lambda entry: None)
        if failure is axilog.Failure.NULL:
            with pytest.raises(ValueError, match="found NULL"):
                agent.observe_failure(failure, oracle_id="llm", model_id="m")
            continue
        decision = agent.observe_failure(failure, oracle_id="llm", model_id="m", input="x")
        found = decision.observation
        assert found is not None and (found.failure, found.output) == (failure, "")
        assert not decision.ok and failure.name in decision.why
        # The next answer of the oracle is recorded as an answer.
        assert observe(agent, b'{"value": 1}').permitted


def test_a_truncated_answer_is_a_breach_unless_permitted() -> None:
    answer = b'{"value": 1}'
    call: dict[str, Any] = {"oracle_id": "llm", "model_id": "m", "truncated": True}
    assert not make_enabled_agent().observe(answer, **call).permitted
    lenient = make_enabled_agent(permit_truncated=True, sink=lambda entry: None)
    decision = lenient.observe(answer, **call)
    found = decision.observation
    assert decision.permitted and found is not None
    assert found.completion is axilog.Completion.TRUNCATED
    whole = observe(lenient, answer).observation
    assert whole is not None and whole.completion is axilog.Completion.COMPLETE


def test_an_answer_that_is_too_long_is_truncated() -> None:
    agent = make_enabled_agent(sink=lambda entry: None)
    found = observe(agent, b"x" * 100_000).observation
    assert found is not None and found.completion is axilog.Completion.TRUNCATED
    assert found.output_size == 100_000 and 60_000 < len(found.output) < 65_536


def test_parameters_are_recorded_exactly() -> None:
    agent = make_enabled_agent(sink=lambda entry: None)
    params = axilog.Params(max_tokens=9, seed=2**63 - 1, temperature=0.7, top_p="0.9")
    for given in (params, params, None, axilog.Params(seed=0)):
        decision = agent.observe(b'{"value":1}', oracle_id="llm", model_id="m", params=given)
        found = decision.observation
        assert found is not None and found.params == (given or axilog.Params())
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
        (b"ab\xff", axilog.InputKind.TEXT, "not UTF-8 at byte 2"),
        ("é\tc", axilog.InputKind.TEXT, r"U\+0009 at byte 2"),
        ("e\u0301", axilog.InputKind.TEXT, "normalisation form C"),
        ("{ }", axilog.InputKind.JSON, "not canonical JSON"),
        ("\ud800", axilog.InputKind.TEXT, "not UTF-8 at byte 0"),
    ],
)
def test_an_inadmissible_input_is_refused(prompt: Any, kind: axilog.InputKind, reason: str) -> None:
    agent = make_enabled_agent()
    before = agent.head
    with pytest.raises(axilog.InputError, match=reason):
        agent.observe(b"", oracle_id="llm", model_id="m", input=prompt, input_kind=kind)
    assert agent.head == before and agent.health is Health.ENABLED
    assert axilog.canonical_input("{}", axilog.InputKind.JSON) == b"{}"
    assert axilog.canonical_input("a\r\nb\rc") == b"a\nb\nc"


@pytest.mark.parametrize("bad", ["", "x" * 257, "a\x00b", "a\nb", "e\u0301", "\ud800", 7])
def test_invalid_identities_are_refused(bad: Any) -> None:
    agent = make_enabled_agent()
    before = agent.head
    for ids in ({"oracle_id": bad, "model_id": "m"}, {"oracle_id": "llm", "model_id": bad}):
        with pytest.raises(axilog.IdentityError, match="not admissible"):
            agent.observe(b"{}", **ids)
    assert agent.head == before


@pytest.mark.parametrize(
    ("identity", "found"),
    [
        ("gpt\u200b-1", r"'gpt\\u200b-1' is not admissible: character 4 is U\+200B;"),
        ("g\u0440t", r"'g\\u0440t' is not admissible: character 2 is U\+0440;"),
        ("a b", r"'a b' is not admissible: character 2 is U\+0020;"),
        ("x\x7f", r"character 2 is U\+007F; expected 1 to 256 visible ASCII characters"),
        ("\U000e0041", r"character 1 is U\+E0041;"),
        ("", r"it has 0 characters;"),
    ],
)
def test_a_refused_identity_is_told_with_character_and_place(identity: str, found: str) -> None:
    agent = make_enabled_agent()
    before = agent.head
    with pytest.raises(axilog.IdentityError, match=found) as refusal:
        agent.observe(b"{}", oracle_id="llm", model_id=identity)
    assert str(refusal.value).isascii() and "nothing was recorded" in str(refusal.value)
    assert agent.head == before


def test_reserved_oracle_ids_and_second_models_are_refused() -> None:
    agent = make_enabled_agent()
    for oracle, method in (("ax.time", "observe_time"), ("ax.control", "observe_control")):
        with pytest.raises(axilog.IdentityError, match=f"use Agent.{method}"):
            agent.observe(b"{}", oracle_id=oracle, model_id="m")
    # A call that was refused does not decide the model of its oracle.
    with pytest.raises(axilog.InputError):
        agent.observe(b"{}", oracle_id="llm", model_id="misspelt", input="\t")
    observe(agent, b'{"value": 1}')
    before = agent.head
    with pytest.raises(axilog.ModelError, match="has the model 'm' in this ledger"):
        agent.observe(b"{}", oracle_id="llm", model_id="other")
    with pytest.raises(axilog.ModelError):
        agent.observe_failure(axilog.Failure.TIMEOUT, oracle_id="llm", model_id="other")
    assert agent.head == before
    assert observe(agent, b'{"value": 1}').ok


def test_observe_time_refuses_rollback_unless_forced() -> None:
    agent = make_enabled_agent()
    with pytest.raises(
        axilog.TimeRollbackError, match="the time 1 is not after the last recorded one"
    ):
        agent.observe_time(1)
    for bad in (-1, 2**64, True):
        with pytest.raises(ValueError, match="timestamp: found"):
            agent.observe_time(bad)
    assert agent.observe_time().health is Health.ENABLED and agent.last_timestamp > 1_700_000_000
    assert agent.observe_time(5, force=True).health is Health.STOPPED


def test_a_stopped_agent_records_the_observation_only() -> None:
    agent = make_enabled_agent(sink=lambda entry: None)
    first = agent.observe_time(1, force=True)
    assert (first.health, first.ok) == (Health.STOPPED, False)
    decision = observe(agent, b'{"value": 1}')
    assert [entry.tag for entry in decision.records] == ["AX:OBS:v1"]
    assert not decision.permitted and decision.transition is None
    assert "was STOPPED before" in decision.why


def test_an_invalid_control_raises_with_its_fault() -> None:
    agent = make_enabled_agent()
    with pytest.raises(axilog.CallError) as caught:
        agent.observe_control(axilog.InputClass.LLM_OBS)
    assert caught.value.code is axilog.ReturnCode.SCHEMA
    assert caught.value.faults == frozenset({"schema"}) and str(caught.value.faults) == "schema"
    assert observe(agent, b'{"value": 1}').ok


def test_a_seal_ends_the_ledger() -> None:
    entries: list[axilog.Entry] = []
    agent = make_enabled_agent(sink=entries.append)
    agent.seal()
    assert agent.sealed and entries[-1].tag == "AX:PROOF:v1"
    with pytest.raises(axilog.StoppedError, match="is sealed") as caught:
        agent.seal()
    assert caught.value.faults == frozenset({"ledger_fail"})
    with pytest.raises(axilog.StoppedError):
        observe(agent, b'{"value": 1}')


def test_an_exception_of_the_sink_fails_the_ledger_for_good() -> None:
    stored: list[axilog.Entry] = []

    def store(entry: axilog.Entry) -> None:
        if len(stored) == 6:
            raise ValueError("no room")
        stored.append(entry)

    agent = make_enabled_agent(sink=store)
    with pytest.raises(axilog.SinkError, match="no room") as caught:
        for _ in range(9):
            observe(agent, b'{"value": 1}')
    assert isinstance(caught.value.__cause__, ValueError)
    assert agent.health is Health.STOPPED and agent.entries == 7
    with pytest.raises(axilog.StoppedError) as stopped:
        observe(agent, b'{"value": 1}')
    assert stopped.value.faults == frozenset({"ledger_fail"})


def test_an_interrupt_in_the_sink_is_raised_and_stops_the_agent() -> None:
    def store(entry: axilog.Entry) -> None:
        if entry.sequence == 5:
            raise KeyboardInterrupt

    agent = make_enabled_agent(sink=store)
    with pytest.raises(KeyboardInterrupt):
        observe(agent, b'{"value": 1}')
    assert agent.health is Health.STOPPED


def test_policies_judge_their_own_selectors() -> None:
    policies = axilog.PolicySet(
        [
            axilog.Policy("P-2", axilog.Comparison.LT, "-5", "altitude"),
            axilog.Policy("P-1", axilog.Comparison.GE, "0.5", "speed"),
            axilog.Policy("P-3", axilog.Comparison.LE, "0", "unused", enabled=False),
        ]
    )
    agent = make_enabled_agent(policies=policies, stop_on_invalid=True, sink=lambda entry: None)
    decision = observe(agent, b'{"speed": 0.25, "altitude_q16": -327680}')
    assert [judgement.policy_id for judgement in decision.policies] == ["P-1", "P-2"]
    assert decision.ok
    assert observe(agent, b'{"speed": 0.5, "altitude": -6}').why.count("breaches") == 2
    assert observe(agent, b"\xff").health is Health.STOPPED


def test_policies_reach_nested_values_and_may_judge_one_oracle_alone() -> None:
    policies = axilog.PolicySet(
        [
            axilog.Policy("P-1", axilog.Comparison.GT, "100", "tool.pay#/to/1/amount"),
            axilog.Policy("P-2", axilog.Comparison.GT, "70", "llm#maxSpeed"),
        ]
    )
    agent = make_enabled_agent(policies=policies, sink=lambda entry: None)

    def judge(oracle: str, output: bytes) -> dict[str, tuple[object, str]]:
        decision = agent.observe(output, oracle_id=oracle, model_id=f"m-{oracle}", input="go")
        return {j.policy_id: (j.actual, j.result.name) for j in decision.policies}

    assert judge("llm", b'{"maxSpeed":70}') == {"P-2": (axilog.to_q16(70), "PERMITTED")}
    paid = b'{"to":[{},{"amount":99.5}],"maxSpeed":99}'
    assert judge("tool.pay", paid) == {"P-1": (axilog.to_q16("99.5"), "PERMITTED")}
    assert judge("other", b'{"n":1}') == {}
    assert agent.health is Health.ENABLED
    too_much = b'{"to":{"1":{"amount":101}}}'
    assert judge("tool.pay", too_much) == {"P-1": (axilog.to_q16(101), "BREACH")}


def test_an_agent_takes_a_ledger_or_a_sink(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        with pytest.raises(ValueError, match="a ledger or a sink, not both"):
            axilog.Agent(ledger, sink=lambda entry: None)


def test_bytes_that_are_no_record_are_refused() -> None:
    for record in (b"", b"{}", b"\xff", b'{"completion_state":"COMPLETE"}'):
        with pytest.raises(axilog.RecordError) as caught:
            axilog.Observation.parse(record)
        assert caught.value.faults


def test_a_permitted_answer_may_be_acted_on_in_enabled_alone() -> None:
    agent = make_enabled_agent(sink=lambda entry: None)
    assert observe(agent, b'{"value": 71}').permitted is False
    for state, advice in (
        (Health.ALARM, "the alarm is not handled, call mitigate(), reset() and observe_time()"),
        (Health.DEGRADED, "reset and time are missing, call reset() and observe_time()"),
        (Health.INIT, "the time is missing, call observe_time()"),
    ):
        decision = observe(agent, b'{"value": 1}')
        assert (decision.permitted, decision.ok, decision.health) == (True, False, state)
        with pytest.raises(axilog.BreachError) as caught:
            decision.raise_for_breach()
        assert caught.value.decision.permitted
        assert str(caught.value) == (
            f"observation {decision.ledger_seq} is permitted, the agent is {state}; "
            f"an answer may be acted on only where the agent is ENABLED behind it: {advice}"
        )
        agent.mitigate() if state is Health.ALARM else agent.reset()
    agent.observe_time(2)
    assert observe(agent, b'{"value": 1}').ok


def test_what_may_act_is_what_the_library_says() -> None:
    agent = make_enabled_agent()
    for answer in (b'{"value": 1}', b'{"value": 71}', b'{"value": 1}', b"\xff"):
        decision = observe(agent, answer)
        context = (ctypes.byref(agent._context), ctypes.byref(agent._policy_context))
        assert decision.ok is (lib.ax_agent_may_act(*context) == 1)


def test_a_manifest_is_in_the_configuration() -> None:
    digest = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    bound = axilog.Configuration(axilog.PolicySet.builtin(), manifest=digest)
    text = bound.canonical()
    assert text.startswith(b'{"manifest":"' + digest.encode() + b'","permit_truncated":false,')
    assert axilog.Configuration.parse(text) == bound
    assert bound.hash() == hashlib.sha256(text).hexdigest()
    for wrong in (digest.upper(), digest[1:], "", 7):
        with pytest.raises(axilog.PolicyError, match="expected 64 lower-case hexadecimal digits"):
            axilog.Configuration(axilog.PolicySet.builtin(), manifest=wrong)  # type: ignore[arg-type]
    with pytest.raises(axilog.PolicyError, match="manifest: found null"):
        axilog.Configuration.parse(text.replace(b'"' + digest.encode() + b'"', b"null"))


def test_an_input_before_the_first_reset_is_refused_and_stops_nothing(path: str) -> None:
    inputs: list[Callable[[axilog.Agent], object]] = [
        lambda agent: observe(agent, b'{"value": 1}'),
        lambda agent: agent.observe_failure(
            axilog.Failure.TIMEOUT, oracle_id="llm", model_id="m", input="x"
        ),
        lambda agent: agent.observe_time(1),
        lambda agent: agent.observe_time(0, force=True),
        lambda agent: agent.mitigate(),
        lambda agent: agent.signal_fault(),
    ]
    with axilog.Ledger.create(path) as ledger:
        for agent in (axilog.Agent(), axilog.Agent(sink=lambda entry: None), axilog.Agent(ledger)):
            head = agent.head
            for give in inputs:
                with pytest.raises(axilog.ResetMissingError, match=r"UNINIT.*call reset\(\) first"):
                    give(agent)
            assert (agent.head, agent.health) == (head, Health.UNINIT)
            agent.reset()
            forgotten = observe(agent, b'{"value": 1}')
            assert not forgotten.ok and "call observe_time()" in forgotten.why
            agent.observe_time(1)
            assert observe(agent, b'{"value": 1}').ok
    assert axilog.verify(path, blobs=True).ok and axilog.replay(path).ok
