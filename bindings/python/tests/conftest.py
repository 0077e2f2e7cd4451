"""What the tests share: paths, the command ``axilog``, and ledgers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import pytest

import axilog
from axilog._host_call import Path as AnyPath

ROOT = Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"


class Cli:
    """The command ``axilog``, built from the same tree."""

    def __init__(self, program: str) -> None:
        self.program = program

    def run(self, *arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        words = [self.program, *(str(word) for word in arguments)]
        return subprocess.run(words, input=stdin, capture_output=True, check=False)

    def run_json(self, *arguments: object, stdin: bytes = b"") -> dict[str, Any]:
        process = self.run(*arguments, "--json", stdin=stdin)
        assert process.stdout, process.stderr
        report: dict[str, Any] = json.loads(process.stdout)
        return report


def pytest_make_parametrize_id(val: object, argname: str) -> Optional[str]:
    """Names a long value by its length. The name of a test is in the environment of what it runs,
    where no text may have more than 128 KiB."""
    if isinstance(val, (bytes, str)) and len(val) > 1000:
        return f"{argname}-of-{len(val)}"
    return None


@pytest.fixture(scope="session")
def cli() -> Cli:
    """The command that AXILOG names in the environment, else the one of the workspace's tests."""
    program = os.environ.get("AXILOG")
    if program is not None:
        return Cli(program)
    command = ["cargo", "test", "--no-run", "--workspace", "--test", "cli"]
    build = subprocess.run(
        [*command, "--message-format", "json-render-diagnostics"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    messages = [json.loads(line) for line in build.stdout.splitlines()]
    programs = {m["target"]["name"]: m["executable"] for m in messages if m.get("executable")}
    return Cli(programs["axilog"])


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], Any]:
    def read(name: str) -> Any:
        return json.loads((ROOT / "tests" / "vectors" / name).read_text())

    return read


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A path at which a test may make its ledger."""
    return os.fspath(tmp_path / "ledger.jsonl")


def observe(agent: axilog.Agent, output: bytes, question: str = "how fast?") -> axilog.Decision:
    return agent.observe(output, oracle_id="llm", model_id="m", input=question)


def begin_agent(path: AnyPath, **options: Any) -> axilog.Agent:
    """Begins a ledger whose first time is 1."""
    return axilog.Agent.create(path, time=1, **options)


def read_records(path: str) -> list[tuple[str, bytes]]:
    """Reads the records of a ledger after its genesis, each a tag and its bytes."""
    records = []
    for line in Path(path).read_bytes().splitlines()[1:]:
        tag = json.loads(line)["tag"]
        before, after = b',"record":', b',"seq":'
        records.append((tag, line[line.index(before) + len(before) : line.rindex(after)]))
    return records


def write_ledger(path: str, answers: int = 3) -> list[bytes]:
    """Writes a ledger with answers from 69 upwards, of which 70 is the limit; returns its lines."""
    with begin_agent(path) as agent:
        for number in range(answers):
            observe(agent, b'{"value": %d}' % (69 + number), f"question {number}")
    return Path(path).read_bytes().splitlines(keepends=True)
