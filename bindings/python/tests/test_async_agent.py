"""The agent on asyncio: a thousand tasks, cancelled ones, and errors."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

import axilog
from axilog import AsyncAgent
from tests.conftest import begin_agent
from tests.test_threads import check_answers


def answer(number: int) -> bytes:
    return b'{"value": 1, "n": %d}' % number


def observe(agent: AsyncAgent, number: int) -> Coroutine[Any, Any, axilog.Decision]:
    return agent.observe(answer(number), oracle_id="llm", model_id="m", input="how fast?")


def test_a_thousand_tasks_record_on_one_ledger(path: str) -> None:
    async def run() -> list[axilog.Decision]:
        async with AsyncAgent(begin_agent(path)) as agent:
            return await asyncio.gather(*(observe(agent, number) for number in range(1000)))

    decisions = asyncio.run(run())
    assert [decision.raw for decision in decisions] == [answer(number) for number in range(1000)]
    check_answers(path, decisions)


def test_a_cancelled_task_tears_no_step(path: str) -> None:
    async def run() -> list[bytes]:
        async with AsyncAgent(begin_agent(path), threads=2) as agent:
            tasks = [asyncio.ensure_future(observe(agent, number)) for number in range(200)]
            await tasks[20]
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        decisions = [decision for decision in ended if isinstance(decision, axilog.Decision)]
        assert 20 < len(decisions) < 200
        return [decision.raw or b"" for decision in decisions]

    acknowledged = asyncio.run(run())
    with axilog.read(path, oracle_id="llm", kinds=[axilog.RecordKind.OBSERVATION]) as records:
        held = [r.observation.output.encode() for r in records if r.observation is not None]
    # What was under way is recorded too, and no step without its last records.
    assert set(acknowledged) <= set(held) and len(held) < 200
    assert axilog.audit(path).ok and axilog.replay(path).interrupted is False


def test_every_call_is_that_of_the_agent(path: str) -> None:
    async def run() -> None:
        async with AsyncAgent(begin_agent(path)) as agent:
            call: dict[str, Any] = {"oracle_id": "llm", "model_id": "m"}
            assert await agent.check_question(**call, input="a\r\nb") == b"a\nb"
            with pytest.raises(axilog.InputError):
                await agent.check_question(**call, input="\t")
            with pytest.raises(axilog.TimeRollbackError):
                await agent.observe_time(1)
            assert (await agent.observe_time(2)).ok and (await agent.signal_fault()).ok
            failed = await agent.observe_failure(axilog.Failure.TIMEOUT, **call)
            assert failed.failure is axilog.Failure.TIMEOUT and not failed
            assert (await agent.mitigate()).health is axilog.Health.DEGRADED
            assert (await agent.reset()).health is axilog.Health.INIT
            with pytest.raises(ValueError, match="input_class: found TIME_OBS"):
                await agent.observe_control(axilog.InputClass.TIME_OBS)
            assert (await agent.observe_time(3)).ok and agent.agent.fault_count == 0
            await agent.seal()
            assert agent.agent.sealed and "AsyncAgent" in repr(agent)
        await agent.close()
        assert agent.agent.closed
        with pytest.raises(RuntimeError, match="after shutdown"):
            await agent.reset()

    asyncio.run(run())
    assert axilog.audit(path).ok
