"""Runs the programs of the documentation and compares what they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import axilog
from tests.conftest import ROOT, Cli


def python_blocks(document: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S)


def test_the_programs_of_the_guide_run(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    guide = ROOT / "docs" / "python.md"
    programs = python_blocks(guide)
    assert len(programs) == 10
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for program in programs:
        exec(compile(program, guide, "exec"), names)
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert len(lines) == 4
    assert {f"    {line}" for line in lines} <= set(guide.read_text().splitlines())
    assert cli.run("verify", "--blobs", "l.jsonl").returncode == 0
    assert cli.run("replay", "l.jsonl").returncode == 0
    assert cli.run("policy", "check", "policies.json").returncode == 0


def test_the_programs_on_the_harness_run(capsys: pytest.CaptureFixture[str]) -> None:
    guide = ROOT / "docs" / "python-harness.md"
    programs = python_blocks(guide)
    assert len(programs) == 1
    exec(compile(programs[0], guide, "exec"), {})
    printed = capsys.readouterr().out
    assert "".join(f"    {line}\n" for line in printed.splitlines()) in guide.read_text()


def test_the_example_of_the_package_docstring_runs() -> None:
    assert doctest.testmod(axilog) == (0, 2)
