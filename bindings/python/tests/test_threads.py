"""Threads and tasks: one agent serves them all, and each gets the decision on its own answer."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import axilog
from axilog.agent import _observe
from axilog.capi import lib
from axilog.capi.functions import PROTOTYPES
from axilog.capi.host import PROTOTYPES as HOST_PROTOTYPES
from tests.conftest import begin_agent, observe


def check_answers(path: str, decisions: list[axilog.Decision]) -> None:
    """Each decision is about the answer that it was returned for, and the ledger holds it."""
    with axilog.read(path, oracle_id="llm", kinds=[axilog.RecordKind.OBSERVATION]) as records:
        held = {r.sequence: r.observation.output for r in records if r.observation is not None}
    assert len({d.ledger_seq for d in decisions}) == len(decisions) == len(held)
    for decision in decisions:
        assert decision.raw is not None and held[decision.ledger_seq] == decision.raw.decode()
        assert decision.to_dict()["ledger_seq"] == decision.ledger_seq
    assert axilog.audit(path).ok


def test_many_threads_record_with_one_agent(path: str) -> None:
    with begin_agent(path) as agent, ThreadPoolExecutor(64) as threads:
        answers = [b'{"value": 1, "n": %d}' % number for number in range(192)]
        decisions = list(threads.map(lambda answer: observe(agent, answer), answers))
        assert [d.raw for d in decisions] == answers and all(decisions)
    check_answers(path, decisions)


def test_many_tasks_record_with_one_agent(path: str) -> None:
    async def run(agent: axilog.Agent) -> list[axilog.Decision]:
        answers = (b'{"value": 1, "n": %d}' % number for number in range(100))
        return await asyncio.gather(*(asyncio.to_thread(observe, agent, a) for a in answers))

    with begin_agent(path) as agent:
        decisions = asyncio.run(run(agent))
    check_answers(path, decisions)


def test_agents_in_two_threads_write_equal_ledgers(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.jsonl") for name in "ab"]
    together = threading.Barrier(2)

    def run(path: str) -> None:
        with begin_agent(path) as agent:
            together.wait(60)
            for number in range(20):
                assert observe(agent, b'{"value": %d}' % number).ok

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(run, paths))
    first, second = (axilog.replay(path) for path in paths)
    assert first.ok and second.ok and first.head == second.head and first.entries == 65


def test_an_agent_that_another_thread_closes_records_a_step_or_refuses_it(path: str) -> None:
    agent = begin_agent(path)
    recorded: list[axilog.Decision] = []

    def record() -> None:
        with pytest.raises(axilog.LedgerError, match="is closed"):
            while True:
                recorded.append(observe(agent, b'{"value": 1}'))

    thread = threading.Thread(target=record)
    thread.start()
    while len(recorded) < 5:
        assert thread.is_alive()
    agent.close()
    thread.join()
    check_answers(path, recorded)


def test_calls_release_the_interpreters_lock() -> None:
    """ctypes sets a flag on the functions that it calls with the interpreter's lock held."""
    keeps_the_lock = 4  # FUNCFLAG_PYTHONAPI
    names = (*PROTOTYPES, *HOST_PROTOTYPES)
    for function in (_observe, *(getattr(lib, name) for name in names)):
        assert not function._flags_ & keeps_the_lock
