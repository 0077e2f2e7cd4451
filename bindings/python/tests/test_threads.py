"""Threads: two agents run in parallel, and a shared agent refuses the second call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import axilog
from axilog.agent import _observe
from axilog.capi import lib
from axilog.capi.functions import PROTOTYPES
from tests.conftest import begin_agent, observe


def test_agents_in_two_threads_write_equal_ledgers(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.jsonl") for name in "ab"]
    together = threading.Barrier(2)
    errors: list[BaseException] = []

    def run(path: str) -> None:
        try:
            with axilog.Ledger.create(path) as ledger:
                agent = begin_agent(ledger)
                together.wait(10)
                for number in range(50):
                    assert observe(agent, b'{"value": %d}' % number).ok
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    first, second = (axilog.replay(path) for path in paths)
    assert first.ok and second.ok and first.head == second.head and first.entries == 155


def test_a_shared_agent_is_refused_while_it_is_in_use() -> None:
    inside, leave = threading.Event(), threading.Event()

    def store(entry: axilog.Entry) -> None:
        if entry.sequence == 5:
            inside.set()
            assert leave.wait(10)

    agent = axilog.Agent(sink=store)
    agent.reset()
    agent.observe_time(1)
    decisions: list[axilog.Decision] = []
    thread = threading.Thread(target=lambda: decisions.append(observe(agent, b'{"value": 1}')))
    thread.start()
    assert inside.wait(10)
    calls: list[Callable[[], object]] = [
        lambda: observe(agent, b'{"value": 99}'),
        lambda: agent.observe_time(2),
        lambda: agent.reset(),
        lambda: agent.seal(),
        lambda: agent.observe_failure(axilog.Failure.TIMEOUT, oracle_id="llm", model_id="m"),
    ]
    for call in calls:
        with pytest.raises(axilog.ConcurrentUseError, match="the agent is in use"):
            call()
    leave.set()
    thread.join()
    # The refused calls did nothing, and the agent goes on in any thread.
    assert decisions[0].ok and agent.entries == 8
    assert observe(agent, b'{"value": 2}').ok


def test_a_sink_may_not_call_back_into_its_agent() -> None:
    errors: list[BaseException] = []

    def store(entry: axilog.Entry) -> None:
        try:
            agent.observe_time(9)
        except axilog.AxilogError as error:
            errors.append(error)

    agent = axilog.Agent(sink=store)
    agent.reset()
    assert [type(error) for error in errors] == [axilog.ConcurrentUseError] * 2


def test_a_ledger_cannot_be_closed_during_a_step(path: str) -> None:
    with axilog.Ledger.create(path) as ledger:
        agent = begin_agent(ledger)
        assert ledger._lock.acquire(blocking=False)
        with pytest.raises(axilog.ConcurrentUseError, match="a step is under way"):
            ledger.close()
        ledger._lock.release()
        assert not ledger.closed and observe(agent, b'{"value": 1}').ok


def test_calls_release_the_interpreters_lock() -> None:
    """ctypes sets a flag on the functions that it calls with the interpreter's lock held."""
    keeps_the_lock = 4  # FUNCFLAG_PYTHONAPI
    for function in (_observe, *(getattr(lib, name) for name in PROTOTYPES)):
        assert not function._flags_ & keeps_the_lock
