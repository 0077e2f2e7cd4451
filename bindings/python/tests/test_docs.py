"""Runs the programs of the documentation and compares what they print."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import axilog
from tests.conftest import ROOT, Cli
from tests.scripted_provider import KEY, serve_provider


def python_blocks(document: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S)


def make_proof(cli: Cli) -> None:
    """Makes the proof and the public key of `docs/heads.md` in the directory of the programs."""
    name = "example.com/plant"
    cli.run_json("init", "plant.jsonl", "--name", name)
    oracle = ["--oracle-id", "llm", "--model-id", "model-1"]
    cli.run_json("observe", "--ledger", "plant.jsonl", *oracle, stdin=b'{"value": 69}')
    key = cli.run_json("key", "new", "plant.key", "--name", name)
    Path("plant.pub").write_text(key["public_key"] + "\n")
    cli.run_json("checkpoint", "plant.jsonl", "--key", "plant.key")
    cli.run_json("prove", "plant.jsonl", "--seq", "5", "-o", "five.tlog-proof")


def test_the_programs_of_the_guide_run(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = ROOT / "docs" / "python.md"
    programs = python_blocks(guide)
    assert len(programs) == 15
    monkeypatch.chdir(tmp_path)
    make_proof(cli)
    names: dict[str, Any] = {}
    with serve_provider() as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        for program in programs:
            exec(compile(program, guide, "exec"), names)
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert len(lines) == 10
    assert {f"    {line}" for line in lines} <= set(guide.read_text().splitlines())
    assert cli.run("verify", "--blobs", "l.jsonl").returncode == 0
    assert cli.run("replay", "l.jsonl").returncode == 0
    assert cli.run("policy", "check", "policies.json").returncode == 0


def write_programs(directory: Path) -> list[str]:
    """Writes the programs of each page as one program."""
    pages = [ROOT / "README.md", ROOT / "docs" / "python.md"]
    for page in pages:
        (directory / f"{page.stem.lower()}.py").write_text("\n".join(python_blocks(page)))
    return [f"{page.stem.lower()}.py" for page in pages]


def test_mypy_accepts_the_programs(tmp_path: Path) -> None:
    for program in write_programs(tmp_path):
        command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports"]
        command += ["--config-file", "", "--cache-dir", os.devnull, program]
        checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stdout


def test_pyright_accepts_the_programs_and_the_package(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright brings Node; `./test --bench` installs it")
    package = os.fspath(Path(axilog.__file__).parent)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    for checked in (write_programs(tmp_path), [package]):
        found = subprocess.run(
            [*command, *checked], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, found.stdout


def test_the_example_of_the_package_docstring_runs() -> None:
    assert doctest.testmod(axilog) == (0, 2)
