"""``python -m axilog``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import axilog
from axilog.__main__ import main
from tests.conftest import Cli, begin_agent, observe, write_ledger
from tests.test_blobs import write_answers


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "axilog", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "--blobs"], ["replay"], ["audit"]])
def test_checks_print_the_json_and_end_with_the_status_of_the_command(
    cli: Cli, path: str, arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    write_answers(path)
    whole = Path(path).read_bytes()
    for content, status in ((whole, 0), (whole.replace(b"BREACH", b"PERMIT", 1), 1)):
        Path(path).write_bytes(content)
        assert main([*arguments, path, "--json"]) == status
        found = capfd.readouterr().out
        by_command = cli.run(*arguments, path, "--json")
        assert (found.encode(), status) == (by_command.stdout, by_command.returncode)
        assert main([*arguments, path]) == status
        lines = capfd.readouterr().out.splitlines()
        verdict = json.loads(found)["verdict"]
        assert lines[0] == f"{verdict:<15} {path}"
        # The longest name of a line has a space after it.
        assert all(" " in line for line in lines)


def test_an_expected_head_is_compared(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    write_ledger(path)
    head = axilog.verify(path).head
    assert head is not None
    for name in ("verify", "replay", "audit"):
        assert main([name, path, "--expect-head", head]) == 0
        assert main([name, path, "--expect-head", "0" * 64]) == 1
        assert main([name, path, "--expect-head", "0"]) == 2
    assert "expected 64 hexadecimal digits" in capfd.readouterr().err


def test_show_has_a_line_for_each_record(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    with begin_agent(path) as agent:
        observe(agent, '{"value": 71,\n"why": "\u202eturned"}'.encode())
        observe(agent, b"\xff")
    assert main(["show", path, "--first", "5"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == r'       5  observation   llm (m): {"value": 71,\n"why": "\u202eturned"}'
    assert lines[1] == "       6  policy        POL-001-MAX-VELOCITY: BREACH, 71, limit 70"
    assert lines[2] == "       7  transition    ENABLED -> ALARM, POLICY_BREACH"
    assert lines[3] == "       8  observation   llm (m): INVALID_OUTPUT "
    assert lines[4].startswith("       9  raw_answer    1 bytes, SHA-256 ")
    assert main(["show", path, "--oracle", "llm", "--count", "7", "--json"]) == 0
    shown = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [record["sequence"] for record in shown] == [5, 6]


def test_what_cannot_be_read_is_said_with_the_status_of_the_command(
    cli: Cli, path: str, tmp_path: Path
) -> None:
    for name in ("verify", "replay", "audit", "show", "tail"):
        for bad in (path, str(tmp_path)):
            found = run(name, bad)
            assert (found.returncode, found.stdout) == (3, b"")
            assert found.stderr == cli.run("verify", bad).stderr
        assert run(name).returncode == 2
    write_ledger(path)
    assert run("show", path, "--count", "0").returncode == 2
    assert run("tail", path, "--last", "-1").returncode == 2
    assert run("nothing", path).returncode == 2
    assert run("--version").stdout.decode() == f"axilog {axilog.__version__}\n"


def test_a_bad_record_ends_show_and_tail_with_the_status_of_the_command(
    cli: Cli, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = write_ledger(path)
    Path(path).write_bytes(b"".join(lines[:5]) + lines[5].replace(b"69", b"68"))
    for name in ("show", "tail"):
        assert main([name, path]) == cli.run("show", path).returncode == 1
        assert "ALTERED: record 5 at byte" in capfd.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_error(path: str) -> None:
    write_ledger(path, 2000)
    command = f"{sys.executable} -m axilog show {path} | head -1"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("       0  genesis") and shown.stderr == ""


def test_tail_follows_a_ledger_to_its_seal(path: str) -> None:
    with begin_agent(path) as agent:
        command = [sys.executable, "-m", "axilog", "tail", path, "--last", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            first = [process.stdout.readline() for _ in range(2)]
            observe(agent, b'{"value": 1}')
            following = [process.stdout.readline() for _ in range(3)]
            agent.seal()
            assert process.stdout.read().startswith("       8  seal")
            assert process.wait() == 0
    assert [line.split()[0] for line in first + following] == ["3", "4", "5", "6", "7"]


def test_any_path_is_printed_whatever_the_locale(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff\xc3\xa9.jsonl"
    write_ledger(os.fsdecode(path))
    for arguments in (["verify"], ["audit", "--json"], ["show", "--json"]):
        found = subprocess.run(
            [sys.executable, "-m", "axilog", arguments[0], path, *arguments[1:]],
            env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"},
            capture_output=True,
            check=True,
        )
        assert found.stderr == b""


def take_interrupts() -> None:
    # What a shell starts in the background ignores them, and so does all that is started by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_ends_a_tail(path: str) -> None:
    write_ledger(path)
    command = [sys.executable, "-m", "axilog", "tail", path, "--last", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=take_interrupts
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert (process.wait(), process.stderr.read()) == (130, b"")
