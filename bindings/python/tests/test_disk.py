"""The disk fails at every operation of a run: what was acknowledged is there, and the next opening
goes on."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import axilog
from tests.conftest import Cli, observe

OPERATIONS = [
    name
    for name in ("pwrite", "fdatasync", "fsync", "ftruncate", "replace", "unlink")
    if hasattr(os, name)
]
HEALS, STAYS = "the operation works again", "it fails from then on"


class Disk:
    """Lets the operation number ``left`` fail, and with ``stays`` every one after it too."""

    def __init__(self, left: int, stays: bool) -> None:
        self.left = left
        self.stays = stays
        self.failed = False

    def around(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*arguments: Any, **named: Any) -> Any:
            self.left -= 1
            if self.left == 0 or (self.failed and self.stays):
                self.failed = True
                if name == "pwrite":
                    # A part of it arrives all the same.
                    descriptor, data, at = arguments
                    real(descriptor, data[: len(data) // 2], at)
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*arguments, **named)

        return operation


def run(path: str, acknowledged: list[str]) -> None:
    """Opens the ledger and takes some steps; notes the head behind each."""
    with axilog.Ledger.open_or_create(path) as ledger:
        agent = axilog.Agent(ledger)
        acknowledged.append(agent.head)
        if agent.health is axilog.Health.UNINIT:
            agent.reset()
            acknowledged.append(agent.head)
        agent.time(agent.last_timestamp + 1)
        for answer in (b'{"value": 1}', b"\xff", b'{"value": 71}'):
            observe(agent, answer)
            acknowledged.append(agent.head)


@pytest.mark.parametrize("ends", [HEALS, STAYS])
def test_the_disk_fails_at_every_operation(
    ends: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = 0
    while True:
        number += 1
        path = os.fspath(tmp_path / f"{number}.jsonl")
        disk = Disk(number, ends == STAYS)
        acknowledged: list[str] = []
        with monkeypatch.context() as patch:
            for name in OPERATIONS:
                patch.setattr(os, name, disk.around(name, getattr(os, name)))
            try:
                run(path, acknowledged)
            except axilog.LedgerIOError as error:
                assert disk.failed and error.errno == errno.EIO
                assert str(error).startswith(f"{path}: cannot ")
        if not disk.failed:
            break
        # What the failure left is good but perhaps for its end, and the next run goes on with it.
        if os.path.getsize(path) > 0:
            assert axilog.verify(path).verdict in (axilog.Verdict.OK, axilog.Verdict.TORN)
        after: list[str] = []
        run(path, after)
        lines = Path(path).read_bytes().splitlines()
        assert {*acknowledged, *after} <= {line[10:74].decode() for line in lines}
        assert axilog.replay(path, expect_head=after[-1]).ok
        assert axilog.verify(path, blobs=True).ok
    assert number > 25
    assert cli.run("verify", "--blobs", tmp_path / "1.jsonl").returncode == 0


def test_the_disk_fails_while_a_torn_line_is_moved(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(path, [])
    whole = Path(path).read_bytes()
    for number in range(1, 20):
        Path(path).write_bytes(whole + b'{"chain":"0')
        disk = Disk(number, stays=False)
        with monkeypatch.context() as patch:
            for name in OPERATIONS:
                patch.setattr(os, name, disk.around(name, getattr(os, name)))
            try:
                axilog.Ledger.open(path).close()
            except axilog.LedgerIOError:
                # The bytes are here or there, and never lost.
                kept = [p.read_bytes() for p in Path(path).parent.glob("*.torn-*")]
                assert Path(path).read_bytes() == whole + b'{"chain":"0' or b'{"chain":"0' in kept
        axilog.Ledger.open(path).close()
        assert Path(path).read_bytes() == whole
        if not disk.failed:
            break
    assert 3 < number < 19
