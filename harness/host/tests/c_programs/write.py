"""Writes the ledger that write.c writes, call for call, at the first argument, and prints its length and head."""

import sys

import axilog
from axilog import Failure, InputKind

PARAMS = axilog.Params(max_tokens=100, seed=7, temperature="0.5", top_p="1")
SENSOR = {"oracle_id": "sensor", "model_id": "sensor-3", "input_kind": InputKind.JSON}


def observe(agent, answer):
    return agent.observe(
        answer, oracle_id="llm", model_id="model-1", input="How fast?\r\n", params=PARAMS
    )


def write(path):
    options = {
        "name": "plant/pump-3",
        "note": "A trial.",
        "oracles": ["llm", "sensor"],
        "schemas": {"sensor": '{"type":"object","required":["value"]}'},
    }
    with axilog.Agent.create(path, time=5, **options) as agent:
        assert observe(agent, '{"value": 60}')
        assert observe(agent, '{"value": 71}').health is axilog.Health.ALARM
        agent.mitigate()
        agent.reset()
        assert agent.observe_time(6).ok
    with axilog.Agent.start(path, **options) as agent:
        question = '{"ask":"pressure"}'
        assert not agent.observe_failure(Failure.TIMEOUT, input=question, **SENSOR)
        agent.mitigate()
        agent.reset()
        agent.observe_time(7)
        assert agent.observe('{"level": 1}', input=question, **SENSOR).schema_violation
        assert observe(agent, b"\xff\0").failure is Failure.INVALID_OUTPUT
        assert observe(agent, "x" * 100_000).completion is axilog.Completion.TRUNCATED
        agent.seal()
        return f"{len(agent)} {agent.head}"


print(write(sys.argv[1]), end="")
