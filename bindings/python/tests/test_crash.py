"""A process that writes a ledger is killed at any moment: every step that it acknowledged is in the
ledger, and the next process goes on with it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import axilog
from tests.conftest import Cli, begin_agent, observe

ROUNDS = 12

WRITER = """
import sys, axilog
with axilog.Agent.start(sys.argv[1]) as agent:
    for number in range(10**6):
        output = b'{"value": 1, "why": "%s"}' % (b"x" * (number * 997 % 30000))
        question = f"question {number % 5}"
        print(agent.observe(output, oracle_id="llm", model_id="m", input=question).head, flush=True)
"""


def test_a_killed_writer_loses_no_acknowledged_step(cli: Cli, path: str) -> None:
    rng = random.Random(3)
    for _ in range(ROUNDS):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        # It is killed somewhere after so many acknowledgements.
        for _ in range(rng.randint(1, 40)):
            acknowledged = writer.stdout.readline().decode().strip()
        assert acknowledged
        writer.send_signal(signal.SIGKILL)
        rest = writer.communicate()[0].decode()
        # The writer prints a head once its step is acknowledged; the last line may be incomplete.
        heads = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = heads[-1].strip() if heads else acknowledged
        lines = Path(path).read_bytes().splitlines(keepends=True)
        assert any(line[10:74].decode() == acknowledged for line in lines)

        with axilog.Agent.open(path) as agent:
            assert observe(agent, b'{"value": 2}').ok
            head = agent.head
        assert axilog.audit(path, expect_head=head).ok
    assert cli.run("audit", path, "--expect-head", head).returncode == 0


def test_a_ledger_cut_at_any_byte_can_be_begun_or_opened(cli: Cli, path: str) -> None:
    """A crash of the machine can leave any beginning of the file."""
    with begin_agent(path) as agent:
        for number in range(4):
            observe(agent, b'{"value": %d}' % number)
    whole = Path(path).read_bytes()
    rng = random.Random(4)
    for cut in sorted(rng.sample(range(len(whole)), 40)):
        Path(path).write_bytes(whole[:cut])
        with axilog.Agent.start(path) as agent:
            agent.observe_time(agent.last_timestamp + 1)
            assert observe(agent, b'{"value": 9}').ok
            head = agent.head
        report = axilog.replay(path, expect_head=head)
        assert report.ok and report.interrupted is False
    assert cli.run("replay", path).returncode == 0
