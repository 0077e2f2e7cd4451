"""Runs the commands of the README's section on Python, with the ``python3`` of the PATH.

``./test`` runs this file once, since it does not depend on the Python that runs pytest.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.conftest import ROOT, Cli


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
    # A reader of the README has set no path. Where AXILOG_LIBRARY names a library that was built
    # already, the second command takes it instead of compiling one.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
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
    assert outputs[2] == '{"value": 69}\nALARM\n'
    assert outputs[3].startswith("OK  ")
    assert cli.run("verify", "--blobs", tmp_path / "answers.jsonl").returncode == 0
    assert cli.run("replay", tmp_path / "answers.jsonl").returncode == 0
