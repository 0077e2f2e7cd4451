"""A process that writes a ledger is killed at any moment: what it acknowledged is there, and the
next one goes on."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import axilog
from tests.conftest import Cli, observe

ROUNDS = 12

WRITER = """
import sys, axilog
with axilog.Ledger.open_or_create(sys.argv[1]) as ledger:
    agent = axilog.Agent(ledger)
    if agent.health == axilog.Health.UNINIT:
        agent.reset()
    if agent.health == axilog.Health.INIT:
        agent.time(agent.last_timestamp + 1)
    print(agent.head, flush=True)
    for number in range(10**6):
        output = b'{"value": 1, "why": "%s"}' % (b"x" * (number * 997 % 30000))
        agent.observe(output, oracle_id="llm", model_id="m", input=f"question {number % 5}")
        print(agent.head, flush=True)
"""


def test_killed_at_any_moment(cli: Cli, path: str) -> None:
    chance = random.Random(3)
    acknowledged = ""
    for _ in range(ROUNDS):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        acknowledged = writer.stdout.readline().decode().strip() or acknowledged
        time.sleep(chance.random() * 0.05)
        writer.send_signal(signal.SIGKILL)
        rest = writer.communicate()[0].decode()
        # A head that was printed whole was acknowledged.
        heads = [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
        acknowledged = heads[-1].strip() if heads else acknowledged

        # The command judges the file as it was left; only its last line may be torn.
        said = json.loads(cli.run("verify", path, "--json").stdout)
        assert said["verdict"] in ("OK", "TORN"), said
        assert axilog.verify(path).verdict.name == said["verdict"]
        lines = Path(path).read_bytes().splitlines(keepends=True)
        assert any(line[10:74].decode() == acknowledged for line in lines)

        with axilog.Ledger.open(path) as ledger:
            agent = axilog.Agent(ledger)
            assert observe(agent, b'{"value": 2}').ok
            head = agent.head
        assert cli.run("replay", path, "--expect-head", head).returncode == 0
        assert cli.run("verify", path, "--blobs").returncode == 0


def test_a_ledger_cut_at_any_byte_goes_on(cli: Cli, path: str) -> None:
    """What a machine's crash can leave: any beginning of the file that was being written."""
    with axilog.Ledger.create(path) as ledger:
        agent = axilog.Agent(ledger)
        agent.reset()
        agent.time(1)
        for number in range(4):
            observe(agent, b'{"value": %d}' % number)
    whole = Path(path).read_bytes()
    chance = random.Random(4)
    for cut in sorted(chance.sample(range(len(whole)), 40)):
        Path(path).write_bytes(whole[:cut])
        with axilog.Ledger.open(path) as ledger:
            agent = axilog.Agent(ledger)
            if agent.health is axilog.Health.UNINIT:
                agent.reset()
            agent.time(agent.last_timestamp + 1)
            assert observe(agent, b'{"value": 9}').ok
            head = agent.head
        report = axilog.replay(path, expect_head=head)
        assert report.ok and report.interrupted is False
    assert cli.run("replay", path).returncode == 0
