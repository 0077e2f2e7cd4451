"""Runs the programs and commands of the documentation and compares what they print."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
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
    assert len(programs) == 7
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for program in programs:
        exec(compile(program, guide, "exec"), names)
    printed = capsys.readouterr().out
    assert printed and f"    {printed}" in guide.read_text()
    assert cli.run("verify", "--blobs", "l.jsonl").returncode == 0
    assert cli.run("replay", "l.jsonl").returncode == 0
    assert cli.run("policy", "check", "policies.json").returncode == 0


def test_the_commands_of_the_readme_end_in_a_ledger_that_verifies(cli: Cli, tmp_path: Path) -> None:
    """Runs the commands with the path of this checkout in place of the relative one."""
    text = (ROOT / "README.md").read_text()
    section = text.split("## From Python\n", 1)[1].split("\n## ", 1)[0]
    (program,) = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    (tmp_path / "program.py").write_text(program)
    section = section.replace("./bindings/python", os.fspath(ROOT / "bindings" / "python"))
    section = section.replace("cargo run", f"cargo run --manifest-path {ROOT}/Cargo.toml")
    commands = re.findall(r"^    (\S.*)$", section.replace(program, ""), re.M)
    assert len(commands) == 4
    # A reader of the README has set neither variable.
    environment = {k: v for k, v in os.environ.items() if k not in ("AXILOG_LIBRARY", "PYTHONPATH")}
    outputs = []
    for command in commands:
        process = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, (command, process.stderr)
        outputs.append(process.stdout)
    assert outputs[2] == "ENABLED\nALARM\n"
    assert outputs[3].startswith("OK  ")
    assert cli.run("verify", "--blobs", tmp_path / "answers.jsonl").returncode == 0
    assert cli.run("replay", tmp_path / "answers.jsonl").returncode == 0


def test_the_example_of_the_package_docstring_runs() -> None:
    assert doctest.testmod(axilog) == (0, 4)
