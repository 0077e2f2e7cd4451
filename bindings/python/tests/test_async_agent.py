"""The agent on asyncio: a thousand tasks, cancelled ones, and errors."""

from __future__ import annotations

import asyncio
import threading
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
    async def run() -> list[axilog.Decision]:
        async with AsyncAgent(begin_agent(path), threads=1) as agent:
            first = await asyncio.gather(*(observe(agent, number) for number in range(20)))
            # The one thread is held, so that no later call begins before it is cancelled.
            release = threading.Event()
            held = asyncio.ensure_future(agent._run(release.wait))
            waiting = [asyncio.ensure_future(observe(agent, number)) for number in range(20, 99)]
            await asyncio.sleep(0)
            for task in waiting:
                task.cancel()
            ended = await asyncio.gather(*waiting, return_exceptions=True)
            assert all(isinstance(each, asyncio.CancelledError) for each in ended)
            release.set()
            await held
            # This one may have begun, and is recorded whole then.
            last = asyncio.ensure_future(observe(agent, 99))
            await asyncio.sleep(0)
            last.cancel()
        return first

    first = asyncio.run(run())
    with axilog.read(path, oracle_id="llm", kinds=[axilog.RecordKind.OBSERVATION]) as records:
        held = [r.observation.output.encode() for r in records if r.observation is not None]
    assert held[:20] == [decision.raw for decision in first] == [answer(n) for n in range(20)]
    assert held[20:] in ([], [answer(99)])
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
