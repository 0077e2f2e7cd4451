"""The disk fails at each operation of a run in turn: every acknowledged step is in the ledger, and
the next process goes on with it."""

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
    for name in ("write", "fdatasync", "fsync", "ftruncate", "replace", "unlink")
    if hasattr(os, name)
]
FAILS_ONCE, FAILS_FROM_THEN_ON = "one operation fails", "every operation from then on fails"


class FailingDisk:
    """Makes operation number ``countdown`` fail, and with ``keeps_failing`` every later one too."""

    def __init__(self, countdown: int, keeps_failing: bool) -> None:
        self.countdown = countdown
        self.keeps_failing = keeps_failing
        self.failed = False

    def wrap(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def operation(*arguments: Any, **keywords: Any) -> Any:
            self.countdown -= 1
            if self.countdown == 0 or (self.failed and self.keeps_failing):
                self.failed = True
                if name == "write":
                    # A failing write may still have written a part.
                    descriptor, data = arguments
                    real(descriptor, data[: len(data) // 2])
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*arguments, **keywords)

        return operation


def write_steps(path: str, acknowledged: list[str]) -> None:
    """Opens the ledger and writes some steps; appends the head after each to ``acknowledged``."""
    with axilog.Ledger.open_or_create(path) as ledger:
        agent = axilog.Agent(ledger)
        acknowledged.append(agent.head)
        if agent.health is axilog.Health.UNINIT:
            agent.reset()
            acknowledged.append(agent.head)
        agent.observe_time(agent.last_timestamp + 1)
        for answer in (b'{"value": 1}', b"\xff", b'{"value": 71}'):
            observe(agent, answer)
            acknowledged.append(agent.head)


@pytest.mark.parametrize("failure", [FAILS_ONCE, FAILS_FROM_THEN_ON])
def test_a_disk_failure_at_any_operation_loses_no_acknowledged_step(
    failure: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = 0
    while True:
        number += 1
        path = os.fspath(tmp_path / f"{number}.jsonl")
        disk = FailingDisk(number, failure == FAILS_FROM_THEN_ON)
        acknowledged: list[str] = []
        with monkeypatch.context() as patch:
            for name in OPERATIONS:
                patch.setattr(os, name, disk.wrap(name, getattr(os, name)))
            try:
                write_steps(path, acknowledged)
            except axilog.LedgerIOError as error:
                assert disk.failed and error.errno == errno.EIO
                assert str(error).startswith(f"{path}: cannot ")
        if not disk.failed:
            break
        # Only the last line may be torn, and the next run goes on with the ledger.
        if os.path.getsize(path) > 0:
            assert axilog.verify(path).verdict in (axilog.Verdict.OK, axilog.Verdict.TORN)
        after: list[str] = []
        write_steps(path, after)
        lines = Path(path).read_bytes().splitlines()
        assert {*acknowledged, *after} <= {line[10:74].decode() for line in lines}
        assert axilog.replay(path, expect_head=after[-1]).ok
        blobs = axilog.verify(path, blobs=True).blobs
        # A blob that was written before its record could be is named by none.
        assert blobs is not None and (blobs.altered_count, blobs.missing_count) == (0, 0)
    assert number > 25
    assert cli.run("verify", "--blobs", path).returncode == 0


def test_a_disk_failure_while_a_torn_line_is_moved_loses_nothing(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_steps(path, [])
    whole = Path(path).read_bytes()
    for number in range(1, 20):
        Path(path).write_bytes(whole + b'{"chain":"0')
        disk = FailingDisk(number, keeps_failing=False)
        with monkeypatch.context() as patch:
            for name in OPERATIONS:
                patch.setattr(os, name, disk.wrap(name, getattr(os, name)))
            try:
                axilog.Ledger.open(path).close()
            except axilog.LedgerIOError:
                # The bytes are in the ledger or in the new file.
                copies = [p.read_bytes() for p in Path(path).parent.glob("*.torn-*")]
                assert Path(path).read_bytes() == whole + b'{"chain":"0' or b'{"chain":"0' in copies
        axilog.Ledger.open(path).close()
        assert Path(path).read_bytes() == whole
        if not disk.failed:
            break
    assert 3 < number < 19
